//! The file with the contexts of a user, and which of them the options choose.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::contexts::{Contexts, ServerContext};
use super::parse::contexts;
use crate::cli::args::global::{GlobalArgs, TargetKind};
use crate::cli::fleet::names::{Alternative, alternatives, in_ranges, quoted, split_list};
use crate::cli::input;
use crate::cli::ui::waiting;
use crate::engine::{ChangeOptions, Engine, Guard, Hooks, Snapshot};
use crate::error::Error;
use crate::http::api::DEFAULT_PREFIX;
use crate::http::client::{Endpoint, without_userinfo};
use mediaconf::{Fault, Request, Segment, nearest};

/// The file below the folder of the user's configurations.
const FILE: &str = "mediactl/contexts.conf";

/// Only the user may read the file: a URL may contain a password.
const FILE_MODE: u32 = 0o600;

/// The same for its folder.
const FOLDER_MODE: u32 = 0o700;

/// The rights of group and others.
const OTHERS: u32 = 0o077;

/// The file with the contexts of the user, which need not exist.
#[derive(Debug)]
pub struct ContextsFile {
    pub path: PathBuf,
}

impl ContextsFile {
    /// The file of the user who runs this program; `None` if no variable says where that is.
    pub fn of_user() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
        Some(Self { path: config.join(FILE) })
    }

    /// The same; to have no place is an error.
    pub fn of_user_or_error() -> Result<Self, Error> {
        Self::of_user().ok_or_else(|| {
            Error::usage("there is no place for contexts", "set HOME, or XDG_CONFIG_HOME to a folder")
        })
    }

    /// Reads all contexts; a missing file has none.
    pub fn load(&self) -> Result<Contexts, Error> {
        match self.snapshot()? {
            Some(snapshot) => self.parse(&snapshot),
            None => Ok(Contexts::default()),
        }
    }

    /// Reads the text; `None` if there is no file.
    pub fn snapshot(&self) -> Result<Option<Arc<Snapshot>>, Error> {
        let failed = |error| Error::input_failed(&self.path, error);
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        self.refuse_strangers(&file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(Arc::new(Snapshot::from_bytes(bytes))))
    }

    fn parse(&self, snapshot: &Arc<Snapshot>) -> Result<Contexts, Error> {
        let name = self.path.display().to_string();
        if !snapshot.is_valid() {
            return Err(Error::broken_text(&name, snapshot.clone()));
        }
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        contexts(snapshot.document(), folder).map_err(|faults| {
            let faults = faults.into_iter().map(|fault| Fault { file: Some(name.to_string()), ..fault });
            Error::bad_contexts(faults)
        })
    }

    /// Refuses a file that others may read or write: its commands are run, and its URLs get passwords.
    fn refuse_strangers(&self, file: &File) -> Result<(), Error> {
        let found = file.metadata().map_err(|error| Error::input_failed(&self.path, error))?;
        let us = rustix::process::geteuid().as_raw();
        let is_ours = [0, us].contains(&found.uid());
        match is_ours && found.mode() & OTHERS == 0 {
            true => Ok(()),
            false => Err(Error::open_contexts(&self.path, is_ours)),
        }
    }

    /// Finds a context by its name.
    pub fn find(&self, name: &str) -> Result<ServerContext, Error> {
        let contexts = self.load()?;
        match contexts.get(name) {
            Some(context) => Ok(context.clone()),
            None => {
                let names = contexts.list.iter().map(|context| &*context.name);
                Err(Error::no_context(name, nearest(name, names)))
            }
        }
    }

    /// Refuses a context with a setting of an earlier version.
    fn usable(&self, context: ServerContext) -> Result<ServerContext, Error> {
        match &context.outdated {
            Some((setting, line)) => Err(Error::outdated_context(&self.path, *line, &context.name, setting)),
            None => Ok(context),
        }
    }

    /// Merges a patch into the file, which is made where it is missing.
    pub fn change(&self, patch: Value, by: String) -> Result<(), Error> {
        self.make().map_err(|error| Error::not_made(&self.path, error))?;
        let engine = Engine::new(input::store(&self.path)?, Hooks::default(), waiting);
        let request = Request::from(patch);
        // The directives of this file are not those of a media server.
        let accepted = vec![Guard::NearMiss];
        engine.modify(&request, &ChangeOptions { by, accepted, ..ChangeOptions::default() })?;
        Ok(())
    }

    fn make(&self) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
        match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }
}

/// The context that the options, the environment or the user's own choice name; `None` if the target is
/// not a context.
pub fn chosen(global: &GlobalArgs) -> Result<Option<ServerContext>, Error> {
    match (global.chosen.kind, &global.context) {
        (TargetKind::Context(_), Some(name)) => {
            let file = ContextsFile::of_user_or_error()?;
            file.find(name).and_then(|context| file.usable(context)).map(Some)
        }
        (TargetKind::Unnamed, _) => {
            let Some(file) = ContextsFile::of_user() else { return Ok(None) };
            let current = file.load()?.current;
            current.map(|name| file.find(&name).and_then(|context| file.usable(context))).transpose()
        }
        _ => Ok(None),
    }
}

/// The contexts that a command works on, if it names several: each once, in the order of the names, and
/// those of a pattern or a group in the order of the file. `None` if it names one target at most.
///
/// # Errors
/// `Usage` for a name that is none, and for a pattern or a group without contexts.
pub fn several(global: &GlobalArgs) -> Result<Option<Vec<ServerContext>>, Error> {
    let find: fn(&Contexts, &str) -> Result<Vec<ServerContext>, Error> = match global.chosen.kind {
        TargetKind::Group => of_group,
        TargetKind::Context(_) if several_chosen(global) => by_name,
        _ => return Ok(None),
    };
    let file = ContextsFile::of_user_or_error()?;
    let contexts = file.load()?;
    let words: Vec<&str> = match global.chosen.kind {
        TargetKind::Group => global.group.iter().map(String::as_str).collect(),
        _ => global.context.iter().flat_map(|names| split_list(names)).collect(),
    };
    let mut chosen: Vec<ServerContext> = Vec::new();
    for word in words.into_iter().map(str::trim).filter(|word| !word.is_empty()) {
        for context in find(&contexts, word)? {
            if chosen.iter().all(|known| known.name != context.name) {
                chosen.push(file.usable(context)?);
            }
        }
    }
    match chosen.is_empty() {
        true => Err(Error::usage("no context is named", names(&contexts))),
        false => Ok(Some(chosen)),
    }
}

/// Refuses two contexts of one server, which would get a change twice.
pub fn refuse_one_server_twice(contexts: &[ServerContext]) -> Result<(), Error> {
    let endpoint = |context: &ServerContext| {
        let prefix = context.api_prefix.as_deref().unwrap_or(DEFAULT_PREFIX);
        Endpoint::parse(&context.url, prefix).ok().map(|(endpoint, _)| endpoint)
    };
    let endpoints: Vec<Option<Endpoint>> = contexts.iter().map(endpoint).collect();
    for (at, context) in contexts.iter().enumerate() {
        let is_same = |other: &usize| match (&endpoints[at], &endpoints[*other]) {
            (Some(one), Some(other)) => one.is_same_server(other),
            _ => context.url == contexts[*other].url,
        };
        if let Some(other) = (0..at).find(is_same) {
            let url =
                endpoints[other].as_ref().map_or_else(|| without_userinfo(&context.url), ToString::to_string);
            let names = [&contexts[other].name, &context.name];
            let message = format!("the contexts `{}` and `{}` are one server: {url}", names[0], names[1]);
            return Err(Error::usage(message, "name one of them; nothing was sent"));
        }
    }
    Ok(())
}

/// True if the options and the environment name several contexts.
pub fn several_chosen(global: &GlobalArgs) -> bool {
    match global.chosen.kind {
        TargetKind::Group => true,
        TargetKind::Context(_) => {
            global.context.as_ref().is_some_and(|names| names.contains([',', '*', '[', '{']))
        }
        _ => false,
    }
}

fn by_name(contexts: &Contexts, pattern: &str) -> Result<Vec<ServerContext>, Error> {
    let hint = "write it like `edge-*`, `edge-[00-39]` or `edge-{a,c}`";
    let words = alternatives(pattern).map_err(|why| Error::usage(why, hint))?;
    let is_there =
        |glob: &&String| contexts.list.iter().any(|context| Segment::glob_matches(glob, &context.name));
    let mut missing: Vec<&str> = Vec::new();
    for Alternative { written, names } in &words {
        // `*` fits what is there; a name that is written out, or counted in a range, is meant.
        match written.contains('*') {
            true if names.iter().any(|glob| is_there(&glob)) => {}
            true => missing.push(written),
            false => missing.extend(names.iter().filter(|name| !is_there(name)).map(String::as_str)),
        }
    }
    if !missing.is_empty() {
        return Err(not_there(&missing, contexts));
    }
    let globs: Vec<&String> = words.iter().flat_map(|word| &word.names).collect();
    let is_meant =
        |context: &&ServerContext| globs.iter().any(|glob| Segment::glob_matches(glob, &context.name));
    Ok(contexts.list.iter().filter(is_meant).cloned().collect())
}

/// The error of names that no context has.
fn not_there(missing: &[&str], contexts: &Contexts) -> Error {
    let plural = if missing.len() == 1 { "" } else { "s" };
    let message = format!("no context has the name{plural} {}", quoted(missing));
    let near = nearest(missing[0], contexts.list.iter().map(|context| &*context.name));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Error::no_contexts(message, format!("{near}{}", names(contexts)))
}

fn of_group(contexts: &Contexts, group: &str) -> Result<Vec<ServerContext>, Error> {
    let is_in = |context: &&ServerContext| context.groups.iter().any(|name| name == group);
    let found: Vec<ServerContext> = contexts.list.iter().filter(is_in).cloned().collect();
    if found.is_empty() {
        let mut groups: Vec<&str> =
            contexts.list.iter().flat_map(|c| &c.groups).map(String::as_str).collect();
        groups.sort_unstable();
        groups.dedup();
        let message = format!("no context is in the group `{group}`");
        return Err(Error::no_contexts(message, there_are("groups", &groups)));
    }
    Ok(found)
}

fn names(contexts: &Contexts) -> String {
    there_are("contexts", &contexts.list.iter().map(|context| &*context.name).collect::<Vec<_>>())
}

fn there_are(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("there are no {what}; `mediactl context add` adds a context"),
        names => format!("there are the {what} {}", in_ranges(names)),
    }
}

//! Contexts: the servers of a user by their names, with what it takes to reach them.
//!
//! They stand in a file of the user, in the syntax of configurations. It is refused where other users may have written it,
//! and it is changed by the engine, so that comments stay. `password` runs the command that prints a password.

mod password;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::cli::args::global::{GlobalArgs, MAX_TIMEOUT, TargetKind};
use crate::cli::fleet::names::in_ranges;
use crate::cli::input;
use crate::cli::ui::waiting;
use crate::engine::{ChangeOptions, Engine, Guard, Hooks, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::http::api::{DEFAULT_PREFIX, Fingerprint};
use crate::http::client::{Endpoint, without_userinfo};
use crate::store::file::read_limited;
use mediaconf::{Document, Entry, Fault, LineIndex, Request, Schema, Segment};
pub use password::password;

/// The file below the folder of the user's configurations.
const FILE: &str = "mediactl/contexts.conf";

/// Only the user may read the file: a URL may contain a password.
const FILE_MODE: u32 = 0o600;

/// The same for its folder.
const FOLDER_MODE: u32 = 0o700;

/// The rights of group and others.
const OTHERS: u32 = 0o077;

/// A server that the user has given a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerContext {
    pub name: String,
    /// The URL of a server, or of a configuration in etcd; it may contain a login and a password.
    pub url: String,
    pub login: Option<String>,
    /// A shell command whose first line is the password.
    pub password_command: Option<String>,
    /// The certificate authorities that are trusted, in PEM.
    pub cacert: Option<PathBuf>,
    /// The certificate that is shown to etcd, and its private key, in PEM.
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// The one certificate that is trusted.
    pub fingerprint: Option<Fingerprint>,
    /// The path of the API.
    pub api_prefix: Option<String>,
    /// The longest time for a request, in seconds.
    pub timeout: Option<u64>,
    pub groups: Vec<String>,
    /// True if every change is asked about.
    pub is_protected: bool,
}

/// All contexts of a user, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contexts {
    pub list: Vec<ServerContext>,
    /// The name of the context that is used where nothing names a target.
    pub current: Option<String>,
}

impl Contexts {
    pub fn get(&self, name: &str) -> Option<&ServerContext> {
        self.list.iter().find(|context| context.name == name)
    }

    /// Reads the contexts in a text without syntax errors; `folder` is where relative paths start. Where a
    /// setting stands twice, the last one counts.
    fn read(document: &Document, folder: &Path) -> Result<Self, Vec<Fault>> {
        let lines = LineIndex::new(document.text());
        let line_of = |entry: Entry<'_>| lines.position(entry.span().start).line;
        let (mut contexts, mut faults) = (Self::default(), Vec::new());
        let mut fault = |entry, message| {
            faults.push(Fault { line: Some(line_of(entry)), ..Fault::plain(message) });
        };
        for entry in document.entries() {
            match (&*entry.keyword(), &arguments(entry)[..]) {
                ("context", [name]) if entry.is_block() => {
                    if contexts.get(name).is_some() {
                        fault(entry, format!("context `{name}` is defined twice"));
                    }
                    let mut context = ServerContext { name: name.clone(), ..ServerContext::default() };
                    for setting in entry.children() {
                        if let Err(message) = context.set(setting, folder) {
                            fault(setting, message);
                        }
                    }
                    if context.url.is_empty() {
                        fault(entry, format!("context `{name}` has no `url`"));
                    }
                    contexts.list.push(context);
                }
                ("context", _) => fault(entry, "expected `context NAME { … }`".to_owned()),
                ("current", [name]) => contexts.current = Some(name.clone()),
                ("current", _) => fault(entry, "expected `current NAME;`".to_owned()),
                // A stray `;` is only a warning of the syntax.
                ("", []) => {}
                (keyword, _) => fault(entry, format!("unknown directive `{keyword}`")),
            }
        }
        if faults.is_empty() { Ok(contexts) } else { Err(faults) }
    }
}

impl ServerContext {
    fn set(&mut self, setting: Entry<'_>, folder: &Path) -> Result<(), String> {
        let (keyword, arguments) = (setting.keyword(), arguments(setting));
        let one = || match &arguments[..] {
            [word] if !setting.is_block() => Ok(word.clone()),
            _ => Err(format!("`{keyword}` takes one value; quote one that contains blanks")),
        };
        let file = || one().map(|word| Some(folder.join(word)));
        match &*keyword {
            "url" => self.url = one()?,
            "login" => self.login = Some(one()?),
            "password_command" => self.password_command = Some(one()?),
            "api_prefix" => self.api_prefix = Some(one()?),
            "cacert" => self.cacert = file()?,
            "cert" => self.cert = file()?,
            "key" => self.key = file()?,
            "fingerprint" => self.fingerprint = Some(parsed(&keyword, &one()?)?),
            "timeout" => {
                self.timeout = one()?.parse().ok().filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds));
                let message = || format!("`timeout` is a number of seconds, from 1 to {MAX_TIMEOUT}");
                self.timeout.ok_or_else(message)?;
            }
            "group" if !arguments.is_empty() => self.groups.extend(arguments),
            "group" => return Err("`group` takes a name".to_owned()),
            "protected" if arguments.is_empty() => self.is_protected = true,
            "protected" => match &*one()? {
                "true" | "on" => self.is_protected = true,
                "false" | "off" => self.is_protected = false,
                _ => return Err("`protected` is `true` or `false`".to_owned()),
            },
            "" => {}
            _ => return Err(format!("unknown setting `{keyword}`")),
        }
        Ok(())
    }
}

fn arguments(entry: Entry<'_>) -> Vec<String> {
    entry.arguments().map(|word| word.value().into_owned()).collect()
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(keyword: &str, word: &str) -> Result<T, String> {
    word.parse().map_err(|error| format!("`{keyword}`: {error}"))
}

/// The file with the contexts of the user, which need not exist.
#[derive(Debug)]
pub struct ContextsFile {
    pub path: PathBuf,
}

impl ContextsFile {
    /// The file of the user who runs this program.
    pub fn of_user() -> Result<Self, Error> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
        let path = config.map(|config| config.join(FILE));
        let hint = "set HOME, or XDG_CONFIG_HOME to a folder";
        Ok(Self { path: path.ok_or_else(|| Error::usage("there is no place for contexts", hint))? })
    }

    /// Reads all contexts; a missing file has none.
    pub fn load(&self) -> Result<Contexts, Error> {
        let Some(snapshot) = self.snapshot()? else { return Ok(Contexts::default()) };
        let name = self.path.display().to_string();
        if !snapshot.is_valid() {
            return Err(Error::broken_text(&name, snapshot));
        }
        Contexts::read(snapshot.document(), self.folder()).map_err(|faults| {
            Error::bad_contexts(faults.into_iter().map(|fault| Fault { file: Some(name.clone()), ..fault }))
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Reads the text; `None` if there is no file. A file that others may read or write is refused: its commands are run,
    /// and its URLs get passwords.
    pub fn snapshot(&self) -> Result<Option<Arc<Snapshot>>, Error> {
        let failed = |error| Error::input_failed(&self.path, error);
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        let found = file.metadata().map_err(failed)?;
        let is_ours = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
        if !is_ours || found.mode() & OTHERS != 0 {
            let path = self.path.display();
            let message = format!("other users may read or write `{path}`, or it belongs to one of them");
            let hint = format!("its commands would run as you: `chmod 600 {path}`, and it has to be yours");
            return Err(Error::new(ErrorKind::Denied, message).hint(hint));
        }
        let bytes = read_limited(file, found.len(), &self.path, failed)?;
        Ok(Some(Arc::new(Snapshot::from_bytes(bytes))))
    }

    /// Merges a patch into the file, which is made where it is missing.
    pub fn change(&self, patch: Value, by: String) -> Result<(), Error> {
        let not_made = |error| Error::not_made(&self.path, error);
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(self.folder()).map_err(not_made)?;
        let is_there = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        let made = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&self.path);
        made.map(drop).or_else(|error| if is_there(&error) { Ok(()) } else { Err(not_made(error)) })?;
        let engine = Engine::new(input::store(&self.path)?, Hooks::default(), waiting);
        // The directives of this file are not those of a media server.
        let accepted = vec![Guard::NearMiss];
        engine.make(
            &Request::from(patch).into(),
            &ChangeOptions { by, accepted, ..ChangeOptions::default() },
        )?;
        Ok(())
    }
}

/// The context that the options, the environment or the user's own choice name; `None` if the target is
/// not a context.
pub fn chosen(global: &GlobalArgs) -> Result<Option<ServerContext>, Error> {
    let (contexts, name) = match (global.chosen.kind, &global.context) {
        (TargetKind::Context(_), Some(name)) => (ContextsFile::of_user()?.load()?, Some(name.clone())),
        (TargetKind::Unnamed, _) => {
            let Ok(file) = ContextsFile::of_user() else { return Ok(None) };
            let contexts = file.load()?;
            let current = contexts.current.clone();
            (contexts, current)
        }
        _ => return Ok(None),
    };
    name.map(|name| contexts.find(&name).cloned()).transpose()
}

/// True if the options and the environment name several contexts.
pub fn several_chosen(global: &GlobalArgs) -> bool {
    match (global.chosen.kind, &global.context) {
        (TargetKind::Group, _) => true,
        (TargetKind::Context(_), Some(names)) => names.contains([',', '*']),
        _ => false,
    }
}

/// The contexts that a command works on, if it names several: each once, in the order of the names, and
/// those of a pattern or a group in the order of the file. `None` if it names one target at most.
///
/// # Errors
/// `Usage` for a name that is none, and for a pattern or a group without contexts.
pub fn several(global: &GlobalArgs) -> Result<Option<Vec<ServerContext>>, Error> {
    if !several_chosen(global) {
        return Ok(None);
    }
    let contexts = ContextsFile::of_user()?.load()?;
    let mut found = Vec::new();
    match global.chosen.kind {
        TargetKind::Group => {
            for group in global.group.iter().map(|group| group.trim()).filter(|group| !group.is_empty()) {
                found.extend(contexts.of_group(group)?);
            }
        }
        _ => {
            let names = global.context.iter().flat_map(|names| names.split(',')).map(str::trim);
            for pattern in names.filter(|name| !name.is_empty()) {
                found.extend(contexts.of_pattern(pattern)?);
            }
        }
    }
    if found.is_empty() {
        return Err(Error::usage("no context is named", there_are("contexts", &contexts.names())));
    }
    let mut known = HashSet::new();
    found.retain(|context| known.insert(&context.name));
    Ok(Some(found.into_iter().cloned().collect()))
}

impl Contexts {
    fn names(&self) -> Vec<&str> {
        self.list.iter().map(|context| &*context.name).collect()
    }

    /// The context with a name.
    pub fn find(&self, name: &str) -> Result<&ServerContext, Error> {
        self.get(name).ok_or_else(|| self.lacks(name))
    }

    /// The error for a name or a pattern that no context has.
    fn lacks(&self, name: &str) -> Error {
        let names = self.names();
        let near = Schema::nearest(name, names.iter().copied());
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        Error::new(ErrorKind::NotFound, format!("there is no context `{name}`"))
            .hint(format!("{near}{}", there_are("contexts", &names)))
    }

    fn of_pattern(&self, pattern: &str) -> Result<Vec<&ServerContext>, Error> {
        let is_meant = |context: &&ServerContext| Segment::glob_matches(pattern, &context.name);
        let found: Vec<&ServerContext> = self.list.iter().filter(is_meant).collect();
        if found.is_empty() { Err(self.lacks(pattern)) } else { Ok(found) }
    }

    fn of_group(&self, group: &str) -> Result<Vec<&ServerContext>, Error> {
        let is_in = |context: &&ServerContext| context.groups.iter().any(|name| name == group);
        let found: Vec<&ServerContext> = self.list.iter().filter(is_in).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let groups: BTreeSet<&str> =
            self.list.iter().flat_map(|context| &context.groups).map(String::as_str).collect();
        let message = format!("no context is in the group `{group}`");
        let hint = there_are("groups", &groups.into_iter().collect::<Vec<_>>());
        Err(Error::new(ErrorKind::NotFound, message).hint(hint))
    }
}

fn there_are(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("there are no {what}; `mediactl context add` adds a context"),
        names => format!("there are the {what} {}", in_ranges(names)),
    }
}

/// Refuses two contexts of one server, which would get a change twice.
pub fn refuse_one_server_twice(contexts: &[ServerContext]) -> Result<(), Error> {
    let mut known = HashMap::new();
    for ServerContext { name, url, api_prefix, .. } in contexts {
        let endpoint = Endpoint::parse(url, api_prefix.as_deref().unwrap_or(DEFAULT_PREFIX));
        let server = endpoint.map_or_else(|_| url.clone(), |(endpoint, _)| endpoint.server());
        if let Some(other) = known.insert(server, name) {
            let url = without_userinfo(url);
            let message = format!("the contexts `{other}` and `{name}` are one server: {url}");
            return Err(Error::usage(message, "name one of them; nothing was sent"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Contexts, Vec<(usize, String)>> {
        let read = Contexts::read(&Document::parse(text), Path::new("/home/olga"));
        read.map_err(|faults| {
            faults.into_iter().map(|fault| (fault.line.unwrap_or_default(), fault.message)).collect()
        })
    }

    #[test]
    fn a_context_has_what_stands_in_its_block() {
        let pin = "sha256:".to_owned() + &"0f".repeat(32);
        let text = format!(
            "# mine\ncurrent prod;\ncontext prod {{\n  url https://media.example; login 007;\n  \
             password_command \"pass show media/prod\"; cacert ca.pem; fingerprint {pin};\n  \
             api_prefix /api; timeout 20; group edge eu; group all; protected true;\n}}\ncontext \"a b\" {{ url http://h; protected off; }}"
        );
        let prod = ServerContext {
            name: "prod".to_owned(),
            url: "https://media.example".to_owned(),
            login: Some("007".to_owned()),
            password_command: Some("pass show media/prod".to_owned()),
            cacert: Some("/home/olga/ca.pem".into()),
            cert: None,
            key: None,
            fingerprint: pin.parse().ok(),
            api_prefix: Some("/api".to_owned()),
            timeout: Some(20),
            groups: ["edge", "eu", "all"].map(str::to_owned).to_vec(),
            is_protected: true,
        };
        let plain =
            ServerContext { name: "a b".to_owned(), url: "http://h".to_owned(), ..ServerContext::default() };
        let contexts = Contexts { list: vec![prod, plain], current: Some("prod".to_owned()) };
        assert_eq!(read(&text), Ok(contexts));
        assert_eq!(read(""), Ok(Contexts::default()));
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        for (text, line, message) in [
            ("\ncontext a { login x; }", 2, "context `a` has no `url`"),
            ("context a { url h; }\ncontext a { url h; }", 2, "context `a` is defined twice"),
            ("context a;", 1, "expected `context NAME { … }`"),
            ("context { a { url h; } }", 1, "expected `context NAME { … }`"),
            ("current;", 1, "expected `current NAME;`"),
            ("stream a;", 1, "unknown directive `stream`"),
            ("context a { url h;\n passwrd x; }", 2, "unknown setting `passwrd`"),
            ("context a { url h; group; }", 1, "`group` takes a name"),
            ("context a { url h; timeout 0; }", 1, "`timeout` is a number of seconds, from 1 to 86400"),
            ("context a { url h; protected maybe; }", 1, "`protected` is `true` or `false`"),
            (
                "context a { url h; password_command pass show x; }",
                1,
                "`password_command` takes one value; quote one that contains blanks",
            ),
            (
                "context a { url h; fingerprint md5:12; }",
                1,
                "`fingerprint`: a fingerprint is `sha256:` and 64 hexadecimal digits",
            ),
        ] {
            assert_eq!(read(text), Err(vec![(line, message.to_owned())]), "{text}");
        }
    }
}

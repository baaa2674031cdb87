//! Contexts: the servers of a user by their names, with what it takes to reach them.
//!
//! They stand in a file of the user, in the syntax of configurations, and in an inventory, which a repository may hold. The
//! file of the user is refused where others may have written it; of such an inventory no command is run. Both are changed by
//! the engine, so that comments stay.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::num::NonZeroU32;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::geteuid;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::args::global::{GlobalArgs, TargetKind};
use crate::cli::fleet::names::in_ranges;
use crate::cli::input;
use crate::cli::local::folder_of_user;
use crate::cli::ui::waiting;
use crate::engine::{ChangeOptions, Engine, Guard, Hooks, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::http::client::without_userinfo;
use crate::store::file::{read_limited, refuse_other_kinds};
use mediaconf::{Path as ValuePath, Request, Schema, Segment};

/// The file below the folder of the user's configurations.
const FILE: &str = "mediactl/contexts.conf";

/// Only the user may read the file: a URL may contain a password.
const FILE_MODE: u32 = 0o600;

/// The same for its folder.
const FOLDER_MODE: u32 = 0o700;

/// The mode of a new inventory.
const INVENTORY_MODE: u32 = 0o644;

/// The rights of group and others.
const OTHERS: u32 = 0o077;

/// Those to write.
const OTHERS_WRITE: u32 = 0o022;

/// In a folder with this bit each file is its owner's.
const STICKY: u32 = 0o1000;

/// A server that the user has given a name, as its block in the file has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerContext {
    #[serde(skip_deserializing)]
    pub name: String,
    /// The URL of a server, or of a configuration in etcd; it may contain a login and a password.
    #[serde(serialize_with = "without_password")]
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
    pub fingerprint: Option<String>,
    /// The path of the API.
    pub api_prefix: Option<String>,
    /// The longest time for a request, in seconds.
    pub timeout: Option<NonZeroU32>,
    #[serde(default, rename(deserialize = "group"))]
    pub groups: Vec<String>,
    /// If others may write the file, the command that takes this right from them.
    #[serde(skip)]
    pub mended_by: Option<String>,
}

fn without_password<S: Serializer>(url: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&without_userinfo(url))
}

/// All contexts of a user, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contexts {
    pub list: Vec<ServerContext>,
    /// The name of the context that is used where nothing names a target.
    pub current: Option<String>,
}

impl Contexts {
    /// The contexts of the inventory, if one is given, and those of the user with other names.
    pub fn known(global: &GlobalArgs) -> Result<Self, Error> {
        let own = ContextsFile::of_user().map_or_else(|_| Ok(Self::default()), |file| file.load())?;
        let Some(path) = &global.inventory else { return Ok(own) };
        path.metadata().map_err(|error| Error::input_failed(path, error))?;
        let mut all = ContextsFile { path: path.clone(), is_inventory: true }.load()?;
        if all.current.is_some() {
            let message = format!("`{}` says which context is in use", path.display());
            let hint = "take its line `current` out: `mediactl context use NAME` chooses one for you alone";
            return Err(Error::new(ErrorKind::BadConfig, message).hint(hint));
        }
        let is_other = |context: &ServerContext| all.get(&context.name).is_none();
        let others: Vec<_> = own.list.into_iter().filter(is_other).collect();
        all.list.extend(others);
        Ok(Self { current: own.current, ..all })
    }

    pub fn get(&self, name: &str) -> Option<&ServerContext> {
        self.list.iter().find(|context| context.name == name)
    }

    /// Reads the contexts of a file; `folder` is where relative paths start.
    fn read(mut config: Value, folder: &Path) -> Result<Self, String> {
        let current = config["current"].take();
        let mut contexts = Self { current: (!current.is_null()).then(|| word(&current)), ..Self::default() };
        let blocks = match config["context"].take() {
            Value::Object(blocks) => blocks,
            Value::Null => return Ok(contexts),
            _ => return Err("expected `context NAME { … }`, each name once".to_owned()),
        };
        for (name, mut settings) in blocks {
            for (key, value) in settings.as_object_mut().into_iter().flatten() {
                match (&**key, &*value) {
                    ("group", Value::Array(_)) => {}
                    ("group", one) => *value = json!([word(one)]),
                    // A login may have digits alone.
                    (_, Value::Number(_) | Value::Bool(_)) if key != "timeout" => *value = word(value).into(),
                    (_, Value::Array(_)) => {
                        return Err(format!(
                            "context `{name}`: `{key}` takes one word, in quotes if it has blanks"
                        ));
                    }
                    _ => {}
                }
            }
            let context: ServerContext =
                serde_json::from_value(settings).map_err(|error| format!("context `{name}`: {error}"))?;
            let file = |path: Option<PathBuf>| path.map(|path| folder.join(path));
            let [cacert, cert, key] = [context.cacert, context.cert, context.key].map(file);
            contexts.list.push(ServerContext { name, cacert, cert, key, ..context });
        }
        Ok(contexts)
    }

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

/// A value that is one word in the file.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the command that takes from other users the right to write an opened file, a link to it, or a folder above them;
/// `None` if they have no such right.
fn mended_by(path: &Path, opened: &Metadata) -> io::Result<Option<String>> {
    let (real, given) = match path.canonicalize() {
        // A pipe without a name, as in `--inventory <(…)`, is nobody else's.
        Err(_) if opened.file_type().is_fifo() => return Ok(None),
        real => (real?, std::path::absolute(path)?),
    };
    let (folder, own) = (given.parent().unwrap_or(&given).canonicalize()?, geteuid().as_raw());
    for at in real.ancestors().chain([&*given]).chain(folder.ancestors()) {
        let (found, shown) = (at.symlink_metadata()?, at.display());
        if ![0, own].contains(&found.uid()) {
            return Ok(Some(format!("chown -h {own} '{shown}'")));
        }
        let is_kept = found.is_symlink() || found.is_dir() && found.mode() & STICKY != 0;
        if found.mode() & OTHERS_WRITE != 0 && !is_kept {
            return Ok(Some(format!("chmod go-w '{shown}'")));
        }
    }
    // A link on the way may have led elsewhere when the file was opened.
    let now = real.metadata()?;
    let is_same = (now.dev(), now.ino()) == (opened.dev(), opened.ino());
    if is_same { Ok(None) } else { Err(io::Error::other("it was replaced meanwhile")) }
}

/// A file with contexts, which need not exist.
#[derive(Debug)]
pub struct ContextsFile {
    pub path: PathBuf,
    /// True if others may read it.
    pub is_inventory: bool,
}

impl ContextsFile {
    /// The file of the user who runs this program.
    pub fn of_user() -> Result<Self, Error> {
        let hint = "set HOME, or XDG_CONFIG_HOME to a folder";
        let folder = folder_of_user("XDG_CONFIG_HOME", ".config");
        let folder = folder.ok_or_else(|| Error::usage("there is no place for contexts", hint))?;
        Ok(Self { path: folder.join(FILE), is_inventory: false })
    }

    /// The file that gets new contexts.
    pub fn of(global: &GlobalArgs) -> Result<Self, Error> {
        let inventory = |path: &PathBuf| Ok(Self { path: path.clone(), is_inventory: true });
        global.inventory.as_ref().map_or_else(Self::of_user, inventory)
    }

    /// Reads all contexts; a missing file has none. A file of the user that others may read or write is refused: its commands
    /// are run, and its URLs get passwords.
    pub fn load(&self) -> Result<Contexts, Error> {
        let failed = |error| Error::input_failed(&self.path, error);
        // A pipe with a name may never get its other end; that of `--inventory <(…)` has no name.
        if let Ok(found) = self.path.canonicalize().and_then(fs::metadata) {
            refuse_other_kinds(&self.path, &found)?;
        }
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contexts::default()),
            opened => opened.map_err(failed)?,
        };
        let (found, name) = (file.metadata().map_err(failed)?, self.path.display().to_string());
        let is_ours = [0, geteuid().as_raw()].contains(&found.uid());
        if !self.is_inventory && (!is_ours || found.mode() & OTHERS != 0) {
            let message = format!("other users may read or write `{name}`, or it belongs to one of them");
            let chmod = format!("chmod 600 {}", ValuePath::in_shell_quotes(&name));
            let hint = format!("its commands would run as you: `{chmod}`, and it has to be yours");
            return Err(Error::new(ErrorKind::Denied, message).hint(hint));
        }
        let bytes = read_limited(file, found.len(), &self.path, failed)?;
        let snapshot = Arc::new(Snapshot::from_bytes(bytes));
        Error::refuse_broken(&name, &snapshot)?;
        let mut contexts = Contexts::read(snapshot.config().to_json(), self.folder())
            .map_err(|fault| Error::new(ErrorKind::BadConfig, format!("`{name}`: {fault}")))?;
        let mended_by = if self.is_inventory { mended_by(&self.path, &found).map_err(failed)? } else { None };
        contexts.list.iter_mut().for_each(|context| context.mended_by.clone_from(&mended_by));
        Ok(contexts)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Merges a patch into the file, which is made where it is missing.
    pub fn change(&self, patch: Value, by: String) -> Result<(), Error> {
        let not_made = |error| Error::not_made(&self.path, error);
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(self.folder()).map_err(not_made)?;
        let is_there = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        let mode = if self.is_inventory { INVENTORY_MODE } else { FILE_MODE };
        let made = OpenOptions::new().write(true).create_new(true).mode(mode).open(&self.path);
        made.map(drop).or_else(|error| if is_there(&error) { Ok(()) } else { Err(not_made(error)) })?;
        let engine = Engine::new(input::store(&self.path)?, Hooks::default(), waiting);
        // The directives of this file are not those of a media server.
        let accepted = vec![Guard::NearMiss];
        let options = ChangeOptions { by, accepted, ..ChangeOptions::default() };
        engine.make(&Request::from(patch).into(), &options).map(drop)
    }
}

/// The context that the options, the environment or the user's own choice name; `None` if the target is
/// not a context.
pub fn chosen(global: &GlobalArgs) -> Result<Option<ServerContext>, Error> {
    let name = match (global.chosen.kind, &global.context) {
        (TargetKind::Context(_), Some(name)) => Some(name),
        (TargetKind::Unnamed, _) => None,
        _ => return Ok(None),
    };
    let contexts = Contexts::known(global)?;
    let found = name.or(contexts.current.as_ref()).map(|name| contexts.find(name).cloned());
    found.transpose().map_err(|error| match name {
        Some(_) => error,
        None => Error { message: format!("{}, which is in use", error.message), ..error }
            .hint("`mediactl context use NAME` chooses another one, and so does `--conf FILE`"),
    })
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
    let contexts = Contexts::known(global)?;
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

fn there_are(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("there are no {what}; `mediactl context add` adds a context"),
        names => format!("there are the {what} {}", in_ranges(names)),
    }
}

#[cfg(test)]
mod tests {
    use mediaconf::{Config, Document};

    use super::*;

    fn read(text: &str) -> Result<Contexts, String> {
        Contexts::read(Config::new(&Document::parse(text)).to_json(), Path::new("/home/olga"))
    }

    #[test]
    fn a_context_has_what_stands_in_its_block() {
        let text = "# mine\ncurrent prod;\ncontext prod {\n  url https://media.example; login 7;\n  \
             password_command \"pass show media/prod\"; cacert ca.pem; fingerprint sha256:0f;\n  \
             api_prefix /api; timeout 20; group edge eu;\n}\ncontext \"a b\" { url http://h; group all; }";
        let prod = ServerContext {
            name: "prod".to_owned(),
            url: "https://media.example".to_owned(),
            login: Some("7".to_owned()),
            password_command: Some("pass show media/prod".to_owned()),
            cacert: Some("/home/olga/ca.pem".into()),
            fingerprint: Some("sha256:0f".to_owned()),
            api_prefix: Some("/api".to_owned()),
            timeout: NonZeroU32::new(20),
            groups: ["edge", "eu"].map(str::to_owned).to_vec(),
            ..ServerContext::default()
        };
        let plain = ServerContext {
            name: "a b".to_owned(),
            url: "http://h".to_owned(),
            groups: vec!["all".to_owned()],
            ..ServerContext::default()
        };
        let contexts = Contexts { list: vec![prod, plain], current: Some("prod".to_owned()) };
        assert_eq!(read(text), Ok(contexts));
        assert_eq!(read(""), Ok(Contexts::default()));
    }

    #[test]
    fn a_fault_is_told_with_its_context() {
        for (text, told) in [
            ("context a { login x; }", "context `a`: missing field `url`"),
            ("context a;", "expected `context NAME { … }`"),
            (
                "context a { url http://h; } context a { url http://i; }",
                "expected `context NAME { … }`, each name once",
            ),
            ("context a { url h;\n passwrd x; }", "context `a`: unknown field `passwrd`, expected one of"),
            ("context a { url h; timeout 0; }", "context `a`: invalid value: integer `0`"),
            (
                "context a { url h; password_command pass show x; }",
                "context `a`: `password_command` takes one",
            ),
        ] {
            assert!(read(text).is_err_and(|fault| fault.starts_with(told)), "{text}: {:?}", read(text));
        }
    }
}

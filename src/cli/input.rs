//! Reads what arguments name: files, standard input, paths of values, and edits (`--set`, `--unset` and the like).

use std::fs::File;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use clap::ArgMatches;

use crate::cli::prompts;
use crate::engine::{Snapshot, not_there};
use crate::error::{Error, ErrorKind};
use crate::http::client::without_userinfo;
use crate::store::Store;
use crate::store::file::{ConfFile, read_limited};
use mediaconf::{
    AssignedValue, Assignment, Condition, Fault, FaultKind, Masker, Path as ValuePath, Substitution,
};

/// The argument for standard input.
pub const STDIN: &str = "-";

/// The name of standard input in messages.
pub const STDIN_NAME: &str = "<stdin>";

/// The name of a file that an argument names, in messages.
pub fn name(file: &Path) -> String {
    if file.as_os_str() == STDIN { STDIN_NAME.to_owned() } else { file.display().to_string() }
}

/// The text of a file that has no errors.
pub fn valid(file: &Path, text: Arc<Snapshot>) -> Result<Arc<Snapshot>, Error> {
    Error::refuse_broken(&name(file), &text).map(|()| text)
}

/// Reads a configuration: from a file, from the pipe of a shell's `<(command)`, or from standard input.
pub fn snapshot(path: &Path) -> Result<Arc<Snapshot>, Error> {
    let is_pipe = || std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
    let bytes = match path.as_os_str() == STDIN || is_pipe() {
        true => read(path)?.into(),
        false => {
            refuse_url(path)?;
            let loaded = ConfFile::resolve(path).and_then(|file| file.load());
            // The advice on a configuration that is not there is for the one that the command works on.
            loaded.map_err(not_there)?.bytes
        }
    };
    Ok(Arc::new(Snapshot::from_bytes(bytes)))
}

/// The store of the configuration file at `path`.
pub fn store(path: &Path) -> Result<Arc<ConfFile>, Error> {
    Ok(Arc::new(ConfFile::resolve(path)?))
}

fn refuse_url(path: &Path) -> Result<(), Error> {
    path.to_str().and_then(misplaced_url).map_or(Ok(()), Err)
}

/// Reads the bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    refuse_url(path)?;
    let failed = |error| Error::input_failed(path, error);
    if path.as_os_str() == STDIN {
        return read_limited(std::io::stdin().lock(), 0, Path::new(STDIN_NAME), failed);
    }
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    read_limited(file, size, path, failed)
}

/// Parses the path of a value.
pub fn value_path(path: &str) -> Result<ValuePath, Error> {
    let parse = || ValuePath::parse(path).map_err(|fault| of_path(path, fault));
    misplaced_url(path).map_or_else(parse, Err)
}

/// Splits `PATH=VALUE`.
pub fn split(text: &str) -> Result<(ValuePath, Option<&str>), Error> {
    ValuePath::split_assignment(text).map_err(|fault| of_path(text, fault))
}

/// The error of a path. What follows a `=` may be a secret and is not shown.
fn of_path(text: &str, Fault { message, hint, .. }: Fault) -> Error {
    let path = text.split('=').next().unwrap_or(text);
    Error { hint, ..Error::new(ErrorKind::Invalid, format!("`{path}`: {message}")) }
}

/// Returns the edits of these options, each with its values, in the order of the command line.
pub fn edits(matches: &ArgMatches, options: &[(&str, &[String])]) -> Result<Vec<Assignment>, Error> {
    let mut found = Vec::new();
    for &(option, given) in options {
        let words = if option == "replace" { 2 } else { 1 };
        let indices = matches.indices_of(option).into_iter().flatten().step_by(words);
        for (index, words) in indices.zip(given.chunks(words)) {
            found.push((index, edit(option, words)?));
        }
    }
    found.sort_by_key(|(index, _)| *index);
    Ok(found.into_iter().map(|(_, edit)| edit).collect())
}

fn edit(option: &str, words: &[String]) -> Result<Assignment, Error> {
    let text = &*words[0];
    let (path, value) = match option {
        "unset" | "replace" => (ValuePath::parse(text).map_err(|fault| of_path(text, fault))?, None),
        _ => split(text)?,
    };
    let value = match (option, value) {
        ("unset", _) => AssignedValue::Remove,
        ("replace", _) => AssignedValue::Replace(substitution(&format!("--replace {path}"), &words[1])?),
        ("set_string", Some(value)) => AssignedValue::Text(value.to_owned()),
        (_, Some(value)) => AssignedValue::Typed(value.to_owned()),
        // It is asked for, so that a secret is not seen in the list of processes.
        (_, None) => {
            let asked = prompts::new_secret(text)?;
            let hint = "write PATH=VALUE; on a terminal the value is asked for";
            AssignedValue::Text(asked.ok_or_else(|| {
                Error::usage(format!("`{}` has no value", Masker::Opaque.value(text)), hint)
            })?)
        }
    };
    Ok(Assignment { path, value })
}

/// Parses what replaces a part of a text; `option` is said to be wrong if it is.
pub fn substitution(option: &str, substitution: &str) -> Result<Substitution, Error> {
    Substitution::parse(substitution).map_err(|fault| of_argument(option, fault))
}

/// Parses the conditions of `--where`. Their values may be secrets, and are not shown.
pub fn conditions(texts: &[String], accepts_near_miss: bool) -> Result<Vec<Condition>, Error> {
    let parsed = texts.iter().map(|text| {
        let mut condition = Condition::parse(text)?;
        condition.accepts_near_miss = accepts_near_miss;
        Ok(condition)
    });
    parsed.collect::<Result<_, _>>().map_err(|fault| of_argument("--where", fault))
}

/// The error of an argument of an option that is no condition or no substitution.
fn of_argument(option: &str, Fault { kind, message, hint, .. }: Fault) -> Error {
    let kind = if kind == FaultKind::Path { ErrorKind::Invalid } else { ErrorKind::Usage };
    Error::new(kind, format!("`{option}`: {message}")).hint(hint.unwrap_or_default())
}

/// True if an argument is a URL, and not a file.
pub fn is_url(argument: &str) -> bool {
    argument.starts_with("http://") || argument.starts_with("https://")
}

/// Returns the error for a URL where none can be. Its password is not shown.
pub fn misplaced_url(argument: &str) -> Option<Error> {
    let shown = || format!("unexpected URL `{}`", without_userinfo(argument));
    is_url(argument).then(|| Error::usage(shown(), "use `--url URL` for a server"))
}

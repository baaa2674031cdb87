//! Reads the inputs that arguments name: files, standard input, paths of values.

use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use crate::engine::Snapshot;
use crate::error::Error;
use crate::http::client::without_userinfo;
use crate::store::Store;
use crate::store::file::ConfFile;
use mediaconf::{Condition, Fault, FaultKind, Path as ValuePath};

/// The argument for standard input.
pub const STDIN: &str = "-";

/// Reads a configuration: from a file, from the pipe of a shell's `<(command)`, or from standard input.
pub fn snapshot(path: &Path) -> Result<Arc<Snapshot>, Error> {
    refuse_url(path)?;
    if path.as_os_str() == STDIN {
        return Ok(Arc::new(Snapshot::from_bytes(read(path)?)));
    }
    match ConfFile::resolve(path).and_then(|file| file.load()) {
        Err(_) if std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) => {
            Ok(Arc::new(Snapshot::from_bytes(read(path)?)))
        }
        loaded => Ok(Arc::new(Snapshot::from_bytes(loaded?.bytes))),
    }
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
    let mut bytes = Vec::new();
    if path.as_os_str() == STDIN {
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Error::input_failed(path, error))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| Error::input_failed(path, error))
}

/// Parses the path of a value.
pub fn value_path(path: &str) -> Result<ValuePath, Error> {
    if let Some(error) = misplaced_url(path) {
        return Err(error);
    }
    ValuePath::parse(path).map_err(|error| Error::bad_path(path, error))
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
pub fn of_argument(option: &str, Fault { kind, message, hint, .. }: Fault) -> Error {
    let (message, hint) = (format!("`{option}`: {message}"), hint.unwrap_or_default());
    match kind {
        FaultKind::Path => Error::bad_value(message, hint),
        _ => Error::usage(message, hint),
    }
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

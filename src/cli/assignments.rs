//! Reads the edits that options ask for: `--set`, `--unset` and the like.

use std::path::Path;

use clap::ArgMatches;

use crate::cli::input;
use crate::cli::prompts;
use crate::error::Error;
use mediaconf::{AssignedValue, Assignment, Fault, Path as ValuePath, Substitution};

/// The edits of a command line, each with its place there.
pub struct GivenEdits<'m> {
    matches: &'m ArgMatches,
    found: Vec<(usize, Assignment)>,
}

impl<'m> GivenEdits<'m> {
    /// The edits of these matches, empty at first.
    pub fn from_matches(matches: &'m ArgMatches) -> Self {
        Self { matches, found: Vec::new() }
    }

    /// Adds the edits of one option, which takes `N` values each time it is given.
    pub fn add<const N: usize>(
        &mut self,
        option: &str,
        given: &[String],
        read: &dyn Fn(&[String; N]) -> Result<Assignment, Error>,
    ) -> Result<(), Error> {
        let indices = self.matches.indices_of(option).into_iter().flatten().step_by(N);
        for (index, values) in indices.zip(given.as_chunks().0) {
            self.found.push((index, read(values)?));
        }
        Ok(())
    }

    /// Returns the edits in the order of the command line.
    pub fn in_order(mut self) -> Vec<Assignment> {
        self.found.sort_by_key(|(index, _)| *index);
        self.found.into_iter().map(|(_, assignment)| assignment).collect()
    }
}

/// Parses `PATH=VALUE`, or asks for the value of `PATH`.
pub fn set(text: &str, given: fn(String) -> AssignedValue) -> Result<Assignment, Error> {
    let (path, value) = split(text)?;
    let value = match value {
        Some(value) => given(value.to_owned()),
        None => AssignedValue::Text(ask_for_value(text)?),
    };
    Ok(Assignment { path, value })
}

/// Parses a path to remove.
pub fn unset(path: &str) -> Result<Assignment, Error> {
    Ok(Assignment { path: parsed(path, ValuePath::parse(path))?, value: AssignedValue::Remove })
}

/// Parses a path, and what to replace there.
pub fn replace(path: &str, substitution: &str) -> Result<Assignment, Error> {
    let path = parsed(path, ValuePath::parse(path))?;
    let by = substitution_of(&format!("--replace {path}"), substitution)?;
    Ok(Assignment { path, value: AssignedValue::Replace(by) })
}

/// Parses what replaces a part of a text; `option` is said to be wrong if it is.
pub fn substitution_of(option: &str, substitution: &str) -> Result<Substitution, Error> {
    Substitution::parse(substitution).map_err(|fault| input::of_argument(option, fault))
}

/// Asks for a value that was given without `=`, so that a secret is not seen in the list of processes.
fn ask_for_value(path: &str) -> Result<String, Error> {
    prompts::new_secret(path).map_err(Error::prompt_failed)?.ok_or_else(|| {
        Error::usage(
            format!("`{path}` has no value"),
            "write PATH=VALUE; on a terminal the value is asked for",
        )
    })
}

/// Parses `PATH=FILE`, and reads the file.
pub fn set_file(text: &str) -> Result<Assignment, Error> {
    let (path, Some(file)) = split(text)? else {
        return Err(Error::usage(
            format!("`{text}` names no file"),
            "write PATH=FILE, or PATH=- for standard input",
        ));
    };
    let bytes = input::read(Path::new(file))?;
    let contents = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        fault(text, format!("`{file}` is not UTF-8 at byte {at}"), None)
    })?;
    Ok(Assignment { path, value: AssignedValue::File(contents) })
}

/// Splits `PATH=VALUE`.
pub fn split(text: &str) -> Result<(ValuePath, Option<&str>), Error> {
    parsed(text, ValuePath::split_assignment(text))
}

fn parsed<T>(text: &str, result: Result<T, Fault>) -> Result<T, Error> {
    result.map_err(|error| fault(text, error.message, error.hint))
}

/// A fault of an edit. The value behind its path may be a secret and is not shown.
fn fault(text: &str, message: String, hint: Option<String>) -> Error {
    let path = text.split('=').next().unwrap_or(text).to_owned();
    Error::from(Fault { hint, ..Fault::of_path(format!("`{path}`: {message}")) })
}

//! `mediactl modify`

use std::path::Path;

use clap::ArgMatches;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::modify::ModifyArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::prompts;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::edit::assign::{AssignOptions, AssignedValue, Assignment};
use crate::edit::expect::Expectation;
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::patch;
use crate::edit::path::{Path as ValuePath, PathError, split_assignment};
use crate::edit::request::{ChangeRequest, Edits};
use crate::edit::substitution::{Substitution, SubstitutionError};
use crate::engine::{ChangeOptions, EngineError, Guard};

pub fn run(args: &ModifyArgs, matches: &ArgMatches, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut change = ChangeCommand::new(&args.changing, Verb::MODIFY);
    // `--create` also accepts a keyword that looks misspelt.
    change.options.accepted.extend(args.create.then_some(Guard::NearMiss));
    let request = request(args, matches, &change.options)?;
    change.run(global, ui, |service, options| service.modify(&request, options))
}

/// The change that the command line asks for.
fn request(
    args: &ModifyArgs,
    matches: &ArgMatches,
    options: &ChangeOptions,
) -> Result<ChangeRequest, CliError> {
    let expectations = args.expect.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
    let edits = match &args.file {
        Some(file) => Edits::Patch(patch::parse(&input::read(file)?).map_err(EngineError::from)?),
        None => Edits::Assignments {
            assignments: assignments(args, matches)?,
            conditions: input::conditions(&args.conditions)?,
            options: AssignOptions {
                create: args.create,
                ignore_missing: args.ignore_missing,
                one_word: options.accepts(&Guard::FormChange),
            },
        },
    };
    Ok(ChangeRequest { edits, expectations })
}

/// Parses the `PATH=VALUE` of a value that has to be there.
fn expectation(text: &str) -> Result<Expectation, CliError> {
    match split(text)? {
        (path, Some(value)) => Ok(Expectation { path, value: value.to_owned() }),
        (_, None) => Err(CliError::usage(
            format!("`{text}` has no expected value"),
            "write PATH=VALUE, or PATH=null for nothing",
        )),
    }
}

/// Parses all edits; they are in the order of the command line.
fn assignments(args: &ModifyArgs, matches: &ArgMatches) -> Result<Vec<Assignment>, CliError> {
    let mut found: Vec<(usize, Assignment)> = Vec::new();
    let mut collect = |id: &str, given: &[String], read: &dyn Fn(&str) -> Result<Assignment, CliError>| {
        let indices = matches.indices_of(id).into_iter().flatten();
        for (index, text) in indices.zip(given) {
            found.push((index, read(text)?));
        }
        Ok::<(), CliError>(())
    };
    collect("set", &args.set, &|text| set(text, AssignedValue::Typed))?;
    collect("set_string", &args.set_string, &|text| set(text, AssignedValue::Text))?;
    collect("set_file", &args.set_file, &set_file)?;
    collect("unset", &args.unset, &|text| {
        Ok(Assignment { path: parsed(text, ValuePath::parse(text))?, value: AssignedValue::Remove })
    })?;
    let indices = matches.indices_of("replace").into_iter().flatten().step_by(2);
    for (index, pair) in indices.zip(args.replace.chunks_exact(2)) {
        found.push((index, replace(&pair[0], &pair[1])?));
    }
    found.sort_by_key(|(index, _)| *index);
    Ok(found.into_iter().map(|(_, assignment)| assignment).collect())
}

fn set(text: &str, given: fn(String) -> AssignedValue) -> Result<Assignment, CliError> {
    let (path, value) = split(text)?;
    let value = match value {
        Some(value) => given(value.to_owned()),
        None => AssignedValue::Text(ask_for_value(text)?),
    };
    Ok(Assignment { path, value })
}

fn replace(path: &str, substitution: &str) -> Result<Assignment, CliError> {
    let path = parsed(path, ValuePath::parse(path))?;
    let value = match Substitution::parse(substitution) {
        Ok(substitution) => AssignedValue::Replace(substitution),
        Err(error) => {
            let message = format!("`--replace {path}`: {error}");
            return Err(match error {
                SubstitutionError::Regex(_) => {
                    CliError::bad_value(message, "without `r` at the end, it is text to the letter")
                }
                _ => CliError::usage(message, "such as `s/10.0.3./10.0.4./`"),
            });
        }
    };
    Ok(Assignment { path, value })
}

/// Asks for a value that was given without `=`, so that a secret is not seen in the list of processes.
fn ask_for_value(path: &str) -> Result<String, CliError> {
    prompts::new_secret(path).map_err(CliError::prompt_failed)?.ok_or_else(|| {
        CliError::usage(
            format!("`{path}` has no value"),
            "write PATH=VALUE; on a terminal the value is asked for",
        )
    })
}

fn set_file(text: &str) -> Result<Assignment, CliError> {
    let (path, Some(file)) = split(text)? else {
        return Err(CliError::usage(
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

fn split(text: &str) -> Result<(ValuePath, Option<&str>), CliError> {
    parsed(text, split_assignment(text))
}

fn parsed<T>(text: &str, result: Result<T, PathError>) -> Result<T, CliError> {
    result.map_err(|error| fault(text, error.to_string(), Some(error.hint().to_owned())))
}

/// A fault of an edit. The value behind its path may be a secret and is not shown.
fn fault(text: &str, message: String, hint: Option<String>) -> CliError {
    let path = text.split('=').next().unwrap_or(text).to_owned();
    EngineError::BadAssignments(vec![PathFault { path, misfit: Misfit { hint, ..Misfit::new(message) } }])
        .into()
}

//! `mediactl modify`

use std::path::Path;

use clap::ArgMatches;
use serde_json::Value;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::modify::{ModifyArgs, ModifyFormat};
use crate::cli::commands::change::{Printing, Verb, follow_up, with_guards};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::remote;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;
use crate::edit::assign::{AssignFault, AssignOptions, AssignedValue, Assignment, to_patch};
use crate::edit::config_lookup::{Current, LocalView};
use crate::edit::expect::{Expectation, unmet};
use crate::edit::misfit::MisfitKind;
use crate::edit::patch;
use crate::edit::path::{Path as ValuePath, PathError, Segment, split_assignment};
use crate::engine::{ChangeOptions, EngineError, Guard};
use crate::model::member::Members;
use crate::model::{Kind, Lens};

/// Runs the command.
pub fn run(args: &ModifyArgs, matches: &ArgMatches, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let wanted = Wanted::of(args, matches, ui)?;
    let target = target::resolve(global, (&args.changing).into(), ui)?;
    let (changing, json, name) = (&args.changing, args.output == ModifyFormat::Json, target.name(global));
    let printing = Printing { changing, global, ui, json, verb: Verb::CHANGE, target: name };
    let request = wanted.request(changing, args.create);
    match target {
        Target::Local(engine) => {
            changing.refuse_confirm()?;
            let change = with_guards(request, ui, |request| {
                Ok(engine.modify(request, &mut |members| wanted.patch(members))?)
            })?;
            printing.report(&change)
        }
        Target::Remote(mut server) => {
            let outcome = with_guards(request, ui, |request| remote::modify(&mut server, &wanted, request))?;
            let exit = remote::report(&outcome, &printing)?;
            follow_up(&server, &outcome, &printing)?;
            Ok(exit)
        }
    }
}

/// What the command line comes to on one configuration.
pub struct Evaluated {
    /// The merge patch.
    pub patch: Value,
    /// Whether it is right only for this configuration.
    pub depends_on_read: bool,
}

/// What the command line asks for.
pub struct Wanted {
    edits: Edits,
    /// What has to be there for it to be done.
    expectations: Vec<Expectation>,
}

enum Edits {
    /// A merge patch.
    Patch(Value),
    /// Edits, from which a patch is computed.
    Assignments {
        /// In the order of the command line.
        assignments: Vec<Assignment>,
        /// What they may do.
        options: AssignOptions,
    },
}

impl Wanted {
    fn of(args: &ModifyArgs, matches: &ArgMatches, ui: Ui) -> Result<Self, CliError> {
        let expectations = args.expect.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
        let edits = match &args.file {
            Some(file) => Edits::Patch(patch::parse(&input::read(file)?).map_err(EngineError::from)?),
            None => Edits::Assignments {
                assignments: assignments(args, matches, ui)?,
                options: AssignOptions {
                    create: args.create,
                    ignore_missing: args.ignore_missing,
                    one_word: args.changing.request().accepts(&Guard::FormChange),
                },
            },
        };
        Ok(Self { edits, expectations })
    }

    /// What goes along with the change: streams that are named one by one are meant, and so is, with
    /// `--create`, every new keyword.
    fn request(&self, changing: &ChangeArgs, create: bool) -> ChangeOptions {
        let mut request = changing.request();
        request.accepted.extend(create.then_some(Guard::NearMiss));
        if let Edits::Assignments { assignments, .. } = &self.edits {
            request.named_deletions = assignments.iter().filter_map(deleted_stream).collect();
        }
        request
    }

    fn patch(&self, members: &Members<'_>) -> Result<Value, EngineError> {
        let lens = Lens::default();
        Ok(self.evaluate(&LocalView::new(members, &lens))?.patch)
    }

    /// The patch for a configuration.
    pub fn evaluate(&self, current: &dyn Current) -> Result<Evaluated, EngineError> {
        let unmet = unmet(current, &self.expectations).map_err(EngineError::BadAssignments)?;
        if !unmet.is_empty() {
            return Err(EngineError::Unexpected(unmet));
        }
        let is_test = !self.expectations.is_empty();
        match &self.edits {
            Edits::Patch(patch) => Ok(Evaluated { patch: patch.clone(), depends_on_read: is_test }),
            Edits::Assignments { assignments, options } => match to_patch(current, assignments, *options) {
                Ok(computed) => Ok(Evaluated {
                    patch: Value::Object(computed.patch),
                    depends_on_read: computed.depends_on_read || is_test,
                }),
                Err(faults) => Err(EngineError::BadAssignments(faults)),
            },
        }
    }
}

/// The name of the one stream that an assignment deletes, if it does.
fn deleted_stream(assignment: &Assignment) -> Option<String> {
    let removes = match &assignment.value {
        AssignedValue::Remove => true,
        AssignedValue::Typed(value) => value == "null",
        AssignedValue::Text(_) | AssignedValue::File(_) => false,
    };
    match &assignment.path.segments[..] {
        [Segment::Key(group), Segment::Key(name)] if removes && group == Kind::Stream.key() => {
            Some(name.clone())
        }
        _ => None,
    }
}

/// `PATH=VALUE` of a value that has to be there.
fn expectation(text: &str) -> Result<Expectation, CliError> {
    match split(text)? {
        (path, Some(value)) => Ok(Expectation { path, value: value.to_owned() }),
        (_, None) => Err(CliError::usage(
            format!("`{text}` says not what is expected"),
            "write PATH=VALUE, or PATH=null for nothing",
        )),
    }
}

/// All edits, in the order of the command line.
fn assignments(args: &ModifyArgs, matches: &ArgMatches, ui: Ui) -> Result<Vec<Assignment>, CliError> {
    let mut found: Vec<(usize, Assignment)> = Vec::new();
    let mut collect = |id: &str, given: &[String], read: &dyn Fn(&str) -> Result<Assignment, CliError>| {
        let indices = matches.indices_of(id).into_iter().flatten();
        for (index, text) in indices.zip(given) {
            found.push((index, read(text)?));
        }
        Ok::<(), CliError>(())
    };
    collect("set", &args.set, &|text| set(text, ui))?;
    collect("set_string", &args.set_string, &|text| {
        let (path, value) = with_value(text, ui)?;
        Ok(Assignment { path, value: AssignedValue::Text(value) })
    })?;
    collect("set_file", &args.set_file, &set_file)?;
    collect("unset", &args.unset, &|text| {
        Ok(Assignment { path: parsed(text, ValuePath::parse(text))?, value: AssignedValue::Remove })
    })?;
    found.sort_by_key(|(index, _)| *index);
    Ok(found.into_iter().map(|(_, assignment)| assignment).collect())
}

fn set(text: &str, ui: Ui) -> Result<Assignment, CliError> {
    let (path, value) = split(text)?;
    match value {
        Some(value) => Ok(Assignment { path, value: AssignedValue::Typed(value.to_owned()) }),
        None => Ok(Assignment { value: AssignedValue::Text(asked(text, ui)?), path }),
    }
}

fn with_value(text: &str, ui: Ui) -> Result<(ValuePath, String), CliError> {
    let (path, value) = split(text)?;
    Ok((path, value.map_or_else(|| asked(text, ui), |value| Ok(value.to_owned()))?))
}

/// A secret need not stand in the list of processes: without `=` it is asked for.
fn asked(path: &str, ui: Ui) -> Result<String, CliError> {
    ui.new_secret(path)?.ok_or_else(|| {
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

/// What is wrong with an edit; the value behind its path may be a secret and is not shown.
fn fault(text: &str, message: String, hint: Option<String>) -> CliError {
    let path = text.split('=').next().unwrap_or(text).to_owned();
    EngineError::BadAssignments(vec![AssignFault { path, message, hint, kind: MisfitKind::Unfit }]).into()
}

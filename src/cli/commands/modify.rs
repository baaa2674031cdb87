//! `mediactl modify`

use clap::ArgMatches;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::modify::ModifyArgs;
use crate::cli::assignments::{GivenEdits, replace, set, set_file, split, unset};
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, EngineError, Guard};
use mediaconf::edit::assign::{AssignOptions, AssignedValue, Assignment};
use mediaconf::edit::expect::Expectation;
use mediaconf::edit::patch;
use mediaconf::edit::request::{ChangeRequest, Edits};

pub fn run(args: &ModifyArgs, matches: &ArgMatches, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut change = ChangeCommand::new(&args.changing, Verb::MODIFY);
    // `--create` also accepts a keyword that looks misspelt.
    change.options.accepted.extend(args.create.then_some(Guard::NearMiss));
    let request = request(args, matches, &change.options)?;
    change.of(&request).run(global, ui, |service, options| service.modify(&request, options))
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
            conditions: input::conditions(&args.conditions, options.accepts(&Guard::NearMiss))?,
            options: AssignOptions {
                create: args.create,
                ignore_missing: args.ignore_missing,
                one_word: options.accepts(&Guard::FormChange),
                near_misses: options.accepts(&Guard::NearMiss),
            },
        },
    };
    Ok(ChangeRequest { edits, expectations })
}

/// Parses the `PATH=VALUE` of a value that has to be there.
pub fn expectation(text: &str) -> Result<Expectation, CliError> {
    // A name may end with such a sign only in quotes.
    if let Some((path, _)) = text.split_once('=').filter(|(path, _)| path.trim_end().ends_with(['!', '~'])) {
        return Err(CliError::usage(
            format!("`{path}=` is a condition, and an expected value is written PATH=VALUE"),
            "`--where` takes conditions",
        ));
    }
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
    let mut edits = GivenEdits::of(matches);
    edits.add("assignments", &args.assignments, &|[text]| set(text, AssignedValue::Typed))?;
    edits.add("set", &args.set, &|[text]| set(text, AssignedValue::Typed))?;
    edits.add("set_string", &args.set_string, &|[text]| set(text, AssignedValue::Text))?;
    edits.add("set_file", &args.set_file, &|[text]| set_file(text))?;
    edits.add("unset", &args.unset, &|[path]| unset(path))?;
    edits.add("replace", &args.replace, &|[path, substitution]| replace(path, substitution))?;
    Ok(edits.in_order())
}

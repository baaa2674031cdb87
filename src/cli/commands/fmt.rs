//! `mediactl fmt`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input::{self, STDIN};
use crate::cli::invocation::Invocation;
use crate::cli::render::diagnostics;
use crate::cli::render::report::Verb;
use crate::cli::render::texts::write_text;
use crate::cli::target;
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, RequestedChange, Snapshot};
use crate::error::{Error, Exit};
use mediaconf::{EditError, formatted};

/// Format the configuration: indentation, blanks, blank lines and line ends
///
/// Only white space changes. Words, comments and their order stay, a block on one line stays on one
/// line, and what the text says as JSON is proved to be the same before it is written. Entries get a line of
/// their own, indented by two blanks for each block; comments behind neighbouring lines stand below each
/// other; lines end in LF; one blank line at most stands between two entries.
///
/// With --check nothing is written: each file that is not formatted is named, and the exit code is 1 if
/// there is one. Standard input (`-`) is formatted to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl fmt --dry-run
  mediactl fmt
  mediactl fmt --check *.conf
  mediactl fmt - < media.conf")]
pub struct FmtArgs {
    /// What to format: files, or `-` for standard input [default: the configuration]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Name what is not formatted, and change nothing
    #[arg(long)]
    pub check: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

/// The name of standard input in messages.
const STDIN_NAME: &str = "<stdin>";

pub fn run(args: &FmtArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    if args.files.is_empty() {
        return configuration(args, call);
    }
    let Invocation { global, ui, .. } = call;
    if global.chosen.names_server() {
        return Err(Error::usage("a FILE and `--url` are two different targets", "leave one of them out"));
    }
    let mut worst = Exit::Done;
    for file in &args.files {
        let at_file = global.at_file(file);
        let done = match file.as_os_str() == STDIN {
            true => stdin(args, ui),
            false => configuration(args, Invocation { global: &at_file, ..call }),
        };
        let exit = match done {
            Err(error) if error.is_closed_output() => return Err(error),
            Err(error) => {
                diagnostics::explain(&error, &at_file.file_name(), ui);
                ui.error(&error);
                error.exit()
            }
            Ok(exit) => exit,
        };
        worst = if exit == Exit::Done || worst > Exit::Different { worst } else { exit };
    }
    Ok(worst)
}

fn configuration(args: &FmtArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    if args.check {
        let mut target = target::file_or_named_server(call.global, call.ui)?;
        let text = target.read_text(Some(ConfigSource::Saved).filter(|_| !target.is_server))?;
        return checked(target.service.name(), formatted_text(&text)?.as_ref(), call.ui);
    }
    ChangeCommand::new(&args.changing, Verb::FORMAT).named("fmt").run(call, RequestedChange::Format {})
}

/// Formats standard input to standard output.
fn stdin(args: &FmtArgs, ui: Ui) -> Result<Exit, Error> {
    let text = input::snapshot(Path::new(STDIN))?;
    if !text.is_valid() {
        return Err(Error::broken_text(STDIN_NAME, text));
    }
    let new = formatted_text(&text)?;
    if args.check {
        return checked(STDIN_NAME, new.as_ref(), ui);
    }
    let shown = new.map_or(text, |new| Arc::new(Snapshot::from_bytes(new)));
    ui.print(|out| write_text(&shown, ui.value_masker().as_ref(), out))?;
    Ok(Exit::Done)
}

/// Names a text that is not formatted.
fn checked(name: &str, new: Option<&String>, ui: Ui) -> Result<Exit, Error> {
    if new.is_none() {
        return Ok(Exit::Done);
    }
    ui.print(|out| writeln!(out, "{name}"))?;
    Ok(Exit::Different)
}

/// The formatted text; `None` if it is formatted already.
fn formatted_text(text: &Arc<Snapshot>) -> Result<Option<String>, Error> {
    if !text.is_valid() {
        return Err(Error::bad_config(text.clone()));
    }
    Ok(formatted(text.document()).map_err(EditError::Unproved)?)
}

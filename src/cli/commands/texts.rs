//! Whole texts: `mediactl update`, `save`, `apply`, `revert`, `rollback` and `fmt`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::change::ChangeCommand;
use crate::cli::input::{self, STDIN, STDIN_NAME};
use crate::cli::render::diagnostics;
use crate::cli::render::texts::write_text;
use crate::cli::target;
use crate::cli::ui::name_target;
use crate::engine::{ConfigSource, RequestedChange, Snapshot};
use crate::error::{Error, Exit};
use crate::store::{ChangeRange, ChangeRef, Reverted};
use mediaconf::{Prune, Request, Schema};

/// Replace the running configuration of a server without touching its file
///
/// Without a running server the command is refused, and the exit code is 7. `mediactl save` replaces the
/// file.
#[derive(Debug, clap::Args)]
pub struct UpdateArgs {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl UpdateArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let text = input::read(&self.file)?.into();
        ChangeCommand::new(&self.changing, "update").run(call, RequestedChange::Update(text))
    }
}

/// Replace the configuration file with exactly the given text
///
/// The text is checked first; if it has errors, nothing is written. If the configuration file is
/// missing, it is made with mode 0640, less the umask.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl save new.conf --dry-run
  mediactl --conf media.conf save - < new.conf")]
pub struct SaveArgs {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl SaveArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let text = input::read(&self.file)?.into();
        ChangeCommand::new(&self.changing, "save").run(call, RequestedChange::Save(text))
    }
}

/// Bring the configuration to a desired state, such as one from a Git repository
///
/// FILE is the text of a configuration, or JSON as `mediactl read` prints it. It is merged: what it sets is
/// set, and what it does not mention stays, with all comments. A second run changes nothing.
///
/// With `--prune` each stream, live and plugin of FILE gets exactly its values, and all others are deleted.
/// Settings outside of them are still merged. With `--prune=all` these go, too, if FILE lacks them: the
/// configuration is what FILE is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl apply site.conf --dry-run
  mediactl apply --prune site.conf
  mediactl apply --prune=all --dry-run whole.conf
  mediactl --url https://media.example apply - < site.json")]
pub struct ApplyArgs {
    /// The desired state, as text or as JSON; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    /// Remove what FILE lacks: streams, lives and plugins, and settings of those that it has; with `all`
    /// everything else, too
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = ["entries", "all"],
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "entries"
    )]
    pub prune: Option<String>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl ApplyArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let prune = match self.prune.as_deref() {
            None => Prune::Nothing,
            Some("all") => Prune::All,
            Some(_) => Prune::Entries,
        };
        let is_word = prune == Prune::Entries && self.file.as_os_str() == "all";
        let bytes = input::read(&self.file).map_err(|error| match is_word {
            true => error.hint("write `--prune=all`"),
            false => error,
        })?;
        // No directive begins with a bracket.
        let request: Request = match Schema::without_bom(&bytes).trim_ascii_start().first() {
            Some(b'{' | b'[') => match (Schema::parse_patch(&bytes)?, prune) {
                (patch, Prune::Nothing) => patch.into(),
                (patch, prune) => Request::state_of_json(patch, prune)?,
            },
            _ => {
                let text = input::valid(&self.file, Arc::new(Snapshot::from_bytes(bytes)))?;
                Request::state(text.document(), prune)
            }
        };
        ChangeCommand::new(&self.changing, "apply").run(call, request.into())
    }
}

/// Undo changes, and keep what was changed since
///
/// All of them are undone by one new change, which can be reverted itself. One whose values or lines were changed since is
/// refused (5): the message has both values, and the change that made the later one. `mediactl undo` is `revert last`.
///
/// Each change has an id, which `history -o json` shows. `--change ID` undoes the change with that id, on each server that has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl revert last --dry-run
  mediactl revert 5 -m 'cam1 was right'
  mediactl revert 3 7..9
  mediactl -x 'edge-*' revert --change 7f3a90c2")]
pub struct RevertArgs {
    /// Which changes: their numbers, which `mediactl history` shows, `last`, or ranges such as `3..5`
    #[arg(value_name = "N", required_unless_present = "change", conflicts_with = "change")]
    pub which: Vec<ChangeRange>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl RevertArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let numbers = || Reverted::Numbers(self.which.clone());
        revert(&self.changing, call, self.changing.change.clone().map_or_else(numbers, Reverted::Change))
    }
}

fn revert(changing: &ChangeArgs, call: Invocation<'_>, reverted: Reverted) -> Result<Exit, Error> {
    let mut command = ChangeCommand::new(changing, "revert");
    // It names the change to undo, and not this one.
    command.options.id = None;
    command.run(call, RequestedChange::Revert(reverted))
}

/// Make an earlier text the configuration again
///
/// A rollback is a new change like any other: it is checked first, and can be rolled back itself. `mediactl
/// rollback last` undoes the last change; one that undoes more than one change lists them and asks, and needs --yes without a
/// terminal. `mediactl revert` undoes a change and keeps the later ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl rollback last --dry-run
  mediactl rollback last")]
pub struct RollbackArgs {
    /// Which text: that before the change with this number, which `mediactl history` shows, or `last`
    #[arg(value_name = "N", required_unless_present = "change", conflicts_with = "change")]
    pub which: Option<ChangeRef>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl RollbackArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if let Some(id) = &self.changing.change {
            return revert(&self.changing, call, Reverted::Change(id.clone()));
        }
        let which = self.which.expect("the parser requires one of them");
        ChangeCommand::new(&self.changing, "rollback").run(call, RequestedChange::Rollback(which))
    }
}

/// Format the configuration: indentation, blanks, blank lines and line ends
///
/// Only white space changes. Words, comments and their order stay, a block on one line stays on one
/// line, and what the text says as JSON is proved to be the same before it is written. Entries get a line of
/// their own, indented by two blanks for each block; one blank stands in front of a comment behind an entry; lines end in
/// LF; one blank line at most stands between two entries.
///
/// With --check nothing is written: each file that is not formatted is named, and the exit code is 1 if
/// there is one. Standard input (`-`) is formatted to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl fmt --dry-run
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

impl FmtArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if self.files.is_empty() {
            return self.format(call);
        }
        if call.global.chosen.names_server() {
            let message = "a FILE and `--url` are two different targets";
            return Err(Error::usage(message, "leave one of them out"));
        }
        let mut worst = Exit::Done;
        for file in &self.files {
            let at_file = call.global.at_file(file);
            name_target(file);
            let done = match file.as_os_str() == STDIN {
                true => self.format_stdin(call),
                false => self.format(Invocation { global: &at_file, ..call }),
            };
            let exit = match done {
                Err(error) if error.is_closed_output() => return Err(error),
                // The others are formatted all the same.
                Err(error) => {
                    diagnostics::explain(&error, &at_file.file_name(), call.ui);
                    call.ui.error(&error);
                    error.exit()
                }
                Ok(exit) => exit,
            };
            worst = worst.max(exit);
        }
        Ok(worst)
    }

    /// Formats the configuration of a target.
    fn format(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if !self.check {
            return ChangeCommand::new(&self.changing, "fmt").run(call, RequestedChange::Format {});
        }
        let mut target = target::file_or_named_server(call.global, call.ui)?;
        let text = target.read_text(Some(ConfigSource::Saved).filter(|_| !target.is_server))?;
        text.refuse_errors()?;
        name_unless_formatted(target.service.name(), &text, call)
    }

    /// Formats standard input to standard output.
    fn format_stdin(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let text = input::valid(Path::new(STDIN), input::snapshot(Path::new(STDIN))?)?;
        if self.check {
            return name_unless_formatted(STDIN_NAME, &text, call);
        }
        let new = text.document().formatted()?;
        let shown = new.map_or(text, |new| Arc::new(Snapshot::from_document(new)));
        call.ui.print(|out| write_text(&shown, call.ui.value_masker(), out))?;
        Ok(Exit::Done)
    }
}

/// Names a text that is not formatted.
fn name_unless_formatted(name: &str, text: &Snapshot, call: Invocation<'_>) -> Result<Exit, Error> {
    let is_formatted = text.document().formatted()?.is_none();
    if call.ui.json {
        call.ui.print_json(&json!({ "target": name, "formatted": is_formatted }))?;
    } else if !is_formatted {
        call.ui.print(|out| writeln!(out, "{name}"))?;
    }
    Ok(if is_formatted { Exit::Done } else { Exit::Different })
}

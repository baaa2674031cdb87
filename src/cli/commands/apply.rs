//! `mediactl apply`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input::{self, STDIN};
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::Snapshot;
use crate::error::{Error, Exit};
use mediaconf::{DesiredState, Prune, Request, parse_patch, without_bom};

/// Bring the configuration to a desired state, such as one from a Git repository
///
/// FILE is the text of a configuration, or JSON as `mediactl read` prints it. It is merged: what it sets is
/// set, and what it does not mention stays, with all comments; a note says how many settings of its entries
/// it lacks. A second run changes nothing.
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
  mediactl apply -o change-json --exit-code site.json
  mediactl --url https://media.example apply - < site.json")]
pub struct ApplyArgs {
    /// The desired state, as text or as JSON; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    /// Remove what FILE lacks: streams, lives and plugins, and settings of those that it has; with `all`
    /// the other settings, too
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "entries"
    )]
    pub prune: Option<PruneScope>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

/// The entries and settings that `--prune` removes, if FILE lacks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PruneScope {
    /// Streams, lives and plugins, and the settings of those that FILE has
    Entries,
    /// Everything
    All,
}

pub fn run(args: &ApplyArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let prune = match args.prune {
        None => Prune::Nothing,
        Some(PruneScope::Entries) => Prune::Entries,
        Some(PruneScope::All) => Prune::All,
    };
    let request = desired_state(&args.file, prune)?;
    let change = ChangeCommand::new(&args.changing, Verb::APPLY).named("apply");
    change.run(call, request.into())
}

/// Reads a desired state.
fn desired_state(file: &Path, prune: Prune) -> Result<Request, Error> {
    let bytes = input::read(file)?;
    // No directive begins with a bracket.
    if matches!(without_bom(&bytes).trim_ascii_start().first(), Some(b'{' | b'[')) {
        let patch = parse_patch(&bytes)?;
        let state = DesiredState::of_json(patch, prune)?;
        return Ok(state.into());
    }
    let snapshot = Snapshot::from_bytes(bytes);
    if !snapshot.is_valid() {
        let name = if file.as_os_str() == STDIN { "<stdin>".into() } else { file.display().to_string() };
        return Err(Error::broken_text(&name, Arc::new(snapshot)));
    }
    Ok(DesiredState::of_text(snapshot.document(), prune).into())
}

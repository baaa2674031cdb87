//! `mediactl apply`

use std::path::Path;
use std::sync::Arc;

use crate::cli::args::apply::{ApplyArgs, PruneScope};
use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, STDIN};
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{EngineError, Snapshot};
use mediaconf::edit::desired_state::{DesiredState, Prune};
use mediaconf::edit::patch;
use mediaconf::edit::request::{ChangeRequest, Edits};

pub fn run(args: &ApplyArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let prune = match args.prune {
        None => Prune::Nothing,
        Some(PruneScope::Entries) => Prune::Entries,
        Some(PruneScope::All) => Prune::All,
    };
    let state = desired_state(&args.file, prune)?;
    let request = ChangeRequest { edits: Edits::State(state), expectations: Vec::new() };
    let mut change = ChangeCommand::new(&args.changing, Verb::APPLY).named("apply");
    change.options.owner.clone_from(&args.owner);
    change.run(global, ui, |service, options| service.modify(&request, options))
}

/// Reads a desired state.
fn desired_state(file: &Path, prune: Prune) -> Result<DesiredState, CliError> {
    let bytes = input::read(file)?;
    // No directive begins with a bracket.
    if matches!(patch::without_bom(&bytes).trim_ascii_start().first(), Some(b'{' | b'[')) {
        let patch = patch::parse(&bytes).map_err(EngineError::from)?;
        return Ok(DesiredState::of_json(patch, prune).map_err(EngineError::from)?);
    }
    let snapshot = Arc::new(Snapshot::of(bytes));
    if !snapshot.is_valid() {
        let name = if file.as_os_str() == STDIN { "<stdin>".into() } else { file.display().to_string() };
        return Err(CliError::broken_text(&name, snapshot));
    }
    Ok(DesiredState::of_text(snapshot.document(), prune))
}

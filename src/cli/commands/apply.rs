//! `mediactl apply`

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::cli::args::apply::ApplyArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, STDIN};
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::edit::desired_state::desired_state as state_of_text;
use crate::edit::patch;
use crate::edit::request::{ChangeRequest, Edits};
use crate::engine::{EngineError, Snapshot};

pub fn run(args: &ApplyArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let state = desired_state(&args.file)?;
    let edits = if args.prune { Edits::Pruning(state) } else { Edits::Patch(state) };
    let request = ChangeRequest { edits, expectations: Vec::new() };
    let change = ChangeCommand::new(&args.changing, Verb::APPLY).named("apply");
    change.run(global, ui, |service, options| service.modify(&request, options))
}

/// Reads a desired state as a merge patch.
fn desired_state(file: &Path) -> Result<Value, CliError> {
    let bytes = input::read(file)?;
    // No directive begins with a bracket.
    if matches!(patch::without_bom(&bytes).trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Ok(patch::parse(&bytes).map_err(EngineError::from)?);
    }
    let snapshot = Arc::new(Snapshot::of(bytes));
    if !snapshot.is_valid() {
        let name = if file.as_os_str() == STDIN { "<stdin>".into() } else { file.display().to_string() };
        return Err(CliError::broken_text(&name, snapshot));
    }
    Ok(state_of_text(snapshot.document()))
}

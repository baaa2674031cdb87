//! `mediactl status`

use serde::Serialize;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::args::status::StatusArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::history::masked;
use crate::cli::render::status;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::Status;

/// The JSON form.
#[derive(Serialize)]
struct StatusRecord<'a> {
    target: &'a str,
    #[serde(flatten)]
    status: &'a Status,
}

pub fn run(args: &StatusArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut service = target::resolve(global, Purpose::default(), ui)?.service;
    let mut status = service.status()?;
    status.last_change = status.last_change.map(|entry| masked(entry, ui.masker().as_ref()));
    let target = service.name();
    match args.output {
        ListFormat::Json => ui.print_json(&StatusRecord { target, status: &status })?,
        ListFormat::Text => ui.print(|out| status::print(target, &status, out))?,
    }
    let has_errors = status.errors.is_some_and(|errors| errors > 0);
    let is_open = status.saved == Some(false) || status.pending.is_some() || has_errors;
    Ok(if is_open { Exit::Different } else { Exit::Done })
}

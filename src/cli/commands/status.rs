//! `mediactl status`

use serde::Serialize;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::args::status::StatusArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::diagnostics::first_error;
use crate::cli::render::history::masked;
use crate::cli::render::status;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::{ConfigService, ReadForm, ReadQuery, ServiceError, Source, Status};

/// The JSON form.
#[derive(Serialize)]
pub struct StatusRecord<'a> {
    pub target: &'a str,
    #[serde(flatten)]
    pub status: &'a Status,
}

pub fn run(args: &StatusArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut service = target::resolve(global, Purpose::default(), ui)?.service;
    let status = read(&mut *service, ui)?;
    let target = service.name();
    match args.output {
        ListFormat::Json => ui.print_json(&StatusRecord { target, status: &status })?,
        ListFormat::Text => ui.print(|out| status::print(target, &status, ui.screen(), out))?,
    }
    Ok(if is_open(&status) { Exit::Different } else { Exit::Done })
}

/// The state of a configuration, with the secrets in its last change masked.
pub fn read(service: &mut dyn ConfigService, ui: Ui) -> Result<Status, ServiceError> {
    let status = service.status()?;
    let last_change = status.last_change.map(|entry| masked(entry, ui.masker().as_ref()));
    let first_error = match status.errors {
        None | Some(0) => None,
        Some(_) => {
            let file =
                service.read(&ReadQuery { source: Some(Source::Saved), form: ReadForm::Text })?.content;
            file.snapshot().and_then(|text| first_error(service.name(), text, ui.masker()))
        }
    };
    Ok(Status { last_change, first_error, ..status })
}

/// Whether something is left to do: to save, to confirm or to repair.
pub fn is_open(status: &Status) -> bool {
    let is_waiting = status.pending.is_some() || !status.unconfirmed.is_empty();
    status.saved == Some(false) || is_waiting || status.errors.is_some_and(|errors| errors > 0)
}

//! `mediactl status`

use serde::Serialize;

use crate::cli::args::shared::ListFormat;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;
use crate::cli::render::diagnostics::{composed_error, first_error};
use crate::cli::render::history::masked;
use crate::cli::render::status;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{ErrorKind, ServiceError, Source, Status};

/// Show the running, the saved and the pending state of the configuration
///
/// Tells whether a server runs over the file, and where; which values differ between the running and the
/// saved configuration; whether the file has errors; whether a change waits to be confirmed; and the last
/// change.
///
/// As JSON it is an object with `target`, `server` (`pid`, `version`, `addresses`, `started_at`; null without
/// one), `saved`, `differing` (paths), `edited_by_hand`, `errors` (how many the file has; null where the
/// server does not show it), `first_error` (`file`, `line`, `column`, `message`, `text`), `pending` (`id`, `operation`, `by`, `deadline`, `seconds_left`; of a cluster
/// also `canary`, the nodes that it waits for; `is_over` if its time is over; null if none is pending),
/// `unconfirmed` (the paths of values that the file holds though they were never confirmed), `last_change` as
/// `mediactl history` has it, and `last_error`. Of a cluster it has `nodes`, too.
///
/// The exit code is 1 if the running configuration is not saved, if a change waits to be confirmed or was
/// never confirmed, or if the file has errors; otherwise it is 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl status
  mediactl status -o json")]
pub struct StatusArgs {
    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

/// The JSON form.
#[derive(Serialize)]
pub struct StatusRecord<'a> {
    pub target: &'a str,
    #[serde(flatten)]
    pub status: &'a Status,
}

pub fn run(args: &StatusArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    let mut target = target::resolve(global, Purpose::default(), ui)?;
    let status = read(&mut target, ui)?;
    let target = target.service.name();
    match args.output {
        ListFormat::Json => ui.print_json(&StatusRecord { target, status: &status })?,
        ListFormat::Text => ui.print(|out| status::print(target, &status, ui.screen(), out))?,
    }
    Ok(if is_open(&status) { Exit::Different } else { Exit::Done })
}

/// The state of a configuration, with the secrets in its last change masked, and with its errors: its own, or those that
/// it has together with what it includes.
pub fn read(target: &mut Target, ui: Ui) -> Result<Status, ServiceError> {
    let status = target.service.status()?;
    let last_change = status.last_change.map(|entry| masked(entry, ui.masker().as_ref()));
    let (mut errors, mut first) = (status.errors, None);
    if let Some(file) = &status.file {
        first = first_error(target.service.name(), file, ui.masker());
        match target.composed(file, Some(Source::Saved)) {
            Ok(None) => {}
            Ok(Some(composed)) => {
                let faults = composed.told_faults();
                errors = Some(faults.len());
                first = faults.first().and_then(|fault| composed_error(&composed, fault, ui.masker()));
            }
            // A server elsewhere says what is wrong, but sends no file with errors.
            Err(ServiceError::Remote(failure)) if failure.kind == ErrorKind::Invalid => {
                let faults = failure.faults.get(1..).unwrap_or_default();
                errors = Some(faults.len().max(1));
                faults.first().iter().for_each(|(fault, _)| ui.note(fault));
            }
            Err(error) => return Err(error),
        }
    }
    let unreachable = target.unreachable.clone();
    // What it runs, only it could tell.
    let saved = status.saved.filter(|_| unreachable.is_none());
    Ok(Status { last_change, errors, first_error: first, unreachable, saved, ..status })
}

/// Whether something is left to do: to save, to confirm or to repair.
pub fn is_open(status: &Status) -> bool {
    let is_waiting = status.pending.is_some() || !status.unconfirmed.is_empty();
    status.saved == Some(false) || is_waiting || status.errors.is_some_and(|errors| errors > 0)
}

//! `mediactl status`

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::ListFormat;
use crate::cli::confirmation;
use crate::cli::fleet::answers::{ServerAnswer, print_table};
use crate::cli::render::diagnostics::{composed_error, first_error};
use crate::cli::render::status;
use crate::cli::render::texts::masked_entry;
use crate::cli::target::Target;
use crate::cli::ui::Ui;
use crate::engine::{Status, StatusPart};
use crate::error::{Error, Exit};
use mediaconf::one_line;

/// Show the running, the saved and the pending state of the configuration
///
/// Tells whether a server runs over the file, and where; which values differ between the running and the
/// saved configuration; whether the file has errors; whether a change waits to be confirmed; and the last
/// change.
///
/// As JSON it is an object with `target`, `server` (`pid`, `version`, `addresses`, `started_at`; null without one),
/// `saved`, `differing` (paths), `edited_by_hand`, `errors` (how many the file has; null where the server does not show
/// it), `first_error` (`file`, `line`, `column`, `message`, `text`), `pending` (`id`, `operation`, `by`, `deadline`,
/// `seconds_left`; of a cluster also `canary`, the nodes that it waits for; `is_over` if it cannot be confirmed any
/// more; null if none is pending), `last_change` as `mediactl history` has it, and `last_error`. Of a cluster it has
/// `nodes`, too.
///
/// The exit code is 1 if the running configuration is not saved, if a change waits to be confirmed or was
/// never confirmed, or if the file has errors; otherwise it is 0. With --exit-code it says of a cluster whether all nodes
/// run the last change. A node that is gone does not run it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl status
  mediactl status -o json")]
pub struct StatusArgs {
    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,

    /// Of a cluster: exit with 0 if all nodes run the last change, and with 11 if some do not
    #[arg(long)]
    pub exit_code: bool,
}

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// The JSON form.
#[derive(Serialize)]
struct StatusRecord<'a> {
    target: &'a str,
    #[serde(flatten)]
    status: &'a Status,
}

impl StatusArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let ui = call.ui;
        let answers = call.ask("status", |server| {
            let status = read(&mut server.target, ui)?;
            Ok((status, server.target.service.name().to_owned()))
        })?;
        match (self.output, answers.one()) {
            (ListFormat::Json, Some((target, (status, _)))) => {
                ui.print_json(&StatusRecord { target, status })?
            }
            (ListFormat::Text, Some((target, (status, _)))) => {
                ui.print(|out| status::print(target, status, ui.width(), out))?;
            }
            // A server that does not answer has a member, or a row, too.
            (ListFormat::Json, None) => {
                let record = |answer: &ServerAnswer<_>| (answer.server.clone(), status_record(answer));
                ui.print_json(&answers.list.iter().map(record).collect::<Map<_, _>>())?;
            }
            (ListFormat::Text, None) => {
                let time = if answers.is_of_many() { status::roughly } else { status::to_the_second };
                let rows = answers.list.iter().map(|answer| status_row(answer, time)).collect();
                print_table(&["SERVER", "STATE", "PENDING", "LAST CHANGE"], rows, ui)?;
            }
        }
        if self.exit_code && answers.found().any(|(_, (status, _))| status.nodes.is_some()) {
            let runs_it = |status: &Status| {
                confirmation::missing(status, None).is_none_or(|missing| missing.is_empty())
            };
            let is_missing = answers.found().any(|(_, (status, _))| !runs_it(status));
            return Ok(answers.exit_if(is_missing, Exit::Partly));
        }
        let is_open = answers.found().any(|(_, (status, _))| is_open(status));
        Ok(answers.exit_if(is_open, Exit::Different))
    }
}

fn status_record(answer: &ServerAnswer<(Status, String)>) -> Value {
    match &answer.result {
        Ok((status, target)) => {
            serde_json::to_value(StatusRecord { target, status }).expect("a status has only texts as keys")
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn status_row(
    ServerAnswer { server, result }: &ServerAnswer<(Status, String)>,
    time: fn(Duration) -> String,
) -> Vec<String> {
    let [state, pending, last] = match result {
        Err(error) => [error.word().to_owned(), NOTHING.to_owned(), NOTHING.to_owned()],
        Ok((status, _)) => {
            let pending = status.pending.as_ref().map(|pending| {
                format!("{} by {}, {} s left", pending.operation, pending.by, pending.seconds_left)
            });
            let last = status.last_change.as_ref().map(|last| status::change_in_words(last, time));
            let or_nothing =
                |words: Option<String>| words.map_or(NOTHING.to_owned(), |words| one_line(&words));
            [state(status).to_owned(), or_nothing(pending), or_nothing(last)]
        }
    };
    vec![server.clone(), state, pending, last]
}

fn state(status: &Status) -> &'static str {
    match status {
        Status { errors: Some(1..), .. } => "file has errors",
        Status { edited_by_hand: true, .. } => "edited by hand",
        Status { saved: Some(false), .. } => "not saved",
        Status { saved: Some(true), .. } => "saved",
        _ => "runs",
    }
}

/// The state of a configuration, with the secrets in its last change masked, and with its errors: its own, or those that
/// it has together with what it includes.
fn read(target: &mut Target, ui: Ui) -> Result<Status, Error> {
    let status = target.service.status(StatusPart::All)?;
    let last_change = status.last_change.map(|entry| masked_entry(entry, ui.masker().as_ref()));
    let (mut errors, mut first) = (status.errors, None);
    if let Some(file) = &status.file {
        first = first_error(target.service.name(), file, ui.masker());
        match target.composed(file, file) {
            Ok(None) => {}
            Ok(Some(composed)) => {
                let faults = composed.told_faults();
                errors = Some(faults.len());
                first = faults.first().and_then(|fault| composed_error(&composed, fault, ui.masker()));
            }
            // A server elsewhere says what is wrong, but sends no file with errors.
            Err(failure) if failure.status.is_some() && failure.exit() == Exit::Invalid => {
                let faults = failure.faults.get(1..).unwrap_or_default();
                errors = Some(faults.len().max(1));
                faults.first().iter().for_each(|fault| ui.note(&fault.message));
            }
            Err(error) => return Err(error),
        }
    }
    let unreachable = target.unreachable.clone();
    // Only the server knows what it runs.
    let saved = status.saved.filter(|_| unreachable.is_none());
    Ok(Status { last_change, errors, first_error: first, unreachable, saved, ..status })
}

/// True if something is left to do: to save, to confirm or to repair.
fn is_open(status: &Status) -> bool {
    status.saved == Some(false) || status.pending.is_some() || status.errors.is_some_and(|errors| errors > 0)
}

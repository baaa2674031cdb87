//! The result of a change on several servers: a table, or an object for programs.

use serde_json::{Map, Value, json};

use super::answers::{ROWS_OF_THEIR_OWN, about, exit_of, print_table};
use super::plan::FleetPlan;
use crate::cli::args::changing::ChangeFormat;
use crate::cli::render::grouped;
use crate::cli::render::report::change_json;
use crate::cli::ui::Ui;
use crate::error::{Error, Exit};
use mediaconf::one_line;

/// The configuration of a server in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerOutcome {
    Changed,
    /// It had the values already.
    Unchanged,
    /// The change was rehearsed.
    WouldChange,
    /// Nothing was sent.
    NotChanged,
    /// The change that waited was kept.
    Confirmed,
    Refused,
    /// The change was sent, and no answer came.
    Unknown,
    TakenBack,
    /// It could not be asked to, but goes back when the time to confirm is over.
    GoesBack,
}

impl ServerOutcome {
    fn in_words(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::WouldChange => "would change",
            Self::NotChanged => "not changed",
            Self::Confirmed => "confirmed",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::TakenBack => "taken back",
            Self::GoesBack => "takes itself back",
        }
    }

    /// True if the server has, or would have, what was asked for.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Changed | Self::Unchanged | Self::WouldChange | Self::Confirmed)
    }
}

/// The result of the change on one server.
pub struct ServerResult {
    pub server: String,
    pub outcome: ServerOutcome,
    pub error: Option<Error>,
    /// The change, if it was evaluated.
    pub plan: Option<FleetPlan>,
}

/// Prints what stands on each server; if that can't be printed, it is said on stderr. A quiet table is shown only if a
/// server lacks what was asked for.
pub fn print(results: &[ServerResult], format: ChangeFormat, quiet: bool, ui: Ui) -> Result<(), Error> {
    let printed = match format {
        ChangeFormat::Json | ChangeFormat::ChangeJson => {
            let record = |result: &ServerResult| (result.server.clone(), record(result, ui));
            ui.print_json(&results.iter().map(record).collect::<Map<_, _>>())
        }
        ChangeFormat::Diff if quiet && results.iter().all(|result| result.outcome.is_done()) => Ok(()),
        ChangeFormat::Diff => {
            let rows = results.iter().map(row).collect();
            print_table(&["SERVER", "RESULT", "LINES", "WHY"], rows, ui)
                .and_then(|()| recap(results).map_or(Ok(()), |line| ui.print(|out| writeln!(out, "{line}"))))
        }
    };
    if printed.is_err() {
        results
            .iter()
            .for_each(|result| ui.say(&format!("{}: {}", result.server, result.outcome.in_words())));
    }
    printed
}

fn record(ServerResult { server, outcome, error, plan }: &ServerResult, ui: Ui) -> Value {
    let id = plan.as_ref().and_then(|plan| plan.id.as_ref());
    let change =
        plan.as_ref().map(|plan| change_json((plan.operation, server), &plan.report, ui.masker().as_ref()));
    json!({
        "result": outcome.in_words(),
        "exit_code": error.as_ref().map_or(Exit::Done, Error::exit) as u8,
        "error": error.as_ref().map(ToString::to_string),
        "id": id.filter(|_| *outcome == ServerOutcome::Changed),
        "change": change,
    })
}

fn row(ServerResult { server, outcome, error, plan }: &ServerResult) -> Vec<String> {
    let lines = plan.as_ref().map(|plan| (plan.report.lines_added, plan.report.lines_removed));
    let lines = lines.filter(|lines| *lines != (0, 0));
    let why = error.as_ref().map_or("-".to_owned(), |error| {
        let lines = error.lines();
        let line = lines.first().map(|line| about(line, server));
        // One that names the server would keep equal rows apart.
        let line = line.filter(|line| !line.contains(server));
        line.map_or_else(|| error.word().to_owned(), str::to_owned)
    });
    let lines = lines.map_or("-".to_owned(), |(added, removed)| format!("+{added} -{removed}"));
    vec![server.clone(), outcome.in_words().to_owned(), lines, one_line(&why)]
}

/// The number of servers with each result, where rows stand for several of them.
fn recap(results: &[ServerResult]) -> Option<String> {
    let outcomes = grouped(results.iter().map(|result| result.outcome.in_words()), |words| Some(*words));
    let counts: Vec<String> = outcomes.iter().map(|same| format!("{} {}", same.len(), same[0])).collect();
    let is_needed = results.len() > ROWS_OF_THEIR_OWN;
    is_needed.then(|| format!("{} servers: {}", results.len(), counts.join(", ")))
}

/// The exit code of a change that each server makes for itself.
pub fn exit_of_each(results: &[ServerResult]) -> Exit {
    let is_done = |result: &&ServerResult| {
        result.outcome.is_done() || result.outcome == ServerOutcome::TakenBack && result.error.is_none()
    };
    let kind = |result: &ServerResult| match &result.error {
        Some(error) => Some(error.exit()),
        None => (result.outcome == ServerOutcome::NotChanged).then_some(Exit::Guarded),
    };
    exit_of(results.iter().filter(is_done).count(), &results.iter().filter_map(kind).collect::<Vec<_>>())
}

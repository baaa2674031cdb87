//! The result of a change on several servers: a table, or an object for programs.

use serde_json::{Map, Value, json};

use super::answers::{exit_of, print_errors};
use super::error::about;
use super::grouped::{self, ROWS_OF_THEIR_OWN};
use super::members::ServerNumber;
use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::ui::Ui;
use crate::error::{Error, Exit};
use crate::store::{ChangeId, PendingInfo};
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
    pub fn in_words(self) -> &'static str {
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

/// Returns the configuration of a server that answered a change with an error.
pub fn outcome_of(error: &Error) -> ServerOutcome {
    if error.exit() == Exit::Unknown { ServerOutcome::Unknown } else { ServerOutcome::Refused }
}

/// The end of the change on a server that was to be changed.
pub struct Ending {
    pub at: ServerNumber,
    pub outcome: ServerOutcome,
    pub error: Option<Error>,
    /// The change, if it still has to be confirmed.
    pub pending: Option<PendingInfo>,
}

impl Ending {
    /// An end without an error, behind which nothing waits.
    pub fn new(at: ServerNumber, outcome: ServerOutcome) -> Self {
        Self { at, outcome, error: None, pending: None }
    }
}

/// The result of the change on one server.
pub struct ServerResult {
    pub server: String,
    pub outcome: ServerOutcome,
    pub error: Option<Error>,
    /// The id of the change, if the server has made it now.
    pub id: Option<ChangeId>,
    /// The lines that were added and removed.
    pub lines: [usize; 2],
    /// The change for programs, if it was evaluated.
    pub change: Option<Value>,
}

/// The form in which results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultForm {
    Table,
    /// A table, unless every server has what was asked for.
    TableOfFaults,
    Json,
}

impl From<&ChangeArgs> for ResultForm {
    fn from(args: &ChangeArgs) -> Self {
        match args.output {
            ChangeFormat::Json | ChangeFormat::ChangeJson => Self::Json,
            ChangeFormat::Diff if args.quiet => Self::TableOfFaults,
            ChangeFormat::Diff => Self::Table,
        }
    }
}

/// Prints the errors, and what stands on each server; if that can't be printed, it is said on stderr.
pub fn print(results: &[ServerResult], form: ResultForm, ui: Ui) -> Result<(), Error> {
    print_errors(results.iter().filter_map(|result| Some((&*result.server, result.error.as_ref()?))), ui);
    let printed = match form {
        ResultForm::Json => {
            let records: Map<String, Value> =
                results.iter().map(|result| (result.server.clone(), record(result))).collect();
            ui.print_json(&records)
        }
        ResultForm::TableOfFaults if results.iter().all(|result| result.outcome.is_done()) => Ok(()),
        ResultForm::Table | ResultForm::TableOfFaults => {
            let rows = results.iter().map(row).collect();
            grouped::print_table(&["SERVER", "RESULT", "LINES", "WHY"], rows, ui)
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

fn record(result: &ServerResult) -> Value {
    json!({
        "result": result.outcome.in_words(),
        "exit_code": result.error.as_ref().map_or(Exit::Done, Error::exit) as u8,
        "error": result.error.as_ref().map(ToString::to_string),
        "id": result.id,
        "change": result.change,
    })
}

fn row(result: &ServerResult) -> Vec<String> {
    let lines = match result.lines {
        [0, 0] => "-".to_owned(),
        [added, removed] => format!("+{added} -{removed}"),
    };
    let why = result.error.as_ref().map_or("-".to_owned(), |error| {
        let lines = error.lines();
        let line = lines.first().map(|line| about(line, &result.server));
        // One that names the server would keep equal rows apart.
        let line = line.filter(|line| !line.contains(&result.server));
        line.map_or_else(|| error.word().to_owned(), str::to_owned)
    });
    vec![result.server.clone(), result.outcome.in_words().to_owned(), lines, one_line(&why)]
}

/// The number of servers with each result, where rows stand for several of them.
fn recap(results: &[ServerResult]) -> Option<String> {
    if results.len() <= ROWS_OF_THEIR_OWN {
        return None;
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for outcome in results.iter().map(|result| result.outcome.in_words()) {
        match counts.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => counts.push((outcome, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    Some(format!("{} servers: {}", results.len(), counts.join(", ")))
}

/// The exit code of a change that each server makes for itself.
pub fn exit_of_each(results: &[ServerResult]) -> Exit {
    let is_done = |result: &&ServerResult| {
        result.outcome.is_done() || result.outcome == ServerOutcome::TakenBack && result.error.is_none()
    };
    let done = results.iter().filter(is_done).count();
    let not_sent =
        |result: &ServerResult| result.outcome == ServerOutcome::NotChanged && result.error.is_none();
    let kind = |result: &ServerResult| match &result.error {
        Some(error) => Some(error.exit()),
        None => not_sent(result).then_some(Exit::Guarded),
    };
    exit_of(done, &results.iter().filter_map(kind).collect::<Vec<_>>())
}

//! A change on several servers: as it is evaluated on each, before anything is sent that could change something, and its
//! results, as a table or as an object for programs.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answers::{ROWS_OF_THEIR_OWN, about, by_text, exit_of, print_diffs, print_table};
use super::members::FleetMember;
use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::render::report::{all_lack, change_json, in_words};
use crate::cli::render::{grouped, new_warnings};
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, ChangeReport, Expected, OutcomeNote, ReportParts, RequestedChange};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeId, HistoryEntry, PendingInfo, Revision, WHOLE_HISTORY};
use mediaconf::one_line;

/// A change that a command makes on several servers.
pub struct FleetChange<'a> {
    pub args: &'a ChangeArgs,
    /// The options that go along with the change.
    pub options: ChangeOptions,
    /// The name of the command.
    pub command: &'static str,
    pub requested: &'a RequestedChange<'a>,
    /// The id of the change on each server; `None` if it is in no history.
    pub id: Option<ChangeId>,
    /// True if a rollback may undo other changes on each server.
    pub each: bool,
}

/// The change as one server would make it.
pub struct FleetPlan {
    /// The name of the command.
    pub operation: &'static str,
    /// The request as this server gets it, where that is not the one of all.
    pinned: Option<RequestedChange<'static>>,
    /// The condition under which the change is made: the server still has what it was evaluated on.
    expected: Option<Expected>,
    pub report: ChangeReport,
    /// The changes that a rollback undoes, the last one first.
    pub undone: Vec<HistoryEntry>,
    /// True if the server does not have the change that is to be taken back.
    pub lacks_change: bool,
    /// The change, where it is made already and waits to be confirmed.
    pub waiting: Option<PendingInfo>,
    /// The time at which the server was asked.
    pub asked: Instant,
    /// The id of the change; `None` where the server can't note one.
    pub id: Option<ChangeId>,
}

impl FleetPlan {
    /// Evaluates the change on a server.
    pub fn evaluate(member: &mut FleetMember, change: &FleetChange<'_>) -> Result<Self, Error> {
        let (service, asked) = (&*member.target.service, Instant::now());
        let (args, is_together) = (change.args, change.args.fleet.all_or_nothing);
        let (pinned, undone) = service.pinned(change.requested)?.unzip();
        if is_together {
            service.demand("dry runs")?;
        } else if args.confirm.is_some() {
            service.demand("changes that have to be confirmed")?;
        }
        let id = match service.demand("ids of changes") {
            Ok(()) => change.id.clone(),
            Err(error) if change.options.id.is_some() => return Err(error),
            Err(_) => None,
        };
        let lacks_change = match change.requested {
            RequestedChange::TakeBack(taken) => {
                !service.history(WHOLE_HISTORY)?.iter().any(|entry| entry.is_of(taken.as_str()))
            }
            _ => false,
        };
        let options = ChangeOptions {
            dry_run: true,
            confirm: None,
            // What is taken back together goes back to what ran: a file that was edited by hand is refused.
            expected: (is_together && !change.options.force).then_some(Expected::Any),
            ..change.options.clone()
        };
        let requested = pinned.as_ref().unwrap_or(change.requested);
        let mut report = match lacks_change {
            true => ChangeReport::default(),
            false => service.change(requested.by_ref(), &options)?,
        };
        if !args.dry_run
            && report.notes.contains(&OutcomeNote::OtherPending)
            && let Some(pending) = service.health()?.pending
        {
            return Err(Error::pending(&pending));
        }
        if is_together && report.changes_account {
            let message = format!(
                "`{}`: the change sets another login or password, so it can't be confirmed",
                member.name
            );
            let hint = "change `edit_auth` without `--all-or-nothing`";
            return Err(Error::new(ErrorKind::Guarded, message).hint(hint));
        }
        let waiting = report.pending.take().filter(|_| report.notes.contains(&OutcomeNote::HasChange));
        let is_of_hand_edit = |note: &OutcomeNote| {
            matches!(note, OutcomeNote::OverwroteHandEdit | OutcomeNote::PickedUpHandEdit(_))
        };
        let file = report.file.filter(|_| report.notes.iter().any(is_of_hand_edit));
        let made_of = |before| Expected::OneOf([Some(before), file].into_iter().flatten().collect());
        let expected = report.before.map(made_of).filter(|_| !change.options.force);
        let (operation, undone) = (change.command, undone.unwrap_or_default());
        Ok(Self { operation, pinned, expected, report, undone, lacks_change, waiting, asked, id })
    }

    /// Makes the change; with a time, it goes back unless it is confirmed within it.
    pub fn make(
        &self,
        member: &mut FleetMember,
        change: &FleetChange<'_>,
        time: Option<Duration>,
    ) -> Result<ChangeReport, Error> {
        let options = ChangeOptions {
            id: self.id.clone(),
            expected: self.expected.clone(),
            confirm: time,
            told: ReportParts::default(),
            ..change.options.clone()
        };
        let requested = self.pinned.as_ref().unwrap_or(change.requested);
        let made = member.target.service.change(requested.by_ref(), &options);
        let made = made.map_err(|error| error.at(&member.name))?;
        let new = made.warnings.iter().filter(|warning| !self.report.warnings.contains(warning));
        new.for_each(|warning| member.warn(&format!("{}: {warning}", member.name)));
        Ok(made)
    }

    /// The outcome on a server that has the change now.
    pub fn done(&self) -> ServerOutcome {
        if self.waiting.is_some() { ServerOutcome::Confirmed } else { ServerOutcome::Changed }
    }

    /// True if something is left to do: the server does not have the change, or it waits to be confirmed.
    pub fn is_open(&self) -> bool {
        self.report.changed || self.waiting.is_some()
    }

    /// The revision of a file that was edited by hand, if a rollback overwrites it.
    pub fn hand_edit(&self) -> Option<Revision> {
        self.report.file.filter(|_| self.report.notes.contains(&OutcomeNote::OverwroteHandEdit))
    }
}

impl FleetChange<'_> {
    /// Prints the differences, equal ones once, and the notes.
    pub fn print_summary(&self, results: &[ServerResult], ui: Ui) -> Result<(), Error> {
        let masker = ui.masker();
        let (mut diffs, mut notes, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for ServerResult { server, plan, .. } in results {
            let Some(FleetPlan { report, .. }) = plan else { continue };
            let server = server.as_str();
            diffs.push((server, (report.diff.clone(), Some(report.values.clone()))));
            let new_warnings = new_warnings(&report.new_warnings, masker.as_ref());
            let all = report.warnings.iter().cloned().chain(new_warnings);
            warnings.extend(all.map(|warning| (server, warning)));
            let own = report.notes.iter().map(|note| in_words(note, masker.as_ref()));
            let effects = report.effects.in_words().filter(|_| report.effects.streams > 1);
            let lacked = report.keys_lacked.iter().map(|key| all_lack(key));
            notes.extend(own.chain(effects).chain(lacked).map(|note| (server, note)));
        }
        by_text(warnings).for_each(|(servers, warning)| ui.warning(&format!("{servers}: {warning}")));
        if !self.args.quiet && self.args.output == ChangeFormat::Diff {
            print_diffs(diffs, ["before", "after"], ui)?;
            by_text(notes).for_each(|(servers, note)| ui.note(&format!("{servers}: {note}")));
        }
        Ok(())
    }
}

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
    /// The change that the server has made and that waits to be confirmed, if all have to make it.
    pub waits: Option<WaitingChange>,
}

/// A change that waits to be confirmed.
pub struct WaitingChange {
    pub id: String,
    /// It is not rolled back before.
    pub until: Instant,
}

impl ServerResult {
    /// The result on a server of which nothing more is known.
    pub fn new(server: String, outcome: ServerOutcome, error: Option<Error>) -> Self {
        Self { server, outcome, error, plan: None, waits: None }
    }
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

fn record(ServerResult { server, outcome, error, plan, .. }: &ServerResult, ui: Ui) -> Value {
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

fn row(ServerResult { server, outcome, error, plan, .. }: &ServerResult) -> Vec<String> {
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

//! A change on several servers: as it is evaluated on each, before anything is sent that could change something; which of
//! them get it first; and its results, as a table or as an object for programs.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answers::{ROWS_OF_THEIR_OWN, ServerAnswer, about, by_text, exit_of, print_diffs, print_table};
use super::members::FleetMember;
use super::names::in_ranges;
use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::change::ChangeCommand;
use crate::cli::confirmation;
use crate::cli::render::report::{self, change_json};
use crate::cli::render::{grouped, new_warnings};
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ChangeReport, Expected, OutcomeNote, ReportParts, RequestedChange, demand, waves,
};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeId, PendingInfo};
use mediaconf::one_line;

/// A change that a command makes on several servers.
pub struct FleetChange<'a> {
    pub command: ChangeCommand<'a>,
    pub requested: &'a RequestedChange<'a>,
    /// The id of the change on each server; `None` if it is in no history.
    pub id: Option<ChangeId>,
}

/// The change as one server would make it.
pub struct FleetPlan {
    /// The options with which it is made: if the server still has what it was evaluated on. The id is `None` where the
    /// server can't note one.
    options: ChangeOptions,
    pub report: ChangeReport,
    /// True if the server does not have the change that is to be rolled back.
    pub lacks_change: bool,
    /// The change, where it is made already and waits to be confirmed.
    pub waiting: Option<PendingInfo>,
    /// The time at which that goes back.
    pub goes_back_at: Option<Instant>,
}

impl FleetPlan {
    /// Evaluates the change on a server.
    pub fn evaluate(member: &mut FleetMember, change: &FleetChange<'_>) -> Result<Self, Error> {
        let service = &*member.target.service;
        let FleetChange { command: ChangeCommand { args, options, .. }, requested, id } = change;
        confirmation::let_others_end(service, args.waits_until(), options.id.as_ref())?;
        let is_together = args.is_together();
        if is_together || args.confirm.is_some() {
            demand(service, "changes that have to be confirmed")?;
        }
        let id = match demand(service, "ids of changes") {
            Err(error) if options.id.is_some() => return Err(error),
            can_note => id.clone().filter(|_| can_note.is_ok()),
        };
        let asked = Instant::now();
        let rehearsal = ChangeOptions { dry_run: true, confirm: None, ..options.clone() };
        let report = service.change((*requested).clone(), &rehearsal);
        let lacks_change = report.as_ref().is_err_and(|error| error.kind == ErrorKind::NoSuchChange);
        let mut report = if lacks_change { ChangeReport::default() } else { report? };
        if !args.dry_run
            && report.notes.contains(&OutcomeNote::OtherPending)
            && let Some(pending) = service.pending()?
        {
            return Err(Error::pending(&pending));
        }
        if is_together && report.changes_account {
            let what = "the change sets another login or password, so it can't be confirmed";
            let error = Error::new(ErrorKind::Guarded, format!("`{}`: {what}", member.name));
            return Err(error.hint("change `edit_auth` without this option"));
        }
        let waiting = report.pending.take().filter(|_| report.notes.contains(&OutcomeNote::HasChange));
        let is_of_hand_edit = |note: &OutcomeNote| {
            matches!(note, OutcomeNote::OverwroteHandEdit | OutcomeNote::FoundHandEdit(_))
        };
        let file = report.file.filter(|_| report.notes.iter().any(is_of_hand_edit));
        let made_of = |before| Expected::OneOf([Some(before), file].into_iter().flatten().collect());
        let expected = report.before.map(made_of).filter(|_| !options.force).or(options.expected.clone());
        let options = ChangeOptions { id, expected, told: ReportParts::default(), ..options.clone() };
        let goes_back_at = waiting.as_ref().map(|waiting| asked + Duration::from_secs(waiting.seconds_left));
        Ok(Self { options, report, lacks_change, waiting, goes_back_at })
    }

    /// Makes the change; with a time, it goes back unless it is confirmed within it.
    pub fn make(
        &self,
        member: &FleetMember,
        requested: &RequestedChange<'_>,
        confirm: Option<Duration>,
    ) -> Result<Option<PendingInfo>, Error> {
        let options = ChangeOptions { confirm, ..self.options.clone() };
        let made = member.target.service.change(requested.clone(), &options);
        let made = made.map_err(|error| error.at(&member.name))?;
        let new = made.warnings.iter().filter(|warning| !self.report.warnings.contains(warning));
        new.for_each(|warning| member.warn(&format!("{}: {warning}", member.name)));
        Ok(made.pending)
    }

    /// The outcome on a server that has the change now.
    pub fn done(&self) -> ServerOutcome {
        if self.waiting.is_some() { ServerOutcome::Confirmed } else { ServerOutcome::Changed }
    }

    /// True if something is left to do: the server does not have the change, or it waits to be confirmed.
    pub fn is_open(&self) -> bool {
        self.report.changed || self.waiting.is_some()
    }
}

/// Prints the differences, equal ones once, and the notes.
pub fn print_summary(args: &ChangeArgs, results: &[ServerResult], ui: Ui) -> Result<(), Error> {
    let masker = ui.masker;
    let (mut diffs, mut notes, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for ServerResult { server, plan, .. } in results {
        let Some(FleetPlan { report, .. }) = plan else { continue };
        let server = server.as_str();
        diffs.push((server, (report.diff.clone(), report.known_values().map(<[_]>::to_vec))));
        let new_warnings = new_warnings(&report.new_warnings, masker);
        warnings.extend(report.warnings.iter().cloned().chain(new_warnings).map(|text| (server, text)));
        let own = report::notes(report, args.output);
        let effects = report.effects.in_words().filter(|_| report.effects.streams > 1);
        notes.extend(own.chain(effects).map(|note| (server, note)));
    }
    by_text(warnings).for_each(|(servers, warning)| ui.warning(&format!("{servers}: {warning}")));
    let form = args.output;
    if form == ChangeFormat::Summary || !args.quiet && form == ChangeFormat::Diff {
        print_diffs(diffs, ["before", "after"], form, ui)?;
        by_text(notes).for_each(|(servers, note)| ui.note(&format!("{servers}: {note}")));
    }
    Ok(())
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
    /// It made the change, or may have, and goes back when its time is over.
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
            Self::TakenBack => "rolled back",
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

impl ServerResult {
    /// The result on a server of which nothing more is known.
    pub fn new(server: String, outcome: ServerOutcome, error: Option<Error>) -> Self {
        Self { server, outcome, error, plan: None }
    }

    /// The result of the evaluation.
    pub fn evaluated(ServerAnswer { server, result }: ServerAnswer<FleetPlan>, is_dry: bool) -> Self {
        let outcome = match &result {
            Err(_) => ServerOutcome::Refused,
            Ok(plan) if !plan.report.changed => ServerOutcome::Unchanged,
            Ok(_) if is_dry => ServerOutcome::WouldChange,
            Ok(_) => ServerOutcome::NotChanged,
        };
        let (plan, error) = result.map_or_else(|error| (None, Some(error)), |plan| (Some(plan), None));
        Self { server, outcome, error, plan }
    }
}

/// Prints what stands on each server; if that can't be printed, it is said on stderr. A quiet table is shown only if a
/// server lacks what was asked for.
pub fn print(
    results: &[ServerResult],
    command: &'static str,
    format: ChangeFormat,
    quiet: bool,
    ui: Ui,
) -> Result<(), Error> {
    let printed = match format {
        ChangeFormat::Json => {
            let record = |result: &ServerResult| (result.server.clone(), record(result, command, ui));
            ui.print_json(&results.iter().map(record).collect::<Map<_, _>>())
        }
        _ if quiet && results.iter().all(|result| result.outcome.is_done()) => Ok(()),
        _ => {
            let rows = results.iter().map(row).collect();
            print_table(&["SERVER", "RESULT", "LINES", "WHY"], rows, ui)
                .and_then(|()| print_recap(results, ui))
        }
    };
    if printed.is_err() {
        let line = |result: &ServerResult| format!("{}: {}", result.server, result.outcome.in_words());
        results.iter().for_each(|result| ui.loud().say(&line(result)));
    }
    printed
}

fn record(
    ServerResult { server, outcome, error, plan, .. }: &ServerResult,
    command: &'static str,
    ui: Ui,
) -> Value {
    let change = |plan: &FleetPlan| change_json((command, server), &plan.report, ui.masker);
    let is_changed = *outcome == ServerOutcome::Changed;
    json!({
        "result": outcome.in_words(),
        "exit_code": error.as_ref().map_or(Exit::Done, Error::exit) as u8,
        "error": error.as_ref().map(ToString::to_string),
        "id": plan.as_ref().and_then(|plan| plan.options.id.as_ref()).filter(|_| is_changed),
        "change": plan.as_ref().map(change),
    })
}

fn row(ServerResult { server, outcome, error, plan, .. }: &ServerResult) -> Vec<String> {
    let lines = plan.as_ref().map(|plan| (plan.report.lines_added, plan.report.lines_removed));
    let lines = lines.filter(|lines| *lines != (0, 0));
    let lines = lines.map_or("-".to_owned(), |(added, removed)| format!("+{added} -{removed}"));
    let why = error.as_ref().map_or("-".to_owned(), |error| {
        let lines = error.lines();
        // One that names the server would keep equal rows apart.
        let line = lines.first().map(|line| about(line, server)).filter(|line| !line.contains(server));
        one_line(line.unwrap_or(error.word()))
    });
    vec![server.clone(), outcome.in_words().to_owned(), lines, why]
}

/// Prints the number of servers with each result, where rows stand for several of them.
fn print_recap(results: &[ServerResult], ui: Ui) -> Result<(), Error> {
    if results.len() <= ROWS_OF_THEIR_OWN {
        return Ok(());
    }
    let outcomes = grouped(results.iter().map(|result| result.outcome.in_words()), |words| Some(*words));
    let counts: Vec<String> = outcomes.iter().map(|same| format!("{} {}", same.len(), same[0])).collect();
    ui.print(|out| writeln!(out, "{} servers: {}", results.len(), counts.join(", ")))
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

/// Returns the waves of servers that try the change before the rest; each holds the ones before it.
///
/// # Errors
/// `Usage` if they are none of the servers; `Guarded` if none of those that are named is to be changed: then nobody would
/// try it.
pub fn canaries(
    canary: &[String],
    changing: &[usize],
    results: &[ServerResult],
) -> Result<Vec<Vec<usize>>, Error> {
    let names: Vec<&str> = results.iter().map(|result| &*result.server).collect();
    let mut waves = waves(canary, &names, |at| changing.contains(&at)).map_err(|word| {
        let all = names.len();
        let message = format!(
            "`--canary {word}` is neither one of the {all} servers, nor so many of them, nor a percentage"
        );
        Error::usage(message, format!("the servers are {}", in_ranges(&names)))
    })?;
    waves.iter_mut().for_each(|wave| wave.retain(|at| changing.contains(at)));
    waves.retain(|wave| !wave.is_empty());
    waves.dedup();
    // Where the same change was made before, they have tried it.
    let has_it = |plan: &FleetPlan| plan.report.notes.contains(&OutcomeNote::HasChange);
    let have_it = || results.iter().filter_map(|result| result.plan.as_ref()).any(has_it);
    if !waves.is_empty() || canary.is_empty() || changing.is_empty() || have_it() {
        return Ok(waves);
    }
    let what = "the change changes nothing there, so it would not be tried";
    let message = format!("`--canary {}`: {what}", canary.join(","));
    let hint = "name a server that does not have it, or leave `--canary` out; no server was changed";
    Err(Error::new(ErrorKind::Guarded, message).hint(hint))
}

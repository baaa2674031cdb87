//! A change as it is evaluated on each server, before anything is sent that could change something.

use std::time::{Duration, Instant};

use super::answers::ServerAnswer;
use super::grouped::{GroupedDiffs, GroupedNotes};
use super::members::FleetMember;
use super::results::ServerOutcome;
use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::render::change_json::ChangeJson;
use crate::cli::render::notes::{all_lack, in_words, new_warnings};
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigService, Expected, OutcomeNote, ReportParts, RequestedChange,
};
use crate::error::Error;
use crate::store::{ChangeId, HistoryEntry, PendingInfo, Revision, WHOLE_HISTORY};
use mediaconf::Masker;

/// A change that a command makes on several servers.
pub struct FleetChange<'a> {
    pub args: &'a ChangeArgs,
    /// The options that go along with the change.
    pub options: ChangeOptions,
    /// The words for what the command does.
    pub verb: Verb,
    pub requested: &'a RequestedChange<'a>,
    /// The id of the change on each server; `None` if it is in no history.
    pub id: Option<ChangeId>,
    /// True if a rollback may undo other changes on each server.
    pub each: bool,
}

/// The change as one server would make it.
pub struct FleetPlan {
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
        let (pinned, undone) = service.pinned(change.requested)?.unzip();
        if let Some(needed) = change.needed() {
            service.demand(needed)?;
        }
        let id = match service.demand("ids of changes") {
            Ok(()) => change.id.clone(),
            Err(error) if change.options.id.is_some() => return Err(error),
            Err(_) => None,
        };
        if let RequestedChange::TakeBack(taken) = change.requested
            && !service.history(WHOLE_HISTORY)?.iter().any(|entry| entry.is_of(taken.as_str()))
        {
            let (report, undone) = (ChangeReport::default(), Vec::new());
            let (waiting, lacks_change) = (None, true);
            return Ok(Self {
                pinned: None,
                expected: None,
                report,
                undone,
                lacks_change,
                waiting,
                asked,
                id,
            });
        }
        let is_together = change.args.fleet.all_or_nothing;
        let options = ChangeOptions {
            dry_run: true,
            confirm: None,
            // What is taken back together goes back to what ran: a file that was edited by hand is refused.
            expected: (is_together && !change.options.force).then_some(Expected::Any),
            ..change.options.clone()
        };
        let report = service.change(pinned.as_ref().unwrap_or(change.requested).by_ref(), &options)?;
        if !change.args.dry_run && report.notes.contains(&OutcomeNote::OtherPending) {
            refuse_pending(service)?;
        }
        if is_together && report.changes_account {
            return Err(Error::changes_account(&member.name));
        }
        let expected = made_of(&report).filter(|_| !change.options.force);
        let undone = undone.unwrap_or_default();
        let waiting = report.pending.clone().filter(|_| report.notes.contains(&OutcomeNote::HasChange));
        Ok(Self { pinned, expected, report, undone, lacks_change: false, waiting, asked, id })
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

    /// The change for programs.
    pub fn record(
        &self,
        change: &FleetChange<'_>,
        server: &str,
        masker: Option<&Masker>,
    ) -> serde_json::Value {
        let record = ChangeJson::new((change.verb.operation(), server), &self.report, masker);
        serde_json::to_value(record).expect("a change has only texts as keys")
    }
}

/// The condition that what is there is what a change was evaluated on.
fn made_of(report: &ChangeReport) -> Option<Expected> {
    let is_of_hand_edit = |note: &OutcomeNote| {
        matches!(note, OutcomeNote::OverwroteHandEdit | OutcomeNote::PickedUpHandEdit(_))
    };
    let file = report.file.filter(|_| report.notes.iter().any(is_of_hand_edit));
    Some(Expected::OneOf([Some(report.before?), file].into_iter().flatten().collect()))
}

/// Refuses a server with a change that has to be confirmed: it would refuse another one.
fn refuse_pending(service: &dyn ConfigService) -> Result<(), Error> {
    service.health()?.pending.map_or(Ok(()), |pending| Err(Error::pending(&pending)))
}

impl FleetChange<'_> {
    /// What each server has to offer beyond the four operations.
    fn needed(&self) -> Option<&'static str> {
        match (self.args.fleet.all_or_nothing, self.args.confirm) {
            (true, _) => Some("dry runs"),
            (false, confirm) => confirm.map(|_| "changes that have to be confirmed"),
        }
    }

    /// Prints the differences, equal ones once, and the notes.
    pub fn print_summary(&self, plans: &[ServerAnswer<FleetPlan>], ui: Ui) -> Result<(), Error> {
        let masker = ui.masker();
        let (mut diffs, mut notes, mut warnings) =
            (GroupedDiffs::default(), GroupedNotes::default(), GroupedNotes::default());
        for ServerAnswer { server, result } in plans {
            let Ok(plan) = result else { continue };
            diffs.add(server, (&plan.report.diff, Some(&plan.report.values)), ["before", "after"], ui)?;
            let new_warnings = new_warnings(&plan.report.new_warnings, masker.as_ref());
            let all = plan.report.warnings.iter().cloned().chain(new_warnings);
            all.for_each(|warning| warnings.add(server, warning));
            let effects = &plan.report.effects;
            let effects = effects.in_words().filter(|_| effects.streams > 1);
            let in_words = |note| in_words(note, masker.as_ref());
            let own = plan.report.notes.iter().map(in_words);
            let lacked = plan.report.keys_lacked.iter().map(|key| all_lack(key));
            own.chain(effects).chain(lacked).for_each(|note| notes.add(server, note));
        }
        warnings.print_warnings(ui);
        if self.args.quiet || self.args.output != ChangeFormat::Diff {
            return Ok(());
        }
        diffs.print(ui)?;
        notes.print(ui);
        Ok(())
    }
}

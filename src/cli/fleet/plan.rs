//! A change as it is evaluated on each server, before anything is sent that could change something.

use super::answers::ServerAnswer;
use super::grouped::{GroupedDiffs, GroupedNotes};
use super::members::FleetMember;
use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::error::CliError;
use crate::cli::render::change_json::ChangeJson;
use crate::cli::render::notes::{all_lack, in_words, new_warnings};
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigService, ConfigSource, Content, ErrorKind, Expected, Feature,
    OutcomeNote, ReadForm, ReadQuery, Refusal, ReportParts,
};
use crate::store::Revision;
use mediaconf::model::Masker;

/// How often a change is evaluated again because the configuration was changed meanwhile.
const MAX_RETRIES: usize = 3;

/// What makes the change, or rehearses it.
pub type Operation<'o> =
    dyn Fn(&dyn ConfigService, &ChangeOptions) -> Result<ChangeReport, Refusal> + Sync + 'o;

/// A change that a command makes on several servers.
pub struct FleetChange<'a> {
    pub args: &'a ChangeArgs,
    /// The options that go along with the change.
    pub options: ChangeOptions,
    /// What the command does, in words.
    pub verb: Verb,
}

/// The change as one server would make it.
pub struct FleetPlan {
    /// What the change is made of: what the server runs, or its file where that was edited by hand.
    pub base: Content,
    pub report: ChangeReport,
}

impl FleetPlan {
    /// Evaluates the change on a server.
    pub fn of(
        member: &mut FleetMember,
        change: &FleetChange<'_>,
        operation: &Operation<'_>,
    ) -> Result<Self, CliError> {
        let service = &*member.target.service;
        service.demand(change.needed())?;
        let (mut source, mut last, mut retries) = (None, None, 0);
        loop {
            let base = service.read(&ReadQuery { source, form: ReadForm::TextOrJson })?.content;
            let revision = base.snapshot().map(|text| text.revision());
            let options = ChangeOptions {
                dry_run: true,
                confirm: None,
                expected: change.expected(&base),
                ..change.options.clone()
            };
            match operation(service, &options) {
                Err(error) if error.error_kind() == ErrorKind::Conflict && retries < MAX_RETRIES => {
                    // What runs did not change, so the file did. Only a change of each server for itself picks that
                    // up: what is taken back together goes back to what ran.
                    if last.is_some() && last == revision && !change.args.fleet.all_or_nothing {
                        source = Some(ConfigSource::Saved);
                    }
                    (last, retries) = (revision, retries + 1);
                }
                report => {
                    let plan = Self { base, report: report? };
                    if !change.args.dry_run && plan.report.notes.contains(&OutcomeNote::OtherPending) {
                        refuse_pending(service)?;
                    }
                    return match change.args.fleet.all_or_nothing && plan.report.changes_account {
                        true => Err(CliError::changes_account(&member.name)),
                        false => Ok(plan),
                    };
                }
            }
        }
    }

    /// Keeps the warnings that came when the change was made, and not when it was evaluated.
    pub fn keep_warnings(&self, made: &ChangeReport, member: &FleetMember) {
        let new = made.warnings.iter().filter(|warning| !self.report.warnings.contains(warning));
        new.for_each(|warning| member.warn(&format!("{}: {warning}", member.name)));
    }

    /// The revision that the change is made of, and the one that the server will run; `None` if the
    /// server does not show its text.
    pub fn revisions(&self) -> Option<[Revision; 2]> {
        Some([self.base.snapshot()?.revision(), self.report.after?])
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

/// Refuses a server with a change that has to be confirmed: it would refuse another one.
fn refuse_pending(service: &dyn ConfigService) -> Result<(), Refusal> {
    service.status()?.pending.map_or(Ok(()), |pending| Err(Refusal::pending(&pending)))
}

impl FleetChange<'_> {
    /// What each server has to offer.
    fn needed(&self) -> &'static [Feature] {
        match (self.args.fleet.all_or_nothing, self.args.confirm) {
            (true, _) => &[Feature::DryRun, Feature::IfMatch, Feature::Conf, Feature::Confirm],
            (false, Some(_)) => &[Feature::Confirm],
            (false, None) => &[],
        }
    }

    /// The condition under which the change is made: the server still has what it was evaluated on.
    pub fn expected(&self, base: &Content) -> Option<Expected> {
        let base = base.snapshot().filter(|_| !self.options.force)?;
        Some(Expected::OneOf(vec![base.revision()]))
    }

    /// The options with which the planned change is made.
    pub fn options(&self, plan: &FleetPlan) -> ChangeOptions {
        let expected = self.expected(&plan.base);
        ChangeOptions { expected, told: ReportParts::default(), ..self.options.clone() }
    }

    /// Prints the differences, equal ones once, and the notes.
    pub fn print_summary(&self, plans: &[ServerAnswer<FleetPlan>], ui: Ui) -> Result<(), CliError> {
        let masker = ui.masker();
        let (mut diffs, mut notes) = (GroupedDiffs::default(), GroupedNotes::default());
        for ServerAnswer { server, result } in plans {
            let Ok(plan) = result else { continue };
            diffs.add(server, (&plan.report.diff, Some(&plan.report.values)), ["before", "after"], ui)?;
            plan.report.warnings.iter().for_each(|warning| ui.warning(&format!("{server}: {warning}")));
            let new_warnings = new_warnings(&plan.report.new_warnings, masker.as_ref());
            new_warnings.iter().for_each(|warning| ui.warning(&format!("{server}: {warning}")));
            let effects = &plan.report.effects;
            let effects = effects.in_words().filter(|_| effects.streams > 1);
            let in_words = |note| in_words(note, masker.as_ref());
            let own = plan.report.notes.iter().map(in_words);
            let lacked = plan.report.keys_lacked.iter().map(|key| all_lack(key));
            own.chain(effects).chain(lacked).for_each(|note| notes.add(server, note));
        }
        if self.args.quiet || self.args.output != ChangeFormat::Diff {
            return Ok(());
        }
        diffs.print(ui)?;
        notes.print(ui);
        Ok(())
    }
}

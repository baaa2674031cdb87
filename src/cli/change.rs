//! What the commands that change something share: the questions, the report, and the wait for what becomes of the change.
//!
//! A change of many entries, or of a command that always asks, is rehearsed and shown before the question. Without a terminal
//! nothing is asked.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::confirmation;
use crate::cli::prompts;
use crate::cli::render::report::Report;
use crate::cli::render::texts::{masked_entry, paths_and_more, print_change};
use crate::cli::target::{self, Target};
use crate::cli::ui::{Ui, output};
use crate::engine::{
    COMMANDS, ChangeOptions, ChangeReport, ConfigService, Decision, Expected, Guard, OutcomeNote,
    ReportParts, RequestedChange, StatusPart, reverted_in,
};
use crate::error::{Error, ErrorKind, Exit};
use crate::progress;
use crate::store::file::ConfFile;
use crate::store::{ChangeRange, ChangeRef, HistoryEntry, Reverted, WHOLE_HISTORY};
use mediaconf::{AssignOptions, Masker, one_line};

/// A change of more streams, lives and plugins than this is asked about.
const MOST_UNASKED: usize = 20;

/// A command that makes a change, and how it reports the outcome.
#[derive(Clone)]
pub struct ChangeCommand<'a> {
    /// The options that all changes have.
    pub args: &'a ChangeArgs,
    /// The options that go along with the change.
    pub options: ChangeOptions,
    /// The nodes of a cluster that take the change first, and then with others.
    pub waves: Vec<Vec<String>>,
    /// The name of the command.
    pub name: &'static str,
    /// True if the user has seen the diff already.
    pub diff_was_shown: bool,
    /// Describes the part of a rehearsed change that needs a question; `None` if it needs none.
    pub asks_about: Option<fn(&ChangeReport) -> Option<String>>,
}

impl<'a> ChangeCommand<'a> {
    /// A change with the options that all changes have.
    pub fn new(args: &'a ChangeArgs, name: &'static str) -> Self {
        let mut options = args.options();
        // The history names another change by its command.
        options.command = COMMANDS.contains(&name).then(|| name.into());
        Self { args, options, waves: Vec::new(), name, diff_was_shown: false, asks_about: None }
    }

    /// The options of the edits that the change consists of.
    pub fn assigning(&self) -> AssignOptions {
        AssignOptions { near_misses: self.options.accepts(&Guard::NearMiss), ..AssignOptions::default() }
    }

    /// Makes the change on the one target.
    pub fn run_on_target(
        self,
        Invocation { global, ui, .. }: Invocation<'_>,
        requested: RequestedChange<'_>,
    ) -> Result<Exit, Error> {
        let target = target::resolve(global, self.args.into(), ui)?;
        self.agree_to_cluster(&target, ui)?;
        let service = &*target.service;
        let pinned = match requested {
            RequestedChange::Rollback(which) => self.pin_rollback(which, service, ui)?,
            RequestedChange::Revert(reverted @ Reverted::Numbers(_)) => {
                let entries = service.history(WHOLE_HISTORY)?;
                let undone = reverted_in(&entries, &reverted)?;
                tell_undone(&undone, ui);
                let one = |entry: &HistoryEntry| ChangeRange([ChangeRef::Number(entry.number); 2]);
                RequestedChange::Revert(Reverted::Numbers(undone.into_iter().map(one).collect()))
            }
            other => other,
        };
        self.run_on(service, ui, pinned)
    }

    /// Returns the rollback by its number, because another change would be the last one then; asks if it undoes more than one.
    fn pin_rollback(
        &self,
        which: ChangeRef,
        service: &dyn ConfigService,
        ui: Ui,
    ) -> Result<RequestedChange<'static>, Error> {
        let entries = service.history(WHOLE_HISTORY)?;
        let Some(first) = which.find(&entries) else { return Ok(RequestedChange::Rollback(which)) };
        let HistoryEntry { number, operation, .. } = &entries[first];
        let undone: Vec<_> = entries[..=first].iter().filter(|entry| !entry.is_aside).collect();
        if undone.len() > 1 {
            let agreed = self.args.is_agreed();
            let what = format!("rollback to the text before change {number} undoes {} changes", undone.len());
            tell_undone(&undone, if agreed { ui } else { ui.loud() });
            if !agreed {
                prompts::agree(&format!("{what}: go on?"), what, "`--yes` undoes them all")?;
            }
        }
        ui.note(&format!("back to the text before change {number}, {}", one_line(operation)));
        Ok(RequestedChange::Rollback(ChangeRef::Number(*number)))
    }

    /// Says which nodes a change of the file of one of them changes, and asks.
    ///
    /// # Errors
    /// Nobody agreed.
    pub fn agree_to_cluster(&self, target: &Target, ui: Ui) -> Result<(), Error> {
        // A node has noted what it follows, so that no other server is asked.
        let follows = |file: &Arc<ConfFile>| file.followed().is_ok_and(|followed| followed.runs.is_some());
        let is_shared =
            target.is_server && target.file.as_ref().is_some_and(follows) && self.name != "update";
        if !is_shared {
            return Ok(());
        }
        let status = target.service.status(StatusPart::Server).unwrap_or_default();
        let Some(node) = status.node else { return Ok(()) };
        let nodes = target.service.status(StatusPart::Nodes)?.nodes;
        let count = match nodes.unwrap_or_default().len() {
            1 => "1 node".to_owned(),
            count => format!("all {count} nodes"),
        };
        let of = format!("the cluster {}", one_line(&node.cluster));
        let (file, name) = (target.service.name(), &node.name);
        let what = format!("{file} is the file of node {name}: this changes {count} of {of}");
        if self.args.is_agreed() {
            ui.note(&what);
            return Ok(());
        }
        prompts::agree(&format!("{what}: go on?"), what, "`--yes` answers the question")
    }

    /// Makes the change: asks its questions, reports the outcome, and waits for the confirmation if one is needed.
    pub fn run_on(
        mut self,
        service: &dyn ConfigService,
        ui: Ui,
        requested: RequestedChange<'_>,
    ) -> Result<Exit, Error> {
        self.waves = confirmation::name_canaries(self.args, &mut self.options, service, ui)?;
        let until = self.args.waits_until();
        confirmation::let_others_end(service, until, self.options.id.as_ref())?;
        if self.is_asked(&requested)
            && let Some(agreed) = self.ask(service, ui, &requested)?
        {
            (self.options, self.diff_was_shown) = (agreed, true);
        }
        let (args, target) = (self.args, service.name().to_owned());
        let report = self.report(&target, ui);
        let mut options = ChangeOptions { told: report.parts(), ..self.options };
        // A guard that refuses the change becomes a question.
        let accepts = |guard: &Guard, _: Error| prompts::confirm(&format!("{guard}: go on?"));
        let step = progress::step(format!("{}: {target}", self.name));
        let made = guarded(service, &requested, &mut options, until, accepts)?;
        drop(step);
        report.print(&made)?;
        let waits = made.notes.contains(&OutcomeNote::HasChange) && options.canary.is_empty();
        match &made.pending {
            Some(_) if waits && args.dry_run => ui.note("it waits to be confirmed"),
            Some(pending) if waits => {
                service.decide(Decision::Keep, Some(&pending.id), &options.by)?;
                ui.note("it waited to be confirmed; now it is confirmed");
            }
            Some(_) if options.canary.is_empty() => {
                ui.note(&confirmation::how_to_confirm(&target, args.confirm.unwrap_or_default()));
            }
            Some(pending) => confirmation::watch_canary(service, pending, &self.waves, &report)?,
            None => {}
        }
        Ok(if args.exit_code && made.changed { Exit::Changed } else { Exit::Done })
    }

    /// Returns the report of the change of `target`.
    pub fn report<'r>(&self, target: &'r str, ui: Ui) -> Report<'r>
    where
        'a: 'r,
    {
        Report { ui, target, command: self.name, args: self.args, diff_was_shown: self.diff_was_shown }
    }

    /// True if the change is rehearsed first.
    fn is_asked(&self, requested: &RequestedChange<'_>) -> bool {
        let is_of_few =
            matches!(requested, RequestedChange::Modify(request) if request.names_few(MOST_UNASKED));
        let is_agreed = self.diff_was_shown || self.args.is_agreed();
        (self.asks_about.is_some() || !is_of_few) && !is_agreed && prompts::can_ask()
    }

    /// Rehearses the change, shows it and asks. Returns the options with which it is made, for the configuration
    /// that it was shown for; `None` if it needs no question.
    fn ask(
        &self,
        service: &dyn ConfigService,
        ui: Ui,
        requested: &RequestedChange<'_>,
    ) -> Result<Option<ChangeOptions>, Error> {
        let secrets = ui.masker == Masker::Off;
        let told = ReportParts { diff: true, values: true, secrets, ..ReportParts::default() };
        let mut agreed = ChangeOptions { dry_run: true, told, ..self.options.clone() };
        let mut refusal: Option<Error> = None;
        // A dry run that accepts the guards which ask; the last refusal of such a guard is told.
        let report = guarded(service, requested, &mut agreed, None, |_, error| {
            refusal = Some(error);
            Ok(true)
        })?;
        let mut reasons: Vec<String> = refusal.iter().map(ToString::to_string).collect();
        reasons.extend(self.asks_about.and_then(|about| about(&report)));
        if refusal.is_none() {
            let effects = &report.effects;
            reasons.extend(effects.in_words().filter(|_| effects.entries() > MOST_UNASKED));
        }
        if reasons.is_empty() || !report.changed {
            return Ok(None);
        }
        let (differing, names) = ((&*report.diff, report.known_values()), [service.name(); 2]);
        let form = self.args.output.for_people();
        output(print_change(form, differing, names, ui.on_stderr(), &mut io::stderr().lock()))?;
        if !prompts::confirm(&format!("{}: go on?", reasons.join("; ")))? {
            return Err(refusal.unwrap_or_else(|| Error::new(ErrorKind::Guarded, "the change was not made")));
        }
        // Of a text that is not there any more, the change is not made.
        if agreed.expected.is_none() && !report.notes.contains(&OutcomeNote::OverwroteHandEdit) {
            agreed.expected = report.before.map(|revision| Expected::OneOf(vec![revision]));
        }
        Ok(Some(ChangeOptions { dry_run: false, ..agreed }))
    }
}

/// Makes a change, or rehearses it; where a guard that asks refuses it, it is tried again if that is accepted, and until
/// this time also while another change has to be confirmed.
fn guarded(
    service: &dyn ConfigService,
    requested: &RequestedChange<'_>,
    options: &mut ChangeOptions,
    until: Option<Instant>,
    mut accepts: impl FnMut(&Guard, Error) -> Result<bool, Error>,
) -> Result<ChangeReport, Error> {
    loop {
        let error = match service.change(requested.clone(), options) {
            Ok(report) => return Ok(report),
            // Another command was faster.
            Err(error)
                if error.kind == ErrorKind::Pending && until.is_some_and(|until| Instant::now() < until) =>
            {
                confirmation::let_others_end(service, until, options.id.as_ref())?;
                thread::sleep(confirmation::INTERVAL);
                continue;
            }
            Err(error) => error,
        };
        match error.guard.clone().filter(Guard::is_question) {
            Some(guard) if !options.accepts(&guard) && accepts(&guard, error.clone())? => {
                options.accepted.push(guard);
            }
            _ => return Err(error),
        }
    }
}

/// Names changes that are to be undone; where a refusal is JSON, nothing stands before it.
fn tell_undone(undone: &[&HistoryEntry], ui: Ui) {
    for entry in undone.iter().filter(|_| !ui.json) {
        let HistoryEntry { number, operation, by, message, paths, .. } =
            masked_entry((*entry).clone(), ui.masker);
        let paths = paths.filter(|all| all.count > 0);
        let paths = paths.map(|all| paths_and_more(all.first.into_iter(), all.count));
        let words: Vec<String> = [Some(operation), by, message, paths].into_iter().flatten().collect();
        ui.note(&one_line(&format!("to undo: change {number}, {}", words.join(", "))));
    }
}

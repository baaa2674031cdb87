//! The common part of the commands that change something: questions of guards, the report, and the
//! countdown of a change that has to be confirmed.

use crate::cli::args::changing::ChangeArgs;
use crate::cli::canary;
use crate::cli::context;
use crate::cli::countdown;
use crate::cli::fleet::{self, plan::FleetChange};
use crate::cli::interrupt::LastWords;
use crate::cli::invocation::Invocation;
use crate::cli::prompts;
use crate::cli::rehearsal::{MOST_UNASKED, Question};
use crate::cli::render::report::{Report, Verb, all_lack};
use crate::cli::rolled_out;
use crate::cli::target;
use crate::cli::ui::Ui;
use crate::engine::{
    ChangeOptions, ConfigService, Decision, Guard, OutcomeNote, ReportParts, RequestedChange,
};
use crate::error::{Error, Exit};
use crate::store::{ChangeId, HistoryEntry};
use mediaconf::{Request, one_line};

/// A command that makes a change, and how it reports the outcome.
#[derive(Clone)]
pub struct ChangeCommand<'a> {
    /// The options that all changes have.
    pub args: &'a ChangeArgs,
    /// The options that go along with the change.
    pub options: ChangeOptions,
    /// The words for what the command does.
    pub verb: Verb,
    /// True if the user has seen the diff already.
    pub diff_was_shown: bool,
    /// The question that is asked, with the diff, before the change is made.
    pub question: Question,
    /// True if a rollback of several servers may undo other changes on each.
    pub each: bool,
}

impl<'a> ChangeCommand<'a> {
    /// A change with the options that all changes have.
    pub fn new(args: &'a ChangeArgs, verb: Verb) -> Self {
        let question = Question { may_be_many: true, ..Question::default() };
        Self { args, options: args.options(), verb, diff_was_shown: false, question, each: false }
    }

    /// The same, named in the history by the command that makes it.
    pub fn named(mut self, command: &'static str) -> Self {
        self.options.command = Some(command.into());
        self.verb = self.verb.with_operation(command);
        self
    }

    /// The same for this request.
    pub fn with_request(mut self, request: &Request) -> Self {
        self.question.may_be_many = !request.names_few(MOST_UNASKED);
        self
    }

    /// Makes the change: asks the questions of guards, reports the outcome, and waits for the confirmation if one is
    /// needed.
    pub fn run(
        self,
        Invocation { global, ui, .. }: Invocation<'_>,
        requested: RequestedChange<'_>,
    ) -> Result<Exit, Error> {
        if let Some(contexts) = context::several(global)? {
            if self.args.wait.is_some() {
                return Err(rolled_out::no_cluster());
            }
            let Self { args, options, verb, each, .. } = self;
            let masked = ReportParts::masked_by(ui.masker().as_ref());
            let told = ReportParts { diff: true, values: true, ..masked };
            let options = ChangeOptions { told, ..options };
            let id = match requested {
                RequestedChange::Update(_) => None,
                _ => Some(options.id.clone().unwrap_or_else(ChangeId::random)),
            };
            let change = FleetChange { args, options, verb, requested: &requested, id, each };
            return fleet::change::run(&change, contexts, global, ui);
        }
        let mut target = target::resolve(global, self.args.into(), ui)?;
        let question = Question { protected: target.protected.take(), ..self.question };
        let mut this = Self { question, ..self };
        let service = &*target.service;
        if this.args.wait.is_some() && service.status()?.nodes.is_none() {
            return Err(rolled_out::no_cluster());
        }
        match canary::options(this.args, &this.options, service)? {
            Some(options) => this.options = options,
            None => this.args.fleet.refuse_for_one()?,
        }
        match service.pinned(&requested)? {
            Some((pinned, undone)) => {
                undone.last().iter().for_each(|entry| this.report("", ui).note(&back_to(entry)));
                this.run_on(service, ui, pinned)
            }
            None => this.run_on(service, ui, requested),
        }
    }

    /// The same for a service that was found already.
    pub fn run_on(
        mut self,
        service: &dyn ConfigService,
        ui: Ui,
        requested: RequestedChange<'_>,
    ) -> Result<Exit, Error> {
        if self.options.id.is_some() {
            service.demand("ids of changes")?;
        }
        if !self.diff_was_shown
            && self.question.is_asked(self.args)
            && let Some(agreed) = self.question.ask(service, ui, &self.options, &requested)?
        {
            (self.options, self.diff_was_shown) = (agreed, true);
        }
        let (args, target) = (self.args, service.name().to_owned());
        let report = self.report(&target, ui);
        let options = ChangeOptions { told: report.parts(), ..self.options };
        let made = match prompts::can_ask() {
            true => with_guards(options.clone(), |options| service.change(requested.by_ref(), options))?,
            false => service.change(requested, &options)?,
        };
        report.print(&made)?;
        made.keys_lacked.iter().for_each(|key| report.note(&all_lack(key)));
        let waits = made.notes.contains(&OutcomeNote::HasChange) && options.canary.is_empty();
        match &made.pending {
            Some(_) if waits && args.dry_run => report.note("it waits to be confirmed"),
            Some(pending) if waits => {
                service.decide(Decision::Keep, Some(&pending.id), &options.by)?;
                report.note("it waited to be confirmed, and is confirmed");
            }
            Some(pending) if !options.canary.is_empty() => {
                canary::watch(service, pending, &options, &report)?
            }
            Some(pending) => {
                let time = args.confirm.unwrap_or_default();
                countdown::run(service, &pending.id, time, &report)?;
            }
            None => {}
        }
        if let Some(time) = args.wait.filter(|_| made.changed && !args.dry_run) {
            let line = format!("the change of {target} is made, and waiting for its nodes has ended");
            let last_words = LastWords::new(ui, move || line.clone());
            let missing = rolled_out::wait_for_made(service, time);
            drop(last_words);
            if !missing.is_empty() {
                return Ok(rolled_out::exit_of(&missing, ui));
            }
        }
        Ok(if args.exit_code && made.changed { Exit::Changed } else { Exit::Done })
    }

    /// Returns the report of the change of `target`.
    pub fn report<'r>(&self, target: &'r str, ui: Ui) -> Report<'r>
    where
        'a: 'r,
    {
        Report { ui, target, verb: self.verb, args: self.args, diff_was_shown: self.diff_was_shown }
    }
}

/// The change that a rollback goes back behind, in words.
fn back_to(entry: &HistoryEntry) -> String {
    let back = entry.number.map_or(String::new(), |number| format!(" (`@{number}`)"));
    format!("back to the text before `#{}`{back}, {}", entry.serial, one_line(&entry.operation))
}

/// Runs an operation. On a terminal, a guard that refuses it becomes a question.
fn with_guards<T>(
    mut options: ChangeOptions,
    mut operation: impl FnMut(&ChangeOptions) -> Result<T, Error>,
) -> Result<T, Error> {
    loop {
        let error = match operation(&options) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        match error.guard.clone().filter(Guard::is_question) {
            Some(guard) if ask(&format!("{guard}: go on?"))? => options.accepted.push(guard),
            _ => return Err(error),
        }
    }
}

/// Asks a question; without a terminal the answer is no.
fn ask(question: &str) -> Result<bool, Error> {
    let answer = prompts::confirm(question).map_err(Error::prompt_failed)?;
    Ok(answer == Some(true))
}

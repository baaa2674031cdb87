//! Several servers, open at the same time.

use indicatif::ProgressBar;

use super::host::{SilentHost, Warnings};
use super::parallel::{bar, in_parallel};
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::ServerContext;
use crate::cli::error::CliError;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;

/// The name of work that shows no bar.
pub const UNSEEN: &str = "";

/// The servers that a command works on.
pub struct Fleet {
    pub members: Vec<FleetMember>,
    pub jobs: usize,
    pub ui: Ui,
}

/// One of them.
pub struct FleetMember {
    /// The name of its context.
    pub name: String,
    pub target: Target,
    /// Stands for the configuration that was read last.
    pub tag: Option<String>,
    warnings: Warnings,
}

impl Fleet {
    /// Finds the way to each server, and asks for passwords; sends nothing.
    pub fn open(contexts: Vec<ServerContext>, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        if global.chosen.hooks {
            return Err(target::hooks_of_a_server());
        }
        let member = |context: ServerContext| {
            let warnings = Warnings::default();
            let target = target::at_member(&context, global, Box::new(SilentHost(warnings.clone())))?;
            Ok(FleetMember { name: context.name, target, tag: None, warnings })
        };
        let members = contexts.into_iter().map(member).collect::<Result<_, CliError>>()?;
        Ok(Self { members, jobs: global.jobs, ui })
    }

    /// Asks all servers at the same time; prints the warnings.
    pub fn ask<T: Send>(
        &mut self,
        what: &'static str,
        work: impl Fn(&mut FleetMember) -> Result<T, CliError> + Sync,
    ) -> Vec<ServerAnswer<T>> {
        let answers = self.ask_while(what, &|| true, work);
        let heard = |answer: ServerAnswer<Option<T>>| {
            let result = answer.result.map(|found| found.expect("every server is asked"));
            ServerAnswer { server: answer.server, result }
        };
        answers.into_iter().map(heard).collect()
    }

    /// Asks the servers as long as it goes on; of one that was not asked there is nothing.
    pub fn ask_while<T: Send>(
        &mut self,
        what: &'static str,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(&mut FleetMember) -> Result<T, CliError> + Sync,
    ) -> Vec<ServerAnswer<Option<T>>> {
        let all: Vec<usize> = (0..self.members.len()).collect();
        let work = |_, member: &mut FleetMember| work(member).map_err(|error| error.at(&member.name));
        let found = self.on(&all, what, goes_on, work);
        let answers = self.members.iter().zip(found);
        answers
            .map(|(member, result)| ServerAnswer { server: member.name.clone(), result: result.transpose() })
            .collect()
    }

    /// Works on some of the servers at the same time, as long as it goes on; the results are in the order of
    /// `which`. A terminal shows the progress.
    pub fn on<T: Send>(
        &mut self,
        which: &[usize],
        what: &'static str,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(usize, &mut FleetMember) -> T + Sync,
    ) -> Vec<Option<T>> {
        let bar = if what == UNSEEN { ProgressBar::hidden() } else { bar(which.len(), what) };
        let items = self.members.iter_mut().enumerate().filter(|(at, _)| which.contains(at));
        let done = |(at, member): (usize, &mut FleetMember)| work(at, member);
        let found = in_parallel(items, (which.len(), self.jobs), goes_on, done, || bar.inc(1));
        bar.finish_and_clear();
        self.members.iter().for_each(|member| member.print_warnings(self.ui));
        found
    }
}

impl FleetMember {
    /// Prints the warnings that are kept, and from now on each as it comes.
    pub fn print_warnings_from_now(&self, ui: Ui) {
        self.print_warnings(ui);
        self.warnings.print_from_now(ui);
    }

    /// Keeps a warning until the work on all servers is done.
    pub fn warn(&self, text: &str) {
        self.warnings.add(text);
    }

    /// Prints the warnings that came since the last call.
    pub fn print_warnings(&self, ui: Ui) {
        self.warnings.take().iter().for_each(|warning| ui.warning(warning));
    }
}

/// What one server answered.
pub struct ServerAnswer<T> {
    pub server: String,
    pub result: Result<T, CliError>,
}

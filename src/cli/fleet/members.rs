//! Several servers, open at the same time.

use std::collections::BTreeMap;

use super::answers::{Answers, ServerAnswer};
use super::host::{SilentHost, Warnings};
use super::parallel::in_parallel;
use super::progress::ProgressBar;
use crate::cli::Invocation;
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::{self, ServerContext};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::error::Error;

/// The name of work that shows no bar.
pub const UNSEEN: &str = "";

/// The most bytes that the answers of servers that are asked at the same time have, all together.
const ANSWERS_TOGETHER: u64 = 1 << 30;

/// The number of a server in its fleet, in the order of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerNumber(pub usize);

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
    warnings: Warnings,
    /// The output, if no other server is named.
    alone: Option<Ui>,
}

impl Invocation<'_> {
    /// The servers that are named, or the one server or file that a command works on.
    pub fn fleet(self, purpose: Purpose) -> Result<Fleet, Error> {
        let Self { global, ui, .. } = self;
        match context::several(global)? {
            Some(contexts) => {
                if purpose.changes {
                    context::refuse_one_server_twice(&contexts)?;
                }
                Fleet::open(contexts, global, ui)
            }
            None => Ok(Fleet::of_one(target::resolve(global, purpose, ui)?, global, ui)),
        }
    }

    /// Asks the servers that are named, or the one that a command works on.
    pub fn ask<T: Send>(
        self,
        what: &'static str,
        work: impl Fn(&mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Result<Answers<T>, Error> {
        self.fleet(Purpose::default())?.gather(what, work)
    }
}

impl Fleet {
    /// Finds the way to each server, and asks for passwords; sends nothing.
    pub fn open(contexts: Vec<ServerContext>, global: &GlobalArgs, ui: Ui) -> Result<Self, Error> {
        if global.chosen.hooks {
            return Err(target::hooks_of_a_server());
        }
        let jobs = jobs(&contexts, global);
        let member = |context: ServerContext| {
            let warnings = Warnings::default();
            let target = target::at_member(&context, global, Box::new(SilentHost(warnings.clone())))?;
            Ok(FleetMember { name: context.name, target, warnings, alone: None })
        };
        let members = contexts.into_iter().map(member).collect::<Result<_, Error>>()?;
        Ok(Self { members, jobs, ui })
    }

    /// A fleet of one server.
    fn of_one(target: Target, global: &GlobalArgs, ui: Ui) -> Self {
        let name = target.service.name().to_owned();
        let member = FleetMember { name, target, warnings: Warnings::default(), alone: Some(ui) };
        Self { members: vec![member], jobs: global.jobs, ui }
    }

    /// Asks all servers; the error of the only one ends the command.
    pub fn gather<T: Send>(
        mut self,
        what: &'static str,
        work: impl Fn(&mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Result<Answers<T>, Error> {
        match &mut self.members[..] {
            [one] if one.is_alone() => {
                let answer = work(one)?;
                Ok(Answers::of_one(one.name.clone(), answer, self.ui))
            }
            _ => Ok(Answers::of_several(self.ask(what, work), self.ui)),
        }
    }

    /// Asks all servers at the same time; prints the warnings.
    pub fn ask<T: Send>(
        &mut self,
        what: &'static str,
        work: impl Fn(&mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Vec<ServerAnswer<T>> {
        let all: Vec<ServerNumber> = (0..self.members.len()).map(ServerNumber).collect();
        let work = |_, member: &mut FleetMember| work(member).map_err(|error| error.at(&member.name));
        let mut found = self.on(&all, what, &|| true, work);
        let answer = |(member, at): (&FleetMember, ServerNumber)| ServerAnswer {
            server: member.name.clone(),
            result: found.remove(&at).expect("every server is asked"),
        };
        self.members.iter().zip(all).map(answer).collect()
    }

    /// Works on some of the servers at the same time, as long as it goes on, and returns the result of each that was
    /// asked. A terminal shows the progress.
    pub fn on<T: Send>(
        &mut self,
        which: &[ServerNumber],
        what: &'static str,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(ServerNumber, &mut FleetMember) -> T + Sync,
    ) -> BTreeMap<ServerNumber, T> {
        let mut bar =
            if what == UNSEEN { ProgressBar::hidden() } else { ProgressBar::new(which.len(), what) };
        let all = self.members.iter_mut().enumerate().map(|(at, member)| (ServerNumber(at), member));
        let items = all.filter(|(at, _)| which.contains(at));
        let done = |(at, member): (ServerNumber, &mut FleetMember)| (at, work(at, member));
        let found = in_parallel(items, (which.len(), self.jobs), goes_on, done, || bar.advance());
        drop(bar);
        self.members.iter().for_each(|member| member.print_warnings(self.ui));
        found.into_iter().flatten().collect()
    }
}

/// Returns the number of servers that are asked at the same time: fewer if their answers may be large.
fn jobs(contexts: &[ServerContext], global: &GlobalArgs) -> usize {
    let sizes = contexts.iter().map(|context| global.remote.answer(context.max_answer).bytes());
    let most = sizes.max().map_or(global.jobs as u64, |largest| ANSWERS_TOGETHER / largest);
    usize::try_from(most).unwrap_or(usize::MAX).clamp(1, global.jobs)
}

impl FleetMember {
    /// Prints the warnings that are kept, and from now on each as it comes.
    pub fn print_warnings_from_now(&self, ui: Ui) {
        self.print_warnings(ui);
        self.warnings.print_from_now(ui);
    }

    /// True if no other server is named.
    pub fn is_alone(&self) -> bool {
        self.alone.is_some()
    }

    /// Says something of what is shown; it is a warning where others are shown beside it.
    pub fn note(&self, text: &str) {
        match self.alone {
            Some(ui) => ui.note(text),
            None => self.warn(text),
        }
    }

    /// A text that begins with the name of the server, where others are named, too.
    pub fn named(&self, text: &str) -> String {
        if self.is_alone() { text.to_owned() } else { format!("{}: {text}", self.name) }
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::global::ColorChoice;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        global: GlobalArgs,
    }

    #[test]
    fn fewer_servers_are_asked_at_once_where_their_answers_may_be_large() {
        for (options, of_context, jobs) in [
            (&[][..], None, 16),
            (&["--jobs", "3"], None, 3),
            (&["--max-answer", "1K"], None, 16),
            (&["--max-answer", "128M"], None, 8),
            (&["--max-answer", "16G"], None, 1),
            (&[], Some("256M"), 4),
            (&["--max-answer", "1M"], Some("256M"), 16),
        ] {
            let Options { global } = Options::parse_from([&["mediactl"], options].concat());
            let max_answer = of_context.map(|size: &str| size.parse().expect("it is a size"));
            let contexts =
                [ServerContext::default(), ServerContext { max_answer, ..ServerContext::default() }];
            assert_eq!(super::jobs(&contexts, &global), jobs, "{options:?} {of_context:?}");
        }
    }

    #[test]
    fn a_result_is_that_of_its_server_however_the_list_is_sorted() {
        let context = |name: &str| ServerContext {
            name: name.to_owned(),
            url: "http://admin:secret@127.0.0.1".to_owned(),
            ..ServerContext::default()
        };
        let Options { global } = Options::parse_from(["mediactl"]);
        let contexts = ["a", "b", "c"].map(context).to_vec();
        let mut fleet = Fleet::open(contexts, &global, Ui::new(ColorChoice::Never)).expect("nothing is sent");
        let work = |_, member: &mut FleetMember| member.name.clone();
        let found = fleet.on(&[ServerNumber(2), ServerNumber(0)], UNSEEN, &|| true, work);
        assert_eq!(
            found,
            BTreeMap::from([(ServerNumber(2), "c".to_owned()), (ServerNumber(0), "a".to_owned())])
        );
    }
}

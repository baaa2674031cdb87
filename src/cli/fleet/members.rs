//! Several servers, open at the same time, and the threads that ask them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use super::answers::{Answers, ServerAnswer};
use crate::cli::args::Invocation;
use crate::cli::args::global::GlobalArgs;
use crate::cli::context::{self, ServerContext};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::error::Error;
use crate::http::client::Host;
use crate::progress;

/// The name of work that is not shown.
pub const UNSEEN: &str = "";

/// The servers that a command works on. Each is called by its index among the members.
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

/// The warnings about one server, which are printed when the work on all is done. As a [`Host`] it answers no question.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Host for Warnings {
    fn warning(&self, text: &str) {
        self.0.lock().push(text.to_owned());
    }
}

impl Invocation<'_> {
    /// The servers that are named, or the one server or file that a command works on.
    pub fn fleet(self, purpose: Purpose<'_>) -> Result<Fleet, Error> {
        let Self { global, ui, .. } = self;
        let Some(contexts) = context::several(global)? else {
            let target = target::resolve(global, purpose, ui)?;
            let (name, warnings) = (target.service.name().to_owned(), Warnings::default());
            let alone = FleetMember { name, target, warnings, alone: Some(ui) };
            return Ok(Fleet { members: vec![alone], jobs: global.jobs, ui });
        };
        Fleet::open(contexts, global, ui)
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
        target::refuse_hooks(global)?;
        if global.remote.password_file.is_none() {
            let asked = contexts.iter().filter(|context| context.password_command.is_some());
            let run = |context| target::run_password_command(context, global);
            side_by_side(global.jobs.min(contexts.len()), asked, run);
        }
        let member = |context: ServerContext| {
            let (name, warnings) = (context.name.clone(), Warnings::default());
            let target = target::at_member(context, global, Box::new(warnings.clone()))?;
            Ok(FleetMember { name, target, warnings, alone: None })
        };
        let members = contexts.into_iter().map(member).collect::<Result<_, Error>>()?;
        Ok(Self { members, jobs: global.jobs, ui })
    }

    /// Asks all servers, and prints the errors; the error of the only one ends the command.
    pub fn gather<T: Send>(
        mut self,
        what: &'static str,
        work: impl Fn(&mut FleetMember) -> Result<T, Error> + Sync,
    ) -> Result<Answers<T>, Error> {
        match &mut self.members[..] {
            [one] if one.is_only_server() => {
                let _step = progress::step(format!("{what}: {}", one.name));
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
        let all: Vec<usize> = (0..self.members.len()).collect();
        let answer = |member: &mut FleetMember, _: &mut ()| {
            let result = work(member).map_err(|error| error.at(&member.name));
            ServerAnswer { server: member.name.clone(), result }
        };
        self.on(&all, &mut vec![(); all.len()], what, &|| true, answer).into_values().collect()
    }

    /// Works on some of the servers at the same time, as long as it goes on, with what is kept of each, and returns the
    /// result of each that was asked. A terminal shows the progress.
    pub fn on<K: Send, T: Send>(
        &mut self,
        which: &[usize],
        kept: &mut [K],
        what: &'static str,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(&mut FleetMember, &mut K) -> T + Sync,
    ) -> BTreeMap<usize, T> {
        let members = self.members.iter_mut().zip(kept).enumerate().filter(|(at, _)| which.contains(at));
        let found = Mutex::new(BTreeMap::new());
        let count = |done: usize| format!("{what}: {done} of {} servers", which.len());
        let step = (what != UNSEEN).then(|| progress::step(count(0)));
        let asked = members.take_while(|_| goes_on());
        side_by_side(self.jobs.min(which.len()), asked, |(at, (member, kept))| {
            let result = work(member, kept);
            let mut found = found.lock();
            found.insert(at, result);
            step.iter().for_each(|step| step.now(count(found.len())));
        });
        drop(step);
        let warnings = self.members.iter().flat_map(|member| std::mem::take(&mut *member.warnings.0.lock()));
        warnings.for_each(|warning| self.ui.warning(&warning));
        found.into_inner()
    }
}

/// Works on each, on at most so many at the same time.
fn side_by_side<T: Send>(jobs: usize, all: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let all = Mutex::new(all);
    // The lock is not held while one is worked on.
    let next = || all.lock().next();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(one) = next() {
                    work(one);
                }
            });
        }
    });
}

impl FleetMember {
    /// True if no other server is named.
    pub fn is_only_server(&self) -> bool {
        self.alone.is_some()
    }

    /// Says something of what is shown; it is a warning with the name of the server where others are shown beside it.
    pub fn note(&self, text: &str) {
        match self.alone {
            Some(ui) => ui.note(text),
            None => self.warn(&format!("{}: {text}", self.name)),
        }
    }

    /// Keeps a warning until the work on all servers is done.
    pub fn warn(&self, text: &str) {
        self.warnings.warning(text);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use clap::Parser;

    use super::*;
    use crate::cli::args::global::ColorChoice;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        global: GlobalArgs,
    }

    /// Servers with the numbers from 0 as their names, `jobs` of which are asked at the same time.
    fn fleet(count: usize, jobs: &str) -> Fleet {
        let context = |at: usize| ServerContext {
            name: at.to_string(),
            url: "http://admin:secret@127.0.0.1".to_owned(),
            ..ServerContext::default()
        };
        let Options { global } = Options::parse_from(["mediactl", "--jobs", jobs]);
        Fleet::open((0..count).map(context).collect(), &global, Ui::new(ColorChoice::Never))
            .expect("nothing is sent")
    }

    #[test]
    fn a_result_is_that_of_its_server_and_no_more_threads_work_than_allowed() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |member: &mut FleetMember, _: &mut ()| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            member.name.clone()
        };
        let which: Vec<usize> = (10..30).rev().collect();
        let found = fleet(40, "4").on(&which, &mut [(); 40], UNSEEN, &|| true, work);
        assert_eq!(found, (10..30).map(|at| (at, at.to_string())).collect());
        assert!(most.into_inner() <= 4);
    }

    #[test]
    fn what_was_not_begun_has_no_result() {
        let done = AtomicUsize::new(0);
        let goes_on = || done.load(Ordering::SeqCst) < 3;
        let work = |_: &mut FleetMember, _: &mut ()| done.fetch_add(1, Ordering::SeqCst);
        let all: Vec<usize> = (0..10).collect();
        let found = fleet(10, "1").on(&all, &mut [(); 10], UNSEEN, &goes_on, work);
        assert_eq!(found, BTreeMap::from([(0, 0), (1, 1), (2, 2)]));
    }
}

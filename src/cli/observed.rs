//! A configuration that is read again and again.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::cli::context;
use crate::cli::fleet::answers::{Answers, ServerAnswer};
use crate::cli::fleet::members::FleetMember;
use crate::cli::invocation::Invocation;
use crate::cli::target::{self, Purpose, Target};
use crate::engine::Snapshot;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{FileWatch, Store};

/// The interval at which a server is asked: a configuration that is the same is not sent again.
const INTERVAL: Duration = Duration::from_secs(1);

/// The longest time for which a server is asked to wait for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The interval at which a file is read that the system does not watch.
const FILE_INTERVAL: Duration = Duration::from_secs(5);

/// A configuration that is read again when it may have changed.
pub struct Observed {
    pub target: Target,
    /// None for a server and for etcd, which are asked at intervals.
    watch: Option<FileWatch>,
    /// Stands for the configuration that was read last.
    tag: Option<String>,
    /// Stands for the state of the server that was seen last.
    state: Option<String>,
}

/// Finds a configuration, and begins to observe it.
pub type BeginObserving = Box<dyn FnOnce() -> Result<Observed, Error> + Send>;

impl Observed {
    /// Begins to observe; nothing is read yet.
    fn new(target: Target) -> Self {
        // Where the system has no watch left, the file is looked at at intervals.
        let file = target.file.as_ref().filter(|_| !target.is_server);
        let watch = file.and_then(|file| FileWatch::new(file.path()).ok());
        Self { target, watch, tag: None, state: None }
    }

    /// Reads the configuration; `None` if it is still the one that was read last.
    pub fn read(&mut self) -> Result<Option<Arc<Snapshot>>, Error> {
        self.target.service.read_changed(&mut self.tag)
    }

    /// Forgets what was read last: it is read again, also if it is the same.
    pub fn forget(&mut self) {
        self.tag = None;
    }

    /// Waits until the configuration may have changed, at most for this time.
    pub fn wait(&mut self, most: Duration) {
        if let Some(watch) = &self.watch {
            return watch.wait(most.min(FILE_INTERVAL));
        }
        // An error is told by whoever reads next.
        let is_told = self.target.is_server
            && self.target.service.wait_for_change(&mut self.state, most.min(LONGEST_WAIT)).unwrap_or(false);
        if !is_told {
            thread::sleep(most.min(INTERVAL));
        }
    }
}

/// Works on the one configuration that is named, or on each server that is named, in a thread of its own whatever
/// `--jobs` says: none of them ends soon. An error of one of several is given to `on_error` when it comes.
pub fn observe<T: Send>(
    call: Invocation<'_>,
    on_error: impl Fn(&Error) + Sync,
    work: impl Fn(BeginObserving) -> Result<T, Error> + Sync,
) -> Result<Answers<T>, Error> {
    let Invocation { global, ui, .. } = call;
    if !context::several_chosen(global) {
        let global = global.clone();
        let begin = move || Ok(Observed::new(target::resolve(&global, Purpose::default(), ui)?));
        return Ok(Answers::of_one(String::new(), work(Box::new(begin))?, ui));
    }
    let (work, on_error) = (&work, &on_error);
    let members = call.fleet(Purpose::default())?.members;
    let answers = thread::scope(|scope| {
        let start = |member: FleetMember| {
            member.print_warnings_from_now(ui);
            let server = member.name.clone();
            let working = scope.spawn(move || {
                let FleetMember { name, target, .. } = member;
                work(Box::new(|| Ok(Observed::new(target))))
                    .map_err(|error| error.at(&name))
                    .inspect_err(on_error)
            });
            (server, working)
        };
        let started: Vec<_> = members.into_iter().map(start).collect();
        let ended = started.into_iter().map(|(server, working)| ServerAnswer {
            server,
            result: working.join().expect("the thread does not panic"),
        });
        ended.collect()
    });
    Ok(Answers::of_several(answers, ui))
}

/// True if an error may be over soon: the server is being started again, or the file replaced.
pub fn may_pass(error: &Error) -> bool {
    matches!(error.exit(), Exit::Absent | Exit::Failed | Exit::Unknown) && error.kind != ErrorKind::NotOffered
}

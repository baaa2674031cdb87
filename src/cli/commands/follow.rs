//! `mediactl watch` and `wait`: a configuration that is read again and again.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use colored::Color;

use crate::cli::args::Invocation;
use crate::cli::commands::modify::expectation;
use crate::cli::confirmation;
use crate::cli::context;
use crate::cli::fleet::answers::{Answers, ServerAnswer};
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::local;
use crate::cli::render::texts::{differ, masked_entry, print_difference};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::Snapshot;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{FileWatch, Store};
use mediaconf::{Expectation, Masker, Path, one_line};

/// Print each change as it happens
///
/// Prints a line with the time and, as far as the history tells, who made the change, and then the diff. The running
/// configuration of a server is asked for once a second, and sent only if it changed; a file is watched. With PATH,
/// only changes of the value there are printed; of a stream the diff shows the lines, of other values the JSON.
///
/// Runs until it is interrupted. Passwords and keys are masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl watch
  mediactl watch streams.cam1
  mediactl --url https://media.example watch 'streams.*.urls'")]
pub struct WatchArgs {
    /// Where to look [default: everywhere]
    #[arg(value_name = "PATH")]
    pub path: Option<String>,
}

/// Wait until a value is there
///
/// Waits until the configuration has this value: the running one of a server, or the file where no server runs.
/// The value is written as for --set; `PATH=null` waits until there is none. If several are given, all have to be
/// there at the same time. A server that cannot be reached yet is waited for, too. `--timeout SECONDS` limits the whole
/// wait; without it there is no limit.
///
/// With --rolled-out it waits until all nodes of a cluster run a change; those that are gone do not.
///
/// The exit code is 0 when the values are there, and 1 when the time is over; with --rolled-out it is 11 then, and the
/// nodes are named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl wait streams.cam1.prepush=5 --timeout 30
  mediactl --url https://media.example wait streams.cam9=null
  mediactl --cluster etcd://10.0.0.1/prod wait --rolled-out --timeout 60")]
pub struct WaitArgs {
    /// The value that has to be there
    #[arg(value_name = "PATH=VALUE", required_unless_present = "rolled_out")]
    pub expected: Vec<String>,

    /// Wait until all nodes of the cluster run this change, or a later one [default: the last one]
    #[arg(long, value_name = "SERIAL", num_args = 0..=1, conflicts_with = "expected")]
    pub rolled_out: Option<Option<u64>>,
}

/// The longest time of one wait; the configuration is checked more often.
const LONG: Duration = Duration::from_secs(3600);

impl WatchArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let (path, ui) = (self.path.as_deref().map(input::value_path).transpose()?, call.ui);
        // An error is printed when it comes: the other servers may be watched for days.
        let watched = observe(call, |error| ui.error(error), |begin| watch(begin()?, path.as_ref(), ui))?;
        Ok(watched.exit())
    }
}

/// Prints each change, until the configuration can't be read any more.
fn watch(mut observed: Observed, path: Option<&Path>, ui: Ui) -> Result<Infallible, Error> {
    let masker = ui.masker();
    let mut last = observed.read()?.ok_or_else(Error::no_server)?;
    let name = observed.target.service.name().to_owned();
    ui.say(&format!("watching {name}"));
    let mut trouble: Option<String> = None;
    loop {
        observed.wait(LONG);
        let found = match observed.read() {
            // A text with errors has no values; it is read again, also if it is the same.
            Ok(Some(text)) if path.is_some() && !text.is_valid() => {
                observed.tag = None;
                Err(Error::bad_config(text))
            }
            found => found,
        };
        let found = match found {
            Err(error) if may_pass(&error) || error.broken.is_some() => {
                let error = error.to_string();
                if trouble.as_ref() != Some(&error) {
                    ui.warning(&format!("{error}; still watching"));
                    trouble = Some(error);
                }
                continue;
            }
            found => found?,
        };
        if trouble.take().is_some() {
            ui.say("the configuration can be read again");
        }
        let Some(new) = found else { continue };
        if differ(&last, &new, path) {
            let heading = heading(&observed, &new, masker.as_ref());
            ui.print_painted(|out| {
                writeln!(out, "{}", ui.paint(&ui.sanitized(&heading), Color::Yellow))?;
                print_difference([&last, &new], path, [&name, &name], masker.clone(), ui, out)
            })?;
        }
        last = new;
    }
}

/// The time and the change that made this configuration.
fn heading(observed: &Observed, text: &Snapshot, masker: Option<&Masker>) -> String {
    let (time, revision) = (local::shown(SystemTime::now()), text.known_revision());
    // The history only adds to what is seen; a server without one is watched all the same.
    let entry = observed.target.service.status().ok().and_then(|status| status.last_change);
    let Some(entry) = entry.filter(|entry| revision.is_some() && entry.after == revision) else {
        return time;
    };
    let entry = masked_entry(entry, masker);
    let serial = (entry.number != 0).then(|| entry.number.to_string());
    let words = [serial, Some(entry.operation), entry.by.map(|by| format!("by {by}")), entry.message];
    let words: Vec<String> = words.into_iter().flatten().map(|word| one_line(&word)).collect();
    format!("{time}  {}", words.join(" "))
}

impl WaitArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let most = call.global.remote.timeout.map(Duration::from_secs);
        if let Some(serial) = self.rolled_out {
            let target = target::resolve(call.global, Purpose::default(), call.ui)?;
            let missing = confirmation::wait(&*target.service, serial, most)?;
            return Ok(confirmation::exit_of(&missing, call.ui));
        }
        let expected: Vec<Expectation> =
            self.expected.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
        let answers = observe(call, |_| {}, |begin| wait_at_most(most, &expected, begin))?.tell_errors();
        for (server, missing) in
            answers.found().filter_map(|(server, missing)| Some((server, missing.as_ref()?)))
        {
            call.ui.say(&answers.named(server, &format!("the time is over: {missing}")));
        }
        let is_missing = answers.found().any(|(_, missing)| missing.is_some());
        Ok(answers.exit_if(is_missing, Exit::Different))
    }
}

/// Waits until all values are there; returns the missing one when the time is over.
fn wait_at_most(
    most: Option<Duration>,
    expected: &[Expectation],
    begin: BeginObserving,
) -> Result<Option<String>, Error> {
    let (tell, told) = channel();
    let (expected, end) = (expected.to_vec(), most.and_then(|most| Instant::now().checked_add(most)));
    // In a thread, because a server may take longer to answer than there is time.
    thread::spawn(move || {
        let missing = |words| _ = tell.send(Ok(Some(words)));
        let ended = begin().and_then(|observed| wait(&expected, observed, missing));
        tell.send(ended.map(|()| None))
    });
    let mut missing = "there was no answer".to_owned();
    loop {
        let next = match end {
            Some(end) => told.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
            None => told.recv().ok(),
        };
        match next.transpose()? {
            Some(Some(words)) => missing = words,
            Some(None) => return Ok(None),
            None => return Ok(Some(missing)),
        }
    }
}

/// Waits until all values are there; says what is missing until then.
fn wait(expected: &[Expectation], mut observed: Observed, missing: impl Fn(String)) -> Result<(), Error> {
    loop {
        match observed.read() {
            Ok(None) => {}
            Ok(Some(text)) => {
                // Only the configuration itself is searched for a value.
                if let Ok(Some(composed)) = observed.target.composed(&text, None) {
                    expected.iter().try_for_each(|expected| composed.refuse_entry(&expected.path))?;
                }
                match still_missing(&text, expected)? {
                    Some(words) => missing(words),
                    None => return Ok(()),
                }
            }
            Err(error) if may_pass(&error) => missing(error.to_string()),
            Err(error) => return Err(error),
        }
        observed.wait(LONG);
    }
}

/// Describes the values that are not there yet; a path that leads nowhere yet may do so later.
fn still_missing(text: &Snapshot, expected: &[Expectation]) -> Result<Option<String>, Error> {
    if !text.is_valid() {
        return Ok(Some("the configuration has errors".to_owned()));
    }
    let words: Vec<String> = match text.config().unmet(expected) {
        Ok(unmet) => unmet.iter().map(ToString::to_string).collect(),
        Err(faults) => match faults.iter().find(|fault| !fault.is_absent()) {
            Some(wrong) => return Err(wrong.clone().into()),
            None => faults.iter().map(ToString::to_string).collect(),
        },
    };
    Ok((!words.is_empty()).then(|| words.join("; ")))
}

/// The interval at which a server is asked: a configuration that is the same is not sent again.
const INTERVAL: Duration = Duration::from_secs(1);

/// The longest time for which a server is asked to wait for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The interval at which a file is read that looks as it was.
const FILE_INTERVAL: Duration = Duration::from_secs(5);

/// A configuration that is read again when it may have changed.
struct Observed {
    target: Target,
    /// None for a server and for etcd, which are asked at intervals.
    watch: Option<FileWatch>,
    /// Stands for the configuration that was read last.
    tag: Option<String>,
    /// Stands for the state of the server that was seen last.
    state: Option<String>,
}

/// Finds a configuration, and begins to observe it.
type BeginObserving = Box<dyn FnOnce() -> Result<Observed, Error> + Send>;

impl Observed {
    /// Begins to observe; nothing is read yet.
    fn new(target: Target) -> Self {
        let file = target.file.as_ref().filter(|_| !target.is_server);
        let watch = file.map(|file| FileWatch::new(file.path()));
        Self { target, watch, tag: None, state: None }
    }

    /// Reads the configuration; `None` if it is still the one that was read last.
    fn read(&mut self) -> Result<Option<Arc<Snapshot>>, Error> {
        self.target.service.read_changed(&mut self.tag)
    }

    /// Waits until the configuration may have changed, at most for this time.
    fn wait(&mut self, most: Duration) {
        if let Some(watch) = &mut self.watch {
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
fn observe<T: Send>(
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
fn may_pass(error: &Error) -> bool {
    matches!(error.exit(), Exit::Absent | Exit::Failed | Exit::Unknown) && error.kind != ErrorKind::NotOffered
}

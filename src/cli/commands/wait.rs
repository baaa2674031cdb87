//! `mediactl wait`

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::modify::expectation;
use crate::cli::invocation::Invocation;
use crate::cli::observed::{BeginObserving, Observed, may_pass, observe};
use crate::cli::rolled_out;
use crate::cli::target::{self, Purpose, Target};
use crate::error::{Error, Exit};

use crate::engine::Snapshot;
use mediaconf::{Expectation, Fault};

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

/// The longest time of one wait if there is no limit.
const LONG: Duration = Duration::from_secs(3600);

/// The value that is still missing, for the message when the time is over.
type Missing = Arc<Mutex<Option<String>>>;

pub fn run(args: &WaitArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    if let Some(serial) = args.rolled_out {
        let most = call.global.remote.timeout.map(Duration::from_secs);
        let target = target::resolve(call.global, Purpose::default(), call.ui)?;
        return Ok(rolled_out::exit_of(&rolled_out::wait(&*target.service, serial, most)?, call.ui));
    }
    let awaited = Awaited::from_args(args, call.global)?;
    let answers = observe(call, |_| {}, |begin| awaited.wait(begin))?.tell_errors();
    for (server, missing) in answers.found() {
        let missing = missing.iter().map(|missing| format!("the time is over: {missing}"));
        missing.for_each(|text| call.ui.say(&answers.named(server, &text)));
    }
    let is_missing = answers.found().any(|(_, missing)| missing.is_some());
    Ok(answers.exit_if(is_missing, Exit::Different))
}

/// The expected values, and the time to wait.
struct Awaited {
    expectations: Vec<Expectation>,
    /// Without a limit where none is given.
    most: Option<Duration>,
}

impl Awaited {
    fn from_args(args: &WaitArgs, global: &GlobalArgs) -> Result<Self, Error> {
        let expectations = args.expected.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
        Ok(Self { expectations, most: global.remote.timeout.map(Duration::from_secs) })
    }

    /// Waits until all values are there; returns the missing one when the time is over.
    fn wait(&self, begin: BeginObserving) -> Result<Option<String>, Error> {
        let (done, result) = channel();
        let missing = Missing::default();
        let (known, expectations) = (missing.clone(), self.expectations.clone());
        // In a thread, because a server may take longer to answer than there is time.
        thread::spawn(move || done.send(begin().and_then(|observed| wait(&expectations, &known, observed))));
        let ended = match self.most {
            Some(most) => result.recv_timeout(most).ok(),
            None => result.recv().ok(),
        };
        match ended {
            Some(ended) => ended.map(|()| None),
            None => {
                let missing = missing.lock().unwrap_or_else(PoisonError::into_inner).take();
                Ok(Some(missing.unwrap_or_else(|| "there was no answer".to_owned())))
            }
        }
    }
}

fn wait(expectations: &[Expectation], missing: &Missing, mut observed: Observed) -> Result<(), Error> {
    loop {
        let left = match observed.read() {
            Ok(Some(text)) => {
                refuse_included(&text, expectations, &mut observed.target)?;
                still_missing(&text, expectations)?
            }
            Ok(None) => missing.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Err(error) if may_pass(&error) => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        if left.is_none() {
            return Ok(());
        }
        *missing.lock().unwrap_or_else(PoisonError::into_inner) = left;
        observed.wait(LONG);
    }
}

/// Refuses to wait for a value of an included file: only the configuration itself is searched.
fn refuse_included(
    text: &Arc<Snapshot>,
    expectations: &[Expectation],
    target: &mut Target,
) -> Result<(), Error> {
    let Ok(Some(composed)) = target.composed(text, None) else { return Ok(()) };
    expectations.iter().try_for_each(|expectation| composed.refuse_entry(&expectation.path))
}

/// Describes the values that are not there yet; a path that leads nowhere yet may do so later.
fn still_missing(text: &Snapshot, expectations: &[Expectation]) -> Result<Option<String>, Error> {
    if !text.is_valid() {
        return Ok(Some("the configuration has errors".to_owned()));
    }
    match text.config().unmet(expectations) {
        Ok(unmet) => {
            let words: Vec<String> = unmet.iter().map(ToString::to_string).collect();
            Ok((!words.is_empty()).then(|| words.join("; ")))
        }
        Err(faults) if faults.iter().all(|fault| fault.is_absent()) => {
            let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Ok(Some(words.join("; ")))
        }
        Err(faults) => {
            let wrong = |fault: &Fault| !fault.is_absent();
            Err(Error::from(faults.0.into_iter().find(wrong).expect("one of them is wrong")))
        }
    }
}

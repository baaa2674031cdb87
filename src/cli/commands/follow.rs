//! `mediactl watch` and `wait`: a configuration that is read again and again.

use std::convert::Infallible;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use colored::Color;
use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::global::ResultArgs;
use crate::cli::commands::modify::expectation;
use crate::cli::confirmation;
use crate::cli::fleet::answers::Answers;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::local;
use crate::cli::render::report::values_json;
use crate::cli::render::texts::{differ, first_paths, masked_entry, print_difference};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{Snapshot, StatusPart, changed};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{FileWatch, HAND_EDIT, HistoryEntry, Store, clock};
use mediaconf::{Expectation, Path, one_line};

/// Print each change as it happens
///
/// Prints a line with the time and, as far as the history tells, who made the change, and then the diff. The running
/// configuration of a server is asked for once a second, and sent only if it changed; a file is watched. With PATH,
/// only changes of the value there are printed; of a stream the diff shows the lines, of other values the JSON.
///
/// As JSON a change is one line: `at`, `target`, `change` (as `history` has it, or null) and the `paths` that differ (null if a text
/// has errors).
///
/// Runs until it is interrupted. Passwords and keys are masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl watch
  mediactl --url https://media.example watch 'streams.*.urls'")]
pub struct WatchArgs {
    /// Where to look [default: everywhere]
    pub path: Option<String>,

    #[command(flatten)]
    pub result: ResultArgs,
}

/// Wait until a value is there
///
/// Waits until the configuration has this value: the running one of a server, or the file where no server runs.
/// The value is written as for --set; `PATH=null` waits until there is none. If several are given, all have to be
/// there at the same time. A server that cannot be reached yet is waited for, too. `--timeout SECONDS` limits the wait, and
/// the time of each request; without it there is no limit.
///
/// With --rolled-out it waits until all nodes of a cluster run a change. A node that is gone does not run it.
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

    /// Accept a path with a key that is not known, and that no entry has
    #[arg(long, value_name = "NAME", conflicts_with = "rolled_out", value_parser = ["near-miss"])]
    pub accept: Option<String>,

    /// Wait until all nodes of the cluster run this change, or a later one [default: the last one]
    #[arg(long, value_name = "SERIAL", num_args = 0..=1, conflicts_with = "expected")]
    pub rolled_out: Option<Option<u64>>,

    #[command(flatten)]
    pub result: ResultArgs,
}

/// The longest time of one wait; the configuration is checked more often.
const LONG: Duration = Duration::from_secs(3600);

impl WatchArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let path = self.path.as_deref().map(input::value_path).transpose()?;
        let mut target = target::resolve(call.global, Purpose::default(), call.ui)?;
        match watch(Observed::new(&mut target), path.as_ref(), call.ui)? {}
    }
}

/// Prints each change, until the configuration can't be read any more.
fn watch(mut observed: Observed<'_>, path: Option<&Path>, ui: Ui) -> Result<Infallible, Error> {
    let mut last = observed.read()?.ok_or_else(Error::no_server)?;
    let name = observed.target.service.name().to_owned();
    ui.say(&format!("watching {name}"));
    let mut trouble: Option<String> = None;
    loop {
        observed.wait(LONG);
        let found = match observed.read() {
            // A text with errors has no values; it is read again, also if it is the same.
            Ok(Some(text)) if path.is_some() && !text.is_valid() => {
                observed.last = None;
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
            let entry = observed.entry(&new).map(|entry| masked_entry(entry, ui.masker));
            let paths = changed(&last, &new).map(|all| values_json(&all, ui.masker));
            let at = clock::rfc3339(SystemTime::now());
            let record = json!({ "at": at, "target": name, "change": entry, "paths": paths });
            let paths = || one_line(&first_paths([&last, &new], ui.masker));
            let heading = match entry {
                Some(entry) => format!("  {}", entry_in_words(entry, paths)),
                // Of a server it is not known who changed it.
                None if observed.watch.is_none() => String::new(),
                None => format!("  edited by hand: {}", paths()),
            };
            let heading = local::shown(SystemTime::now()) + &heading;
            ui.print_painted(|out| {
                if ui.json {
                    return writeln!(out, "{record}");
                }
                writeln!(out, "{}", ui.paint(&ui.sanitized(&heading), Color::Yellow))?;
                print_difference([&last, &new], path, [&name, &name], ui, out)
            })?;
        }
        last = new;
    }
}

/// Describes a change; a hand edit by its paths.
fn entry_in_words(entry: HistoryEntry, paths: impl Fn() -> String) -> String {
    let edited = (entry.operation == HAND_EDIT).then(paths);
    let serial = (entry.number != 0).then(|| entry.number.to_string());
    let words = [serial, Some(entry.operation), edited, entry.by.map(|by| format!("by {by}")), entry.message];
    words.into_iter().flatten().map(|word| one_line(&word)).collect::<Vec<_>>().join(" ")
}

impl WaitArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let most = call.global.remote.timeout.map(Duration::from_secs);
        let answers = match self.rolled_out {
            Some(serial) => {
                let target = target::resolve(call.global, Purpose::default(), call.ui)?;
                let missing = confirmation::wait(&*target.service, serial, most)?;
                Answers::of_one(String::new(), missing, call.ui)
            }
            None => {
                let expected = self.expected.iter().map(|text| expectation(text));
                let expected = expected.collect::<Result<Vec<_>, _>>()?;
                let end = most.and_then(|most| Instant::now().checked_add(most));
                call.ask("wait for", |member: &mut FleetMember| {
                    let observed = Observed::new(&mut member.target);
                    let missing = wait(&expected, self.accept.is_some(), observed, end)?;
                    Ok(missing.into_iter().collect::<Vec<_>>())
                })?
            }
        };
        if call.ui.json {
            let met = |missing: &Vec<_>| json!({ "met": missing.is_empty(), "missing": missing });
            call.ui.print_json(&answers.json(met))?;
        }
        for (server, missing) in answers.found() {
            let over = missing.iter().map(|missing| format!("the time is over: {missing}"));
            over.for_each(|over| call.ui.say(&answers.named(server, &over)));
        }
        let is_missing = answers.found().any(|(_, missing)| !missing.is_empty());
        let code = if self.rolled_out.is_some() { Exit::Partly } else { Exit::Different };
        Ok(answers.exit_if(is_missing, code))
    }
}

/// Waits until all values are there; returns what is missing when the time is over. Unless it `accepts_unknown` ones, a path
/// that nothing knows is refused.
fn wait(
    expected: &[Expectation],
    accepts_unknown: bool,
    mut observed: Observed<'_>,
    end: Option<Instant>,
) -> Result<Option<String>, Error> {
    let mut missing = "there was no answer".to_owned();
    loop {
        match observed.read() {
            Ok(None) => {}
            Ok(Some(text)) => {
                // Only the configuration itself is searched for a value.
                if let Ok(Some(composed)) = observed.target.composed(&text, &text) {
                    expected.iter().try_for_each(|expected| composed.refuse_entry(&expected.path))?;
                }
                if !accepts_unknown
                    && text.is_valid()
                    && let Some(unknown) =
                        expected.iter().find_map(|expected| expected.unknown_in(&text.config()))
                {
                    let hint = unknown.hint.clone().map_or_else(String::new, |hint| format!("{hint} "));
                    let hint = format!("{hint}`--accept near-miss` waits anyway");
                    return Err(unknown.hint(hint).into());
                }
                match still_missing(&text, expected)? {
                    Some(words) => missing = words,
                    None => return Ok(None),
                }
            }
            Err(error) if may_pass(&error) => missing = error.to_string(),
            Err(error) => return Err(error),
        }
        let left = end.map_or(LONG, |end| end.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(Some(missing));
        }
        observed.wait(left);
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
struct Observed<'t> {
    target: &'t mut Target,
    /// None for a server and for etcd, which are asked at intervals.
    watch: Option<FileWatch>,
    /// The configuration that was read last.
    last: Option<Arc<Snapshot>>,
}

impl<'t> Observed<'t> {
    /// Begins to observe; nothing is read yet.
    fn new(target: &'t mut Target) -> Self {
        let file = target.file.as_ref().filter(|_| !target.is_server);
        let watch = file.map(|file| FileWatch::new(file.path()));
        Self { target, watch, last: None }
    }

    /// The change that made this configuration. The history only adds to what is seen; a server without one is watched all
    /// the same.
    fn entry(&self, text: &Snapshot) -> Option<HistoryEntry> {
        let (revision, status) = (text.known_revision()?, self.target.service.status(StatusPart::All).ok()?);
        status.last_change.filter(|entry| entry.after == Some(revision))
    }

    /// Reads the configuration; `None` if it is still the one that was read last.
    fn read(&mut self) -> Result<Option<Arc<Snapshot>>, Error> {
        let text = self.target.service.read(None)?;
        let is_known = self.last.as_ref().is_some_and(|last| last.is_same_text(&text));
        self.last = Some(text.clone());
        Ok((!is_known).then_some(text))
    }

    /// Waits until the configuration may have changed, at most for this time.
    fn wait(&mut self, most: Duration) {
        if let Some(watch) = &mut self.watch {
            return watch.wait(most.min(FILE_INTERVAL));
        }
        // An error is told by whoever reads next.
        let is_told =
            self.target.is_server && self.target.service.wait(most.min(LONGEST_WAIT)).unwrap_or(false);
        if !is_told {
            thread::sleep(most.min(INTERVAL));
        }
    }
}

/// True if an error may be over soon: the server is being started again, or the file replaced.
fn may_pass(error: &Error) -> bool {
    matches!(error.exit(), Exit::Absent | Exit::Failed | Exit::Unknown) && error.kind != ErrorKind::NotOffered
}

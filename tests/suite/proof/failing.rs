//! Each call of the system on a file of ours fails once, or is the last one of a writer that is killed: the change is made
//! whole, or not at all and with a reason, and nothing is in the way of the next one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::strace::{self, Attached, Call};
use super::{
    all_are_kept, ask, hand_edits_in_whole_history, in_full, problem_of, rounds, strays, text_for_readers,
};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::needs::needs_root;

/// What calls fail with.
const ERRORS: &[&str] = &["ENOSPC", "EIO", "EROFS", "EACCES", "EINTR"];

/// In the place of an error.
const KILLED: &str = "KILL";

/// What a change of the owner fails with, too.
const NOT_OWNER: &str = "EPERM";

/// The mode of the file before the change: one that a new file would not get.
const MODE: u32 = 0o604;

/// Whom the file belongs to where the tests may give it away.
const SOMEBODY: u32 = 12345;

/// A command that changes the file, and how.
struct Case {
    arguments: &'static [&'static str],
    /// What is there before.
    old: Option<&'static str>,
    /// The number of changes before.
    before: usize,
    /// What else goes wrong.
    options: &'static [&'static str],
    /// True if the file belongs to somebody else than who changes it.
    of_somebody: bool,
}

const MODIFY: &[&str] = &["modify", "--set", "streams.cam1.prepush=6"];
const SAVE: &[&str] = &["save", "next.conf"];
const PLAIN: Case =
    Case { arguments: MODIFY, old: Some(SAMPLE), before: 2, options: &[], of_somebody: false };

fn new_text() -> String {
    with_prepush(6)
}

impl Case {
    fn place(&self) -> Place {
        let place = Place::empty();
        place.put("next.conf", new_text());
        let Some(old) = self.old else { return place };
        place.put(CONF, old);
        let path = place.path(CONF);
        fs::set_permissions(&path, fs::Permissions::from_mode(MODE)).expect("it is ours");
        if self.of_somebody {
            std::os::unix::fs::chown(&path, Some(SOMEBODY), Some(SOMEBODY)).expect("root may");
        }
        // Where files have no attributes, there is none to copy.
        let flags = rustix::fs::XattrFlags::empty();
        let _ = rustix::fs::setxattr(&path, c"user.proof", b"kept", flags);
        for change in (0..self.before).rev() {
            place.set(&[&format!("rtsp={}", 554 + change)]).exits(0);
        }
        place
    }

    fn run(&self, place: &Place, failing: Option<String>) -> (Run, strace::Trace) {
        let options: Vec<String> =
            self.options.iter().map(|option| (*option).to_owned()).chain(failing).collect();
        strace::run(place, &options, self.arguments)
    }

    /// The calls of a run in which nothing else fails.
    fn calls(&self) -> Vec<Call> {
        let (run, trace) = self.run(&self.place(), None);
        run.exits(0);
        let is_free = |call: &Call| !self.options.iter().any(|option| call.is_named_in(option));
        trace.calls.into_iter().filter(is_free).collect()
    }
}

/// How often each outcome was seen.
type Outcomes = BTreeMap<String, usize>;

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn a_change_of_a_command() {
    // As where the file is a mount point of its own: the first that is renamed is the new text.
    let in_place = &["inject=?renameat2:error=EXDEV:when=1"];
    for case in [
        PLAIN,
        Case { before: 0, ..PLAIN },
        Case { arguments: SAVE, ..PLAIN },
        Case { arguments: SAVE, old: None, before: 0, ..PLAIN },
        Case { arguments: SAVE, options: in_place, ..PLAIN },
        Case { of_somebody: true, ..PLAIN },
    ] {
        if !case.of_somebody || needs_root() {
            prove(&case);
        }
    }
}

fn prove(case: &Case) {
    if !strace::can_run() {
        return;
    }
    let mut outcomes = Outcomes::default();
    let calls = case.calls();
    for (number, call) in calls.iter().enumerate().step_by(rounds(2, 1)) {
        for error in errors(number, call) {
            // What is interrupted again and again is tried again and again.
            for lasts in [false, true].into_iter().take(if in_full() && error != "EINTR" { 2 } else { 1 }) {
                *outcomes.entry(outcome(case, &Failure { call, error, lasts })).or_default() += 1;
            }
        }
    }
    for call in calls.iter().step_by(rounds(3, 1)) {
        *outcomes.entry(outcome(case, &Failure { call, error: KILLED, lasts: false })).or_default() += 1;
    }
    println!("{:?}: {outcomes:?}", case.arguments);
    for expected in ["exit 9", "killed, the old text", "killed, the new text"] {
        assert!(outcomes.keys().any(|key| key.starts_with(expected)), "{expected}: {outcomes:?}");
    }
}

/// In the short form a call fails in one way, all ways in turn.
fn errors(number: usize, call: &Call) -> Vec<&'static str> {
    let may_not = call.gives_away().then_some(NOT_OWNER);
    let all = ERRORS.iter().copied().chain(may_not);
    if in_full() {
        return all.collect();
    }
    may_not.into_iter().chain([ERRORS[number % ERRORS.len()]]).collect()
}

struct Failure<'a> {
    call: &'a Call,
    error: &'static str,
    /// So do all later ones of that name.
    lasts: bool,
}

impl Failure<'_> {
    fn option(&self) -> String {
        let what = format!("{}={}", if self.error == KILLED { "signal" } else { "error" }, self.error);
        if self.lasts { self.call.option_from_here(&what) } else { self.call.option(&what) }
    }

    /// True if a permission is missing.
    fn denies(&self) -> bool {
        ["EACCES", "EROFS", NOT_OWNER].contains(&self.error)
    }

    /// True if nothing can be printed: the write to standard error failed.
    fn silences(&self) -> bool {
        self.lasts && self.call.is_plain_write()
    }
}

/// One run with a call that fails, and another one without.
fn outcome(case: &Case, failure: &Failure<'_>) -> String {
    let place = case.place();
    let before = fs::metadata(place.path(CONF)).ok();
    let (run, trace) = case.run(&place, Some(failure.option()));
    let shown =
        || format!("{:?} with {} at {}: {run:#?}", case.arguments, failure.option(), failure.call.line);
    is_done_or_refused(case, failure, &place, &run, &shown);
    if let Some(before) = before.filter(|_| !failure.silences()) {
        rights_are_kept(&place, &before, &shown);
    }
    let left = if strays(&place).is_empty() { "" } else { ", files left" };
    let which = if text_for_readers(&place).as_deref() == case.old { "old" } else { "new" };
    place.run(case.arguments).exits(0);
    let port = |change| if change == 0 { 554 } else { 554 + case.before - change };
    let count = case.before + usize::from(case.old.is_some());
    all_are_kept(&place, count, |change| SAMPLE.replace("rtsp 554", &format!("rtsp {}", port(change))));
    assert_eq!(text_for_readers(&place), Some(new_text()), "{}", shown());
    assert_eq!(strays(&place), [""; 0], "{}", shown());
    let Some(code) = run.code else {
        // What is put back in the file itself, and a new file that is not there, look as if somebody had done it.
        let most = case.options.len() + usize::from(case.old.is_none());
        assert!(hand_edits_in_whole_history(&place) <= most, "{}", shown());
        return format!("killed, the {which} text{left}");
    };
    let warned = if code == 0 && run.err.contains("warning: ") { ", warned" } else { "" };
    // How often the file is read depends on how long ago it was written.
    let missed = if trace.has_failed(failure.call) { "" } else { ", missed" };
    format!("exit {code}{warned}{left}{missed}")
}

/// All of the change was made, or none of it, and then it says why.
fn is_done_or_refused(
    case: &Case,
    failure: &Failure<'_>,
    place: &Place,
    run: &Run,
    shown: &dyn Fn() -> String,
) {
    assert!(!run.err.contains("panicked"), "{}", shown());
    let text = text_for_readers(place);
    match run.code {
        Some(0) => assert_eq!(text, Some(new_text()), "{}", shown()),
        Some(code @ (4 | 9)) => {
            // Where a rename is refused beside the failure, it may be one in the state folder.
            let may_be_denied = failure.denies() || !case.options.is_empty();
            assert!(code == 9 || may_be_denied, "no permission was missing: {}", shown());
            assert_eq!(text.as_deref(), case.old, "{}", shown());
            assert!(run.err.contains("error: ") || failure.silences(), "{}", shown());
        }
        None if failure.error == KILLED => {
            let is_whole = text.as_deref() == case.old || text == Some(new_text());
            assert!(is_whole, "neither the old text nor the new one: {}", shown());
        }
        _ => panic!("not an exit code for this, or it hangs: {}", shown()),
    }
}

/// Owner and mode are those of before.
fn rights_are_kept(place: &Place, before: &fs::Metadata, shown: &dyn Fn() -> String) {
    let after = fs::metadata(place.path(CONF)).expect("the file is there");
    let rights = |found: &fs::Metadata| (found.uid(), found.gid(), found.mode());
    assert_eq!(rights(before), rights(&after), "{}", shown());
}

#[derive(Clone, Copy, Debug)]
enum Edit {
    /// The editor writes into the file.
    InPlace,
    /// It puts another file in its place.
    Renamed,
    /// The text of before comes back, as from a back-up.
    Back,
    /// The file of before comes back, as it was moved away before the change.
    Moved,
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn an_edit_by_hand_after_a_kill_loses_no_text() {
    if !strace::can_run() {
        return;
    }
    let with = |port: u16| SAMPLE.replace("rtsp 554", &format!("rtsp {port}"));
    let (old, mut made, mut unmade) = (SAMPLE.to_owned(), 0, 0);
    for (number, edit) in [Edit::InPlace, Edit::Renamed, Edit::Back, Edit::Moved].into_iter().enumerate() {
        for call in PLAIN.calls().iter().skip(number).step_by(rounds(4, 1)) {
            let place = PLAIN.place();
            PLAIN.run(&place, Some(call.option("signal=KILL")));
            let left = text_for_readers(&place).expect("there is always a file");
            *(if left == old { &mut unmade } else { &mut made }) += 1;
            let edited = match edit {
                Edit::InPlace | Edit::Renamed => with(7),
                Edit::Back | Edit::Moved => old.clone(),
            };
            match edit {
                Edit::InPlace | Edit::Back => place.put(CONF, &edited),
                Edit::Renamed | Edit::Moved => {
                    place.put("edited.conf", &edited);
                    fs::rename(place.path("edited.conf"), place.path(CONF)).expect("the folder is ours");
                }
            }
            // What the file holds now is the text before the change after the next one.
            (8..=9).for_each(|port| drop(place.set(&[&format!("rtsp={port}")]).exits(0)));
            let kept = place.kept();
            for text in [&old, &left, &edited, &with(8)] {
                assert!(kept.contains(text), "{edit:?} after a kill at {}", call.line);
            }
        }
    }
    println!("edits by hand after kills: {made} changes were made, {unmade} were not");
    assert!(made > 0 && unmade > 0);
}

/// A server whose calls fail during one change.
struct Server {
    serving: Serving,
    place: Place,
    /// What `prepush` is now.
    value: usize,
}

impl Server {
    fn start() -> Self {
        let place = Place::with(SAMPLE);
        let serving = Serving::over(&place);
        let mut server = Self { serving, place, value: 5 };
        // The first one makes the lock.
        server.changes();
        server
    }

    fn change_to(&self, value: usize) -> (u16, String) {
        let patch = format!(r#"{{"streams":{{"cam1":{{"prepush":{value}}}}}}}"#);
        let answer = ask(&self.serving.url, "POST", "modify_config", &patch).expect("it answers");
        let problem = if answer.status == 200 { String::new() } else { problem_of(&answer) };
        (answer.status, problem)
    }

    /// What runs, and what is in the file, are what was asked for last.
    fn holds(&self, value: usize) -> bool {
        let running = ask(&self.serving.url, "GET", "read_config", "").expect("it answers");
        let running: serde_json::Value = serde_json::from_slice(&running.body).expect("it is JSON");
        running["streams"]["cam1"]["prepush"] == value && self.place.text() == with_prepush(value)
    }

    #[track_caller]
    fn changes(&mut self) {
        self.value += 1;
        assert_eq!(self.change_to(self.value), (200, String::new()));
        assert!(self.holds(self.value));
        assert_eq!(strays(&self.place), [""; 0]);
    }

    /// The calls of a change; `None` if a server may not be traced.
    fn calls(&mut self) -> Option<Vec<Call>> {
        let (server, place) = (&self.serving, &self.place);
        let attached = Attached::to(server, place, &[])?;
        let answer = self.change_to(self.value + 1);
        let trace = attached.detach();
        assert_eq!(answer, (200, String::new()));
        self.value += 1;
        Some(trace.calls)
    }

    /// One change in which a call fails.
    fn outcome(&mut self, failing: &str, call: &Call) -> String {
        let attached = Attached::to(&self.serving, &self.place, &[failing.to_owned()]);
        let attached = attached.expect("it could be traced before");
        let (status, problem) = self.change_to(self.value + 1);
        let trace = attached.detach();
        let shown = || format!("{failing} at {}: {status} {problem}", call.line);
        match status {
            200 => self.value += 1,
            500 => assert_eq!(problem, "write-failed", "{}", shown()),
            _ => panic!("not an answer to this: {}", shown()),
        }
        assert!(self.holds(self.value), "{}", shown());
        self.changes();
        format!("{status}{}", if trace.has_failed(call) { "" } else { ", missed" })
    }
}

fn with_prepush(value: usize) -> String {
    SAMPLE.replace("prepush 5", &format!("prepush {value}"))
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn a_change_of_a_server() {
    if !strace::can_run() {
        return;
    }
    let mut server = Server::start();
    let Some(calls) = server.calls() else { return };
    let mut outcomes = Outcomes::default();
    for (number, call) in calls.iter().enumerate() {
        for error in errors(number, call) {
            *outcomes.entry(server.outcome(&call.option(&format!("error={error}")), call)).or_default() += 1;
        }
    }
    println!("server: {outcomes:?}");
    assert!(outcomes.contains_key("500"), "{outcomes:?}");
    let run = server.serving.stop().exits(0);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

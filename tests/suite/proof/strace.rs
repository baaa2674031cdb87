//! `strace`, where it can be had: which calls a program makes on the files of a test, and runs of the
//! program with one of them failing.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};

use super::finish;
use crate::cli::serve::Serving;
use crate::cli::{CONF, PROGRAM, Place, Run};
use crate::needs::{given, needs};

/// Calls with a path or an open file.
const TRACED: &str = "trace=%file,%desc";

/// That a program can't be started is no fault of its own, the system closes a file even when it
/// answers with an error, and the flags of what is open are on no disk.
const NEVER_FAILING: &[&str] = &["execve", "close", "fcntl"];

const TRACE: &str = "trace";

/// A call of the system on one of the files of a place.
#[derive(Debug, Clone)]
pub struct Call {
    name: String,
    /// Which one it is of that name in its thread, from 1: that is what `strace` counts.
    nth: usize,
    /// As `strace` shows it.
    pub line: String,
}

impl Call {
    /// The option that makes something else of this call: `error=EIO`, `signal=KILL`.
    pub fn option(&self, what: &str) -> String {
        format!("inject={}:{what}:when={}", self.name, self.nth)
    }

    /// The same for this call and all later ones of that name.
    pub fn option_from_here(&self, what: &str) -> String {
        format!("{}+", self.option(what))
    }

    pub fn gives_away(&self) -> bool {
        self.name.contains("chown")
    }

    /// True if messages are written by calls of the same name.
    pub fn is_plain_write(&self) -> bool {
        self.name == "write"
    }

    /// True if it is one that `option` is about already.
    pub fn is_named_in(&self, option: &str) -> bool {
        option.split([':', '=', ',']).any(|name| name == self.name)
    }
}

pub struct Trace {
    /// The calls on files of the place, in order.
    pub calls: Vec<Call>,
    /// The lines of calls on any file that were made to fail.
    injected: Vec<String>,
}

impl Trace {
    /// True if a call of the same name was made to fail.
    pub fn has_failed(&self, call: &Call) -> bool {
        self.injected.iter().any(|line| line.contains(&call.name))
    }
}

#[track_caller]
pub fn can_run() -> bool {
    let tried = || Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    needs("strace") && given("tracing", tried().is_ok_and(|status| status.success()))
}

/// Runs the program on the configuration of the place, its calls changed by `options`.
pub fn run(place: &Place, options: &[String], arguments: &[&str]) -> (Run, Trace) {
    let own = own_options(place, options);
    // By its full path, so that each call on it can be told by that path.
    let conf = place.path(CONF).display().to_string();
    let command = [PROGRAM, "--conf", &conf].into_iter().chain(arguments.iter().copied());
    let call = place.call("strace", own.iter().map(String::as_str).chain(command));
    let run = finish(call.without("MEDIACTL_CONF").start());
    (run, take_trace(place))
}

/// A server that is traced until this is dropped.
pub struct Attached<'a> {
    place: &'a Place,
    strace: Child,
    /// Reads what it says to the end: without a reader it would stop at its next word.
    words: Option<JoinHandle<()>>,
}

impl<'a> Attached<'a> {
    /// Traces a server; `None` if the system does not allow it.
    pub fn to(server: &Serving, place: &'a Place, options: &[String]) -> Option<Self> {
        let own = own_options(place, options).into_iter().chain(["-p".to_owned(), server.pid().to_string()]);
        let mut strace = place.call("strace", own).start();
        let mut lines = BufReader::new(strace.stderr.take().expect("stderr is a pipe")).lines();
        if !lines.by_ref().map_while(Result::ok).any(|line| line.contains(" attached")) {
            strace.wait().expect("it has ended");
            given("tracing", false);
            return None;
        }
        let words = Some(std::thread::spawn(move || lines.for_each(drop)));
        Some(Self { place, strace, words })
    }

    /// Leaves the server alone again.
    pub fn detach(mut self) -> Trace {
        self.stop();
        take_trace(self.place)
    }

    /// Ends the tracing of a server that was killed: `strace` would wait for threads that never come.
    pub fn abandon(mut self) {
        // It may have ended by itself.
        let _ = self.strace.kill();
        self.stop();
        fs::remove_file(self.place.path(TRACE)).expect("strace writes its trace");
    }

    fn stop(&mut self) {
        // It has ended already when this is the second time.
        let _ = kill_process(Pid::from_child(&self.strace), Signal::INT);
        let _ = self.strace.wait();
        if let Some(words) = self.words.take() {
            words.join().expect("a pipe can be read");
        }
    }
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn own_options(place: &Place, options: &[String]) -> Vec<String> {
    let trace = place.path(TRACE).display().to_string();
    let own = ["-f", "-y", "-o", &trace, "-e", TRACED].map(str::to_owned);
    own.into_iter().chain(options.iter().flat_map(|option| ["-e".to_owned(), option.clone()])).collect()
}

fn take_trace(place: &Place) -> Trace {
    let path = place.path(TRACE);
    let text = fs::read(&path).expect("strace writes its trace");
    fs::remove_file(&path).expect("strace has ended");
    let text = String::from_utf8_lossy(&text);
    let folder = path.parent().expect("it is in the folder").display().to_string();
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((thread, name, rest)) = beginning(line) else { continue };
        let nth = counts.entry((thread, name)).or_default();
        *nth += 1;
        if rest.contains(&folder) && !NEVER_FAILING.contains(&name) {
            calls.push(Call { name: name.to_owned(), nth: *nth, line: line.to_owned() });
        }
    }
    let injected = text.lines().filter(|line| line.ends_with("(INJECTED)"));
    Trace { calls, injected: injected.map(str::to_owned).collect() }
}

/// The thread, the name of the call and what it is about; none for the second half of a call that
/// another thread came between, and for signals.
fn beginning(line: &str) -> Option<(&str, &str, &str)> {
    let (thread, call) = line.split_once(' ')?;
    let (name, rest) = call.trim_start().split_once('(')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // Where a path is relative to the current folder, that is shown, too, although nothing is there.
    let behind = rest.strip_prefix("AT_FDCWD<").and_then(|rest| rest.split_once('>'));
    let rest = behind.map_or(rest, |(_, rest)| rest);
    is_name.then_some((thread, name, rest))
}

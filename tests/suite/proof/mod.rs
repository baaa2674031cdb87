//! Proofs that what is promised about the file holds: when writers are killed, when calls of the
//! system fail, and when many write at once.
//!
//! They take minutes and are ignored by a plain `cargo test`. `cargo test --release
//! --test suite -- --ignored` runs them in a short form, as `.ci/run` does, and in full with `MEDIACTL_PROOF=full`:
//!
//! | proof                                            | short                    | full                         |
//! |--------------------------------------------------|--------------------------|------------------------------|
//! | `failing`: kills of commands †                   | at every third call      | at every call                |
//! | `confirm`: a server, at calls of each phase †    | about 15 calls each      | every call                   |
//! | `failing`: calls of commands †                   | every second, one error  | every call, every error,     |
//! |                                                  |                          | once and from then on        |
//! | `failing`: calls of a server †                   | every call, one error    | every call, every error      |
//! | `writers`: 8 writers with 12 changes each        | 1 round                  | 9 rounds                     |
//!
//! † With `strace`. What the proofs counted is printed (`--nocapture` shows it).

mod confirm;
mod converted;
mod failing;
mod strace;
mod writers;

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Child;
use std::sync::mpsc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mediactl::store::{HAND_EDIT, Revision, Store};
use rustix::process::{Pid, Signal, kill_process};

use mediactl::store::file::ConfFile;

use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::http;
use crate::http::listener::support::{Answer, Client};
use crate::waiting::PATIENCE;

/// The number of texts of the history that are examined: those that a killed writer may have touched.
const NEWEST: usize = 10;

/// The login and the password in the configurations of the proofs.
const ACCOUNT: [&str; 2] = ["admin", "hunter2"];

/// Each of the first `count` changes has kept the text that was there before it.
#[track_caller]
fn all_are_kept(place: &Place, count: usize, text: impl Fn(usize) -> String) {
    let conf = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
    for change in 0..count {
        let kept = conf.kept(change as u64 + 1).expect("it can be read").expect("it is kept");
        assert_eq!(String::from_utf8_lossy(&kept), text(change), "{change}");
    }
}

fn in_full() -> bool {
    std::env::var("MEDIACTL_PROOF").is_ok_and(|value| value == "full")
}

fn rounds(short: usize, full: usize) -> usize {
    if in_full() { full } else { short }
}

/// Numbers that nobody chose (xorshift64).
pub struct Random(u64);

impl Random {
    pub fn new(proof: &str) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is right");
        let seed = since.as_nanos() as u64 | 1;
        println!("{proof}: seed {seed}");
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A time from nothing to `longest`.
    pub fn up_to(&mut self, longest: Duration) -> Duration {
        longest * self.below(10_000) as u32 / 10_000
    }
}

/// The sample with comments of random digits, which can hardly be compressed and are parsed soon: about `bytes` bytes.
pub fn noisy(proof: &str, bytes: usize) -> String {
    let (mut text, mut random) = (SAMPLE.to_owned(), Random::new(proof));
    while text.len() < bytes {
        text += "# ";
        (0..6).for_each(|_| text += &format!("{:016x}", random.next()));
        text += "\n";
    }
    text
}

/// What a started program comes to. One that hangs is killed, and its exit code is none.
fn finish(child: Child) -> Run {
    let pid = Pid::from_child(&child);
    let (done, wait) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = kill_process(pid, Signal::TERM);
        }
    });
    let run = Run::of(child.wait_with_output().expect("the program ends"));
    drop(done);
    watch.join().expect("the watch ends");
    run
}

/// The text of the configuration as readers get it; `None` if there is no file.
///
/// While a write in place is cut short, that is the text before it.
fn text_for_readers(place: &Place) -> Option<String> {
    if place.path(&format!(".{CONF}.mediactl/in-place")).exists() {
        return Some(place.run(["read", "-o", "conf"]).exits(0).out);
    }
    place.path(CONF).exists().then(|| place.text())
}

/// Files that a write leaves only when it is killed.
fn strays(place: &Place) -> Vec<String> {
    let mut names = place.names();
    names.retain(|name| {
        let ends = ["/in-place", "/making", "/pending.new", "/in-place.new"];
        let is_part = [".mediactl-", "/candidate-"].iter().any(|part| name.contains(part));
        is_part || ends.iter().any(|end| name.ends_with(end))
    });
    names
}

/// Every line of the journal that is complete is JSON, and the text before a change of ours is kept.
/// Says how many lines are about edits by hand.
#[track_caller]
fn hand_edits_in_whole_history(place: &Place) -> usize {
    let folder = place.path(&format!(".{CONF}.mediactl/history"));
    let conf = ConfFile::resolve(&place.path(CONF)).expect("its folder is there");
    let journal = fs::read_to_string(folder.join("journal")).expect("a journal is text");
    let complete = journal.rfind('\n').map_or("", |end| &journal[..end]);
    let lines: Vec<serde_json::Value> = complete
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for line in lines.iter().rev().take(NEWEST) {
        // What was there before an edit by hand is not always known.
        let before = line["before"].as_str().filter(|_| line["operation"] != HAND_EDIT);
        let Some(before) = before else { continue };
        let kept = conf.kept(line["number"].as_u64().expect("it is a number"));
        let kept = kept.ok().flatten().unwrap_or_else(|| panic!("{line} says that a text is kept"));
        assert_eq!(Revision::from_text(&kept).to_string(), before, "another text is kept than {line} says");
    }
    lines.iter().filter(|line| line["operation"] == HAND_EDIT).count()
}

/// Asks the server at `url` for one operation, over a connection of its own; none if it dies before it has answered.
fn ask(url: &str, method: &str, operation: &str, body: &str) -> Option<Answer> {
    ask_as(ACCOUNT, url, method, operation, body)
}

pub fn ask_as(account: [&str; 2], url: &str, method: &str, operation: &str, body: &str) -> Option<Answer> {
    let address = url.trim_start_matches("http://").split_once('/');
    let (host, prefix) = address.expect("a server says its address with the prefix");
    let mut client = Client::new(TcpStream::connect(host).ok()?);
    let [login, password] = account;
    let head = format!(
        "{method} /{prefix}/{operation} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {}\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        http::handler::account(login, password),
        body.len()
    );
    client.stream.write_all((head + body).as_bytes()).ok()?;
    client.try_answer()
}

/// The type of a problem, without what stands in front of each.
pub fn problem_of(answer: &Answer) -> String {
    let problem: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let urn = problem["type"].as_str().unwrap_or("no problem document");
    urn.trim_start_matches("urn:mediactl:problem:").to_owned()
}

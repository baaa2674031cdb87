//! Many write at the same time: commands, clients of a server, and a script that knows nothing of us.
//! What was acknowledged is there in the end, and what was refused was refused for a known reason.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use super::{ask, problem_of, rounds, strays};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};

const WRITERS: usize = 8;

/// How many changes each of them makes in a round. All those of a round fit into the history, where
/// what a script replaced is looked for.
const CHANGES: usize = 12;

const TEXT: &str = "http 80;\nedit_auth admin hunter2;\n\nstream first {\n  url fake://x;\n}\n";

/// Who adds streams of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    /// `mediactl modify`, through the socket where a server runs.
    Command,
    /// `modify_config` over TCP.
    Client,
    /// `sed -i … media.conf`: it reads the file, and puts another one in its place.
    Script,
}

#[derive(Default)]
struct Account {
    /// Streams that have to be there.
    acknowledged: BTreeSet<String>,
    /// Streams that must not be there.
    refused: BTreeSet<String>,
    /// Why, and how often.
    reasons: BTreeMap<(Writer, String), usize>,
}

impl Writer {
    fn add(self, stream: &str, place: &Place, server: Option<&Serving>) -> Result<(), String> {
        match self {
            Self::Command => command(stream, place),
            Self::Client => client(stream, server.expect("clients have a server")),
            Self::Script => script(stream, place),
        }
    }
}

fn command(stream: &str, place: &Place) -> Result<(), String> {
    let run = place.set(&[&format!("streams.{stream}.urls[+]=fake://x")]);
    match run.code {
        Some(0) => Ok(()),
        // Changed meanwhile; too busy.
        Some(code @ (5 | 7)) => Err(format!("exit {code}")),
        _ => panic!("{run:#?}"),
    }
}

fn client(stream: &str, server: &Serving) -> Result<(), String> {
    let patch = format!(r#"{{"streams":{{"{stream}":{{"urls":[{{"url":"fake://x"}}]}}}}}}"#);
    let answer = ask(&server.url, "POST", "modify_config", &patch).expect("it answers");
    match answer.status {
        200 => Ok(()),
        409 | 412 | 503 => Err(problem_of(&answer)),
        _ => panic!("{} {}", answer.status, String::from_utf8_lossy(&answer.body)),
    }
}

fn script(stream: &str, place: &Place) -> Result<(), String> {
    let line = format!("sed -i '$a stream {stream} {{ input fake://x; }}' {CONF}");
    place.call("sh", ["-c", &line]).run().exits(0);
    Ok(())
}

/// Each writer makes its changes of one round, all at the same time.
fn write(writers: &[Writer], round: usize, place: &Place, server: Option<&Serving>) -> Account {
    let mut account = Account::default();
    thread::scope(|scope| {
        let start = |(number, writer): (usize, &Writer)| {
            let (writer, own) = (*writer, move |change| format!("w{number}-{round}-{change}"));
            scope.spawn(move || {
                (0..CHANGES)
                    .map(|change| (writer, own(change), writer.add(&own(change), place, server)))
                    .collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = writers.iter().enumerate().map(start).collect();
        for (writer, stream, outcome) in
            threads.into_iter().flat_map(|thread| thread.join().expect("it ends"))
        {
            account.enter(writer, stream, outcome);
        }
    });
    account
}

impl Account {
    fn enter(&mut self, writer: Writer, stream: String, outcome: Result<(), String>) {
        let side = if outcome.is_ok() { &mut self.acknowledged } else { &mut self.refused };
        side.insert(stream);
        let reason = outcome.err().unwrap_or_else(|| "done".to_owned());
        *self.reasons.entry((writer, reason)).or_default() += 1;
    }

    /// What was acknowledged is in the file, or else in the history; says how many are there alone.
    #[track_caller]
    fn is_right(&self, place: &Place) -> usize {
        let text = place.text();
        for stream in &self.refused {
            assert!(!has(&text, stream), "{stream} was refused and is in the file");
        }
        let kept = place.kept();
        let missing: Vec<_> = self.acknowledged.iter().filter(|stream| !has(&text, stream)).collect();
        for stream in &missing {
            assert!(
                kept.iter().any(|kept| has(kept, stream)),
                "{stream} is lost\n{:?}\n{text}",
                self.reasons
            );
        }
        missing.len()
    }
}

fn has(text: &str, stream: &str) -> bool {
    text.contains(&format!("stream {stream} {{"))
}

fn prove(writers: &[Writer; WRITERS], place: &Place, server: Option<&Serving>) {
    for round in 0..rounds(1, 9) {
        let account = write(writers, round, place, server);
        // Who writes next records what a script wrote last.
        place.set(&[&format!("rtsp={}", round + 1)]).exits(0);
        let late = account.is_right(place);
        println!("round {round}: {:?}, {late} only in the history", account.reasons);
        place.run(["check"]).exits(0);
        assert_eq!(strays(place), [""; 0]);
    }
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn all_at_once_with_and_without_a_server() {
    use Writer::{Client, Command, Script};
    prove(&[Command, Command, Command, Command, Command, Command, Command, Script], &Place::with(TEXT), None);
    let place = Place::with(TEXT);
    let server = Serving::over(&place);
    prove(&[Command, Command, Command, Command, Client, Client, Client, Script], &place, Some(&server));
    // What runs is what is in the file.
    place.run(["diff"]).exits(0);
    let run = server.stop().exits(0);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

//! Many write at the same time: commands, clients of a server, and a script that knows nothing of us.
//! What was acknowledged is there in the end, and what was refused was refused for a known reason.

use std::collections::BTreeMap;
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
#[derive(Clone, Copy, Debug)]
enum Writer {
    /// `mediactl modify`, through the socket where a server runs.
    Command,
    /// `modify_config` over TCP.
    Client,
    /// `sed -i … media.conf`: it reads the file, and puts another one in its place.
    Script,
}

/// A stream that a writer adds, and why it is refused, if it is.
type Told = (Writer, String, Result<(), String>);

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
fn write(writers: &[Writer], round: usize, place: &Place, server: Option<&Serving>) -> Vec<Told> {
    let changes = |number: usize, writer: Writer| -> Vec<Told> {
        let streams = (0..CHANGES).map(|change| format!("w{number}-{round}-{change}"));
        streams.map(|stream| (writer, stream.clone(), writer.add(&stream, place, server))).collect()
    };
    let changes = &changes;
    thread::scope(|scope| {
        let writers = writers.iter().enumerate();
        let threads: Vec<_> =
            writers.map(|(number, writer)| scope.spawn(move || changes(number, *writer))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    })
}

fn has(text: &str, stream: &str) -> bool {
    text.contains(&format!("stream {stream} {{"))
}

/// What was acknowledged is in the file, or else in the history.
fn prove(writers: &[Writer; WRITERS], place: &Place, server: Option<&Serving>) {
    for round in 0..rounds(1, 9) {
        let told = write(writers, round, place, server);
        // Who writes next records what a script wrote last.
        place.set(&[&format!("rtsp={}", round + 1)]).exits(0);
        let (text, kept, mut counts) = (place.text(), place.kept(), BTreeMap::<_, usize>::new());
        for (writer, stream, outcome) in &told {
            let is_there = has(&text, stream);
            assert!(outcome.is_ok() || !is_there, "{stream} was refused and is in the file");
            let is_known = is_there || outcome.is_err() || kept.iter().any(|kept| has(kept, stream));
            assert!(is_known, "{stream} is lost\n{told:?}\n{text}");
            *counts.entry(format!("{writer:?} {outcome:?}, in the file: {is_there}")).or_default() += 1;
        }
        println!("round {round}: {counts:#?}");
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

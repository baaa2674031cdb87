//! Many write at the same time: commands, with and without a server, and a script that knows nothing of us.
//! What was acknowledged is there in the end, and what was refused was refused for a known reason.

use std::collections::BTreeMap;
use std::thread;

use super::{rounds, strays};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};

const WRITERS: usize = 8;

/// How many changes each of them makes in a round. All those of a round fit into the history, where
/// what a script replaced is looked for.
const CHANGES: usize = 12;

const TEXT: &str = "http 80;\nedit_auth admin hunter2;\n\nstream first {\n  url fake://x;\n}\n";

/// A stream that a writer adds, and why it is refused, if it is.
type Told = (String, Result<(), String>);

/// `mediactl modify`, through the socket where a server runs.
fn command(stream: &str, place: &Place) -> Result<(), String> {
    let run = place.set(&[&format!("streams.{stream}.urls[+]=fake://x")]);
    match run.code {
        Some(0) => Ok(()),
        // Changed meanwhile; too busy.
        Some(code @ (5 | 7)) => Err(format!("exit {code}")),
        _ => panic!("{run:#?}"),
    }
}

/// `sed -i … media.conf`: it reads the file, and puts another one in its place.
fn script(stream: &str, place: &Place) -> Result<(), String> {
    let line = format!("sed -i '$a stream {stream} {{ input fake://x; }}' {CONF}");
    place.call("sh", ["-c", &line]).run().exits(0);
    Ok(())
}

/// Each writer makes its changes of one round, all at the same time; one of them is a script.
fn write(round: usize, place: &Place) -> Vec<Told> {
    let changes = |writer: usize| -> Vec<Told> {
        let add = if writer == 0 { script } else { command };
        let streams = (0..CHANGES).map(|change| format!("w{writer}-{round}-{change}"));
        streams.map(|stream| (stream.clone(), add(&stream, place))).collect()
    };
    let changes = &changes;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || changes(writer))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    })
}

fn has(text: &str, stream: &str) -> bool {
    text.contains(&format!("stream {stream} {{"))
}

/// What was acknowledged is in the file, or else in the history.
fn prove(place: &Place) {
    for round in 0..rounds(1, 9) {
        let told = write(round, place);
        // Who writes next records what a script wrote last.
        place.set(&[&format!("rtsp={}", round + 1)]).exits(0);
        let (text, kept, mut counts) = (place.text(), place.kept(), BTreeMap::<_, usize>::new());
        for (stream, outcome) in &told {
            let is_there = has(&text, stream);
            assert!(outcome.is_ok() || !is_there, "{stream} was refused and is in the file");
            let is_known = is_there || outcome.is_err() || kept.iter().any(|kept| has(kept, stream));
            assert!(is_known, "{stream} is lost\n{told:?}\n{text}");
            *counts.entry(format!("{outcome:?}, in the file: {is_there}")).or_default() += 1;
        }
        println!("round {round}: {counts:#?}");
        place.run(["check"]).exits(0);
        assert_eq!(strays(place), [""; 0]);
    }
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn all_at_once_with_and_without_a_server() {
    prove(&Place::with(TEXT));
    let place = Place::with(TEXT);
    let server = Serving::over(&place);
    prove(&place);
    // What runs is what is in the file.
    place.run(["diff"]).exits(0);
    let run = server.stop().exits(0);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

//! A writer is killed: the file is the old text or the new one, and what it left is cleaned up. `failing` kills commands at
//! each call of the system; here is what others do then, and a server.

use std::fs;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;

use super::failing::PLAIN;
use super::{Random, ask, hand_edits_in_whole_history, padded, rounds, strace, strays, text_for_readers};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, SAMPLE};
use crate::waiting::{eventually, let_pass};

const CLIENTS: usize = 3;

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

/// Gives numbers to a stream of its own.
#[derive(Default)]
struct Client {
    sent: AtomicUsize,
    acknowledged: AtomicUsize,
}

impl Client {
    /// Counts up until the server is gone.
    fn run(&self, server: &str, number: usize) {
        for value in self.sent.load(SeqCst) + 1.. {
            self.sent.store(value, SeqCst);
            let patch = format!(r#"{{"streams":{{"w{number}":{{"prepush":{value}}}}}}}"#);
            match ask(server, "POST", "modify_config", &patch) {
                Some(answer) => assert_eq!(answer.status, 200, "{answer:?}"),
                None => return,
            }
            self.acknowledged.store(value, SeqCst);
        }
    }
}

/// The file if the clients gave these values.
fn text(values: &[usize], port: usize) -> String {
    let stream = |(number, value)| format!("stream w{number} {{\n  url fake://x;\n  prepush {value};\n}}\n");
    let streams: String = values.iter().enumerate().map(stream).collect();
    padded(&format!("http 80;\nrtsp {port};\nedit_auth admin hunter2;\n{streams}"), 200_000)
}

/// The values in a text, one of each client.
fn values_in(text: &str) -> Vec<usize> {
    let behind = text.split("  prepush ").skip(1).take(CLIENTS);
    let value = |rest: &str| rest.split(';').next().and_then(|value| value.parse().ok());
    behind.map(|rest| value(rest).expect("it is a number")).collect()
}

/// All clients change at once until the server is killed, some time after its first answers.
#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn a_server_at_random_times() {
    /// As long as a few changes take.
    const LONGEST: Duration = Duration::from_millis(100);
    let clients: [Client; CLIENTS] = Default::default();
    let acknowledged = || clients.iter().map(|client| client.acknowledged.load(SeqCst)).sum::<usize>();
    let place = Place::with(text(&[0; CLIENTS], 0));
    let mut random = Random::new("killed servers");
    let (mut old, mut new, mut left) = (0, 0, 0);
    let rounds = rounds(15, 400);
    for round in 0..rounds {
        let server = Serving::over(&place);
        let (url, before) = (server.url.clone(), acknowledged());
        thread::scope(|scope| {
            for (number, client) in clients.iter().enumerate() {
                let url = &url;
                scope.spawn(move || client.run(url, number));
            }
            eventually(|| acknowledged() >= before + CLIENTS);
            let_pass(random.up_to(LONGEST));
            let run = server.kill();
            assert!(!run.err.contains("panicked"), "{}", run.err);
        });
        let found = text_for_readers(&place).expect("there is always a file");
        left += usize::from(!strays(&place).is_empty());
        let values = values_in(&found);
        assert!(
            found == text(&values, round),
            "the file is none of the texts that it may be:\n{found:.2000}"
        );
        for (client, value) in clients.iter().zip(&values) {
            let may_be = [&client.acknowledged, &client.sent].map(|last| last.load(SeqCst));
            assert!(may_be.contains(value), "{value} was neither acknowledged last nor sent: {may_be:?}");
            *(if may_be[0] == *value { &mut old } else { &mut new }) += 1;
            [&client.acknowledged, &client.sent].iter().for_each(|last| last.store(*value, SeqCst));
        }
        place.set(&[&format!("rtsp={}", round + 1)]).exits(0);
        assert!(place.text() == text(&values, round + 1), "the next change is made on a whole text");
        assert_eq!(strays(&place), [""; 0]);
        place.run(["check"]).exits(0);
        assert_eq!(hand_edits_in_whole_history(&place), 0);
    }
    println!("{rounds} servers killed after {} changes, {left} times other files were left:", acknowledged());
    println!("{new} changes were made and not answered, {old} not made");
    if super::in_full() {
        assert!(old > 0 && new > 0);
    }
}

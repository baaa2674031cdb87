//! A writer is killed: the file is the old text or the new one, and what it left is cleaned up. `failing` kills commands at
//! each call of the system; here is what others do then, and a server.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::failing::PLAIN;
use super::{Random, ask, hand_edits_in_whole_history, padded, rounds, strace, strays, text_for_readers};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, SAMPLE};
use crate::waiting::{eventually, let_pass};

const BYTES: usize = 200_000;

const HEAD: &str = "http 80;\nrtsp 0;\nedit_auth admin hunter2;\n";

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
        for value in self.sent.load(Ordering::SeqCst) + 1.. {
            self.sent.store(value, Ordering::SeqCst);
            let patch = format!(r#"{{"streams":{{"w{number}":{{"prepush":{value}}}}}}}"#);
            match ask(server, "POST", "modify_config", &patch) {
                Some(answer) => assert_eq!(answer.status, 200, "{answer:?}"),
                None => return,
            }
            self.acknowledged.store(value, Ordering::SeqCst);
        }
    }

    /// What the file may say.
    fn values(&self) -> [usize; 2] {
        [self.acknowledged.load(Ordering::SeqCst), self.sent.load(Ordering::SeqCst)]
    }

    /// Takes note of what the file does say.
    fn go_on_from(&self, value: usize) {
        self.acknowledged.store(value, Ordering::SeqCst);
        self.sent.store(value, Ordering::SeqCst);
    }
}

/// The clients of a server, and the text with a place for the number of each.
struct Clients {
    clients: [Client; CLIENTS],
    text: String,
}

impl Clients {
    fn new() -> Self {
        let streams: String = (0..CLIENTS)
            .map(|number| format!("stream w{number} {{\n  url fake://x;\n  prepush VALUE{number};\n}}\n"))
            .collect();
        Self { clients: Default::default(), text: padded(&format!("{HEAD}{streams}"), BYTES) }
    }

    /// The file if the clients gave these values.
    fn text(&self, values: &[usize], port: usize) -> String {
        let text = self.text.replacen("rtsp 0;", &format!("rtsp {port};"), 1);
        values.iter().enumerate().fold(text, |text, (number, value)| {
            text.replacen(&format!("VALUE{number};"), &format!("{value};"), 1)
        })
    }

    /// The values that the file has: each was acknowledged last, or was sent after that.
    #[track_caller]
    fn values_in(&self, text: &str, port: usize) -> Vec<usize> {
        let choices = (0..1 << CLIENTS).map(|choice: usize| -> Vec<usize> {
            let pick = |(number, client): (usize, &Client)| client.values()[choice >> number & 1];
            self.clients.iter().enumerate().map(pick).collect()
        });
        choices
            .into_iter()
            .find(|values| self.text(values, port) == text)
            .unwrap_or_else(|| panic!("the file is none of the texts that it may be:\n{text:.2000}"))
    }

    /// All change at once until the server is killed, `delay` after its first answers.
    fn run_until_killed(&self, server: Serving, delay: Duration) {
        let url = server.url.clone();
        thread::scope(|scope| {
            for (number, client) in self.clients.iter().enumerate() {
                let url = &url;
                scope.spawn(move || client.run(url, number));
            }
            self.wait_for_answers();
            let_pass(delay);
            let run = server.kill();
            assert!(!run.err.contains("panicked"), "{}", run.err);
        });
    }

    /// Until there are as many answers as clients.
    fn wait_for_answers(&self) {
        let before = self.acknowledged();
        eventually(|| self.acknowledged() >= before + CLIENTS);
    }

    fn acknowledged(&self) -> usize {
        self.clients.iter().map(|client| client.values()[0]).sum()
    }
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn a_server_at_random_times() {
    /// As long as a few changes take.
    const LONGEST: Duration = Duration::from_millis(100);
    let clients = Clients::new();
    let place = Place::with(clients.text(&[0; CLIENTS], 0));
    let mut random = Random::new("killed servers");
    let (mut old, mut new, mut left) = (0, 0, 0);
    let rounds = rounds(15, 400);
    for round in 0..rounds {
        clients.run_until_killed(Serving::over(&place), random.up_to(LONGEST));
        let text = text_for_readers(&place).expect("there is always a file");
        left += usize::from(!strays(&place).is_empty());
        let values = clients.values_in(&text, round);
        for (client, value) in clients.clients.iter().zip(&values) {
            let is_new = client.values()[0] != *value;
            (old, new) = (old + usize::from(!is_new), new + usize::from(is_new));
            client.go_on_from(*value);
        }
        place.set(&[&format!("rtsp={}", round + 1)]).exits(0);
        assert!(place.text() == clients.text(&values, round + 1), "the next change is made on a whole text");
        assert_eq!(strays(&place), [""; 0]);
        place.run(["check"]).exits(0);
        assert_eq!(hand_edits_in_whole_history(&place), 0);
    }
    println!(
        "{rounds} servers killed after {} changes: {new} changes were made and not answered, {old} not made, \
         {left} times other files were left",
        clients.acknowledged()
    );
    if super::in_full() {
        assert!(old > 0 && new > 0);
    }
}

//! What is refused without a terminal to ask on.

use super::{Place, SAMPLE};

/// `count` streams.
fn streams(count: usize) -> String {
    (0..count).map(|at| format!("stream s{at} udp://h:{at};\n")).collect()
}

/// A patch that deletes so many of them.
fn deleting(count: usize) -> String {
    let gone: Vec<String> = (0..count).map(|at| format!("\"s{at}\":null")).collect();
    format!("{{\"streams\":{{{}}}}}", gone.join(","))
}

#[test]
fn the_last_credentials_stay() {
    for refused in [
        &["modify", "--unset", "edit_auth"][..],
        &["modify", "--set", "edit_auth.password="],
        &["modify", "--dry-run", "--unset", "edit_auth"],
    ] {
        let place = Place::with(SAMPLE);
        place.run(refused).exits(6).says("no usable `edit_auth` would remain").says("hint: ").says("--force");
        assert_eq!(place.text(), SAMPLE);
    }
    let place = Place::with(SAMPLE);
    place.mediactl(["save", "-"]).input("rtmp 1;\n").run().exits(6);
    place.run(["modify", "--force", "--unset", "edit_auth"]).exits(0);
    assert!(!place.text().contains("edit_auth"));
    place.set(&["rtsp=1"]).exits(0);
}

#[test]
fn a_text_without_directives_replaces_nothing() {
    let place = Place::with("rtmp 1;\n");
    for text in ["", "# all on one line: http 80; rtsp 554;", " \n"] {
        let run = place.mediactl(["save", "-"]).input(text).run().exits(6);
        run.says("no directive at all").says("--force");
    }
    assert_eq!(place.text(), "rtmp 1;\n");
    place.mediactl(["save", "--force", "-"]).input("").run().exits(0);
    assert_eq!(place.text(), "");
    Place::empty().mediactl(["save", "-"]).input("# empty\n").run().exits(6);
}

#[test]
fn most_of_the_streams_stay() {
    for (of, deleted, code) in [(8, 4, 0), (8, 5, 6), (5, 5, 6), (4, 4, 0), (12, 6, 0), (12, 7, 6)] {
        let place = Place::with(streams(of));
        place.patch(&deleting(deleted)).exits(code);
        let unchanged = place.text() == streams(of);
        assert_eq!(unchanged, code == 6, "{deleted} of {of}");
        let place = Place::with(streams(of));
        let kept: String = streams(of).lines().skip(deleted).map(|line| format!("{line}\n")).collect();
        place.mediactl(["save", "-"]).input(format!("rtmp 1;\n{kept}")).run().exits(code);
    }
}

#[test]
fn max_delete_says_how_many() {
    for (most, deleted, code) in [("7", 7, 0), ("6", 7, 6), ("0", 1, 6), ("2", 2, 0)] {
        let place = Place::with(streams(8));
        let run = place.mediactl(["modify", "--max-delete", most, "-f", "-"]).input(deleting(deleted)).run();
        let run = run.exits(code);
        if code == 6 {
            run.says(&format!("{deleted} of 8 streams would be deleted")).says("--max-delete");
        }
    }
    Place::with(streams(8)).mediactl(["modify", "--force", "-f", "-"]).input(deleting(8)).run().exits(0);
}

#[test]
fn what_is_often_meant_is_not_guarded() {
    let text = "edit_auth a b;\nauth http://b/;\nstream a udp://h:1;\n";
    for patch in [r#"{"auth":null}"#, r#"{"auth":{"url":false}}"#, r#"{"streams":{"a":null}}"#] {
        Place::with(text).patch(patch).exits(0);
    }
}

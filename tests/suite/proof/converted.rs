//! The state folder of version 0.1 becomes the one of today: once, with all that is in it, whatever happens meanwhile.
//!
//! The fixture has 120 changes, of which number 60 is an edit by hand, and the last one has to be confirmed. Its server
//! was killed.

use std::fs;
use std::path::Path;

use super::strace;
use super::{rounds, strays};
use crate::cli::{CONF, Place, Run, copy};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/state_0_1");

/// The number of the change that is not confirmed.
const LAST: usize = 120;

/// The text after so many changes.
fn text(changes: usize) -> String {
    let text = format!("http 80;\nrtsp {};\nedit_auth admin hunter2;\n", 1000 + changes);
    if changes == 30 { text + &"# a line of a large text\n".repeat(4000) } else { text }
}

/// A file with its state folder of version 0.1.
fn former() -> Place {
    let place = Place::with(fs::read(Path::new(FIXTURE).join(CONF)).expect("it is there"));
    assert_eq!(place.text(), text(LAST));
    copy(&Path::new(FIXTURE).join("state"), &place.path(&format!(".mediactl/{CONF}")));
    place
}

/// Every text before one of the first 120 changes is kept.
#[track_caller]
fn all_are_kept(place: &Place) {
    super::all_are_kept(place, LAST, text);
}

fn modify(place: &Place) -> Run {
    place.line("modify --set http=81")
}

/// The text after the pending change was rolled back, and that of [`modify`].
fn changed() -> String {
    text(LAST - 1).replace("http 80", "http 81")
}

#[test]
fn a_state_folder_of_version_0_1_is_read_and_converted_once() {
    let place = former();
    let told = place.line("history -n 1000 -o json").exits(0).json();
    let told: Vec<_> = told.as_array().expect("a list").iter().rev().cloned().collect();
    assert_eq!(told.len(), LAST);
    assert_eq!((&told[59]["operation"], &told[118]["message"]), (&"hand-edit".into(), &"change 119".into()));
    all_are_kept(&place);
    place.line("history show last").exits(0).prints("rtsp 1119;");
    place.line("blame rtsp").exits(0).prints("1119 → 1120");
    place.line("status").exits(1).prints("was not confirmed in time").prints("change 120");
    assert!(!place.path(&format!(".{CONF}.mediactl")).exists(), "a reader makes nothing");
    modify(&place).exits(0).says("was never confirmed is rolled back");
    assert_eq!(place.text(), changed());
    assert!(!place.path(".mediactl").exists());
    assert!(!place.is_pending());
    all_are_kept(&place);
    let now = place.line("history -n 1000 -o json").exits(0).json();
    let now: Vec<_> = now.as_array().expect("a list").iter().rev().cloned().collect();
    assert_eq!(now.len(), LAST + 2);
    for (before, after) in told.iter().zip(&now) {
        for part in ["serial", "at", "operation", "by", "message", "id", "before", "after"] {
            assert_eq!(before[part], after[part]);
        }
    }
    assert_eq!((&now[120]["operation"], &now[121]["operation"]), (&"expired".into(), &"modify".into()));
    assert_eq!(strays(&place), [""; 0]);
}

#[test]
fn an_edit_by_hand_before_the_conversion_is_told_with_the_text_before_it() {
    let place = former();
    fs::remove_file(place.path(&format!(".mediactl/{CONF}/pending"))).expect("it is there");
    place.put(CONF, text(LAST + 1));
    modify(&place).exits(0).says("found an edit made outside of mediactl: rtsp");
    all_are_kept(&place);
    let kept = place.kept();
    assert_eq!(kept[LAST..], [text(LAST), text(LAST + 1)]);
}

#[test]
fn while_a_server_or_a_writer_of_version_0_1_runs_changes_are_refused() {
    for (lock, says) in [("serve.lock", "a server already runs over"), ("lock", "is locked by")] {
        let place = former();
        let file = fs::File::open(place.path(&format!(".mediactl/{CONF}/{lock}"))).expect("it is there");
        file.lock().expect("nobody holds it");
        modify(&place).exits(5).says(says);
        place.line("serve --listen none").exits(5);
        assert_eq!(place.text(), text(LAST));
        assert!(!place.path(&format!(".{CONF}.mediactl")).exists());
        all_are_kept(&place);
        drop(file);
        modify(&place).exits(0);
        all_are_kept(&place);
    }
}

/// Somebody ran version 0.1 again: what it wrote stays where it is.
#[test]
fn a_state_folder_that_version_0_1_made_later_stays() {
    let place = former();
    modify(&place).exits(0);
    let later = place.path(&format!(".mediactl/{CONF}"));
    copy(&Path::new(FIXTURE).join("state"), &later);
    place.set(&["http=82"]).exits(0);
    all_are_kept(&place);
    assert!(later.join("history/journal").exists());
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn killed_or_failing_at_each_call() {
    if !strace::can_run() {
        return;
    }
    // A change with one of its calls changed.
    let run =
        |place: &Place, options: &[String]| strace::run(place, options, &["modify", "--set", "http=81"]);
    let (whole, trace) = run(&former(), &[]);
    whole.exits(0);
    let calls = trace.calls;
    let kills = calls.iter().step_by(rounds(71, 5)).map(|call| (call, "signal=KILL".to_owned()));
    let errors = ["ENOSPC", "EIO", "EROFS", "EACCES", "EINTR"];
    let error = |(number, call)| (call, format!("error={}", errors[number % errors.len()]));
    let failures = calls.iter().enumerate().step_by(rounds(73, 5)).map(error);
    let (mut former_is_there, mut new_is_there) = (0, 0);
    for (call, what) in kills.chain(failures) {
        let place = former();
        let (run, _) = run(&place, &[call.option(&what)]);
        assert!(matches!(run.code, None | Some(0 | 4 | 9)), "{what} at {}: {run:#?}", call.line);
        let [is_former, is_new] = [format!(".mediactl/{CONF}"), format!(".{CONF}.mediactl")]
            .map(|name| usize::from(place.path(&name).exists()));
        (former_is_there, new_is_there) = (former_is_there + is_former, new_is_there + is_new);
        all_are_kept(&place);
        modify(&place).exits(0);
        assert_eq!(place.text(), changed(), "{what} at {}", call.line);
        all_are_kept(&place);
        assert_eq!(strays(&place), [""; 0], "{what} at {}", call.line);
        assert!(!place.path(".mediactl").exists(), "{what} at {}", call.line);
    }
    println!("the former folder was there {former_is_there} times, the new one {new_is_there} times");
}

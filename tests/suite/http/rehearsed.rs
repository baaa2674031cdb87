//! Changes that are not made: dry runs, which delay no change however long their check command takes, and changes whose time
//! is over.

use std::fs;
use std::thread;
use std::time::Duration;

use mediactl::engine::Hooks;

use super::handler::{Server, TEXT, body, header, refused};
use super::past::{operations, pending};
use crate::cli::Place;
use crate::waiting::eventually;

/// A change whose check waits to be let go on.
const HELD: &str = r#"{"streams":{"b":{"title":"held"}}}"#;

/// The check command notes each run with a held text, and waits until someone writes into the FIFO `gate`. Then the text has
/// to be there still.
#[test]
fn no_change_waits_for_the_check_of_a_dry_run() {
    let place = Place::with(TEXT);
    place.put_fifo("gate");
    let check = format!(
        "cd '{}' && grep -q held \"$MEDIACTL_TEXT\" || exit 0; \
         echo run >> runs; cat gate > /dev/null && grep -q held \"$MEDIACTL_TEXT\"",
        place.path("").display()
    );
    let hooks = Hooks { check: Some(check), timeout: Duration::from_secs(300), ..Hooks::default() };
    let server = Server::start(place, hooks, false);
    thread::scope(|scope| {
        let rehearsal = scope.spawn(|| server.post("modify_config?dry_run=true", HELD).status);
        eventually(|| server.place.path("runs").exists());
        for port in 1..4 {
            let changed = server.made("modify_config", &format!(r#"{{"rtmp":{port}}}"#));
            assert_eq!(body(&changed)["rtmp"], port);
        }
        fs::write(server.place.path("gate"), "go").expect("the check reads it");
        assert_eq!(rehearsal.join().expect("it does not panic"), 200);
    });
    assert!(server.place.text().contains("rtmp 3;") && !server.place.text().contains("held"));
}

#[test]
fn a_dry_run_leaves_no_trace_also_while_a_change_is_pending_and_says_so() {
    let server = Server::over(TEXT);
    let id = pending(&server.made("modify_config?confirm=600", r#"{"rtmp":1}"#));
    let whole = "edit_auth admin s3cret;\nstream a udp://1;\n";
    for (operation, sent) in [
        ("modify_config?format=conf", r#"{"rtsp":2}"#),
        ("save_config?", whole),
        ("update_config?", whole),
        ("rollback_config?to=last", ""),
    ] {
        let rehearsed = server.made(&format!("{operation}&dry_run=1"), sent);
        let notes = header(&rehearsed, "Mediactl-Note").unwrap_or_default();
        assert!(notes.split("; ").any(|note| note == "other-change-pending"), "{operation}: {notes}");
        assert_eq!(pending(&rehearsed), id);
        refused(&server.post(operation, sent), 409, "pending");
    }
    let shown = body(&server.made("modify_config?dry_run=1", r#"{"rtsp":2}"#));
    assert_eq!((&shown["rtmp"], &shown["rtsp"]), (&1.into(), &2.into()));
    server.made(&format!("confirm_config?id={id}"), "");
    for (operation, sent) in [("modify_config?confirm=1", r#"{"rtsp":2}"#), ("rollback_config?to=last", "")] {
        let rehearsed = server.made(&format!("{operation}&dry_run=1"), sent);
        let [note, waits] = ["Mediactl-Note", "Mediactl-Pending"].map(|name| header(&rehearsed, name));
        assert_eq!((note, waits), (None, None), "{operation}");
    }
    assert_eq!(operations(&server), ["modify"]);
    assert_eq!(body(&server.get(""))["rtmp"], 1);
}

/// A check command that takes far too long, unless there is a file `quick` beside the configuration.
fn slow() -> Hooks {
    let check = "test -e \"$(dirname \"$MEDIACTL_FILE\")/quick\" || sleep 60".to_owned();
    Hooks { check: Some(check), timeout: Duration::from_secs(90), ..Hooks::default() }
}

#[test]
fn a_change_that_outlives_its_request_is_abandoned_before_it_writes() {
    let whole = "http 81;\nedit_auth admin s3cret;\nstream a udp://1;\n";
    let patch = r#"{"rtmp":1935}"#;
    for (operation, body) in [("modify_config", patch), ("save_config", whole), ("update_config", whole)] {
        let server = Server::start(Place::with(TEXT), slow(), false);
        let server = server.giving_up_after(Duration::from_millis(300));
        let before = server.get("").body;
        refused(&server.post(operation, body), 504, "engine-failed");
        assert_eq!(server.place.text(), TEXT, "{operation}");
        assert_eq!(server.get("").body, before, "{operation}");
        // The turn and the lock of the writer are free again, and nothing of the change is left.
        server.place.put("quick", "");
        server.giving_up_after(Duration::from_secs(60)).made(operation, body);
    }
}

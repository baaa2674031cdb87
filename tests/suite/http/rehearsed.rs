//! A dry run delays no change, however long its check command takes, and is possible while a change is pending.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use mediactl::engine::Hooks;

use super::handler::{Server, TEXT, body, header, refused};
use crate::cli::{CONF, Place};
use crate::waiting::eventually;

/// A change whose check waits to be let go on.
const HELD: &str = r#"{"streams":{"b":{"title":"held"}}}"#;

const REHEARSE: &str = "/media/api/modify_config?dry_run=true";

/// A server with a check command that notes each run, and holds those of a text with `held` until someone
/// writes into the FIFO `gate`. Then the text has to be there still.
struct Held {
    server: Server,
}

impl Held {
    fn new() -> Self {
        let place = Place::with(TEXT);
        place.put_fifo("gate");
        let folder = place.path("").display().to_string();
        let check = format!(
            "cd '{folder}' && grep -q held \"$MEDIACTL_TEXT\" || exit 0; \
             echo run >> runs; cat gate > /dev/null && grep -q held \"$MEDIACTL_TEXT\""
        );
        let hooks = Hooks { check: Some(check), timeout: Duration::from_secs(300), ..Hooks::default() };
        Self { server: Server::at(place, hooks) }
    }

    fn rehearse(&self) -> u16 {
        self.server.ask("POST", REHEARSE, &[], HELD).status
    }

    /// How many checks of held texts have begun.
    fn runs(&self) -> usize {
        fs::read_to_string(self.server.place.path("runs")).unwrap_or_default().lines().count()
    }

    fn gate(&self) -> PathBuf {
        self.server.place.path("gate")
    }
}

#[test]
fn no_change_waits_for_the_check_of_a_dry_run() {
    let held = Held::new();
    thread::scope(|scope| {
        let rehearsal = scope.spawn(|| held.rehearse());
        eventually(|| held.runs() == 1);
        for port in 1..4 {
            let changed = held.server.post("modify_config", &format!(r#"{{"rtmp":{port}}}"#));
            assert_eq!((changed.status, &body(&changed)["rtmp"]), (200, &port.into()));
        }
        fs::write(held.gate(), "go").expect("the check reads it");
        assert_eq!(rehearsal.join().expect("it does not panic"), 200);
    });
    assert!(held.server.place.text().contains("rtmp 3;") && !held.server.place.text().contains("held"));
}

#[test]
fn a_dry_run_is_possible_while_a_change_is_pending_and_says_so() {
    let server = Server::over(TEXT);
    let pending = server.ask("POST", "/media/api/modify_config?confirm=600", &[], r#"{"rtmp":1}"#);
    let id = header(&pending, "Mediactl-Pending").expect("it has to be confirmed").to_owned();
    for (operation, sent) in [
        ("modify_config", r#"{"rtsp":2}"#),
        ("save_config", "edit_auth admin s3cret;\nstream a udp://1;\n"),
        ("update_config", "edit_auth admin s3cret;\nstream a udp://1;\n"),
        ("rollback_config?to=last", ""),
    ] {
        let and = if operation.contains('?') { '&' } else { '?' };
        let rehearsed = server.post(&format!("{operation}{and}dry_run=1"), sent);
        assert_eq!(rehearsed.status, 200, "{operation}: {}", body(&rehearsed));
        let notes = header(&rehearsed, "Mediactl-Note").unwrap_or_default();
        assert!(notes.split("; ").any(|note| note == "other-change-pending"), "{operation}: {notes}");
        assert_eq!(header(&rehearsed, "Mediactl-Pending"), Some(id.as_str()));
        refused(&server.post(operation, sent), 409, "pending");
    }
    let shown = server.post("modify_config?dry_run=1", r#"{"rtsp":2}"#);
    assert_eq!((&body(&shown)["rtmp"], &body(&shown)["rtsp"]), (&1.into(), &2.into()));
    let confirmed = server.ask("POST", &format!("/media/api/confirm_config?id={id}"), &[], "");
    assert_eq!(confirmed.status, 200);
    assert_eq!(header(&server.post("modify_config?dry_run=1", r#"{"rtsp":2}"#), "Mediactl-Note"), None);
}

#[test]
fn a_dry_run_sees_a_hand_edit_and_leaves_it_to_the_change() {
    let server = Server::over(TEXT);
    server.edit_by_hand("prepush 5", "prepush 9");
    for _ in 0..2 {
        let rehearsed = server.post("modify_config?dry_run=1", r#"{"rtsp":2}"#);
        assert_eq!(header(&rehearsed, "Mediactl-Note"), Some("found-hand-edit"));
        assert_eq!(body(&rehearsed)["streams"]["b"]["prepush"], 9);
    }
    assert_eq!(body(&server.get(""))["streams"]["b"]["prepush"], 5);
    assert!(server.place.path(CONF).exists() && server.place.kept().is_empty());
}

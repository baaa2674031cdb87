//! Issue 10, attack 4: a change that outlives its request's time is abandoned before it writes.

use std::time::Duration;

use mediactl::engine::Hooks;

use super::handler::{Server, TEXT, refused};

/// A check command that takes far too long, unless there is a file `quick` beside the configuration.
fn slow() -> Hooks {
    let check = "test -e \"$(dirname \"$MEDIACTL_FILE\")/quick\" || sleep 60".to_owned();
    Hooks { check: Some(check), timeout: Duration::from_secs(90), ..Hooks::default() }
}

/// Each operation that changes something, with a body that does.
const CHANGES: [(&str, &str); 3] = [
    ("modify_config", r#"{"rtmp":1935}"#),
    ("save_config", "http 80;\nedit_auth admin s3cret;\nstream a udp://1;\n"),
    ("update_config", "http 81;\nedit_auth admin s3cret;\nstream a udp://1;\n"),
];

#[test]
fn a_change_that_outlives_its_request_is_abandoned_before_it_writes() {
    for (operation, body) in CHANGES {
        let server = Server::with_hooks(TEXT, slow()).giving_up_after(Duration::from_millis(300));
        let before = server.get("").body;
        refused(&server.post(operation, body), 504, "engine-failed");
        assert_eq!(server.place.text(), TEXT, "{operation}");
        assert_eq!(server.get("").body, before, "{operation}");
        // The turn and the lock of the writer are free again, and nothing of the change is left.
        server.place.put("quick", "");
        let server = server.giving_up_after(Duration::from_secs(60));
        assert_eq!(server.post(operation, body).status, 200, "{operation}");
    }
}

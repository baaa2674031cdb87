//! A server that is stopped, and holds its lock.

use rustix::process::Signal;

use super::TEXT;
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};

#[test]
fn a_stopped_server_is_not_waited_for() {
    let place = Place::with(TEXT);
    let server = Serving::with(&place, &["--listen", "none"]);
    place.put(CONF, TEXT.replace("80", "81"));
    server.signal(Signal::STOP);
    let read = place.run(["read", "http[0]"]);
    let changed = place.set(&["rtsp=554"]);
    let status = place.run(["status"]);
    let told = place.run(["status", "-o", "json"]);
    server.signal(Signal::CONT);
    read.exits(0).prints("81").says("it does not answer").says("showing the file");
    changed.exits(5).says("it does not answer").says("hint:").says("nothing was changed");
    status.exits(0).prints(", which can't be reached\n").says("it does not answer").hides("none is running");
    let told = told.exits(0).json();
    assert!(told["unreachable"].to_string().contains("process ") && told["server"].is_null(), "{told}");
    assert_eq!(place.text(), TEXT.replace("80", "81"));
    place.run(["read", "http[0]"]).exits(0).prints("80");
    server.stop().exits(0);
}

//! `watch`, `wait`, and what `history` tells of each change.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

use super::serve::Serving;
use super::{CONF, Call, Place, SAMPLE};
use crate::http::client::bare::{AS_ADMIN, bare};
use crate::ports::free_port;

/// A `mediactl watch`, which is killed when this is dropped.
pub struct Watching {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Watching {
    /// Starts it, and waits until it has read the configuration.
    pub fn begin(call: Call) -> Self {
        let mut child = call.start();
        let stderr = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
        let mut said = stderr.lines().map_while(Result::ok);
        let watched = said.by_ref().filter(|line| line.starts_with("watching ")).take(1);
        assert_eq!(watched.count(), 1, "it says what it watches");
        let lines = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
        // What it says later is read, so that it never waits for us.
        std::thread::spawn(move || said.for_each(drop));
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("it goes on").expect("it is text")
    }

    /// The lines up to the one with this text.
    pub fn until(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.contains(text)) {
            lines.push(self.line());
        }
        lines
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn changes_of_a_file_are_printed_as_they_happen() {
    let place = Place::with(SAMPLE);
    let mut watching = Watching::begin(place.mediactl(["watch"]));
    place.set(&["rtmp=1936", "streams.cam1.prepush=7"]).exits(0);
    let lines = watching.until("+rtmp 1936;");
    assert!(lines[0].contains("1 modify by "), "{lines:?}");
    watching.until("+  prepush 7;");
    // At once, so that it is one edit.
    place.put("new", place.text().replace("hunter2", "hunter3"));
    std::fs::rename(place.path("new"), place.path(CONF)).expect("it can be renamed");
    let lines = watching.until("+edit_auth admin <secret:");
    assert!(!lines.concat().contains("hunter"), "{lines:?}");
    assert!(lines.concat().contains("edited by hand: edit_auth"), "{lines:?}");
}

#[test]
fn a_path_leaves_out_what_is_elsewhere() {
    let place = Place::with(SAMPLE);
    let mut watching = Watching::begin(place.mediactl(["watch", "streams.cam1"]));
    place.set(&["rtmp=1936"]).exits(0);
    place.set(&["streams.cam1.prepush=7"]).exits(0);
    let lines = watching.until("+  \"prepush\": 7");
    assert!(lines[0].contains("modify by "), "{lines:?}");
    assert!(!lines.concat().contains("rtmp"), "{lines:?}");
}

#[test]
fn changes_of_a_server_are_printed_and_it_may_start_again() {
    let place = Place::with(SAMPLE);
    let listen = format!("127.0.0.1:{}", free_port());
    let serving = Serving::with(&place, &["--listen", &listen]);
    let mut watching = Watching::begin(place.remote(&format!("http://{listen}"), &["watch", "rtmp"]));
    place.set(&["rtmp=1936"]).exits(0);
    watching.until("+1936");
    drop(serving);
    place.set(&["rtmp=1937"]).exits(0);
    let _again = Serving::with(&place, &["--listen", &listen]);
    watching.until("+1937");
}

#[test]
fn a_server_with_the_four_operations_is_watched_and_waited_for() {
    let (server, place) = (bare(), Place::with(SAMPLE));
    let url = server.url_as(AS_ADMIN);
    let mut watching = Watching::begin(place.mediactl(["--url", &url, "watch", "streams"]));
    let wait = |seconds: &str| place.run(["--url", &url, "wait", "rtsp=555", "--timeout", seconds]);
    wait("1").exits(1).says("`rtsp` is `554`, not `555`");
    place.run(["--url", &url, "modify", "-q", "--set", "rtsp=555"]).exits(0);
    wait("60").exits(0);
    place.run(["--url", &url, "modify", "-q", "--set", "streams.cam1.prepush=9"]).exits(0);
    let lines = watching.until("\"prepush\": 9");
    assert!(!lines.concat().contains("rtsp"), "{lines:?}");
}

#[test]
fn a_viewer_learns_which_change_it_was_and_is_told_of_no_hand_edit() {
    let place = Place::with(format!("view_auth viewer l00k;\n{SAMPLE}"));
    let server = Serving::with(&place, &["--listen", "127.0.0.1:0", "--view-auth"]);
    place.set(&["rtmp=1936"]).exits(0);
    let viewer = |arguments: &[&str]| place.remote(&server.url, arguments).account("viewer", "l00k");
    let status = viewer(&["status"]).run().exits(0).out;
    assert!(status.contains("last change:   modify by ") && !status.contains("by hand"), "{status}");
    let refused = viewer(&["rm", "streams.cam1"]).run().exits(4);
    refused.says("may only read; changes need `edit_auth`").hides("hunter2");
    viewer(&["history", "-p"]).run().exits(0).prints("+rtmp 1936;").hides("hunter2");
    viewer(&["blame", "rtmp"]).run().exits(0).prints("nothing → 1936").hides("hunter2");
    let mut watching = Watching::begin(viewer(&["watch"]));
    place.set(&["rtmp=1937"]).exits(0);
    let lines = watching.until("+rtmp 1937;");
    assert!(lines[0].contains("2 modify by "), "{lines:?}");
}

#[test]
fn a_value_is_waited_for_and_the_time_may_run_out() {
    let place = Place::with(SAMPLE);
    place.line("wait rtsp=554").exits(0);
    place.line("wait rtsp=1936 --timeout 1").exits(1).says("`rtsp` is `554`, not `1936`");
    place.line("wait streams.none.prepush=1 --timeout 1").exits(1).says("the time is over");
    place.line("wait streams.none=null --timeout 60").exits(0);
    let unknown = "strems.cam1.prepush=5 streams.cam1.prepsh=5 streams.none.prepsh=5 cam1.prepush=5 nope=1";
    for unknown in unknown.split(' ') {
        let wait = |more: &[&str]| place.run(["wait", unknown, "--timeout", "1"].iter().chain(more));
        wait(&[]).exits(3).says("is not known here").says("`--accept near-miss` waits anyway");
        wait(&["--accept", "near-miss"]).exits(1);
    }
    place.line("wait streams.[=1 --timeout 1").exits(3);
    place.line("wait rtmp=fast --timeout 1").exits(3);
    place.line("wait rtmp").exits(2);
    let mut waiting = place.mediactl(["wait", "rtmp=1936", "--timeout", "60"]).start();
    place.set(&["rtmp=1936"]).exits(0);
    let mut said = String::new();
    waiting.stderr.take().expect("stderr is a pipe").read_to_string(&mut said).expect("it is text");
    assert_eq!(waiting.wait().expect("it ends").code(), Some(0), "{said}");
}

#[test]
fn a_server_that_is_not_there_yet_is_waited_for() {
    let place = Place::with(SAMPLE);
    let wait = place.remote("http://127.0.0.1:9", &["wait", "rtsp=554", "--timeout", "1"]).run();
    wait.exits(1).says("the time is over");
    let _serving = Serving::over(&place);
    place.line("wait rtsp=554 --timeout 60").exits(0);
}

#[test]
fn the_history_tells_what_each_change_did() {
    let place = Place::with(SAMPLE);
    place.set(&["rtmp=1936"]).exits(0);
    place.set(&["streams.cam1.prepush=7", "rtmp=1937", "rtsp=5544"]).exits(0);
    place.set(&["edit_auth.password=hunter3"]).exits(0);
    let all = place.line("history").exits(0).out;
    let lines: Vec<&str> = all.lines().collect();
    assert!(lines[0].ends_with("edit_auth.password") && lines[2].ends_with("rtmp"), "{all}");
    assert!(lines[1].contains("rtmp, ") && lines[1].ends_with("1 more"), "{all}");
    place.line("history -p").exits(0).prints("+rtmp 1936;").prints("+  prepush 7;").hides("hunter");
    let one = place.line("history -p -n 1 rtmp").exits(0).prints("2").hides("prepush 7");
    one.prints("-1936").prints("+1937");
    let stream = place.line("history -p streams.cam1").exits(0).prints("+  \"prepush\": 7");
    assert_eq!(stream.out.matches("  modify").count(), 1, "{}", stream.out);
    place.line("history --since 1h").exits(0).prints("3  ");
    place.line("history --since 2999-01-01").exits(0).says("was never changed since then");
    place.line("history --since soon").exits(3).says("`soon` is no time");
    let two = place.line("history -n 2 -o json").exits(0).json();
    assert_eq!(two.as_array().map(Vec::len), Some(2));
}

#[test]
fn times_are_local_and_show_their_zone() {
    let place = Place::with(SAMPLE);
    place.set(&["rtmp=1936"]).exits(0);
    let at = |zone: &str| place.mediactl(["history"]).env("TZ", zone).run().exits(0).out;
    assert!(at("Europe/Berlin").contains("+01:00  ") || at("Europe/Berlin").contains("+02:00  "));
    assert!(at("Asia/Kolkata").contains("+05:30  "), "{}", at("Asia/Kolkata"));
}

#[test]
fn who_became_root_by_sudo_is_named() {
    let place = Place::with(SAMPLE);
    let by_sudo = |value: &str, user: &str| {
        let call =
            place.mediactl(["modify", "-q", "--set", value]).env("SUDO_USER", user).env("USER", "root");
        call.run().exits(0);
    };
    by_sudo("rtmp=1936", "olga");
    let serving = Serving::over(&place);
    by_sudo("rtmp=1937", "olga");
    by_sudo("rtmp=1938", "x) (y");
    drop(serving);
    let history = place.line("history").exits(0).out;
    let named = history.matches("  olga (root by sudo)  ").count();
    let expected = if rustix::process::getuid().is_root() { 2 } else { 0 };
    assert_eq!(named, expected, "{history}");
    assert!(!history.contains("x) (y"), "{history}");
}

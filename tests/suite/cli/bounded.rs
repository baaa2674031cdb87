//! What a server takes of the machine stays bounded: its memory, its log, its threads and open files, the folder
//! for temporary files; and a limit of the machine is an error, not its end.

use std::fs;

use super::serve::{ACCOUNT, Serving, sent};
use super::{PROGRAM, Place, SAMPLE};
use crate::needs::given;

#[test]
fn lines_of_the_log_are_cut() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let path = "x".repeat(20_000);
    sent(server.address(), &format!("GET /{path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    place.set(&["rtsp=555"]).exits(0);
    let log = server.stop().exits(0).err;
    let long: Vec<&str> = log.lines().filter(|line| line.contains("xxxx")).collect();
    assert!(long.len() == 1 && long[0].chars().count() < 500 && long[0].contains("x…"), "{long:#?}");
    assert!(log.lines().any(|line| line.contains("POST") && line.contains('→')), "{log}");
}

#[test]
fn the_last_output_of_a_hook_is_shown_although_its_child_holds_stderr() {
    let place = Place::with(SAMPLE);
    let check = "sleep 5 & echo no such codec >&2; exit 4";
    let run = place.run(["modify", "--set", "rtsp=555", "--check-cmd", check]).exits(3);
    run.says("failed with exit code 4: no such codec");
    let flood = "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 4";
    let run = place.run(["modify", "--set", "rtsp=555", "--check-cmd", flood]).exits(3);
    assert!(run.err.len() < 20_000, "{}", run.err.len());
    assert_eq!(place.text(), SAMPLE);
}

/// A configuration that is larger than the limit that it is written under.
fn large() -> String {
    format!("{SAMPLE}{}", "# a line of a comment\n".repeat(4000))
}

fn limited(place: &Place, arguments: &str) -> super::Call {
    place.call("sh", ["-c", &format!("ulimit -f 16; exec \"$0\" {arguments}"), PROGRAM])
}

#[test]
fn the_limit_of_file_sizes_ends_no_command_and_no_server() {
    let place = Place::with(large());
    let before = place.written();
    let run = limited(&place, "modify --set rtsp=555").run().exits(9);
    assert!(run.err.contains("error: "), "{run:#?}");
    assert_eq!((place.text(), place.written()), (large(), before));

    let server = Serving::of(limited(&place, "serve --listen 127.0.0.1:0"), true);
    place.set(&["rtsp=555"]).exits(9);
    place.line("read rtsp").exits(0).prints("554");
    assert_eq!(place.text(), large());
    server.stop().exits(0).says(" 500 ");
}

/// The most memory that a process has had so far, in bytes; `None` if it has ended, or `/proc` does not
/// show it.
pub fn peak(pid: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok();
    let line = status.as_deref()?.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? * 1024)
}

#[test]
fn a_patch_of_too_many_values_is_refused_and_takes_at_most_eight_times_its_length() {
    let patch = format!("{{\"others\":[{}]}}", vec!["[]"; 2_600_000].join(","));
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let before = peak(server.pid());
    if !given("peak-memory", before.is_some()) {
        return;
    }
    let head = "POST /media/api/modify_config HTTP/1.1\r\nHost: h\r\nConnection: close";
    let length = patch.len();
    let request = format!("{head}\r\nAuthorization: {ACCOUNT}\r\nContent-Length: {length}\r\n\r\n{patch}");
    let answer = sent(server.address(), &request);
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains(":too-large\""), "{answer}");
    let grown = peak(server.pid()).expect("it runs").saturating_sub(before.unwrap_or_default());
    assert!(grown <= 8 * length, "{length} bytes took {grown}");
}

//! The memory that a patch takes: no more than is estimated, and none for one that is refused.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use mediaconf::Schema;

use super::serve::Serving;
use super::{Place, SAMPLE};
use crate::needs::given;

/// The bytes that an allocator holds beside those that were requested.
const SLACK: usize = 4 * 1024 * 1024;

/// The most memory that a process has had so far, in bytes; `None` if it has ended, or `/proc` does not
/// show it.
pub fn peak(pid: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok();
    let line = status.as_deref()?.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? * 1024)
}

/// Posts a patch, and has the answer.
fn post(server: &Serving, patch: &str) -> String {
    let address = server.url.trim_start_matches("http://").split('/').next().expect("it has a host");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "POST /media/api/modify_config HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {}\r\n\
         Authorization: Basic YWRtaW46aHVudGVyMg==\r\n\r\n",
        patch.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(patch.as_bytes())).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

/// By how much a server grows over this patch, and how it answers.
fn growth(patch: &str) -> Option<(usize, String)> {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let before = peak(server.pid());
    if !given("peak-memory", before.is_some()) {
        return None;
    }
    let answer = post(&server, patch);
    let after = peak(server.pid())?;
    server.stop().exits(0);
    Some((after.saturating_sub(before?), answer))
}

fn members(count: usize, member: impl Fn(usize) -> String) -> String {
    (0..count).map(member).collect::<Vec<_>>().join(",")
}

#[test]
fn a_patch_takes_no_more_memory_than_is_estimated() {
    let count = 10_000;
    let streams = members(count, |number| format!("\"cam{number}\":{{\"password\":\"********\"}}"));
    let lists = members(count, |number| format!("[\"a{number}\"]"));
    for (values, patch) in [
        (2 * count, format!("{{\"streams\":{{{streams}}}}}")),
        (2 * count, format!("{{\"others\":[{lists}]}}")),
        (1, format!("{{\"others\":\"{}\"}}", "x".repeat(4_000_000))),
    ] {
        let Some((grown, answer)) = growth(&patch) else { return };
        assert!(answer.starts_with("HTTP/1.1 200 "), "{}", &answer[..answer.len().min(600)]);
        let estimated = values * Schema::VALUE_COST + patch.len() * Schema::TEXT_COST;
        assert!(grown <= estimated + SLACK, "{} bytes took {grown}, not {estimated}", patch.len());
    }
}

#[test]
fn a_patch_of_too_many_values_is_refused_and_takes_at_most_eight_times_its_length() {
    let patch = format!("{{\"others\":[{}]}}", vec!["[]"; 2_600_000].join(","));
    let Some((grown, answer)) = growth(&patch) else { return };
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains(":too-large\""), "{answer}");
    assert!(grown <= 8 * patch.len(), "{} bytes took {grown}", patch.len());
}

//! The memory that a patch takes which is refused.

use std::fs;

use super::serve::{ACCOUNT, Serving, sent};
use super::{Place, SAMPLE};
use crate::needs::given;

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
    let address = server.url.trim_start_matches("http://").split('/').next().expect("it has a host");
    let head = "POST /media/api/modify_config HTTP/1.1\r\nHost: h\r\nConnection: close";
    let length = patch.len();
    let request = format!("{head}\r\nAuthorization: {ACCOUNT}\r\nContent-Length: {length}\r\n\r\n{patch}");
    let answer = sent(address, &request);
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains(":too-large\""), "{answer}");
    let grown = peak(server.pid()).expect("it runs").saturating_sub(before.unwrap_or_default());
    assert!(grown <= 8 * length, "{length} bytes took {grown}");
}

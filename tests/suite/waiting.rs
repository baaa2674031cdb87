//! How tests wait: for what happens, as long as it takes, or for time to pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::pages::sources_below;

/// After this long something hangs. It is no measure of speed.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The shortest and the longest time between two looks.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

/// Looks until something is found; `None` if that takes too long.
pub fn look<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let began = Instant::now();
        let found = found();
        if found.is_some() || start.elapsed() > PATIENCE {
            return found;
        }
        // A look that starts a process leaves most of a core to what is waited for.
        let [shortest, longest] = PAUSES;
        thread::sleep((began.elapsed() * 2).clamp(shortest, longest));
    }
}

/// The same for what has to come.
#[track_caller]
pub fn until<T>(otherwise: &str, found: impl FnMut() -> Option<T>) -> T {
    look(found).unwrap_or_else(|| panic!("{otherwise}"))
}

/// Waits until it is so.
#[track_caller]
pub fn eventually(mut so: impl FnMut() -> bool) {
    until("it never came to be so", || so().then_some(()));
}

/// Lets time pass, where time itself is what the test is about: an age, a time limit, a moment to be killed at, the
/// pace of a client, the slowness of a server. It is not for waiting until something has happened.
pub fn let_pass(time: Duration) {
    thread::sleep(time);
}

/// Only this file lets a thread sleep, and only `needs` leaves a test out, in the tests here and beside the code.
#[test]
fn no_other_test_sleeps_or_leaves_itself_out() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "crates", "xtask/src", "tests/suite"].map(|folder| checkout.join(folder));
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| sources_below(folder)).collect();
    assert!(files.len() > 100, "the sources are found");
    let mut faults = Vec::new();
    // A benchmark shares the last one.
    let waits = ["waiting.rs", "needs.rs", "memory/texts.rs"];
    for file in files.iter().filter(|file| !waits.iter().any(|name| file.ends_with(name))) {
        let text = fs::read_to_string(file).expect("a source can be read");
        let name = file.strip_prefix(checkout).expect("it is in the checkout").display().to_string();
        let is_test = name.contains("tests/") || name.ends_with("tests.rs");
        let tests =
            if is_test { &*text } else { text.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests) };
        let words = ["thread::sleep", "SKIPPED"].into_iter().filter(|word| tests.contains(word));
        faults.extend(words.map(|word| format!("{name}: `{word}`")));
    }
    assert!(faults.is_empty(), "wait with tests/suite/waiting.rs: {faults:#?}");
}

//! The memory of commands: `cargo bench --bench whole` prints it, for 10 000 and 100 000 streams.

#[path = "../../../benches/whole/contents.rs"]
#[allow(dead_code, reason = "other languages are for the benchmark")]
mod contents;
mod texts;

use texts::{ROWS, Texts};

use crate::needs::given;

const STREAMS: usize = 10_000;

/// The limit is 40 MB, of which the pages of the program's own file take up to 8. A program that is not optimized has
/// a larger file, so these pages are not counted here.
const MOST: usize = 32 << 20;

#[test]
#[ignore = "takes a minute: .ci/run runs it, with the proofs"]
fn every_command_takes_at_most_40_mb_for_10_000_streams() {
    let texts = Texts::new(STREAMS);
    let is_known =
        std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("RssAnon:"));
    if !given("peak-memory", is_known) {
        return;
    }
    for row in ROWS {
        let peak = texts.peak(row);
        assert!(peak <= MOST, "{row:?} takes {} MB", peak >> 20);
    }
}

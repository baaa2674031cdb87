//! Any text as one to format.
//!
//! What is asserted is the law of `crates/mediaconf/tests/library/law.rs`: words, comments, their order and the JSON are
//! the same, and a formatted text is formatted no further.
#![no_main]

#[allow(dead_code, reason = "other laws are another target's")]
#[path = "../../crates/mediaconf/tests/library/law.rs"]
mod law;
#[allow(dead_code, reason = "patches are another target's")]
#[path = "../../crates/mediaconf/tests/library/oracle.rs"]
mod oracle;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| law::formatting_changes_white_space_only(text));

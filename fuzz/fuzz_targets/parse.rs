//! Any bytes as a configuration: they are indexed, checked, and made into JSON.
//!
//! What is asserted beside that nothing panics:
//! - parsing keeps the bytes, and says so of bytes that are no UTF-8 with an error;
//! - every place that a diagnostic names is one of the text, because snippets are cut there;
//! - the JSON has no key twice, and what is output as `path=value` is read back;
//! - in a large text is found what is found in its parts.
#![no_main]

#[allow(dead_code, reason = "patches are another target's")]
#[path = "../../crates/mediaconf/tests/library/law.rs"]
mod law;
#[allow(dead_code, reason = "patches are another target's")]
#[path = "../../crates/mediaconf/tests/library/oracle.rs"]
mod oracle;

use libfuzzer_sys::fuzz_target;
use mediaconf::{Config, Document, Path};

/// The size of a large text.
const LARGE: usize = 1 << 20;

/// One text in so many is also parsed as a large one, which costs as much as all the others.
const SELDOM: usize = 4096;

fuzz_target!(|bytes: &[u8]| {
    let document = Document::from_bytes(bytes.to_vec());
    law::parsing_changes_nothing(document.text());
    if str::from_utf8(bytes).is_err() {
        assert!(document.diagnostics().errors() > 0, "what is no UTF-8 is an error");
    }
    secrets_are_parts_of_the_text(&document);
    if !law::is_valid(&document) {
        return;
    }
    law::an_empty_patch_is_the_identity(&document);
    json_is_written(&document);
    lines_are_read_back(&document);
    if checksum(bytes).is_multiple_of(SELDOM) {
        halves_are_the_whole(&document);
    }
});

fn secrets_are_parts_of_the_text(document: &Document) {
    let text = document.text();
    let secrets = document.secret_spans();
    assert!(secrets.iter().all(|span| text.get(span.clone()).is_some()), "a secret is a part of the text");
}

fn json_is_written(document: &Document) {
    for skips_static in [false, true] {
        let config = Config::new(document).skipping_static(skips_static);
        let streamed = serde_json::to_string(&config).expect("a view is JSON");
        assert_eq!(streamed, config.to_json().to_string());
    }
}

fn lines_are_read_back(document: &Document) {
    for (path, text) in Path::set_lines(&law::view(document, false), &[]) {
        let line = format!("{path}={text}");
        let (read, value) = Path::split_assignment(&line).expect("what is printed is a path");
        assert_eq!((read.to_string(), value), (path, Some(text.as_str())), "{line}");
        assert!(!line.contains('\n'), "{line:?}");
    }
}

/// A text over and over is large, and what is in it is known.
fn halves_are_the_whole(document: &Document) {
    let text = document.text();
    let is_a_part = !text.is_empty() && text.ends_with('\n') && !text.starts_with('\u{feff}');
    if !is_a_part {
        return;
    }
    let times = LARGE / text.len() + 1;
    let large = Document::parse(text.repeat(times));
    assert_eq!(large.len(), document.len() * times);
    let repeated = (0..times).flat_map(|time| {
        let shift = (time * text.len()) as u32;
        document.entries().map(move |entry| entry.span().start + shift..entry.span().end + shift)
    });
    assert!(repeated.eq(large.entries().map(|entry| entry.span())), "{text:?}");
}

/// Spreads evenly, and is the same in every run.
fn checksum(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)) ^ sum >> 7)
}

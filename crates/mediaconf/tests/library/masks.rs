//! The masks in real files: each stands behind a name that `tests/fixtures/masked_names.txt` lists by hand.

use std::collections::BTreeSet;
use std::fs;

use mediaconf::{Document, Masker};

use crate::fixtures;

const MASK: &str = "<secret:000000>";

#[test]
fn every_mask_in_a_real_file_stands_behind_a_name_that_is_listed() {
    let path = fixtures::root().join("masked_names.txt");
    let listed = fs::read_to_string(&path).expect("the list is there");
    let listed: BTreeSet<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let mut unlisted = BTreeSet::new();
    for (name, text) in texts() {
        for line in Masker::Opaque.document(&Document::parse(text)).lines() {
            let names = line.match_indices(MASK).map(|(at, _)| name_before(&line[..at]));
            let names = names.filter(|found| !listed.contains(found));
            unlisted.extend(names.map(|found| format!("{name}: {found}: {line}")));
        }
    }
    assert!(unlisted.is_empty(), "{unlisted:#?}");
}

/// The valid files of the repository, its worked edits, and the corpus where it is there.
fn texts() -> Vec<(String, String)> {
    let edits = fixtures::cases("edit").into_iter();
    let edits = edits.filter_map(|case| Some((case.name(), String::from_utf8(case.bytes("in.conf")).ok()?)));
    edits.chain(fixtures::valid_texts()).collect()
}

/// What a mask behind `before`, the start of its line, stands behind: `://` in a URL, the name before `=` or `:`, or
/// the keyword of the line.
fn name_before(before: &str) -> &str {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if before.ends_with("://") {
        return "://";
    }
    match before.trim_end().strip_suffix(['=', ':']) {
        Some(name) => name.rsplit(|c| !is_in_name(c)).next().unwrap_or(name),
        None => before.trim_start_matches(['#', ' ', '\t']).split([' ', '\t']).next().unwrap_or(before),
    }
}

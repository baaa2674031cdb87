//! Replacements in a text.

use std::ops::Range;

/// One replacement in a text.
///
/// Lists of splices are in order of place, do not overlap, and count all offsets in the old text;
/// each bound lies between characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the old text that go; empty for an insertion.
    pub range: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

/// A window of the text with all of `edits` made, which lie in it.
pub(super) fn apply(text: &str, window: Range<usize>, edits: &[Splice]) -> String {
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut new = String::with_capacity(window.len() + grown);
    let mut at = window.start;
    for edit in edits {
        new.push_str(&text[at..edit.range.start]);
        new.push_str(&edit.text);
        at = edit.range.end;
    }
    new.push_str(&text[at..window.end]);
    new
}

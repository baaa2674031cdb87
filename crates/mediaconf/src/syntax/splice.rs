//! Replacements in a text.

use std::ops::Range;

/// One replacement in a text.
///
/// Lists of splices are in the order of the text, do not overlap, and count all offsets in the old
/// text; each bound lies between characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the old text that go; empty for an insertion.
    pub range: Range<usize>,
    /// The text that takes their place.
    pub text: String,
}

/// The pieces of the new text in order: kept, replacement, kept, …; some may be empty.
///
/// `window` is a range of the old text that holds all of `splices`.
pub fn spliced_pieces<'t>(
    old: &'t str,
    window: Range<usize>,
    splices: &'t [Splice],
) -> impl Iterator<Item = &'t str> {
    let starts = std::iter::once(window.start).chain(splices.iter().map(|splice| splice.range.end));
    let ends = splices.iter().map(|splice| splice.range.start).chain([window.end]);
    let kept = starts.zip(ends).map(|(start, end)| &old[start..end]);
    let replacements = splices.iter().map(|splice| &*splice.text).chain([""]);
    kept.zip(replacements).flat_map(|(kept, replacement)| [kept, replacement])
}

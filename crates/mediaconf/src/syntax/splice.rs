//! Replacements in a text.

use std::fmt;
use std::ops::{Deref, Range};

/// One replacement in a text.
///
/// Lists of splices are in the order of the text, do not overlap, and count all offsets in the old
/// text; each bound lies between characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the old text that go; empty for an insertion.
    pub range: Range<usize>,
    /// The text that takes their place.
    pub text: SpliceText,
}

/// The longest text that takes no memory of its own.
const SHORT: usize = 22;

/// The text of a splice. A change of very many entries has very many short ones.
#[derive(Clone, PartialEq, Eq)]
pub struct SpliceText(ShortOrLong);

#[derive(Clone, PartialEq, Eq)]
enum ShortOrLong {
    /// The bytes behind the length are zero.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Default for SpliceText {
    fn default() -> Self {
        Self::from("")
    }
}

impl Deref for SpliceText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            ShortOrLong::Short(length, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).expect("it was a string")
            }
            ShortOrLong::Long(text) => text,
        }
    }
}

impl From<&str> for SpliceText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        Self(match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                ShortOrLong::Short(text.len() as u8, bytes)
            }
            None => ShortOrLong::Long(text.into()),
        })
    }
}

impl From<String> for SpliceText {
    fn from(text: String) -> Self {
        if text.len() <= SHORT { Self::from(&*text) } else { Self(ShortOrLong::Long(text.into())) }
    }
}

impl fmt::Debug for SpliceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
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

/// Puts the new text of a window together.
pub(super) fn apply(old: &str, window: Range<usize>, splices: &[Splice]) -> String {
    let inserted: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut new = String::with_capacity(window.len() + inserted);
    new.extend(spliced_pieces(old, window, splices));
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_any_length_is_kept() {
        for length in [0, 1, SHORT - 1, SHORT, SHORT + 1, 100] {
            let text = "x".repeat(length);
            assert_eq!(&*SpliceText::from(&*text), text);
            assert_eq!(SpliceText::from(&*text), text.into());
        }
        assert_eq!(size_of::<SpliceText>(), 24);
    }
}

//! Replacements in a text.

use std::fmt;
use std::ops::{Deref, Range};

/// One replacement in a text.
///
/// Lists of splices are in the order of the text, do not overlap, and count all offsets in the old
/// text; each bound lies between characters.
#[derive(Debug, Clone, PartialEq, Eq)]
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
pub struct SpliceText(Inner);

#[derive(Clone, PartialEq, Eq)]
enum Inner {
    /// The bytes behind the length are zero.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl SpliceText {
    /// Adds a text at the end.
    pub fn push_str(&mut self, text: &str) {
        let mut whole = match &mut self.0 {
            Inner::Short(..) => String::from(&**self),
            Inner::Long(long) => String::from(std::mem::take(long)),
        };
        whole.reserve_exact(text.len());
        whole.push_str(text);
        *self = whole.into();
    }
}

impl Deref for SpliceText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Inner::Short(length, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).expect("it was a string")
            }
            Inner::Long(text) => text,
        }
    }
}

impl From<&str> for SpliceText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        Self(match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Inner::Short(text.len() as u8, bytes)
            }
            None => Inner::Long(text.into()),
        })
    }
}

impl From<String> for SpliceText {
    fn from(text: String) -> Self {
        if text.len() <= SHORT { Self::from(&*text) } else { Self(Inner::Long(text.into())) }
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
            let (text, mut more) = ("é".repeat(length), SpliceText::from("x"));
            assert_eq!(&*SpliceText::from(&*text), text);
            more.push_str(&text);
            assert_eq!(more, format!("x{text}").into());
        }
        assert_eq!(size_of::<SpliceText>(), 24);
    }
}

//! Positions as editors count them: the starts of the lines of a text, and characters in UTF-16 or in bytes.

use std::ops::Range;

use super::protocol::{TextPosition, TextRange};

/// The unit in which a client counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client can count.
    #[default]
    Utf16,
}

impl PositionEncoding {
    /// The name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    /// The number of units of a text.
    fn length(self, text: &str) -> usize {
        match self {
            Self::Utf16 if !text.is_ascii() => text.chars().map(char::len_utf16).sum(),
            _ => text.len(),
        }
    }

    /// The offset behind this number of units; never inside a character.
    fn offset(self, line: &str, units: usize) -> usize {
        if self == Self::Utf8 || line.is_ascii() {
            return line.floor_char_boundary(units);
        }
        let mut rest = units;
        for (at, character) in line.char_indices() {
            match rest.checked_sub(character.len_utf16()) {
                Some(less) => rest = less,
                None => return at,
            }
        }
        line.len()
    }
}

/// The starts of the lines of a text. A line ends in LF, CRLF or CR, as the protocol has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineStarts(Vec<u32>);

impl LineStarts {
    pub fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(starts_behind_ends(text, 0..text.len())).collect())
    }

    /// The offset of a place. A character behind the end of its line is that end, and the line behind the last one is
    /// the end of the text; `None` for another line that the text does not have.
    pub fn offset(&self, text: &str, place: TextPosition, encoding: PositionEncoding) -> Option<usize> {
        let line = place.line as usize;
        if line >= self.0.len() {
            return (line == self.0.len()).then_some(text.len());
        }
        let range = self.content(text, line);
        Some(range.start + encoding.offset(&text[range], place.character as usize))
    }

    /// The bytes of a range; `None` if a line of it is not there, or its end is in front of its start.
    pub fn bytes(&self, text: &str, range: TextRange, encoding: PositionEncoding) -> Option<Range<usize>> {
        let [start, end] = [range.start, range.end].map(|place| self.offset(text, place, encoding));
        let (start, end) = (start?, end?);
        (start <= end).then_some(start..end)
    }

    /// The place of an offset.
    pub fn position(&self, text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
        let offset = text.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.0[line] as usize;
        TextPosition { line: line as u32, character: encoding.length(&text[start..offset]) as u32 }
    }

    /// The places of a range of bytes.
    pub fn range(&self, text: &str, bytes: Range<usize>, encoding: PositionEncoding) -> TextRange {
        let [start, end] = [bytes.start, bytes.end].map(|offset| self.position(text, offset, encoding));
        TextRange { start, end }
    }

    /// The number of the line, from 0, that holds an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start as usize <= offset) - 1
    }

    /// The start of a line, from 0.
    pub fn start(&self, line: usize) -> usize {
        self.0[line] as usize
    }

    /// The bytes of a line without its end.
    fn content(&self, text: &str, line: usize) -> Range<usize> {
        let start = self.0[line] as usize;
        let end = self.0.get(line + 1).map_or(text.len(), |&next| next as usize);
        start..start + text[start..end].trim_end_matches(['\r', '\n']).len()
    }

    /// Follows a change: `text` has `length` new bytes in the place of the bytes `old` of the text before.
    pub fn change(&mut self, text: &str, old: Range<usize>, length: usize) {
        // A CR in front of the change may get or lose its LF, so the line before is looked at again, too.
        let first = self.line_of(old.start).saturating_sub(1);
        let last = self.line_of(old.end) + 1;
        let moved = |start: u32| (start as usize + length - old.len()) as u32;
        let end = self.0.get(last).map_or(text.len(), |&start| moved(start) as usize);
        let fresh: Vec<u32> = starts_behind_ends(text, self.start(first)..end).collect();
        self.0.iter_mut().skip(last).for_each(|start| *start = moved(*start));
        let replaced = first + 1..(last + 1).min(self.0.len());
        self.0.splice(replaced, fresh);
    }
}

/// The offsets behind the line ends in a part of a text.
fn starts_behind_ends(text: &str, part: Range<usize>) -> impl Iterator<Item = u32> {
    let bytes = text.as_bytes();
    let ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[part.clone()]).map(move |at| part.start + at);
    let is_end = move |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    ends.filter(is_end).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_are_counted_in_the_unit_of_the_client() {
        let text = "a😀é\r\nb\rc\n";
        let lines = LineStarts::of(text);
        for (offset, line, utf16, utf8) in [
            (0, 0, 0, 0),
            (1, 0, 1, 1),
            (5, 0, 3, 5),
            (7, 0, 4, 7),
            (9, 1, 0, 0),
            (11, 2, 0, 0),
            (13, 3, 0, 0),
        ] {
            for (encoding, character) in [(PositionEncoding::Utf16, utf16), (PositionEncoding::Utf8, utf8)] {
                let place = TextPosition { line, character };
                assert_eq!(lines.position(text, offset, encoding), place, "{offset}");
                assert_eq!(lines.offset(text, place, encoding), Some(offset), "{place:?}");
            }
        }
        let offset =
            |line, character, encoding| lines.offset(text, TextPosition { line, character }, encoding);
        // Inside a character, behind the end of a line, and behind the end of the text.
        assert_eq!(offset(0, 2, PositionEncoding::Utf16), Some(1));
        assert_eq!(offset(0, 3, PositionEncoding::Utf8), Some(1));
        assert_eq!(offset(0, 99, PositionEncoding::Utf16), Some(7));
        assert_eq!(offset(4, 7, PositionEncoding::Utf16), Some(13));
        assert_eq!(offset(5, 0, PositionEncoding::Utf16), None);
    }

    proptest! {
        #[test]
        fn lines_follow_changes(
            mut text in "[ab\r\n]{0,12}",
            changes in prop::collection::vec((0..14usize, 0..14usize, "[c\r\n]{0,4}"), 0..6),
        ) {
            let mut lines = LineStarts::of(&text);
            for (start, end, new) in changes {
                let (start, end) = (start.min(text.len()), end.min(text.len()));
                let old = start.min(end)..start.max(end);
                text.replace_range(old.clone(), &new);
                lines.change(&text, old, new.len());
                prop_assert_eq!(&lines, &LineStarts::of(&text), "{:?}", text);
            }
        }
    }
}

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
pub struct LineStarts {
    starts: Vec<u32>,
    encoding: PositionEncoding,
}

impl LineStarts {
    pub fn of(text: &str, encoding: PositionEncoding) -> Self {
        let bytes = text.as_bytes();
        let is_end = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_end);
        Self { starts: std::iter::once(0).chain(ends.map(|at| at as u32 + 1)).collect(), encoding }
    }

    /// The offset of a place. A character behind the end of its line is that end, and the line behind the last one is
    /// the end of the text; `None` for another line that the text does not have.
    pub fn offset(&self, text: &str, place: TextPosition) -> Option<usize> {
        let line = place.line as usize;
        if line >= self.starts.len() {
            return (line == self.starts.len()).then_some(text.len());
        }
        let range = self.content(text, line);
        Some(range.start + self.encoding.offset(&text[range], place.character as usize))
    }

    /// The bytes of a range; `None` if a line of it is not there, or its end is in front of its start.
    pub fn bytes(&self, text: &str, range: TextRange) -> Option<Range<usize>> {
        let [start, end] = [range.start, range.end].map(|place| self.offset(text, place));
        let (start, end) = (start?, end?);
        (start <= end).then_some(start..end)
    }

    /// The place of an offset.
    pub fn position(&self, text: &str, offset: usize) -> TextPosition {
        let offset = text.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.starts[line] as usize;
        TextPosition { line: line as u32, character: self.encoding.length(&text[start..offset]) as u32 }
    }

    /// The places of a range of bytes.
    pub fn range(&self, text: &str, bytes: Range<usize>) -> TextRange {
        let [start, end] = [bytes.start, bytes.end].map(|offset| self.position(text, offset));
        TextRange { start, end }
    }

    /// The number of the line, from 0, that holds an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= offset) - 1
    }

    /// The bytes of a line without its end.
    fn content(&self, text: &str, line: usize) -> Range<usize> {
        let start = self.starts[line] as usize;
        let end = self.starts.get(line + 1).map_or(text.len(), |&next| next as usize);
        start..start + text[start..end].trim_end_matches(['\r', '\n']).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_in_the_unit_of_the_client() {
        let text = "a😀é\r\nb\rc\n";
        let lines = [PositionEncoding::Utf16, PositionEncoding::Utf8].map(|unit| LineStarts::of(text, unit));
        for (offset, line, utf16, utf8) in [
            (0, 0, 0, 0),
            (1, 0, 1, 1),
            (5, 0, 3, 5),
            (7, 0, 4, 7),
            (9, 1, 0, 0),
            (11, 2, 0, 0),
            (13, 3, 0, 0),
        ] {
            for (lines, character) in lines.iter().zip([utf16, utf8]) {
                let place = TextPosition { line, character };
                assert_eq!(lines.position(text, offset), place, "{offset}");
                assert_eq!(lines.offset(text, place), Some(offset), "{place:?}");
            }
        }
        let offset =
            |line, character, unit: usize| lines[unit].offset(text, TextPosition { line, character });
        // Inside a character, behind the end of a line, and behind the end of the text.
        assert_eq!(offset(0, 2, 0), Some(1));
        assert_eq!(offset(0, 3, 1), Some(1));
        assert_eq!(offset(0, 99, 0), Some(7));
        assert_eq!(offset(4, 7, 0), Some(13));
        assert_eq!(offset(5, 0, 0), None);
    }
}

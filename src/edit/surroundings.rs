//! What stands around an entry: its lines, its comments, the blanks, how its neighbours look.

use std::ops::Range;

use crate::syntax::{Document, Entry};

/// How an empty file indents.
const DEFAULT_UNIT: &str = "  ";

/// How many blocks are looked at for the indentation they use.
const UNIT_SAMPLES: usize = 200;

/// The lines of a document, looked at from its entries.
#[derive(Clone, Copy)]
pub struct Surroundings<'d> {
    document: &'d Document,
}

impl<'d> Surroundings<'d> {
    /// Those of a document.
    pub fn of(document: &'d Document) -> Self {
        Self { document }
    }

    fn text(self) -> &'d str {
        self.document.text()
    }

    /// Where the first line starts: behind the byte order mark.
    pub fn text_start(self) -> usize {
        if self.text().starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// Where the line that holds `at` starts.
    pub fn line_start(self, at: usize) -> usize {
        memchr::memrchr(b'\n', &self.text().as_bytes()[..at])
            .map_or(self.text_start().min(at), |newline| newline + 1)
    }

    /// Where the content of the line that holds `at` ends, in front of its CR LF or LF.
    pub fn line_end(self, at: usize) -> usize {
        let end = self.next_line(at);
        let line = &self.text()[at..end];
        at + line.trim_end_matches('\n').trim_end_matches('\r').len()
    }

    /// Where the line behind the one that holds `at` starts.
    pub fn next_line(self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text().as_bytes()[at..])
            .map_or(self.text().len(), |newline| at + newline + 1)
    }

    /// Whether nothing but blanks stands in front of `at` on its line.
    pub fn begins_line(self, at: usize) -> bool {
        is_blank(&self.text()[self.line_start(at)..at])
    }

    /// The blanks at the start of the line that holds `at`.
    pub fn indent(self, at: usize) -> &'d str {
        let start = self.line_start(at);
        let line = &self.text()[start..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The line end that is used at `at`, or else in the text.
    pub fn newline(self, at: usize) -> &'static str {
        let text = self.text().as_bytes();
        let after = memchr::memchr(b'\n', &text[at..]).map(|newline| at + newline);
        let newline = after.or_else(|| memchr::memrchr(b'\n', &text[..at]));
        match newline {
            Some(newline) if newline > 0 && text[newline - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }

    /// How many blank lines stand directly above the line that starts at `line_start`.
    pub fn blank_lines_above(self, line_start: usize) -> Range<usize> {
        let mut start = line_start;
        while start > self.text_start() {
            let above = self.line_start(start - 1);
            if !is_blank(self.text()[above..start].trim_end_matches(['\n', '\r'])) {
                break;
            }
            start = above;
        }
        start..line_start
    }

    /// Where the comment lines directly above the line that starts at `line_start` begin.
    pub fn attached_comments(self, line_start: usize) -> usize {
        let mut start = line_start;
        while start > self.text_start() {
            let above = self.line_start(start - 1);
            if !self.text()[above..start].trim_start_matches([' ', '\t']).starts_with('#') {
                break;
            }
            start = above;
        }
        start
    }

    /// Whether the block of an entry stands on one line.
    pub fn is_one_line(self, block: Entry<'_>) -> bool {
        !self.text()[block.body()].contains('\n')
    }

    /// What one level of nesting adds in the block of this entry, if its entries show it.
    pub fn unit_of(self, block: Entry<'d>) -> Option<&'d str> {
        let header = self.indent(block.start());
        let child = block.children().find(|child| self.begins_line(child.start()))?;
        self.indent(child.start()).strip_prefix(header)
    }

    /// The unit of a block like `keyword`, else of any block, else two spaces.
    pub fn unit_like(self, keyword: &str) -> &'d str {
        let blocks = || self.document.entries().filter(|entry| entry.is_block()).take(UNIT_SAMPLES);
        blocks()
            .filter(|block| block.keyword() == keyword)
            .chain(blocks())
            .find_map(|block| self.unit_of(block))
            .unwrap_or(DEFAULT_UNIT)
    }
}

/// Whether a piece of a line shows nothing.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// How many line feeds a stretch of blank lines holds.
pub fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

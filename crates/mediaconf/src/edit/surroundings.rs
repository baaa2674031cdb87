//! The text around an entry: its lines, comments and blanks, and the style of its neighbours.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::syntax::{Document, Entry};

/// The indentation in a file without blocks.
const DEFAULT_UNIT: &str = "  ";

/// The number of blocks that are sampled for their indentation.
const UNIT_SAMPLES: usize = 200;

/// The lines of a document.
pub struct Surroundings<'d> {
    document: &'d Document,
    /// The start of each line.
    starts: Vec<usize>,
    /// The white space that one level of nesting adds, by the keyword of the block; that of the first block under no
    /// keyword.
    units: OnceCell<HashMap<Cow<'d, str>, &'d str>>,
}

/// The style of the lines around a new entry.
#[derive(Debug, Clone)]
pub struct Style {
    /// The white space in front of each line.
    pub indent: String,
    /// The white space that one level of nesting adds.
    pub unit: String,
    /// The line end.
    pub newline: &'static str,
}

impl<'d> Surroundings<'d> {
    pub fn new(document: &'d Document) -> Self {
        let newlines = memchr::memchr_iter(b'\n', document.text().as_bytes()).map(|newline| newline + 1);
        Self { document, starts: std::iter::once(0).chain(newlines).collect(), units: OnceCell::new() }
    }

    pub fn document(&self) -> &'d Document {
        self.document
    }

    fn text(&self) -> &'d str {
        self.document.text()
    }

    /// Returns the start of the first line: behind the byte order mark.
    pub fn text_start(&self) -> usize {
        if self.text().starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// Returns the start of the line that holds `offset`.
    pub fn line_start(&self, offset: usize) -> usize {
        let start = self.starts[self.starts.partition_point(|&start| start <= offset) - 1];
        if start == 0 { self.text_start().min(offset) } else { start }
    }

    /// Returns the end of the content of the line that holds `offset`, in front of its CR LF or LF.
    pub fn line_end(&self, offset: usize) -> usize {
        let line = &self.text()[offset..self.next_line(offset)];
        offset + line.trim_end_matches('\n').trim_end_matches('\r').len()
    }

    /// Returns the start of the line behind the one that holds `offset`.
    pub fn next_line(&self, offset: usize) -> usize {
        let next = self.starts.partition_point(|&start| start <= offset);
        self.starts.get(next).copied().unwrap_or(self.text().len())
    }

    /// True if there are only blanks in front of `offset` on its line.
    pub fn begins_line(&self, offset: usize) -> bool {
        let above = self.text()[..offset].trim_end_matches([' ', '\t', '\r']);
        above.ends_with('\n') || above.len() <= self.text_start()
    }

    /// The blanks at the start of the line that holds `offset`.
    pub fn indent(&self, offset: usize) -> &'d str {
        let start = self.line_start(offset);
        let line = &self.text()[start..offset];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The line end that is used at `offset`, or else in the text.
    pub fn newline(&self, offset: usize) -> &'static str {
        let next = self.next_line(offset);
        let end = if self.text()[..next].ends_with('\n') { next } else { self.line_start(offset) };
        if self.text()[..end].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The bytes of the blank lines directly above the line that starts at `line_start`.
    pub fn blank_lines_above(&self, line_start: usize) -> Range<usize> {
        self.run_above(line_start, |line| is_blank(line.trim_end_matches(['\n', '\r'])))..line_start
    }

    /// Returns the end of the blank lines from the line that starts at `line_start` on.
    pub fn blank_lines_below(&self, line_start: usize) -> usize {
        let mut end = line_start;
        while end < self.text().len() && is_blank(&self.text()[end..self.line_end(end)]) {
            end = self.next_line(end);
        }
        end
    }

    /// Returns the start of the longest run of lines that all match, directly above the line that starts
    /// at `line_start`.
    fn run_above(&self, line_start: usize, matches: impl Fn(&str) -> bool) -> usize {
        let mut start = line_start;
        while start > self.text_start() {
            let above = self.line_start(start - 1);
            if !matches(&self.text()[above..start]) {
                break;
            }
            start = above;
        }
        start
    }

    /// Returns the number of blank lines above an entry and its comments. For the first entry of its kind
    /// the comments may be the heading of a section: then the blank lines between them and the entry.
    pub fn gap_above(&self, entry: Entry<'_>, is_first: bool) -> usize {
        if !self.begins_line(entry.start()) {
            return 0;
        }
        let start = self.line_start(entry.start());
        let from = if is_first { start } else { self.attached_comments(start) };
        count_lines(&self.text()[self.blank_lines_above(from)])
    }

    /// Returns the start of the comment lines directly above the line that starts at `line_start`.
    pub fn attached_comments(&self, line_start: usize) -> usize {
        self.run_above(line_start, |line| line.trim_start_matches([' ', '\t']).starts_with('#'))
    }

    /// True if the line behind that of `offset` is blank, or there is none.
    pub fn is_blank_below(&self, offset: usize) -> bool {
        is_blank(self.text()[self.next_line(offset)..].lines().next().unwrap_or(""))
    }

    /// True if the block of an entry stands on one line.
    pub fn is_one_line(&self, block: Entry<'_>) -> bool {
        let body = block.body();
        self.next_line(body.start) > body.end
    }

    /// The white space that one level of nesting adds in this block, if its entries show it.
    pub fn unit_of(&self, block: Entry<'d>) -> Option<&'d str> {
        let header = self.indent(block.start());
        let child = block.children().find(|child| self.begins_line(child.start()))?;
        self.indent(child.start()).strip_prefix(header)
    }

    /// The unit of a block like `keyword`, else of any block, else two spaces.
    pub fn unit_like(&self, keyword: &str) -> &'d str {
        let units = self.units.get_or_init(|| {
            let blocks = self.document.entries().filter(|entry| entry.is_block()).take(UNIT_SAMPLES);
            let mut units = HashMap::new();
            for (block, unit) in blocks.filter_map(|block| Some((block, self.unit_of(block)?))) {
                units.entry(block.keyword()).or_insert(unit);
                units.entry(Cow::Borrowed("")).or_insert(unit);
            }
            units
        });
        units.get(keyword).or(units.get("")).copied().unwrap_or(DEFAULT_UNIT)
    }

    /// The style of the lines of a block that a line of the text becomes.
    pub fn style_of(&self, entry: Entry<'_>) -> Style {
        Style {
            indent: self.indent(entry.start()).to_owned(),
            unit: self.unit_like(&entry.keyword()).to_owned(),
            newline: self.newline(entry.start()),
        }
    }
}

/// True if a piece of a line is white space.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// Returns the number of line feeds in a stretch of blank lines.
pub fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

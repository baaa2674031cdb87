//! The text around an entry: its lines, comments and blanks, and the style of its neighbours.
//!
//! Whose comment is it: the comment lines directly above a stream, live, plugin or block with a name belong to it,
//! those below a heading, which ends in `:` or has signs around its words. Others behind a blank line or at the top are
//! a heading themselves if other blocks follow without a blank line, and none of these has a comment.
//!
//! An entry is removed with its own comments:
//!
//! The bytes from the first word to the `;` or `}` are removed, and a stray `;` behind it. If only
//! white space and a comment remain on those lines, the whole lines are removed, that comment
//! included; else the blanks in front are removed, or those behind, if it begins the line, and every
//! comment stays. Comments on the lines above go if they belong to the entry
//! ([`Surroundings::own_comments`]).
//!
//! Blank lines above a removed block are removed if there are others below it, or if nothing follows it. Those below go
//! where it begins the text, or stands directly below a heading. Blank lines at the start of a text that
//! holds nothing else stay, and so do those at its end.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::schema::{Schema, Scope};
use crate::syntax::{Document, Entry, WHITE, text_start};

/// The indentation in a file without blocks.
const DEFAULT_UNIT: &str = "  ";

/// The number of blocks that are sampled for their indentation.
const UNIT_SAMPLES: usize = 200;

/// The lines of a document.
pub struct Surroundings<'d> {
    pub document: &'d Document,
    /// The start of each line, found when one is asked for: many edits need none.
    starts: OnceCell<Vec<usize>>,
    /// The white space that one level of nesting adds.
    unit: OnceCell<&'d str>,
}

/// The style of the lines around a new entry.
pub struct Style<'d> {
    /// The white space in front of each line.
    pub indent: String,
    /// The white space that one level of nesting adds.
    pub unit: &'d str,
    /// The line end.
    pub newline: &'static str,
}

impl<'d> Surroundings<'d> {
    pub fn new(document: &'d Document) -> Self {
        Self { document, starts: OnceCell::new(), unit: OnceCell::new() }
    }

    fn starts(&self) -> &[usize] {
        let newlines = || memchr::memchr_iter(b'\n', self.text().as_bytes()).map(|newline| newline + 1);
        self.starts.get_or_init(|| std::iter::once(0).chain(newlines()).collect())
    }

    pub fn text(&self) -> &'d str {
        self.document.text()
    }

    /// Returns the start of the first line: behind the byte order mark.
    pub fn text_start(&self) -> usize {
        text_start(self.text())
    }

    /// Returns the start of the line that holds `offset`.
    pub fn line_start(&self, offset: usize) -> usize {
        let start = self.starts()[self.starts().partition_point(|&start| start <= offset) - 1];
        if start == 0 { self.text_start().min(offset) } else { start }
    }

    /// Returns the end of the content of the line that holds `offset`, in front of its CR LF or LF.
    pub fn line_end(&self, offset: usize) -> usize {
        let line = &self.text()[offset..self.next_line(offset)];
        offset + line.trim_end_matches('\n').trim_end_matches('\r').len()
    }

    /// Returns the start of the line behind the one that holds `offset`.
    pub fn next_line(&self, offset: usize) -> usize {
        let next = self.starts().partition_point(|&start| start <= offset);
        self.starts().get(next).copied().unwrap_or(self.text().len())
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

    /// Returns the start of the longest run of lines that all match, directly above the line that starts
    /// at `line_start`.
    fn run_above(&self, line_start: usize, matches: impl Fn(&str) -> bool) -> usize {
        let next = |&start: &usize| {
            let above = (start > self.text_start()).then(|| self.line_start(start - 1));
            above.filter(|&above| matches(&self.text()[above..start]))
        };
        std::iter::successors(Some(line_start), next).last().unwrap_or(line_start)
    }

    /// Returns the number of blank lines above an entry and its own comments.
    pub fn gap_above(&self, entry: Entry<'_>) -> usize {
        let blank_lines = self.blank_lines_above(self.own_comments(entry));
        if self.begins_line(entry.start()) { self.text()[blank_lines].matches('\n').count() } else { 0 }
    }

    /// Returns the number of blank lines between a block and one that is put behind it: as many as above it, if the block
    /// does not stand close to what follows.
    pub fn gap_behind(&self, block: Entry<'_>) -> usize {
        let next_line = self.text()[self.next_line(block.end())..].lines().next();
        if is_blank(next_line.unwrap_or("")) { self.gap_above(block) } else { 0 }
    }

    /// Returns the start of the comment lines directly above the line that starts at `line_start`.
    pub fn attached_comments(&self, line_start: usize) -> usize {
        self.run_above(line_start, |line| line.trim_start_matches([' ', '\t']).starts_with('#'))
    }

    /// True if the block of an entry stands on one line.
    pub fn is_one_line(&self, block: Entry<'_>) -> bool {
        let body = block.body();
        self.next_line(body.start) > body.end
    }

    /// The white space that one level of nesting adds in this block, if its entries show it.
    pub fn unit_of(&self, block: Entry<'d>) -> Option<&'d str> {
        let mut children = (!self.is_one_line(block)).then(|| block.children())?;
        let child = children.find(|child| self.begins_line(child.start()))?;
        self.indent(child.start()).strip_prefix(self.indent(block.start()))
    }

    /// The unit of the first block that shows one, else two spaces.
    pub fn unit(&self) -> &'d str {
        self.unit.get_or_init(|| {
            let blocks = self.document.entries().filter(|entry| entry.is_block()).take(UNIT_SAMPLES);
            blocks.into_iter().find_map(|block| self.unit_of(block)).unwrap_or(DEFAULT_UNIT)
        })
    }

    /// The style of the lines of a block that a line of the text becomes.
    pub fn style_of(&self, entry: Entry<'_>) -> Style<'d> {
        let (start, unit) = (entry.start(), self.unit());
        Style { indent: self.indent(start).to_owned(), unit, newline: self.newline(start) }
    }

    /// Returns the start of the comment lines that belong to an entry: those that go with it. It is the start of its
    /// line if there are none.
    pub fn own_comments(&self, entry: Entry<'_>) -> usize {
        let start = self.line_start(entry.start());
        if !has_comments(entry) || !self.begins_line(entry.start()) {
            return start;
        }
        let top = self.attached_comments(start);
        let lines = self.text()[top..start].split_inclusive('\n').rev();
        let own = start - lines.take_while(|line| !is_heading(line)).map(str::len).sum::<usize>();
        let is_set_off = top == self.text_start() || !self.blank_lines_above(top).is_empty();
        if own == top && is_set_off && heads_group(entry) { start } else { own }
    }

    /// Returns the ranges to remove for `entries`, which are in the order of the text, and adds to `gone` those in which
    /// comments go for good.
    pub fn ranges(&self, entries: &[(Entry<'_>, Leave)], gone: &mut Vec<Range<usize>>) -> Vec<Range<usize>> {
        let text = self.text();
        let mut ranges = Vec::new();
        // Entries that stand together on a line, with nothing but blanks between them.
        let is_run = |(one, _): &(Entry<'_>, _), (next, _): &(Entry<'_>, _)| {
            let end = end_with_stray(text, one.end());
            end <= next.start() && is_blank(&text[end..next.start()])
        };
        for run in entries.chunk_by(is_run) {
            let taken = take(self, run);
            for (at, (entry, leave)) in run.iter().enumerate() {
                let start = if at == 0 { taken.range.start } else { entry.start() };
                let end = if at + 1 == run.len() { taken.range.end } else { entry.end() };
                gone.extend((*leave == Leave::Removed).then_some(start..end));
            }
            ranges.push(taken);
        }
        let mut end = 0;
        let are_joined = |one: &Taken, next: &Taken| {
            one.range.end == next.range.start && one.whole_lines && next.whole_lines
        };
        let ranges = ranges.chunk_by(are_joined).map(|taken| {
            let range = self.with_blank_lines(taken);
            range.start.max(std::mem::replace(&mut end, range.end))..range.end
        });
        let mut ranges: Vec<Range<usize>> = ranges.collect();
        // A text without a final line end stays without one, whichever line is its last then.
        if !text.ends_with('\n') && ranges.last().is_some_and(|last| last.end == text.len()) {
            let mut start = text.len();
            while let Some(last) = ranges.pop_if(|last| last.end >= start) {
                let content = text[..last.start].trim_end_matches(WHITE).len();
                start = content.max(self.text_start()).min(last.start);
            }
            ranges.push(start..text.len());
        }
        ranges
    }

    /// What is taken, in one piece, with the blank lines around it that go too.
    fn with_blank_lines(&self, taken: &[Taken]) -> Range<usize> {
        let (start, end) = (taken[0].range.start, taken[taken.len() - 1].range.end);
        if !taken[0].whole_lines || !taken.iter().any(|taken| taken.has_block) {
            return start..end;
        }
        let behind = &self.text()[end..];
        let rest = behind.trim_start_matches(WHITE);
        let nothing_follows = rest.is_empty() || rest.starts_with('}');
        let is_headed = self.attached_comments(start) < start;
        if (is_headed || start == self.text_start()) && !nothing_follows {
            return start..self.line_start(self.text().len() - rest.len());
        }
        let blanks = self.blank_lines_above(start);
        let ends_text = nothing_follows && blanks.start > self.text_start();
        let is_set_off = !nothing_follows && is_blank(behind.lines().next().unwrap_or(""));
        if ends_text || is_set_off { blanks.start..end } else { start..end }
    }
}

/// True if a piece of a line is white space.
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// True if others that comments may belong to follow an entry without a blank line, and none has a comment of its own.
fn heads_group(entry: Entry<'_>) -> bool {
    let document = entry.document();
    let (mut last, mut heads) = (entry, false);
    let behind = document.entries_in(entry.numbers().end..document.len());
    for next in behind.take_while(|next| has_comments(*next)) {
        let lines: Vec<&str> = document.text()[last.end()..next.start()].split('\n').collect();
        if let Some(inner) = lines.get(1..lines.len() - 1).filter(|inner| !inner.is_empty()) {
            return heads && inner.iter().any(|line| line.trim().is_empty() || is_heading(line));
        }
        (last, heads) = (next, true);
    }
    heads
}

/// True if comments may belong to an entry: a stream, live, plugin or block with a name.
fn has_comments(entry: Entry<'_>) -> bool {
    let keyword = entry.keyword();
    let is_plain = || Scope::Top.by_keyword(&keyword).is_some_and(|row| row.codec.facts().kind.is_some());
    Schema::group_of(&keyword).is_some() || entry.is_block() && entry.count_arguments() > 0 && !is_plain()
}

/// True if a comment ends in `:` or has signs around its words.
fn is_heading(line: &str) -> bool {
    let words = line.trim().trim_start_matches('#').trim_start();
    let begins = line.trim().starts_with("##") || !words.starts_with(char::is_alphanumeric);
    let ends = line.trim().len() > 1 && !words.ends_with(char::is_alphanumeric);
    words.ends_with([':', '#']) || begins && ends
}

/// How an entry leaves its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It is removed with its own comments.
    Removed,
    /// It moves with its own comments.
    Moved,
}

/// The end of an entry with the stray `;` behind it.
pub fn end_with_stray(text: &str, end: usize) -> usize {
    let blanks = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    if text[end + blanks..].starts_with(';') { end + blanks + 1 } else { end }
}

struct Taken {
    range: Range<usize>,
    whole_lines: bool,
    has_block: bool,
}

fn take(around: &Surroundings<'_>, run: &[(Entry<'_>, Leave)]) -> Taken {
    let text = around.text();
    let (first, leave) = run[0];
    let end = end_with_stray(text, run[run.len() - 1].0.end());
    let line_end = around.line_end(end);
    let rest = text[end..line_end].trim_start_matches([' ', '\t']);
    // What moves takes its comments along only where it stands alone on its lines.
    let comment_goes = run.len() == 1 || run[run.len() - 1].1 != Leave::Moved;
    let begins_line = around.begins_line(first.start());
    let whole_lines = begins_line && (rest.is_empty() || rest.starts_with('#') && comment_goes);
    let has_comments = leave == Leave::Removed || run.len() == 1;
    let start = if has_comments { around.own_comments(first) } else { around.line_start(first.start()) };
    let range = match begins_line {
        _ if whole_lines => start..around.next_line(end),
        // What follows takes its place, and the line keeps its indentation.
        true if leave == Leave::Removed => {
            let indented = text[start..].trim_start_matches([' ', '\t']).len();
            text.len() - indented..line_end - rest.len()
        }
        true => first.start()..line_end - rest.len(),
        false => text[..first.start()].trim_end_matches([' ', '\t']).len()..end,
    };
    Taken { range, whole_lines, has_block: run.iter().any(|(entry, _)| counts_as_block(*entry)) }
}

/// Streams, lives and plugins are blocks in any form.
pub fn counts_as_block(entry: Entry<'_>) -> bool {
    entry.is_block() || Schema::group_of(&entry.keyword()).is_some()
}

/// What moves with an entry: its own comments above, and its lines to the end of the last.
pub fn chunk(around: &Surroundings<'_>, entry: Entry<'_>) -> Range<usize> {
    let Taken { range, whole_lines, .. } = take(around, &[(entry, Leave::Moved)]);
    if whole_lines { range.start..around.line_end(entry.end()) } else { entry.start()..entry.end() }
}

/// The kind of blocks beside which a new one is put: the key of the group, else the keyword.
pub fn kind_of(entry: Entry<'_>) -> Cow<'_, str> {
    let keyword = entry.keyword();
    Scope::Top.by_keyword(&keyword).map_or(keyword, |row| Cow::Borrowed(row.key))
}

#[cfg(test)]
mod tests {
    use crate::edit::surroundings::Surroundings;
    use crate::syntax::Document;

    /// The comments of the last stream `a` of a text.
    fn own(text: &str) -> String {
        let document = Document::parse(text.to_owned());
        let is_wanted =
            |entry: &crate::syntax::Entry<'_>| entry.arguments().next().is_some_and(|name| name.raw == "a");
        let entry = document.entries().filter(is_wanted).last().expect(text);
        let around = Surroundings::new(&document);
        text[around.own_comments(entry)..around.line_start(entry.start())].to_owned()
    }

    #[test]
    fn a_comment_belongs_to_its_entry_unless_it_heads_a_group() {
        for (text, expected) in [
            // One entry, or blank lines between them.
            ("# x\nstream a;\n", "# x\n"),
            ("http 80;\n\n# x\n# y\nstream a;\n\nstream b;\n", "# x\n# y\n"),
            ("\u{feff}# x\r\nlive a;\r\n", "# x\r\n"),
            ("# x\n\nplugin a;\n", ""),
            ("# x\ntemplate a { url u; }\n", "# x\n"),
            // No entry that comments belong to.
            ("# x\nrtmp a;\n", ""),
            ("# x\nhttp a { api false; }\n", ""),
            ("# x\nrtmp a { x; }\n", ""),
            // Others follow without a blank line, and none has a comment.
            ("# x\nstream a;\nstream b;\n# y\nstream c;\n", "# x\n"),
            ("# x\nstream a;\nstream b;\n", ""),
            ("http 80;\n\n# x\nstream a {\n} # y\nlive b;\n", ""),
            ("http 80;\n# x\nstream a;\nstream b;\n", "# x\n"),
            ("http 80;\n \t\n# x\nstream a; stream b;\n", ""),
            ("# x\nstream a {\n} # y\n# z\nlive b;\n", "# x\n"),
            ("# x\nstream a;\nrtsp 1;\nstream b;\n", "# x\n"),
            ("# x\nstream a;\n \nstream b;\n", "# x\n"),
            // What says that it is a heading.
            ("http 80;\n# Roof:\nstream a;\n", ""),
            ("http 80;\n#--- roof ---\n  # of a\n  stream a;\n", "  # of a\n"),
            ("# ----\n# Roof\n# ----\n# of a\nstream a;\n", "# of a\n"),
            ("#######\n# Roof #\n#######\nstream a;\n", ""),
            ("# of whom\n# == roof ==\nstream a;\n", ""),
            ("## Roof ##\nstream a;\n", ""),
            ("## the first\nstream a;\n", "## the first\n"),
            ("# the first.\nstream a;\n", "# the first.\n"),
            ("# --- the first\nstream a;\n", "# --- the first\n"),
            ("# x\n#\nstream a;\n", "# x\n#\n"),
            ("#stream z {\n#}\nstream a;\n", ""),
        ] {
            assert_eq!(own(text), expected, "{text:?}");
        }
    }
}

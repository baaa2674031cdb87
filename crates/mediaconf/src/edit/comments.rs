//! Whose comment is it: the comment lines above an entry that belong to it, and those that head a group.
//!
//! A comment directly above a stream, live, plugin or block with a name belongs to it, unless it is the
//! heading of a group. It is one where it ends in `:`, has signs around its words, or stands behind a blank
//! line or at the top, and others follow without a blank line that have no comments of their own. What stands above
//! a heading stays with it; what stands below it may belong to the entry. In doubt a comment stays.
//!
//! An entry is removed with its own comments:
//!
//! The bytes from the first word to the `;` or `}` are removed, and a stray `;` behind it. If only
//! white space and a comment remain on those lines, the whole lines are removed, that comment
//! included; else the blanks in front are removed, or those behind, if it begins the line, and every
//! comment stays. A `}` that would be alone on its line moves back to the line above, where it stood
//! before the entry was added. Comments on the lines above go if they belong to the entry
//! ([`Surroundings::own_comments`]).
//!
//! Blank lines above a removed block are removed if there are others below it, if nothing follows it,
//! or if a new block would have been put there with as many. Those below go where it begins the text, and where it
//! moves away from below the heading of others. Blank lines at the start of a text that
//! holds nothing else stay, and so do those at its end.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::surroundings::{Surroundings, count_lines, is_blank};
use crate::schema::Schema;
use crate::syntax::{Entry, EntryId};

/// The signs at the ends of a line that are no part of what follows.
const TRIVIA: [char; 4] = [' ', '\t', '\r', ';'];

impl Surroundings<'_> {
    /// Returns the start of the comment lines that belong to an entry: those that go with it. It is the start of its
    /// line if there are none.
    pub fn own_comments(&self, entry: Entry<'_>) -> usize {
        let start = self.line_start(entry.start());
        if !has_comments(entry) || !self.begins_line(entry.start()) {
            return start;
        }
        let top = self.attached_comments(start);
        let (mut at, mut own) = (top, None);
        for line in self.document().text()[top..start].split_inclusive('\n') {
            at += line.len();
            if is_marked(line) {
                own = Some(at);
            }
        }
        own.unwrap_or_else(|| if self.is_set_off(top) && heads_group(entry) { start } else { top })
    }

    /// Returns the start of the comment lines that are edited with an entry: its own, and above a directive that
    /// comments don't belong to all.
    pub fn comments_with(&self, entry: Entry<'_>) -> usize {
        match has_comments(entry) {
            true => self.own_comments(entry),
            false => self.attached_comments(self.line_start(entry.start())),
        }
    }

    /// True if a heading stands directly above an entry and its comments.
    pub fn is_headed(&self, entry: Entry<'_>) -> bool {
        let own = self.own_comments(entry);
        self.attached_comments(own) < own
    }

    /// True if the line that starts here stands behind a blank line or at the top.
    fn is_set_off(&self, line_start: usize) -> bool {
        line_start == self.text_start() || !self.blank_lines_above(line_start).is_empty()
    }
}

/// True if another entry that comments may belong to follows without a blank line.
pub fn is_followed(entry: Entry<'_>) -> bool {
    next_in_group(entry).is_some()
}

/// The next entry that comments may belong to, if no blank line stands in front of it, and the text between.
fn next_in_group(entry: Entry<'_>) -> Option<(Entry<'_>, &str)> {
    let document = entry.document();
    let mut behind = document.entries_in(entry.numbers().end..document.len());
    let next = behind.next().filter(|next| has_comments(*next))?;
    let between = &document.text()[entry.end()..next.start()];
    let mut lines = between.split('\n').map(|line| line.trim_matches(TRIVIA));
    let is_free = |line: Option<&str>| line.is_none_or(|line| line.is_empty() || line.starts_with('#'));
    let is_close =
        is_free(lines.next()) && is_free(lines.next_back()) && lines.all(|line| line.starts_with('#'));
    is_close.then_some((next, between))
}

/// True if others follow an entry without a blank line, and none of them has a comment of its own.
fn heads_group(entry: Entry<'_>) -> bool {
    let mut last = entry;
    while let Some((next, between)) = next_in_group(last) {
        let mut comments =
            between.split('\n').skip(1).filter(|line| line.trim_start().starts_with('#')).peekable();
        if comments.peek().is_some() {
            return comments.any(is_marked);
        }
        last = next;
    }
    is_followed(entry)
}

/// True if comments may belong to an entry: a stream, live, plugin or block with a name.
fn has_comments(entry: Entry<'_>) -> bool {
    let keyword = entry.keyword();
    let is_plain =
        || Schema::media().top().by_keyword(&keyword).is_some_and(|row| row.codec.facts().kind.is_some());
    Schema::media().group_of(&keyword).is_some()
        || entry.is_block() && entry.count_arguments() > 0 && !is_plain()
}

/// True if a comment ends in `:` or has signs around its words.
fn is_marked(line: &str) -> bool {
    let words = line.trim().trim_start_matches('#').trim_start();
    let begins = line.trim().starts_with("##") || !words.starts_with(char::is_alphanumeric);
    let ends = line.trim().len() > 1 && !words.ends_with(char::is_alphanumeric);
    words.ends_with([':', '#']) || begins && ends
}

/// How an entry leaves its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It moves without the comments above.
    Alone,
    /// It is removed with its own comments.
    Removed,
    /// It moves with its own comments.
    Moved,
}

/// Returns the ranges to remove for `entries`, which are in the order of the text, and adds to `gone` those in which
/// comments go for good.
pub fn ranges(
    around: &Surroundings<'_>,
    entries: &[(Entry<'_>, Leave)],
    gone: &mut Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let text = around.document().text();
    let mut ranges: Vec<Taken> = Vec::new();
    for run in runs(text, entries) {
        let mut taken = take(around, run);
        for (at, (entry, leave)) in run.iter().enumerate() {
            let start = if at == 0 { taken.range.start } else { entry.start() };
            let end = if at + 1 == run.len() { taken.range.end } else { entry.end() };
            gone.extend((*leave == Leave::Removed).then_some(start..end));
        }
        // A `}` moves back past everything that is removed on the lines above it.
        while let Some(last) = ranges.pop_if(|last| last.range.end > taken.range.start) {
            let start = start_behind_line_above(text, last.range.start);
            taken = Taken { range: start..taken.range.end, whole_lines: false, ..last };
        }
        match ranges.last_mut() {
            Some(last) if last.range.end == taken.range.start && last.whole_lines && taken.whole_lines => {
                last.range.end = taken.range.end;
                last.has_block |= taken.has_block;
            }
            _ => ranges.push(taken),
        }
    }
    let leaving = entries.iter().map(|(entry, _)| entry.id()).collect();
    let neighbours = Neighbours::new(around, leaving);
    let mut end = 0;
    let ranges = ranges.iter().map(|taken| {
        let range = taken.with_blank_lines(&neighbours);
        let start = range.start.max(end);
        end = range.end;
        start..end
    });
    without_last_line_end(around, ranges.collect())
}

/// A text without a final line end stays without one, whichever line is its last then.
fn without_last_line_end(around: &Surroundings<'_>, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let text = around.document().text();
    if text.ends_with('\n') || ranges.last().is_none_or(|last| last.end < text.len()) {
        return ranges;
    }
    while let Some(last) = ranges.pop() {
        let content = text[..last.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
        let start = content.max(around.text_start()).min(last.start);
        match ranges.last_mut() {
            Some(previous) if previous.end >= start => previous.end = last.end,
            _ => {
                ranges.push(start..last.end);
                break;
            }
        }
    }
    ranges
}

/// Entries that stand together on a line, with nothing but blanks between them.
fn runs<'e, 'd>(
    text: &str,
    entries: &'e [(Entry<'d>, Leave)],
) -> impl Iterator<Item = &'e [(Entry<'d>, Leave)]> {
    entries.chunk_by(|(a, _), (b, _)| {
        let end = end_with_stray(text, a.end());
        end <= b.start() && is_blank(&text[end..b.start()]) && !text[end..b.start()].contains('\n')
    })
}

fn end_with_stray(text: &str, end: usize) -> usize {
    let blanks = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    if text[end + blanks..].starts_with(';') { end + blanks + 1 } else { end }
}

struct Taken {
    range: Range<usize>,
    /// The first removed entry.
    first: EntryId,
    whole_lines: bool,
    has_block: bool,
    /// True if it moves away from below a heading, and others stay there.
    leaves_heading: bool,
}

fn take(around: &Surroundings<'_>, run: &[(Entry<'_>, Leave)]) -> Taken {
    let text = around.document().text();
    let (first, leave) = run[0];
    let end = end_with_stray(text, run[run.len() - 1].0.end());
    let line_end = around.line_end(end);
    let rest = text[end..line_end].trim_start_matches([' ', '\t']);
    let has_block = run.iter().any(|(entry, _)| counts_as_block(*entry));
    // A block that moves takes its comments along only where it stands alone on its lines.
    let comment_goes = run.len() == 1 || run[run.len() - 1].1 != Leave::Moved;
    let ends_line = rest.is_empty() || (rest.starts_with('#') && comment_goes);
    if !around.begins_line(first.start()) || !ends_line {
        let range = match (around.begins_line(first.start()), rest.starts_with('}')) {
            (true, true) => start_behind_line_above(text, first.start())..end,
            // What follows takes its place, and the line keeps its indentation.
            (true, false) => first.start()..line_end - rest.len(),
            (false, _) => text[..first.start()].trim_end_matches([' ', '\t']).len()..end,
        };
        return Taken { range, first: first.id(), whole_lines: false, has_block, leaves_heading: false };
    }
    let mut start = around.line_start(first.start());
    if leave == Leave::Removed || (leave == Leave::Moved && run.len() == 1) {
        start = around.own_comments(first);
    }
    let leaves_heading = leave == Leave::Moved && around.is_headed(first);
    Taken {
        range: start..around.next_line(end),
        first: first.id(),
        whole_lines: true,
        has_block,
        leaves_heading,
    }
}

/// Returns the end of the entry above the line of `offset`; if that line may have a comment behind the entry,
/// the start of the blanks in front of `offset`.
fn start_behind_line_above(text: &str, offset: usize) -> usize {
    let above = text[..offset].trim_end_matches([' ', '\t', '\r', '\n']);
    let line = above.rsplit('\n').next().unwrap_or(above);
    match above.ends_with([';', '}']) && !line.contains('#') {
        true => above.len(),
        false => text[..offset].trim_end_matches([' ', '\t']).len(),
    }
}

/// Streams, lives and plugins are blocks in any form.
pub fn counts_as_block(entry: Entry<'_>) -> bool {
    entry.is_block() || is_group(entry)
}

impl Taken {
    fn with_blank_lines(&self, neighbours: &Neighbours<'_, '_>) -> Range<usize> {
        if !self.whole_lines || !self.has_block {
            return self.range.clone();
        }
        let around = neighbours.around();
        let behind = &around.document().text()[self.range.end..];
        let blanks = around.blank_lines_above(self.range.start);
        let nothing_follows = {
            let rest = behind.trim_start_matches([' ', '\t', '\r', '\n']);
            rest.is_empty() || rest.starts_with('}')
        };
        let is_first = self.range.start == around.text_start();
        if (self.leaves_heading || is_first) && !nothing_follows {
            return self.range.start..around.blank_lines_below(self.range.end);
        }
        let go = match nothing_follows {
            true => blanks.start > around.text_start(),
            false => {
                is_blank(behind.lines().next().unwrap_or("")) || neighbours.were_added(self.first, &blanks)
            }
        };
        if go { blanks.start..self.range.end } else { self.range.clone() }
    }
}

/// A block with its own comments above, from its first line to the end of its last.
pub fn block_chunk(around: &Surroundings<'_>, entry: Entry<'_>) -> Range<usize> {
    let taken = take(around, &[(entry, Leave::Moved)]);
    if !taken.whole_lines {
        return entry.start()..entry.end();
    }
    let content =
        around.document().text()[taken.range.clone()].trim_end_matches('\n').trim_end_matches('\r').len();
    taken.range.start..taken.range.start + content
}

/// The neighbours of entries that are removed.
pub struct Neighbours<'a, 'd> {
    around: &'a Surroundings<'d>,
    leaving: HashSet<EntryId>,
    top: OnceCell<Top<'d>>,
}

/// The entries of the top level, in order, and which of each kind is the first.
struct Top<'d> {
    entries: Vec<Entry<'d>>,
    firsts: HashMap<Cow<'d, str>, EntryId>,
}

impl<'a, 'd> Neighbours<'a, 'd> {
    pub fn new(around: &'a Surroundings<'d>, leaving: HashSet<EntryId>) -> Self {
        Self { around, leaving, top: OnceCell::new() }
    }

    pub fn around(&self) -> &'a Surroundings<'d> {
        self.around
    }

    /// True if the blank lines above an entry were added with it: the entry follows the last other one of
    /// its kind, and a new one would be put there with as many blank lines. If that other one is removed
    /// too, the same test applies to it.
    pub fn were_added(&self, entry: EntryId, blanks: &Range<usize>) -> bool {
        let top = self.top();
        let Ok(mut at) = top.entries.binary_search_by_key(&entry, |entry| entry.id()) else { return false };
        let kind = kind_of(top.entries[at]);
        if top.entries.get(at + 1).is_some_and(|next| kind_of(*next) == kind) {
            return false;
        }
        let mut blanks = blanks.clone();
        while at > 0 {
            at -= 1;
            let above = top.entries[at];
            let is_first = is_group(above) && top.firsts.get(&kind) == Some(&above.id());
            let count = count_lines(&self.around.document().text()[blanks.clone()]);
            let follows = kind_of(above) == kind && self.around.next_line(above.end()) == blanks.start;
            if count == 0 || !follows || count != self.around.gap_above(above, is_first) {
                return false;
            }
            if !self.leaving.contains(&above.id()) {
                return true;
            }
            blanks = self.around.blank_lines_above(self.around.own_comments(above));
        }
        false
    }

    fn top(&self) -> &Top<'d> {
        self.top.get_or_init(|| {
            let entries: Vec<Entry<'d>> = self.around.document().entries().collect();
            let mut firsts = HashMap::new();
            for &entry in &entries {
                firsts.entry(kind_of(entry)).or_insert(entry.id());
            }
            Top { entries, firsts }
        })
    }
}

/// The kind of blocks beside which a new one is put: the key of the group, else the keyword.
pub fn kind_of(entry: Entry<'_>) -> Cow<'_, str> {
    let keyword = entry.keyword();
    match Schema::media().top().by_keyword(&keyword) {
        Some(parameter) => Cow::Borrowed(parameter.key),
        None => keyword,
    }
}

/// True if an entry is a stream, a live or a plugin.
pub fn is_group(entry: Entry<'_>) -> bool {
    Schema::media().group_of(&entry.keyword()).is_some()
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
            // A group without a blank line.
            ("# x\nstream a;\nstream b;\n", ""),
            ("http 80;\n\n# x\nstream a {\n} # y\nlive b;\n", ""),
            // Each has a comment of its own.
            ("http 80;\n\n# x\nstream a {\n} # y\n# z\nlive b;\n", "# x\n"),
            ("http 80;\n\n# x\n# y\nstream a;\nstream b;\n", ""),
            ("http 80;\n \t\n# x\nstream a; stream b;\n", ""),
            // Behind another entry, and in front of a plain directive.
            ("http 80;\n# x\nstream a;\nstream b;\n", "# x\n"),
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

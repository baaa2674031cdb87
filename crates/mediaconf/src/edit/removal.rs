//! Removes entries: which bytes go with them, and which stay.
//!
//! The bytes from the first word to the `;` or `}` are removed, and a stray `;` behind it. If only
//! white space and a comment remain on those lines, the whole lines are removed, that comment
//! included; else the blanks in front are removed, or those behind, if it begins the line, and every
//! comment stays. A `}` that would be alone on its line moves back to the line above, where it stood
//! before the entry was added. Comments on the lines above go if they belong to the entry
//! ([`super::own_comments`]).
//!
//! Blank lines above a removed block are removed if there are others below it, if nothing follows it,
//! or if a new block would have been put there with as many. Those below go where it begins the text, and where it
//! moves away from below the heading of others. Blank lines at the start of a text that
//! holds nothing else stay, and so do those at its end.

use std::ops::Range;

use super::neighbours::{Neighbours, is_group};
use super::surroundings::{Surroundings, is_blank};
use crate::syntax::{Entry, EntryId};

/// How an entry leaves its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It moves without the comments above.
    Alone,
    /// It is removed with its own comments.
    Removed,
    /// It moves with its own comments.
    Moved,
}

/// Returns the ranges to remove for `entries`.
pub fn ranges(around: &Surroundings<'_>, entries: &[(Entry<'_>, Leave)]) -> Vec<Range<usize>> {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|(entry, _)| entry.id());
    entries.dedup_by_key(|(entry, _)| entry.id());
    let text = around.document().text();
    let mut ranges: Vec<Taken> = Vec::new();
    for run in runs(text, &entries) {
        let mut taken = take(around, run);
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
    if !around.begins_line(first.start()) || !(rest.is_empty() || rest.starts_with('#')) {
        let range = match (around.begins_line(first.start()), rest.starts_with('}')) {
            (true, true) => start_behind_line_above(text, first.start())..end,
            // What follows takes its place, and the line keeps its indentation.
            (true, false) => first.start()..line_end - rest.len(),
            (false, _) => text[..first.start()].trim_end_matches([' ', '\t']).len()..end,
        };
        return Taken { range, first: first.id(), whole_lines: false, has_block, leaves_heading: false };
    }
    let mut start = around.line_start(first.start());
    if leave != Leave::Alone {
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

//! The index of an edited text from the index of the old one.
//!
//! A window reaches from the end of the last top-level entry in front of an edit to the start of
//! the next one behind it. At both ends the parser is between two top-level entries, so what
//! stands outside means what it meant before, and only the windows are parsed again. Where that
//! can't be had (an odd window, a text with warnings), the caller parses the whole text.

use std::ops::Range;

use super::document::{BLOCK_BIT, Changed, Children, Document, Index, Record, Splice};
use super::parse;

/// A run of records and edits that stand together.
struct Window {
    records: Range<usize>,
    bytes: Range<usize>,
    growth: i64,
}

/// The index of `text`, which is the text of `old` after `edits`.
pub(super) fn index_of_edited(old: &Document, edits: &[Splice], text: &str) -> Option<(Index, Vec<Changed>)> {
    let records = &old.index().records;
    if !old.index().diagnostics.is_empty() || !old.index().spanning.is_empty() {
        return None;
    }
    let mut index = Index { records: Vec::with_capacity(records.len() + 16), ..Index::default() };
    let mut changed = Vec::new();
    let (mut kept, mut shift) = (0, 0);
    for window in windows(old, edits) {
        copy_shifted(records, kept..window.records.start, shift, &mut index.records);
        let start = window.bytes.start as i64 + shift;
        shift += window.growth;
        let end = window.bytes.end as i64 + shift;
        let first = index.records.len();
        parse::parse_window(text, start as usize..end as usize, &mut index)?;
        changed.push(Changed { old: window.records.clone(), new: first..index.records.len() });
        kept = window.records.end;
    }
    copy_shifted(records, kept..records.len(), shift, &mut index.records);
    Some((index, changed))
}

fn copy_shifted(from: &[Record], range: Range<usize>, shift: i64, to: &mut Vec<Record>) {
    let moved = to.len() as i64 - range.start as i64;
    to.extend(from[range].iter().map(|record| Record {
        start: (i64::from(record.start) + shift) as u32,
        end: (i64::from(record.end) + shift) as u32,
        next: (record.next & BLOCK_BIT) | (i64::from(record.next_index()) + moved) as u32,
    }));
}

fn windows(old: &Document, edits: &[Splice]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let mut ahead = old.entries();
    let mut start = 0;
    for edit in edits {
        while let Some(entry) = ahead.clone().next().filter(|entry| entry.end() <= edit.range.start) {
            start = entry.end();
            ahead.next();
        }
        let window = window_of(edit, start, ahead.clone(), old);
        match windows.last_mut() {
            Some(last) if window.bytes.start < last.bytes.end => {
                last.bytes.end = last.bytes.end.max(window.bytes.end);
                last.records.end = last.records.end.max(window.records.end);
                last.growth += window.growth;
            }
            _ => windows.push(window),
        }
    }
    windows
}

/// The window of one edit, where `ahead` starts with the first entry that ends behind its start.
fn window_of(edit: &Splice, start: usize, mut ahead: Children<'_>, old: &Document) -> Window {
    let first = ahead.at();
    let behind = ahead.find(|entry| entry.start() > edit.range.end);
    Window {
        records: first..behind.map_or(old.len(), |entry| entry.id().0 as usize),
        bytes: start..behind.map_or(old.text().len(), |entry| entry.start()),
        growth: edit.text.len() as i64 - edit.range.len() as i64,
    }
}

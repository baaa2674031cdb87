//! The index of an edited text from the index of the old one.
//!
//! A window reaches from the end of the last top-level entry in front of an edit to the start of
//! the next one behind it. At both ends the parser is between two top-level entries, so what
//! stands outside means what it meant before, and only the windows are parsed again. Where that
//! can't be had (an odd window, a text with warnings), the caller parses the whole text.

use std::ops::Range;

use super::index::{BLOCK_BIT, Index, Record};
use super::parse;
use super::splice::Splice;

/// A run of entries that was parsed again, as the places of its entries in both documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// In the old document.
    pub old: Range<usize>,
    /// In the new document.
    pub new: Range<usize>,
}

/// A run of records and edits that stand together.
struct Window {
    records: Range<usize>,
    bytes: Range<usize>,
    growth: i64,
}

/// The index of `text`, which is the text of `old` after `edits`.
pub(super) fn index_of_edited(
    old: &Index,
    old_len: usize,
    edits: &[Splice],
    text: &str,
) -> Option<(Index, Vec<Changed>)> {
    let records = &old.records;
    if !old.diagnostics.is_empty() || !old.spanning.is_empty() {
        return None;
    }
    let mut index = Index { records: Vec::with_capacity(records.len() + 16), ..Index::default() };
    let mut changed = Vec::new();
    let (mut kept, mut shift) = (0, 0);
    for window in windows(records, old_len, edits) {
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
    if shift == 0 && moved == 0 {
        return to.extend_from_slice(&from[range]);
    }
    let (shift, moved) = (shift as u32, moved as u32);
    to.extend(from[range].iter().map(|record| Record {
        start: record.start.wrapping_add(shift),
        end: record.end.wrapping_add(shift),
        next: (record.next & BLOCK_BIT) | record.next_index().wrapping_add(moved),
    }));
}

fn windows(records: &[Record], len: usize, edits: &[Splice]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    // The first top-level entry that ends behind the start of the edit, and where the one before ends.
    let (mut ahead, mut start) = (0, 0);
    for edit in edits {
        while let Some(passed) = records.get(ahead).filter(|record| record.end as usize <= edit.range.start) {
            start = passed.end as usize;
            ahead = passed.next_index() as usize;
        }
        let window = window_of(records, len, edit, ahead, start);
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

fn window_of(records: &[Record], len: usize, edit: &Splice, ahead: usize, start: usize) -> Window {
    let mut behind = ahead;
    while let Some(inside) = records.get(behind).filter(|record| record.start as usize <= edit.range.end) {
        behind = inside.next_index() as usize;
    }
    Window {
        records: ahead..behind,
        bytes: start..records.get(behind).map_or(len, |record| record.start as usize),
        growth: edit.text.len() as i64 - edit.range.len() as i64,
    }
}

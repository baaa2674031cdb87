//! An edit of a text: what it touches is parsed again, as small documents of their own.
//!
//! A window reaches from the end of the last top-level entry in front of the lines that an edit
//! touches to the start of the next one behind them. At both ends the parser is between two
//! top-level entries, so what stands outside means what it meant before, and what an edit does can
//! be seen in the windows alone. Where that can't be had (an odd window, a text with warnings), one
//! window is the whole text.

use std::ops::Range;

use super::diagnostic::Diagnostics;
use super::document::Document;
use super::index::{Index, Record, Records};
use super::parse::{BOM, MAX_TEXT, parse_part};
use super::splice::{Splice, apply};

/// A run of top-level entries that an edit touches.
#[derive(Debug)]
pub struct Changed {
    /// The places of its entries in the old document, nested ones included.
    pub old: Range<usize>,
    /// The offset of its text in the new text.
    pub start: usize,
    /// Its new text, as a document of its own.
    pub document: Document,
}

/// What an edit makes of a document, as far as it differs.
#[derive(Debug)]
pub struct Edited {
    /// The runs that are not those of the old document, in order.
    pub changed: Vec<Changed>,
}

/// A run of records and the edits in it.
struct Window {
    records: Range<usize>,
    bytes: Range<usize>,
    edits: Range<usize>,
}

/// The runs that `edits` touch.
pub(super) fn edited(text: &str, old: &Index, edits: &[Splice]) -> Edited {
    let changed = changed_windows(text, old, edits).unwrap_or_else(|| {
        let document = Document::parse(apply(text, 0..text.len(), edits));
        vec![Changed { old: 0..old.records.len(), start: 0, document }]
    });
    Edited { changed }
}

/// `None` where a window is not whole in itself, or there is anything to complain about.
fn changed_windows(text: &str, old: &Index, edits: &[Splice]) -> Option<Vec<Changed>> {
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    if !old.diagnostics.is_empty() || !old.spanning.is_empty() || text.len() + grown > MAX_TEXT {
        return None;
    }
    let mut changed = Vec::new();
    // Offsets grow and shrink from window to window: they count modulo 2^64.
    let mut shift = 0usize;
    for window in windows(text, &old.records, edits) {
        let new = apply(text, window.bytes.clone(), &edits[window.edits]);
        let start = window.bytes.start.wrapping_add(shift);
        shift = shift.wrapping_add(new.len()).wrapping_sub(window.bytes.len());
        let is_last = window.bytes.end == text.len();
        changed.push(Changed { old: window.records, start, document: window_document(new, start, is_last)? });
    }
    Some(changed)
}

fn window_document(text: String, start: usize, is_last: bool) -> Option<Document> {
    // Only at the start of a text is it a byte order mark.
    if start > 0 && text.starts_with(BOM) {
        return None;
    }
    let part = parse_part(&text, 0..text.len());
    let is_clean = part.diagnostics.is_empty() && part.spanning.is_empty();
    let is_whole = is_last || !part.ends_in_comment;
    (is_clean && is_whole).then(|| Document::from_index(text.into(), part.into_index()))
}

/// The document that an edit makes: what did not change is copied, not parsed again.
pub(super) fn whole(text: &str, old: &Index, edits: &[Splice], edited: Edited) -> Document {
    match <[Changed; 1]>::try_from(edited.changed) {
        Ok([only]) if only.old == (0..old.records.len()) && only.start == 0 => only.document,
        Ok(changed) => joined(text, old, edits, &changed),
        Err(changed) => joined(text, old, edits, &changed),
    }
}

fn joined(text: &str, old: &Index, edits: &[Splice], changed: &[Changed]) -> Document {
    let new = apply(text, 0..text.len(), edits);
    let mut records: Vec<Record> = Vec::with_capacity(old.records.len() + 16);
    let (mut kept, mut bytes) = (0, 0);
    for run in changed {
        copy_moved(&old.records, kept..run.old.start, bytes, &mut records);
        let inner = run.document.records();
        copy_moved(inner, 0..inner.len(), run.start, &mut records);
        kept = run.old.end;
        bytes = shift_behind(run, &old.records, text.len(), new.len());
    }
    copy_moved(&old.records, kept..old.records.len(), bytes, &mut records);
    let index = Index { records: records.into(), spanning: Vec::new(), diagnostics: Diagnostics::default() };
    Document::from_index(new.into(), index)
}

/// How much further what follows a run stands in the new text, modulo 2^64.
fn shift_behind(run: &Changed, old: &Records, old_len: usize, new_len: usize) -> usize {
    match old.get(run.old.end) {
        Some(next) => (run.start + run.document.text().len()).wrapping_sub(next.start as usize),
        None => new_len.wrapping_sub(old_len),
    }
}

fn copy_moved(from: &Records, range: Range<usize>, bytes: usize, to: &mut Vec<Record>) {
    let entries = to.len().wrapping_sub(range.start) as u32;
    to.extend(from.iter(range).map(|record| record.moved(bytes as u32, entries)));
}

fn windows(text: &str, records: &Records, edits: &[Splice]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    // The first top-level entry that ends behind the start of the edit's line, and where the one
    // before ends.
    let (mut ahead, mut start) = (0, 0);
    // The lines of the edit before: a thousand edits of one long line look for its ends once.
    let mut lines = 0..0;
    for (at, edit) in edits.iter().enumerate() {
        if edit.range.start >= lines.end {
            lines = line_start(text, edit.range.start)..line_end(text, edit.range.end);
        } else if edit.range.end >= lines.end {
            lines.end = line_end(text, edit.range.end);
        }
        while let Some(passed) = records.get(ahead).filter(|record| record.end as usize <= lines.start) {
            start = passed.end as usize;
            ahead = passed.next_index() as usize;
        }
        // What the window before holds need not be passed again.
        let mut behind = windows.last().map_or(ahead, |last| ahead.max(last.records.end));
        while let Some(inside) = records.get(behind).filter(|record| (record.start as usize) < lines.end) {
            behind = inside.next_index() as usize;
        }
        let end = records.get(behind).map_or(text.len(), |record| record.start as usize);
        match windows.last_mut() {
            Some(last) if start < last.bytes.end => {
                last.bytes.end = last.bytes.end.max(end);
                last.records.end = last.records.end.max(behind);
                last.edits.end = at + 1;
            }
            _ => windows.push(Window { records: ahead..behind, bytes: start..end, edits: at..at + 1 }),
        }
    }
    windows
}

fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// Behind the line feed of the line that goes on at `at`.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1)
}

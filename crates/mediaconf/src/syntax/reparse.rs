//! Parses again the parts of a text that an edit touches, as small documents of their own.
//!
//! A window reaches from the end of the last top-level entry in front of the lines that an edit
//! touches to the start of the next one behind them. At both ends the parser is between two
//! top-level entries, so the text outside keeps its meaning, and the windows alone show what the
//! edit does. If a window does not end between two entries, or if the text has diagnostics, the
//! whole text is the only window. Edits of very many entries in a row have several windows, so that
//! little more than the new text is held at a time.

use std::mem;
use std::ops::Range;

use bytestring::ByteString;

use super::document::Document;
use super::index::{EntryRecord, Index, Indexer, SPARE_ENTRIES, next_index};
use super::line_index::{line_end, line_start};
use super::parse::{BOM, MAX_TEXT, parse_text};
use super::splice::{Splice, apply};
use crate::text::Diagnostics;

/// The numbers of the entries of a run, nested ones included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlace {
    /// In the old document.
    pub old: Range<usize>,
    /// In the new document.
    pub new: Range<usize>,
}

/// The number that the first of these entries of the old document has in the new one; `None` if one of
/// the runs, which are in order, has any of them.
pub fn moved<'p>(runs: &'p [impl AsRef<RunPlace> + 'p], entries: Range<usize>) -> Option<usize> {
    let next = runs.partition_point(|run| run.as_ref().old.end <= entries.start);
    if runs.get(next).is_some_and(|run| run.as_ref().old.start < entries.end) {
        return None;
    }
    let behind = next.checked_sub(1).map_or(&RunPlace::START, |last| runs[last].as_ref());
    Some(entries.start - behind.old.end + behind.new.end)
}

impl RunPlace {
    const START: Self = Self { old: 0..0, new: 0..0 };
}

impl AsRef<Self> for RunPlace {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsRef<RunPlace> for ChangedRun {
    fn as_ref(&self) -> &RunPlace {
        &self.place
    }
}

/// A run of top-level entries that an edit changed.
#[derive(Debug)]
pub struct ChangedRun {
    /// The numbers of its entries, before and after the edit.
    pub place: RunPlace,
    /// The offset of its text in the new text.
    pub start: usize,
    /// The new text, as a document of its own.
    pub document: Document,
}

/// From this length on, a window ends in front of the next entry that is edited, if the gap before it is not.
const LONG_WINDOW: usize = 128 * 1024;

/// A run of records and the edits in it.
struct ReparseWindow {
    records: Range<usize>,
    bytes: Range<usize>,
    edits: Range<usize>,
}

impl ReparseWindow {
    /// True if it is long, and an edit of the entries from the record `ahead` on touches nothing of it.
    fn is_cut_off(&self, ahead: usize, edit: &Splice) -> bool {
        let is_behind = ahead >= self.records.end && edit.range.start > self.bytes.end;
        is_behind && self.bytes.len() >= LONG_WINDOW
    }
}

impl Document {
    /// Returns the runs of top-level entries that `edits` change. Only these are parsed again.
    ///
    /// `edits` are in the order of the text and do not overlap.
    pub fn changed_runs(&self, edits: &[Splice]) -> Vec<ChangedRun> {
        let (mut runs, mut last) = (Vec::new(), RunPlace::START);
        let text = |window: &ReparseWindow, _| {
            apply(self.text(), window.bytes.clone(), &edits[window.edits.clone()]).into()
        };
        let mut take = |run: NewRun| {
            let records = run.records_behind(Vec::new())?;
            let first = run.old.start - last.old.end + last.new.end;
            last = RunPlace { old: run.old, new: first..first + records.len() };
            let index = Index::new(records, Diagnostics::default());
            let document = self.with_index(run.text, index);
            runs.push(ChangedRun { place: last.clone(), start: run.start, document });
            Some(())
        };
        if each_run(self, edits, &text, &mut take).is_some() {
            return runs;
        }
        let new = apply(self.text(), 0..self.text().len(), edits);
        let document = Document::parse_as(self.schema(), new);
        vec![ChangedRun {
            place: RunPlace { old: 0..self.len(), new: 0..document.len() },
            start: 0,
            document,
        }]
    }

    /// Returns the document with `edits` made: the same one that parsing the whole new text gives.
    pub fn with(&self, edits: &[Splice]) -> Document {
        self.edited(edits).0
    }

    /// Returns the same, and which of its entries are new.
    pub fn edited(&self, edits: &[Splice]) -> (Document, Vec<RunPlace>) {
        let new = ByteString::from(apply(self.text(), 0..self.text().len(), edits));
        let mut joined = JoinedRuns::new(self, new.clone());
        if each_run(self, edits, &|_, run| new.slice_ref(&new[run]), &mut |run| joined.add(run)).is_some() {
            return joined.finish();
        }
        drop(joined);
        let document = Document::parse_as(self.schema(), new);
        let place = RunPlace { old: 0..self.len(), new: 0..document.len() };
        (document, vec![place])
    }
}

/// A run of top-level entries that an edit changes, before it is parsed.
struct NewRun {
    /// The numbers of its entries in the old document.
    old: Range<usize>,
    /// The offset of its text in the new text.
    start: usize,
    text: ByteString,
    is_last: bool,
}

impl NewRun {
    /// Parses the text; returns its records behind others. `None` if it has diagnostics, or does not end between two
    /// entries.
    fn records_behind(&self, others: Vec<EntryRecord>) -> Option<Vec<EntryRecord>> {
        // U+FEFF is a byte order mark only at the start of the whole text.
        if self.start > 0 && self.text.starts_with(BOM) {
            return None;
        }
        let parsed = parse_text(&self.text, Indexer::behind(others, self.text.len()));
        let is_whole = parsed.diagnostics.is_empty() && (self.is_last || !parsed.ends_in_comment);
        is_whole.then(|| parsed.sink.into_records())
    }
}

/// Gives each run that `edits` change to `take`; `text_of` returns its new text, from the window and the place in the
/// whole new text. Returns `None` if `take` does, or if the old or the new text has diagnostics: then the whole text is one
/// run.
fn each_run(
    document: &Document,
    edits: &[Splice],
    text_of: &dyn Fn(&ReparseWindow, Range<usize>) -> ByteString,
    take: &mut dyn FnMut(NewRun) -> Option<()>,
) -> Option<()> {
    let (text, old) = (document.text(), document.index());
    let grown: usize = edits.iter().map(|edit| edit.text.len()).sum();
    if !old.diagnostics.is_empty() || text.len() + grown > MAX_TEXT {
        return None;
    }
    // The shift may be negative: offsets are counted modulo 2^64.
    let mut shift = 0usize;
    windows(text, &old.records, edits).into_iter().try_for_each(|window| {
        let start = window.bytes.start.wrapping_add(shift);
        for edit in &edits[window.edits.clone()] {
            shift = shift.wrapping_add(edit.text.len()).wrapping_sub(edit.range.len());
        }
        let text_of_run = text_of(&window, start..window.bytes.end.wrapping_add(shift));
        let is_last = window.bytes.end == text.len();
        take(NewRun { old: window.records, start, text: text_of_run, is_last })
    })
}

/// Puts the new document together: the records of unchanged entries are copied, not parsed again.
struct JoinedRuns<'o> {
    old: &'o Document,
    new: ByteString,
    records: Vec<EntryRecord>,
    places: Vec<RunPlace>,
    /// The old records up to here are in `records`.
    kept: usize,
    /// The bytes by which the entries from here on move, modulo 2^64.
    bytes: usize,
}

impl<'o> JoinedRuns<'o> {
    fn new(old: &'o Document, new: ByteString) -> Self {
        let records = Vec::with_capacity(old.len() + SPARE_ENTRIES);
        Self { old, new, records, places: Vec::new(), kept: 0, bytes: 0 }
    }

    fn add(&mut self, run: NewRun) -> Option<()> {
        let old = &self.old.index().records;
        copy_moved(old, self.kept..run.old.start, self.bytes, &mut self.records);
        let first = self.records.len();
        self.records = run.records_behind(mem::take(&mut self.records))?;
        let inner = &mut self.records[first..];
        inner.iter_mut().for_each(|record| *record = record.moved(run.start as u32));
        self.kept = run.old.end;
        self.bytes = shift_behind(&run, old, self.old.text().len(), self.new.len());
        self.places.push(RunPlace { old: run.old, new: first..self.records.len() });
        Some(())
    }

    fn finish(mut self) -> (Document, Vec<RunPlace>) {
        copy_moved(&self.old.index().records, self.kept..self.old.len(), self.bytes, &mut self.records);
        let index = Index::new(self.records, Diagnostics::default());
        (self.old.with_index(self.new, index), self.places)
    }
}

/// Returns the number of bytes by which the entries behind a run move in the new text, modulo 2^64.
fn shift_behind(run: &NewRun, old: &[EntryRecord], old_len: usize, new_len: usize) -> usize {
    match old.get(run.old.end) {
        Some(next) => (run.start + run.text.len()).wrapping_sub(next.start as usize),
        None => new_len.wrapping_sub(old_len),
    }
}

fn copy_moved(from: &[EntryRecord], range: Range<usize>, bytes: usize, to: &mut Vec<EntryRecord>) {
    to.extend(from[range].iter().map(|record| record.moved(bytes as u32)));
}

fn windows(text: &str, records: &[EntryRecord], edits: &[Splice]) -> Vec<ReparseWindow> {
    let mut windows: Vec<ReparseWindow> = Vec::new();
    // The first top-level entry that ends behind the start of the edit's line, and the end of the
    // entry before it.
    let (mut ahead, mut start) = (0, 0);
    // The lines of the previous edit: for a thousand edits of one long line, its ends are searched once.
    let mut lines = 0..0;
    for (index, edit) in edits.iter().enumerate() {
        if edit.range.start >= lines.end {
            lines = line_start(text, edit.range.start)..line_end(text, edit.range.end);
        } else if edit.range.end >= lines.end {
            lines.end = line_end(text, edit.range.end);
        }
        while let Some(passed) = records.get(ahead).filter(|record| record.end as usize <= lines.start) {
            start = passed.end as usize;
            ahead = next_index(records, ahead);
        }
        // The entries of the previous window need not be passed again.
        let mut behind = windows.last().map_or(ahead, |last| ahead.max(last.records.end));
        while records.get(behind).is_some_and(|record| (record.start as usize) < lines.end) {
            behind = next_index(records, behind);
        }
        let end = records.get(behind).map_or(text.len(), |record| record.start as usize);
        let mut start = start;
        match windows.last_mut() {
            Some(last) if start < last.bytes.end && !last.is_cut_off(ahead, edit) => {
                last.bytes.end = last.bytes.end.max(end);
                last.records.end = last.records.end.max(behind);
                last.edits.end = index + 1;
                continue;
            }
            Some(last) => start = start.max(last.bytes.end),
            None => {}
        }
        windows.push(ReparseWindow { records: ahead..behind, bytes: start..end, edits: index..index + 1 });
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edits of very many entries in a row: in each of them, between some of them, and where two stand on one line.
    #[test]
    fn edits_of_very_many_entries_are_parsed_in_parts() {
        let stream = |number: usize| {
            let end = if number.is_multiple_of(5) { " " } else { "\n# at the gate\n" };
            format!("stream s{number} {{\n  url udp://1;\n  prepush 5;\n}}{end}")
        };
        let text: String = (0..12_000).map(stream).collect();
        let document = Document::parse(text.clone());
        for (found, new, step) in [
            ("5;", "70;", 1),
            ("{\n", "{ title x;\n", 1),
            ("prepush 5;", "", 3),
            ("# at", "http 80;\n# at", 1),
            ("} ", "} rtmp 1; ", 1),
            ("}\n#", "}#", 7),
        ] {
            let places = text.match_indices(found).step_by(step);
            let splice = |(at, _): (usize, &str)| Splice { range: at..at + found.len(), text: new.into() };
            let splices: Vec<Splice> = places.map(splice).collect();
            let (edited, places) = document.edited(&splices);
            let whole = Document::parse(apply(&text, 0..text.len(), &splices));
            assert!(
                edited.text() == whole.text() && edited.index().records == whole.index().records,
                "{new:?}"
            );
            let runs = document.changed_runs(&splices);
            assert!(runs.iter().map(|run| &run.place).eq(&places), "{new:?}");
            assert!(runs.len() > 1, "{new:?}");
            let longest = runs.iter().map(|run| run.document.text().len()).max();
            assert!(longest.is_some_and(|longest| longest < 2 * LONG_WINDOW), "{new:?}: {longest:?}");
        }
    }
}

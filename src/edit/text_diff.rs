//! The unified diff of a text before and after a change.
//!
//! An edit is known as splices, so its diff looks at the lines around each splice and at nothing
//! else: the rest of the text is only searched for line ends, to number the hunks. Two arbitrary
//! texts are diffed by the same steps, as one window over both:
//!
//! ```text
//! splices → windows of whole lines → changes (differing runs of lines) → hunks → printed lines
//! ```
//!
//! A hunk holds spans, not text. The layer above knows which bytes are secret and hands the
//! printed form of each line to [`printed`] or [`render`]; this module knows nothing of secrets,
//! colours or files. Lines end at `\n` and nowhere else, so the `\r` of a CRLF belongs to its line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::syntax::Splice;

/// Unchanged lines shown around a change; `diff -u` and git show as many.
pub const CONTEXT_LINES: usize = 3;

/// The lines of both sides up to which a differing stretch goes to Myers' algorithm as a whole.
///
/// The implementation in `similar` bounds its search as git does and takes about n^1.5 at worst:
/// measured, 0.3 s for this many lines with nothing to hold on to. A longer stretch is cut at the
/// lines that occur once on either side, and what then still is too long is shown as replaced.
const MYERS_LINES: usize = 100_000;

/// The new text, seen through the old one and the splices, never put together as a whole.
#[derive(Debug, Clone)]
pub struct NewText<'a> {
    old: &'a str,
    splices: &'a [Splice],
    /// Where the text of each splice begins in the new text.
    starts: Vec<usize>,
    len: usize,
}

impl<'a> NewText<'a> {
    /// Indexes `splices`, which are sorted and do not overlap.
    pub fn new(old: &'a str, splices: &'a [Splice]) -> Self {
        let mut starts = Vec::with_capacity(splices.len());
        let (mut len, mut kept_from) = (0, 0);
        for splice in splices {
            len += splice.range.start - kept_from;
            starts.push(len);
            len += splice.text.len();
            kept_from = splice.range.end;
        }
        len += old.len() - kept_from;
        NewText { old, splices, starts, len }
    }

    /// The length of the new text in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the new text has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces of the new text in order: kept, replacement, kept, …; some may be empty.
    pub fn pieces(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.piece_count()).map(|number| self.piece(number).1)
    }

    /// A range of the new text, borrowed where it lies within one piece.
    ///
    /// What lies past the end is left out. Both bounds lie between characters, else this panics
    /// as slicing a `str` does.
    pub fn slice(&self, range: Range<usize>) -> Cow<'a, str> {
        let mut joined = Cow::Borrowed("");
        for number in self.piece_at(range.start)..self.piece_count() {
            let (start, text) = self.piece(number);
            if start >= range.end {
                break;
            }
            let from = range.start.saturating_sub(start).min(text.len());
            let to = (range.end - start).min(text.len());
            joined += &text[from..to];
        }
        joined
    }

    fn piece_count(&self) -> usize {
        2 * self.splices.len() + 1
    }

    /// The number of a piece that begins at or before `position`, close to it.
    fn piece_at(&self, position: usize) -> usize {
        let begun = self.starts.partition_point(|start| *start <= position);
        (2 * begun).saturating_sub(1)
    }

    /// Where a piece begins in the new text, and what it holds: kept text has even numbers.
    fn piece(&self, number: usize) -> (usize, &'a str) {
        let index = number / 2;
        if number % 2 == 1 {
            return (self.starts[index], &self.splices[index].text);
        }
        let (start, kept_from) = match index.checked_sub(1) {
            Some(before) => {
                let splice = &self.splices[before];
                (self.starts[before] + splice.text.len(), splice.range.end)
            }
            None => (0, 0),
        };
        let kept_to = match self.splices.get(index) {
            Some(splice) => splice.range.start,
            None => self.old.len(),
        };
        (start, &self.old[kept_from..kept_to])
    }
}

/// A stretch of changed lines with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Which lines of the old text it covers.
    pub old: Extent,
    /// Which lines of the new text it covers.
    pub new: Extent,
    /// Its lines in the order they are printed; of a run of changes the removed lines are first.
    pub lines: Vec<Line>,
}

impl Hunk {
    /// `@@ -1,3 +1,4 @@`
    pub fn header(&self) -> String {
        format!("@@ -{} +{} @@", self.old, self.new)
    }

    /// The places in `lines` that are followed by `\ No newline at end of file`.
    fn unterminated(&self) -> [Option<usize>; 2] {
        let last = |side: &Extent, is_on_side: fn(&Line) -> bool| {
            let found = || self.lines.iter().rposition(is_on_side);
            side.unterminated.then(found).flatten()
        };
        [
            last(&self.old, |line| !matches!(line, Line::Added(_))),
            last(&self.new, |line| !matches!(line, Line::Removed(_))),
        ]
    }
}

/// The lines one side of a hunk covers; displayed as in a hunk header, `12,5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The number of the first line, from 1; without lines, the number the next line has.
    pub start: usize,
    /// How many lines.
    pub count: usize,
    /// Whether the last of them ends the text without a newline.
    pub unterminated: bool,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            // As POSIX has it: one line goes without its count, none names the line before.
            0 => write!(f, "{},0", self.start - 1),
            1 => write!(f, "{}", self.start),
            count => write!(f, "{},{count}", self.start),
        }
    }
}

/// One line of a hunk, as byte spans that leave out the `\n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The line is on both sides, with the same bytes.
    Context {
        /// Where it lies in the old text.
        old: Range<usize>,
        /// Where it lies in the new text.
        new: Range<usize>,
    },
    /// A line of the old text that the new one lacks.
    Removed(Range<usize>),
    /// A line of the new text that the old one lacks.
    Added(Range<usize>),
}

/// What a printed line is, for the one who colours it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// `--- NAME` or `+++ NAME`
    File,
    /// `@@ … @@`
    Hunk,
    /// A line on both sides, after a space.
    Context,
    /// A line after `-`.
    Removed,
    /// A line after `+`.
    Added,
    /// `\ No newline at end of file`
    NoNewline,
}

/// The hunks between `old` and what `splices` make of it.
///
/// `splices` are sorted and do not overlap. The cost grows with the lines they touch; the text
/// as a whole is only searched for newlines.
pub fn hunks_of_splices(old: &str, splices: &[Splice]) -> Vec<Hunk> {
    let new = NewText::new(old, splices);
    let mut changes = Vec::new();
    for window in windows(old, splices) {
        let new_lines = new.slice(window.new.clone());
        let start = (window.old.start, window.new.start);
        push_changes(&old[window.old], &new_lines, start, &mut changes);
    }
    group(old, &|range| new.slice(range), &changes)
}

/// The hunks between two texts.
pub fn hunks_of_texts(old: &str, new: &str) -> Vec<Hunk> {
    let mut changes = Vec::new();
    push_changes(old, new, (0, 0), &mut changes);
    group(old, &|range| Cow::Borrowed(&new[range]), &changes)
}

/// Writes hunks as a unified diff; without hunks, nothing.
///
/// `old_line` and `new_line` give the printed form of a span of the old and the new text.
pub fn render(
    hunks: &[Hunk],
    old_name: &str,
    new_name: &str,
    old_line: &dyn Fn(Range<usize>) -> String,
    new_line: &dyn Fn(Range<usize>) -> String,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    printed(hunks, old_name, new_name, old_line, new_line).try_for_each(|(_, line)| writeln!(out, "{line}"))
}

/// The lines of a unified diff, without their newlines, each with what it is.
pub fn printed<'a>(
    hunks: &'a [Hunk],
    old_name: &str,
    new_name: &str,
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = (Tag, String)> + use<'a> {
    let names = [format!("--- {old_name}"), format!("+++ {new_name}")];
    let shown_names = if hunks.is_empty() { 0 } else { names.len() };
    names
        .into_iter()
        .take(shown_names)
        .map(|name| (Tag::File, name))
        .chain(hunks.iter().flat_map(|hunk| printed_hunk(hunk, old_line, new_line)))
}

fn printed_hunk<'a>(
    hunk: &'a Hunk,
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = (Tag, String)> + use<'a> {
    let unterminated = hunk.unterminated();
    let lines = hunk.lines.iter().enumerate().flat_map(move |(at, line)| {
        let printed = match line {
            Line::Context { old, .. } => (Tag::Context, format!(" {}", old_line(old.clone()))),
            Line::Removed(old) => (Tag::Removed, format!("-{}", old_line(old.clone()))),
            Line::Added(new) => (Tag::Added, format!("+{}", new_line(new.clone()))),
        };
        let marker = || (Tag::NoNewline, r"\ No newline at end of file".to_owned());
        let marked = unterminated.contains(&Some(at)).then(marker);
        std::iter::once(printed).chain(marked)
    });
    std::iter::once((Tag::Hunk, hunk.header())).chain(lines)
}

/// Whole lines around one or more splices, at their places in the old and in the new text.
struct Window {
    old: Range<usize>,
    new: Range<usize>,
}

/// Widens splices to whole lines on both sides; windows that touch become one.
///
/// A window ends with a line end that no splice touches (or with the text), so what follows it
/// begins a line in the new text too, whatever the replacements end with.
fn windows(old: &str, splices: &[Splice]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let (mut inserted, mut deleted) = (0, 0);
    for splice in splices {
        let touched = windows.last().map(|window| window.old.end);
        if touched.is_none_or(|end| splice.range.start > end) {
            let start = line_start(old, splice.range.start);
            let new_start = start + inserted - deleted;
            windows.push(Window { old: start..start, new: new_start..new_start });
        }
        inserted += splice.text.len();
        deleted += splice.range.len();
        let window = windows.last_mut().expect("one was there or has been pushed");
        if splice.range.end >= window.old.end {
            window.old.end = line_end(old, splice.range.end);
        }
        window.new.end = window.old.end + inserted - deleted;
    }
    windows
}

/// A run of lines that differs, at its places in the two texts; one of the ranges may be empty.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Appends the differing runs of two stretches of whole lines, which begin at `start` of their
/// texts. A run that follows the one before at once becomes part of it.
fn push_changes(old: &str, new: &str, start: (usize, usize), changes: &mut Vec<Change>) {
    let (head, tail) = common_lines(old, new);
    let old_lines = split_lines(&old[head..old.len() - tail]);
    let new_lines = split_lines(&new[head..new.len() - tail]);
    let old_starts = line_starts(&old_lines, start.0 + head);
    let new_starts = line_starts(&new_lines, start.1 + head);
    for run in differing_runs(&old_lines, &new_lines) {
        let old = old_starts[run.old.start]..old_starts[run.old.end];
        let new = new_starts[run.new.start]..new_starts[run.new.end];
        match changes.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => changes.push(Change { old, new }),
        }
    }
}

/// How many bytes of whole lines two texts share at their beginnings, and then at their ends.
fn common_lines(old: &str, new: &str) -> (usize, usize) {
    if old == new {
        return (old.len(), 0);
    }
    let head = line_start(old, common_prefix(old.as_bytes(), new.as_bytes()));
    let (old, new) = (&old.as_bytes()[head..], &new.as_bytes()[head..]);
    let same = common_suffix(old, new);
    let starts_line = |text: &[u8]| matches!(text[..text.len() - same].last(), None | Some(b'\n'));
    if starts_line(old) && starts_line(new) {
        return (head, same);
    }
    let cut_line = memchr(b'\n', &old[old.len() - same..]).map_or(same, |newline| newline + 1);
    (head, same - cut_line)
}

/// Compared this many bytes at a time, equal texts pass at the speed of `memcmp`.
const STEP: usize = 4096;

fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let equal_step = |(old, new): &(&[u8], &[u8])| old == new;
    let steps = old.chunks_exact(STEP).zip(new.chunks_exact(STEP));
    let far = STEP * steps.take_while(equal_step).count();
    let rest = old[far..].iter().zip(&new[far..]);
    far + rest.take_while(|(old, new)| old == new).count()
}

fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let equal_step = |(old, new): &(&[u8], &[u8])| old == new;
    let steps = old.rchunks_exact(STEP).zip(new.rchunks_exact(STEP));
    let far = STEP * steps.take_while(equal_step).count();
    let (old, new) = (&old[..old.len() - far], &new[..new.len() - far]);
    let rest = old.iter().rev().zip(new.iter().rev());
    far + rest.take_while(|(old, new)| old == new).count()
}

/// A differing run, in line numbers of the stretch looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    old: Range<usize>,
    new: Range<usize>,
}

fn differing_runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    if old.len() + new.len() <= MYERS_LINES {
        let mut runs = Vec::new();
        push_myers_runs(old, new, (0, 0), &mut runs);
        return runs;
    }
    anchored_runs(old, new, MYERS_LINES)
}

/// Myers' algorithm, where there is anything to search: most windows are one line and its successor.
fn push_myers_runs(old: &[&str], new: &[&str], at: (usize, usize), runs: &mut Vec<Run>) {
    if old.is_empty() || new.is_empty() {
        return push_replaced(old.len(), new.len(), at, runs);
    }
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            let at = (at.0 + old.start, at.1 + new.start);
            push_replaced(old.len(), new.len(), at, runs);
        }
    }
}

fn push_replaced(old_len: usize, new_len: usize, at: (usize, usize), runs: &mut Vec<Run>) {
    if old_len + new_len > 0 {
        runs.push(Run { old: at.0..at.0 + old_len, new: at.1..at.1 + new_len });
    }
}

/// Cuts two long stretches at the lines that occur once on either side, in the longest order
/// they share (patience diff), and diffs what lies between if it has at most `limit` lines.
fn anchored_runs(old: &[&str], new: &[&str], limit: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = (0, 0);
    let end = (old.len(), new.len());
    let anchors = longest_increasing(&lines_unique_to_both(old, new));
    for anchor in anchors.into_iter().chain([end]) {
        let (old, new) = (&old[at.0..anchor.0], &new[at.1..anchor.1]);
        if old.len() + new.len() <= limit {
            push_myers_runs(old, new, at, &mut runs);
        } else {
            push_replaced(old.len(), new.len(), at, &mut runs);
        }
        at = (anchor.0 + 1, anchor.1 + 1);
    }
    runs
}

/// The pairs of places of the lines that occur once in `old` and once in `new`, in `old`'s order.
fn lines_unique_to_both(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let once_in_new = places_of_unique(new);
    let once_in_old = places_of_unique(old);
    old.iter()
        .enumerate()
        .filter(|(_, line)| matches!(once_in_old.get(*line), Some(Some(_))))
        .filter_map(|(place, line)| Some((place, (*once_in_new.get(line)?)?)))
        .collect()
}

/// Each line with its place, or `None` if it has several.
fn places_of_unique<'a>(lines: &[&'a str]) -> HashMap<&'a str, Option<usize>> {
    let mut places = HashMap::with_capacity(lines.len());
    for (place, line) in lines.iter().enumerate() {
        places.entry(*line).and_modify(|known| *known = None).or_insert(Some(place));
    }
    places
}

/// The longest selection of pairs, sorted by the first, that increases in the second too.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends such a selection lowest; and each pair's predecessor.
    let mut lowest_ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let len = lowest_ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(len.checked_sub(1).map(|shorter| lowest_ends[shorter]));
        match lowest_ends.get_mut(len) {
            Some(end) => *end = index,
            None => lowest_ends.push(index),
        }
    }
    let last = lowest_ends.last().copied();
    let mut chosen: Vec<_> =
        std::iter::successors(last, |index| before[*index]).map(|index| pairs[index]).collect();
    chosen.reverse();
    chosen
}

/// Puts context around changes and joins those whose context would meet.
fn group<'a>(old: &'a str, new: &'a dyn Fn(Range<usize>) -> Cow<'a, str>, changes: &[Change]) -> Vec<Hunk> {
    let mut grouping = Grouping::new(old, new);
    for change in changes {
        grouping.open_or_go_on(change.old.start);
        grouping.push_change(change);
    }
    grouping.close(old.len());
    grouping.hunks
}

struct Grouping<'a> {
    old: &'a str,
    new: &'a dyn Fn(Range<usize>) -> Cow<'a, str>,
    hunks: Vec<Hunk>,
    /// Where the last change ended, in the old and in the new text: from there to the next
    /// change both are equal.
    done: (usize, usize),
    /// How far into the old text lines have been counted, and how many there were.
    counted: (usize, usize),
    /// All lines removed and added so far.
    removed: usize,
    added: usize,
}

impl<'a> Grouping<'a> {
    fn new(old: &'a str, new: &'a dyn Fn(Range<usize>) -> Cow<'a, str>) -> Self {
        Grouping { old, new, hunks: Vec::new(), done: (0, 0), counted: (0, 0), removed: 0, added: 0 }
    }

    /// Leads up to a change at `next`, in the hunk before it if that is near.
    fn open_or_go_on(&mut self, next: usize) {
        let reach = skip_lines(self.old, self.done.0..next, 2 * CONTEXT_LINES);
        if !self.hunks.is_empty() && reach == next {
            return self.push_context(self.done.0..next);
        }
        self.close(next);
        let start = last_lines(self.old, self.done.0..next, CONTEXT_LINES);
        self.open(start);
        self.push_context(start..next);
    }

    /// Ends the hunk, if there is one, with the context before `next`.
    fn close(&mut self, next: usize) {
        if !self.hunks.is_empty() {
            let end = skip_lines(self.old, self.done.0..next, CONTEXT_LINES);
            self.push_context(self.done.0..end);
        }
    }

    fn open(&mut self, start: usize) {
        let between = &self.old.as_bytes()[self.counted.0..start];
        self.counted = (start, self.counted.1 + memchr_iter(b'\n', between).count());
        let extent = |lines_before: usize| Extent { start: lines_before + 1, count: 0, unterminated: false };
        self.hunks.push(Hunk {
            old: extent(self.counted.1),
            new: extent(self.counted.1 + self.added - self.removed),
            lines: Vec::new(),
        });
    }

    fn push_context(&mut self, range: Range<usize>) {
        let (old, (old_done, new_done)) = (self.old, self.done);
        let to_new = |position: usize| position - old_done + new_done;
        let hunk = self.hunk();
        for (span, terminated) in spans(&old[range.clone()], range.start) {
            hunk.old.push(terminated);
            hunk.new.push(terminated);
            let new = to_new(span.start)..to_new(span.end);
            hunk.lines.push(Line::Context { old: span, new });
        }
    }

    fn push_change(&mut self, change: &Change) {
        let old_text = &self.old[change.old.clone()];
        let new_text = (self.new)(change.new.clone());
        let (mut removed, mut added) = (0, 0);
        let hunk = self.hunk();
        for (span, terminated) in spans(old_text, change.old.start) {
            hunk.old.push(terminated);
            hunk.lines.push(Line::Removed(span));
            removed += 1;
        }
        for (span, terminated) in spans(&new_text, change.new.start) {
            hunk.new.push(terminated);
            hunk.lines.push(Line::Added(span));
            added += 1;
        }
        self.removed += removed;
        self.added += added;
        self.done = (change.old.end, change.new.end);
    }

    fn hunk(&mut self) -> &mut Hunk {
        self.hunks.last_mut().expect("a hunk is opened before lines come")
    }
}

impl Extent {
    fn push(&mut self, terminated: bool) {
        self.count += 1;
        self.unterminated = !terminated;
    }
}

/// Where the line that holds `at` begins.
fn line_start(text: &str, at: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// Where the line that holds `at` ends, after its newline.
fn line_end(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1)
}

/// The end of the first `count` lines of a range, or of all if there are fewer.
fn skip_lines(text: &str, range: Range<usize>, count: usize) -> usize {
    let ends = memchr_iter(b'\n', &text.as_bytes()[range.clone()]);
    match ends.take(count).enumerate().last() {
        Some((index, newline)) if index + 1 == count => range.start + newline + 1,
        _ => range.end,
    }
}

/// The start of the last `count` lines of a range, which ends with a line, or of all.
fn last_lines(text: &str, range: Range<usize>, count: usize) -> usize {
    (0..count).fold(range.end, |start, _| line_start(text, start.saturating_sub(1)).max(range.start))
}

/// Lines with their newlines.
fn split_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Where each line begins, and where the last one ends, if the first begins at `start`.
fn line_starts(lines: &[&str], start: usize) -> Vec<usize> {
    let mut starts = Vec::with_capacity(lines.len() + 1);
    starts.push(start);
    starts.extend(lines.iter().scan(start, |end, line| {
        *end += line.len();
        Some(*end)
    }));
    starts
}

/// The lines of a text that begins at `start`: their spans without the newline, and whether
/// there was one.
fn spans(text: &str, start: usize) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
    text.split_inclusive('\n').scan(start, |at, line| {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let span = *at..*at + content.len();
        *at += line.len();
        Some((span, content.len() < line.len()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, proptest};

    use super::{
        CONTEXT_LINES, Change, Hunk, Line, NewText, Run, Splice, Tag, anchored_runs, differing_runs, group,
        hunks_of_splices, hunks_of_texts, line_starts, printed, render,
    };

    fn splice(range: std::ops::Range<usize>, text: &str) -> Splice {
        let text = text.to_owned();
        Splice { range, text }
    }

    fn diff(hunks: &[Hunk], old: &str, new: &str) -> String {
        let mut out = String::new();
        let old_line = |range: std::ops::Range<usize>| old[range].to_owned();
        let new_line = |range: std::ops::Range<usize>| new[range].to_owned();
        render(hunks, "a", "b", &old_line, &new_line, &mut out).expect("strings take everything");
        out
    }

    fn text_diff(old: &str, new: &str) -> String {
        diff(&hunks_of_texts(old, new), old, new)
    }

    /// Applies a unified diff as `patch` does with no fuzz, and holds it to every number in it.
    fn apply(old: &str, diff: &str) -> String {
        let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut new_lines: Vec<String> = Vec::new();
        let mut taken = 0;
        let mut diff_lines = diff.split_terminator('\n').skip(2).peekable();
        while let Some(header) = diff_lines.next() {
            let [(old_start, old_count), (new_start, new_count)] = numbers(header);
            assert!(old_start >= taken, "{header} comes too late");
            new_lines.extend(old_lines[taken..old_start].iter().map(|l| (*l).to_owned()));
            taken = old_start;
            assert_eq!(new_lines.len(), new_start, "{header}");
            while let Some(line) = diff_lines.next_if(|line| !line.starts_with("@@")) {
                let (sign, content) = line.split_at(1);
                let bare = diff_lines.next_if(|line| line.starts_with('\\')).is_some();
                let content = format!("{content}{}", if bare { "" } else { "\n" });
                if sign != "+" {
                    assert_eq!(old_lines[taken], content, "{diff}");
                    taken += 1;
                }
                if sign != "-" {
                    new_lines.push(content);
                }
            }
            assert_eq!(taken - old_start, old_count, "{header}");
            assert_eq!(new_lines.len() - new_start, new_count, "{header}");
        }
        new_lines.extend(old_lines[taken..].iter().map(|l| (*l).to_owned()));
        new_lines.concat()
    }

    /// How many lines come before a hunk and how many it has, of the old and the new text.
    fn numbers(header: &str) -> [(usize, usize); 2] {
        let words: Vec<&str> = header.split(' ').collect();
        [words[1], words[2]].map(|word| {
            let (start, count) = word[1..].split_once(',').unwrap_or((&word[1..], "1"));
            assert!(!word.ends_with(",1"), "one line goes without its count");
            let number = |text: &str| text.parse::<usize>().expect("a number");
            match number(count) {
                0 => (number(start), 0),
                count => (number(start) - 1, count),
            }
        })
    }

    #[test]
    fn shows_three_lines_around_a_change() {
        assert_eq!(
            text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn joins_hunks_whose_context_meets() {
        let old: String = (1..30).map(|n| format!("{n}\n")).collect();
        let near = old.replace("\n10\n", "\nx\n").replace("\n17\n", "\ny\n");
        assert_eq!(hunks_of_texts(&old, &near).len(), 1);
        let far = old.replace("\n10\n", "\nx\n").replace("\n18\n", "\ny\n");
        assert_eq!(hunks_of_texts(&old, &far).len(), 2);
        let positions = ["\n10\n", "\n18\n"].map(|line| old.find(line).expect("is there") + 1);
        let splices = positions.map(|at| splice(at..at + 2, "x\nx"));
        let headers: Vec<String> = hunks_of_splices(&old, &splices).iter().map(Hunk::header).collect();
        assert_eq!(headers, ["@@ -7,7 +7,8 @@", "@@ -15,7 +16,8 @@"]);
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(text_diff("a\nb", "a\nb"), "");
        assert_eq!(text_diff("", ""), "");
        assert_eq!(hunks_of_splices("a\nb\n", &[splice(2..3, "b")]), []);
        assert_eq!(hunks_of_splices("a\nb\n", &[]), []);
    }

    #[test]
    fn an_empty_side_has_line_zero() {
        assert_eq!(text_diff("", "a\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(text_diff("a\nb\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-a\n-b\n");
    }

    #[test]
    fn marks_a_missing_newline_on_its_side() {
        const MARK: &str = "\\ No newline at end of file\n";
        let check = |old, new, body: &str| {
            assert_eq!(text_diff(old, new), format!("--- a\n+++ b\n{body}"));
        };
        check("a", "a\n", &format!("@@ -1 +1 @@\n-a\n{MARK}+a\n"));
        check("a\n", "a", &format!("@@ -1 +1 @@\n-a\n+a\n{MARK}"));
        check("a", "b", &format!("@@ -1 +1 @@\n-a\n{MARK}+b\n{MARK}"));
        check("a\nz", "b\nz", &format!("@@ -1,2 +1,2 @@\n-a\n+b\n z\n{MARK}"));
        check("a\nb", "a\n", &format!("@@ -1,2 +1 @@\n a\n-b\n{MARK}"));
        check("", "a", &format!("@@ -0,0 +1 @@\n+a\n{MARK}"));
    }

    #[test]
    fn keeps_carriage_returns() {
        assert_eq!(text_diff("a\r\nb\r\n", "a\r\nc\n"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n");
    }

    #[test]
    fn neighbouring_changes_show_what_went_first() {
        let old = "a\nb\nc\n";
        let splices = [splice(0..1, "x"), splice(2..3, "y")];
        let new: String = NewText::new(old, &splices).pieces().collect();
        assert_eq!(
            diff(&hunks_of_splices(old, &splices), old, &new),
            "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n"
        );
    }

    #[test]
    fn lines_are_masked_before_they_are_printed() {
        let hunks = hunks_of_texts("user a\n", "user b\n");
        let mask = |_| "user <secret>".to_owned();
        let lines: Vec<_> = printed(&hunks, "f", "f", &mask, &mask).collect();
        let expected = [
            (Tag::File, "--- f"),
            (Tag::File, "+++ f"),
            (Tag::Hunk, "@@ -1 +1 @@"),
            (Tag::Removed, "-user <secret>"),
            (Tag::Added, "+user <secret>"),
        ];
        assert_eq!(lines, expected.map(|(tag, line)| (tag, line.to_owned())));
    }

    #[test]
    fn new_text_is_seen_in_slices() {
        let splices = [splice(0..1, "xyz"), splice(2..2, ""), splice(3..4, "-")];
        let new = NewText::new("abcdé", &splices);
        assert_eq!(new.pieces().collect::<String>(), "xyzbc-é");
        assert_eq!((new.len(), new.is_empty()), (8, false));
        assert_eq!(new.slice(1..5), "yzbc");
        assert_eq!(new.slice(6..100), "é");
        assert!(matches!(new.slice(0..3), std::borrow::Cow::Borrowed("xyz")));
        assert_eq!(new.slice(4..4), "");
    }

    #[test]
    fn a_hundred_thousand_changed_lines_are_diffed() {
        let lines = |word: &str| -> String {
            let line = |n| format!("stream {n} {{\n  {word} {};\n}}\n", n % 7);
            (0..100_000).map(line).collect()
        };
        let (old, new) = (lines("title"), lines("comment"));
        let hunks = hunks_of_texts(&old, &new);
        let changed = |line: &&Line| !matches!(line, Line::Context { .. });
        let count = hunks.iter().flat_map(|hunk| &hunk.lines).filter(changed);
        assert_eq!(count.count(), 200_000);
    }

    #[test]
    fn stretches_without_anchors_are_replaced() {
        let runs = anchored_runs(&["a", "b", "a", "c"], &["a", "d", "a", "c"], 5);
        let expected = Run { old: 0..3, new: 0..3 };
        assert_eq!(runs, [expected]);
    }

    fn text() -> impl Strategy<Value = String> {
        "([abé}]{0,2}\r?\n){0,40}[ab]?"
    }

    /// Splices of `old` out of arbitrary numbers.
    fn splices(old: &str, cuts: &[(usize, usize, String)]) -> Vec<Splice> {
        let mut splices = Vec::new();
        let mut from = 0;
        for (skip, len, text) in cuts {
            let start = boundary(old, from + skip);
            let end = boundary(old, start + len);
            splices.push(splice(start..end, text));
            from = end;
        }
        splices
    }

    /// The last place between characters up to `at`.
    fn boundary(text: &str, at: usize) -> usize {
        let places = (0..=at.min(text.len())).rev();
        let mut boundaries = places.filter(|place| text.is_char_boundary(*place));
        boundaries.next().expect("0 is one")
    }

    /// A diff leads from the old to the new text, and its spans are true.
    fn check(hunks: &[Hunk], old: &str, new: &str) {
        let text = diff(hunks, old, new);
        assert_eq!(apply(old, &text), new, "{text}");
        for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
            if let Line::Context { old: left, new: right } = line {
                assert_eq!(old[left.clone()], new[right.clone()]);
            }
        }
        assert_eq!(hunks.is_empty(), old == new);
        hunks.iter().for_each(check_context);
    }

    /// Changes stand at most three lines from the edge of their hunk and six from each other.
    fn check_context(hunk: &Hunk) {
        let is_change = |line: &Line| !matches!(line, Line::Context { .. });
        let stretches: Vec<usize> = hunk.lines.split(is_change).map(<[Line]>::len).collect();
        let (first, last) = (stretches[0], stretches[stretches.len() - 1]);
        assert!(stretches.len() > 1, "a hunk changes something");
        assert!(first.max(last) <= CONTEXT_LINES);
        assert!(stretches.iter().all(|lines| *lines <= 2 * CONTEXT_LINES));
    }

    proptest! {
        #[test]
        fn the_diff_of_two_texts_leads_from_one_to_the_other(old in text(), new in text()) {
            check(&hunks_of_texts(&old, &new), &old, &new);
        }

        #[test]
        fn the_diff_of_splices_leads_to_the_new_text(
            old in text(),
            cuts in proptest::collection::vec((0..40_usize, 0..5_usize, "[a}\r\n]{0,4}"), 0..5),
        ) {
            let splices = splices(&old, &cuts);
            let new_text = NewText::new(&old, &splices);
            let new: String = new_text.pieces().collect();
            assert_eq!(new.len(), new_text.len());
            check(&hunks_of_splices(&old, &splices), &old, &new);
            check(&hunks_of_texts(&old, &new), &old, &new);
        }

        #[test]
        fn slices_are_those_of_the_new_text(
            old in "[a-f]{0,20}",
            cuts in proptest::collection::vec((0..9_usize, 0..5_usize, "[x-z]{0,4}"), 0..5),
            from in 0..30_usize,
            len in 0..30_usize,
        ) {
            let splices = splices(&old, &cuts);
            let new_text = NewText::new(&old, &splices);
            let new: String = new_text.pieces().collect();
            let bounded = from.min(new.len())..(from + len).min(new.len());
            assert_eq!(new_text.slice(from..from + len), new[bounded]);
        }

        #[test]
        fn anchored_runs_lead_from_one_text_to_the_other(
            old in "([a-m]\n){0,14}",
            new in "([a-m]\n){0,14}",
            limit in 0..12_usize,
        ) {
            let (old_lines, new_lines) = (super::split_lines(&old), super::split_lines(&new));
            let starts = (line_starts(&old_lines, 0), line_starts(&new_lines, 0));
            let change = |run: Run| Change {
                old: starts.0[run.old.start]..starts.0[run.old.end],
                new: starts.1[run.new.start]..starts.1[run.new.end],
            };
            let runs = anchored_runs(&old_lines, &new_lines, limit);
            let changes: Vec<Change> = runs.into_iter().map(change).collect();
            let hunks = group(&old, &|range| new[range].into(), &changes);
            assert_eq!(apply(&old, &diff(&hunks, &old, &new)), new);
            assert_eq!(differing_runs(&old_lines, &old_lines), []);
        }
    }
}

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
//! printed form of each line to [`printed`]; this module knows nothing of secrets,
//! colours or files. Lines end at `\n` and nowhere else, so the `\r` of a CRLF belongs to its line.

mod line_diff;
mod new_text;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::syntax::Splice;
use line_diff::differing_runs;
use memchr::{memchr, memchr_iter, memrchr};

pub use new_text::NewText;

/// Unchanged lines shown around a change; `diff -u` and git show as many.
pub const CONTEXT_LINES: usize = 3;

/// A stretch of changed lines with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Which lines of the old text it covers.
    pub old: HunkSide,
    /// Which lines of the new text it covers.
    pub new: HunkSide,
    /// Its lines in the order they are printed; of a run of changes the removed lines are first.
    pub lines: Vec<DiffLine>,
}

impl Hunk {
    /// `@@ -1,3 +1,4 @@`
    pub fn header(&self) -> String {
        format!("@@ -{} +{} @@", self.old, self.new)
    }

    /// The places in `lines` that are followed by `\ No newline at end of file`.
    fn unterminated(&self) -> [Option<usize>; 2] {
        let last = |side: &HunkSide, is_on_side: fn(&DiffLine) -> bool| {
            let found = || self.lines.iter().rposition(is_on_side);
            side.unterminated.then(found).flatten()
        };
        [
            last(&self.old, |line| !matches!(line, DiffLine::Added(_))),
            last(&self.new, |line| !matches!(line, DiffLine::Removed(_))),
        ]
    }
}

/// The lines one side of a hunk covers; displayed as in a hunk header, `12,5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkSide {
    /// The number of the first line, from 1; without lines, the number the next line has.
    pub start: usize,
    /// How many lines.
    pub count: usize,
    /// Whether the last of them ends the text without a newline.
    pub unterminated: bool,
}

impl fmt::Display for HunkSide {
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
pub enum DiffLine {
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
pub enum PrintedKind {
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

/// The lines of a unified diff, without their newlines, each with what it is.
pub fn printed<'a>(
    hunks: &'a [Hunk],
    old_name: &str,
    new_name: &str,
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = (PrintedKind, String)> + use<'a> {
    let names = [format!("--- {old_name}"), format!("+++ {new_name}")];
    let shown_names = if hunks.is_empty() { 0 } else { names.len() };
    names
        .into_iter()
        .take(shown_names)
        .map(|name| (PrintedKind::File, name))
        .chain(hunks.iter().flat_map(|hunk| printed_hunk(hunk, old_line, new_line)))
}

fn printed_hunk<'a>(
    hunk: &'a Hunk,
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = (PrintedKind, String)> + use<'a> {
    let unterminated = hunk.unterminated();
    let lines = hunk.lines.iter().enumerate().flat_map(move |(at, line)| {
        let printed = match line {
            DiffLine::Context { old, .. } => (PrintedKind::Context, format!(" {}", old_line(old.clone()))),
            DiffLine::Removed(old) => (PrintedKind::Removed, format!("-{}", old_line(old.clone()))),
            DiffLine::Added(new) => (PrintedKind::Added, format!("+{}", new_line(new.clone()))),
        };
        let marker = || (PrintedKind::NoNewline, r"\ No newline at end of file".to_owned());
        let marked = unterminated.contains(&Some(at)).then(marker);
        std::iter::once(printed).chain(marked)
    });
    std::iter::once((PrintedKind::Hunk, hunk.header())).chain(lines)
}

/// Whole lines around one or more splices, at their places in the old and in the new text.
struct LineWindow {
    old: Range<usize>,
    new: Range<usize>,
}

/// Widens splices to whole lines on both sides; windows that touch become one.
///
/// A window ends with a line end that no splice touches (or with the text), so what follows it
/// begins a line in the new text too, whatever the replacements end with.
fn windows(old: &str, splices: &[Splice]) -> Vec<LineWindow> {
    let mut windows: Vec<LineWindow> = Vec::new();
    let (mut inserted, mut deleted) = (0, 0);
    for splice in splices {
        let touched = windows.last().map(|window| window.old.end);
        if touched.is_none_or(|end| splice.range.start > end) {
            let start = line_start(old, splice.range.start);
            let new_start = start + inserted - deleted;
            windows.push(LineWindow { old: start..start, new: new_start..new_start });
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
struct ChangedLines {
    old: Range<usize>,
    new: Range<usize>,
}

/// Appends the differing runs of two stretches of whole lines, which begin at `start` of their
/// texts. A run that follows the one before at once becomes part of it.
fn push_changes(old: &str, new: &str, start: (usize, usize), changes: &mut Vec<ChangedLines>) {
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
            _ => changes.push(ChangedLines { old, new }),
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

/// Puts context around changes and joins those whose context would meet.
fn group<'a>(
    old: &'a str,
    new: &'a dyn Fn(Range<usize>) -> Cow<'a, str>,
    changes: &[ChangedLines],
) -> Vec<Hunk> {
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
        let extent =
            |lines_before: usize| HunkSide { start: lines_before + 1, count: 0, unterminated: false };
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
            hunk.lines.push(DiffLine::Context { old: span, new });
        }
    }

    fn push_change(&mut self, change: &ChangedLines) {
        let old_text = &self.old[change.old.clone()];
        let new_text = (self.new)(change.new.clone());
        let (mut removed, mut added) = (0, 0);
        let hunk = self.hunk();
        for (span, terminated) in spans(old_text, change.old.start) {
            hunk.old.push(terminated);
            hunk.lines.push(DiffLine::Removed(span));
            removed += 1;
        }
        for (span, terminated) in spans(&new_text, change.new.start) {
            hunk.new.push(terminated);
            hunk.lines.push(DiffLine::Added(span));
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

impl HunkSide {
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
mod tests;

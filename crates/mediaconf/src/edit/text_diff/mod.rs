//! The unified diff of a text before and after a change.
//!
//! An edit consists of splices, so its diff reads only the lines around each splice: the rest of the
//! text is only searched for line ends, to number the hunks. Two arbitrary texts are compared in the
//! same way, as one window over both:
//!
//! ```text
//! splices → windows of whole lines → runs of lines that differ → hunks → printed lines
//! ```
//!
//! A hunk holds spans, not text. The layer above knows which bytes are secret and hands the printed form
//! of each line to [`printed`]; this module knows nothing of secrets, colours or files. Lines end at
//! `\n` and nowhere else, so the `\r` of a CRLF belongs to its line.

mod line_diff;

use std::iter::once;
use std::ops::Range;

use line_diff::{LineRun, differing_runs};
use memchr::{memchr_iter, memrchr_iter};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, group_diff_ops};

use crate::syntax::{Splice, line_end, line_start, spliced_pieces};

/// Unchanged lines shown around a change, as many as `diff -u` and git show.
pub const CONTEXT_LINES: usize = 3;

/// A stretch of changed lines with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// `@@ -1,3 +1,4 @@`
    pub header: String,
    /// The lines in the order in which they are printed; the removed lines of a run come first.
    pub lines: Vec<DiffLine>,
    /// The places in `lines` that are followed by `\ No newline at end of file`.
    unterminated: Vec<usize>,
}

/// One line of a hunk, as byte spans that leave out the `\n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// A line on both sides, at its places in the old and in the new text.
    Context {
        /// Its place in the old text.
        old: Range<usize>,
        /// Its place in the new text.
        new: Range<usize>,
    },
    /// A line of the old text that the new one lacks.
    Removed(Range<usize>),
    /// A line of the new text that the old one lacks.
    Added(Range<usize>),
}

/// Returns the hunks between `old` and what `splices` make of it.
///
/// The cost grows with the lines that the splices touch; the text as a whole is only searched for
/// newlines.
pub fn hunks_of_splices(old: &str, splices: &[Splice]) -> Vec<Hunk> {
    let mut comparison = Comparison::new(old);
    for window in windows(old, splices) {
        let new: String = spliced_pieces(old, window.old.clone(), &splices[window.splices]).collect();
        comparison.compare(window.old, &new, window.new_start);
    }
    let inserted: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let deleted: usize = splices.iter().map(|splice| splice.range.len()).sum();
    comparison.into_hunks(old.len() + inserted - deleted)
}

/// Returns the hunks between two texts.
pub fn hunks_of_texts(old: &str, new: &str) -> Vec<Hunk> {
    let mut comparison = Comparison::new(old);
    comparison.compare(0..old.len(), new, 0);
    comparison.into_hunks(new.len())
}

/// Returns the hunks between parts of two texts; each pair consists of whole lines of the old and of the new
/// text, and a hunk shows nothing outside of its pair.
pub fn hunks_of_parts(old: &str, new: &str, pairs: &[[Range<usize>; 2]]) -> Vec<Hunk> {
    let lines_before = |text: &str, at: usize| memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    let pairs = pairs.iter().flat_map(|[of_old, of_new]| {
        let mut comparison = Comparison {
            next: (lines_before(old, of_old.start), lines_before(new, of_new.start)),
            old_at: of_old.start,
            ..Comparison::new(&old[..of_old.end])
        };
        comparison.compare(of_old.clone(), &new[of_new.clone()], of_new.start);
        comparison.into_hunks(of_new.end)
    });
    pairs.collect()
}

/// Returns the lines of a unified diff from the first `@@` on, without their newlines. A line on both sides follows a
/// space, others `-`, `+` and `\\`.
pub fn printed<'a>(
    hunks: &'a [Hunk],
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = String> + use<'a> {
    hunks.iter().flat_map(move |hunk| {
        let lines = hunk.lines.iter().enumerate().flat_map(move |(index, line)| {
            let printed = match line {
                DiffLine::Context { old, .. } => format!(" {}", old_line(old.clone())),
                DiffLine::Removed(old) => format!("-{}", old_line(old.clone())),
                DiffLine::Added(new) => format!("+{}", new_line(new.clone())),
            };
            let marker = || r"\ No newline at end of file".to_owned();
            once(printed).chain(hunk.unterminated.contains(&index).then(marker))
        });
        once(hunk.header.clone()).chain(lines)
    })
}

/// Whole lines around one or more splices.
struct LineWindow {
    old: Range<usize>,
    /// The start of the window in the new text.
    new_start: usize,
    /// The places of the splices in their list.
    splices: Range<usize>,
}

/// Widens splices to whole lines on both sides; windows that touch become one.
///
/// A window ends with a line end that no splice touches (or with the text), so what follows it
/// begins a line in the new text too, whatever the replacements end with.
fn windows(old: &str, splices: &[Splice]) -> Vec<LineWindow> {
    let mut windows: Vec<LineWindow> = Vec::new();
    let (mut inserted, mut deleted) = (0, 0);
    for (index, splice) in splices.iter().enumerate() {
        match windows.last_mut() {
            Some(window) if splice.range.start <= window.old.end => {
                if splice.range.end >= window.old.end {
                    window.old.end = line_end(old, splice.range.end);
                }
                window.splices.end = index + 1;
            }
            _ => {
                let start = line_start(old, splice.range.start);
                windows.push(LineWindow {
                    old: start..line_end(old, splice.range.end),
                    new_start: start + inserted - deleted,
                    splices: index..index + 1,
                });
            }
        }
        inserted += splice.text.len();
        deleted += splice.range.len();
    }
    windows
}

/// The lines of one side that differ: the bytes of the run and of each line, without its `\n`.
struct SideRun {
    bytes: Range<usize>,
    lines: Vec<Range<usize>>,
}

/// The state of comparing two texts from the beginning to the end.
struct Comparison<'o> {
    old: &'o str,
    /// The comparison in numbers of lines.
    ops: Vec<DiffOp>,
    /// The old and the new lines of each run that differs, in the order of the text.
    runs: Vec<(SideRun, SideRun)>,
    /// The numbers of the next lines, from 0, and where the next old line begins.
    next: (usize, usize),
    old_at: usize,
}

impl<'o> Comparison<'o> {
    fn new(old: &'o str) -> Self {
        Self { old, ops: Vec::new(), runs: Vec::new(), next: (0, 0), old_at: 0 }
    }

    /// Compares a window of the old text with the `new` text that takes its place at `new_start`.
    fn compare(&mut self, window: Range<usize>, new: &str, new_start: usize) {
        let old = &self.old[window.clone()];
        let (head, tail) = common_lines(old, new);
        let old_lines: Vec<&str> = old[head..old.len() - tail].split_inclusive('\n').collect();
        let new_lines: Vec<&str> = new[head..new.len() - tail].split_inclusive('\n').collect();
        let (mut old_at, mut new_at) = (window.start + head, new_start + head);
        let mut done = LineRun { old: 0..0, new: 0..0 };
        for run in differing_runs(&old_lines, &new_lines) {
            old_at += length(&old_lines[done.old.end..run.old.start]);
            new_at += length(&new_lines[done.new.end..run.new.start]);
            let removed = side_run(&old_lines[run.old.clone()], old_at);
            let added = side_run(&new_lines[run.new.clone()], new_at);
            (old_at, new_at) = (removed.bytes.end, added.bytes.end);
            self.push(removed, added);
            done = run;
        }
    }

    fn push(&mut self, removed: SideRun, added: SideRun) {
        let equal = self.old_at..removed.bytes.start;
        self.push_equal(memchr_iter(b'\n', &self.old.as_bytes()[equal]).count());
        let (old_index, new_index) = self.next;
        let (old_len, new_len) = (removed.lines.len(), added.lines.len());
        self.ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
        self.next = (old_index + old_len, new_index + new_len);
        self.old_at = removed.bytes.end;
        self.runs.push((removed, added));
    }

    fn push_equal(&mut self, len: usize) {
        let (old_index, new_index) = self.next;
        if len > 0 {
            self.ops.push(DiffOp::Equal { old_index, new_index, len });
            self.next = (old_index + len, new_index + len);
        }
    }

    /// Groups the runs into hunks; `new_len` is the length of the new text in bytes.
    fn into_hunks(mut self, new_len: usize) -> Vec<Hunk> {
        if self.runs.is_empty() {
            return Vec::new();
        }
        // Only the lines in the context of the last hunk are counted.
        self.push_equal(self.old[self.old_at..].split_inclusive('\n').take(CONTEXT_LINES).count());
        let mut runs = self.runs.iter();
        let groups = group_diff_ops(self.ops, CONTEXT_LINES);
        groups.iter().map(|ops| hunk(self.old, new_len, ops, &mut runs)).collect()
    }
}

/// Builds the hunk of `ops`, whose differing lines are the next of `runs`.
fn hunk<'r>(
    old: &str,
    new_len: usize,
    ops: &[DiffOp],
    runs: &mut (impl Iterator<Item = &'r (SideRun, SideRun)> + Clone),
) -> Hunk {
    let header = UnifiedHunkHeader::new(ops).to_string();
    let mut hunk = Hunk { header, lines: Vec::new(), unterminated: Vec::new() };
    let (removed, added) = runs.clone().next().expect("each hunk has a run that differs");
    let (mut old_at, mut new_at) = (removed.bytes.start, added.bytes.start);
    if let DiffOp::Equal { len, .. } = ops[0] {
        let start = last_lines(old, old_at, len);
        new_at -= old_at - start;
        old_at = start;
    }
    for op in ops {
        if let DiffOp::Equal { len, .. } = *op {
            for line in old[old_at..].split_inclusive('\n').take(len) {
                let content = line.trim_end_matches('\n').len();
                hunk.push(
                    DiffLine::Context { old: old_at..old_at + content, new: new_at..new_at + content },
                    old_at + content == old.len(),
                );
                (old_at, new_at) = (old_at + line.len(), new_at + line.len());
            }
        } else if let Some((removed, added)) = runs.next() {
            for line in &removed.lines {
                hunk.push(DiffLine::Removed(line.clone()), line.end == old.len());
            }
            for line in &added.lines {
                hunk.push(DiffLine::Added(line.clone()), line.end == new_len);
            }
            (old_at, new_at) = (removed.bytes.end, added.bytes.end);
        }
    }
    hunk
}

impl Hunk {
    fn push(&mut self, line: DiffLine, is_unterminated: bool) {
        if is_unterminated {
            self.unterminated.push(self.lines.len());
        }
        self.lines.push(line);
    }
}

/// Returns the number of bytes of whole lines that two texts share at their beginnings, and then at their
/// ends.
fn common_lines(old: &str, new: &str) -> (usize, usize) {
    let lines = |text| str::split_inclusive(text, '\n');
    let same = |(old, new): &(&str, &str)| old == new;
    let head = lines(old).zip(lines(new)).take_while(same).map(|(line, _)| line.len()).sum();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = lines(old).rev().zip(lines(new).rev()).take_while(same).map(|(line, _)| line.len()).sum();
    (head, tail)
}

fn side_run(lines: &[&str], start: usize) -> SideRun {
    let mut offset = start;
    let span = |line: &&str| {
        let start = offset;
        offset += line.len();
        start..start + line.trim_end_matches('\n').len()
    };
    let lines = lines.iter().map(span).collect();
    SideRun { bytes: start..offset, lines }
}

fn length(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

/// Returns the start of the last `count` lines before `end`, which is the beginning of a line.
fn last_lines(text: &str, end: usize, count: usize) -> usize {
    memrchr_iter(b'\n', &text.as_bytes()[..end]).nth(count).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests;

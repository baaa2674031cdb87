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
//! A hunk holds numbers of lines, not text: a change of all lines of a large text takes no more memory
//! than its runs. The layer above knows which bytes are secret and hands the printed form of each line to
//! [`printed`]; this module knows nothing of secrets, colours or files. Lines end at `\n` and nowhere
//! else, so the `\r` of a CRLF belongs to its line.

mod line_diff;
mod line_ends;

use std::iter::{from_fn, once, repeat_n};
use std::ops::Range;

use line_diff::{LineRun, count_lines, each_differing_run};
pub use line_ends::with_line_ends_of;
use memchr::memrchr_iter;
use similar::DiffOp;
use similar::udiff::UnifiedHunkHeader;

use crate::syntax::{Splice, line_end, line_start};

/// Unchanged lines shown around a change, as many as `diff -u` and git show.
pub const CONTEXT_LINES: usize = 3;

/// A stretch of changed lines with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// `@@ -1,3 +1,4 @@`
    pub header: String,
    /// Its lines in the old text, in bytes.
    pub old: Range<usize>,
    /// Its lines in the new text, in bytes.
    pub new: Range<usize>,
    /// Its lines, as numbers of them.
    steps: Vec<LineStep>,
    /// The lines on both sides behind the last step.
    behind: usize,
}

/// The lines from one run that differs to the next: those on both sides, then the removed ones, then the added ones.
/// There can be very many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineStep {
    equal: u32,
    removed: u32,
    added: u32,
}

impl LineStep {
    /// A text that fits into memory has no more lines than 32 bits can count.
    fn new(counts: [usize; 3]) -> Self {
        let [equal, removed, added] = counts.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self { equal, removed, added }
    }
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

/// Returns the hunks between `old` and `new`, which `splices` make of it.
///
/// The cost grows with the lines that the splices touch; the text as a whole is only searched for
/// newlines.
pub fn hunks_of_splices(old: &str, new: &str, splices: &[Splice]) -> Vec<Hunk> {
    let mut comparison = Comparison::new([old, new]);
    windows(old, splices).for_each(|window| comparison.compare(window));
    comparison.into_hunks()
}

/// Returns the hunks between two texts.
pub fn hunks_of_texts(old: &str, new: &str) -> Vec<Hunk> {
    let mut comparison = Comparison::new([old, new]);
    comparison.compare([0..old.len(), 0..new.len()]);
    comparison.into_hunks()
}

/// Returns the hunks between parts of two texts; each pair consists of whole lines of the old and of the new
/// text, and a hunk shows nothing outside of its pair.
pub fn hunks_of_parts(old: &str, new: &str, pairs: &[[Range<usize>; 2]]) -> Vec<Hunk> {
    let pairs = pairs.iter().flat_map(|[of_old, of_new]| {
        let mut comparison = Comparison {
            next: (count_lines(&old[..of_old.start]), count_lines(&new[..of_new.start])),
            old_at: of_old.start,
            ..Comparison::new([&old[..of_old.end], new])
        };
        comparison.compare([of_old.clone(), of_new.clone()]);
        comparison.into_hunks()
    });
    pairs.collect()
}

/// Returns the lines of a unified diff from the first `@@` on, without their newlines. A line on both sides follows a
/// space, others `-`, `+` and `\\`.
pub fn printed<'a>(
    hunks: &'a [Hunk],
    [old, new]: [&'a str; 2],
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = String> + use<'a> {
    hunks.iter().flat_map(move |hunk| {
        let lines = hunk.lines(old, new).flat_map(move |line| {
            let (printed, is_last) = match line {
                DiffLine::Context { old: line, .. } => {
                    (format!(" {}", old_line(line.clone())), line.end == old.len())
                }
                DiffLine::Removed(line) => (format!("-{}", old_line(line.clone())), line.end == old.len()),
                DiffLine::Added(line) => (format!("+{}", new_line(line.clone())), line.end == new.len()),
            };
            once(printed).chain(is_last.then(|| r"\ No newline at end of file".to_owned()))
        });
        once(hunk.header.clone()).chain(lines)
    })
}

impl Hunk {
    /// Returns its lines in the order in which they are printed, the removed ones of a run first; `old` and `new` are
    /// the texts that were compared.
    pub fn lines<'t>(&'t self, old: &'t str, new: &'t str) -> impl Iterator<Item = DiffLine> + use<'t> {
        let steps = self.steps.iter().flat_map(|step| {
            let times = |side, count| repeat_n(side, count as usize);
            let changed = times(LineSide::Old, step.removed).chain(times(LineSide::New, step.added));
            times(LineSide::Both, step.equal).chain(changed)
        });
        let (mut old_at, mut new_at) = (self.old.start, self.new.start);
        steps.chain(repeat_n(LineSide::Both, self.behind)).map(move |side| match side {
            LineSide::Both => {
                DiffLine::Context { old: next_line(old, &mut old_at), new: next_line(new, &mut new_at) }
            }
            LineSide::Old => DiffLine::Removed(next_line(old, &mut old_at)),
            LineSide::New => DiffLine::Added(next_line(new, &mut new_at)),
        })
    }

    /// Returns the number of lines that only the new text has, and of those that only the old one has.
    pub fn added_and_removed(&self) -> [usize; 2] {
        let sum = |count: fn(&LineStep) -> u32| self.steps.iter().map(|step| count(step) as usize).sum();
        [sum(|step| step.added), sum(|step| step.removed)]
    }
}

/// The texts that have a line.
#[derive(Clone, Copy)]
enum LineSide {
    Both,
    Old,
    New,
}

/// Takes the next line, without its `\n`.
fn next_line(text: &str, at: &mut usize) -> Range<usize> {
    let (start, end) = (*at, line_end(text, *at));
    *at = end;
    start..end - usize::from(text[start..end].ends_with('\n'))
}

/// Widens splices to whole lines on both sides; windows that touch become one.
///
/// A window ends with a line end that no splice touches (or with the text), so what follows it
/// begins a line in the new text too, whatever the replacements end with.
fn windows<'t>(old: &'t str, splices: &'t [Splice]) -> impl Iterator<Item = [Range<usize>; 2]> + use<'t> {
    let mut splices = splices.iter().peekable();
    let (mut inserted, mut deleted) = (0, 0);
    from_fn(move || {
        let first = &splices.peek()?.range;
        let (start, mut end) = (line_start(old, first.start), line_end(old, first.end));
        let new_start = start + inserted - deleted;
        while let Some(splice) = splices.next_if(|splice| splice.range.start <= end) {
            if splice.range.end >= end {
                end = line_end(old, splice.range.end);
            }
            inserted += splice.text.len();
            deleted += splice.range.len();
        }
        Some([start..end, new_start..end + inserted - deleted])
    })
}

/// The state of comparing two texts from the beginning to the end.
struct Comparison<'t> {
    texts: [&'t str; 2],
    hunks: Vec<Hunk>,
    /// The numbers of the old and the new line behind the last run, from 0, and where that old line begins.
    next: (usize, usize),
    old_at: usize,
    /// The lines of the last hunk.
    last: LineNumbers,
}

/// The lines of a hunk, by their numbers from 0.
#[derive(Default)]
struct LineNumbers {
    old: Range<usize>,
    new: Range<usize>,
}

impl<'t> Comparison<'t> {
    fn new(texts: [&'t str; 2]) -> Self {
        Self { texts, hunks: Vec::new(), next: (0, 0), old_at: 0, last: LineNumbers::default() }
    }

    /// Compares a window of the old text with the one that takes its place.
    fn compare(&mut self, [of_old, of_new]: [Range<usize>; 2]) {
        let (old, new) = (&self.texts[0][of_old.clone()], &self.texts[1][of_new.clone()]);
        let (head, tail) = common_lines(old, new);
        let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
        let (old_at, new_at) = (of_old.start + head, of_new.start + head);
        each_differing_run(old, new, &mut |LineRun { old, new }| {
            self.push(old.start + old_at..old.end + old_at, new.start + new_at..new.end + new_at);
        });
    }

    /// Adds a run that differs to the last hunk, or to a new one if it is too far from that.
    fn push(&mut self, old: Range<usize>, new: Range<usize>) {
        let [old_text, new_text] = self.texts;
        let equal = count_lines(&old_text[self.old_at..old.start]);
        let (removed, added) = (count_lines(&old_text[old.clone()]), count_lines(&new_text[new.clone()]));
        let mut context = equal;
        if self.hunks.is_empty() || equal > 2 * CONTEXT_LINES {
            self.close();
            context = equal.min(CONTEXT_LINES);
            let start = last_lines(old_text, old.start, context);
            let (old_line, new_line) = (self.next.0 + equal - context, self.next.1 + equal - context);
            self.last = LineNumbers { old: old_line..old_line, new: new_line..new_line };
            self.hunks.push(Hunk {
                header: String::new(),
                old: start..start,
                new: new.start - (old.start - start)..new.end,
                steps: Vec::new(),
                behind: 0,
            });
        }
        self.next = (self.next.0 + equal + removed, self.next.1 + equal + added);
        (self.last.old.end, self.last.new.end) = self.next;
        self.old_at = old.end;
        if let Some(hunk) = self.hunks.last_mut() {
            (hunk.old.end, hunk.new.end) = (old.end, new.end);
            hunk.steps.push(LineStep::new([context, removed, added]));
        }
    }

    /// Adds the context behind the last hunk, and its header.
    fn close(&mut self) {
        let Some(hunk) = self.hunks.last_mut() else { return };
        let behind = self.texts[0][self.old_at..].split_inclusive('\n').take(CONTEXT_LINES);
        let (lines, bytes) = behind.fold((0, 0), |(lines, bytes), line| (lines + 1, bytes + line.len()));
        let LineNumbers { old, new } = &self.last;
        let (old_len, new_len) = (old.len() + lines, new.len() + lines);
        let op = DiffOp::Replace { old_index: old.start, old_len, new_index: new.start, new_len };
        hunk.header = UnifiedHunkHeader::new(&[op]).to_string();
        hunk.behind = lines;
        hunk.old.end += bytes;
        hunk.new.end += bytes;
    }

    fn into_hunks(mut self) -> Vec<Hunk> {
        self.close();
        self.hunks
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

/// Returns the start of the last `count` lines before `end`, which is the beginning of a line.
fn last_lines(text: &str, end: usize, count: usize) -> usize {
    memrchr_iter(b'\n', &text.as_bytes()[..end]).nth(count).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests;

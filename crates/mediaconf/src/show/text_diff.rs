//! The unified diff of two texts. Lines end at `\n` and nowhere else, so the `\r` of a CRLF belongs to its line.

use std::iter::zip;
use std::ops::Range;

use foldhash::HashMap;
use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::secret::{MaskedText, Masker};
use crate::syntax::{Document, common_ends, line_end, line_start};

/// Unchanged lines shown around a change, as many as `diff -u` and git show.
const CONTEXT_LINES: usize = 3;

/// The unchanged lines around all changes that are looked at: where lines repeat, it is open which of them are new.
const WINDOW_LINES: usize = 1_000;

/// The lines of both sides up to which Myers' algorithm sees all of them at once; it takes about n^1.5 at worst. More
/// lines are cut at those that occur once on either side (patience diff).
const MYERS_LINES: usize = 10_000;

impl Document {
    /// The lines of a unified diff from the first `@@` on, without their newlines, with their secrets masked. A line
    /// on both sides follows a space, others `-`, `+` and `\\`.
    pub fn unified_diff(&self, new: &Self, masker: Masker) -> Vec<String> {
        let (skipped, lines) = lines_around([self.text(), new.text()]);
        let (documents, hunks) = ([self, new], hunks(lines.each_ref().map(Vec::as_slice)));
        // The lines of one side, and their sign. Of what is in both, the old side is printed.
        let printed_of = |op: &DiffOp| {
            let is_same = op.tag() == DiffTag::Equal;
            let old = (if is_same { " " } else { "-" }, 0, op.old_range());
            [Some(old), (!is_same).then(|| ("+", 1, op.new_range()))].into_iter().flatten()
        };
        let windows = [0, 1].map(|side| {
            let text = documents[side].text();
            let runs = hunks.iter().flatten().flat_map(printed_of).filter(|(_, of, _)| *of == side);
            let window =
                |run: &[&str]| Some(place_of(text, run.first()?).start..place_of(text, run.last()?).end);
            runs.filter_map(|(.., numbers)| window(&lines[side][numbers])).collect()
        });
        let shown = MaskedText::new(documents, masker, windows);
        let mut printed = Vec::new();
        for hunk in &hunks {
            let [(old_index, old_len), (new_index, new_len)] =
                [DiffOp::old_range, DiffOp::new_range].map(|range| {
                    let (start, end) = (range(&hunk[0]).start, range(&hunk[hunk.len() - 1]).end);
                    (skipped + start, end - start)
                });
            let all = DiffOp::Replace { old_index, old_len, new_index, new_len };
            printed.push(UnifiedHunkHeader::new(&[all]).to_string());
            for (sign, side, numbers) in hunk.iter().flat_map(printed_of) {
                let text = documents[side].text();
                for line in &lines[side][numbers] {
                    printed.push([sign, &shown[side].line(place_of(text, line))].concat());
                    if !line.ends_with('\n') {
                        printed.push(r"\ No newline at end of file".to_owned());
                    }
                }
            }
        }
        printed
    }

    /// The number of lines of this diff that only the new text has, and of those that only the old one has.
    pub fn changed_lines(&self, new: &Self) -> [usize; 2] {
        let (_, lines) = lines_around([self.text(), new.text()]);
        let ops = hunks(lines.each_ref().map(Vec::as_slice)).into_iter().flatten();
        let changed = ops.filter(|op| op.tag() != DiffTag::Equal);
        changed.fold([0, 0], |[added, gone], op| [added + op.new_range().len(), gone + op.old_range().len()])
    }
}

/// The lines of two texts that are compared, and how many stand in front of them.
fn lines_around([old, new]: [&str; 2]) -> (usize, [Vec<&str>; 2]) {
    let [head, tail] = common_ends([old, new].map(str::as_bytes));
    let start = (0..WINDOW_LINES).fold(line_start(old, head), |at, _| line_start(old, at.saturating_sub(1)));
    let behind = old.len() - (0..WINDOW_LINES).fold(old.len() - tail, |at, _| line_end(old, at));
    let skipped = memchr::memchr_iter(b'\n', &old.as_bytes()[..start]).count();
    (skipped, [old, new].map(|text| lines_of(&text[start..text.len() - behind])))
}

/// The lines of a text, each with its line feed.
fn lines_of(text: &str) -> Vec<&str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain([text.len()]);
    let lines = ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end)..end]));
    lines.filter(|line| !line.is_empty()).collect()
}

/// The bytes of a line of a text, without its line feed.
fn place_of(text: &str, line: &str) -> Range<usize> {
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    start..start + line.strip_suffix('\n').unwrap_or(line).len()
}

/// Compares the lines of two texts: stretches of changed lines with their context.
fn hunks([old, new]: [&[&str]; 2]) -> Vec<Vec<DiffOp>> {
    let same: usize = common_ends([old, new]).iter().sum();
    let is_long = old.len() + new.len() - 2 * same > MYERS_LINES;
    let algorithm = if is_long { Algorithm::Patience } else { Algorithm::Myers };
    let changes = in_place([old, new]).unwrap_or_else(|| capture_diff_slices(algorithm, old, new));
    group_diff_ops(changes, CONTEXT_LINES)
}

/// The changes of lines that keep their places, as after `--set` in many blocks. No line that differs may stand anywhere in
/// the other text: then all others must be paired as they are, whatever the algorithm.
fn in_place([old, new]: [&[&str]; 2]) -> Option<Vec<DiffOp>> {
    let pairs: Vec<_> = zip(old, new).filter(|_| old.len() == new.len()).collect();
    let mut sides = HashMap::default();
    let differing = pairs.iter().filter(|(old, new)| old != new);
    let mut lines = differing.flat_map(|(old, new)| [(*old, "old"), (*new, "new")]);
    let are_forced = lines.all(|(line, side)| *sides.entry(line).or_insert(side) == side)
        && pairs.iter().all(|(old, new)| old != new || !sides.contains_key(old));
    let mut at = 0;
    let runs = pairs.chunk_by(|one, next| (one.0 == one.1) == (next.0 == next.1));
    let changes = runs.map(|run| {
        let (index, len) = (at, run.len());
        at += len;
        match run[0].0 == run[0].1 {
            true => DiffOp::Equal { old_index: index, new_index: index, len },
            false => DiffOp::Replace { old_index: index, old_len: len, new_index: index, new_len: len },
        }
    });
    (are_forced && !pairs.is_empty()).then(|| changes.collect())
}

#[cfg(test)]
#[path = "text_diff_tests.rs"]
mod tests;

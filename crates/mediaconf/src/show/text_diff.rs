//! The unified diff of two texts. Lines end at `\n` and nowhere else, so the `\r` of a CRLF belongs to its line.

use std::collections::{HashMap, HashSet};
use std::iter::once;
use std::ops::Range;

use memchr::memchr_iter;
use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff, group_diff_ops};

use crate::edit::surroundings::Surroundings;
use crate::model::{MaskedText, Masker, top_members};
use crate::schema::Kind;
use crate::schema::codec::group_name;
use crate::syntax::{Document, line_start};

/// Unchanged lines shown around a change, as many as `diff -u` and git show.
const CONTEXT_LINES: usize = 3;

/// The lines of both sides up to which Myers' algorithm sees all of them at once; it takes about n^1.5 at worst. More
/// lines are cut at those that occur once on either side (patience diff).
const MYERS_LINES: usize = 10_000;

/// Returns the lines of a unified diff from the first `@@` on, without their newlines. A line on both sides follows a
/// space, others `-`, `+` and `\\`.
pub fn unified_diff(old: &str, new: &str) -> Vec<String> {
    let texts = [old, new].map(TextLines::new);
    texts_hunks(&texts)
        .iter()
        .flat_map(|hunk| hunk.lines(&texts, &|side, line| texts[side].text[line].to_owned()))
        .collect()
}

impl Document {
    /// The lines of a [`unified_diff`] between two documents, with their secrets masked if there is a masker.
    pub fn unified_diff(&self, new: &Self, masker: Option<&Masker>) -> Vec<String> {
        masked([self, new], masker, texts_hunks)
    }

    /// The same between the streams of these names, each with its own comments above, in the order of the old text; those
    /// that are new come last. No hunk shows anything outside of its stream.
    pub fn unified_diff_of_streams(
        &self,
        new: &Self,
        names: &HashSet<String>,
        masker: Option<&Masker>,
    ) -> Vec<String> {
        let [olds, news] = [self, new].map(|document| places_of_streams(document, names));
        let mut left: HashMap<&String, &Range<usize>> =
            news.iter().map(|(name, place)| (name, place)).collect();
        let both = olds.iter().map(|(name, old)| [old.clone(), left.remove(name).cloned().unwrap_or(0..0)]);
        let mut pairs: Vec<_> = both.collect();
        let added = news.iter().filter(|(name, _)| left.contains_key(name));
        pairs.extend(added.map(|(_, new)| [0..0, new.clone()]));
        masked([self, new], masker, |texts| {
            let lines = |side: usize, place: &Range<usize>| {
                texts[side].number(place.start)..texts[side].number(place.end)
            };
            pairs.iter().flat_map(|[old, new]| hunks(texts, [lines(0, old), lines(1, new)])).collect()
        })
    }
}

fn masked(
    documents: [&Document; 2],
    masker: Option<&Masker>,
    hunks: impl FnOnce(&[TextLines<'_>; 2]) -> Vec<Hunk>,
) -> Vec<String> {
    let texts = documents.map(|document| TextLines::new(document.text()));
    let hunks = hunks(&texts);
    let shown = [0, 1].map(|side| {
        let windows = hunks.iter().map(|hunk| hunk.place(side, &texts[side])).collect();
        MaskedText::new(documents[side], masker.cloned(), windows)
    });
    hunks.iter().flat_map(|hunk| hunk.lines(&texts, &|side, line| shown[side].line(line))).collect()
}

/// The streams of these names, with their places in the text.
fn places_of_streams(document: &Document, names: &HashSet<String>) -> Vec<(String, Range<usize>)> {
    let around = Surroundings::new(document);
    let members = top_members(document);
    let places = members.own_by_key(Kind::Streams.key()).iter().filter_map(|stream| {
        let name = names.get(&*group_name(*stream).value())?;
        let start = line_start(document.text(), around.own_comments(*stream));
        Some((name.clone(), start..around.next_line(stream.end())))
    });
    places.collect()
}

/// A text with the starts of its lines, and its end as the last one.
struct TextLines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    lines: Vec<&'t str>,
}

impl<'t> TextLines<'t> {
    fn new(text: &'t str) -> Self {
        let newlines = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let end = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
        let starts: Vec<usize> = once(0).chain(newlines).chain(end).collect();
        let lines = starts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect();
        Self { text, starts, lines }
    }

    /// The number of the line that starts at a place, from 0.
    fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start < at)
    }
}

/// A stretch of changed lines with its context, by the numbers of the lines in both texts.
struct Hunk(Vec<DiffOp>);

fn texts_hunks(texts: &[TextLines<'_>; 2]) -> Vec<Hunk> {
    hunks(texts, [0, 1].map(|side| 0..texts[side].lines.len()))
}

/// Compares some lines of two texts.
fn hunks(texts: &[TextLines<'_>; 2], [old, new]: [Range<usize>; 2]) -> Vec<Hunk> {
    let is_long = old.len() + new.len() > MYERS_LINES;
    let algorithm = if is_long { Algorithm::Patience } else { Algorithm::Myers };
    let ops = capture_diff(algorithm, &texts[0].lines[..], old, &texts[1].lines[..], new);
    let changes = |ops: &Vec<DiffOp>| ops.iter().any(|op| op.tag() != DiffTag::Equal);
    group_diff_ops(ops, CONTEXT_LINES).into_iter().filter(changes).map(Hunk).collect()
}

impl Hunk {
    /// Its bytes in one of the texts.
    fn place(&self, side: usize, text: &TextLines<'_>) -> Range<usize> {
        let lines = self.0.iter().map(|op| if side == 0 { op.old_range() } else { op.new_range() });
        let place = lines.reduce(|first, last| first.start..last.end).unwrap_or_default();
        text.starts[place.start]..text.starts[place.end]
    }

    /// Its header, and its lines as `shown` shows those of a side.
    fn lines(
        &self,
        texts: &[TextLines<'_>; 2],
        shown: &dyn Fn(usize, Range<usize>) -> String,
    ) -> Vec<String> {
        let mut printed = vec![UnifiedHunkHeader::new(&self.0).to_string()];
        for op in &self.0 {
            let sides = match op.tag() {
                DiffTag::Equal => vec![(' ', 0, op.old_range())],
                _ => vec![('-', 0, op.old_range()), ('+', 1, op.new_range())],
            };
            for (sign, side, line) in
                sides.into_iter().flat_map(|(sign, side, lines)| lines.map(move |line| (sign, side, line)))
            {
                let TextLines { text, starts, .. } = &texts[side];
                let (start, end) = (starts[line], starts[line + 1]);
                let has_end = text[..end].ends_with('\n');
                printed.push(format!("{sign}{}", shown(side, start..end - usize::from(has_end))));
                printed.extend((!has_end).then(|| r"\ No newline at end of file".to_owned()));
            }
        }
        printed
    }
}

#[cfg(test)]
#[path = "text_diff_tests.rs"]
mod tests;

//! The unified diff of a text before and after a change.
//!
//! An edit consists of splices, so only the lines around each splice are compared; two arbitrary texts are compared as
//! one window over both. A hunk holds numbers of lines, not text: the layer above knows which bytes are secret, and
//! hands the printed form of each line to [`printed`]. Lines end at `\n` and nowhere else, so the `\r` of a CRLF belongs
//! to its line.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::iter::{from_fn, once, repeat_n};
use std::ops::Range;

use memchr::memchr_iter;
use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, ChangeTag, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::edit::surroundings::Surroundings;
use crate::model::top_members;
use crate::schema::Kind;
use crate::schema::codec::group_name;
use crate::syntax::{Document, Splice, line_end, line_start};

/// Unchanged lines shown around a change, as many as `diff -u` and git show.
const CONTEXT_LINES: usize = 3;

/// The lines of both sides up to which Myers' algorithm sees all of them at once; it takes about n^1.5 at worst. More
/// lines are cut at those that occur once on either side (patience diff).
const MYERS_LINES: usize = 100_000;

/// Whole lines of the old text and of the new one, in bytes.
type Window = [Range<usize>; 2];

/// A stretch of changed lines with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its lines in the old text, in bytes.
    pub old: Range<usize>,
    /// Its lines in the new text, in bytes.
    pub new: Range<usize>,
    /// Its lines, by their numbers in both texts.
    ops: Vec<DiffOp>,
}

/// Returns the hunks between `old` and `new`, which `splices` make of it.
pub fn hunks_of_splices(old: &str, new: &str, splices: &[Splice]) -> Vec<Hunk> {
    NumberedLines::new([old, new]).hunks([0..old.len(), 0..new.len()], windows(old, splices))
}

/// Returns the hunks between two texts.
pub fn hunks_of_texts(old: &str, new: &str) -> Vec<Hunk> {
    let whole = [0..old.len(), 0..new.len()];
    NumberedLines::new([old, new]).hunks(whole.clone(), once(whole))
}

/// Returns the hunks between the streams of these names, each with its own comments above, in the order of the old text;
/// those that are new come last. A hunk shows nothing outside of its stream.
pub fn hunks_of_streams(old: &Document, new: &Document, names: &HashSet<String>) -> Vec<Hunk> {
    let [olds, news] = [old, new].map(|document| lines_of_streams(document, names));
    let mut left: HashMap<&str, Range<usize>> =
        news.iter().map(|(name, lines)| (name.as_str(), lines.clone())).collect();
    let mut pairs: Vec<Window> = Vec::new();
    pairs
        .extend(olds.iter().map(|(name, lines)| [lines.clone(), left.remove(name.as_str()).unwrap_or(0..0)]));
    let made = news.iter().filter(|(name, _)| left.contains_key(name.as_str()));
    pairs.extend(made.map(|(_, lines)| [0..0, lines.clone()]));
    let lines = NumberedLines::new([old.text(), new.text()]);
    pairs.into_iter().flat_map(|pair| lines.hunks(pair.clone(), once(pair))).collect()
}

fn lines_of_streams(document: &Document, names: &HashSet<String>) -> Vec<(String, Range<usize>)> {
    let around = Surroundings::new(document);
    let members = top_members(document);
    let lines = members.own_by_key(Kind::Streams.key()).iter().filter_map(|stream| {
        let name = names.get(&*group_name(*stream).value())?;
        let start = line_start(document.text(), around.own_comments(*stream));
        Some((name.clone(), start..around.next_line(stream.end())))
    });
    lines.collect()
}

/// Two texts with the starts of their lines, and their ends as the last ones.
struct NumberedLines<'t> {
    texts: [&'t str; 2],
    starts: [Vec<usize>; 2],
}

impl<'t> NumberedLines<'t> {
    fn new(texts: [&'t str; 2]) -> Self {
        let starts = texts.map(|text| {
            let newlines = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
            let end = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
            once(0).chain(newlines).chain(end).collect()
        });
        Self { texts, starts }
    }

    /// The number of the line that starts at a place, from 0.
    fn number(&self, side: usize, at: usize) -> usize {
        self.starts[side].partition_point(|start| *start < at)
    }

    /// Compares the windows, in the order of the texts, which stand in `frame`. The lines of that outside of windows are
    /// the same on both sides.
    fn hunks(&self, frame: Window, windows: impl Iterator<Item = Window>) -> Vec<Hunk> {
        let [mut old_line, mut new_line] = [0, 1].map(|side| self.number(side, frame[side].start));
        let mut ops: Vec<DiffOp> = Vec::new();
        let mut pass_equal = |ops: &mut Vec<DiffOp>, [old, new]: [Range<usize>; 2]| {
            let (len, equal) = (old.start - old_line, [old_line, new_line]);
            ops.extend((len > 0).then_some(DiffOp::Equal { old_index: equal[0], new_index: equal[1], len }));
            (old_line, new_line) = (old.end, new.end);
        };
        for [of_old, of_new] in windows {
            let [old_start, new_start] = [self.number(0, of_old.start), self.number(1, of_new.start)];
            for op in compared(&self.texts[0][of_old], &self.texts[1][of_new]) {
                let (tag, old, new) = op.as_tag_tuple();
                if tag != DiffTag::Equal {
                    let (old_index, new_index) = (old.start + old_start, new.start + new_start);
                    let (old_len, new_len) = (old.len(), new.len());
                    pass_equal(&mut ops, [old_index..old_index + old_len, new_index..new_index + new_len]);
                    ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
                }
            }
        }
        let [old_end, new_end] = [0, 1].map(|side| self.number(side, frame[side].end));
        pass_equal(&mut ops, [old_end..old_end, new_end..new_end]);
        let hunk = |ops: Vec<DiffOp>| {
            let (first, last) = (*ops.first()?, *ops.last()?);
            let place = |side: usize, line: usize| self.starts[side][line];
            let old = place(0, first.old_range().start)..place(0, last.old_range().end);
            let new = place(1, first.new_range().start)..place(1, last.new_range().end);
            Some(Hunk { old, new, ops })
        };
        group_diff_ops(ops, CONTEXT_LINES).into_iter().filter_map(hunk).collect()
    }
}

fn compared(old: &str, new: &str) -> Vec<DiffOp> {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let is_long = old.len() + new.len() > MYERS_LINES;
    capture_diff_slices(if is_long { Algorithm::Patience } else { Algorithm::Myers }, &old, &new)
}

/// Widens splices to whole lines on both sides; windows that touch become one.
///
/// A window ends with a line end that no splice touches (or with the text), so what follows it begins a line in the new
/// text too, whatever the replacements end with.
fn windows<'t>(old: &'t str, splices: &'t [Splice]) -> impl Iterator<Item = Window> + use<'t> {
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

impl Hunk {
    /// Its first line, such as `@@ -1,3 +1,4 @@`.
    fn header(&self) -> String {
        UnifiedHunkHeader::new(&self.ops).to_string()
    }

    /// Returns its lines in the order in which they are printed, the removed ones of a run first; a line on both sides has
    /// its place in the old text.
    fn lines<'t>(
        &'t self,
        [old, new]: [&'t str; 2],
    ) -> impl Iterator<Item = (ChangeTag, Range<usize>)> + use<'t> {
        let (mut old_at, mut new_at) = (self.old.start, self.new.start);
        let tags = self.ops.iter().flat_map(|op| match *op {
            DiffOp::Equal { len, .. } => {
                repeat_n(ChangeTag::Equal, len).chain(repeat_n(ChangeTag::Insert, 0))
            }
            _ => repeat_n(ChangeTag::Delete, op.old_range().len())
                .chain(repeat_n(ChangeTag::Insert, op.new_range().len())),
        });
        tags.map(move |tag| match tag {
            ChangeTag::Insert => (tag, next_line(new, &mut new_at)),
            ChangeTag::Delete => (tag, next_line(old, &mut old_at)),
            ChangeTag::Equal => {
                next_line(new, &mut new_at);
                (tag, next_line(old, &mut old_at))
            }
        })
    }

    /// Returns the number of lines that only the new text has, and of those that only the old one has.
    pub fn added_and_removed(&self) -> [usize; 2] {
        let changes = || self.ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        [changes().map(|op| op.new_range().len()).sum(), changes().map(|op| op.old_range().len()).sum()]
    }
}

/// Takes the next line, without its `\n`.
fn next_line(text: &str, at: &mut usize) -> Range<usize> {
    let (start, end) = (*at, line_end(text, *at));
    *at = end;
    start..end - usize::from(text[start..end].ends_with('\n'))
}

/// Returns the lines of a unified diff from the first `@@` on, without their newlines. A line on both sides follows a
/// space, others `-`, `+` and `\\`.
pub fn printed<'a>(
    hunks: &'a [Hunk],
    texts: [&'a str; 2],
    old_line: &'a dyn Fn(Range<usize>) -> String,
    new_line: &'a dyn Fn(Range<usize>) -> String,
) -> impl Iterator<Item = String> + use<'a> {
    hunks.iter().flat_map(move |hunk| {
        let lines = hunk.lines(texts).flat_map(move |(tag, line)| {
            let (text, shown) = match tag {
                ChangeTag::Insert => (texts[1], new_line),
                _ => (texts[0], old_line),
            };
            let is_last = line.end == text.len();
            once(format!("{tag}{}", shown(line)))
                .chain(is_last.then(|| r"\ No newline at end of file".to_owned()))
        });
        once(hunk.header()).chain(lines)
    })
}

/// Returns a new text with the line ends of the old one: those of the lines that are equal, and of the lines in whose place
/// others stand; an added line has that of the line before. A text that has a carriage return stays as it is. So a text
/// keeps its line ends that was typed where there are no carriage returns, as in a browser.
pub fn with_line_ends_of<'n>(old: &str, new: &'n str) -> Cow<'n, str> {
    if !old.contains('\r') || new.contains('\r') {
        return Cow::Borrowed(new);
    }
    let ends = line_ends(old);
    let plain = old.replace("\r\n", "\n").replace('\r', "\n");
    let mut ended = String::new();
    let mut lines = new.split_inclusive('\n');
    for op in compared(&plain, new) {
        let (_, olds, news) = op.as_tag_tuple();
        let last = olds.end.saturating_sub(1);
        for (at, line) in (olds.start..).zip(lines.by_ref().take(news.len())) {
            let content = line.strip_suffix('\n');
            ended.push_str(content.unwrap_or(line));
            let end = ends.get(at.min(last)).or(ends.last()).copied();
            ended.extend(end.filter(|_| content.is_some()));
        }
    }
    Cow::Owned(ended)
}

/// The line ends of a text, in order.
fn line_ends(mut text: &str) -> Vec<&str> {
    let mut ends = Vec::new();
    while let Some(at) = text.find(['\r', '\n']) {
        let (end, rest) = text[at..].split_at(if text[at..].starts_with("\r\n") { 2 } else { 1 });
        ends.push(end);
        text = rest;
    }
    ends
}

#[cfg(test)]
#[path = "text_diff_tests.rs"]
mod tests;

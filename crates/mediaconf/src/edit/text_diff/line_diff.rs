//! The runs of lines that differ between two texts.

use std::ops::Range;

use memchr::memchr_iter;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use xxhash_rust::xxh3::xxh3_64;

use crate::edit::align::longest_increasing_subsequence;
use crate::syntax::line_end;

/// The lines of both sides up to which a differing stretch goes to Myers' algorithm as a whole.
///
/// The implementation in `similar` bounds its search as git does and takes about n^1.5 at worst:
/// measured, 0.3 s for this many lines with nothing in common. A longer stretch is cut at the lines
/// that occur once on either side; a part that is still too long is shown as replaced.
const MYERS_LINES: usize = 100_000;

/// A run of whole lines that differs, in bytes of the two texts; one range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRun {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// Gives the differing runs of two texts to `take`, with an equal line between any two.
pub(super) fn each_differing_run(old: &str, new: &str, take: &mut dyn FnMut(LineRun)) {
    each_anchored_run(old, new, MYERS_LINES, take);
}

/// The same; texts of more than `limit` lines are cut at the lines that occur once on either
/// side, in the longest order they share (patience diff).
pub(super) fn each_anchored_run(old: &str, new: &str, limit: usize, take: &mut dyn FnMut(LineRun)) {
    let mut runs = RunJoiner { last: None, take };
    if count_lines(old) + count_lines(new) <= limit {
        push_runs([old, new], [0..old.len(), 0..new.len()], limit, &mut runs);
        return runs.finish();
    }
    let mut start = (0, 0);
    for anchor in anchors(old, new).into_iter().map(|(old, new)| (old as usize, new as usize)) {
        push_runs([old, new], [start.0..anchor.0, start.1..anchor.1], limit, &mut runs);
        start = (line_end(old, anchor.0), line_end(new, anchor.1));
    }
    push_runs([old, new], [start.0..old.len(), start.1..new.len()], limit, &mut runs);
    runs.finish();
}

/// Joins runs that go on where the last one ends, and keeps no other than that.
struct RunJoiner<'r> {
    last: Option<LineRun>,
    take: &'r mut dyn FnMut(LineRun),
}

impl RunJoiner<'_> {
    fn push(&mut self, run: LineRun) {
        match &mut self.last {
            Some(last) if last.old.end == run.old.start && last.new.end == run.new.start => {
                (last.old.end, last.new.end) = (run.old.end, run.new.end);
            }
            last => last.replace(run).into_iter().for_each(&mut self.take),
        }
    }

    fn finish(self) {
        self.last.into_iter().for_each(self.take);
    }
}

/// Returns the number of lines of a text; what follows the last line feed is one.
pub(super) fn count_lines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!(text.is_empty() || text.ends_with('\n')))
}

/// Adds the differing runs of a part of each text.
fn push_runs(texts: [&str; 2], [of_old, of_new]: [Range<usize>; 2], limit: usize, runs: &mut RunJoiner<'_>) {
    let [old, new] = [&texts[0][of_old.clone()], &texts[1][of_new.clone()]];
    if old == new {
        return;
    }
    if old.is_empty() || new.is_empty() || count_lines(old) + count_lines(new) > limit {
        return runs.push(LineRun { old: of_old, new: of_new });
    }
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let (mut old_at, mut new_at) = (of_old.start, of_new.start);
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (tag, old_lines, new_lines) = op.as_tag_tuple();
        let (old_end, new_end) = (old_at + length(&old[old_lines]), new_at + length(&new[new_lines]));
        if tag != DiffTag::Equal {
            runs.push(LineRun { old: old_at..old_end, new: new_at..new_end });
        }
        (old_at, new_at) = (old_end, new_end);
    }
}

/// The places of the lines that occur once on either side, in the longest order that both share.
fn anchors(old: &str, new: &str) -> Vec<(u32, u32)> {
    let mut unique = lines_unique_to_both(old, new);
    if unique.is_sorted_by_key(|&(_, new)| new) {
        return unique;
    }
    let places: Vec<usize> = unique.iter().map(|&(_, new)| new as usize).collect();
    let mut kept = longest_increasing_subsequence(&places).into_iter().peekable();
    drop(places);
    let mut index = 0;
    unique.retain(|_| {
        let is_kept = kept.next_if_eq(&index).is_some();
        index += 1;
        is_kept
    });
    unique
}

/// The pairs of places of the lines that occur once in `old` and once in `new`, in `old`'s order.
fn lines_unique_to_both(old: &str, new: &str) -> Vec<(u32, u32)> {
    let [olds, news] = [old, new].map(places_of_unique);
    let mut pairs = Vec::with_capacity(olds.len().min(news.len()));
    let mut news = news.into_iter().peekable();
    for (hash, old_place) in olds {
        while news.next_if(|(other, _)| *other < hash).is_some() {}
        let found = news.next_if(|(other, _)| *other == hash);
        pairs.extend(found.map(|(_, new_place)| (old_place, new_place)));
    }
    drop(news);
    pairs.retain(|&(old_place, new_place)| line_at(old, old_place) == line_at(new, new_place));
    pairs.sort_unstable();
    pairs
}

fn line_at(text: &str, at: u32) -> &str {
    &text[at as usize..line_end(text, at as usize)]
}

/// The lines that occur once, each as its hash and its offset, by hash: of a million lines, a table of the lines
/// themselves takes more memory than their text. Two lines with one hash count as one that occurs twice. A text with
/// offsets that have no room is shown as replaced.
fn places_of_unique(text: &str) -> Vec<(u32, u32)> {
    if u32::try_from(text.len()).is_err() {
        return Vec::new();
    }
    let mut at = 0;
    let place = |line: &str| {
        let place = (xxh3_64(line.as_bytes()) as u32, at as u32);
        at += line.len();
        place
    };
    let mut places = Vec::with_capacity(count_lines(text));
    places.extend(text.split_inclusive('\n').map(place));
    places.sort_unstable();
    let (mut kept, mut before) = (0, None);
    for at in 0..places.len() {
        let (hash, _) = places[at];
        if before != Some(hash) && places.get(at + 1).is_none_or(|next| next.0 != hash) {
            places[kept] = places[at];
            kept += 1;
        }
        before = Some(hash);
    }
    places.truncate(kept);
    places.shrink_to_fit();
    places
}

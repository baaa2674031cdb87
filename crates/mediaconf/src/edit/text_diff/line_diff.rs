//! The runs of lines that differ between two stretches.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};
use xxhash_rust::xxh3::xxh3_64;

use crate::edit::lis::longest_increasing_subsequence;

/// The lines of both sides up to which a differing stretch goes to Myers' algorithm as a whole.
///
/// The implementation in `similar` bounds its search as git does and takes about n^1.5 at worst:
/// measured, 0.3 s for this many lines with nothing in common. A longer stretch is cut at the lines
/// that occur once on either side; a part that is still too long is shown as replaced.
const MYERS_LINES: usize = 100_000;

/// A run of lines that differs, in line numbers of the two stretches; one range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRun {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// Returns the differing runs of two stretches of lines, with an equal line between any two.
pub(super) fn differing_runs(old: &[&str], new: &[&str]) -> Vec<LineRun> {
    anchored_runs(old, new, MYERS_LINES)
}

/// The same; stretches of more than `limit` lines are cut at the lines that occur once on either
/// side, in the longest order they share (patience diff).
pub(super) fn anchored_runs(old: &[&str], new: &[&str], limit: usize) -> Vec<LineRun> {
    let mut runs = Vec::new();
    if old.len() + new.len() <= limit {
        push_runs(old, new, (0, 0), limit, &mut runs);
        return runs;
    }
    let unique = lines_unique_to_both(old, new);
    let places: Vec<usize> = unique.iter().map(|&(_, new)| new).collect();
    let anchors = longest_increasing_subsequence(&places).into_iter().map(|index| unique[index]);
    let mut start = (0, 0);
    for anchor in anchors.chain([(old.len(), new.len())]) {
        push_runs(&old[start.0..anchor.0], &new[start.1..anchor.1], start, limit, &mut runs);
        start = (anchor.0 + 1, anchor.1 + 1);
    }
    runs
}

/// Adds the differing runs of two stretches that begin at the lines `start`.
fn push_runs(old: &[&str], new: &[&str], start: (usize, usize), limit: usize, runs: &mut Vec<LineRun>) {
    let mut push = |old: Range<usize>, new: Range<usize>| {
        let run = LineRun {
            old: start.0 + old.start..start.0 + old.end,
            new: start.1 + new.start..start.1 + new.end,
        };
        match runs.last_mut() {
            Some(last) if last.old.end == run.old.start && last.new.end == run.new.start => {
                (last.old.end, last.new.end) = (run.old.end, run.new.end);
            }
            _ => runs.push(run),
        }
    };
    let is_replaced = old.is_empty() || new.is_empty() || old.len() + new.len() > limit;
    match is_replaced {
        true if old.is_empty() && new.is_empty() => {}
        true => push(0..old.len(), 0..new.len()),
        false => {
            for op in capture_diff_slices(Algorithm::Myers, old, new) {
                let (tag, old, new) = op.as_tag_tuple();
                if tag != DiffTag::Equal {
                    push(old, new);
                }
            }
        }
    }
}

/// The pairs of places of the lines that occur once in `old` and once in `new`, in `old`'s order.
fn lines_unique_to_both(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (once_in_old, once_in_new) = (places_of_unique(old), places_of_unique(new));
    let mut news = once_in_new.into_iter().peekable();
    let mut pairs = Vec::new();
    for (hash, old_place) in once_in_old {
        while news.next_if(|(other, _)| *other < hash).is_some() {}
        let found = news.next_if(|(other, _)| *other == hash);
        pairs.extend(found.map(|(_, new_place)| (old_place as usize, new_place as usize)));
    }
    pairs.retain(|&(old_place, new_place)| old[old_place] == new[new_place]);
    pairs.sort_unstable();
    pairs
}

/// The lines that occur once, each as its hash and its place, by hash: of a million lines, a table of the lines
/// themselves takes more memory than their text. Two lines with one hash count as one that occurs twice.
fn places_of_unique(lines: &[&str]) -> Vec<(u64, u32)> {
    let hashes = lines.iter().map(|line| xxh3_64(line.as_bytes()));
    let mut places: Vec<(u64, u32)> = hashes.zip(0..).collect();
    places.sort_unstable();
    places.chunk_by(|one, next| one.0 == next.0).filter(|run| run.len() == 1).map(|run| run[0]).collect()
}

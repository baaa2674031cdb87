//! Which runs of lines differ between two stretches.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::edit::lis::longest_increasing_subsequence;

/// The lines of both sides up to which a differing stretch goes to Myers' algorithm as a whole.
///
/// The implementation in `similar` bounds its search as git does and takes about n^1.5 at worst:
/// measured, 0.3 s for this many lines with nothing to hold on to. A longer stretch is cut at the
/// lines that occur once on either side, and what then still is too long is shown as replaced.
const MYERS_LINES: usize = 100_000;

/// A differing run, in line numbers of the stretch looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedRows {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The differing runs of two stretches of lines.
pub(super) fn differing_runs(old: &[&str], new: &[&str]) -> Vec<ChangedRows> {
    if old.len() + new.len() <= MYERS_LINES {
        let mut runs = Vec::new();
        push_myers_runs(old, new, (0, 0), &mut runs);
        return runs;
    }
    anchored_runs(old, new, MYERS_LINES)
}

/// Myers' algorithm, where there is anything to search: most windows are one line and its successor.
fn push_myers_runs(old: &[&str], new: &[&str], at: (usize, usize), runs: &mut Vec<ChangedRows>) {
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

fn push_replaced(old_len: usize, new_len: usize, at: (usize, usize), runs: &mut Vec<ChangedRows>) {
    if old_len + new_len > 0 {
        runs.push(ChangedRows { old: at.0..at.0 + old_len, new: at.1..at.1 + new_len });
    }
}

/// Cuts two long stretches at the lines that occur once on either side, in the longest order
/// they share (patience diff), and diffs what lies between if it has at most `limit` lines.
pub(super) fn anchored_runs(old: &[&str], new: &[&str], limit: usize) -> Vec<ChangedRows> {
    let mut runs = Vec::new();
    let mut at = (0, 0);
    let end = (old.len(), new.len());
    let unique = lines_unique_to_both(old, new);
    let places: Vec<usize> = unique.iter().map(|&(_, new)| new).collect();
    let anchors = longest_increasing_subsequence(&places).into_iter().map(|index| unique[index]);
    for anchor in anchors.chain([end]) {
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

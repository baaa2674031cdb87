//! Aligns an old list with a new one: which elements stay, which move, which are edited.

use std::collections::VecDeque;
use std::hash::Hash;

use foldhash::HashMap;

use crate::syntax::common_ends;

/// How an old element becomes one of the new list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It stays where it is.
    Kept,
    /// It is edited in its place.
    Edited,
    /// It moves here.
    Moved,
}

/// The result of aligning two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// For each element of the new list the old one with this index; `None` for a new one.
    pub new: Vec<Option<(Step, usize)>>,
    /// The old elements that are nowhere in the new list.
    pub gone: Vec<usize>,
}

/// Aligns two lists: a longest common part stays, equal elements outside of it move, and between
/// two that stay the i-th removed and the i-th new one are one edited element.
pub fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Alignment {
    let [head, tail] = common_ends([old, new]);
    let mut places: HashMap<&T, VecDeque<usize>> = HashMap::default();
    (head..old.len() - tail).for_each(|at| places.entry(&old[at]).or_default().push_back(at));
    let mut place = |at: usize| match at {
        _ if at < head => Some(at),
        _ if at >= new.len() - tail => Some(at + old.len() - new.len()),
        _ => places.get_mut(&new[at])?.pop_front(),
    };
    let pairs: Vec<(usize, usize)> = (0..new.len()).filter_map(|at| Some((at, place(at)?))).collect();
    let mut origins = vec![None; new.len()];
    let mut is_left = vec![true; old.len()];
    for &(at, from) in &pairs {
        origins[at] = Some((Step::Moved, from));
        is_left[from] = false;
    }
    // Of several that are as long, the one that stays first.
    let from_end: Vec<usize> = pairs.iter().rev().map(|pair| old.len() - pair.1).collect();
    let staying = longest_increasing_subsequence(&from_end).into_iter().rev();
    let (mut new_start, mut old_start) = (0, 0);
    let staying = staying.map(|index| pairs[pairs.len() - 1 - index]);
    for (at, from) in staying.chain([(new.len(), old.len())]) {
        let left: Vec<usize> = (old_start..from).filter(|&from| is_left[from]).collect();
        let fresh = (new_start..at).filter(|&at| origins[at].is_none()).collect::<Vec<_>>();
        for (at, from) in fresh.into_iter().zip(left) {
            origins[at] = Some((Step::Edited, from));
            is_left[from] = false;
        }
        if let Some(origin) = origins.get_mut(at) {
            *origin = Some((Step::Kept, from));
        }
        (new_start, old_start) = (at + 1, from + 1);
    }
    Alignment { new: origins, gone: (0..old.len()).filter(|&from| is_left[from]).collect() }
}

/// Returns the indices of a longest increasing subsequence (patience sorting):
/// the elements that can stay in place when an order changes.
pub fn longest_increasing_subsequence(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; values.len()];
    for (index, &value) in values.iter().enumerate() {
        let length = tails.partition_point(|&tail| values[tail] < value);
        previous[index] = length.checked_sub(1).map(|before| tails[before]);
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut run: Vec<_> = std::iter::successors(tails.last().copied(), |&index| previous[index]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::Step::{Edited, Kept, Moved};
    use super::*;

    #[test]
    fn elements_stay_move_and_change() {
        for (old, new, origins, gone) in [
            ("abc", "abc", vec![Some((Kept, 0)), Some((Kept, 1)), Some((Kept, 2))], vec![]),
            ("abc", "axc", vec![Some((Kept, 0)), Some((Edited, 1)), Some((Kept, 2))], vec![]),
            ("abc", "cab", vec![Some((Moved, 2)), Some((Kept, 0)), Some((Kept, 1))], vec![]),
            ("abc", "ac", vec![Some((Kept, 0)), Some((Kept, 2))], vec![1]),
            ("ab", "axyb", vec![Some((Kept, 0)), None, None, Some((Kept, 1))], vec![]),
            ("ab", "xyz", vec![Some((Edited, 0)), Some((Edited, 1)), None], vec![]),
            ("", "a", vec![None], vec![]),
            ("aab", "b", vec![Some((Kept, 2))], vec![0, 1]),
            ("aba", "ba", vec![Some((Kept, 1)), Some((Kept, 2))], vec![0]),
        ] {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            assert_eq!(align(&old, &new), Alignment { new: origins, gone }, "{old:?} {new:?}");
        }
    }
}

//! Aligns an old list with a new one: which elements stay, which move, which are edited.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// The origin of an element of the new list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementOrigin {
    /// The old element with this index stays where it is.
    Kept(usize),
    /// The old element with this index is edited in its place.
    Edited(usize),
    /// The old element with this index moves here.
    Moved(usize),
    /// The element is new.
    New,
}

/// The result of aligning two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// The origin of each element of the new list.
    pub new: Vec<ElementOrigin>,
    /// The old elements that are nowhere in the new list.
    pub gone: Vec<usize>,
}

/// Aligns two lists: a longest common part stays, equal elements outside of it move, and between
/// two that stay the i-th removed and the i-th new one are one edited element.
pub fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Alignment {
    let is_same = |pair: &(&T, &T)| pair.0 == pair.1;
    let head = old.iter().zip(new).take_while(is_same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(is_same).count();
    let mut places: HashMap<&T, VecDeque<usize>> = HashMap::new();
    for (at, element) in old.iter().enumerate().take(old.len() - tail).skip(head) {
        places.entry(element).or_default().push_back(at);
    }
    let mut place = |at: usize| match at {
        _ if at < head => Some(at),
        _ if at >= new.len() - tail => Some(at + old.len() - new.len()),
        _ => places.get_mut(&new[at])?.pop_front(),
    };
    let pairs: Vec<(usize, usize)> = (0..new.len()).filter_map(|at| Some((at, place(at)?))).collect();
    let mut origins = vec![ElementOrigin::New; new.len()];
    let mut is_left = vec![true; old.len()];
    for &(at, from) in &pairs {
        origins[at] = ElementOrigin::Moved(from);
        is_left[from] = false;
    }
    // Of several that are as long, the one that stays first.
    let from_end: Vec<usize> = pairs.iter().rev().map(|pair| old.len() - pair.1).collect();
    let staying = longest_increasing_subsequence(&from_end).into_iter().rev();
    let (mut new_start, mut old_start) = (0, 0);
    let staying = staying.map(|index| pairs[pairs.len() - 1 - index]);
    for (at, from) in staying.chain([(new.len(), old.len())]) {
        let left: Vec<usize> = (old_start..from).filter(|&from| is_left[from]).collect();
        let fresh = (new_start..at).filter(|&at| origins[at] == ElementOrigin::New).collect::<Vec<_>>();
        for (at, from) in fresh.into_iter().zip(left) {
            origins[at] = ElementOrigin::Edited(from);
            is_left[from] = false;
        }
        if let Some(origin) = origins.get_mut(at) {
            *origin = ElementOrigin::Kept(from);
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
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut run: Vec<usize> =
        std::iter::successors(tails.last().copied(), |&index| previous[index]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::ElementOrigin::{Edited, Kept, Moved, New};
    use super::*;

    #[test]
    fn elements_stay_move_and_change() {
        for (old, new, origins, gone) in [
            ("abc", "abc", vec![Kept(0), Kept(1), Kept(2)], vec![]),
            ("abc", "axc", vec![Kept(0), Edited(1), Kept(2)], vec![]),
            ("abc", "cab", vec![Moved(2), Kept(0), Kept(1)], vec![]),
            ("abc", "ac", vec![Kept(0), Kept(2)], vec![1]),
            ("ab", "axyb", vec![Kept(0), New, New, Kept(1)], vec![]),
            ("ab", "xyz", vec![Edited(0), Edited(1), New], vec![]),
            ("", "a", vec![New], vec![]),
            ("aab", "b", vec![Kept(2)], vec![0, 1]),
            ("aba", "ba", vec![Kept(1), Kept(2)], vec![0]),
        ] {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            assert_eq!(align(&old, &new), Alignment { new: origins, gone }, "{old:?} {new:?}");
        }
    }
}

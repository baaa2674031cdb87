//! Aligns an old list with a new one: which elements stay, which move, which are edited.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use similar::{Algorithm, DiffTag, capture_diff_slices};

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

impl ElementOrigin {
    /// The index of the old element that is edited.
    pub fn edited(self) -> Option<usize> {
        if let Self::Edited(old) = self { Some(old) } else { None }
    }

    /// The same with another index of the old element.
    pub fn map(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Kept(old) => Self::Kept(place(old)),
            Self::Edited(old) => Self::Edited(place(old)),
            Self::Moved(old) => Self::Moved(place(old)),
            Self::New => Self::New,
        }
    }

    /// The index of the old element in whose place this one stands.
    pub fn in_place(self) -> Option<usize> {
        match self {
            Self::Kept(old) | Self::Edited(old) => Some(old),
            Self::Moved(_) | Self::New => None,
        }
    }
}

/// The result of aligning two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// The origin of each element of the new list.
    pub new: Vec<ElementOrigin>,
    /// The old elements that leave their place, moved ones included.
    pub gone: Vec<usize>,
}

impl Alignment {
    /// The old elements that are nowhere in the new list.
    pub fn removed(&self) -> Vec<usize> {
        let moved: HashSet<usize> = self
            .new
            .iter()
            .filter_map(|origin| match origin {
                ElementOrigin::Moved(old) => Some(*old),
                ElementOrigin::Kept(_) | ElementOrigin::Edited(_) | ElementOrigin::New => None,
            })
            .collect();
        self.gone.iter().copied().filter(|old| !moved.contains(old)).collect()
    }
}

/// Aligns two lists: the longest common part stays, equal elements outside of it move, and between
/// two that stay the i-th removed and the i-th new one are one edited element.
pub fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Alignment {
    let (old, new) = as_numbers(old, new);
    let mut origins = vec![ElementOrigin::New; new.len()];
    let gaps = keep_common(&old, &new, &mut origins);
    let moved = find_moved(&old, &new, &gaps, &mut origins);
    let mut gone: Vec<usize> =
        moved.iter().enumerate().filter(|&(_, &moved)| moved).map(|(index, _)| index).collect();
    for gap in &gaps {
        let left_new: Vec<usize> =
            gap.new.clone().filter(|&index| origins[index] == ElementOrigin::New).collect();
        let left_old: Vec<usize> = gap.old.clone().filter(|&index| !moved[index]).collect();
        for (&new_at, &old_at) in left_new.iter().zip(&left_old) {
            origins[new_at] = ElementOrigin::Edited(old_at);
        }
        gone.extend(left_old.iter().skip(left_new.len()));
    }
    gone.sort_unstable();
    Alignment { new: origins, gone }
}

/// Replaces elements by numbers, which are equal if the elements are.
fn as_numbers<T: Eq + Hash>(old: &[T], new: &[T]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = HashMap::new();
    let mut number = |element| {
        let next = numbers.len() as u32;
        *numbers.entry(element).or_insert(next)
    };
    (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect())
}

/// A stretch between two elements that stay.
struct Gap {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

fn keep_common(old: &[u32], new: &[u32], origins: &mut [ElementOrigin]) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, old, new) {
        let (tag, old, new) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            old.zip(new).for_each(|(old, new)| origins[new] = ElementOrigin::Kept(old));
        } else {
            extend_gaps(&mut gaps, Gap { old, new });
        }
    }
    gaps
}

/// Adds a gap; a deletion and an insertion side by side are one.
fn extend_gaps(gaps: &mut Vec<Gap>, gap: Gap) {
    match gaps.last_mut() {
        Some(last) if last.old.end == gap.old.start && last.new.end == gap.new.start => {
            last.old.end = gap.old.end;
            last.new.end = gap.new.end;
        }
        _ => gaps.push(gap),
    }
}

fn find_moved(old: &[u32], new: &[u32], gaps: &[Gap], origins: &mut [ElementOrigin]) -> Vec<bool> {
    let mut moved = vec![false; old.len()];
    let mut waiting: HashMap<u32, Vec<usize>> = HashMap::new();
    for index in gaps.iter().flat_map(|gap| gap.old.clone()).rev() {
        waiting.entry(old[index]).or_default().push(index);
    }
    for index in gaps.iter().flat_map(|gap| gap.new.clone()) {
        if let Some(from) = waiting.get_mut(&new[index]).and_then(Vec::pop) {
            origins[index] = ElementOrigin::Moved(from);
            moved[from] = true;
        }
    }
    moved
}

/// Returns the indices of a longest increasing subsequence (patience sorting):
/// the elements that can stay in place when an order changes.
pub fn longest_increasing_subsequence(values: &[usize]) -> Vec<usize> {
    if values.is_sorted_by(|one, next| one < next) {
        return (0..values.len()).collect();
    }
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
            ("abc", "cab", vec![Moved(2), Kept(0), Kept(1)], vec![2]),
            ("abc", "ac", vec![Kept(0), Kept(2)], vec![1]),
            ("ab", "axyb", vec![Kept(0), New, New, Kept(1)], vec![]),
            ("ab", "xyz", vec![Edited(0), Edited(1), New], vec![]),
            ("", "a", vec![New], vec![]),
            ("aab", "b", vec![Kept(2)], vec![0, 1]),
        ] {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            assert_eq!(align(&old, &new), Alignment { new: origins, gone }, "{old:?} {new:?}");
        }
    }
}

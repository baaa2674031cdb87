//! Finds the fewest blocks that need a `position` in a patch, so that a merge puts all blocks in order.
//!
//! A merge first deletes blocks and then appends the new ones in the order of the patch. Then it takes
//! out the blocks whose `position` is not the one that they had, and inserts them from the lowest
//! position up.

use std::collections::HashMap;
use std::hash::Hash;

use crate::edit::align::longest_increasing_subsequence;

/// Returns for each name of `to` the position (from 1) that the patch has to give it, if any; the
/// fewest that make the order of `to`.
///
/// The position that a block had before has no effect in a patch, so such a block stays where it is
/// and the others are inserted around it.
pub fn positions<N: Eq + Hash>(from: Vec<N>, to: &[N]) -> Vec<Option<usize>> {
    let merged = merged(&from, to);
    drop(from);
    let kept = around_the_fixed(&merged);
    drop(merged);
    let mut positions: Vec<Option<usize>> = (1..=to.len()).map(Some).collect();
    for index in longest_increasing_subsequence(&kept) {
        positions[kept[index]] = None;
    }
    positions
}

/// A block in the order after deleting and appending.
#[derive(Clone, Copy)]
struct MergedBlock {
    /// Its place in the order of `to`, from 0.
    wanted: usize,
    /// True if it had the same place before.
    is_fixed: bool,
}

fn merged<N: Eq + Hash>(from: &[N], to: &[N]) -> Vec<MergedBlock> {
    let wanted: HashMap<&N, usize> = to.iter().enumerate().map(|(index, name)| (name, index)).collect();
    let mut is_new = vec![true; to.len()];
    let mut merged = Vec::with_capacity(to.len());
    for (before, name) in from.iter().enumerate() {
        if let Some(&wanted) = wanted.get(name) {
            is_new[wanted] = false;
            merged.push(MergedBlock { wanted, is_fixed: wanted == before });
        }
    }
    let new = (0..to.len()).filter(|&wanted| is_new[wanted]);
    merged.extend(new.map(|wanted| MergedBlock { wanted, is_fixed: false }));
    merged
}

/// The wanted places of the blocks that are on the right side of each fixed block.
fn around_the_fixed(merged: &[MergedBlock]) -> Vec<usize> {
    let mut lowest_behind = vec![usize::MAX; merged.len() + 1];
    for (index, block) in merged.iter().enumerate().rev() {
        let lowest = lowest_behind[index + 1];
        lowest_behind[index] = if block.is_fixed { lowest.min(block.wanted) } else { lowest };
    }
    let mut least = 0;
    let mut kept = Vec::new();
    for (index, block) in merged.iter().enumerate() {
        if (least..lowest_behind[index + 1]).contains(&block.wanted) {
            kept.push(block.wanted);
            least = if block.is_fixed { block.wanted + 1 } else { least };
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{Just, Strategy, proptest};

    use super::positions;

    /// The order after a merge that starts from `from`.
    fn apply(from: &[u8], to: &[u8], positions: &[Option<usize>]) -> Vec<u8> {
        let mut blocks: Vec<u8> = from.iter().copied().filter(|name| to.contains(name)).collect();
        blocks.extend(to.iter().filter(|name| !from.contains(name)));
        let had = |name: u8| from.iter().position(|&before| before == name).map(|at| at + 1);
        let moves: Vec<(usize, u8)> = to
            .iter()
            .zip(positions)
            .filter_map(|(&name, position)| position.map(|wanted| (wanted, name)))
            .filter(|&(wanted, name)| had(name) != Some(wanted))
            .collect();
        let moved: HashSet<u8> = moves.iter().map(|&(_, name)| name).collect();
        blocks.retain(|name| !moved.contains(name));
        for (wanted, name) in moves {
            blocks.insert((wanted - 1).min(blocks.len()), name);
        }
        blocks
    }

    #[test]
    fn only_what_has_to_move_gets_a_position() {
        for (from, to, expected) in [
            ("abc", "abc", vec![]),
            ("abc", "abcd", vec![]),
            ("abc", "c", vec![]),
            ("abcd", "dabc", vec![("d", 1)]),
            ("abcd", "bcda", vec![("a", 4)]),
            ("abc", "axbc", vec![("x", 2)]),
            ("ab", "ba", vec![("a", 2)]),
            ("abc", "cba", vec![("c", 1), ("a", 3)]),
            ("xabcd", "bacd", vec![("b", 1)]),
            // `c` already has position 3 in `from`, so a patch can't move it there: it stays.
            ("xycab", "abc", vec![("a", 1), ("b", 2)]),
        ] {
            let found: Vec<(String, usize)> = positions(from.into(), to.as_bytes())
                .into_iter()
                .zip(to.bytes())
                .filter_map(|(position, name)| Some((char::from(name).to_string(), position?)))
                .collect();
            let expected: Vec<_> = expected.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
            assert_eq!(found, expected, "{from:?} {to:?}");
        }
    }

    fn names() -> impl Strategy<Value = Vec<u8>> {
        (Just((0..9).collect::<Vec<u8>>()).prop_shuffle(), 0..=9usize)
            .prop_map(|(names, len)| names[..len].to_vec())
    }

    proptest! {
        #[test]
        fn a_merge_puts_all_in_order(from in names(), to in names()) {
            let positions = positions(from.clone(), &to);
            assert_eq!(apply(&from, &to, &positions), to);
        }

        #[test]
        fn no_fewer_positions_would_do(from in names(), to in names()) {
            let given = positions(from.clone(), &to).iter().flatten().count();
            let wanted: Vec<usize> = (1..=to.len()).collect();
            for chosen in 0..1u16 << to.len() {
                let some = |&at: &usize| (chosen >> (at - 1) & 1 == 1).then_some(at);
                let tried: Vec<Option<usize>> = wanted.iter().map(some).collect();
                if apply(&from, &to, &tried) == to {
                    assert!(chosen.count_ones() as usize >= given, "{tried:?}");
                }
            }
        }
    }
}

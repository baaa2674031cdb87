//! The order of named blocks after a patch that sets positions.

use std::collections::HashSet;

use crate::edit::lis::longest_increasing_subsequence;

/// A block of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// The existing block at this place, from 0.
    Existing(usize),
    /// The new block with this number.
    New(usize),
}

/// A block with the position that the patch sets, from 1.
#[derive(Debug, Clone, Copy)]
pub struct WantedPosition {
    pub item: Item,
    pub position: i64,
}

/// Returns the order after a patch: blocks with a new position are taken out and put back in ascending
/// position, clamped to the end. No two positions are equal.
pub fn arrange(items: Vec<Item>, mut movers: Vec<WantedPosition>) -> Vec<Item> {
    movers.retain(|mover| {
        mover.item != Item::Existing(usize::try_from(mover.position - 1).unwrap_or(usize::MAX))
    });
    if movers.is_empty() {
        return items;
    }
    let moving: HashSet<Item> = movers.iter().map(|mover| mover.item).collect();
    let mut staying = items.into_iter().filter(|item| !moving.contains(item));
    movers.sort_by_key(|mover| mover.position);
    let mut arranged = Vec::new();
    for mover in movers {
        let at = usize::try_from(mover.position - 1).unwrap_or(0);
        let missing = at.saturating_sub(arranged.len());
        arranged.extend(staying.by_ref().take(missing));
        arranged.push(mover.item);
    }
    arranged.extend(staying);
    arranged
}

/// Returns which blocks keep their place in the text: as many existing ones as possible.
pub fn staying(items: &[Item]) -> Vec<bool> {
    let existing: Vec<(usize, usize)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| match item {
            Item::Existing(place) => Some((at, *place)),
            Item::New(_) => None,
        })
        .collect();
    let mut stays = vec![false; items.len()];
    longest_increasing_subsequence(&existing.iter().map(|&(_, place)| place).collect::<Vec<_>>())
        .into_iter()
        .for_each(|index| stays[existing[index].0] = true);
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movers_are_put_back_in_ascending_position() {
        let arranged = |count: usize, movers: &[(usize, i64)]| -> Vec<usize> {
            let wanted = movers
                .iter()
                .map(|&(place, position)| WantedPosition { item: Item::Existing(place), position });
            let items = arrange((0..count).map(Item::Existing).collect(), wanted.collect());
            items
                .into_iter()
                .map(|item| if let Item::Existing(place) = item { place } else { unreachable!() })
                .collect()
        };
        assert_eq!(arranged(3, &[(0, 2), (1, 1)]), [1, 0, 2]);
        assert_eq!(arranged(3, &[(0, 99)]), [1, 2, 0]);
        assert_eq!(arranged(3, &[(2, 1)]), [2, 0, 1]);
        assert_eq!(arranged(3, &[(1, 2)]), [0, 1, 2]);
    }

    #[test]
    fn as_few_as_possible_move() {
        let stays = |places: &[usize]| {
            staying(&places.iter().map(|&place| Item::Existing(place)).collect::<Vec<_>>())
        };
        assert_eq!(stays(&[1, 0, 2]), [false, true, true]);
        assert_eq!(stays(&[3, 0, 1, 2]), [false, true, true, true]);
    }
}

use std::collections::HashSet;

use proptest::prelude::{Just, Strategy, proptest};

use super::positions;

fn names_of(names: &[u8]) -> Vec<String> {
    names.iter().map(|name| char::from(*name).to_string()).collect()
}

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

fn names() -> impl Strategy<Value = Vec<u8>> {
    (Just((0..9).collect::<Vec<u8>>()).prop_shuffle(), 0..=9usize)
        .prop_map(|(names, len)| names[..len].to_vec())
}

proptest! {
    #[test]
    fn a_merge_puts_all_in_order(from in names(), to in names()) {
        let positions = positions(&names_of(&from), &names_of(&to));
        assert_eq!(apply(&from, &to, &positions), to);
    }

    #[test]
    fn no_fewer_positions_would_do(from in names(), to in names()) {
        let given = positions(&names_of(&from), &names_of(&to)).iter().flatten().count();
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

//! Output for users: texts, diffs, tables, diagnostics and reports. What is said of several places is said once.

pub mod diagnostics;
pub mod group_table;
pub mod report;
pub mod status;
pub mod table;
pub mod texts;

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;

use crate::engine::NewWarning;
use mediaconf::Masker;

/// The most different warnings of a change that are shown.
const MAX_WARNINGS: usize = 20;

/// The number of places that are named of equal faults.
const MAX_PLACES: usize = 4;

/// Puts those with an equal key together, in the order of the first of each; one without a key stands alone.
pub fn grouped<T, K: Eq + Hash>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> Option<K>,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut known = HashMap::new();
    for item in items {
        let at = key(&item).map_or(groups.len(), |key| *known.entry(key).or_insert(groups.len()));
        match groups.get_mut(at) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// Returns the line below the first of equal faults: the number and the places of the others. `None` if
/// it is the only one.
pub fn more_like_it(places: &[impl Display]) -> Option<String> {
    let more = places.get(1..).filter(|more| !more.is_empty())?;
    let named: Vec<String> = more.iter().take(MAX_PLACES).map(ToString::to_string).collect();
    let rest = if more.len() > MAX_PLACES { ", …" } else { "" };
    Some(format!("and {} more like it: {}{rest}", more.len(), named.join(", ")))
}

/// Returns the lines about the warnings that a change brings: equal ones once, and not all of very many.
pub fn new_warnings(warnings: &[NewWarning], masker: Masker) -> Vec<String> {
    let groups = grouped(warnings, |warning| Some(&warning.message));
    let line = |same: &Vec<&NewWarning>| {
        let others = same[1..].iter().filter(|warning| !warning.at.is_empty()).count();
        let line = match others {
            0 => same[0].to_string(),
            others => format!("`{}` and {others} more: {}", same[0].at, same[0].message),
        };
        masker.prose(&line).into_owned()
    };
    let more = groups.len().saturating_sub(MAX_WARNINGS);
    let more = (more > 0).then(|| format!("and {more} more new warnings; `mediactl check` shows them"));
    groups.iter().take(MAX_WARNINGS).map(line).chain(more).collect()
}

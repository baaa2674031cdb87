//! Refuses `--unset` of a value that is not set: it may be a slip in a name.

use super::assignment::PathEdit;
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::fault::Fault;
use crate::edit::path::Path;
use crate::edit::schema_path::{Place, is_shown_for_nothing, own_value};
use crate::edit::suggestion::keys;
use crate::edit::value_at::{missing, value_at};

/// Drops the removals of values that are not set; it is a fault if none is left.
///
/// `removals` are those of one `--unset`: if a pattern stands for many places, not all of them have to
/// have the value. A single entry of a list is looked up later, when it is removed, because an earlier edit
/// may have made or moved it.
pub fn without_unset_values(
    current: &dyn ConfigLookup,
    path: &Path,
    removals: Vec<PathEdit>,
    faults: &mut Vec<Fault>,
) -> Vec<PathEdit> {
    let mut first_missing = None;
    let mut kept = Vec::new();
    for removal in removals {
        let is_one_of_many = path.first_pattern().is_some();
        match absence(current, &removal.path, is_one_of_many) {
            None => kept.push(removal),
            Some(fault) => first_missing = first_missing.or(Some(fault.at(&removal.path))),
        }
    }
    if kept.is_empty() {
        let nothing = || Fault::absent("`*` matches nothing here").at(path);
        faults.push(first_missing.unwrap_or_else(nothing));
    }
    kept
}

/// The fault of a path that has no value; `None` if it has one, or is looked up later.
fn absence(current: &dyn ConfigLookup, path: &Path, is_one_of_many: bool) -> Option<Fault> {
    let Some(keys) = keys(&path.segments) else {
        let looked_up = || value_at(current, path).err().filter(|fault| fault.is_absent());
        return is_one_of_many.then(looked_up)?;
    };
    let place = Place::resolve(&path.segments).ok()?;
    (!is_set(current, place, &keys)).then(|| missing(current, path, &keys))
}

fn is_set(current: &dyn ConfigLookup, place: Place, keys: &[&str]) -> bool {
    let own = || current.value(keys).and_then(|value| own_value(place, &value));
    match place {
        Place::Group(_) => !current.names(keys).is_empty(),
        Place::Own(parameter) if parameter.takes_elements() || parameter.codec.facts().address.is_some() => {
            own().is_some_and(|value| !is_shown_for_nothing(place, &value))
        }
        _ => current.contains(keys),
    }
}

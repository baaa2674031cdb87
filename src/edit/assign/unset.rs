//! Refuses `--unset` of a value that is not set: it may be a slip in a name.

use serde_json::Value;

use super::assignment::PathEdit;
use crate::edit::config_lookup::Current;
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::Path;
use crate::edit::schema_path::{Place, own_value};
use crate::edit::select::missing;
use crate::edit::suggestion::keys;
use crate::model::schema::Shape;

/// Drops the removals of values that are not set; it is a fault if none is left.
///
/// `removals` are those of one `--unset`: if a `*` stands for many names, not all of them have to have
/// the value. Entries of lists are looked up later, when they are removed, because an earlier edit may
/// have made or moved them.
pub fn without_unset_values(
    current: &dyn Current,
    path: &Path,
    removals: Vec<PathEdit>,
    faults: &mut Vec<PathFault>,
) -> Vec<PathEdit> {
    let mut first_missing = None;
    let mut kept = Vec::new();
    for removal in removals {
        match absence(current, &removal.path) {
            None => kept.push(removal),
            Some(misfit) => first_missing = first_missing.or(Some(PathFault::new(&removal.path, misfit))),
        }
    }
    if kept.is_empty() {
        let nothing = || PathFault::new(path, Misfit::absent("`*` matches nothing here"));
        faults.push(first_missing.unwrap_or_else(nothing));
    }
    kept
}

/// The misfit of a path of names that has no value; `None` if it has one.
fn absence(current: &dyn Current, path: &Path) -> Option<Misfit> {
    let keys = keys(&path.segments)?;
    let place = Place::of(&path.segments).ok()?;
    (!is_set(current, place, &keys)).then(|| missing(current, path, &keys))
}

fn is_set(current: &dyn Current, place: Place, keys: &[&str]) -> bool {
    let own = || current.value(keys).and_then(|value| own_value(place, &value));
    match place {
        Place::Group(_) => !current.names(keys).is_empty(),
        Place::Own(parameter)
            if matches!(parameter.shape, Shape::Ports | Shape::Sources | Shape::Backend) =>
        {
            own().is_some_and(|value| value != Value::Array(Vec::new()))
        }
        _ => current.contains(keys),
    }
}

//! Expands assignments to edits: a place for each name at a `*`, and a typed value for each place.

use serde_json::Value;

use super::assignment::{AssignOptions, AssignedValue, Assignment, PathEdit};
use super::{several_words, unset, value};
use crate::edit::config_lookup::Current;
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::shown_path::shown;
use crate::edit::suggestion::keys;
use crate::model::schema::Shape;
use crate::model::shape::Port;
use crate::syntax::MAX_DEPTH;

/// Returns the edits of `assignments`, in their order; an assignment with a fault has none.
pub fn expand(
    current: &dyn Current,
    assignments: &[Assignment],
    options: AssignOptions,
    faults: &mut Vec<PathFault>,
) -> Vec<PathEdit> {
    let mut edits = Vec::new();
    for assignment in assignments {
        let paths = match expanded(current, &assignment.path) {
            Ok(paths) => paths,
            Err(misfit) => {
                faults.push(PathFault::new(&assignment.path, misfit));
                continue;
            }
        };
        let known = faults.len();
        let here = paths.into_iter().filter_map(|path| edit(current, path, assignment, options, faults));
        let here: Vec<PathEdit> = here.collect();
        edits.extend(match assignment.value {
            AssignedValue::Remove if faults.len() == known => {
                unset::without_unset_values(current, &assignment.path, here, faults)
            }
            _ => here,
        });
    }
    edits
}

fn edit(
    current: &dyn Current,
    path: Path,
    assignment: &Assignment,
    options: AssignOptions,
    faults: &mut Vec<PathFault>,
) -> Option<PathEdit> {
    let value = Place::to_set(&path.segments).and_then(|place| {
        let value = value_at(place, assignment)?;
        if !options.one_word {
            several_words::refuse_one_for_several(current, place, &path, &assignment.value)?;
        }
        Ok(value)
    });
    match value {
        Ok(value) => Some(PathEdit { path, value, is_unset: assignment.value == AssignedValue::Remove }),
        Err(misfit) => {
            // The fault may be the same for each name at a `*`.
            let fault = PathFault::new(&assignment.path, misfit);
            if faults.last() != Some(&fault) {
                faults.push(fault);
            }
            None
        }
    }
}

fn value_at(place: Place, assignment: &Assignment) -> Result<Value, Misfit> {
    let path = &assignment.path;
    if assignment.value == AssignedValue::Remove && path.segments.last() == Some(&Segment::Append) {
        return Err(Misfit::new("there is nothing at `[+]` to remove"));
    }
    let with_hint =
        |misfit: Misfit| Misfit { hint: append_hint(place, assignment).or(misfit.hint), ..misfit };
    let value = value::of(place, &assignment.value).map_err(with_hint)?;
    match path.segments.len() + depth(&value) > MAX_DEPTH {
        true => Err(Misfit::new(format!("this nests deeper than {MAX_DEPTH}"))),
        false => Ok(value),
    }
}

/// How deep a value nests; the depth of the JSON that it was read from was limited.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Suggests `http[+]=80` to whoever sets `http=80`.
fn append_hint(place: Place, assignment: &Assignment) -> Option<String> {
    let Place::Own(parameter) = place else { return None };
    let element = match (parameter.shape, &assignment.value) {
        (Shape::Ports, AssignedValue::Typed(text)) if Port::of(text).is_some() => text,
        (Shape::Ports | Shape::Sources, _) => "…",
        _ => return None,
    };
    let path = shown(&assignment.path);
    Some(format!("`{path}[+]={element}` appends; a JSON array sets the whole list"))
}

/// Returns the paths that `path` stands for, one for each name at each `*`.
fn expanded(current: &dyn Current, path: &Path) -> Result<Vec<Path>, Misfit> {
    let Some(at) = path.segments.iter().position(|segment| *segment == Segment::Every) else {
        return Ok(vec![path.clone()]);
    };
    let Some(above) = keys(&path.segments[..at]) else {
        return Err(Misfit::new("`*` can't follow an element of a list").hint("name the member"));
    };
    let place = Place::of(&path.segments[..at])?;
    let names: Vec<String> = current.names(&above).into_iter().filter(|name| !place.derives(name)).collect();
    // A group without names is fine; another place without names may be a slip.
    if names.is_empty() && !matches!(place, Place::Group(_)) {
        return Err(Misfit::absent("`*` matches nothing here"));
    }
    let mut paths = Vec::new();
    for name in names {
        paths.extend(expanded(current, &path.with_name(at..at + 1, name))?);
    }
    Ok(paths)
}

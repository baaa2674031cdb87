//! Expands assignments to edits: the places that a path stands for, and a typed value for each place.

use serde_json::Value;

use super::assignment::{AssignOptions, AssignedValue, Assignment, PathEdit};
use super::{hint, null, replace, several_words, unset, whole};
use crate::edit::condition::Condition;
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::fault::Fault;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::select::Expansion;
use crate::syntax::MAX_DEPTH;

/// Returns the edits of `assignments`, in their order; an assignment with a fault has none.
pub fn expand(
    current: &dyn ConfigLookup,
    assignments: &[Assignment],
    conditions: &[Condition],
    options: AssignOptions,
    faults: &mut Vec<Fault>,
) -> Vec<PathEdit> {
    let expansion = Expansion { own_only: true, ..Expansion::new(current, conditions) };
    let mut edits = Vec::new();
    for assignment in assignments {
        let known = faults.len();
        let found = match &assignment.value {
            AssignedValue::Replace(substitution) => {
                replace::assignments(&expansion, &assignment.path, substitution)
            }
            _ => places(&expansion, assignment)
                .map(|paths| paths.into_iter().map(|path| (path, assignment.value.clone())).collect()),
        };
        let found = found.unwrap_or_else(|fault| {
            faults.push(fault.at(&assignment.path));
            Vec::new()
        });
        let here = found.into_iter().filter_map(|(path, value)| {
            let assignment = Assignment { path: assignment.path.clone(), value };
            edit(current, path, &assignment, options, faults)
        });
        let here: Vec<PathEdit> = here.collect();
        edits.extend(match assignment.value.removes() && faults.len() == known {
            true if assignment.is_unset() => {
                unset::without_unset_values(current, &assignment.path, here, faults)
            }
            true if !options.near_misses => null::without_misspelt(current, &assignment.path, here, faults),
            _ => here,
        });
    }
    edits
}

/// The places that a path stands for. The last entries of a list come first: when one is removed, those
/// before it stay where they are.
fn places(expansion: &Expansion<'_>, assignment: &Assignment) -> Result<Vec<Path>, Fault> {
    let mut expanded = expansion.expand_path(&assignment.path)?;
    if expanded.path.segments.contains(&Segment::EveryEntry) {
        expanded.paths.reverse();
    }
    match expanded.absence {
        Some(absence) if expanded.paths.is_empty() => match null::may_be_absent(expansion, assignment) {
            true => Ok(Vec::new()),
            false => Err(absence),
        },
        _ => Ok(expanded.paths),
    }
}

fn edit(
    current: &dyn ConfigLookup,
    path: Path,
    assignment: &Assignment,
    options: AssignOptions,
    faults: &mut Vec<Fault>,
) -> Option<PathEdit> {
    let value = Place::to_set(&path.segments).and_then(|place| {
        let value = value_at(place, assignment)?;
        if !options.one_word {
            several_words::refuse_one_for_several(current, place, &path, &assignment.value)?;
        }
        whole::whole(current, place, &path, &assignment.value, value)
    });
    match value {
        Ok(value) => Some(PathEdit { path, value, is_unset: assignment.is_unset() }),
        Err(fault) => {
            let fault = Fault { hint: entry_hint(&path, assignment).or(fault.hint), ..fault };
            // The fault may be the same for each place that the path stands for.
            let fault = fault.at(&assignment.path);
            if faults.last() != Some(&fault) {
                faults.push(fault);
            }
            None
        }
    }
}

fn value_at(place: Place, assignment: &Assignment) -> Result<Value, Fault> {
    let path = &assignment.path;
    if assignment.value.removes() && path.segments.last() == Some(&Segment::Append) {
        return Err(Fault::of_path("there is nothing at `[+]` to remove"));
    }
    let with_hint =
        |fault: Fault| Fault { hint: fault.hint.or_else(|| hint::example(place, assignment)), ..fault };
    let value = assignment.value.at(place).map_err(with_hint)?;
    match path.segments.len() + depth(&value) > MAX_DEPTH {
        true => Err(Fault::of_path(format!("this nests deeper than {MAX_DEPTH}"))),
        false => Ok(value),
    }
}

/// Returns the depth of a value; the depth of the JSON that it was read from was limited.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Suggests `urls[0].url` to whoever sets `urls.url`: only what is read goes through lists.
fn entry_hint(place: &Path, Assignment { path, value }: &Assignment) -> Option<String> {
    Place::to_set(&with_entries(place, &Segment::Index(0))?.segments).ok()?;
    let is_of_many = path.first_pattern().is_some();
    let entry = if is_of_many { Segment::EveryEntry } else { Segment::Index(0) };
    let [path, entry] = [path.shown(), with_entries(path, &entry)?.shown()];
    let elements = if is_of_many { "all elements" } else { "the first element" };
    Some(match value {
        AssignedValue::Remove => format!("`--unset '{entry}'` removes it from {elements}"),
        _ => {
            format!(
                "`--set '{entry}=…'` sets it in {elements}, `--replace '{path}' s/OLD/NEW/` replaces in all of them"
            )
        }
    })
}

/// The path with `entry` where it goes through a list that the schema knows; `None` if it goes through
/// none.
fn with_entries(path: &Path, entry: &Segment) -> Option<Path> {
    let mut above = Place::Root;
    let mut segments = Vec::new();
    for (index, segment) in path.segments.iter().enumerate() {
        let is_name = matches!(segment, Segment::Key(_) | Segment::Matching(_));
        if is_name && !above.is_foreign() && above.list_entry().is_some() {
            segments.push(entry.clone());
        }
        above = above.through_lists(&path.segments[index..=index]).ok()?;
        segments.push(segment.clone());
    }
    (segments.len() > path.segments.len()).then_some(Path { segments })
}

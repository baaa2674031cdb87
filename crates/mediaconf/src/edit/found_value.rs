//! The value that holds at a place of a configuration, and its origin.

use serde::Serialize;
use serde_json::Value;

use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment};
use super::schema_path::{Place, is_derived, own_value};
use super::select::{Selection, select};
use crate::schema::fault::Fault;
use crate::schema::{DirectiveRole, Kind, Parameter, Schema};

/// The directive that names the template of a stream, and the blocks that are templates.
const TEMPLATE: &str = "template";

/// A value that holds at a place.
#[derive(Debug, Serialize)]
pub struct FoundValue {
    /// The value.
    pub value: Value,
    /// The origin of the value.
    pub source: ValueSource,
    /// The path under which it is set; `None` for a default.
    #[serde(skip)]
    pub set_at: Option<Path>,
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueSource {
    /// It is set there.
    Own,
    /// The value of the template that the stream names holds.
    Template,
    /// The value of the top level holds.
    Global,
    /// Read from the text around it, such as a position.
    Derived,
    /// It is not set, and the default is known.
    Default,
}

/// The value that holds at a place: its own, else the inherited one.
pub(super) fn found(
    current: &dyn ConfigLookup,
    path: &Path,
    row: Option<&'static Parameter>,
    place: Place,
) -> Result<Option<FoundValue>, Fault> {
    let is_derived = row.is_some_and(|row| is_derived(row.scope, row.key));
    if let Some(value) = value_at(current, path)? {
        let source = if is_derived { ValueSource::Derived } else { ValueSource::Own };
        if let Some(value) = own_value(place, &value) {
            return Ok(Some(FoundValue { value, source, set_at: Some(path.clone()) }));
        }
    }
    inherited_value(current, path)
}

/// The value that a place in a stream, live or plugin has without one of its own: that of the template that the stream
/// names, else that of the top level, else the default.
///
/// # Errors
/// The path can't be followed.
pub fn inherited_value(current: &dyn ConfigLookup, path: &Path) -> Result<Option<FoundValue>, Fault> {
    let Some((kind, [Segment::Key(key), ..])) = in_block(current, path) else { return Ok(None) };
    let below = &path.segments[2..];
    if let Some(found) = of_template(current, kind, path) {
        return Ok(Some(found));
    }
    let Some(row) = kind.scope().by_key(key) else { return Ok(None) };
    let above = Path { segments: below.to_vec() };
    let is_inherited = row.role.is_some_and(DirectiveRole::is_inherited);
    if is_inherited && let Some(value) = value_at(current, &above)? {
        return Ok(Some(FoundValue { value, source: ValueSource::Global, set_at: Some(above) }));
    }
    let default = serde_json::from_str(row.default).ok().filter(|_| below.len() == 1);
    Ok(default.map(|value| FoundValue { value, source: ValueSource::Default, set_at: None }))
}

/// What a stream, live or plugin has from its template and from the top level; nothing for another path.
pub fn inherited_values(current: &dyn ConfigLookup, block: &Path) -> Vec<FoundValue> {
    let Some((kind, [])) = in_block(current, block) else { return Vec::new() };
    let template = template_of(current, kind, block).map(|name| current.names(&[TEMPLATE, &name]));
    let others = template.into_iter().flatten().filter(|key| kind.scope().by_key(key).is_none());
    let keys = kind.scope().rows().map(|row| row.key.to_owned()).chain(others);
    let value = |key: String| {
        let row = kind.scope().by_key(&key);
        let path = Path { segments: [&block.segments[..], &[Segment::Key(key)]].concat() };
        let place = Place::resolve(&path.segments).ok()?;
        let found = found(current, &path, row, place).ok()??;
        matches!(found.source, ValueSource::Template | ValueSource::Global).then_some(found)
    };
    keys.filter_map(value).collect()
}

/// The kind of the stream, live or plugin that a path leads into, and the path in it; `None` if there is none.
fn in_block<'p>(current: &dyn ConfigLookup, path: &'p Path) -> Option<(Kind, &'p [Segment])> {
    let [Segment::Key(group), Segment::Key(name), below @ ..] = &path.segments[..] else { return None };
    let kind = Schema::media().kind(group)?;
    current.contains(&[group, name]).then_some((kind, below))
}

/// The name of the template that a stream names.
fn template_of(current: &dyn ConfigLookup, kind: Kind, path: &Path) -> Option<String> {
    Schema::media().foreign(TEMPLATE).filter(|row| row.stands_in(kind.noun()))?;
    let block: Vec<&str> = path.segments.iter().take(2).filter_map(Segment::name).collect();
    let name = current.value(&[&block[..], &[TEMPLATE]].concat())?;
    Some(name.as_str()?.to_owned())
}

fn of_template(current: &dyn ConfigLookup, kind: Kind, path: &Path) -> Option<FoundValue> {
    let names = [TEMPLATE.to_owned(), template_of(current, kind, path)?].map(Segment::Key);
    let set_at = Path { segments: names.iter().chain(&path.segments[2..]).cloned().collect() };
    // A template that is there twice has no certain value.
    let value = value_at(current, &set_at).ok()??;
    Some(FoundValue { value, source: ValueSource::Template, set_at: Some(set_at) })
}

/// The value at a path; `None` if there is none.
fn value_at(current: &dyn ConfigLookup, path: &Path) -> Result<Option<Value>, Fault> {
    match select(current, path) {
        Ok(Selection::One(found)) => Ok(Some(found.into_value())),
        Ok(Selection::Many(_)) => Ok(None),
        Err(fault) if fault.is_absent() => Ok(None),
        Err(fault) => Err(fault),
    }
}

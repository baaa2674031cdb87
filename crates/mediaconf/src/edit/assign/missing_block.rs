//! Refuses edits of streams, lives and plugins that do not exist: a slip in a name must not make a
//! new one.

use std::collections::HashSet;

use serde_json::Value;

use super::assignment::{PathEdit, without_misfits};
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::fault::Fault;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::suggestion::missing;
use crate::edit::suggestion::{did_you_mean, in_a_group, with_quoted_name};
use crate::schema::{DirectiveRole, Kind, Schema};

/// Drops the edits in streams, lives and plugins that do not exist, unless they clearly mean to make
/// one; each dropped edit is a fault.
pub fn without_missing_blocks(
    current: &dyn ConfigLookup,
    edits: Vec<PathEdit>,
    faults: &mut Vec<Fault>,
) -> Vec<PathEdit> {
    let made = streams_given_urls(&edits);
    let faults_of_edits = edits.iter().map(|edit| {
        if let Some(fault) = new_keyword_like_an_entry(current, &edit.path) {
            return Some(fault);
        }
        let (kind, name) = missing_block(current, edit, &made)?;
        Some(match edit.removes() {
            true => missing(current, &edit.path, &[kind.key(), name]),
            false => fault(current, &edit.path, kind, name),
        })
    });
    let faults_of_edits = faults_of_edits.collect();
    without_misfits(edits, faults_of_edits, faults)
}

/// The fault of a path that would make a directive at the top, where the group of an entry was forgotten.
fn new_keyword_like_an_entry(current: &dyn ConfigLookup, path: &Path) -> Option<Fault> {
    let [Segment::Key(key), ..] = path.segments.as_slice() else { return None };
    let is_new = Schema::media().top().by_key(key).is_none() && !current.contains(&[key]);
    let whole = is_new.then(|| in_a_group(current, path))??;
    let fault = Fault::of_path(format!("there is no `{key}`"));
    Some(fault.hint(format!("did you mean `{}`? `--create` makes a directive `{key}`", whole.shown())))
}

/// The names of the streams whose `urls` are set: setting the sources of a stream clearly means to
/// create it.
fn streams_given_urls(edits: &[PathEdit]) -> HashSet<String> {
    let given = edits.iter().filter(|edit| !edit.removes());
    let name = |edit: &PathEdit| match edit.path.segments.as_slice() {
        [Segment::Key(group), Segment::Key(name), Segment::Key(key), ..] => {
            let kind = Schema::media().kind(group).filter(|kind| kind.has_sources())?;
            (key == DirectiveRole::Sources.key(kind.scope())).then(|| name.clone())
        }
        _ => None,
    };
    given.filter_map(name).collect()
}

/// The block that does not exist, and that an edit would make.
fn missing_block<'e>(
    current: &dyn ConfigLookup,
    edit: &'e PathEdit,
    made: &HashSet<String>,
) -> Option<(Kind, &'e str)> {
    let [Segment::Key(group), rest @ ..] = edit.path.segments.as_slice() else { return None };
    let Ok(Place::Group(kind)) = Place::Root.member(group) else { return None };
    let is_new = |name: &str| !current.contains(&[kind.key(), name]);
    let name = match rest {
        [Segment::Key(name), _, ..] => (!made.contains(name) || !kind.has_sources()).then_some(name),
        [Segment::Key(name)] => lacks_urls(kind, &edit.value).then_some(name),
        _ => {
            let mut blocks = edit.value.as_object().into_iter().flatten();
            blocks.find(|(name, block)| lacks_urls(kind, block) && is_new(name)).map(|(name, _)| name)
        }
    };
    name.filter(|name| is_new(name)).map(|name| (kind, name.as_str()))
}

/// True if this is a stream without `urls`; lives and plugins need none.
fn lacks_urls(kind: Kind, block: &Value) -> bool {
    kind.has_sources()
        && block.is_object()
        && block.get(DirectiveRole::Sources.key(kind.scope())).is_none_or(Value::is_null)
}

fn fault(current: &dyn ConfigLookup, path: &Path, kind: Kind, name: &str) -> Fault {
    let fault = Fault::of_path(format!("there is no {} `{name}`", kind.noun()));
    if let Some(quoted) = with_quoted_name(current, path, 1) {
        return fault.hint(format!("a name with a dot is quoted: `{}`", quoted.shown()));
    }
    let make = match kind.has_sources() {
        true => "to make it, set its `urls` too or give `--create`",
        false => "to make it, give `--create`",
    };
    fault.hint(match did_you_mean(name, &current.names(&[kind.key()])) {
        Some(meant) => format!("{meant} {make}"),
        None => make.to_owned(),
    })
}

//! No phantoms: a slip in a name must not make a new stream.

use std::collections::HashSet;

use serde_json::Value;

use super::assignment::PathEdit;
use crate::edit::config_lookup::Current;
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::shown_path::shown;
use crate::edit::suggestion::{did_you_mean, with_quoted_name};
use crate::model::schema::Kind;

/// The edits without those of streams, lives and plugins that are not there and that this call
/// does not plainly mean to make.
pub fn without_missing_blocks(
    current: &dyn Current,
    edits: Vec<PathEdit>,
    faults: &mut Vec<PathFault>,
) -> Vec<PathEdit> {
    let made = streams_given_urls(&edits);
    let refusal = |edit: &PathEdit| {
        let phantom = phantom_of(current, edit, &made)?;
        let misfit = if edit.removes() {
            missing(current, &edit.path, phantom)
        } else {
            misfit(current, &edit.path, phantom)
        };
        Some(PathFault::new(&edit.path, misfit))
    };
    let refusals: Vec<Option<PathFault>> = edits.iter().map(refusal).collect();
    let kept = edits.into_iter().zip(&refusals).filter(|(_, refusal)| refusal.is_none());
    let kept = kept.map(|(edit, _)| edit).collect();
    faults.extend(refusals.into_iter().flatten());
    kept
}

/// Who says where a new stream comes from means a new stream.
fn streams_given_urls(edits: &[PathEdit]) -> HashSet<String> {
    let given = edits.iter().filter(|edit| !edit.removes());
    let name = |edit: &PathEdit| match edit.path.segments.as_slice() {
        [Segment::Key(group), Segment::Key(name), Segment::Key(key), ..] => {
            (group == Kind::Stream.key() && key == "urls").then(|| name.clone())
        }
        _ => None,
    };
    given.filter_map(name).collect()
}

/// A block that would appear out of nothing.
struct Phantom<'e> {
    kind: Kind,
    name: &'e str,
}

fn phantom_of<'e>(current: &dyn Current, edit: &'e PathEdit, made: &HashSet<String>) -> Option<Phantom<'e>> {
    let [Segment::Key(group), rest @ ..] = edit.path.segments.as_slice() else { return None };
    let Ok(Place::Group(kind)) = Place::Root.member(group) else { return None };
    let is_new = |name: &str| !current.contains(&[kind.key(), name]);
    let name = match rest {
        [Segment::Key(name), _, ..] => (!made.contains(name) || kind != Kind::Stream).then_some(name),
        [Segment::Key(name)] => lacks_urls(kind, &edit.value).then_some(name),
        _ => {
            let blocks = edit.value.as_object().into_iter().flatten();
            let mut phantoms = blocks.filter(|(name, block)| lacks_urls(kind, block) && is_new(name));
            phantoms.next().map(|(name, _)| name)
        }
    };
    name.filter(|name| is_new(name)).map(|name| Phantom { kind, name })
}

/// Whether the object of a whole stream says not where it comes from; lives and plugins need not.
fn lacks_urls(kind: Kind, block: &Value) -> bool {
    kind == Kind::Stream && block.is_object() && block.get("urls").is_none_or(Value::is_null)
}

/// What is to be removed in a block that is not there.
fn missing(current: &dyn Current, path: &Path, Phantom { kind, name }: Phantom<'_>) -> Misfit {
    crate::edit::select::missing(current, path, &[kind.key(), name])
}

fn misfit(current: &dyn Current, path: &Path, phantom: Phantom<'_>) -> Misfit {
    let Phantom { kind, name } = phantom;
    let misfit = Misfit::new(format!("there is no {} `{name}`", kind.noun()));
    if let Some(quoted) = with_quoted_name(current, path, 1) {
        return misfit.hint(format!("a name with a dot is quoted: `{}`", shown(&quoted)));
    }
    let make = match kind {
        Kind::Stream => "to make it, set its `urls` too or give `--create`",
        Kind::Live | Kind::Plugin => "to make it, give `--create`",
    };
    misfit.hint(match did_you_mean(name, &current.names(&[kind.key()])) {
        Some(meant) => format!("{meant} {make}"),
        None => make.to_owned(),
    })
}

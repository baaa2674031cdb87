//! The laws of what is read and sent back: a document changes nothing, and what is none is refused.

use std::fs;
use std::path::PathBuf;

use mediaconf::{Config, Document, Kind, Path, Schema, Scope, Segment, Selection};
use serde_json::{Map, Value};

use crate::fixtures;
use crate::law::{is_valid, view};
use crate::laws::texts;

/// The paths of names to all values, but for those in lists.
fn paths(value: &Value, above: &Path, found: &mut Vec<(Path, Value)>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let path = above.child(Segment::Key(key.clone()));
        paths(value, &path, found);
        found.push((path, value.clone()));
    }
}

/// The same path with a `*` in the place of each of its names in turn.
fn patterns(path: &Path) -> impl Iterator<Item = Path> {
    (0..path.segments.len()).map(|at| {
        let mut path = path.clone();
        path.segments[at] = Segment::every();
        path
    })
}

/// True if the keys of a value may be meant at the top level: `extra`, plugins, ports and unknown blocks have any keys, and
/// those that the top level has, too, are right there.
fn may_be_meant(path: &Path, value: &Map<String, Value>, whole: &Value) -> bool {
    let keys: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
    let scope = Schema::kind(keys[0]).map(Kind::scope);
    let is_known = match (scope, &keys[..]) {
        (Some(scope), _) => {
            scope != Scope::Plugin && keys.get(2).is_none_or(|key| scope.by_key(key).is_some())
        }
        (None, [key, below @ ..]) => {
            Scope::Top.by_key(key).is_some() && (below.is_empty() || !key.contains("_options"))
        }
        (None, []) => true,
    };
    let is_of_top = |key: &String| Scope::Top.by_key(key).is_some() || whole.get(key).is_some();
    !is_known || keys.contains(&"extra") || value.keys().all(is_of_top)
}

fn holds_for(text: &str) -> Result<(), String> {
    let document = Document::parse(text.to_owned());
    if !is_valid(&document) {
        return Ok(());
    }
    let (config, mut found) = (Config::new(&document), Vec::new());
    let whole = view(&document, false);
    paths(&whole, &Path { segments: Vec::new() }, &mut found);
    let sent = |value: Value| document.modify(value, &[]).map(|edit| edit.is_some());
    let is_nothing = |path: &str, patch: Value| match sent(patch.clone()) {
        Ok(false) => Ok(()),
        Err(_) if patch.as_object().is_some_and(|patch| patch.keys().all(|key| key.contains('.'))) => Ok(()),
        other => Err(format!("{path}: {patch} gives {other:?}")),
    };
    let one = |path: &Path| config.select(path).map_err(|fault| format!("{path}: {fault}"));
    let mut all = Vec::new();
    let mut wrong = Vec::new();
    for (path, value) in &found {
        if let Value::Object(members) = value
            && !may_be_meant(path, members, &whole)
            && let Ok(changes) = sent(value.clone())
        {
            wrong.push(format!("{path}: {value} is taken; changes: {changes}"));
        }
        all.push(one(path)?);
        for pattern in patterns(path) {
            wrong.extend(is_nothing(&pattern.to_string(), one(&pattern)?.into_value()).err());
        }
    }
    wrong.extend(is_nothing("all", Selection::into_document(all)).err());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

#[test]
fn what_is_read_changes_nothing_or_is_refused() {
    let examples = fixtures::files(&fixtures::root().join("../../examples"), "conf").into_iter();
    let read = |file: PathBuf| (file.display().to_string(), fs::read_to_string(file).expect("it is text"));
    fixtures::all_texts(texts().into_iter().chain(examples.map(read)), holds_for);
}

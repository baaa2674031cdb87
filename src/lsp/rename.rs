//! Where a name is defined, and a new name for a stream or another named block, wherever the name stands in the configuration
//! and its includes.
//!
//! The edits of a new name are tried on the whole first: the new text must have the new name where the old one had the old,
//! and nothing else may have changed.

use std::collections::HashMap;
use std::ops::Range;

use mediaconf::{NameUse, Splice};
use serde_json::{Map, Value, json};

use super::place::Caret;
use super::session::RequestFault;
use super::text::Spot;

/// The places that define the name at a place: the blocks with it.
pub fn definition(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let configuration = &spot.configuration;
    let Some(meant) = caret.name() else { return json!([]) };
    let found = configuration.whole().document().name_uses();
    let is_it =
        |found: &&NameUse<'_>| found.is_definition && found.group == meant.group && found.name == meant.name;
    let found = found.iter().filter(is_it);
    let mut found: Vec<_> = found.map(|found| configuration.origin(found.word.span())).collect();
    found.sort_by_key(|(file, range)| (*file, range.start));
    found.dedup();
    let location = |(file, range): (usize, Range<usize>)| {
        let file = &configuration.files[file];
        json!({ "uri": file.uri, "range": file.range(range) })
    };
    found.into_iter().map(location).collect()
}

/// The places in its own file of the name at a place.
pub fn highlights(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let Some(meant) = Caret::new(text.document(), offset).name() else { return json!([]) };
    let file = spot.file();
    let uses = file.document().name_uses().into_iter();
    let uses = uses.filter(|used| used.group == meant.group && used.name == meant.name);
    let highlight = |used: NameUse<'_>| {
        let range = file.range(used.word.start as usize..used.word.end() as usize);
        json!({ "range": range, "kind": if used.is_definition { WRITTEN } else { READ } })
    };
    uses.map(highlight).collect()
}

/// The protocol's numbers for a name that is used, and for one that is given.
const READ: u8 = 2;
const WRITTEN: u8 = 3;

/// The edits that give the block at a place another name.
///
/// # Errors
/// No name is there, the new one is taken or can't be one, or the syntax of a file is broken.
pub fn edits(spot: &Spot, new: &str) -> Result<Value, RequestFault> {
    let configuration = &spot.configuration;
    if !configuration.is_parsed() {
        return Err(RequestFault::failed("nothing is renamed while the syntax of the text is broken"));
    }
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let meant = caret.name().ok_or_else(|| RequestFault::failed("no name of a block stands here"))?;
    if new == meant.name {
        return Ok(Value::Null);
    }
    if new.is_empty() || new.chars().any(char::is_control) {
        return Err(RequestFault::failed("a name has at least one character, and no control characters"));
    }
    let whole = configuration.whole().document();
    let names = whole.names_of(meant.group);
    let failed = |message: String| Err(RequestFault::failed(message));
    if !names.contains(&*meant.name) {
        return failed(format!("no {} `{}` is defined here", meant.group, meant.name));
    }
    if names.contains(new) {
        return failed(format!("there is a {} `{new}` already", meant.group));
    }
    let Some((splices, _)) =
        whole.renamed(meant.group, &HashMap::from([(meant.name.to_string(), new.to_owned())]))
    else {
        return failed(format!("`{new}` can't be the name in all places where it would stand"));
    };
    let origin = |splice: Splice| {
        (configuration.origin(splice.range.start as u32..splice.range.end as u32), splice.text)
    };
    let mut edits: Vec<_> = splices.into_iter().map(origin).collect();
    // A file that is included twice has its names twice in the whole.
    edits.sort_by(|((file, range), _), ((other, others), _)| (file, range.start).cmp(&(other, others.start)));
    edits.dedup_by(|(place, _), (before, _)| place == before);
    let mut changes = Map::new();
    for of_file in edits.chunk_by(|((file, _), _), ((next, _), _)| file == next) {
        let file = &configuration.files[of_file[0].0.0];
        let edits = of_file
            .iter()
            .map(|((_, range), new)| json!({ "range": file.range(range.clone()), "newText": new }));
        changes.insert(file.uri.clone(), edits.collect());
    }
    Ok(json!({ "changes": changes }))
}

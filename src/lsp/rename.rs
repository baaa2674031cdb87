//! Gives a stream or another named block a new name, wherever the name stands in the configuration and its includes.
//!
//! The edits are tried on the whole first: the new text must have the new name where the old one had the old, and
//! nothing else may have changed.

use std::collections::BTreeMap;
use std::ops::Range;

use mediaconf::plumbing::syntax::{Document, Splice};
use serde_json::{Map, Value, json};

use super::caret::Caret;
use super::definition::{in_file, uses};
use super::lines::PositionEncoding;
use super::names::{self, NameUse};
use super::protocol::RequestFault;
use super::workspace::{Configuration, Spot};

/// The range of the name at a place, and the name; null if none can be changed there.
pub fn prepare(spot: &Spot, encoding: PositionEncoding) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let Some(found) = names::at(&caret).filter(|_| !caret.is_in_comment) else { return Value::Null };
    let start = (found.word.start as usize + spot.offset).saturating_sub(offset);
    let file = spot.file();
    let range = file.lines.range(file.text.document().text(), start..start + found.word.raw.len(), encoding);
    json!({ "range": range, "placeholder": found.name })
}

/// The edits that give the block at a place another name.
///
/// # Errors
/// No name is there, the new one is taken or can't be one, or the syntax of a file is broken.
pub fn edits(
    spot: &Spot,
    new: &str,
    takes_versions: bool,
    encoding: PositionEncoding,
) -> Result<Value, RequestFault> {
    let configuration = spot.configuration();
    if !configuration.is_parsed() {
        return Err(RequestFault::failed("nothing is renamed while the syntax of the text is broken"));
    }
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let meant = names::at(&caret).filter(|_| !caret.is_in_comment);
    let meant = meant.ok_or_else(|| RequestFault::failed("no name of a block stands here"))?;
    if new == meant.name {
        return Ok(Value::Null);
    }
    if new.is_empty() || new.chars().any(char::is_control) {
        return Err(RequestFault::failed("a name has at least one character, and no control characters"));
    }
    let found = uses(configuration, &meant);
    if !found.iter().any(|found| found.is_definition) {
        return Err(RequestFault::failed(format!("no {} `{}` is defined here", meant.group, meant.name)));
    }
    prove(configuration, &meant, &found, new)?;
    let mut by_file: BTreeMap<usize, Vec<(Range<usize>, String)>> = BTreeMap::new();
    for found in &found {
        let (file, range) = in_file(configuration, &found.word.span());
        let edits = by_file.entry(file).or_default();
        if edits.iter().all(|(known, _)| *known != range) {
            edits.push((range, found.renamed(new)));
        }
    }
    Ok(in_protocol(configuration, by_file, takes_versions, encoding))
}

/// Tries the edits on the whole text.
fn prove(
    configuration: &Configuration,
    meant: &NameUse<'_>,
    found: &[NameUse<'_>],
    new: &str,
) -> Result<(), RequestFault> {
    let old = configuration.whole().document();
    let has_new = |document: &Document| {
        let all = names::all(document).into_iter();
        let named = all.filter(|found| found.group == meant.group && found.name == new);
        named.map(|found| found.is_definition).collect::<Vec<bool>>()
    };
    if has_new(old).contains(&true) {
        return Err(RequestFault::failed(format!("there is a {} `{new}` already", meant.group)));
    }
    let splice = |found: &NameUse<'_>| Splice {
        range: found.word.start as usize..found.word.end() as usize,
        text: found.renamed(new),
    };
    let after = Document::parse_as(
        old.schema(),
        old.with(&found.iter().map(splice).collect::<Vec<_>>()).text().to_owned(),
    );
    let is_as_meant = has_new(old).is_empty()
        && has_new(&after) == found.iter().map(|found| found.is_definition).collect::<Vec<_>>()
        && names::all(&after).iter().all(|now| now.group != meant.group || now.name != meant.name)
        && after.len() == old.len()
        && after.diagnostics().errors() == old.diagnostics().errors();
    match is_as_meant {
        true => Ok(()),
        false => {
            Err(RequestFault::failed(format!("`{new}` can't be the name in all places where it would stand")))
        }
    }
}

fn in_protocol(
    configuration: &Configuration,
    by_file: BTreeMap<usize, Vec<(Range<usize>, String)>>,
    takes_versions: bool,
    encoding: PositionEncoding,
) -> Value {
    let (mut changes, mut versioned) = (Map::new(), Vec::new());
    for (number, edits) in by_file {
        let file = &configuration.files[number];
        let text = file.text.document().text();
        let edit = |(range, new): (Range<usize>, String)| json!({ "range": file.lines.range(text, range, encoding), "newText": new });
        let edits: Value = edits.into_iter().map(edit).collect();
        let id = json!({ "uri": file.uri, "version": file.version });
        match takes_versions {
            true => versioned.push(json!({ "textDocument": id, "edits": edits })),
            false => drop(changes.insert(file.uri.clone(), edits)),
        }
    }
    if takes_versions { json!({ "documentChanges": versioned }) } else { json!({ "changes": changes }) }
}

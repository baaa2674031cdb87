//! Where a name is defined, and where it is used; and the files that an `include` names.

use std::ops::Range;

use serde_json::{Value, json};

use super::caret::Caret;
use super::lines::PositionEncoding;
use super::names::{self, NameUse};
use super::protocol::TextPosition;
use super::workspace::{Configuration, Spot};
use crate::engine::INCLUDE;

/// The places that define what stands at a place: a block with that name, or the files of an `include`.
pub fn definition(spot: &Spot, encoding: PositionEncoding) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    if caret.is_in_comment {
        return json!([]);
    }
    if caret.words.first().is_some_and(|keyword| keyword.value() == INCLUDE) {
        return included(spot, &caret);
    }
    let Some(meant) = names::at(&caret) else { return json!([]) };
    let defines = |found: &NameUse<'_>| found.is_definition;
    locations(spot.configuration(), &meant, defines, encoding)
}

/// The places that have the name at a place, with its definitions or without.
pub fn references(spot: &Spot, with_definition: bool, encoding: PositionEncoding) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    match names::at(&caret).filter(|_| !caret.is_in_comment) {
        Some(meant) => {
            let is_meant = |found: &NameUse<'_>| with_definition || !found.is_definition;
            locations(spot.configuration(), &meant, is_meant, encoding)
        }
        None => json!([]),
    }
}

fn locations(
    configuration: &Configuration,
    meant: &NameUse<'_>,
    is_meant: impl Fn(&NameUse<'_>) -> bool,
    encoding: PositionEncoding,
) -> Value {
    let mut found: Vec<(usize, Range<usize>)> = uses(configuration, meant)
        .iter()
        .filter(|found| is_meant(found))
        .map(|found| in_file(configuration, &found.word.span()))
        .collect();
    found.sort_by_key(|(file, range)| (*file, range.start));
    found.dedup();
    let location = |(file, range): (usize, Range<usize>)| {
        let file = &configuration.files[file];
        let range = file.lines.range(file.text.document().text(), range, encoding);
        json!({ "uri": file.uri, "range": range })
    };
    found.into_iter().map(location).collect()
}

/// The words of the whole configuration that have a name.
pub fn uses<'c>(configuration: &'c Configuration, meant: &NameUse<'_>) -> Vec<NameUse<'c>> {
    let mut found = names::all(configuration.whole().document());
    found.retain(|found| found.group == meant.group && found.name == meant.name);
    found
}

/// The file that has a word of the whole, and its place there.
pub fn in_file(configuration: &Configuration, span: &Range<u32>) -> (usize, Range<usize>) {
    let (file, start) = configuration.origin(span.start as usize);
    (file, start..start + (span.end - span.start) as usize)
}

/// The files that an `include` names.
fn included(spot: &Spot, caret: &Caret<'_>) -> Value {
    let configuration = spot.configuration();
    let pattern = caret.words.get(1).map(|word| word.value().into_owned()).unwrap_or_default();
    let texts = configuration.composed.as_ref().and_then(|composed| composed.included.get(&pattern));
    let start = TextPosition { line: 0, character: 0 };
    let location = |number: usize| json!({ "uri": configuration.files[number].uri, "range": { "start": start, "end": start } });
    let number = |target| {
        configuration.composed.iter().flat_map(|all| &all.files).position(|file| file.target == target)
    };
    texts.into_iter().flatten().filter_map(|text| number(text.target.clone())).map(location).collect()
}

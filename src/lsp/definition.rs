//! Where a name is defined, and the files that an `include` names.

use std::ops::Range;

use serde_json::{Value, json};

use super::caret::Caret;
use super::names::{self, NameUse};
use super::protocol::{TextPosition, TextRange};
use super::workspace::{Configuration, Spot};
use crate::engine::INCLUDE;

/// The places that define what stands at a place: a block with that name, or the files of an `include`.
pub fn definition(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let keyword = caret.words.first().filter(|_| !caret.is_in_comment);
    if keyword.is_some_and(|keyword| keyword.value() == INCLUDE) {
        return included(spot, &caret);
    }
    let configuration = &spot.configuration;
    let meant = names::at(&caret).filter(|_| !caret.is_in_comment);
    let found = meant.map(|meant| uses(configuration, &meant)).unwrap_or_default();
    let found = found.iter().filter(|found| found.is_definition);
    let mut found: Vec<_> = found.map(|found| configuration.origin(found.word.span())).collect();
    found.sort_by_key(|(file, range)| (*file, range.start));
    found.dedup();
    let location = |(file, range): (usize, Range<usize>)| {
        let file = &configuration.files[file];
        json!({ "uri": file.uri, "range": file.range(range) })
    };
    found.into_iter().map(location).collect()
}

/// The words of the whole configuration that have a name.
pub fn uses<'c>(configuration: &'c Configuration, meant: &NameUse<'_>) -> Vec<NameUse<'c>> {
    names::uses(configuration.whole().document(), meant.group, &meant.name)
}

/// The files that an `include` names.
fn included(spot: &Spot, caret: &Caret<'_>) -> Value {
    let Some(composed) = &spot.configuration.composed else { return json!([]) };
    let pattern = caret.words.get(1).map(|word| word.value().into_owned()).unwrap_or_default();
    let named = composed.included.get(&pattern).into_iter().flatten();
    let numbers = named.filter_map(|text| composed.files.iter().position(|file| file.target == text.target));
    let start = TextPosition { line: 0, character: 0 };
    let range = TextRange { start, end: start };
    numbers.map(|number| json!({ "uri": spot.configuration.files[number].uri, "range": range })).collect()
}

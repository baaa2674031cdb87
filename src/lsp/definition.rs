//! Where a name is defined, and where it is used; and the files that an `include` names.

use std::ops::Range;

use serde::Serialize;

use super::caret::Caret;
use super::lines::PositionEncoding;
use super::names::{self, NameUse};
use super::protocol::{RequestFault, TextPosition, TextRange, list_in_json};
use super::workspace::{Configuration, Spot};
use crate::engine::INCLUDE;

/// The places that define what stands at a place: a block with that name, or the files of an `include`.
///
/// # Errors
/// Of [`list_in_json`].
pub fn definition(spot: &Spot, encoding: PositionEncoding) -> Result<String, RequestFault> {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let keyword = caret.words.first().filter(|_| !caret.is_in_comment);
    if keyword.is_some_and(|keyword| keyword.value() == INCLUDE) {
        return included(spot, &caret);
    }
    locations(spot, &caret, |found| found.is_definition, encoding)
}

/// The places that have the name at a place, with its definitions or without.
///
/// # Errors
/// Of [`list_in_json`].
pub fn references(
    spot: &Spot,
    with_definition: bool,
    encoding: PositionEncoding,
) -> Result<String, RequestFault> {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    locations(spot, &caret, |found| with_definition || !found.is_definition, encoding)
}

/// A part of a file.
#[derive(Serialize)]
struct Location<'c> {
    uri: &'c str,
    range: TextRange,
}

fn locations(
    spot: &Spot,
    caret: &Caret<'_>,
    is_meant: impl Fn(&NameUse<'_>) -> bool,
    encoding: PositionEncoding,
) -> Result<String, RequestFault> {
    let configuration = spot.configuration();
    let meant = names::at(caret).filter(|_| !caret.is_in_comment);
    let found = meant.map(|meant| uses(configuration, &meant)).unwrap_or_default();
    let found = found.iter().filter(|found| is_meant(found));
    let mut found: Vec<(usize, Range<usize>)> =
        found.map(|found| in_file(configuration, &found.word.span())).collect();
    found.sort_by_key(|(file, range)| (*file, range.start));
    found.dedup();
    let location = |(file, range): (usize, Range<usize>)| {
        let file = &configuration.files[file];
        Location { uri: &file.uri, range: file.lines.range(file.text.document().text(), range, encoding) }
    };
    list_in_json(found.into_iter().map(location))
}

/// The words of the whole configuration that have a name.
pub fn uses<'c>(configuration: &'c Configuration, meant: &NameUse<'_>) -> Vec<NameUse<'c>> {
    names::uses(configuration.whole().document(), meant.group, &meant.name)
}

/// The file that has a word of the whole, and its place there.
pub fn in_file(configuration: &Configuration, span: &Range<u32>) -> (usize, Range<usize>) {
    let (file, start) = configuration.origin(span.start as usize);
    (file, start..start + (span.end - span.start) as usize)
}

/// The files that an `include` names.
fn included(spot: &Spot, caret: &Caret<'_>) -> Result<String, RequestFault> {
    let configuration = spot.configuration();
    let pattern = caret.words.get(1).map(|word| word.value().into_owned()).unwrap_or_default();
    let texts = configuration.composed.as_ref().and_then(|composed| composed.included.get(&pattern));
    let start = TextPosition { line: 0, character: 0 };
    let range = TextRange { start, end: start };
    let location = |number: usize| Location { uri: &configuration.files[number].uri, range };
    let number = |target| {
        configuration.composed.iter().flat_map(|all| &all.files).position(|file| file.target == target)
    };
    list_in_json(texts.into_iter().flatten().filter_map(|text| number(text.target.clone())).map(location))
}

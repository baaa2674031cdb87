//! Words: slips in the options and values of a directive whose keyword is right.

use super::MAX_OPTIONS;
use crate::schema::{ObjectShape, OptionWord, PartPlace, Schema, WordKind, is_one_slip};
use crate::syntax::{Diagnostic, Diagnostics, Entry, Word};

fn slip(word: Word<'_>, message: impl Into<String>, meant: &str) -> Diagnostic {
    Diagnostic::warning(word.span(), message).slip(meant)
}

/// The warning about a word that is empty.
pub(super) fn empty(word: Word<'_>, noun: &str) -> Diagnostic {
    let found = Diagnostic::warning(word.span(), format!("{noun} is empty"));
    Diagnostic { is_slip: true, ..found.hint("give a value, or leave it out") }
}

/// Checks the names of options, and the values of those that are known with a value, such as `preset=fast`.
pub(super) fn options<'w>(known: &str, words: impl Iterator<Item = Word<'w>>, diagnostics: &mut Diagnostics) {
    let is_known = |text: &str| known.split(' ').any(|known| known.as_bytes() == text.as_bytes());
    for word in words.take(if known.is_empty() { 0 } else { MAX_OPTIONS }) {
        let name = OptionWord::split(word).key;
        let word = if is_known(&name.value()) { word } else { name };
        let text = word.value();
        // A known one with digits behind it is of a newer server.
        if is_known(text.trim_end_matches(|c: char| c.is_ascii_digit())) {
            continue;
        }
        let lower = text.to_lowercase();
        let is_meant = |known: &&str| {
            known.contains('=') == text.contains('=') && (lower == **known || is_one_slip(&lower, known))
        };
        let meant = known.split(' ').find(is_meant);
        diagnostics.push_any(meant.map(|meant| slip(word, format!("`{text}` is no known option"), meant)));
    }
}

/// Checks the words of an object: one that has to be there and looks like an optional part, such as a time in the place of
/// a folder, and one that is taken for an option and is nearly an optional part, such as `7D`.
pub(super) fn parts(object: &ObjectShape, entry: Entry<'_>, diagnostics: &mut Diagnostics) {
    let mut rest = Vec::new();
    for (part, word) in object.part_words(entry).take(MAX_OPTIONS) {
        let Some(part) = part else { continue };
        if part.place == PartPlace::Required && object.optional_part(word).is_some() {
            let message = format!("`{}` is read as the {}", word.raw, part.key);
            let meant = format!("{} {} {}", entry.keyword(), part.key.to_uppercase(), word.raw);
            diagnostics.push(slip(word, message, &meant));
        } else if part.is_rest() {
            rest.push(word);
            let is_part = |meant: &String| object.optional_part(Word::new(meant, 0)).is_some();
            let meant = with_short_unit(word.raw).filter(is_part);
            let message = format!("`{}` is read as an option", word.raw);
            diagnostics.push_any(meant.map(|meant| slip(word, message, &meant)));
        }
    }
    options(object.usual, rest.into_iter(), diagnostics);
}

/// A number with the first letter of its unit, in lower case: `7d` for `7D` and `7days`; `None` for `5M` and `5mb`, which
/// are sizes, and for `1d2h`, which is several.
fn with_short_unit(word: &str) -> Option<String> {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = word.strip_suffix(unit).filter(|number| !number.is_empty())?;
    let unit = unit.to_ascii_lowercase();
    let is_size = matches!(&*unit, "m" | "mb" | "mib");
    let is_one = !is_size && !unit.contains(|c: char| c.is_ascii_digit());
    unit.chars().next().filter(|_| is_one).map(|letter| format!("{number}{letter}"))
}

/// Checks the only word of a directive that takes few words; a number is always one, and a letter is being typed.
pub(super) fn value(kind: &WordKind, word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    let is_free = value.len() == 1 || value.bytes().all(|byte| byte.is_ascii_digit());
    if !kind.usual.is_empty() && !is_free && !kind.usual.contains(&&*value) {
        let nearest = Schema::nearest(&value, kind.usual.iter().copied());
        let meant = nearest.map_or_else(|| kind.usual.join("`, `"), str::to_owned);
        diagnostics.push(slip(word, format!("`{value}` is no known value"), &meant));
    }
}

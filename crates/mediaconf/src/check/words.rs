//! Words: slips in the options and values of a directive whose keyword is right.

use super::MAX_OPTIONS;
use crate::schema::codec::OptionWord;
use crate::schema::kinds::WordKind;
use crate::schema::suggest::is_one_slip;
use crate::schema::{ObjectShape, PartPlace, Schema};
use crate::syntax::{Diagnostic, Diagnostics, Entry, Word};

fn slip(word: Word<'_>, message: impl Into<String>, meant: &str) -> Diagnostic {
    Diagnostic::warning(word.span(), message.into()).hint(format!("did you mean `{meant}`?"))
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

/// Checks the words of an object: one that has to be there and looks like another part, such as a time in the place of a
/// folder, and one that is taken for an option and is nearly another part, such as `7D`.
pub(super) fn parts(object: &ObjectShape, entry: Entry<'_>, diagnostics: &mut Diagnostics) {
    let is_other = |text: &str| {
        let mut others = object.parts.iter().filter(|part| part.place == PartPlace::Optional);
        others.any(|part| (part.kind.read)(Some(Word::new(text, 0))).is_some())
    };
    let mut options = Vec::new();
    for (part, word) in object.part_words(entry).take(MAX_OPTIONS) {
        let Some(part) = part else { continue };
        if part.place == PartPlace::Required && is_other(word.raw) {
            let message = format!("`{}` is read as the {}", word.raw, part.key);
            diagnostics.push(slip(
                word,
                message,
                &format!("{} {} {}", entry.keyword(), part.key.to_uppercase(), word.raw),
            ));
        } else if part.is_rest() {
            options.push(word);
            let unit = word.raw.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = &word.raw[..word.raw.len() - unit.len()];
            let nearly = unit.chars().next().map(|unit| format!("{number}{}", unit.to_ascii_lowercase()));
            // `5M` and `5mb` are sizes, and `1d2h` is an own word.
            let is_other_thing = unit.contains(|c: char| c.is_ascii_digit())
                || matches!(&*unit.to_ascii_lowercase(), "m" | "mb" | "mib");
            let nearly = nearly.filter(|nearly| !number.is_empty() && !is_other_thing && is_other(nearly));
            let message = format!("`{}` is read as an option", word.raw);
            diagnostics.push_any(nearly.map(|nearly| slip(word, message, &nearly)));
        }
    }
    self::options(object.usual, options.into_iter(), diagnostics);
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

//! Words: slips in the options and values of a directive whose keyword is right.

use super::{Checker, MAX_OPTIONS};
use crate::schema::{ObjectShape, Part, PartPlace, Schema, WordKind, is_one_slip};
use crate::syntax::{Diagnostic, Entry, Word};

impl<'d> Checker<'d> {
    /// Checks the names of options, and the values of those that are known with a value, such as `preset=fast`.
    pub(super) fn known_options(&mut self, known: &'static str, words: impl Iterator<Item = Word<'d>>) {
        let is_known = |text: &str| known.split(' ').any(|known| known == text);
        for word in words.take(if known.is_empty() { 0 } else { MAX_OPTIONS }) {
            let counted = || {
                let (name, _) = word.option();
                if is_known(&name.value()) { word } else { name }
            };
            let find = || {
                let text = counted().value();
                // A known one with digits behind it is of a newer server.
                let is_newer = is_known(text.trim_end_matches(|c: char| c.is_ascii_digit()));
                let lower = text.to_lowercase();
                let is_meant = |known: &&str| {
                    known.contains('=') == text.contains('=')
                        && (lower == **known || is_one_slip(&lower, known))
                };
                if is_newer { None } else { known.split(' ').find(is_meant) }
            };
            let slot = self.near_options.slot(word.raw);
            if slot.0 != word.raw || !std::ptr::eq(slot.1.0, known) {
                *slot = (word.raw, (known, find()));
            }
            if let (_, (_, Some(meant))) = slot {
                let word = counted();
                self.diagnostics.push(slip(word, format!("`{}` is no known option", word.value()), meant));
            }
        }
    }

    /// Checks the words of an object: one that has to be there and looks like an optional part, such as a time in the place of
    /// a folder, and one that is taken for an option and is nearly an optional part, such as `7D`.
    pub(super) fn parts(&mut self, object: &ObjectShape, entry: Entry<'d>, parts: &[(&Part, Word<'d>)]) {
        let mut rest = Vec::new();
        for &(part, word) in parts.iter().take(MAX_OPTIONS) {
            if part.place == PartPlace::Required && object.optional_part(word).is_some() {
                let message = format!("`{}` is read as the {}", word.raw, part.key);
                let meant = format!("{} {} {}", entry.keyword(), part.key.to_uppercase(), word.raw);
                self.diagnostics.push(slip(word, message, &meant));
            } else if part.is_rest() {
                rest.push(word);
                let is_part = |meant: &String| object.optional_part(Word::new(meant, 0)).is_some();
                let meant = with_short_unit(word.raw).filter(is_part);
                let message = format!("`{}` is read as an option", word.raw);
                self.diagnostics.push_any(meant.map(|meant| slip(word, message, &meant)));
            }
        }
        self.known_options(object.usual, rest.into_iter());
    }

    /// Checks the only word of a directive, if it takes one of few; a number is always one, and a letter is being typed.
    pub(super) fn value(&mut self, kind: &WordKind, word: Word<'_>) {
        let value = word.value();
        let is_free = value.len() == 1 || value.bytes().all(|byte| byte.is_ascii_digit());
        if !is_free && !kind.values.is_empty() && !kind.values.contains(&&*value) {
            let nearest = Schema::nearest(&value, kind.values.iter().copied());
            let meant = nearest.map_or_else(|| kind.values.join("`, `"), str::to_owned);
            self.diagnostics.push(slip(word, format!("`{value}` is no known value"), &meant));
        }
    }
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

fn slip(word: Word<'_>, message: impl Into<String>, meant: &str) -> Diagnostic {
    Diagnostic::warning(word.span(), message).slip(meant)
}

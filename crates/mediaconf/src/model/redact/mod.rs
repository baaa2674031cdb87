//! Finds the secrets in a text or in JSON, so that it can be shown without them.

mod by_value;
mod json;
mod loose;
mod masked_text;
mod spelling;
mod told;
mod within;

use std::ops::Range;

pub use by_value::{LONGEST_SECRET, SecretValues};
pub use json::{masked_below, masked_json, masked_keys};
pub use masked_text::MaskedText;
pub use told::FaultMasker;

use super::secret::{Masker, Secrecy, merged, word_parts};
use super::shape::{OptionWord, RowMatch, inner_scope, read};
use crate::schema::{JsonForm, Kind, ObjectShape, Parameter, PartPlace, Schema, Scope};
use crate::syntax::{Document, Entry, Word, comment_start};

/// Returns the whole text of a document with its secrets masked.
pub fn masked_document(document: &Document, masker: &Masker) -> String {
    let text = document.text();
    masker.masked(text, all_secret_spans(document)).into_owned()
}

/// Returns the secrets in the whole text.
fn all_secret_spans(document: &Document) -> Vec<Range<usize>> {
    secret_spans(document, std::slice::from_ref(&(0..document.text().len())))
}

/// Returns the secrets in `windows` of the text, which are in order and do not overlap.
///
/// In a text with errors it is unclear which words belong to a directive, so there every word behind
/// the name of a secret counts.
pub fn secret_spans(document: &Document, windows: &[Range<usize>]) -> Vec<Range<usize>> {
    let schema = Schema::media();
    let top = EntryPlace { scope: schema.top(), secrecy: Secrecy::Parts };
    let mut finder = Finder { spans: Vec::new() };
    let mut windows_left = windows;
    for entry in document.entries() {
        while windows_left.first().is_some_and(|window| window.end <= entry.start()) {
            windows_left = &windows_left[1..];
        }
        match windows_left.first() {
            None => break,
            Some(window) if entry.end() <= window.start => {}
            Some(_) => finder.entry(top, entry, windows_left),
        }
    }
    if document.diagnostics().errors() > 0 {
        loose::in_broken_lines(document.text(), windows, &mut finder.spans);
    } else {
        windows.iter().for_each(|window| finder.comments(document.text(), window.clone()));
    }
    merged(finder.spans)
}

/// The surroundings of an entry, and how secret they make its words.
#[derive(Clone, Copy)]
struct EntryPlace {
    scope: Scope,
    secrecy: Secrecy,
}

impl EntryPlace {
    fn foreign(secrecy: Secrecy) -> Self {
        Self { scope: Schema::media().unknown(), secrecy }
    }
}

struct Finder {
    spans: Vec<Range<usize>>,
}

impl Finder {
    fn entry(&mut self, place: EntryPlace, entry: Entry<'_>, windows: &[Range<usize>]) {
        // Windows before the entry are skipped: a block may have as many entries as there are windows.
        let windows = &windows[windows.partition_point(|window| window.end <= entry.start())..];
        if windows.first().is_none_or(|window| window.start >= entry.end()) {
            return;
        }
        let inner = match read(place.scope, entry) {
            RowMatch::Own(parameter) => self.own(parameter, entry),
            RowMatch::Misshapen(parameter) => self.misshapen(parameter, entry),
            RowMatch::Foreign => self.foreign(place.secrecy, entry),
        };
        entry.children().for_each(|child| self.entry(inner, child, windows));
    }

    /// Finds the secrets of a known directive. Returns the place of the entries in its block.
    fn own(&mut self, parameter: &Parameter, entry: Entry<'_>) -> EntryPlace {
        match parameter.codec.facts().object {
            Some(object) => self.object(object, entry),
            None if parameter.codec.has_options(entry) => self.options(entry),
            None if parameter.secret => entry.arguments().for_each(|word| self.whole(word)),
            None => entry.arguments().for_each(|word| self.word(word, Secrecy::Parts)),
        }
        let scope = parameter.codec.facts().group.map_or(Schema::media().unknown(), Kind::scope);
        EntryPlace { scope, secrecy: Secrecy::Parts }
    }

    /// Finds the secrets among the words of an object. A free word behind the name of a secret is a
    /// secret, too.
    fn object(&mut self, object: &'static ObjectShape, entry: Entry<'_>) {
        let mut free = Secrecy::Parts;
        for (part, word) in object.part_words(entry) {
            let is_free = part.is_some_and(|part| part.place == PartPlace::Rest);
            match part {
                Some(part) if part.secret => self.whole(word),
                _ => self.word(word, if is_free { free } else { Secrecy::Parts }),
            }
            if is_free {
                free = free.behind(&word.value());
            }
        }
    }

    /// Finds the secrets of a known directive in the wrong form: any of its words may be the secret.
    fn misshapen(&mut self, parameter: &Parameter, entry: Entry<'_>) -> EntryPlace {
        let is_plain =
            parameter.codec.facts().object.is_some() || parameter.codec.facts().json == JsonForm::Leaf;
        if is_plain && parameter.secret {
            entry.arguments().for_each(|word| self.whole(word));
            return EntryPlace::foreign(Secrecy::Whole);
        }
        if is_plain {
            return self.foreign(Secrecy::Parts, entry);
        }
        self.options(entry);
        EntryPlace::foreign(Secrecy::Parts)
    }

    /// Finds the secrets of an unknown directive: words and blocks behind the name of a secret.
    fn foreign(&mut self, inherited: Secrecy, entry: Entry<'_>) -> EntryPlace {
        let mut secrecy = inherited;
        for word in entry.words() {
            self.word(word, secrecy);
            secrecy = secrecy.behind(&word.value());
        }
        match secrecy {
            Secrecy::Parts => EntryPlace { scope: inner_scope(entry), secrecy },
            _ => EntryPlace::foreign(secrecy),
        }
    }

    /// Finds the secrets among options. An option without a value that is the name of a secret is a directive in front
    /// of which the `;` is lost: what stands behind it is the secret.
    fn options(&mut self, entry: Entry<'_>) {
        let mut secrecy = Secrecy::Parts;
        for word in entry.arguments() {
            let option = OptionWord::split(word);
            let named = Secrecy::from_name(&option.key.value());
            match option.value {
                Some(value) if secrecy != Secrecy::Whole && named == Secrecy::Whole => self.whole(value),
                _ => self.word(word, secrecy),
            }
            if option.value.is_none() && named == Secrecy::Whole {
                secrecy = named;
            }
        }
    }

    fn word(&mut self, word: Word<'_>, secrecy: Secrecy) {
        if secrecy == Secrecy::Whole {
            return self.whole(word);
        }
        let inside = word.raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let start = word.start as usize + usize::from(inside.is_some());
        let parts = word_parts(inside.unwrap_or(word.raw), secrecy);
        self.spans.extend(parts.into_iter().map(|part| start + part.start..start + part.end));
    }

    fn whole(&mut self, word: Word<'_>) {
        if !word.raw.is_empty() {
            self.spans.push(word.start as usize..word.end() as usize);
        }
    }

    fn comments(&mut self, text: &str, window: Range<usize>) {
        let mut start = window.start;
        for line in text[window].split_inclusive('\n') {
            if let Some(comment) = comment_start(line) {
                loose::in_comment(&line[comment..], start + comment, &mut self.spans);
            }
            start += line.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_behind_a_lost_semicolon_is_masked_among_options() {
        let text = "stream a {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter3;\n}\n";
        let document = Document::parse(text.to_owned());
        let masked = masked_document(&document, &Masker::opaque());
        let expected = "  password <secret:000000> <secret:000000>;";
        assert_eq!(masked.lines().nth(2), Some(expected));
    }
}

//! Finds the secrets in a text: the one finder, from which masked texts and masked JSON are made.

use std::ops::Range;

use super::forms::{merged, word_parts};
use super::loose;
use super::names::{Secrecy, WordReader, is_account};
use super::plain::Plain;
use crate::schema::codec::OptionWord;
use crate::schema::members::{RowMatch, inner_scope, read};
use crate::schema::{JsonForm, Kind, ObjectShape, Parameter, PartPlace, Schema, Scope};
use crate::syntax::{Document, Entry, Word, comment_start};

/// Returns the secrets in the whole text.
pub fn all_secret_spans(document: &Document) -> Vec<Range<usize>> {
    secret_spans(document, std::slice::from_ref(&(0..document.text().len())))
}

/// Returns the secrets in `windows` of the text, which are in order and do not overlap.
///
/// In a text with errors it is unclear which words belong to a directive, so there every word behind
/// the name of a secret counts.
pub fn secret_spans(document: &Document, windows: &[Range<usize>]) -> Vec<Range<usize>> {
    let top = EntryPlace { scope: Schema::media().top(), secrecy: Secrecy::Parts };
    let mut finder = Finder { spans: Vec::new() };
    finder.entries(top, document.entries(), windows);
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
    fn entries<'d>(
        &mut self,
        place: EntryPlace,
        entries: impl Iterator<Item = Entry<'d>>,
        mut windows: &[Range<usize>],
    ) {
        for entry in entries {
            // A block may have as many entries as there are windows.
            windows = &windows[windows.partition_point(|window| window.end <= entry.start())..];
            match windows.first() {
                None => return,
                Some(window) if entry.end() <= window.start => {}
                Some(_) => {
                    let inner = self.entry(place, entry);
                    self.entries(inner, entry.children(), windows);
                }
            }
        }
    }

    /// Finds the secrets among the words of an entry. Returns the place of the entries in its block.
    fn entry(&mut self, place: EntryPlace, entry: Entry<'_>) -> EntryPlace {
        match read(place.scope, entry) {
            RowMatch::Own(parameter) => self.own(parameter, entry),
            RowMatch::Misshapen(parameter) => self.misshapen(parameter, entry),
            RowMatch::Foreign => self.foreign(place.secrecy, entry),
        }
    }

    fn own(&mut self, parameter: &Parameter, entry: Entry<'_>) -> EntryPlace {
        match parameter.codec.facts().object {
            Some(object) => self.object(object, entry),
            None if parameter.codec.has_options(entry) => self.options(entry),
            None if parameter.secret => self.all(entry),
            _ => entry.arguments().for_each(|word| self.word(word, Secrecy::Parts)),
        }
        let scope = parameter.codec.facts().group.map_or(Schema::media().unknown(), Kind::scope);
        EntryPlace { scope, secrecy: Secrecy::Parts }
    }

    /// Finds the secrets among the words of an object. A free word behind the name of a secret is a
    /// secret, too.
    fn object(&mut self, object: &'static ObjectShape, entry: Entry<'_>) {
        let mut free = WordReader::new(Secrecy::Parts);
        for (part, word) in object.part_words(entry) {
            let secrecy = match part {
                Some(part) if part.secret => Secrecy::Whole,
                Some(part) if part.place == PartPlace::Rest => free.next(&word.value()),
                _ => Secrecy::Parts,
            };
            self.word(word, secrecy);
        }
    }

    /// Finds the secrets of a known directive in the wrong form: any of its words may be the secret.
    fn misshapen(&mut self, parameter: &Parameter, entry: Entry<'_>) -> EntryPlace {
        let facts = parameter.codec.facts();
        let is_plain = facts.object.is_some() || facts.json == JsonForm::Leaf;
        if is_plain && parameter.secret {
            self.all(entry);
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
        let mut reader = WordReader::new(inherited);
        for word in entry.words() {
            let secrecy = reader.next(&word.value());
            self.word(word, secrecy);
        }
        match reader.secrecy {
            Secrecy::Parts => EntryPlace { scope: inner_scope(entry), secrecy: Secrecy::Parts },
            secrecy => EntryPlace::foreign(secrecy),
        }
    }

    /// Finds the secrets among options. An option without a value that is the name of a secret is a directive in front
    /// of which the `;` is lost: what stands behind it is the secret.
    fn options(&mut self, entry: Entry<'_>) {
        let mut reader = WordReader::new(Secrecy::Parts);
        for word in entry.arguments() {
            let option = OptionWord::split(word);
            let Some(value) = option.value else {
                let secrecy = reader.next(&word.value());
                self.word(word, secrecy);
                continue;
            };
            let key = option.key.value();
            let is_named = Secrecy::from_name(&key) == Secrecy::Whole;
            match reader.secrecy {
                Secrecy::Whole => self.word(word, Secrecy::Whole),
                _ if is_named => self.word(value, Secrecy::Whole),
                secrecy => self.word(word, secrecy),
            }
            if is_account(&key) {
                reader.secrecy = Secrecy::Whole;
            }
        }
    }

    fn all(&mut self, entry: Entry<'_>) {
        entry.arguments().for_each(|word| self.word(word, Secrecy::Whole));
    }

    fn word(&mut self, word: Word<'_>, secrecy: Secrecy) {
        let start = word.start as usize;
        let moved = |part: Range<usize>| start + part.start..start + part.end;
        match secrecy {
            Secrecy::Whole if word.raw.is_empty() => {}
            Secrecy::Whole => self.spans.push(start..word.end() as usize),
            _ if word.quoted => {
                let parts = word_parts(&word.value(), secrecy);
                if !parts.is_empty() {
                    let plain = Plain::unquoted(word.raw);
                    let places = parts.iter().flat_map(|part| plain.places_in_word(word.raw, part));
                    self.spans.extend(places.map(moved));
                }
            }
            _ => self.spans.extend(word_parts(word.raw, secrecy).into_iter().map(moved)),
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
    use crate::{Masker, masked_document};

    #[test]
    fn a_secret_behind_a_lost_semicolon_is_masked_among_options() {
        let text = "stream a {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter3;\n}\n";
        let document = Document::parse(text.to_owned());
        let masked = masked_document(&document, &Masker::opaque());
        let expected = "  password <secret:000000> <secret:000000>;";
        assert_eq!(masked.lines().nth(2), Some(expected));
    }
}

//! Where in a text the secrets stand, so that lines of it can be shown without them.

use std::ops::Range;

use serde_json::Value;

use super::schema::{Kind, Parameter, Scope, Shape};
use super::secret::{Masker, WordSecrecy, is_secret_keyword, secret_parts};
use super::shape::{OptionWord, Reading, account, read};
use super::view::is_plural;
use crate::syntax::{Document, Entry, Word};

/// The secrets in `windows` of the text, which are in order and do not overlap.
///
/// Of a text with errors the directives can't be told apart, so there every word behind a secret
/// keyword counts.
pub fn secret_spans(document: &Document, windows: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut finder = Finder { spans: Vec::new() };
    let mut windows_left = windows;
    for entry in document.entries() {
        while windows_left.first().is_some_and(|window| window.end <= entry.start()) {
            windows_left = &windows_left[1..];
        }
        match windows_left.first() {
            None => break,
            Some(window) if entry.end() <= window.start => {}
            Some(_) => finder.entry(Scope::Top, entry, windows_left),
        }
    }
    let broken = document.diagnostics().errors() > 0;
    for window in windows {
        finder.lines(document.text(), window.clone(), broken);
    }
    finder.finish()
}

struct Finder {
    spans: Vec<Range<usize>>,
}

impl Finder {
    fn entry(&mut self, scope: Scope, entry: Entry<'_>, windows: &[Range<usize>]) {
        if windows
            .iter()
            .take_while(|window| window.start < entry.end())
            .all(|window| window.end <= entry.start())
        {
            return;
        }
        let inner = match read(scope, entry) {
            Reading::Own(parameter) => {
                self.own(parameter, entry);
                if let Shape::Group(kind) = parameter.shape { kind.scope() } else { Scope::Foreign }
            }
            Reading::Misshapen(parameter) => {
                let secrecy = if parameter.secret { WordSecrecy::Whole } else { WordSecrecy::Parts };
                entry.arguments().for_each(|word| self.word(word, secrecy));
                Scope::Foreign
            }
            Reading::Foreign => {
                let secrecy = WordSecrecy::of(&entry.keyword());
                entry.arguments().for_each(|word| self.option(word, secrecy));
                Scope::Foreign
            }
        };
        entry.children().for_each(|child| self.entry(inner, child, windows));
    }

    fn own(&mut self, parameter: &Parameter, entry: Entry<'_>) {
        match parameter.shape {
            Shape::Account => {
                if let Some([_, password]) = account(entry) {
                    self.whole(password);
                }
            }
            Shape::Word if parameter.secret => entry.arguments().for_each(|word| self.whole(word)),
            Shape::Backend => self.backend(entry),
            Shape::Group(Kind::Stream) | Shape::Sources if !is_plural(entry) => {
                entry.arguments().for_each(|word| self.option(word, WordSecrecy::Parts));
            }
            _ => entry.arguments().for_each(|word| self.word(word, WordSecrecy::Parts)),
        }
    }

    fn backend(&mut self, entry: Entry<'_>) {
        let mut words = entry.arguments();
        if let Some(url) = words.next() {
            self.word(url, WordSecrecy::Parts);
        }
        words.filter_map(|word| OptionWord::of(word).value).for_each(|value| self.whole(value));
    }

    fn option(&mut self, word: Word<'_>, secrecy: WordSecrecy) {
        let option = OptionWord::of(word);
        match option.value {
            Some(value) if secrecy == WordSecrecy::Parts && is_secret_keyword(&option.key.value()) => {
                self.whole(value)
            }
            _ => self.word(word, secrecy),
        }
    }

    fn word(&mut self, word: Word<'_>, secrecy: WordSecrecy) {
        match secrecy {
            WordSecrecy::Whole => self.whole(word),
            WordSecrecy::Parts => self.parts(word.raw, word.start as usize),
        }
    }

    fn whole(&mut self, word: Word<'_>) {
        if !word.raw.is_empty() {
            self.spans.push(word.start as usize..word.end() as usize);
        }
    }

    fn parts(&mut self, text: &str, start: usize) {
        self.spans.extend(secret_parts(text).into_iter().map(|part| start + part.start..start + part.end));
    }

    /// Comments, and in a broken text all lines: by the look of the line alone.
    fn lines(&mut self, text: &str, window: Range<usize>, broken: bool) {
        let mut start = window.start;
        for line in text[window].split_inclusive('\n') {
            let comment = if broken { Some(0) } else { comment_start(line) };
            if let Some(comment) = comment {
                self.loose(&line[comment..], start + comment);
            }
            start += line.len();
        }
    }

    fn loose(&mut self, text: &str, start: usize) {
        let mut secret = false;
        for word in text.split([' ', '\t', '\r', '\n', ';', '{', '}', '#']) {
            let at = start + (word.as_ptr() as usize - text.as_ptr() as usize);
            if word.is_empty() {
                continue;
            }
            if secret {
                self.spans.push(at..at + word.len());
            } else {
                self.parts(word, at);
            }
            secret |= WordSecrecy::of(word) == WordSecrecy::Whole && word != "key" && word != "token";
            secret &= !text[at - start + word.len()..].starts_with(';');
        }
    }

    fn finish(mut self) -> Vec<Range<usize>> {
        self.spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(self.spans.len());
        for span in self.spans {
            match merged.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        merged
    }
}

/// Where the comment of a line starts: at a `#` that could start a word and is not in quotes.
fn comment_start(line: &str) -> Option<usize> {
    let (mut quoted, mut word) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'#' if !quoted && !word => return Some(at),
            b'"' => {
                quoted = !quoted;
                word = true;
            }
            b' ' | b'\t' | b';' | b'{' | b'}' => word = false,
            _ => word = true,
        }
    }
    None
}

/// A piece of JSON with its secrets masked, by the keys they stand under.
pub fn masked_json(value: &Value, masker: &Masker) -> Value {
    masked_member("", value, masker)
}

/// The same of a piece that stands below these keys.
pub fn masked_below(keys: &[&str], value: &Value, masker: &Masker) -> Value {
    let inherited = keys.iter().find(|key| **key == EXTRAS).or(keys.last());
    masked_member(inherited.copied().unwrap_or_default(), value, masker)
}

/// Everything below it is a secret.
const EXTRAS: &str = "extra";

fn masked_member(key: &str, value: &Value, masker: &Masker) -> Value {
    let secret = key == EXTRAS || is_secret_keyword(key.trim_start_matches('@'));
    match value {
        Value::String(text) if secret => Value::String(masker.mask(text)),
        Value::String(text) => Value::String(masker.mask_parts(text).into_owned()),
        Value::Number(number) if secret => Value::String(masker.mask(&number.to_string())),
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| masked_member(key, element, masker)).collect())
        }
        Value::Object(members) => {
            let inherits = key == EXTRAS;
            let masked = members.iter().map(|(inner, value)| {
                let shown = masked_member(if inherits { key } else { inner }, value, masker);
                (inner.clone(), shown)
            });
            Value::Object(masked.collect())
        }
        other => other.clone(),
    }
}

//! The words of a line: only those that differ change, and comments between them stay.

use std::collections::HashMap;

use serde_json::Value;

use super::align::{ElementOrigin, align};
use super::sync::Sync;
use crate::schema::codec::{Address, OptionWord};
use crate::schema::members::key_of;
use crate::schema::scalar::Scalar;
use crate::schema::{AddressShape, Facts, Parameter, Part, PartPlace};
use crate::syntax::{Entry, Word, quoted_if_needed};

/// A word with what it says.
pub(super) struct Said<'t> {
    pub word: Word<'t>,
    /// The part of its line that it is; words of a list are all the same part.
    part: String,
    value: Value,
}

fn facts_of(row: Option<&'static Parameter>) -> Facts {
    row.map(|row| row.codec.facts()).unwrap_or_default()
}

/// The words of a line behind its keyword.
fn said<'t>(row: Option<&'static Parameter>, entry: Entry<'t>) -> Vec<Said<'t>> {
    match facts_of(row) {
        Facts { kind: Some(kind), list: None, .. } => {
            let value = |word| (kind.read)(Some(word)).map(Value::from).unwrap_or_default();
            entry.arguments().map(|word| Said { word, part: String::new(), value: value(word) }).collect()
        }
        Facts { object: Some(object), .. } => {
            let of_part = |(part, word): (Option<&'static Part>, Word<'t>)| {
                let Some(part) = part else { return Said { word, part: "?".to_owned(), value: Value::Null } };
                let value = match part.place {
                    PartPlace::Rest => Some(Scalar::from_word(word)),
                    _ => (part.kind.read)(Some(word)),
                };
                // Of two parts in the same place, one takes the place of the other.
                let place = if part.place == PartPlace::Instead { object.alternative(part) } else { None };
                let value =
                    [part.key.into(), value.map(Value::from).unwrap_or_default()].into_iter().collect();
                Said { word, part: place.unwrap_or(part).key.to_owned(), value }
            };
            object.part_words(entry).map(of_part).collect()
        }
        Facts { address: Some(shape), .. } | Facts { sources: Some(shape), .. } => {
            Address::from_words(entry.arguments())
                .map_or_else(Vec::new, |address| address_said(shape, &address))
        }
        Facts { options: Some(options), .. } => {
            let pair = |word| options.pair(word);
            let part = |pair: &Value| pair[0].as_str().unwrap_or_default().to_owned();
            let of_word = |word: Word<'t>| Said { word, part: part(&pair(word)), value: pair(word) };
            entry.arguments().map(of_word).collect()
        }
        _ => {
            let value = |word| Scalar::from_word(word).into();
            entry.arguments().map(|word| Said { word, part: String::new(), value: value(word) }).collect()
        }
    }
}

/// The words of an address and its options.
pub(super) fn address_said<'t>(shape: &'static AddressShape, address: &Address<'t>) -> Vec<Said<'t>> {
    let positional = match shape.may_be_false && address.is_open() {
        true => Value::Bool(false),
        false => address.positional.value().into(),
    };
    // No option has an empty key with a value.
    let first = Said { word: address.positional, part: "=".to_owned(), value: positional };
    let option = |option: OptionWord<'t>| {
        let part = key_of(shape.option_scope(), &option.key.value()).into_owned();
        Said { word: option.word, part, value: shape.value(&option).into() }
    };
    std::iter::once(first).chain(address.options().map(option)).collect()
}

impl<'d> Sync<'_, 'd> {
    /// Changes the words of a line behind its keyword, which keeps its spelling.
    /// Returns true if any changes.
    pub(super) fn words(
        &mut self,
        row: Option<&'static Parameter>,
        old: Entry<'d>,
        fresh: Entry<'_>,
    ) -> bool {
        let keyword = old.words().next().expect("an entry has a keyword");
        let before = self.operations.len();
        self.said_words(row, keyword, &said(row, old), &said(row, fresh));
        self.operations.len() > before
    }

    /// The same for words behind another one.
    pub(super) fn said_words(
        &mut self,
        row: Option<&'static Parameter>,
        before: Word<'_>,
        old: &[Said<'d>],
        fresh: &[Said<'_>],
    ) {
        let is_list =
            row.is_none_or(|row| row.codec.facts().options.is_some() || row.codec.facts().list.is_some());
        let (origins, gone) = if is_list { listed(old, fresh) } else { by_part(old, fresh) };
        let mut end = before.end() as usize;
        for (origin, new) in origins.iter().zip(fresh) {
            match *origin {
                ElementOrigin::Kept(index) => end = old[index].word.end() as usize,
                ElementOrigin::Edited(index) => {
                    let word = old[index].word;
                    let text = replaced(row, old, &old[index], new);
                    end = word.end() as usize;
                    if text != word.raw {
                        self.splice(word.start as usize..end, text);
                    }
                }
                ElementOrigin::Moved(index) => self.splice(end..end, format!(" {}", old[index].word.raw)),
                ElementOrigin::New => {
                    let like = if is_list && row.is_some() { old } else { &[] };
                    self.splice(end..end, format!(" {}", spelled(like, new)));
                }
            }
        }
        gone.into_iter().for_each(|index| self.remove_word(old[index].word));
    }

    /// Removes a word and the white space in front of it.
    pub(super) fn remove_word(&mut self, word: Word<'_>) {
        let (text, start) = (self.document.text(), word.start as usize);
        let gap = text[..start].trim_end_matches([' ', '\t', '\r', '\n']).len();
        let line = || &text[memchr::memrchr(b'\n', &text.as_bytes()[..gap]).unwrap_or(0)..gap];
        let behind_comment = text[gap..start].contains('\n') && line().contains('#');
        let from = if behind_comment { text[..start].trim_end_matches([' ', '\t']).len() } else { gap };
        self.splice(from..word.end() as usize, "");
    }
}

/// Pairs words whose order counts.
fn listed(old: &[Said<'_>], fresh: &[Said<'_>]) -> (Vec<ElementOrigin>, Vec<usize>) {
    let values = |said: &[Said<'_>]| said.iter().map(|said| said.value.clone()).collect::<Vec<_>>();
    let alignment = align(&values(old), &values(fresh));
    (alignment.new, alignment.gone)
}

/// Pairs words by their parts. Of a part that stands twice, the last one counts.
fn by_part(old: &[Said<'_>], fresh: &[Said<'_>]) -> (Vec<ElementOrigin>, Vec<usize>) {
    let mut parts: HashMap<&str, [Vec<usize>; 2]> = HashMap::new();
    for (side, said) in [old, fresh].into_iter().enumerate() {
        for (index, said) in said.iter().enumerate() {
            parts.entry(&said.part).or_default()[side].push(index);
        }
    }
    let mut origins = vec![ElementOrigin::New; fresh.len()];
    let mut gone: Vec<usize> = Vec::new();
    for (part, [mut words, new]) in parts {
        if part != REST && !new.is_empty() {
            words.drain(..words.len().saturating_sub(1));
        }
        let values = |said: &[Said<'_>], at: &[usize]| {
            at.iter().map(|&index| said[index].value.clone()).collect::<Vec<_>>()
        };
        let alignment = align(&values(old, &words), &values(fresh, &new));
        new.iter()
            .zip(alignment.new)
            .for_each(|(&at, origin)| origins[at] = origin.map(|index| words[index]));
        gone.extend(alignment.gone.into_iter().map(|index| words[index]));
    }
    gone.sort_unstable();
    (origins, gone)
}

/// The part of the words of an object that are no other part.
const REST: &str = "options";

/// The text of a fresh word in the place of an old one: a duration keeps its unit, an option the spelling of its key.
fn replaced(row: Option<&'static Parameter>, all: &[Said<'_>], old: &Said<'_>, fresh: &Said<'_>) -> String {
    match facts_of(row) {
        Facts { kind: Some(kind), list: None, .. } if !kind.takes_any => {
            (kind.write)(&fresh.value, Some(old.word)).unwrap_or_default()
        }
        Facts { object: Some(object), .. } => {
            let is_part = |part: &&Part| part.place != PartPlace::Rest && fresh.value[0] == part.key;
            let part = object.parts.iter().find(is_part);
            part.map_or_else(
                || fresh.word.raw.to_owned(),
                |part| object.part_word(part, &fresh.value[1], Some(old.word)),
            )
        }
        Facts { address: Some(_), .. } | Facts { sources: Some(_), .. } if old.part != "=" => match old
            .word
            .split_option()
        {
            // Where `false` stood, `true` is a word, too.
            Some((key, value)) if value.raw == "false" && fresh.value == true => format!("{}=true", key.raw),
            Some((key, _)) if fresh.word.split_option().is_none() => key.raw.to_owned(),
            _ => spelled(all, fresh),
        },
        Facts { options: Some(_), .. } if old.part == fresh.part => spelled(std::slice::from_ref(old), fresh),
        Facts { options: Some(_), .. } => spelled(all, fresh),
        Facts { kind: Some(_), list: None, .. } => with_key_of(old.word, fresh.word),
        _ if row.is_none() => with_key_of(old.word, fresh.word),
        _ => fresh.word.raw.to_owned(),
    }
}

/// The text of a fresh option with its key as another one of the line spells it.
fn spelled(old: &[Said<'_>], fresh: &Said<'_>) -> String {
    let like = old.iter().find(|old| !old.part.is_empty() && old.part == fresh.part);
    match (like.map(|old| OptionWord::split(old.word).key.raw), fresh.word.split_option()) {
        (Some(key), Some((_, value))) => format!("{key}={}", value.raw),
        _ => fresh.word.raw.to_owned(),
    }
}

/// The text of a fresh word; if both are an option of one key, the quotes are those of the value alone.
fn with_key_of(old: Word<'_>, fresh: Word<'_>) -> String {
    let value = fresh.value();
    let rest = old
        .split_option()
        .and_then(|(key, _)| Some((key, value.strip_prefix(&*key.value())?.strip_prefix('=')?)));
    match rest {
        Some((key, rest)) => format!("{}={}", key.raw, quoted_if_needed(rest)),
        None => fresh.raw.to_owned(),
    }
}

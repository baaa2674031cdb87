//! The words of a line: only those that differ change, and comments between them stay.

use std::borrow::Cow;

use foldhash::HashMap;
use serde_json::Value;

use super::align::{Alignment, Step, align};
use super::sync::{Row, Sync};
use crate::schema::{AddressShape, Facts, Part, PartPlace, of_word};
use crate::syntax::{Entry, WHITE, Word, Words};

/// A word with what it says.
pub(super) struct Said<'t> {
    word: Word<'t>,
    /// The part of its line that it is: a member of the object, or the key of an option.
    part: Cow<'static, str>,
    value: Value,
}

/// The words of a line behind its keyword.
fn said<'t>(row: Row, entry: Entry<'t>) -> Vec<Said<'t>> {
    let facts = row.map(|row| row.codec.facts()).unwrap_or_default();
    if let Some(shape) = facts.address.or(facts.sources) {
        return address_said(shape, entry.arguments());
    }
    if let Some(object) = facts.object {
        let of_part = |(part, word): (Option<&'static Part>, Word<'t>)| {
            let Some(part) = part else { return Said { word, part: "?".into(), value: Value::Null } };
            let value = if part.is_rest() { Some(of_word(word)) } else { (part.kind.read)(Some(word)) };
            // Of two parts in the same place, one takes the place of the other.
            let place = if part.place == PartPlace::Instead { object.alternative(part) } else { None };
            let value = [part.key.into(), value.unwrap_or_default()].into_iter().collect();
            Said { word, part: place.unwrap_or(part).key.into(), value }
        };
        return object.part_words(entry).map(of_part).collect();
    }
    let value = |word: Word<'t>| match facts {
        Facts { options: Some(options), .. } => options.pair(word),
        Facts { kind: Some(kind), .. } => (kind.read)(Some(word)).unwrap_or_default(),
        _ => of_word(word),
    };
    entry.arguments().map(|word| Said { word, part: REST.into(), value: value(word) }).collect()
}

/// The words of an address and its options.
pub(super) fn address_said<'t>(shape: &'static AddressShape, mut words: Words<'t>) -> Vec<Said<'t>> {
    let value = |word| (shape.first.read)(Some(word)).unwrap_or_default();
    let first = words.next().map(|word| Said { word, part: "".into(), value: value(word) });
    let option = |word: Word<'t>| {
        let (part, value) = shape.option(word);
        // With its sign it is no other part.
        Said { word, part: format!("{part}=").into(), value }
    };
    first.into_iter().chain(words.map(option)).collect()
}

impl<'d> Sync<'_, 'd> {
    /// Changes the words of a line behind its keyword, which keeps its spelling.
    pub(super) fn words(&mut self, row: Row, old: Entry<'d>, fresh: Entry<'_>) {
        let keyword = old.words().next().expect("an entry has a keyword");
        self.said_words(keyword, &said(row, old), &said(row, fresh));
    }

    /// The same for words behind another one.
    pub(super) fn said_words(&mut self, before: Word<'_>, old: &[Said<'d>], fresh: &[Said<'_>]) {
        let alignment = paired(old, fresh);
        let mut end = before.end() as usize;
        for (origin, new) in alignment.new.iter().zip(fresh) {
            match origin.map(|(step, index)| (step, old[index].word)) {
                Some((Step::Moved, word)) => {
                    self.splice(end..end, format!(" {}", word.raw));
                    self.remove_word(word);
                }
                Some((step, word)) => {
                    end = word.end() as usize;
                    if step == Step::Edited && new.word.raw != word.raw {
                        self.splice(word.start as usize..end, new.word.raw);
                    }
                }
                None => self.splice(end..end, format!(" {}", new.word.raw)),
            }
        }
        alignment.gone.into_iter().for_each(|index| self.remove_word(old[index].word));
    }

    /// Removes a word and the white space in front of it.
    fn remove_word(&mut self, word: Word<'_>) {
        let (text, start) = (self.document.text(), word.start as usize);
        let gap = text[..start].trim_end_matches(WHITE).len();
        let line = || &text[memchr::memrchr(b'\n', &text.as_bytes()[..gap]).unwrap_or(0)..gap];
        let behind_comment = text[gap..start].contains('\n') && line().contains('#');
        let from = if behind_comment { text[..start].trim_end_matches([' ', '\t']).len() } else { gap };
        self.splice(from..word.end() as usize, "");
    }
}

/// The part of the words of an object that are no other part; words of a list are that, too.
const REST: &str = "options";

/// Pairs words by their parts. Of another part than the rest that stands twice, the last one counts.
fn paired(old: &[Said<'_>], fresh: &[Said<'_>]) -> Alignment {
    // Most lines have one word.
    if let ([was], [is]) = (old, fresh)
        && was.part == is.part
    {
        let step = if was.value == is.value { Step::Kept } else { Step::Edited };
        return Alignment { new: vec![Some((step, 0))], gone: Vec::new() };
    }
    let mut parts: HashMap<&str, [Vec<usize>; 2]> = HashMap::default();
    for (side, words) in [old, fresh].into_iter().enumerate() {
        for (at, said) in words.iter().enumerate() {
            parts.entry(&said.part).or_default()[side].push(at);
        }
    }
    let mut all = Alignment { new: vec![None; fresh.len()], gone: Vec::new() };
    for (part, [mut words, new]) in parts {
        if part != REST && !new.is_empty() {
            words.drain(..words.len().saturating_sub(1));
        }
        let before: Vec<&Value> = words.iter().map(|&at| &old[at].value).collect();
        let alignment = align(&before, &new.iter().map(|&at| &fresh[at].value).collect::<Vec<_>>());
        for (&at, origin) in new.iter().zip(alignment.new) {
            all.new[at] = origin.map(|(step, index)| (step, words[index]));
        }
        all.gone.extend(alignment.gone.into_iter().map(|index| words[index]));
    }
    all.gone.sort_unstable();
    all
}

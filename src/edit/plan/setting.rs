//! Parameters of which one directive counts: a set edits the last, a removal removes all.

use std::collections::HashSet;

use serde_json::Value;

use super::Planner;
use super::words::{WordEdits, backend};
use crate::edit::emit;
use crate::edit::fault::Faults;
use crate::edit::json_pointer::Pointer;
use crate::edit::quoting;
use crate::model::schema::{Parameter, Shape};
use crate::model::shape::{Address, OptionWord, transcoder_name};
use crate::model::view::transcoder_pair;
use crate::syntax::{Entry, Word};

impl<'d> Planner<'_, 'd> {
    /// Works towards `target`, which differs from what `entries` say.
    pub(super) fn setting(
        &mut self,
        parameter: &'static Parameter,
        entries: &[Entry<'d>],
        target: Option<&Value>,
        at: &Pointer,
    ) {
        match (entries.last(), target) {
            (_, None) => entries.iter().for_each(|&entry| self.remove(entry)),
            (None, Some(value)) => self.new_setting(parameter, value, at),
            (Some(&last), Some(value)) => match edit(parameter, last, value, at) {
                Ok(edits) => self.rewrite(edits.finish()),
                Err(faults) => self.faults.0.extend(faults.0),
            },
        }
    }

    fn new_setting(&mut self, parameter: &'static Parameter, value: &Value, at: &Pointer) {
        self.faults.0.extend(writable(parameter, value, at).0);
        self.pend(emit::setting(parameter, value), &[]);
    }
}

/// The faults of a value that is written whole.
pub fn writable(parameter: &Parameter, value: &Value, at: &Pointer) -> Faults {
    let mut faults = Faults::default();
    let mut check = |key: &str, at: &Pointer| faults.0.extend(super::words::writable_key(key, at).err());
    match parameter.shape {
        Shape::Backend => {
            let extras = value.get("extra").and_then(Value::as_object).into_iter().flatten();
            extras.for_each(|(key, _)| check(key, &at.child("extra").child(key)));
        }
        Shape::Transcoder => {
            for (index, pair) in value.as_array().into_iter().flatten().enumerate() {
                check(pair[0].as_str().unwrap_or_default(), &at.child(index).child(0));
            }
        }
        Shape::Sources => {
            for (index, element) in value.as_array().into_iter().flatten().enumerate() {
                faults.0.extend(super::words::writable_source(element, &at.child(index)).0);
            }
        }
        _ => {}
    }
    faults
}

fn edit<'d>(
    parameter: &Parameter,
    entry: Entry<'d>,
    target: &Value,
    at: &Pointer,
) -> Result<WordEdits<'d>, Faults> {
    let mut edits = WordEdits::of(entry);
    match parameter.shape {
        Shape::Backend => {
            let address = Address::of(entry.arguments()).expect("a directive of this shape has an address");
            backend(&mut edits, &address, target, at)?;
        }
        Shape::Transcoder => transcoder(&mut edits, entry, target, at)?,
        _ => replace_arguments(&mut edits, parameter, entry, target),
    }
    Ok(edits)
}

/// Word for word; a bare switch gains its value.
fn replace_arguments(edits: &mut WordEdits<'_>, parameter: &Parameter, entry: Entry<'_>, target: &Value) {
    let written = emit::setting_words(parameter, target);
    let mut arguments = entry.arguments();
    for new in &written {
        match arguments.next() {
            Some(word) if word.value() == unquoted(new) => {}
            Some(word) => edits.replace(word, new),
            None => edits.insert(entry.head_span().end, new),
        }
    }
}

fn unquoted(word: &str) -> std::borrow::Cow<'_, str> {
    Word::new(word, 0).value()
}

fn transcoder(
    edits: &mut WordEdits<'_>,
    entry: Entry<'_>,
    target: &Value,
    at: &Pointer,
) -> Result<(), Faults> {
    let words: Vec<Word<'_>> = entry.arguments().collect();
    let old: Vec<Value> = words.iter().map(|word| transcoder_pair(*word)).collect();
    let empty = Vec::new();
    let new = target.as_array().unwrap_or(&empty);
    let known: HashSet<&Value> = old.iter().collect();
    let faults =
        new.iter().enumerate().filter(|(_, pair)| !known.contains(pair)).filter_map(|(index, pair)| {
            super::words::writable_key(pair[0].as_str().unwrap_or_default(), &at.child(index).child(0)).err()
        });
    Faults(faults.collect()).into_result(())?;
    let keyword = entry.words().next().expect("an entry has a keyword");
    let first = |name: &str| old.iter().position(|pair| pair[0] == name);
    let spelled = ["video_bitrate", "audio_bitrate"]
        .map(|name| (name, first(name).map(|at| OptionWord::of(words[at]).key.raw)));
    edits.list(keyword, &words, &old, new, |index, replaced| written(&new[index], &spelled, replaced));
    Ok(())
}

/// A bitrate keeps the spelling of its name that the text has, and an option its quotes.
fn written(pair: &Value, spelled: &[(&str, Option<&str>)], replaced: Option<Word<'_>>) -> String {
    let quoted = replaced.map(OptionWord::of).filter(|old| pair[0] == *transcoder_name(&old.key));
    if let Some(OptionWord { key, value: Some(old), .. }) = quoted
        && let Some(value) = pair.get(1)
    {
        let written = emit::transcoder_value_word(&key.value(), value);
        return format!("{}={}", key.raw, quoting::value(old, value, written));
    }
    let name = pair[0].as_str().unwrap_or_default();
    let spelled = spelled.iter().find(|(bitrate, _)| *bitrate == name).and_then(|(_, spelled)| *spelled);
    match (spelled, pair.get(1)) {
        (Some(key), Some(value)) => format!("{key}={}", emit::transcoder_value_word(name, value)),
        _ => emit::transcoder_word(pair),
    }
}

//! Settings whose last directive counts: setting one edits the last, removing one removes all.

use std::collections::HashSet;

use serde_json::Value;

use super::Planner;
use super::words::{WordEdits, writable_key, writable_options};
use crate::edit::emit;
use crate::edit::fault::Faults;
use crate::edit::json_pointer::Pointer;
use crate::model::shape::{Address, OptionWord};
use crate::model::to_json;
use crate::schema::kinds::WordKind;
use crate::schema::scalar::Scalar;
use crate::schema::{Codec, ObjectShape, OptionsShape, Parameter, Part, PartPlace, quoting};
use crate::syntax::{Entry, Word};

impl<'d> Planner<'_, 'd> {
    /// Plans the change to `target`, which differs from the value of `entries`.
    pub(super) fn setting(
        &mut self,
        parameter: &'static Parameter,
        entries: &[Entry<'d>],
        target: Option<&Value>,
        pointer: &Pointer,
    ) {
        match (entries.last(), target) {
            (_, None) => entries.iter().for_each(|&entry| self.remove(entry)),
            (None, Some(value)) => self.new_setting(parameter, value, pointer),
            (Some(&last), Some(value)) => match edit(parameter, last, value, pointer) {
                Ok(edits) => self.rewrite(edits.finish()),
                Err(faults) => self.faults.add(faults),
            },
        }
    }

    fn new_setting(&mut self, parameter: &'static Parameter, value: &Value, pointer: &Pointer) {
        self.faults.add(writable(parameter, value, pointer));
        self.add_setting(emit::setting(parameter, value), &[]);
    }
}

/// Returns the faults of a value that is written anew.
pub fn writable(parameter: &Parameter, value: &Value, pointer: &Pointer) -> Faults {
    let mut faults = Faults::default();
    let codec = parameter.codec;
    if let Some(shape) = codec.facts().address {
        return writable_options(shape, value, pointer);
    }
    for (index, element) in value.as_array().into_iter().flatten().enumerate() {
        if codec.facts().options.is_some() {
            let name = element[0].as_str().unwrap_or_default();
            faults.0.extend(writable_key(name, &pointer.child(index).child(0)).err());
        } else if let Some(shape) = codec.facts().sources {
            faults.add(writable_options(shape, element, &pointer.child(index)));
        }
    }
    faults
}

fn edit<'d>(
    parameter: &Parameter,
    entry: Entry<'d>,
    target: &Value,
    pointer: &Pointer,
) -> Result<WordEdits<'d>, Faults> {
    let mut edits = WordEdits::new(entry);
    let codec = parameter.codec;
    if let Some(shape) = codec.facts().address {
        let address =
            Address::from_words(entry.arguments()).expect("a directive of this shape has an address");
        shape.edit(&mut edits, &address, target, pointer)?;
    } else if let Some(options) = codec.facts().options {
        pairs(&mut edits, options, entry, target, pointer)?;
    } else if let Some(object) = codec.facts().object {
        object_words(&mut edits, object, entry, target);
    } else if let Some(kind) = codec.facts().kind {
        only_word(&mut edits, kind, entry, target);
    }
    Ok(edits)
}

/// Replaces the only word of a directive; a bare switch gains a word, a flag may lose it.
fn only_word(edits: &mut WordEdits<'_>, kind: &WordKind, entry: Entry<'_>, target: &Value) {
    let old = entry.arguments().next();
    match (old, (kind.write)(target, old)) {
        (Some(word), Some(new)) => edits.replace(word, new),
        (Some(word), None) => edits.remove(word),
        (None, Some(new)) => edits.insert(entry.head_span().end, &new),
        (None, None) => {}
    }
}

/// Edits the words of an object part by part. A new part is put behind the parts that precede it in the
/// table.
fn object_words(edits: &mut WordEdits<'_>, object: &'static ObjectShape, entry: Entry<'_>, target: &Value) {
    let current = object.read(&[entry], None).unwrap_or_default();
    let paired: Vec<_> = object.part_words(entry).collect();
    let words =
        |part: &'static Part| paired.iter().filter(move |(of, _)| *of == Some(part)).map(|(_, word)| *word);
    let mut previous = entry.words().next().expect("an entry has a keyword");
    for part in object.parts {
        let old: Vec<Word<'_>> = words(part).collect();
        let other = object.alternative(part);
        let in_place = old.last().copied().or_else(|| other.and_then(|other| words(other).next_back()));
        let wanted = [Some(part), other].into_iter().flatten().find(|part| target.get(part.key).is_some());
        match (part.place, in_place, wanted) {
            // Edited already, in the place of the part before it.
            (PartPlace::Instead, ..) => continue,
            (PartPlace::Rest, ..) => {
                let values: Vec<Value> = old.iter().map(|&word| to_json(&Scalar::from_word(word))).collect();
                let new = target.get(part.key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                edits.list(previous, &old, &values, new, |at, replaced| {
                    emit::part_word(object, part, &new[at], replaced)
                });
            }
            (_, Some(_), Some(wanted)) if current.get(wanted.key) == target.get(wanted.key) => {}
            (_, Some(word), Some(wanted)) => {
                edits.replace(word, emit::part_word(object, wanted, &target[wanted.key], Some(word)));
            }
            (_, None, Some(wanted)) => {
                edits.insert(previous.end(), &emit::part_word(object, wanted, &target[wanted.key], None));
            }
            (_, _, None) => old.iter().for_each(|&word| edits.remove(word)),
        }
        previous = in_place.unwrap_or(previous);
    }
}

fn pairs(
    edits: &mut WordEdits<'_>,
    options: &OptionsShape,
    entry: Entry<'_>,
    target: &Value,
    pointer: &Pointer,
) -> Result<(), Faults> {
    let words: Vec<Word<'_>> = entry.arguments().collect();
    let old: Vec<Value> = words.iter().map(|word| options.pair(*word)).collect();
    let empty = Vec::new();
    let new = target.as_array().unwrap_or(&empty);
    let known: HashSet<&Value> = old.iter().collect();
    let faults =
        new.iter().enumerate().filter(|(_, pair)| !known.contains(pair)).filter_map(|(index, pair)| {
            writable_key(pair[0].as_str().unwrap_or_default(), &pointer.child(index).child(0)).err()
        });
    Faults(faults.collect()).into_result(())?;
    let keyword = entry.words().next().expect("an entry has a keyword");
    let first = |name: &str| old.iter().position(|pair| pair[0] == name);
    // A known option keeps the spelling of its name.
    let spelled = |name: &str| {
        let known = options.known(name).filter(|known| known.key == name)?;
        first(known.key).map(|pointer| OptionWord::split(words[pointer]).key.raw)
    };
    edits
        .list(keyword, &words, &old, new, |index, replaced| written(options, &new[index], spelled, replaced));
    Ok(())
}

/// Writes an option, with the quotes of the one whose place it takes.
fn written<'t>(
    options: &OptionsShape,
    pair: &Value,
    spelled: impl Fn(&str) -> Option<&'t str>,
    replaced: Option<Word<'_>>,
) -> String {
    let quoted = replaced.map(OptionWord::split).filter(|old| pair[0] == *options.key(old.key.value()));
    if let Some(OptionWord { key, value: Some(old), .. }) = quoted
        && let Some(value) = pair.get(1)
    {
        let written = emit::option_value_word(options, &key.value(), value);
        return format!("{}={}", key.raw, quoting::value(old, value, written));
    }
    let name = pair[0].as_str().unwrap_or_default();
    match (spelled(name), pair.get(1)) {
        (Some(key), Some(value)) => format!("{key}={}", emit::option_value_word(options, name, value)),
        _ => emit::pair_word(options, pair),
    }
}

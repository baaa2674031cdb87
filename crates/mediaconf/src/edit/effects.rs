//! The effects of a change on streams, as their viewers see them: how many become disabled, how many lose
//! their source.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::config_lookup::{ConfigLookup, Middle};
use super::schema_path::{Place, own_value};
use crate::schema::media::{LIVES, PLUGINS, STREAM, STREAMS, TOP};
use crate::schema::{DirectiveRole, Kind};

/// The effects of a change, counted. A stream may stand in several counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// The number of streams that it touches.
    pub streams: usize,
    /// Of how many, before and after taken together.
    pub of: usize,
    /// The number of streams that become disabled.
    pub become_disabled: usize,
    /// The number of streams that become enabled.
    pub become_enabled: usize,
    /// The number of streams that lose their last source.
    pub lose_source: usize,
    /// The number of streams that get their first source.
    pub get_source: usize,
    /// The number of streams that lose their archive.
    pub lose_archive: usize,
    /// The number of streams that get an archive.
    pub get_archive: usize,
    /// The number of streams that become open: no backend is asked who may watch.
    pub become_open: usize,
    /// The number of streams that get a backend, which is asked who may watch.
    pub become_protected: usize,
    /// The number of new streams.
    pub added: usize,
    /// The number of deleted streams.
    pub deleted: usize,
    /// The number of streams with another name.
    pub renamed: usize,
    /// Streams that change, but not in one of these ways.
    pub change_otherwise: usize,
    /// The number of lives that it touches.
    pub lives: usize,
    /// The number of plugins that it touches.
    pub plugins: usize,
}

impl Effects {
    /// The effects of a change from `before` to `after`.
    pub fn between(before: &dyn ConfigLookup, after: &dyn ConfigLookup) -> Self {
        let sides = [before, after];
        let differing = |kind| before.without_same_ends(after, kind);
        let count = |kind| Changed::between(sides, kind, differing(kind), &mut |_, _| {}).touched();
        let mut effects = Self { lives: count(LIVES), plugins: count(PLUGINS), ..Self::default() };
        let key = DirectiveRole::Backend.key(TOP);
        let global = sides.map(|side| is_closed(side.value(&[key]).as_ref()).unwrap_or(false));
        // What is global may change the meaning of streams that have the same text.
        let streams = if global[0] == global[1] { differing(STREAMS) } else { Middle::ALL };
        let changed = Changed::between(sides, STREAMS, streams, &mut |name, both| match both {
            Some(both) => effects.stream(both, global),
            None if global[0] != global[1] => effects.unchanged_stream(name, after, global[1]),
            None => {}
        });
        (effects.deleted, effects.added) = (changed.deleted, changed.added);
        effects.renamed = changed.renamed;
        effects.streams += changed.touched();
        effects.of = changed.of_after + changed.deleted;
        effects
    }

    /// Counts what goes and comes with an `include`: how many of each kind, and how many streams of included
    /// files there were.
    pub fn include(&mut self, gone: [usize; 3], come: [usize; 3], streams_before: usize) {
        let changed = |kind: Kind| gone[kind.number()] + come[kind.number()];
        let added = come[STREAMS.number()];
        self.deleted += gone[STREAMS.number()];
        self.added += added;
        self.streams += changed(STREAMS);
        self.of += streams_before + added;
        self.lives += changed(LIVES);
        self.plugins += changed(PLUGINS);
    }

    /// Returns the number of streams, lives and plugins that the change touches.
    pub fn entries(&self) -> usize {
        self.streams + self.lives + self.plugins
    }

    /// The effects in one line; `None` if there is none.
    pub fn in_words(&self) -> Option<String> {
        let counts = [
            (self.become_disabled, "becomes disabled", "become disabled"),
            (self.become_enabled, "becomes enabled", "become enabled"),
            (self.lose_source, "loses its source", "lose their source"),
            (self.get_source, "gets a source", "get a source"),
            (self.lose_archive, "loses its archive", "lose their archive"),
            (self.get_archive, "gets an archive", "get an archive"),
            (self.become_open, "becomes open to all", "become open to all"),
            (self.become_protected, "becomes protected", "become protected"),
            (self.added, "is added", "are added"),
            (self.deleted, "is deleted", "are deleted"),
            (self.renamed, "gets another name", "get other names"),
            (self.change_otherwise, "changes otherwise", "change otherwise"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let words: Vec<String> = counts
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        let streams = (self.streams > 0)
            .then(|| format!("{} of {} streams: {}", self.streams, self.of, words.join(", ")));
        let others =
            [(self.lives, "live"), (self.plugins, "plugin")].into_iter().filter(|(count, _)| *count > 0);
        let others =
            others.map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }));
        streams.into_iter().chain(others).reduce(|line, more| format!("{line}; {more}"))
    }

    /// Counts what becomes of one stream.
    fn stream(&mut self, [old, new]: &[Value; 2], global: [bool; 2]) {
        let roles =
            [DirectiveRole::Disabled, DirectiveRole::Sources, DirectiveRole::Archive, DirectiveRole::Backend];
        let [off, sources, archive, backend] = roles.map(|role| role.key(STREAM));
        let is_disabled = |stream: &Value| stream[off] == true;
        let has_source = |stream: &Value| stream[sources].as_array().is_some_and(|urls| !urls.is_empty());
        let has_archive = |stream: &Value| stream.get(archive).is_some();
        let is_protected = |stream: &Value, global: bool| is_closed(stream.get(backend)).unwrap_or(global);
        let counts = [
            (is_disabled(old), is_disabled(new), &mut self.become_enabled, &mut self.become_disabled),
            (has_source(old), has_source(new), &mut self.lose_source, &mut self.get_source),
            (has_archive(old), has_archive(new), &mut self.lose_archive, &mut self.get_archive),
            (
                is_protected(old, global[0]),
                is_protected(new, global[1]),
                &mut self.become_open,
                &mut self.become_protected,
            ),
        ];
        let mut is_told = false;
        for (was, is, lost, got) in counts {
            if was != is {
                *(if is { got } else { lost }) += 1;
                is_told = true;
            }
        }
        self.change_otherwise += usize::from(!is_told);
    }

    /// Counts a stream that a change of the backend for all of them opens, or protects.
    fn unchanged_stream(&mut self, name: &str, after: &dyn ConfigLookup, is_protected: bool) {
        let own = after.value(&[STREAMS.key(), name, DirectiveRole::Backend.key(STREAM)]);
        if is_closed(own.as_ref()).is_none() {
            self.streams += 1;
            *(if is_protected { &mut self.become_protected } else { &mut self.become_open }) += 1;
        }
    }
}

/// True if a backend is asked; `None` if this `auth` has no URL of its own.
fn is_closed(auth: Option<&Value>) -> Option<bool> {
    match auth?.get("url")? {
        Value::String(_) => Some(true),
        Value::Bool(false) => Some(false),
        _ => None,
    }
}

/// The number of entries of one kind that differ.
struct Changed {
    /// Those that both sides have.
    both: usize,
    deleted: usize,
    added: usize,
    renamed: usize,
    /// The number of all that the new side has.
    of_after: usize,
}

impl Changed {
    /// Compares these entries of a kind. `look` gets the name of each one that both sides have, with its own values
    /// if they differ: they are not kept, since there may be many.
    fn between(
        sides: [&dyn ConfigLookup; 2],
        kind: Kind,
        Middle { places: [old, new], same }: Middle,
        look: &mut dyn FnMut(&str, Option<&[Value; 2]>),
    ) -> Self {
        let [before, after] = sides;
        let own = |side: &dyn ConfigLookup, name: &str| {
            let value = side.value(&[kind.key(), name]);
            value.and_then(|value| own_value(Place::Block(kind), &value)).unwrap_or_default()
        };
        let (mut both, mut added, mut of_after) = (0, Vec::new(), same);
        after.each_name(kind, new, &mut |name| {
            of_after += 1;
            if !before.contains(&[kind.key(), name]) {
                added.push(hash_of(&own(after, name)));
            } else if before.has_same_block(after, kind, name) {
                look(name, None);
            } else {
                let values = sides.map(|side| own(side, name));
                let differs = values[0] != values[1];
                both += usize::from(differs);
                look(name, Some(&values).filter(|_| differs));
            }
        });
        let mut deleted = Vec::new();
        before.each_name(kind, old, &mut |name| {
            if !after.contains(&[kind.key(), name]) {
                deleted.push(hash_of(&own(before, name)));
            }
        });
        let renamed = pairs(&deleted, &added);
        Self { both, deleted: deleted.len() - renamed, added: added.len() - renamed, renamed, of_after }
    }

    /// The number of those that differ.
    fn touched(&self) -> usize {
        self.both + self.deleted + self.added + self.renamed
    }
}

fn hash_of(own: &Value) -> u128 {
    xxh3_128(own.to_string().as_bytes())
}

/// The number of pairs of a deleted entry and an added one with the same values, which are one that got another
/// name.
fn pairs(deleted: &[u128], added: &[u128]) -> usize {
    let mut left: HashMap<u128, usize> = HashMap::new();
    deleted.iter().for_each(|hash| *left.entry(*hash).or_default() += 1);
    let is_pair = |hash: &&u128| match left.get_mut(hash).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            true
        }
        None => false,
    };
    added.iter().filter(is_pair).count()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Effects;

    fn words(before: &Value, after: &Value) -> Option<String> {
        Effects::between(before, after).in_words()
    }

    #[test]
    fn effects_are_counted_stream_by_stream() {
        let stream = |more: Value| {
            let mut stream = json!({"name": "x", "position": 1, "urls": [{"url": "udp://1"}]});
            stream.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            stream
        };
        let plain = || stream(json!({}));
        let of = |streams: Value| json!({"auth": {"url": "http://g"}, "streams": streams});
        for (before, after, expected) in [
            (of(json!({"a": plain()})), of(json!({"a": stream(json!({"position": 2}))})), None),
            (
                of(json!({"a": plain(), "b": plain()})),
                of(
                    json!({"a": stream(json!({"disabled": true})), "b": stream(json!({"disabled": true, "urls": []}))}),
                ),
                Some("2 of 2 streams: 2 become disabled, 1 loses its source"),
            ),
            (
                of(json!({"a": stream(json!({"dvr": {"root": "/d"}})), "b": plain(), "c": plain()})),
                of(
                    json!({"a": plain(), "b": stream(json!({"auth": {"url": false}})), "c": stream(json!({"title": "t"}))}),
                ),
                Some("3 of 3 streams: 1 loses its archive, 1 becomes open to all, 1 changes otherwise"),
            ),
            (
                of(json!({"a": stream(json!({"title": "a"})), "b": plain()})),
                of(json!({"c": stream(json!({"title": "a"})), "d": stream(json!({"title": "d"}))})),
                Some("3 of 3 streams: 1 is added, 1 is deleted, 1 gets another name"),
            ),
            (
                of(json!({"a": plain(), "b": stream(json!({"auth": {"url": "http://own"}}))})),
                json!({"streams": {"a": plain(), "b": stream(json!({"auth": {"url": "http://own"}}))}}),
                Some("1 of 2 streams: 1 becomes open to all"),
            ),
            (json!({"lives": {"l": {}}}), json!({"lives": {}}), Some("1 live")),
            (
                json!({"plugins": {"p": {}}}),
                of(json!({"a": plain()})),
                Some("1 of 1 streams: 1 is added; 1 plugin"),
            ),
        ] {
            assert_eq!(words(&before, &after).as_deref(), expected);
        }
    }
}

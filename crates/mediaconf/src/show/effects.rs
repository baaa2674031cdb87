//! The effects of a change on streams, as their viewers see them: how many become disabled, how many lose
//! their source.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use crate::edit::ConfigLookup;
use crate::merge::diff::BlockPairs;
use crate::schema::{DirectiveRole, Kind, Scope};

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
        let touched = |kind| {
            let blocks = BlockPairs::new(kind, sides);
            let differing = blocks.pairs.iter().filter(|pair| blocks.changed(pair).is_some());
            differing.count() + added_deleted_renamed(&blocks).iter().sum::<usize>()
        };
        let mut effects =
            Self { lives: touched(Kind::Lives), plugins: touched(Kind::Plugins), ..Self::default() };
        let key = DirectiveRole::Backend.key(Scope::Top);
        let global = sides.map(|side| is_closed(side.value(&[key]).as_ref()).unwrap_or(false));
        let streams = BlockPairs::new(Kind::Streams, sides);
        for pair in streams.pairs.iter().filter(|pair| pair.is_on_both_sides()) {
            match streams.changed(pair) {
                Some(_) if global[0] != global[1] => {
                    effects.stream([0, 1].map(|side| streams.value(pair, side)), global);
                }
                Some(changed) => effects.stream(changed.both, global),
                // What is global may change the meaning of streams that have the same text.
                None if global[0] != global[1] => {
                    effects.unchanged_stream(&streams.value(pair, 1), global[1])
                }
                None => {}
            }
        }
        [effects.added, effects.deleted, effects.renamed] = added_deleted_renamed(&streams);
        effects.streams += effects.added + effects.deleted + effects.renamed;
        effects.of = streams.pairs.len() - effects.renamed;
        effects
    }

    /// Counts what goes and comes with an `include`: how many of each kind, and how many streams of included
    /// files there were.
    pub fn include(&mut self, gone: [usize; 3], come: [usize; 3], streams_before: usize) {
        let changed = |kind: Kind| gone[kind.number()] + come[kind.number()];
        let added = come[Kind::Streams.number()];
        self.deleted += gone[Kind::Streams.number()];
        self.added += added;
        self.streams += changed(Kind::Streams);
        self.of += streams_before + added;
        self.lives += changed(Kind::Lives);
        self.plugins += changed(Kind::Plugins);
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
    fn stream(&mut self, both: [Value; 2], global: [bool; 2]) {
        let [off, sources, archive] =
            [DirectiveRole::Disabled, DirectiveRole::Sources, DirectiveRole::Archive]
                .map(|role| role.key(Scope::Stream));
        let [old, new] = [0, 1].map(|side| {
            let stream = &both[side];
            let has_source = stream[sources].as_array().is_some_and(|urls| !urls.is_empty());
            let is_protected = own_protection(stream).unwrap_or(global[side]);
            [stream[off] == true, has_source, stream.get(archive).is_some(), is_protected]
        });
        let counts = [
            [&mut self.become_enabled, &mut self.become_disabled],
            [&mut self.lose_source, &mut self.get_source],
            [&mut self.lose_archive, &mut self.get_archive],
            [&mut self.become_open, &mut self.become_protected],
        ];
        for (at, [lost, got]) in counts.into_iter().enumerate().filter(|(at, _)| old[*at] != new[*at]) {
            *(if new[at] { got } else { lost }) += 1;
        }
        self.streams += 1;
        self.change_otherwise += usize::from(old == new);
    }

    /// Counts a stream that a change of the backend for all of them opens, or protects.
    fn unchanged_stream(&mut self, stream: &Value, is_protected: bool) {
        if own_protection(stream).is_none() {
            self.streams += 1;
            *(if is_protected { &mut self.become_protected } else { &mut self.become_open }) += 1;
        }
    }
}

/// True if a backend of its own is asked who may watch a stream; `None` if that of all is.
fn own_protection(stream: &Value) -> Option<bool> {
    is_closed(stream.get(DirectiveRole::Backend.key(Scope::Stream)))
}

/// True if a backend is asked; `None` if this `auth` has no URL of its own.
fn is_closed(auth: Option<&Value>) -> Option<bool> {
    match auth?.get("url")? {
        Value::String(_) => Some(true),
        Value::Bool(false) => Some(false),
        _ => None,
    }
}

/// The numbers of blocks that only one side has. A deleted one and an added one with the same values are one that got
/// another name.
fn added_deleted_renamed(blocks: &BlockPairs<'_>) -> [usize; 3] {
    let (mut left, mut deleted): (HashMap<u128, usize>, usize) = (HashMap::new(), 0);
    let on = |side: usize| blocks.pairs.iter().filter(move |pair| pair.places[1 - side].is_none());
    let hash = |pair, side| xxh3_128(Value::Object(blocks.own(pair, side)).to_string().as_bytes());
    for pair in on(0) {
        *left.entry(hash(pair, 0)).or_default() += 1;
        deleted += 1;
    }
    let (mut added, mut renamed) = (0, 0);
    for pair in on(1) {
        match left.get_mut(&hash(pair, 1)).filter(|left| **left > 0) {
            Some(same) => (*same, renamed) = (*same - 1, renamed + 1),
            None => added += 1,
        }
    }
    [added, deleted - renamed, renamed]
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

//! The effects of a change on streams, as their viewers see them: how many become disabled, how many lose
//! their source.

use std::iter::zip;

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use crate::merge::ChangedValue;
use crate::query::Config;
use crate::schema::{DirectiveRole, Kind, Schema, Scope, is_empty};

const URL: &str = Schema::ADDRESS;

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
    pub other_settings: usize,
    /// The number of lives that it touches.
    pub lives: usize,
    /// The number of plugins that it touches.
    pub plugins: usize,
}

impl Effects {
    /// The effects of a change from `before` to `after`, in which these values differ.
    pub fn of(changed: &[ChangedValue], [before, after]: [&Config<'_>; 2]) -> Self {
        let (group, of_all) = (Kind::Streams.key(), [DirectiveRole::Backend.key(Scope::Top), URL]);
        let own = DirectiveRole::Backend.key(Scope::Stream);
        let global = [before, after].map(|side| is_closed(side.value(&of_all).as_ref()).unwrap_or(false));
        // What is global may change the meaning of streams that have the same text.
        let names = if global[0] == global[1] { Vec::new() } else { after.names(&[group]) };
        let follows = |name: &String| is_closed(after.value(&[group, name, own, URL]).as_ref()).is_none();
        let mut following: HashSet<String> = names.into_iter().filter(follows).collect();
        let mut effects = Self::of_blocks(Kind::Streams, changed, global, &mut following);
        following.iter().for_each(|_| effects.stream(&[], global, true));
        let [lives, plugins] = [Kind::Lives, Kind::Plugins]
            .map(|kind| Self::of_blocks(kind, changed, global, &mut HashSet::default()).streams);
        Self { lives, plugins, of: before.count(Kind::Streams) + effects.added, ..effects }
    }

    /// Counts the blocks of a kind as if they were streams, and takes them out of those that are `following` what is global.
    /// A deleted one and an added one with the same values are one that got another name.
    fn of_blocks(
        kind: Kind,
        changed: &[ChangedValue],
        global: [bool; 2],
        following: &mut HashSet<String>,
    ) -> Self {
        let mut effects = Self::default();
        let mut deleted: HashMap<u128, usize> = HashMap::default();
        let hash = |block: &Value| xxh3_128(block.to_string().as_bytes());
        let is_same = |one: &ChangedValue, next: &ChangedValue| one.keys.get(..2) == next.keys.get(..2);
        for block in changed.chunk_by(is_same).filter(|block| block[0].keys[0] == kind.key()) {
            let ChangedValue { keys, before, after } = &block[0];
            match (keys.get(2), before, after) {
                // It only moves.
                (Some(key), ..) if key == Schema::POSITION => continue,
                (Some(_), ..) => effects.stream(block, global, following.contains(&keys[1])),
                (None, Some(old), _) => *deleted.entry(hash(old)).or_default() += 1,
                (None, _, new) => match new.as_ref().and_then(|new| deleted.get_mut(&hash(new))) {
                    Some(same) if *same > 0 => {
                        *same -= 1;
                        effects.renamed += 1;
                    }
                    _ => effects.added += 1,
                },
            }
            following.remove(&keys[1]);
        }
        effects.deleted = deleted.values().sum();
        effects.streams += effects.added + effects.deleted + effects.renamed;
        effects
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
            (self.other_settings, "has other settings changed", "have other settings changed"),
        ];
        let counted = |(count, one, many): (usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        };
        let words: Vec<String> = counts.into_iter().filter_map(counted).collect();
        let streams = format!("{} of {} streams: {}", self.streams, self.of, words.join(", "));
        let others = [(self.lives, "live", "lives"), (self.plugins, "plugin", "plugins")];
        let others = others.into_iter().filter_map(counted);
        let parts = (self.streams > 0).then_some(streams).into_iter().chain(others);
        parts.reduce(|line, more| format!("{line}; {more}"))
    }

    /// Counts what becomes of one stream, in which these values differ; `follows` says that it has no backend of its own.
    fn stream<'v>(&mut self, changed: &'v [ChangedValue], global: [bool; 2], follows: bool) {
        let sides = |value: &'v ChangedValue| [value.before.as_ref(), value.after.as_ref()];
        let find = |keys: &[&str]| changed.iter().find(|value| value.keys[2..] == *keys).map(sides);
        let whole = |role: DirectiveRole| find(&[role.key(Scope::Stream)]);
        let [disabled, urls, archive] =
            [DirectiveRole::Disabled, DirectiveRole::Sources, DirectiveRole::Archive]
                .map(|role| whole(role).unwrap_or_default());
        let url = find(&[DirectiveRole::Backend.key(Scope::Stream), URL])
            .or_else(|| Some(whole(DirectiveRole::Backend)?.map(|auth| auth?.get(URL))));
        let is_protected = |side: usize| match &url {
            Some(url) => is_closed(url[side]).unwrap_or(global[side]),
            None => follows && global[side],
        };
        let facts = [
            disabled.map(|value| value == Some(&Value::Bool(true))),
            urls.map(|urls| urls.is_some_and(|urls| !is_empty(urls))),
            archive.map(|archive| archive.is_some()),
            [0, 1].map(is_protected),
        ];
        let counts = [
            [&mut self.become_enabled, &mut self.become_disabled],
            [&mut self.lose_source, &mut self.get_source],
            [&mut self.lose_archive, &mut self.get_archive],
            [&mut self.become_open, &mut self.become_protected],
        ];
        for ([_, is_now], [lost, got]) in zip(facts, counts).filter(|([old, new], _)| old != new) {
            *(if is_now { got } else { lost }) += 1;
        }
        self.streams += 1;
        self.other_settings += usize::from(facts.iter().all(|[old, new]| old == new));
    }
}

/// True if a backend is asked at this URL; `None` if there is no own URL.
fn is_closed(url: Option<&Value>) -> Option<bool> {
    match url? {
        Value::String(_) => Some(true),
        Value::Bool(false) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ChangedValue, Config, Effects};

    fn words(before: &Value, after: &Value) -> Option<String> {
        let [before, after] = [before, after].map(Config::from);
        Effects::of(&ChangedValue::between(&before, &after), [&before, &after]).in_words()
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
                Some(
                    "3 of 3 streams: 1 loses its archive, 1 becomes open to all, 1 has other settings changed",
                ),
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

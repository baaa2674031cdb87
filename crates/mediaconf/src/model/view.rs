//! The JSON view of a configuration: one stream, live or plugin after the other, so that a serializer never needs all of
//! them at once.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::schema::codec::{Address, General, header_address, read_members};
use crate::schema::members::{Member, Members};
use crate::schema::{BlockHead, CLUSTER_KEY_GLOBAL, Codec, DirectiveRole, Kind, Object, Schema, URL_GLOBAL};
use crate::syntax::{Document, Entry, Word};

/// The members of a configuration that a view shows. Secrets are shown: a masked view is that of the masked text.
#[derive(Debug, Default, Clone)]
pub struct Lens {
    /// Leave out derived members: names, positions, global values.
    pub own_only: bool,
    /// Leave out streams with `static: true`.
    pub skip_static_streams: bool,
}

impl Lens {
    /// Own values alone.
    pub fn own() -> Self {
        Self { own_only: true, ..Self::default() }
    }
}

/// A whole configuration as JSON.
pub struct View<'a, 'd> {
    members: &'a Members<'d>,
    globals: Object,
    lens: &'a Lens,
}

impl Document {
    /// The members of the top level.
    pub fn members(&self) -> Members<'_> {
        Members::group(Schema::media().top(), self.entries())
    }
}

/// The values of the top level that streams and lives repeat.
fn globals(top: &Members<'_>) -> Object {
    let value = |role: DirectiveRole| {
        let row = top.scope().by_key(role.key(top.scope()))?;
        row.codec.read(top.own(row), None)
    };
    let url = value(DirectiveRole::Backend).and_then(|backend| backend.get("url").cloned());
    let url = url.filter(Value::is_string).map(|url| (URL_GLOBAL.to_owned(), url));
    let cluster_key = value(DirectiveRole::ClusterKey).map(|key| (CLUSTER_KEY_GLOBAL.to_owned(), key));
    url.into_iter().chain(cluster_key).collect()
}

impl<'a, 'd> View<'a, 'd> {
    /// The view of a document whose top-level members are `members`.
    ///
    /// It is meaningful only for a document without errors.
    pub fn new(members: &'a Members<'d>, lens: &'a Lens) -> Self {
        Self { members, globals: globals(members), lens }
    }

    /// The value of one top-level key; `None` if it is not shown.
    pub fn member(&self, key: &str) -> Option<Value> {
        match (self.blocks(key), self.members.scope().by_key(key)) {
            (Some(blocks), _) => Some(to_json(&blocks)),
            (None, Some(row)) => row.read(self.members.read_by(row), None),
            (None, None) => General { keyword: key }.read(self.members.foreign_by_key(key), None),
        }
    }

    /// True if a top-level key is shown.
    pub fn shows(&self, key: &str) -> bool {
        match self.members.scope().by_key(key) {
            Some(row) => row.always_shown || row.codec.read(self.members.read_by(row), None).is_some(),
            None => !self.members.foreign_by_key(key).is_empty(),
        }
    }

    fn blocks(&self, key: &str) -> Option<Blocks<'_, 'a, 'd>> {
        let row = self.members.scope().by_key(key)?;
        let kind = row.codec.facts().group?;
        Some(Blocks { view: self, kind, entries: self.members.own(row) })
    }

    /// The value of one stream, live or plugin, whose place in its group is `index` (from 0).
    pub fn named(&self, kind: Kind, index: usize, entry: Entry<'d>) -> Value {
        let members = Members::group(kind.scope(), entry.children());
        let globals = (!self.lens.own_only).then_some(&self.globals);
        Value::Object(read_members(&members, Some(&BlockHead { kind, entry, position: index + 1, globals })))
    }

    /// The keys of the top-level members, in their order.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let own = self.members.scope().rows().filter(|row| self.shows(row.key));
        let key = |member: &'a Member<'d>| self.members.scope().key_of(&member.keyword);
        own.map(|row| Cow::Borrowed(row.key)).chain(self.members.foreign().iter().map(key))
    }
}

impl Serialize for View<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for key in self.keys() {
            match self.blocks(&key) {
                Some(blocks) => map.serialize_entry(&key, &blocks)?,
                None => map.serialize_entry(&key, &self.member(&key))?,
            }
        }
        map.end()
    }
}

/// The blocks of a group, by name.
struct Blocks<'v, 'a, 'd> {
    view: &'v View<'a, 'd>,
    kind: Kind,
    entries: &'v [Entry<'d>],
}

impl Serialize for Blocks<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_skipped = |entry: Entry<'_>| self.view.lens.skip_static_streams && self.kind.is_static(entry);
        let shown = self.entries.iter().enumerate().filter(|(_, entry)| !is_skipped(**entry));
        serializer.collect_map(
            shown.map(|(index, &entry)| {
                (entry.group_name().value(), self.view.named(self.kind, index, entry))
            }),
        )
    }
}

/// Something of this layer, such as a view or a part of one, as a JSON value.
pub fn to_json(shown: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(shown)
        .expect("the model shows only strings, safe numbers, booleans, arrays and objects")
}

/// The sources of one `url` entry; a `urls A B;` line has one for each word.
pub fn entry_sources(entry: Entry<'_>) -> impl Iterator<Item = Address<'_>> {
    Address::of_entry(entry)
}

impl<'d> Entry<'d> {
    /// The sources of a stream: the one in a one-line header, then those of the `url` entries of its block.
    pub fn sources(self, entries: impl Iterator<Item = Self>) -> impl Iterator<Item = Address<'d>> {
        header_address(self).into_iter().chain(entries.flat_map(entry_sources))
    }

    /// Login and password of the last account directive. `None` if either is empty, or if the login holds
    /// a colon, which Basic authentication can't transmit.
    pub fn usable_account(accounts: &[Self]) -> Option<[Word<'d>; 2]> {
        let last = accounts.last()?;
        let mut words = last.arguments();
        let both = [words.next()?, words.next()?];
        let is_usable = both.iter().all(|word| !word.value().is_empty()) && !both[0].value().contains(':');
        (last.count_arguments() == 2 && is_usable).then_some(both)
    }
}

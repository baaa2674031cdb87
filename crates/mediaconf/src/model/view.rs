//! The JSON view of a configuration, streamed from the document.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::general::{Contents, General, foreign_members};
use super::json::to_json;
use super::member::{Members, key_of};
use super::setting_view::{BackendView, Setting, Sources, is_open};
use super::shape::{Address, group_name, only_argument};
use crate::schema::{Derived, DirectiveRole, Kind, ListShape, Parameter, Schema, Shape};
use crate::syntax::{Document, Entry, Word};

/// The members of a configuration that a view shows. Secrets are masked afterwards, in the JSON.
#[derive(Debug, Default, Clone)]
pub struct Lens {
    /// Leave out derived members: names, positions, global values.
    pub own_only: bool,
    /// Leave out streams with `static: true`.
    pub skip_static_streams: bool,
}

/// A whole configuration as JSON.
pub struct View<'a, 'd> {
    members: &'a Members<'d>,
    globals: Globals,
    lens: &'a Lens,
}

/// The global values that every stream and live repeats.
#[derive(Debug, Default)]
struct Globals {
    url: Option<String>,
    cluster_key: Option<String>,
}

impl Globals {
    fn from_members(top: &Members<'_>) -> Self {
        let backend = top
            .own_by_key(DirectiveRole::Backend.key(top.scope()))
            .last()
            .and_then(|entry| Address::from_words(entry.arguments()));
        let url = backend.filter(|backend| !is_open(backend)).map(|backend| backend.positional);
        let key = top
            .own_by_key(DirectiveRole::ClusterKey.key(top.scope()))
            .last()
            .and_then(|&entry| only_argument(entry));
        let value = |word: Word<'_>| word.value().into_owned();
        Self { url: url.map(value), cluster_key: key.map(value) }
    }
}

/// The top-level members of a document.
pub fn top_members(document: &Document) -> Members<'_> {
    Members::group(Schema::media().top(), document.entries())
}

impl<'a, 'd> View<'a, 'd> {
    /// The view of a document whose top-level members are `members`.
    ///
    /// It is meaningful only for a document without errors.
    pub fn new(members: &'a Members<'d>, lens: &'a Lens) -> Self {
        Self { members, globals: Globals::from_members(members), lens }
    }

    /// The value of one top-level key; `None` if it is not shown.
    pub fn member(&self, key: &str) -> Option<serde_json::Value> {
        match self.members.scope().by_key(key) {
            Some(parameter) => self.own(parameter).map(|own| to_json(&own)),
            None => general(self.members.foreign_by_key(key)),
        }
    }

    /// True if a top-level key is shown.
    pub fn shows(&self, key: &str) -> bool {
        match self.members.scope().by_key(key) {
            Some(parameter) => self.own(parameter).is_some(),
            None => !self.members.foreign_by_key(key).is_empty(),
        }
    }

    /// The value of one stream, live or plugin, whose place in its group is `index` (from 0).
    pub fn named(&self, kind: Kind, index: usize, entry: Entry<'d>) -> serde_json::Value {
        let members = Members::group(kind.scope(), entry.children());
        to_json(&self.block(kind, index, entry, &members))
    }

    /// The keys of the top-level members, in their order.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.shown().map(|(key, _)| key)
    }

    /// The top-level members, in their order.
    fn shown(&self) -> impl Iterator<Item = (Cow<'_, str>, TopMember<'_, 'a, 'd>)> {
        let own = self.members.scope().rows().filter_map(|parameter| {
            self.own(parameter).map(|own| (Cow::Borrowed(parameter.key), TopMember::Own(own)))
        });
        own.chain(self.members.foreign().iter().map(|member| {
            let general = General { entries: &member.entries };
            (key_of(self.members.scope(), &member.keyword), TopMember::Foreign(general))
        }))
    }

    fn own(&self, parameter: &'static Parameter) -> Option<Own<'_, 'a, 'd>> {
        let entries = self.members.own(parameter);
        let shown = match parameter.shape {
            Shape::Blocks(list) => self.with_block(list).next().is_some(),
            _ => !entries.is_empty() || parameter.always_shown,
        };
        shown.then_some(Own { view: self, parameter, entries })
    }

    /// The entries of a list that have a block; of several for one value, the last.
    fn with_block(&self, list: &ListShape) -> impl Iterator<Item = Entry<'d>> {
        let mut seen = HashSet::new();
        let blocks = self.members.own_by_key(list.key).iter().rev().filter(|entry| entry.is_block());
        let last: Vec<Entry<'d>> = blocks.copied().filter(|&entry| seen.insert(list_value(entry))).collect();
        last.into_iter().rev()
    }

    fn head(&self, kind: Kind, index: usize, entry: Entry<'d>) -> BlockHead<'_, 'd> {
        BlockHead { kind, position: index + 1, entry, globals: &self.globals, lens: self.lens }
    }

    fn block<'v>(
        &'v self,
        kind: Kind,
        index: usize,
        entry: Entry<'d>,
        members: &'v Members<'d>,
    ) -> NamedBlock<'v, 'd> {
        NamedBlock { head: self.head(kind, index, entry), members }
    }
}

impl Serialize for View<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.shown())
    }
}

/// The value of a top-level member.
#[derive(Serialize)]
#[serde(untagged)]
enum TopMember<'v, 'a, 'd> {
    Own(Own<'v, 'a, 'd>),
    Foreign(General<'v, 'd>),
}

/// A known top-level member.
struct Own<'v, 'a, 'd> {
    view: &'v View<'a, 'd>,
    parameter: &'static Parameter,
    entries: &'v [Entry<'d>],
}

impl Serialize for Own<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.parameter.shape {
            Shape::Group(kind) => self.group(kind, serializer),
            Shape::Blocks(list) => self.blocks(list, serializer),
            _ => Setting { parameter: self.parameter, entries: self.entries }.serialize(serializer),
        }
    }
}

impl Own<'_, '_, '_> {
    fn group<S: Serializer>(&self, kind: Kind, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut members = Members::empty(kind.scope());
        for (index, &entry) in self.entries.iter().enumerate() {
            if self.view.lens.skip_static_streams && is_static(kind, entry) {
                continue;
            }
            members.refill(entry.children());
            map.serialize_entry(&group_name(entry).value(), &self.view.block(kind, index, entry, &members))?;
        }
        map.end()
    }

    fn blocks<S: Serializer>(&self, list: &ListShape, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for block in self.view.with_block(list) {
            map.serialize_entry(&list_value(block), &Contents { block })?;
        }
        map.end()
    }
}

/// The value of an unknown member with these entries; `None` without entries.
fn general(entries: &[Entry<'_>]) -> Option<serde_json::Value> {
    (!entries.is_empty()).then(|| to_json(&General { entries }))
}

/// The value of an entry of a list, as the key of its block.
pub fn list_value(entry: Entry<'_>) -> Cow<'_, str> {
    only_argument(entry).map(|word| word.value()).unwrap_or_default()
}

/// True if a block may run on demand, and this one always runs: its keyword is `stream`, not `ondemand`.
pub fn is_static(kind: Kind, entry: Entry<'_>) -> bool {
    kind.may_be_on_demand() && entry.keyword() == kind.noun()
}

/// A stream, a live or a plugin.
struct NamedBlock<'v, 'd> {
    head: BlockHead<'v, 'd>,
    /// The entries in its block.
    members: &'v Members<'d>,
}

impl Serialize for NamedBlock<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (parameter, entries) in self.members.each_own() {
            self.head.member(parameter, entries, &mut map)?;
        }
        foreign_members(self.members, self.head.kind.scope(), &mut map)?;
        map.end()
    }
}

/// The members that a stream, live or plugin shows besides its own entries.
struct BlockHead<'v, 'd> {
    kind: Kind,
    position: usize,
    entry: Entry<'d>,
    globals: &'v Globals,
    lens: &'v Lens,
}

impl BlockHead<'_, '_> {
    /// Writes a known member, if it is shown.
    fn member<M: SerializeMap>(
        &self,
        parameter: &'static Parameter,
        entries: &[Entry<'_>],
        map: &mut M,
    ) -> Result<(), M::Error> {
        let key = parameter.key;
        match parameter.shape {
            Shape::Derived(what) => self.derived(key, what, map),
            Shape::Addresses(_) if parameter.always_shown => {
                map.serialize_entry(key, &Sources { header: self.entry, entries })
            }
            Shape::Address(shape) => {
                let own = entries.last().copied();
                let url_global = self.globals.url.as_deref().filter(|_| !self.lens.own_only);
                match own.is_some() || url_global.is_some() {
                    true => map.serialize_entry(key, &BackendView { shape, own, url_global }),
                    false => Ok(()),
                }
            }
            _ if entries.is_empty() => match parameter.always_shown {
                true => map.serialize_entry(key, &parameter.value_of_nothing()),
                false => Ok(()),
            },
            _ => {
                let setting = Setting { parameter, entries };
                if setting.is_shown() { map.serialize_entry(key, &setting) } else { Ok(()) }
            }
        }
    }

    fn derived<M: SerializeMap>(&self, key: &str, what: Derived, map: &mut M) -> Result<(), M::Error> {
        match what {
            Derived::Static => map.serialize_entry(key, &is_static(self.kind, self.entry)),
            _ if self.lens.own_only => Ok(()),
            Derived::Name => map.serialize_entry(key, &group_name(self.entry).value()),
            Derived::Position => map.serialize_entry(key, &self.position),
            Derived::Global => match &self.globals.cluster_key {
                Some(value) => map.serialize_entry(key, value),
                None => Ok(()),
            },
            Derived::Former | Derived::Runtime | Derived::Included | Derived::Address => Ok(()),
        }
    }
}

/// The own members of one stream, live or plugin, unmasked.
pub fn named_own(kind: Kind, entry: Entry<'_>) -> serde_json::Value {
    own_members(kind, entry, entry.children())
}

/// The same, of some of the entries in its block.
pub fn own_members<'d>(
    kind: Kind,
    entry: Entry<'d>,
    inside: impl Iterator<Item = Entry<'d>>,
) -> serde_json::Value {
    let lens = Lens { own_only: true, ..Lens::default() };
    let members = &Members::group(kind.scope(), inside);
    let head = BlockHead { kind, position: 0, entry, globals: &Globals::default(), lens: &lens };
    to_json(&NamedBlock { head, members })
}

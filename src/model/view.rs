//! The JSON view of a configuration, streamed from the document.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::general::{Contents, General, foreign_members};
use super::json::to_json;
use super::lens::Lens;
use super::member::Members;
use super::scalar::Scalar;
use super::schema::{
    Derived, Kind, ObjectShape, Parameter, PartForm, Scope, Shape, URL_GLOBAL, ValueType, by_key, parameters,
};
use super::shape::{
    Address, OptionWord, Port, Seconds, duration, first_argument, group_name, header_source, only_argument,
    part_words, percent, reference, seconds, switch, transcoder_name, transcoder_value,
};
use crate::syntax::{Document, Entry, Word};

/// A whole configuration as JSON.
pub struct View<'a, 'd> {
    members: &'a Members<'d>,
    globals: Globals<'d>,
    lens: &'a Lens,
}

/// What is repeated in every stream and live.
#[derive(Debug, Default, Clone, PartialEq)]
struct Globals<'d> {
    url: Option<Cow<'d, str>>,
    cluster_key: Option<Cow<'d, str>>,
}

impl<'d> Globals<'d> {
    fn of(top: &Members<'d>) -> Self {
        let backend = top.own_by_key("auth").last().and_then(|entry| Address::of(entry.arguments()));
        let url = backend.filter(|backend| !is_open(backend)).map(|backend| backend.positional.value());
        let key = top.own_by_key("cluster_key").last().and_then(|&entry| only_argument(entry));
        Self { url, cluster_key: key.map(|word| word.value()) }
    }
}

/// `auth false;` opens what it stands in; `auth "false";` names a backend.
pub fn is_open(backend: &Address<'_>) -> bool {
    backend.positional.raw == "false"
}

/// The top-level members of a document.
pub fn top_members(document: &Document) -> Members<'_> {
    Members::of(Scope::Top, document.entries())
}

impl<'a, 'd> View<'a, 'd> {
    /// The view of a document whose top-level members are `members`.
    ///
    /// It is meaningful only for a document without errors.
    pub fn new(members: &'a Members<'d>, lens: &'a Lens) -> Self {
        Self { members, globals: Globals::of(members), lens }
    }

    /// The value of one top-level key; `None` if it is not shown.
    pub fn member(&self, key: &str) -> Option<serde_json::Value> {
        match by_key(Scope::Top, key) {
            Some(parameter) => self.own(parameter).map(|own| to_json(&own)),
            None => match self.members.foreign_by_key(key) {
                [] => None,
                entries => Some(to_json(&General { entries })),
            },
        }
    }

    /// The value of one stream, live or plugin, whose place in its group is `at` (from 0).
    pub fn named(&self, kind: Kind, at: usize) -> Option<serde_json::Value> {
        let entry = *self.members.own_by_key(kind.key()).get(at)?;
        let members = Members::of(kind.scope(), entry.children());
        Some(to_json(&self.block(kind, at, entry, &members)))
    }

    /// Whether both repeat the same in every stream and live.
    pub(super) fn repeats_the_same(&self, other: &View<'_, '_>) -> bool {
        self.globals == other.globals
    }

    /// The top-level members, in their order.
    pub(super) fn shown(&self) -> impl Iterator<Item = (Cow<'_, str>, TopMember<'_, 'a, 'd>)> {
        let own = parameters(Scope::Top).filter_map(|parameter| {
            self.own(parameter).map(|own| (Cow::Borrowed(parameter.key), TopMember::Own(own)))
        });
        own.chain(self.members.foreign().iter().map(|member| {
            let general = General { entries: &member.entries };
            (member.key.to_json(Scope::Top), TopMember::Foreign(general))
        }))
    }

    fn own(&self, parameter: &'static Parameter) -> Option<Own<'_, 'a, 'd>> {
        let entries = self.members.own(parameter);
        let shown = match parameter.shape {
            Shape::PortOptions => self.ports_with_block().next().is_some(),
            _ => !entries.is_empty() || parameter.is_always_shown(),
        };
        shown.then_some(Own { view: self, parameter, entries })
    }

    /// The http entries that have a block; of several for one port, the last.
    fn ports_with_block(&self) -> impl Iterator<Item = Entry<'d>> {
        let mut seen = HashSet::new();
        let blocks = self.members.own_by_key("http").iter().rev().filter(|entry| entry.is_block());
        let last: Vec<Entry<'d>> = blocks.copied().filter(|&entry| seen.insert(port_text(entry))).collect();
        last.into_iter().rev()
    }

    fn block<'v>(
        &'v self,
        kind: Kind,
        at: usize,
        entry: Entry<'d>,
        members: &'v Members<'d>,
    ) -> NamedBlock<'v, 'd> {
        NamedBlock { kind, position: at + 1, entry, members, globals: &self.globals, lens: self.lens }
    }
}

impl Serialize for View<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.shown())
    }
}

/// The value of a top-level member.
pub(super) enum TopMember<'v, 'a, 'd> {
    Own(Own<'v, 'a, 'd>),
    Foreign(General<'v, 'd>),
}

impl Serialize for TopMember<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Own(own) => own.serialize(serializer),
            Self::Foreign(general) => general.serialize(serializer),
        }
    }
}

/// One of our top-level members.
pub(super) struct Own<'v, 'a, 'd> {
    view: &'v View<'a, 'd>,
    parameter: &'static Parameter,
    entries: &'v [Entry<'d>],
}

impl Serialize for Own<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.parameter.shape {
            Shape::Group(kind) => {
                GroupPart { own: self, kind, places: 0..self.entries.len() }.serialize(serializer)
            }
            Shape::PortOptions => self.port_options(serializer),
            _ => Setting { parameter: self.parameter, entries: self.entries }.serialize(serializer),
        }
    }
}

impl<'v, 'a, 'd> Own<'v, 'a, 'd> {
    /// A group in parts of so many blocks, each an object; `None` for what is no group.
    pub(super) fn parts(&self, blocks: usize) -> Option<Vec<GroupPart<'_, 'v, 'a, 'd>>> {
        let Shape::Group(kind) = self.parameter.shape else { return None };
        let count = self.entries.len();
        let starts = (0..count).step_by(blocks);
        Some(starts.map(|at| GroupPart { own: self, kind, places: at..count.min(at + blocks) }).collect())
    }

    fn port_options<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for block in self.view.ports_with_block() {
            map.serialize_entry(&port_text(block), &Contents { block })?;
        }
        map.end()
    }
}

/// Some of the blocks of a group, by name.
pub(super) struct GroupPart<'o, 'v, 'a, 'd> {
    own: &'o Own<'v, 'a, 'd>,
    kind: Kind,
    places: Range<usize>,
}

/// Which blocks of a group a part has: parts with equal places stand for the same blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartPlace {
    pub kind: Kind,
    /// How many blocks the group has.
    pub count: usize,
    /// The places of the part's blocks in the group, from 0.
    pub blocks: Range<usize>,
}

impl GroupPart<'_, '_, '_, '_> {
    /// The bytes of the document from the first of its blocks to the last.
    pub(super) fn span(&self) -> Range<usize> {
        let entries = &self.own.entries[self.places.clone()];
        let start = entries.first().map_or(0, |entry| entry.start());
        start..entries.last().map_or(start, |entry| entry.end())
    }

    /// Which blocks of the group these are.
    pub(super) fn place(&self) -> PartPlace {
        PartPlace { kind: self.kind, count: self.own.entries.len(), blocks: self.places.clone() }
    }
}

impl Serialize for GroupPart<'_, '_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (view, kind) = (self.own.view, self.kind);
        let mut map = serializer.serialize_map(None)?;
        let mut members = Members::empty(kind.scope());
        for at in self.places.clone() {
            let entry = self.own.entries[at];
            if view.lens.skip_static_streams && kind == Kind::Stream && is_static(entry) {
                continue;
            }
            members.refill(entry.children());
            map.serialize_entry(&group_name(entry).value(), &view.block(kind, at, entry, &members))?;
        }
        map.end()
    }
}

/// The port of an http entry as its key under `http_options`.
pub fn port_text(entry: Entry<'_>) -> Cow<'_, str> {
    only_argument(entry).map(|word| word.value()).unwrap_or_default()
}

/// Whether a stream's keyword is `stream`, not `ondemand`.
pub fn is_static(entry: Entry<'_>) -> bool {
    entry.keyword() == "stream"
}

/// A stream, a live or a plugin.
struct NamedBlock<'v, 'd> {
    kind: Kind,
    position: usize,
    entry: Entry<'d>,
    /// What stands in it.
    members: &'v Members<'d>,
    globals: &'v Globals<'d>,
    lens: &'v Lens,
}

impl Serialize for NamedBlock<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (parameter, entries) in self.members.each_own() {
            match parameter.shape {
                Shape::Derived(what) => self.derived(parameter.key, what, &mut map)?,
                Shape::Sources => self.sources(parameter, entries, &mut map)?,
                Shape::Backend => self.backend(parameter, entries, &mut map)?,
                _ => self.setting(parameter, entries, &mut map)?,
            }
        }
        foreign_members(self.members, self.kind.scope(), &mut map)?;
        map.end()
    }
}

impl NamedBlock<'_, '_> {
    fn derived<M: SerializeMap>(&self, key: &str, what: Derived, map: &mut M) -> Result<(), M::Error> {
        match what {
            Derived::Static => map.serialize_entry(key, &is_static(self.entry)),
            _ if self.lens.own_only => Ok(()),
            Derived::Name => map.serialize_entry(key, &group_name(self.entry).value()),
            Derived::Position => map.serialize_entry(key, &self.position),
            Derived::Global => self.cluster_key_global(key, map),
            Derived::Former | Derived::Runtime | Derived::Address => Ok(()),
        }
    }

    fn cluster_key_global<M: SerializeMap>(&self, key: &str, map: &mut M) -> Result<(), M::Error> {
        self.globals.cluster_key.as_ref().map_or(Ok(()), |value| map.serialize_entry(key, value))
    }

    /// The own backend and the global one; the object is left out where there is neither.
    fn backend<M: SerializeMap>(
        &self,
        parameter: &'static Parameter,
        entries: &[Entry<'_>],
        map: &mut M,
    ) -> Result<(), M::Error> {
        let url_global = self.globals.url.as_deref().filter(|_| !self.lens.own_only);
        if entries.is_empty() && url_global.is_none() {
            return Ok(());
        }
        let own = entries.last().copied();
        map.serialize_entry(parameter.key, &BackendView { own, url_global })
    }

    fn sources<M: SerializeMap>(
        &self,
        parameter: &'static Parameter,
        entries: &[Entry<'_>],
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry(parameter.key, &Sources { header: self.entry, entries })
    }

    fn setting<M: SerializeMap>(
        &self,
        parameter: &'static Parameter,
        entries: &[Entry<'_>],
        map: &mut M,
    ) -> Result<(), M::Error> {
        match entries.is_empty() {
            true if parameter.is_always_shown() => map.serialize_entry(parameter.key, &true),
            true => Ok(()),
            false => {
                let setting = Setting { parameter, entries };
                if setting.is_shown() { map.serialize_entry(parameter.key, &setting) } else { Ok(()) }
            }
        }
    }
}

/// A parameter of which one occurrence counts: the last.
struct Setting<'v, 'd> {
    parameter: &'static Parameter,
    entries: &'v [Entry<'d>],
}

impl<'d> Setting<'_, 'd> {
    /// A `transcoder;` without options says nothing.
    fn is_shown(&self) -> bool {
        self.parameter.shape != Shape::Transcoder || self.last().count_arguments() > 0
    }

    fn last(&self) -> Entry<'d> {
        *self.entries.last().expect("a setting is shown only where it stands in the text")
    }
}

impl Serialize for Setting<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.parameter.shape {
            Shape::Ports => {
                serializer.collect_seq(self.entries.iter().filter_map(|&entry| OwnedPort::of(entry)))
            }
            Shape::Value(value) => self.value(value, serializer),
            Shape::Object(object) => ObjectView { object, entry: self.last() }.serialize(serializer),
            Shape::Backend => BackendView { own: Some(self.last()), url_global: None }.serialize(serializer),
            Shape::Transcoder => {
                let words = self.last().arguments();
                serializer.collect_seq(words.map(|word| TranscoderPair { option: OptionWord::of(word) }))
            }
            Shape::Sources | Shape::Group(_) | Shape::PortOptions | Shape::Derived(_) => {
                serializer.serialize_unit()
            }
        }
    }
}

impl Setting<'_, '_> {
    fn value<S: Serializer>(&self, value: ValueType, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = self.last();
        match value {
            ValueType::Port => OwnedPort::of(entry).serialize(serializer),
            ValueType::Text => serializer.serialize_str(&first_argument(entry)),
            ValueType::Scalar => only_argument(entry).map(Scalar::of).serialize(serializer),
            ValueType::Switch | ValueType::Flag => serializer.serialize_bool(switch(entry).unwrap_or(true)),
            ValueType::Seconds => match seconds(&first_argument(entry)) {
                Some(Seconds::Number(seconds)) => serializer.serialize_i64(seconds),
                _ => serializer.serialize_bool(false),
            },
        }
    }
}

/// The words of a directive as the members of an object.
struct ObjectView<'d> {
    object: &'static ObjectShape,
    entry: Entry<'d>,
}

impl Serialize for ObjectView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for part in self.object.parts {
            let words = || {
                let said = part_words(self.object, self.entry).filter(|(of, _)| *of == Some(part));
                said.map(|(_, word)| word)
            };
            let Some(last) = words().last() else { continue };
            match part.form {
                PartForm::Word => map.serialize_entry(part.key, &last.value())?,
                PartForm::Reference => map.serialize_entry(part.key, &reference(last.raw))?,
                PartForm::Percent => map.serialize_entry(part.key, &percent(last))?,
                PartForm::Duration => map.serialize_entry(part.key, &duration(last))?,
                PartForm::Words => {
                    let words: Vec<Scalar<'_>> = words().map(Scalar::of).collect();
                    map.serialize_entry(part.key, &words)?;
                }
            }
        }
        map.end()
    }
}

/// The value of a directive that has the form of `object`, unmasked.
pub fn object_value(object: &'static ObjectShape, entry: Entry<'_>) -> serde_json::Value {
    to_json(&ObjectView { object, entry })
}

/// The port of an entry; its address borrows from a value made for the call.
struct OwnedPort<'d>(Cow<'d, str>);

impl<'d> OwnedPort<'d> {
    fn of(entry: Entry<'d>) -> Option<Self> {
        only_argument(entry).map(|word| Self(word.value()))
    }
}

impl Serialize for OwnedPort<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Port::of(&self.0).serialize(serializer)
    }
}

/// `{url, extra, url_global}`.
struct BackendView<'v, 'd> {
    /// The directive, where there is one.
    own: Option<Entry<'d>>,
    /// The global URL, to be repeated here.
    url_global: Option<&'v str>,
}

impl Serialize for BackendView<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(backend) = self.own.and_then(|entry| Address::of(entry.arguments())) {
            if is_open(&backend) {
                map.serialize_entry("url", &false)?;
            } else {
                map.serialize_entry("url", &backend.positional.value())?;
            }
            if !backend.options.is_empty() {
                map.serialize_entry("extra", &Extras { backend: &backend })?;
            }
        }
        if let Some(url) = self.url_global {
            map.serialize_entry(URL_GLOBAL, url)?;
        }
        map.end()
    }
}

struct Extras<'v, 'd> {
    backend: &'v Address<'d>,
}

impl Serialize for Extras<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for option in self.backend.effective() {
            match option.value {
                Some(value) => map.serialize_entry(&option.key.value(), &value.value())?,
                None => map.serialize_entry(&option.key.value(), &true)?,
            }
        }
        map.end()
    }
}

/// The list of a stream's sources, from its header or its block.
struct Sources<'v, 'd> {
    header: Entry<'d>,
    entries: &'v [Entry<'d>],
}

impl Serialize for Sources<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(sources(self.header, self.entries).map(|source| SourceView { source }))
    }
}

/// The sources of a stream: the one in a one-line header, then those of the `url` entries of its block.
pub fn sources<'d, 'v: 'd>(header: Entry<'d>, entries: &'v [Entry<'d>]) -> impl Iterator<Item = Address<'d>> {
    let in_header = if header.is_block() { None } else { header_source(header) };
    in_header.into_iter().chain(entries.iter().flat_map(|&entry| entry_sources(entry)))
}

/// The sources of one `url` entry; of a `urls A B;` line, one a word.
pub fn entry_sources(entry: Entry<'_>) -> impl Iterator<Item = Address<'_>> {
    let (each, all) = match is_plural(entry) {
        true => (Some(entry.arguments()), None),
        false => (None, Address::of(entry.arguments())),
    };
    let each = each.into_iter().flatten().filter_map(|word| Address::of(std::iter::once(word)));
    each.chain(all)
}

/// Whether each word of a source directive is a source.
pub fn is_plural(entry: Entry<'_>) -> bool {
    entry.keyword() == "urls"
}

/// `{url, key: value, …}`.
pub struct SourceView<'d> {
    /// What stands in the text.
    pub source: Address<'d>,
}

impl Serialize for SourceView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("url", &self.source.positional.value())?;
        for option in self.source.effective() {
            let keyword = super::member::Key::Foreign(option.key.value());
            map.serialize_entry(&keyword.to_json(Scope::Source), &option.scalar())?;
        }
        map.end()
    }
}

/// `[name, value]`, or `[name]` for a bare flag.
struct TranscoderPair<'d> {
    option: OptionWord<'d>,
}

impl Serialize for TranscoderPair<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = transcoder_name(&self.option.key);
        match transcoder_value(&self.option) {
            None => (name,).serialize(serializer),
            Some(value) => (name, value).serialize(serializer),
        }
    }
}

/// An option of the transcoder as its list shows it, unmasked.
pub fn transcoder_pair(word: Word<'_>) -> serde_json::Value {
    to_json(&TranscoderPair { option: OptionWord::of(word) })
}

/// The own members of one stream, live or plugin, unmasked.
pub fn named_own(kind: Kind, entry: Entry<'_>) -> serde_json::Value {
    let lens = Lens { own_only: true, ..Lens::default() };
    let members = &Members::of(kind.scope(), entry.children());
    let block = NamedBlock { kind, position: 0, entry, members, globals: &Globals::default(), lens: &lens };
    to_json(&block)
}

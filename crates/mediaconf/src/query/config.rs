//! The values of a configuration, and those that it inherits.

use std::borrow::Cow;
use std::cell::RefCell;

use indexmap::IndexSet;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::query::{Path, Segment, UnknownKey, keys};
use crate::schema::{
    BlockHead, CLUSTER_KEY_GLOBAL, Derived, DirectiveRole, Fault, FaultKind, Kind, Members, Object, Place,
    Schema, Scope, URL_GLOBAL, read_members, scalar_text,
};
use crate::syntax::{Document, Entry};

/// The directive that names the template of a stream, and the blocks that are templates.
const TEMPLATE: &str = "template";

/// The roles of directives of the top level that hold in blocks without one of their own.
const INHERITED: [DirectiveRole; 2] = [DirectiveRole::Backend, DirectiveRole::ClusterKey];

/// The values of a document, or those that a server sent as JSON.
///
/// Of a document, only the values that are asked for become JSON, and a serializer is given one stream, live or plugin
/// after the other. Secrets are shown. The values are meaningful only for a document without errors. Keys lead through
/// objects only; a list is looked up as a whole.
pub struct Config<'d> {
    /// The top-level members; none of JSON.
    pub(crate) members: Members<'d>,
    /// The values of the top level that streams and lives repeat, by their keys there; `None` if only own values are
    /// shown.
    globals: Option<Object>,
    skips_static: bool,
    /// The JSON, where there is no document.
    json: Option<&'d Value>,
    /// The last member that keys led into: the next ones often lead into the same.
    entered: RefCell<(Vec<String>, Value)>,
}

/// The values of an answer to `read_config`.
impl<'v> From<&'v Value> for Config<'v> {
    fn from(json: &'v Value) -> Self {
        Self { json: Some(json), ..Self::of_members(Members::empty(Scope::Top)) }
    }
}

/// True if a block of this kind may name a template.
fn names_template(kind: Kind) -> bool {
    Schema::foreign(TEMPLATE).is_some_and(|row| row.stands_in(kind.noun()))
}

impl<'d> Config<'d> {
    /// The values of `document`, all of them.
    pub fn new(document: &'d Document) -> Self {
        let own = Self::own(document);
        let value = |role: DirectiveRole| own.members.value(role.key(Scope::Top));
        let url = value(DirectiveRole::Backend).and_then(|backend| backend.get("url").cloned());
        let url = url.filter(Value::is_string).map(|url| (URL_GLOBAL.to_owned(), url));
        let cluster_key = value(DirectiveRole::ClusterKey).map(|key| (CLUSTER_KEY_GLOBAL.to_owned(), key));
        Self { globals: Some(url.into_iter().chain(cluster_key).collect()), ..own }
    }

    /// The values that `document` itself holds: without names, positions and other derived members.
    pub fn own(document: &'d Document) -> Self {
        Self::of_members(document.members())
    }

    /// The same, without the streams with `static: true` if they are skipped.
    #[must_use]
    pub fn skipping_static(self, skips_static: bool) -> Self {
        Self { skips_static, ..self }
    }

    fn of_members(members: Members<'d>) -> Self {
        Self { members, globals: None, skips_static: false, json: None, entered: Default::default() }
    }

    /// Returns all values as JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("values are JSON")
    }

    /// Returns the values in effect, as JSON. Where a stream or live has no value of its own, it has that of its template, or
    /// the one that it inherits from the top level. The JSON is marked, so that nobody writes it back.
    pub fn effective(&self) -> Value {
        let mut all = self.to_json();
        let templates = all.get(TEMPLATE).cloned().unwrap_or_default();
        for kind in Kind::ALL {
            let keys = INHERITED.map(|role| role.key(kind.scope()));
            let globals = keys.iter().filter_map(|key| Some((key.to_string(), all.get(key)?.clone())));
            let globals = Object::from_iter(globals);
            let Some(blocks) = all[kind.key()].as_object_mut() else { continue };
            for block in blocks.values_mut().filter_map(Value::as_object_mut) {
                let template = block.get(TEMPLATE).and_then(Value::as_str).filter(|_| names_template(kind));
                let template = template.and_then(|name| templates[name].as_object());
                for (key, value) in template.into_iter().chain([&globals]).flatten() {
                    let place = Place::Block(kind).member(key).unwrap_or(Place::Foreign);
                    let own = block.get(key).and_then(|own| place.own_value(own));
                    if own.is_none_or(|own| place.is_shown_for_nothing(&own)) {
                        block.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        all[Schema::EFFECTIVE] = true.into();
        all
    }

    /// The value at `keys`; the whole configuration for no keys.
    pub fn value(&self, keys: &[&str]) -> Option<Value> {
        match (keys, self.kind(keys)) {
            ([_, name], Some(kind)) => Some(self.block(kind, self.place(kind, name)?)),
            _ => self.inside(keys, Value::clone),
        }
    }

    /// The keys of the object at `keys`, in their order; empty if there is no object.
    pub fn names(&self, keys: &[&str]) -> Vec<String> {
        match (keys, self.kind(keys)) {
            ([], _) if self.json.is_none() => {
                self.known_keys().filter(|key| self.contains(&[key])).map(Cow::into_owned).collect()
            }
            ([_], Some(kind)) => self.shown(kind).map(|(_, one)| one.group_name().value().into()).collect(),
            _ => {
                let names = |value: &Value| Some(value.as_object()?.keys().cloned().collect());
                self.inside(keys, names).flatten().unwrap_or_default()
            }
        }
    }

    /// True if there is an object at `keys`.
    pub(crate) fn is_object(&self, keys: &[&str]) -> bool {
        match (keys, self.kind(keys)) {
            ([], _) | ([_], Some(_)) => true,
            _ => self.inside(keys, Value::is_object) == Some(true),
        }
    }

    /// True if there is a value at `keys`.
    pub fn contains(&self, keys: &[&str]) -> bool {
        match (keys, self.kind(keys)) {
            ([], _) | ([_], Some(_)) => true,
            ([_, name], Some(kind)) => self.place(kind, name).is_some(),
            _ => self.inside(keys, |_| ()).is_some(),
        }
    }

    /// The keys of the top level, also of members that the document does not have.
    fn known_keys(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let scope = self.members.scope;
        let foreign = self.members.foreign.keys().map(move |keyword| scope.key_of(keyword));
        scope.rows().map(|row| Cow::Borrowed(row.key)).chain(foreign)
    }

    /// The kind of the group of the document that `keys` lead into.
    fn kind(&self, keys: &[&str]) -> Option<Kind> {
        keys.first().and_then(|key| Schema::kind(key)).filter(|_| self.json.is_none())
    }

    /// The place of a block that is shown among all of its group; `None` where there is no text.
    fn place(&self, kind: Kind, name: &str) -> Option<usize> {
        let place = self.members.place_of(kind, name)?;
        self.is_shown(kind, self.members.own_by_key(kind.key())[place]).then_some(place)
    }

    fn is_shown(&self, kind: Kind, entry: Entry<'_>) -> bool {
        !(self.skips_static && kind.is_static(entry))
    }

    /// The entries of a group that are shown, each with its place among all.
    fn shown(&self, kind: Kind) -> impl Iterator<Item = (usize, &Entry<'d>)> {
        let entries = self.members.own_by_key(kind.key()).iter().enumerate();
        entries.filter(move |(_, entry)| self.is_shown(kind, **entry))
    }

    /// The number of streams, lives or plugins.
    pub fn count(&self, kind: Kind) -> usize {
        self.json.map_or_else(|| self.shown(kind).count(), |_| self.names(&[kind.key()]).len())
    }

    /// The values of the blocks of a group, by name.
    fn blocks(&self, kind: Kind) -> impl Iterator<Item = (Cow<'d, str>, Value)> {
        self.shown(kind).map(move |(place, entry)| (entry.group_name().value(), self.block(kind, place)))
    }

    /// The value of a block whose place in its group is `place`, from 0.
    fn block(&self, kind: Kind, place: usize) -> Value {
        let entry = self.members.own_by_key(kind.key())[place];
        let head = BlockHead { kind, entry, position: place + 1, globals: self.globals.as_ref() };
        read_members(&Members::group(kind.scope(), entry.children()), Some(&head)).into()
    }

    /// The value of a member of the top level of the document.
    fn member(&self, key: &str) -> Option<Value> {
        Schema::kind(key).map(|kind| self.blocks(kind).collect()).or_else(|| self.members.value(key))
    }

    /// The number of keys that lead to the member of the top level, or to the block of a group, that they begin with.
    fn member_depth(keys: &[&str]) -> usize {
        let is_in_group = keys.first().is_some_and(|key| Schema::kind(key).is_some());
        keys.len().min(if is_in_group { 2 } else { 1 })
    }

    /// Looks at the value at `keys`.
    fn inside<T>(&self, keys: &[&str], look: impl FnOnce(&Value) -> T) -> Option<T> {
        let value_at = |value, keys: &[&str]| {
            keys.iter().try_fold(value, |value: &Value, key| value.as_object()?.get(*key)).map(look)
        };
        if let Some(json) = self.json {
            return value_at(json, keys);
        }
        let (member, rest) = keys.split_at(Self::member_depth(keys));
        let mut entered = self.entered.borrow_mut();
        if member.is_empty() || entered.0 != member {
            let value = match member {
                [] => return value_at(&self.to_json(), rest),
                [key] => self.member(key)?,
                [group, name, ..] => self.value(&[group, name])?,
            };
            *entered = (member.iter().map(|key| (*key).to_owned()).collect(), value);
        }
        value_at(&entered.1, rest)
    }

    /// Returns the value, or the values, at a path without patterns.
    ///
    /// # Errors
    /// An absence if no value is there; another fault if the path does not name one place: `[+]`, or an
    /// entry that is in the list twice.
    pub(crate) fn found(&self, path: &Path) -> Result<Found<Value>, Fault> {
        let names = path.names();
        let depth = Self::member_depth(&names);
        let follow = |value: &Value| {
            let mut here = Found::new(path.first(depth), value);
            for (at, segment) in path.segments.iter().enumerate().skip(depth) {
                let next = here.step(segment);
                if let Some(fault) = here.fault(&next, segment) {
                    let unknown = || UnknownKey::find(Place::Root, &path.segments)?.suggestion();
                    return Err(match next.goes_through_list {
                        true => Some(Fault { hint: unknown(), ..fault }),
                        false => Some(fault).filter(|_| at >= names.len()),
                    });
                }
                here = next;
            }
            let Found { values, goes_through_list, is_partial } = here;
            let place = |at| if goes_through_list { at } else { path.clone() };
            let values = values.into_iter().map(|(at, value)| (place(at), value.clone())).collect();
            Ok(Found { values, goes_through_list, is_partial })
        };
        // What the schema knows of a name says more. A path that it does not have is an absence, too: a glob passes over it.
        let absent = || Fault { kind: FaultKind::Absent, ..self.missing(path, &names) };
        let found = self.inside(&names[..depth], follow).unwrap_or(Err(None));
        found.map_err(|fault| fault.unwrap_or_else(absent))
    }

    /// The same; `None` if no value is there.
    pub(crate) fn if_found(&self, path: &Path) -> Result<Option<Found<Value>>, Fault> {
        self.found(path).map(Some).or_else(|fault| if fault.is_absent() { Ok(None) } else { Err(fault) })
    }

    /// The same as one value.
    pub(crate) fn value_at(&self, path: &Path) -> Result<Value, Fault> {
        self.found(path).map(Found::into_value)
    }

    /// The names of the members at a path without patterns, or of those in a list, each once.
    ///
    /// # Errors
    /// Those of [`Config::found`].
    pub(crate) fn names_at(&self, path: &Path) -> Result<Vec<String>, Fault> {
        if let Some(keys) = keys(&path.segments).filter(|keys| self.is_object(keys)) {
            return Ok(self.names(&keys));
        }
        let (found, every) = (self.found(path)?, [Segment::every()]);
        let below = found.values.iter().flat_map(|(_, value)| Found::below(value, &every).values);
        let names = below.filter_map(|(place, _)| Some(place.segments.last()?.name()?.to_owned()));
        Ok(names.collect::<IndexSet<String>>().into_iter().collect())
    }

    /// The value that holds at a place: its own, else the inherited one.
    ///
    /// # Errors
    /// The path can't be followed.
    pub fn holds(&self, path: &Path) -> Result<Option<FoundValue>, Fault> {
        let place = Place::resolve(&path.segments).map_err(|fault| fault.at(path))?;
        let own = self.present(path)?.and_then(|value| place.own_value(&value));
        let is_nothing = own.as_ref().is_none_or(|own| place.is_shown_for_nothing(own));
        let inherited = if is_nothing { self.inherited(path)? } else { None };
        let Some(value) = own.filter(|_| inherited.is_none()) else { return Ok(inherited) };
        let is_derived = place.facts().derived.is_some_and(Derived::lacks_own);
        let source = if is_derived { ValueSource::Derived } else { ValueSource::Own };
        Ok(Some(FoundValue { value, source, set_at: Some(path.clone()) }))
    }

    /// The value that a place in a stream, live or plugin has without one of its own: that of the template that the stream
    /// names, else that of the top level, else the default.
    ///
    /// # Errors
    /// The path can't be followed.
    fn inherited(&self, path: &Path) -> Result<Option<FoundValue>, Fault> {
        let names = path.names();
        let kind = path.kind().filter(|_| names.len() > 2 && self.contains(&names[..2]));
        let Some(kind) = kind else { return Ok(None) };
        let (key, below) = (names[2], &path.segments[2..]);
        let template = self.value(&[names[0], names[1], TEMPLATE]).filter(|_| names_template(kind));
        if let Some(Value::String(name)) = template {
            let set_at = Path { segments: [&Path::of([TEMPLATE, &name]).segments, below].concat() };
            // A template that is there twice has no certain value.
            if let Ok(Some(value)) = self.present(&set_at) {
                return Ok(Some(FoundValue { value, source: ValueSource::Template, set_at: Some(set_at) }));
            }
        }
        let Some(row) = kind.scope().by_key(key) else { return Ok(None) };
        let above = Path { segments: below.to_vec() };
        let is_inherited = row.role.is_some_and(|role| INHERITED.contains(&role));
        if is_inherited && let Some(value) = self.present(&above)? {
            return Ok(Some(FoundValue { value, source: ValueSource::Global, set_at: Some(above) }));
        }
        let default = serde_json::from_str(row.default).ok().filter(|_| below.len() == 1);
        Ok(default.map(|value| FoundValue { value, source: ValueSource::Default, set_at: None }))
    }

    /// The value at a path; `None` if there is none.
    fn present(&self, path: &Path) -> Result<Option<Value>, Fault> {
        if path.first_pattern().is_some() {
            return Ok(None);
        }
        self.if_found(path).map(|found| Some(found?.into_value())).map_err(|fault| fault.at(path))
    }
}

impl Serialize for Config<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(json) = self.json {
            return json.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for key in self.known_keys() {
            if let Some(kind) = Schema::kind(&key) {
                map.serialize_entry(&key, &Blocks(self, kind))?;
            } else if let Some(value) = self.member(&key) {
                map.serialize_entry(&key, &value)?;
            }
        }
        map.end()
    }
}

/// The blocks of a group, by name.
struct Blocks<'c, 'd>(&'c Config<'d>, Kind);

impl Serialize for Blocks<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.blocks(self.1))
    }
}

/// The values that segments lead to, each with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<V> {
    /// The places, each with its value.
    pub values: Vec<(Path, V)>,
    /// True if the path goes through a list, so that there may be several values.
    pub goes_through_list: bool,
    /// True if a segment leads to nothing somewhere.
    pub is_partial: bool,
}

impl Found<Value> {
    /// The value, or the list of the values.
    pub fn into_value(self) -> Value {
        let mut values = self.values.into_iter().map(|(_, value)| value);
        if self.goes_through_list { values.collect() } else { values.next().unwrap_or_default() }
    }
}

impl<'v> Found<&'v Value> {
    fn new(path: Path, value: &'v Value) -> Self {
        Self { values: vec![(path, value)], goes_through_list: false, is_partial: false }
    }

    /// The values below an entry.
    pub fn below(entry: &'v Value, path: &[Segment]) -> Self {
        let whole = Self::new(Path { segments: Vec::new() }, entry);
        path.iter().fold(whole, |here, segment| here.step(segment))
    }

    /// The values one segment further, in which a pattern stands for all that it matches.
    fn step(&self, segment: &Segment) -> Self {
        let mut next = Self { values: Vec::new(), ..*self };
        self.values.iter().for_each(|(path, value)| next.add(path, value, segment));
        next
    }

    fn add(&mut self, path: &Path, value: &'v Value, segment: &Segment) {
        let known = self.values.len();
        let is_name = matches!(segment, Segment::Key(_) | Segment::Matching(_));
        match value {
            Value::Object(members) if is_name => {
                let meant = members.iter().filter(|(name, _)| segment.matches(name));
                self.values
                    .extend(meant.map(|(name, value)| (path.child(Segment::Key(name.clone())), value)));
            }
            Value::Array(entries) => {
                self.goes_through_list |= is_name;
                for (at, entry) in entries.iter().enumerate() {
                    let place = || path.child(Segment::Index(at));
                    match segment {
                        _ if is_name => self.add(&place(), entry, segment),
                        _ if !is_meant(segment, entries.len(), at, entry) => {}
                        _ => self.values.push((place(), entry)),
                    }
                }
            }
            _ => {}
        }
        self.is_partial |= self.values.len() == known;
    }

    /// The fault of a segment that leads from here to nothing, or to several entries of which only one can be meant.
    fn fault(&self, next: &Self, segment: &Segment) -> Option<Fault> {
        let ([(_, value)], false) = (&self.values[..], next.goes_through_list) else {
            let name = segment.name().unwrap_or_default();
            let absent = || Fault::absent(format!("no element of the list has `{name}`"));
            return next.values.is_empty().then(absent);
        };
        match (segment, value) {
            (Segment::Append, _) => {
                Some(Fault::of_path("`[+]` is a new element, and can't be read").hint("`[0]` is the first"))
            }
            (Segment::Find { key, value }, Value::Array(entries)) => find_by(entries, key, value).err(),
            _ if !next.values.is_empty() => None,
            (Segment::Key(key), Value::Object(_)) => Some(Fault::absent(format!("the entry has no `{key}`"))),
            (_, Value::Array(entries)) => Some(out_of_range(entries.len())),
            (segment, _) => Some(Fault::absent(format!("a plain value has no `{segment}`"))),
        }
    }
}

/// True if a segment means the entry of a list of `len` at `position`.
fn is_meant(segment: &Segment, len: usize, position: usize, entry: &Value) -> bool {
    match segment {
        Segment::Index(index) => position == *index,
        Segment::FromEnd(back) => len.checked_sub(*back) == Some(position),
        Segment::Find { key, value } => has_member(entry, key, value),
        Segment::EveryEntry => true,
        Segment::Key(_) | Segment::Matching(_) | Segment::Append => false,
    }
}

fn has_member(entry: &Value, key: &str, value: &str) -> bool {
    entry.get(key).and_then(scalar_text).is_some_and(|text| text == value)
}

/// Returns the place of the only entry with this member; several such entries are ambiguous.
pub fn find_by(entries: &[Value], key: &str, value: &str) -> Result<usize, Fault> {
    let mut found = (0..entries.len()).filter(|&at| has_member(&entries[at], key, value));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(Fault::of_path(format!("the elements [{first}] and [{second}] both match"))
                .hint("name one by its index"))
        }
        (only, _) => only.ok_or_else(|| Fault::absent("no element of the list matches")),
    }
}

/// The fault of an index behind the end of a list.
pub fn out_of_range(len: usize) -> Fault {
    Fault::absent(format!("there is no such element: the list has {len}, counted from 0"))
}

/// A value that holds at a place.
#[derive(Debug, Serialize)]
pub struct FoundValue {
    /// The value.
    pub value: Value,
    /// The origin of the value.
    pub source: ValueSource,
    /// The path under which it is set; `None` for a default.
    #[serde(skip)]
    pub set_at: Option<Path>,
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueSource {
    /// It is set there.
    Own,
    /// The value of the template that the stream names holds.
    Template,
    /// The value of the top level holds.
    Global,
    /// Read from the text around it, such as a position.
    Derived,
    /// It is not set, and the default is known.
    Default,
}

//! What the schema knows of the place that a path leads to: the values that it takes, and its members.
//!
//! A text that is set there becomes the value that it stands for: values that are given as words are read as the text of
//! their directive is read. No message here holds a part of a value, which may be a secret.

use serde_json::Value;

use crate::query::{Path, Segment};
use crate::schema::{
    Codec, Derived, DirectiveRole, Facts, Fault, General, JsonForm, Kind, Object, Parameter, Place, SOURCE,
    Schema, Scope, TEXT, URL_GLOBAL, did_you_mean, is_empty, is_one_edit, no_key, no_members, no_string,
    object, of_kind, of_word, opens, read_words,
};

/// The word that stands for no value.
pub const NULL: &str = "null";

/// The codec of values that the schema does not know.
const GENERAL: General<'static> = General { keyword: "" };

impl Place {
    /// The place that `segments` lead to from the whole.
    pub fn resolve(segments: &[Segment]) -> Result<Self, Fault> {
        segments.iter().try_fold(Self::Root, Self::step)
    }

    /// Like [`Place::resolve`]; an output-only member is a fault.
    pub fn to_set(segments: &[Segment]) -> Result<Self, Fault> {
        segments.iter().try_fold(Self::Root, |place, segment| place.step(segment).and_then(settable))
    }

    /// The place one segment further.
    pub fn step(self, segment: &Segment) -> Result<Self, Fault> {
        let no_list = || Fault::of_path("expected a list, found an object").hint("name a member after a `.`");
        match segment {
            Segment::Key(key) => self.member(key),
            Segment::Matching(_) | Segment::EveryEntry => {
                Err(Fault::of_path(format!("`{segment}` stands for several places")))
            }
            _ => self.facts().element.ok_or_else(|| match self.facts().json {
                JsonForm::Object => no_list(),
                _ => no_members(false),
            }),
        }
    }

    /// The place that `path` leads to from here, where a name behind a list is one of each of its entries. A
    /// pattern stands for any of its names or entries.
    pub fn through_lists(self, path: &[Segment]) -> Result<Self, Fault> {
        path.iter().try_fold(self, |place, segment| match segment {
            Segment::Key(name) | Segment::Matching(name) => {
                let in_entries = place.facts().element.and_then(|entry| entry.member(name).ok());
                in_entries.map_or_else(|| place.member(name), Ok)
            }
            Segment::EveryEntry => place.step(&Segment::Index(0)),
            _ => place.step(segment),
        })
    }

    /// The place of a member.
    pub fn member(self, key: &str) -> Result<Self, Fault> {
        match self {
            Self::Root => in_scope(Scope::Top, key),
            Self::Group(kind) => Ok(Self::Block(kind)),
            Self::Block(kind) => in_scope(kind.scope(), key),
            Self::Source(scope) => in_scope(scope, key),
            Self::Extras => Ok(Self::Leaf(&TEXT)),
            Self::Templates => Ok(Self::Template),
            Self::Template => Ok(Scope::Template.by_key(key).map_or(Self::Foreign, Self::Own)),
            Self::Foreign => Ok(Self::Foreign),
            Self::Own(parameter) => parameter.codec.member(key),
            Self::Pair(_) | Self::Part(_) | Self::Leaf(_) => Err(no_members(self.facts().element.is_some())),
        }
    }

    /// The form of its value; a leaf for one that is not known.
    pub fn facts(self) -> Facts {
        let of = |json_form, json, element| Facts { json_form, json, element, ..Facts::default() };
        match self {
            Self::Own(row) => row.codec.facts(),
            Self::Leaf(kind) => kind.facts(),
            Self::Part(part) if part.is_rest() => of(part.json_form(), JsonForm::List, Some(Self::Foreign)),
            Self::Part(part) => part.kind.facts(),
            Self::Root | Self::Block(_) | Self::Source(_) => of("an object", JsonForm::Object, None),
            Self::Group(_) => of("an object by name", JsonForm::Object, None),
            Self::Extras => of("an object of strings", JsonForm::Object, None),
            Self::Pair(_) => of("[name, value]", JsonForm::Leaf, Some(Self::Foreign)),
            Self::Templates | Self::Template | Self::Foreign => of("any", JsonForm::Leaf, Some(self)),
        }
    }

    /// What a member is derived from: a name, a position, a global value.
    pub fn derived(self, key: &str) -> Option<Derived> {
        self.scope()?.by_key(key)?.codec.facts().derived
    }

    /// True if a member has no value of its own: it is derived.
    pub fn lacks_own(self, key: &str) -> bool {
        self.derived(key).is_some_and(Derived::lacks_own)
    }

    /// The value at this place without its derived members; `None` if there are no others.
    pub fn own_value(self, value: &Value) -> Option<Value> {
        let Value::Object(members) = value else { return Some(value.clone()) };
        let own = members.iter().filter(|(key, _)| !self.lacks_own(key)).filter_map(|(key, value)| {
            let own = self.member(key).map_or_else(|_| Some(value.clone()), |below| below.own_value(value));
            Some((key.clone(), own?))
        });
        let own: Object = own.collect();
        // A block without members is a block; `auth` without members is no directive.
        let is_nothing = own.is_empty() && self.facts().address.is_some();
        (!is_nothing).then_some(Value::Object(own))
    }

    /// True if a view shows this value here where the text has nothing.
    pub fn is_shown_for_nothing(self, value: &Value) -> bool {
        is_empty(value) && (matches!(self, Self::Group(_)) || self.takes_elements())
    }

    /// The scope of the members at this place; `None` if their keys are free names.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Root => Some(Scope::Top),
            Self::Block(kind) => Some(kind.scope()),
            Self::Source(scope) => Some(scope),
            _ => self.facts().address.map(|shape| shape.members),
        }
    }

    /// True if the place is a list that a single element, given as its words, may be the whole of.
    pub fn takes_elements(self) -> bool {
        self.facts().takes_elements() || matches!(self, Self::Part(part) if part.is_rest())
    }

    /// True if the schema knows nothing of this place and the places below it.
    pub fn is_foreign(self) -> bool {
        matches!(self, Self::Templates | Self::Template | Self::Foreign)
    }

    /// Returns the value of a text here, as the configuration shows it; `None` for null.
    pub fn meant(self, text: &str) -> Result<Option<Value>, Fault> {
        if text == NULL {
            return Ok(None);
        }
        let mut value = self.typed(text)?;
        value.as_object_mut().into_iter().for_each(|members| members.retain(|_, member| !member.is_null()));
        Ok(Some(value))
    }

    /// True if a text is the words that the general rule shows as this list.
    pub fn has_words(self, value: &Value, text: &str) -> bool {
        let words = || read_words(text, of_word).map(Value::Array);
        let has = |words: Value| words == *value || value[0] == words && value[1].is_null();
        self.is_foreign() && value.is_array() && words().is_some_and(has)
    }

    /// Returns the value of `--set PATH=text`, which has no blanks or is one word.
    pub fn typed(self, text: &str) -> Result<Value, Fault> {
        match self {
            _ if text == NULL => self.removal(),
            Self::Part(part) => part.parse(text),
            Self::Templates | Self::Template | Self::Foreign => GENERAL.parse(text),
            Self::Leaf(kind) => of_kind(kind, text),
            Self::Source(_) => SOURCE.parse_one(text),
            Self::Pair(options) => options.parse_pair(text),
            Self::Own(_) if opens(text, '{') && self.facts().json == JsonForm::Object => object(text),
            Self::Own(row) => row.codec.parse(text),
            Self::Root | Self::Group(_) | Self::Block(_) | Self::Extras => object(text),
        }
    }

    /// Returns `text` as a string, whatever it looks like, if the place takes strings.
    pub fn string(self, text: &str) -> Result<Value, Fault> {
        let Facts { json, options, .. } = self.facts();
        let is_of_words = matches!(self, Self::Own(_)) && (json == JsonForm::Object || options.is_some());
        if is_of_words { Err(no_string()) } else { self.typed(&Value::from(text).to_string()) }
    }

    /// Returns null if the value here can be removed.
    pub fn removal(self) -> Result<Value, Fault> {
        match self.facts().derived {
            Some(Derived::Position | Derived::Static | Derived::NeverStatic) => {
                Err(Fault::of_path("every block has one").hint("set it to another value"))
            }
            _ => Ok(Value::Null),
        }
    }
}

fn in_scope(scope: Scope, key: &str) -> Result<Place, Fault> {
    let Some(row) = scope.by_key(key) else {
        let is_template = scope == Scope::Top && Schema::block_scope(key, 1) == Scope::Template;
        let place = if is_template { Place::Templates } else { Place::Foreign };
        return scope.by_keyword(key).map_or(Ok(place), |row| Err(no_key(key, row)));
    };
    let facts = row.codec.facts();
    Ok(match (facts.group, facts.derived) {
        (Some(kind), _) => Place::Group(kind),
        (_, Some(Derived::Address)) => Place::Leaf(&TEXT),
        _ => Place::Own(row),
    })
}

/// Refuses members that can't be set: `name`, `runtime` and the like.
pub fn settable(place: Place) -> Result<Place, Fault> {
    let Place::Own(Parameter { key, codec, .. }) = place else { return Ok(place) };
    let Some(what) = codec.facts().derived else { return Ok(place) };
    let hint = match what {
        Derived::Name => "it is the key; `mediactl mv` gives the block another name",
        Derived::Global | Derived::Former if *key == URL_GLOBAL => "set the `auth.url` of the top level",
        Derived::Global | Derived::Former => "set the `cluster_key` of the top level",
        Derived::Runtime => "it holds figures of the running server",
        Derived::Output(option) => &format!("it belongs to the output of `read {option}`"),
        Derived::NeverStatic => "a live is never static",
        Derived::Static | Derived::Position | Derived::Address => return Ok(place),
    };
    Err(Fault::of_path(format!("`{key}` is output only")).hint(hint))
}

impl Path {
    /// The path with the key `urls` for the keyword of the text: `streams.cam1.url` says the only source.
    pub(crate) fn with_key_of_sources(&self) -> Self {
        let mut path = self.clone();
        if let (Some(kind), [_, _, Segment::Key(key)]) = (self.kind(), &mut path.segments[..])
            && kind.has_sources()
            && let Some(row) = kind.scope().by_keyword(key)
            && row.role == Some(DirectiveRole::Sources)
        {
            row.key.clone_into(key);
        }
        path
    }

    /// Advice, as far as there is any, about a path below a block of this kind that the schema does not have.
    pub fn unknown_below(&self, kind: Kind) -> Option<Option<String>> {
        let from = Place::Block(kind);
        match from.through_lists(&self.segments) {
            Err(fault) => Some(fault.hint),
            Ok(_) => UnknownKey::find(from, &self.segments).map(UnknownKey::suggestion),
        }
    }
}

/// The first key of a path that the schema does not have. It may be an unknown directive, or a slip.
#[derive(Debug, Clone, Copy)]
pub struct UnknownKey<'p> {
    /// The key as it was written.
    pub key: &'p str,
    /// Its place in the path.
    pub at: usize,
    /// The scope in which it stands.
    pub scope: Scope,
}

impl<'p> UnknownKey<'p> {
    /// The one of a path that begins at `from`, and goes through lists without brackets.
    pub fn find(from: Place, path: &'p [Segment]) -> Option<Self> {
        let mut above = from;
        for (at, segment) in path.iter().enumerate() {
            let scope = above.facts().element.unwrap_or(above).scope();
            let below = above.through_lists(&path[at..=at]);
            if let (Some(key), Some(scope)) = (segment.name(), scope)
                && scope.by_key(key).is_none()
                && below.as_ref().ok().is_none_or(|place| place.is_foreign())
            {
                return Some(Self { key, at, scope });
            }
            above = below.ok()?;
        }
        None
    }

    /// The known key that it probably misspells.
    pub fn near_miss(self) -> Option<&'static str> {
        let near = self.scope.near_miss(self.key).map(|near| near.key);
        // In a text, a word of three letters may be any other word; a path asks for a known one.
        let is_slip = |key: &&str| [key.len(), self.key.len()] == [3, 3] && is_one_edit(self.key, key);
        near.or_else(|| self.scope.rows().map(|row| row.key).find(is_slip))
    }

    /// The known keys that are similar.
    pub fn suggestion(self) -> Option<String> {
        did_you_mean(self.key, self.scope.rows().map(|row| row.key))
    }
}

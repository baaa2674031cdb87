//! Finds the place in the schema that a path leads to, and with it the values that the place takes.

use std::borrow::Cow;

use serde_json::Value;

use super::path::{Path, Segment};
use crate::schema::codec::is_list;
use crate::schema::fault::Fault;
use crate::schema::{AddressShape, Derived, DirectiveRole, JsonForm, Object, Schema, Scope, URL_GLOBAL};

pub use crate::schema::Place;

impl Place {
    /// The place that `segments` lead to from the whole.
    pub fn resolve(segments: &[Segment]) -> Result<Self, Fault> {
        segments.iter().try_fold(Self::Root, Self::step)
    }

    /// Like [`Place::resolve`]; an output-only member is a fault.
    pub fn to_set(segments: &[Segment]) -> Result<Self, Fault> {
        segments.iter().try_fold(Self::Root, |place, segment| {
            let place = place.step(segment)?;
            refuse_output_only(place).map(|()| place)
        })
    }

    /// The place one segment further.
    pub fn step(self, segment: &Segment) -> Result<Self, Fault> {
        match segment {
            Segment::Key(key) => self.member(key),
            Segment::Matching(_) | Segment::EveryEntry => {
                Err(Fault::of_path(format!("`{segment}` stands for several places")))
            }
            Segment::Index(_) | Segment::FromEnd(_) | Segment::Append | Segment::Find { .. } => self.entry(),
        }
    }

    /// The place that `path` leads to from here, where a name behind a list is one of each of its entries. A
    /// pattern stands for any of its names or entries.
    pub fn through_lists(self, path: &[Segment]) -> Result<Self, Fault> {
        path.iter().try_fold(self, |place, segment| match segment {
            Segment::Key(name) | Segment::Matching(name) => {
                let in_entries = place.list_entry().and_then(|entry| entry.member(name).ok());
                in_entries.map_or_else(|| place.member(name), Ok)
            }
            Segment::EveryEntry => place.step(&Segment::Index(0)),
            _ => place.step(segment),
        })
    }

    /// The place of a member.
    pub fn member(self, key: &str) -> Result<Self, Fault> {
        match self {
            Self::Root => in_scope(Schema::media().top(), key),
            Self::Group(kind) => Ok(Self::Block(kind)),
            Self::Block(kind) => in_scope(kind.scope(), key),
            Self::Source(scope) => in_scope(scope, key),
            Self::Extras => Ok(Self::Text),
            Self::Templates(scope) => Ok(Self::Template(scope)),
            Self::Template(scope) => Ok(scope.by_key(key).map_or(Self::Foreign, Self::Own)),
            Self::ForeignBlock | Self::Foreign => Ok(Self::Foreign),
            Self::Own(parameter) => parameter.codec.member(key),
            Self::Pair(_) => Err(is_list("`[0]` for the name or `[1]` for the value")),
            Self::Part(part) if part.is_rest() => {
                Err(is_list("a word, such as `[0]`, or `[+]` for a new one"))
            }
            Self::Element(_) | Self::BackendUrl | Self::Text | Self::Part(_) => Err(no_members()),
        }
    }

    fn entry(self) -> Result<Self, Fault> {
        let is_object = match self {
            Self::Own(parameter) => parameter.codec.facts().json == JsonForm::Object,
            Self::Root | Self::Group(_) | Self::Block(_) | Self::Source(_) => true,
            Self::Extras | Self::ForeignBlock => true,
            _ => false,
        };
        self.list_entry().ok_or_else(|| if is_object { no_list() } else { no_members() })
    }

    /// The place of an entry of a list; `None` if there is no list.
    pub fn list_entry(self) -> Option<Self> {
        match self {
            Self::Own(parameter) => parameter.codec.entry(),
            Self::Templates(_) | Self::Template(_) => Some(self),
            Self::Part(part) if part.is_rest() => Some(Self::Foreign),
            Self::Pair(_) | Self::Foreign => Some(Self::Foreign),
            _ => None,
        }
    }

    /// True if a member is derived: a name, a position, a global value.
    pub fn derives(self, key: &str) -> bool {
        let parameter = self.scope().and_then(|scope| scope.by_key(key));
        parameter.is_some_and(|parameter| parameter.codec.facts().derived.is_some())
    }

    /// True if a member has no value of its own: it is derived.
    pub fn lacks_own(self, key: &str) -> bool {
        self.scope().is_some_and(|scope| is_derived(scope, key))
    }

    /// The scope of the members at this place; `None` if their keys are free names.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Root => Some(Schema::media().top()),
            Self::Block(kind) => Some(kind.scope()),
            Self::Source(scope) => Some(scope),
            _ => self.address().map(|shape| shape.members),
        }
    }

    /// True if `null` and words like `false` are plain text at this place.
    pub fn is_text(self) -> bool {
        match self {
            Self::Text => true,
            Self::Part(part) => part.kind.is_text,
            Self::Own(parameter) => parameter.codec.facts().kind.is_some_and(|kind| kind.is_text),
            _ => false,
        }
    }

    /// True if the place is a list that a single element, given as its words, may be the whole of.
    pub fn takes_elements(self) -> bool {
        match self {
            Self::Own(parameter) => parameter.takes_elements(),
            Self::Part(part) => part.is_rest(),
            _ => false,
        }
    }

    /// The shape of the place, if that is the only address of a directive.
    pub fn address(self) -> Option<&'static AddressShape> {
        if let Self::Own(parameter) = self { parameter.codec.facts().address } else { None }
    }

    /// True if the schema knows nothing of this place and the places below it.
    pub fn is_foreign(self) -> bool {
        matches!(self, Self::ForeignBlock | Self::Templates(_) | Self::Template(_) | Self::Foreign)
    }
}

fn in_scope(scope: Scope, key: &str) -> Result<Place, Fault> {
    let Some(parameter) = scope.by_key(key) else {
        return match scope.by_keyword(key) {
            Some(meant) => {
                Err(Fault::of_path(format!("`{key}` is a keyword of the text, not a key of the JSON"))
                    .hint(format!("did you mean `{}`?", meant.key)))
            }
            None => Ok(match Schema::media().block_scope(key, 1) {
                inside if scope.is_top() && !inside.is_unknown() => Place::Templates(inside),
                _ => Place::Foreign,
            }),
        };
    };
    Ok(match (parameter.codec.facts().group, parameter.codec.facts().derived) {
        (Some(kind), _) => Place::Group(kind),
        (_, Some(Derived::Address)) => Place::Text,
        _ => Place::Own(parameter),
    })
}

fn no_list() -> Fault {
    Fault::of_path("expected a list, found an object").hint("name a member after a `.`")
}

fn no_members() -> Fault {
    Fault::of_path("there is nothing below a plain value")
}

/// True if a member of a view is derived: a name, a position, a global value.
pub fn is_derived(scope: Scope, key: &str) -> bool {
    scope.by_key(key).and_then(|parameter| parameter.codec.facts().derived).is_some_and(Derived::lacks_own)
}

/// The value at a place without its derived members; `None` if there are no others.
pub fn own_value(place: Place, value: &Value) -> Option<Value> {
    let Value::Object(members) = value else { return Some(value.clone()) };
    let own = members.iter().filter(|(key, _)| !place.lacks_own(key)).filter_map(|(key, value)| {
        let own = place.member(key).map_or_else(|_| Some(value.clone()), |below| own_value(below, value));
        Some((key.clone(), own?))
    });
    let own: Object = own.collect();
    // A block without members is a block; `auth` without members is no directive.
    let is_nothing = own.is_empty() && place.address().is_some();
    (!is_nothing).then_some(Value::Object(own))
}

/// The path with the key `urls` for the keyword of the text: `streams.cam1.url` says the only source.
pub fn with_key_of_sources<'p>(path: &'p Path) -> Cow<'p, Path> {
    let [Segment::Key(group), _, Segment::Key(keyword)] = &path.segments[..] else {
        return Cow::Borrowed(path);
    };
    let Some(kind) = Schema::media().kind(group).filter(|kind| kind.has_sources()) else {
        return Cow::Borrowed(path);
    };
    let is_key = kind.scope().by_key(keyword).is_some();
    match kind.scope().by_keyword(keyword) {
        Some(row) if row.role == Some(DirectiveRole::Sources) && !is_key => {
            Cow::Owned(path.with_segment(2, Segment::Key(row.key.to_owned())))
        }
        _ => Cow::Borrowed(path),
    }
}

/// True if a view shows this value at `place` where the text has nothing.
pub fn is_shown_for_nothing(place: Place, value: &Value) -> bool {
    match (place, value) {
        (Place::Group(_), Value::Object(members)) => members.is_empty(),
        (Place::Own(parameter), Value::Array(entries)) => parameter.takes_elements() && entries.is_empty(),
        _ => false,
    }
}

/// Refuses members that can't be set: `name`, `runtime` and the like.
fn refuse_output_only(place: Place) -> Result<(), Fault> {
    let Place::Own(parameter) = place else { return Ok(()) };
    let Some(what) = parameter.codec.facts().derived else { return Ok(()) };
    let key = parameter.key;
    let hint = match what {
        Derived::Name => "it is the key; `mediactl mv` gives the block another name",
        Derived::Global | Derived::Former if key == URL_GLOBAL => "set the `auth.url` of the top level",
        Derived::Global | Derived::Former => "set the `cluster_key` of the top level",
        Derived::Runtime => "it holds figures of the running server",
        Derived::Included => "it names the files that `read --with-includes` shows, too",
        Derived::NeverStatic => "a live is never static",
        Derived::Static | Derived::Position | Derived::Address => return Ok(()),
    };
    Err(Fault::of_path(format!("`{key}` is output only")).hint(hint))
}

//! The types of a row of the table.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::kinds::{Transport, WordKind};

/// The block in which a known parameter may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Outside any block.
    Top,
    /// Inside `stream NAME { … }` or `ondemand NAME { … }`.
    Stream,
    /// Inside `live PREFIX { … }`.
    Live,
    /// Inside `plugin NAME { … }`.
    Plugin,
    /// An element of a stream's `urls`.
    Source,
    /// Inside the object `auth`, beside its `url` and `extra`.
    Backend,
    /// Inside `template NAME { … }`, which the general rule shows except for known parameters.
    Template,
    /// Inside any other block: no parameter is known there.
    Foreign,
}

/// Every scope, in the order of its declaration.
pub(super) const SCOPES: [Scope; 8] = [
    Scope::Top,
    Scope::Stream,
    Scope::Live,
    Scope::Plugin,
    Scope::Source,
    Scope::Backend,
    Scope::Template,
    Scope::Foreign,
];

/// The form of a parameter in text and in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `prepush 5;`, one directive with one value.
    Value(&'static WordKind),
    /// `edit_auth LOGIN PASSWORD;`, one directive whose words are the members of an object.
    Object(&'static ObjectShape),
    /// `http 80;` repeated, an array of values.
    List(&'static ListShape),
    /// The blocks of the directives of a list, an object by value.
    Blocks(&'static ListShape),
    /// `auth URL key=value …;`, `{url, extra}`.
    Backend,
    /// `url URL key=value …;` repeated, an array of `{url, …}`.
    Sources,
    /// `transcoder vb=1024k …;`, an array of `[name, value]`.
    Options(&'static OptionsShape),
    /// `stream NAME { … }` repeated, an object by name.
    Group(Kind),
    /// No directive: read from the text around it, or from elsewhere.
    Derived(Derived),
}

/// A directive that stands once for each value of a list, maybe with a block.
#[derive(Debug, PartialEq, Eq)]
pub struct ListShape {
    /// The JSON key of the list.
    pub key: &'static str,
    /// The JSON key of the blocks.
    pub blocks: &'static str,
    /// The kind of its values.
    pub kind: &'static WordKind,
    /// One of its values, in messages.
    pub noun: &'static str,
    /// The type of the list in JSON, in short.
    pub name: &'static str,
    /// The form of the list in JSON, for the manual.
    pub json_form: &'static str,
    /// The form of the blocks in JSON, for the manual.
    pub blocks_json_form: &'static str,
}

/// The options behind the address of a directive, and how a patch merges into them.
#[derive(Debug)]
pub struct AddressOptions {
    /// The scope in which their names are keys.
    pub scope: Scope,
    /// The kind of their values; an option without a value is true.
    pub kind: &'static WordKind,
    /// True if a new option is written in front of the others.
    pub new_first: bool,
}

/// A directive whose words are options, `NAME=VALUE` or `NAME`.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionsShape {
    /// Its keyword, in messages.
    pub noun: &'static str,
    /// The options whose values are not under the word rule.
    pub known: &'static [KnownOption],
}

/// An option that has a name of its own in JSON, and a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownOption {
    /// Its name in the text.
    pub keyword: &'static str,
    /// Its name in JSON.
    pub key: &'static str,
    /// The kind of its value; another value is under the word rule.
    pub kind: &'static WordKind,
}

impl OptionsShape {
    /// The option with this name in the text or in JSON.
    pub fn known(&self, name: &str) -> Option<&'static KnownOption> {
        self.known.iter().find(|known| known.keyword == name || known.key == name)
    }
}

/// A directive whose words are the members of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct ObjectShape {
    /// The name of its schema in OpenAPI.
    pub name: &'static str,
    /// The members, in the order in which they are written.
    pub parts: &'static [Part],
    /// True if a patch may also give the words as a string or an array, as the general rule shows them.
    pub takes_words: bool,
}

/// A member of an object, and the form of its words.
#[derive(Debug, Eq)]
pub struct Part {
    /// The JSON key.
    pub key: &'static str,
    /// The kind of its value.
    pub kind: &'static WordKind,
    /// The place among the words.
    pub place: PartPlace,
    /// True if its value is a secret.
    pub secret: bool,
}

/// The place of a member of an object among the words of its directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartPlace {
    /// The next word, which has to be there.
    Required,
    /// In the place of the part before it.
    Instead,
    /// Anywhere behind those: its form identifies it.
    Optional,
    /// All words that are no other part, as a list.
    Rest,
}

impl ObjectShape {
    /// The part with this JSON key.
    pub fn part(&self, key: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.key == key)
    }

    /// Returns the number of words that have to be there.
    pub fn required(&self) -> usize {
        self.parts.iter().filter(|part| part.place == PartPlace::Required).count()
    }

    /// The part that may stand in the place of this one.
    pub fn alternative(&self, part: &Part) -> Option<&'static Part> {
        let at = self.parts.iter().position(|known| known == part)?;
        let next = self.parts.get(at + 1)?;
        (part.place == PartPlace::Required && next.place == PartPlace::Instead).then_some(next)
    }

    /// The keys as messages list them: "`login` and `password`".
    pub fn keys(&self) -> String {
        let keys: Vec<String> = self.parts.iter().map(|part| format!("`{}`", part.key)).collect();
        match keys.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => keys.concat(),
        }
    }

    /// The words behind the keyword, as a usage line shows them.
    fn usage(&self) -> String {
        self.parts.iter().map(Part::usage).collect::<Vec<_>>().join(" ")
    }
}

/// The three groups of named blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `stream` and `ondemand`.
    Stream,
    /// `live`.
    Live,
    /// `plugin`.
    Plugin,
}

/// A JSON member that no directive of its own stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derived {
    /// The name or prefix in the header of a block.
    Name,
    /// True if the header says `stream`, false for `ondemand`; a live's is false.
    Static,
    /// The place in the group, from 1.
    Position,
    /// A global value, repeated for readers.
    Global,
    /// A value that an earlier version showed here, and that its clients still send.
    Former,
    /// Figures of a running server.
    Runtime,
    /// The names of the included files whose contents are shown.
    Included,
    /// The address of a source: the first word of its directive.
    Address,
}

impl Derived {
    /// True if it is ignored in a patch.
    pub fn is_output_only(self) -> bool {
        matches!(self, Self::Global | Self::Former | Self::Runtime)
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Parameter {
    /// The JSON key.
    pub key: &'static str,
    /// The keywords of its directives; a new one is written with the first.
    pub keywords: &'static [&'static str],
    /// The scope in which it may stand.
    pub scope: Scope,
    /// Its place among the rows of its scope, from 0.
    pub number: u8,
    pub shape: Shape,
    /// True if its value, or one part of it, is a secret.
    pub secret: bool,
    /// True if a directive of the wrong form is an error, not a warning: a server does not start without
    /// it, or starts open to everybody.
    pub strict: bool,
    /// The value that holds if it is not set; empty if the media server decides.
    pub default: &'static str,
    /// The unit of a number.
    pub unit: &'static str,
    /// True if it is shown even if the text does not set it.
    pub always_shown: bool,
    /// One line of documentation.
    pub doc: &'static str,
    /// An example of the directive.
    pub example: &'static str,
}

impl Parameter {
    /// The value that is shown where no directive sets it; `None` if nothing is.
    pub fn value_of_nothing(&self) -> Option<Value> {
        match self.shape {
            _ if !self.always_shown => None,
            Shape::List(_) | Shape::Sources => Some(Value::Array(Vec::new())),
            Shape::Group(_) => Some(Value::Object(Map::new())),
            _ => serde_json::from_str(self.default).ok(),
        }
    }

    /// Returns the transport of the ports that it names.
    pub fn transport(&self) -> Option<Transport> {
        match self.shape {
            Shape::Value(kind) => kind.transport,
            Shape::List(list) => list.kind.transport,
            _ => None,
        }
    }

    /// The type of its value in JSON, in short.
    pub fn value_type(&self) -> &'static str {
        match self.shape {
            Shape::Value(kind) => kind.name,
            Shape::Object(_) | Shape::Backend => "object",
            Shape::List(list) => list.name,
            Shape::Sources => "list of objects",
            Shape::Options(_) => "list of [name, value]",
            Shape::Group(_) | Shape::Blocks(_) => "object of objects",
            Shape::Derived(Derived::Static) => "boolean",
            Shape::Derived(Derived::Position) => "integer",
            Shape::Derived(Derived::Runtime) => "object",
            Shape::Derived(Derived::Included) => "list of strings",
            Shape::Derived(_) => "string",
        }
    }

    /// The words behind the keyword when they are right, for messages and the manual.
    pub fn usage(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self.shape {
            Shape::Value(kind) => kind.usage,
            Shape::List(list) => list.kind.usage,
            Shape::Object(object) => return Cow::Owned(object.usage()),
            Shape::Backend => "a URL or `false`, then NAME=VALUE options",
            Shape::Sources => "a URL, then NAME=VALUE options",
            Shape::Options(_) => "NAME=VALUE options",
            Shape::Group(Kind::Stream) => "a NAME, then a URL or a block",
            Shape::Group(_) => "a NAME, and maybe a block",
            Shape::Blocks(_) | Shape::Derived(_) => "nothing",
        })
    }

    /// The form of the value in JSON, for the manual.
    pub fn json_form(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self.shape {
            Shape::Value(kind) => kind.json_form,
            Shape::Object(object) => {
                let keys: Vec<String> = object.parts.iter().map(|part| format!("\"{}\"", part.key)).collect();
                return Cow::Owned(format!("{{{}}}", keys.join(", ")));
            }
            Shape::List(list) => list.json_form,
            Shape::Backend => {
                "{\"url\", \"extra\"}; `auth false;` is the url false, the options are in extra"
            }
            Shape::Sources => "an array of {\"url\", ...}; always shown",
            Shape::Options(_) => "an array of [name, value]",
            Shape::Group(Kind::Live) => "an object by prefix; always shown",
            Shape::Group(_) => "an object by name; always shown",
            Shape::Blocks(list) => list.blocks_json_form,
            Shape::Derived(Derived::Name | Derived::Address) => "a string",
            Shape::Derived(Derived::Static) => "true or false",
            Shape::Derived(Derived::Position) => "a number",
            Shape::Derived(Derived::Global) => "a string, read-only here",
            Shape::Derived(Derived::Former) => "a string, no longer shown",
            Shape::Derived(Derived::Runtime) => "an object, read-only",
            Shape::Derived(Derived::Included) => "a list of strings, refused in a patch",
        })
    }
}

/// Two parts are equal if they are the same row.
impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Part {
    /// The type of its value in JSON, in short.
    pub fn value_type(&self) -> &'static str {
        if self.place == PartPlace::Rest { "list of words" } else { self.kind.name }
    }

    fn usage(&self) -> String {
        match self.place {
            PartPlace::Required => self.key.to_uppercase(),
            PartPlace::Instead => format!("or {}", self.kind.usage),
            PartPlace::Optional => format!("[{}]", self.kind.examples[0]),
            PartPlace::Rest => "[OPTION...]".to_owned(),
        }
    }
}

impl Scope {
    /// Describes the place of a parameter of this scope.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Top => "at the top level",
            Self::Stream => "in `stream` and `ondemand`",
            Self::Live => "in `live`",
            Self::Plugin => "in `plugin`",
            Self::Source => "in an element of `urls`",
            Self::Backend => "in `auth`",
            Self::Template => "in `template`",
            Self::Foreign => "in any other block",
        }
    }
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Stream, Self::Live, Self::Plugin];

    /// The JSON key of the group.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Stream => "streams",
            Self::Live => "lives",
            Self::Plugin => "plugins",
        }
    }

    /// The kind of the blocks in the group with this JSON key.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// The scope inside a block of this kind.
    pub fn scope(self) -> Scope {
        match self {
            Self::Stream => Scope::Stream,
            Self::Live => Scope::Live,
            Self::Plugin => Scope::Plugin,
        }
    }

    /// The keyword of a new block.
    pub fn keyword(self, is_on_demand: bool) -> &'static str {
        if self == Self::Stream && is_on_demand { ON_DEMAND } else { self.noun() }
    }

    /// The keyword of most blocks, and their name in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Live => "live",
            Self::Plugin => "plugin",
        }
    }
}

/// The keyword of the blocks of [`Scope::Template`].
pub const TEMPLATE: &str = "template";

/// The member of `auth` that repeats the global `auth.url` in streams and lives.
pub const URL_GLOBAL: &str = "url_global";

/// The member that marks a configuration which is shown with what it includes.
pub const WITH_INCLUDES: &str = "with_includes";

/// The keyword of a stream that runs on demand.
pub const ON_DEMAND: &str = "ondemand";

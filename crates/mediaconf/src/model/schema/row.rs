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
    /// Inside `template NAME { … }`, `source`, `file` and `vod`, which hold what a stream may hold. The
    /// general rule shows the rest of them.
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
    /// `auth URL key=value …;`, one directive with an address and options.
    Address(&'static AddressShape),
    /// `url URL key=value …;` repeated, an array of addresses.
    Addresses(&'static AddressShape),
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

/// A directive with an address and options behind it, and how a patch merges into them.
#[derive(Debug)]
pub struct AddressShape {
    /// The name of its schema in OpenAPI.
    pub name: &'static str,
    /// One of its values, in messages.
    pub noun: &'static str,
    /// The JSON key of the address.
    pub address: &'static str,
    /// The value of the address, if no row has it.
    pub address_doc: &'static str,
    /// The JSON key of the object with the options; none if they are members beside the address.
    pub options: Option<&'static str>,
    /// The scope of the other members of its object.
    pub members: Scope,
    /// The kind of the values of options; an option without a value is true.
    pub kind: &'static WordKind,
    /// True if a new option is written in front of the others.
    pub new_first: bool,
    /// True if the word `false` may stand in the place of the address; a patch that sets it removes the
    /// options that it does not set.
    pub may_be_false: bool,
    /// The keyword of a new directive.
    pub keyword: &'static str,
    /// The keyword of a directive whose words are all addresses, without options.
    pub plural: &'static str,
    /// The words behind the keyword.
    pub usage: &'static str,
    /// The form in JSON, for the manual.
    pub json_form: &'static str,
}

impl AddressShape {
    /// The scope in which the names of options are keys.
    pub fn option_scope(&self) -> Scope {
        if self.options.is_some() { Scope::Foreign } else { self.members }
    }

    /// The options of an address in JSON, in their order.
    pub fn options_of<'v>(&self, value: &'v Value) -> impl Iterator<Item = (&'v String, &'v Value)> {
        let object = self.options.map_or(Some(value), |key| value.get(key)).and_then(Value::as_object);
        let address = self.options.is_none().then_some(self.address);
        object.into_iter().flatten().filter(move |(key, _)| Some(key.as_str()) != address)
    }

    /// True if the directive itself has a member with this key.
    pub fn is_member(&self, key: &str) -> bool {
        key == self.address || Some(key) == self.options
    }

    /// The keys as messages list them: "`url` and `extra`".
    pub fn keys(&self) -> String {
        self.options.map_or_else(
            || format!("`{}`", self.address),
            |options| format!("`{}` and `{options}`", self.address),
        )
    }
}

/// Two shapes are equal if they are the same static.
impl PartialEq for AddressShape {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for AddressShape {}

/// The form of a value in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonForm {
    /// A string, a number or a boolean.
    Leaf,
    /// An object.
    Object,
    /// A list.
    List,
}

impl Shape {
    /// The kind of the blocks of a group.
    pub const fn group(self) -> Option<Kind> {
        if let Self::Group(kind) = self { Some(kind) } else { None }
    }

    /// The description of a member without a directive of its own.
    pub const fn derived(self) -> Option<Derived> {
        if let Self::Derived(what) = self { Some(what) } else { None }
    }

    /// The form of the only address of a directive.
    pub const fn address(self) -> Option<&'static AddressShape> {
        if let Self::Address(address) = self { Some(address) } else { None }
    }

    /// True if each directive has an entry in a list, which is shown even if it is empty.
    pub const fn is_list(self) -> bool {
        matches!(self, Self::List(_) | Self::Addresses(_))
    }

    /// True if one directive has words that are the members of an object.
    pub const fn is_object(self) -> bool {
        matches!(self, Self::Object(_) | Self::Address(_))
    }

    /// True if a patch may give the words of the directive in the place of its members.
    pub const fn takes_words(self) -> bool {
        match self {
            Self::Object(object) => object.takes_words,
            _ => matches!(self, Self::Options(_)),
        }
    }

    /// The form of the value in JSON.
    pub const fn json(self) -> JsonForm {
        match self {
            Self::Group(_) | Self::Object(_) | Self::Address(_) | Self::Blocks(_) => JsonForm::Object,
            Self::List(_) | Self::Addresses(_) | Self::Options(_) => JsonForm::List,
            Self::Value(_) | Self::Derived(_) => JsonForm::Leaf,
        }
    }
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

/// What a directive is for, where the program has to know it: one of another name with the same role is
/// treated alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveRole {
    /// The account that may change the configuration.
    Editor,
    /// The account that may look at everything but secrets.
    Viewer,
    /// Decides who may watch; in blocks, the one of the top level holds where there is no own one.
    Backend,
    /// The secret of a source; inherited like the backend.
    ClusterKey,
    /// The sources of a stream.
    Sources,
    /// The folder of recordings, first of its words.
    Archive,
    /// Switches a stream off.
    Disabled,
}

impl DirectiveRole {
    /// True if the value of the top level holds in a block that has none.
    pub fn is_inherited(self) -> bool {
        matches!(self, Self::Backend | Self::ClusterKey)
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
    /// The form of its directives.
    pub shape: Shape,
    /// What it is for, where the program has to know it.
    pub role: Option<DirectiveRole>,
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
            shape if shape.is_list() => Some(Value::Array(Vec::new())),
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
            Shape::Object(_) | Shape::Address(_) => "object",
            Shape::List(list) => list.name,
            Shape::Addresses(_) => "list of objects",
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
            Shape::Address(address) | Shape::Addresses(address) => address.usage,
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
            Shape::Address(address) | Shape::Addresses(address) => address.json_form,
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
            Self::Template => "in `template`, `source`, `file` and `vod`",
            Self::Foreign => "in any other block",
        }
    }
}

impl Kind {
    /// All kinds, in the order of the view.
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

/// The key that tells `stream` from `ondemand`.
pub const STATIC: &str = "static";

/// The key of the place of a block among those of its kind, from 1.
pub const POSITION: &str = "position";

/// The member of `auth` that repeats the global `auth.url` in streams and lives.
pub const URL_GLOBAL: &str = "url_global";

/// The member that marks a configuration which is shown with what it includes.
pub const WITH_INCLUDES: &str = "with_includes";

/// The keyword of a stream that runs on demand.
pub const ON_DEMAND: &str = "ondemand";

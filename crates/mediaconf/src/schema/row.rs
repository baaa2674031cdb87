//! The types of the table: a schema has scopes, a scope has rows, and a row may open another scope.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value};

use super::foreign::ForeignKeyword;
use super::forms::{Derived, DirectiveRole, JsonForm, ListShape, ObjectShape, OptionsShape};
use super::kinds::{Transport, WordKind};

/// The directives that media servers know: [`Schema::media`].
pub struct Schema {
    /// Every scope; the top level is the first, the inside of any unknown block the last.
    pub scopes: &'static [Scope],
    /// The groups of named blocks, in the order of the view.
    pub kinds: &'static [Kind],
    /// The keywords of blocks that the general rule shows although some of their members are known, and the scope
    /// inside them.
    pub blocks: &'static [(&'static str, Scope)],
    /// The directives that only some servers of the family know; the general rule shows them.
    pub foreign: &'static LazyLock<Vec<ForeignKeyword>>,
    pub(super) foreign_rows: OnceLock<HashMap<&'static str, &'static ForeignKeyword>>,
}

impl Schema {
    /// The scope outside any block.
    pub fn top(&self) -> Scope {
        self.scopes[0]
    }

    /// The scope inside any block that the schema does not know: no parameter stands there.
    pub fn unknown(&self) -> Scope {
        self.scopes[self.scopes.len() - 1]
    }

    /// The rows of all scopes.
    pub fn rows(&self) -> impl Iterator<Item = &'static Parameter> + Clone {
        self.scopes.iter().flat_map(|scope| scope.rows())
    }

    /// The kind of the blocks in the group with this JSON key.
    pub fn kind(&self, key: &str) -> Option<Kind> {
        self.kinds.iter().copied().find(|kind| kind.key() == key)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Schema").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// The block in which a known parameter may stand, as a handle to its table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope(pub &'static ScopeTable);

/// The table of a scope.
pub struct ScopeTable {
    /// Describes the place of a parameter of this scope.
    pub in_words: &'static str,
    /// The keyword of the blocks whose foreign directives may stand here, too; empty at the top level, `None` if
    /// none may.
    pub foreign_of: Option<&'static str>,
    /// The rows, in the order in which they are shown and written.
    pub rows: &'static [Parameter],
}

/// Gives each row its place among those of its scope.
pub const fn numbered<const COUNT: usize>(mut rows: [Parameter; COUNT]) -> [Parameter; COUNT] {
    let mut at = 0;
    while at < COUNT {
        rows[at].number = at as u8;
        at += 1;
    }
    rows
}

/// Two tables are equal if they are the same static.
impl PartialEq for ScopeTable {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ScopeTable {}

impl Hash for ScopeTable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.in_words)
    }
}

impl Scope {
    /// The parameters that may stand here, in their order.
    pub fn rows(self) -> impl Iterator<Item = &'static Parameter> + Clone {
        self.0.rows.iter()
    }

    /// Describes the place of a parameter of this scope.
    pub fn in_words(self) -> &'static str {
        self.0.in_words
    }

    /// The kind of the blocks of which this is the inside.
    pub fn kind(self) -> Option<Kind> {
        Schema::media().kinds.iter().copied().find(|kind| kind.scope() == self)
    }

    /// True if this is the scope outside any block.
    pub fn is_top(self) -> bool {
        self == Schema::media().top()
    }

    /// A number that differs from that of other scopes.
    pub fn id(self) -> u64 {
        std::ptr::from_ref(self.0).addr() as u64
    }

    /// True if this is the inside of a block that the schema does not know.
    pub fn is_unknown(self) -> bool {
        self == Schema::media().unknown()
    }
}

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

/// How a patch merges into a value. The form of a row names its rule ([`Shape::merge`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// The new value takes the place of the present one.
    Replace,
    /// The same for a list: an empty one removes the directives. The text is edited element by element.
    ReplaceList,
    /// Members that the patch lacks stay; of two that exclude each other, the given one stays.
    Members(&'static ObjectShape),
    /// The address stays if the patch lacks it, and so do the options; `false` removes the options.
    AddressAndOptions(&'static AddressShape),
    /// Entries of a name merge; null removes the entry.
    ByName,
    /// It has no directive: it must be equal, moves the block, or is ignored ([`Derived`]).
    Derived,
}

/// A directive with an address and options behind it, and how a patch merges into them.
#[derive(Debug)]
pub struct AddressShape {
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
    /// The beginning of an address that names a block of the top level, and the keyword of those blocks.
    pub names: Option<(&'static str, &'static str)>,
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
        if self.options.is_some() { Schema::media().unknown() } else { self.members }
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

impl Shape {
    /// The rule by which a patch merges into a value of this form.
    pub const fn merge(self) -> Merge {
        match self {
            Self::Value(_) => Merge::Replace,
            Self::Object(object) => Merge::Members(object),
            Self::List(_) | Self::Addresses(_) | Self::Options(_) => Merge::ReplaceList,
            Self::Address(address) => Merge::AddressAndOptions(address),
            Self::Blocks(_) | Self::Group(_) => Merge::ByName,
            Self::Derived(_) => Merge::Derived,
        }
    }

    /// True if of several directives the last one counts.
    pub const fn is_setting(self) -> bool {
        matches!(self, Self::Value(_) | Self::Object(_) | Self::Address(_) | Self::Options(_))
    }

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
    /// Makes a row without documentation; its number is given by [`numbered`].
    pub const fn new(
        key: &'static str,
        keywords: &'static [&'static str],
        scope: Scope,
        shape: Shape,
    ) -> Self {
        Self {
            key,
            keywords,
            scope,
            number: 0,
            shape,
            role: None,
            secret: false,
            strict: false,
            always_shown: shape.is_list() || shape.group().is_some(),
            default: "",
            unit: "",
            doc: "",
            example: "",
        }
    }

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
            Shape::Group(kind) if kind.has_sources() => "a NAME, then a URL or a block",
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
            Shape::Addresses(address) if self.always_shown => {
                return Cow::Owned(format!("{}; always shown", address.json_form));
            }
            Shape::Address(address) | Shape::Addresses(address) => address.json_form,
            Shape::Options(_) => "an array of [name, value]",
            Shape::Group(kind) => return Cow::Owned(format!("an object by {}; always shown", kind.0.name)),
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

/// The named blocks of one group, such as the streams, as a handle to their description.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(pub &'static Group);

/// A group of named blocks.
pub struct Group {
    /// The JSON key of the group.
    pub key: &'static str,
    /// The keyword of most blocks, and their name in messages.
    pub noun: &'static str,
    /// The keyword of a block that runs on demand only, if there is one.
    pub on_demand: Option<&'static str>,
    /// True if a block has sources, the first of which may stand behind its name: `stream NAME URL;`.
    pub has_sources: bool,
    /// The noun of the name of a block.
    pub name: &'static str,
    /// The scope inside a block.
    pub scope: Scope,
    /// A block in JSON, for examples.
    pub example: &'static str,
}

/// Two groups are equal if they are the same static.
impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Group {}

impl Hash for Group {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.key)
    }
}

impl Kind {
    /// The JSON key of the group.
    pub const fn key(self) -> &'static str {
        self.0.key
    }

    /// The keyword of most blocks, and their name in messages.
    pub const fn noun(self) -> &'static str {
        self.0.noun
    }

    /// The scope inside a block of this kind.
    pub const fn scope(self) -> Scope {
        self.0.scope
    }

    /// True if a block has sources, the first of which may stand behind its name.
    pub const fn has_sources(self) -> bool {
        self.0.has_sources
    }

    /// True if a block may run on demand only.
    pub const fn may_be_on_demand(self) -> bool {
        self.0.on_demand.is_some()
    }

    /// The keyword of a new block.
    pub fn keyword(self, is_on_demand: bool) -> &'static str {
        self.0.on_demand.filter(|_| is_on_demand).unwrap_or(self.0.noun)
    }

    /// The place of the group among those of its schema, from 0.
    pub fn number(self) -> usize {
        let kinds = Schema::media().kinds;
        kinds.iter().position(|kind| *kind == self).expect("a schema has its groups")
    }
}

/// The member of `auth` that repeats the global `auth.url` in streams and lives.
pub const URL_GLOBAL: &str = "url_global";

/// The member that marks a configuration which is shown with what it includes.
pub const WITH_INCLUDES: &str = "with_includes";

//! The types of the table: a scope has rows, and a row has a codec, which reads and writes it and may open another scope.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::schema::{Fault, ForeignForm, ForeignKeyword, Normalizer, OUTSIDE, Object, WordKind, object};
use crate::syntax::Entry;

/// The member of `auth` that repeats the global `auth.url` in streams and lives.
pub const URL_GLOBAL: &str = "url_global";

/// The member of streams and lives that repeats the global `cluster_key`.
pub const CLUSTER_KEY_GLOBAL: &str = "cluster_key_global";

/// The directives that media servers know.
#[derive(Debug)]
pub struct Schema;

impl Schema {
    /// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
    pub const ESCAPE: char = '@';

    /// The key of the place of a block among those of its kind, from 1.
    pub const POSITION: &str = "position";

    /// The key that tells `stream` from `ondemand`.
    pub const STATIC: &str = "static";

    /// The key of the address of a source, and of a backend.
    pub const ADDRESS: &str = "url";

    /// The key of the options of a backend.
    pub const EXTRA: &str = "extra";

    /// The member that marks a configuration which is shown with what it includes.
    pub const WITH_INCLUDES: &str = "with_includes";

    /// The member that marks values that hold, though they stand in a template or at the top level.
    pub const EFFECTIVE: &str = "effective";

    /// The rows of all scopes.
    pub fn rows() -> impl Iterator<Item = &'static Parameter> + Clone {
        Scope::ALL.iter().flat_map(|scope| scope.rows())
    }

    /// The kind of the blocks in the group with this JSON key.
    pub fn kind(key: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// The scope inside the block of an unknown directive with this many words behind its keyword.
    pub fn block_scope(keyword: &str, words: usize) -> Scope {
        let is_template = matches!(keyword, "template" | "source" | "file" | "vod") && words == 1;
        if is_template { Scope::Template } else { Scope::Unknown }
    }

    /// The kind of the blocks with this keyword at the top level.
    pub fn group_of(keyword: &str) -> Option<Kind> {
        Scope::Top.by_keyword(keyword)?.codec.facts().group
    }

    /// True if a word is the keyword of a directive, known or well-known foreign, in any scope.
    pub fn is_any_keyword(word: &str) -> bool {
        Scope::ALL.iter().any(|scope| scope.by_keyword(word).is_some()) || Schema::foreign(word).is_some()
    }

    /// True if each line of a directive with this keyword is a value of its own, which the general rule shows
    /// as an element of a list.
    pub fn repeats(keyword: &str) -> bool {
        // The last two are sources where no row says so.
        Schema::foreign(keyword).is_some_and(|row| row.repeats && !row.is_block())
            || matches!(keyword, "url" | "input")
    }

    /// True if lines of a directive with this keyword, `k NAME VALUE;`, may be given by name.
    pub fn has_names(keyword: &str) -> bool {
        Schema::foreign(keyword).is_some_and(|row| row.form == ForeignForm::Pairs)
    }

    /// True if a directive with this keyword has no words: false takes it away.
    pub fn is_flag(keyword: &str) -> bool {
        Schema::foreign(keyword).is_some_and(|row| row.form == ForeignForm::Flag)
    }

    /// True if blocks with this keyword have names, which differ; those of web servers are told apart by more.
    pub fn has_named_blocks(keyword: &str) -> bool {
        Schema::foreign(keyword).is_some_and(|row| row.form == ForeignForm::Named && !row.stands_in("server"))
    }
}

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
    /// Inside `template NAME { … }`, `source`, `file` and `vod`, which hold what a stream may hold. The general rule
    /// shows the rest of them.
    Template,
    /// Inside any other block.
    Unknown,
}

impl Scope {
    /// All of them that have rows.
    pub const ALL: &[Self] =
        &[Self::Top, Self::Stream, Self::Live, Self::Plugin, Self::Source, Self::Backend, Self::Template];

    /// The parameters that may stand here, in the order in which they are shown and written.
    pub fn rows(self) -> impl Iterator<Item = &'static Parameter> + Clone {
        self.table().iter()
    }

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
            Self::Unknown => "in any other block",
        }
    }

    /// The kind of the blocks of which this is the inside.
    pub fn kind(self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.scope() == self)
    }

    /// The parameter that `keyword` is the text form of.
    pub fn by_keyword(self, keyword: &str) -> Option<&'static Parameter> {
        // By the first letter and the length, because each entry of a text is looked up.
        static ROWS: LazyLock<Vec<Vec<(&str, &Parameter)>>> = LazyLock::new(|| {
            let mut rows = vec![Vec::new(); (Scope::Unknown as usize + 1) << 8];
            for (scope, row) in Scope::ALL.iter().flat_map(|scope| scope.rows().map(move |row| (*scope, row)))
            {
                row.keywords.iter().for_each(|word| rows[scope.slot(word)].push((*word, row)));
            }
            rows
        });
        let alike = if keyword.is_empty() { &[] } else { &ROWS[self.slot(keyword)][..] };
        alike.iter().find(|(known, _)| *known == keyword).map(|(_, row)| *row)
    }

    fn slot(self, keyword: &str) -> usize {
        (self as usize) << 8 | (usize::from(keyword.as_bytes()[0]) ^ keyword.len() << 5) & 0xff
    }

    /// The parameter with this JSON key.
    pub fn by_key(self, key: &str) -> Option<&'static Parameter> {
        self.rows().find(|row| row.key == key)
    }

    /// The parameter with this JSON key or this keyword.
    pub(crate) fn by_name(self, name: &str) -> Option<&'static Parameter> {
        self.by_key(name).or_else(|| self.by_keyword(name))
    }

    /// The JSON key of a keyword that the general rule shows: escaped if it would collide with a known one.
    pub fn key_of(self, keyword: &str) -> Cow<'_, str> {
        if self.is_reserved(keyword) { format!("{}{keyword}", Schema::ESCAPE).into() } else { keyword.into() }
    }

    /// The place of a row among those of the scope, from 0.
    pub fn place(self, row: &'static Parameter) -> Option<usize> {
        let table = self.table();
        let behind = (&raw const *row).addr().wrapping_sub(table.as_ptr().addr());
        Some(behind / size_of::<Parameter>()).filter(|at| *at < table.len())
    }

    /// The scope of the inside of a block in this one; `words` stand behind its keyword.
    pub fn inside(self, keyword: &str, words: usize) -> Self {
        match self.by_keyword(keyword).map(|row| row.codec.facts().group) {
            Some(group) => group.map_or(Self::Unknown, |kind| kind.scope()),
            None => Schema::block_scope(keyword, words),
        }
    }

    /// True if a foreign keyword gets a [`Schema::ESCAPE`] as a JSON key here.
    pub fn is_reserved(self, keyword: &str) -> bool {
        (self != Scope::Unknown) && (keyword.starts_with(Schema::ESCAPE) || self.by_name(keyword).is_some())
    }

    /// True if a parameter, or a foreign directive that may stand here, has this name.
    pub(crate) fn knows(self, name: &str) -> bool {
        self.by_name(name).is_some() || Schema::foreign(name).is_some_and(|row| self.may_hold(row))
    }

    /// True if a foreign directive may stand here.
    pub fn may_hold(self, row: &ForeignKeyword) -> bool {
        match self {
            Self::Top => row.stands_in(OUTSIDE),
            Self::Stream | Self::Live | Self::Template => row.stands_in("stream"),
            _ => self == Self::Plugin && row.stands_in("plugin"),
        }
    }
}

/// A group of named blocks of the top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `stream` and `ondemand`.
    Streams,
    /// `live`.
    Lives,
    /// `plugin`.
    Plugins,
}

impl Kind {
    /// All of them, in the order of the view.
    pub const ALL: [Self; 3] = [Self::Streams, Self::Lives, Self::Plugins];

    /// The JSON key of the group.
    pub const fn key(self) -> &'static str {
        ["streams", "lives", "plugins"][self as usize]
    }

    /// The keyword of most blocks, and their name in messages.
    pub const fn noun(self) -> &'static str {
        ["stream", "live", "plugin"][self as usize]
    }

    /// The scope inside a block of this kind.
    pub const fn scope(self) -> Scope {
        [Scope::Stream, Scope::Live, Scope::Plugin][self as usize]
    }

    /// The JSON key of the blocks with a keyword, such as `streams` or `template`.
    pub fn key_of(keyword: &str) -> &str {
        Self::ALL.iter().find(|kind| kind.noun() == keyword).map_or(keyword, |kind| kind.key())
    }

    /// The noun of the name of a block.
    pub const fn name(self) -> &'static str {
        if matches!(self, Self::Lives) { "prefix" } else { "name" }
    }

    /// True if a block has sources, the first of which may stand behind its name: `stream NAME URL;`. Such a block may run on
    /// demand only.
    pub const fn has_sources(self) -> bool {
        matches!(self, Self::Streams)
    }

    /// The keyword of a new block.
    pub fn keyword(self, is_on_demand: bool) -> &'static str {
        if is_on_demand && self.has_sources() { "ondemand" } else { self.noun() }
    }

    /// True if a block may run on demand, and this one always runs: its keyword is `stream`, not `ondemand`.
    pub fn is_static(self, block: Entry<'_>) -> bool {
        self.has_sources() && block.keyword() == self.noun()
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
    /// The JSON key of the row with this role; empty if no row of the scope has it.
    pub fn key(self, scope: Scope) -> &'static str {
        scope.rows().find(|row| row.role == Some(self)).map_or("", |row| row.key)
    }

    /// The keywords of the rows with this role, of all scopes. Looks at the whole table.
    pub fn keywords(self) -> Vec<&'static str> {
        Schema::rows().filter(|row| row.role == Some(self)).flat_map(|row| row.keywords).copied().collect()
    }
}

/// The keywords of a row.
pub type Keywords = &'static [&'static str];

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The JSON key.
    pub key: &'static str,
    /// The keywords of its directives; a new one is written with the first.
    pub keywords: Keywords,
    /// Reads and writes its directives.
    pub codec: &'static dyn Codec,
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
    /// The part that is the name of a block.
    pub fn naming_part(&self) -> Option<&'static Part> {
        let mut parts = self.codec.facts().object?.parts.iter();
        parts.find(|part| part.place == PartPlace::Instead && part.kind.names_of.is_some())
    }

    /// Makes a row without documentation.
    pub const fn new(key: &'static str, keywords: Keywords, codec: &'static dyn Codec) -> Self {
        Self {
            key,
            keywords,
            codec,
            role: None,
            secret: false,
            strict: false,
            always_shown: false,
            default: "",
            unit: "",
            doc: "",
            example: "",
        }
    }

    pub(super) const fn doc(self, doc: &'static str, example: &'static str) -> Self {
        Self { doc, example, ..self }
    }

    /// The form of its value in JSON, for the manual.
    pub fn json_form(&self) -> String {
        let Facts { json_form, json, .. } = self.codec.facts();
        let shown = if self.always_shown && json != JsonForm::Leaf { "; always shown" } else { "" };
        format!("{json_form}{shown}")
    }

    /// The value that is shown where no directive sets it; `None` if nothing is.
    pub fn value_of_nothing(&self) -> Option<Value> {
        self.always_shown.then(|| match self.codec.facts().json {
            JsonForm::List => Some(Value::Array(Vec::new())),
            JsonForm::Object => Some(Value::Object(Map::new())),
            JsonForm::Leaf => serde_json::from_str(self.default).ok(),
        })?
    }

    /// The value that these entries show; `None` if nothing is shown.
    pub fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        self.codec.read(entries, head).or_else(|| self.value_of_nothing())
    }

    /// The value after a normalized patch; `None` if it is not set then. An empty list is shown only where one always is.
    pub fn merge(&self, old: Option<&Value>, patch: &Value, at: &mut Normalizer) -> Option<Value> {
        let merged = if patch.is_null() { None } else { self.codec.merge(old, patch, at) };
        merged.filter(|merged| self.always_shown || !merged.as_array().is_some_and(Vec::is_empty))
    }

    /// Writes the directives that set it to a value.
    pub fn write(&self, value: &Value) -> Vec<String> {
        self.keywords.first().map(|keyword| self.codec.write(keyword, value)).unwrap_or_default()
    }

    /// True if its value is a port to listen on.
    pub fn is_port(&self) -> bool {
        self.codec.facts().kind.is_some_and(|kind| kind.is_port)
    }
}

/// The stream, live or plugin whose members are read.
pub struct BlockHead<'v, 'd> {
    /// Its kind.
    pub kind: Kind,
    /// Its entry, which names it, and may have its only source.
    pub entry: Entry<'d>,
    /// Its place in its group, from 1.
    pub position: usize,
    /// The values of the top level that it repeats, by their keys in blocks; `None` if only own members are shown.
    pub globals: Option<&'v Object>,
}

/// How the directives of a row are read, checked, merged and written: one type for each form.
pub trait Codec: fmt::Debug + Sync {
    /// True if an entry with the keyword has this form.
    fn fits(&self, _: Entry<'_>) -> bool {
        false
    }

    /// The value of the entries of a block; `None` if they show none.
    fn read(&self, entries: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value>;

    /// Brings a value of a patch, which is not null, to the form in which it is shown; `None` if it is dropped or
    /// refused.
    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value>;

    /// The value after a normalized patch, by RFC 7396, which is not null; `None` if it is not set then.
    fn merge(&self, _: Option<&Value>, patch: &Value, _: &mut Normalizer) -> Option<Value> {
        Some(patch.clone())
    }

    /// Writes the entries of a value.
    fn write(&self, _: &str, _: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The place of a member of the value.
    fn member(&'static self, _key: &str) -> Result<Place, Fault> {
        let element = self.facts().element;
        element.filter(|place| matches!(place, Place::Foreign)).ok_or_else(|| no_members(element.is_some()))
    }

    /// Reads a text of the command line: the words of the directive, or JSON. Where the value is an object, [`Place::typed`]
    /// reads one that is written as JSON.
    fn parse(&self, text: &str) -> Result<Value, Fault> {
        object(text)
    }

    /// What is asked of the form beside its values.
    fn facts(&'static self) -> Facts;
}

/// What is asked of a form beside its values: how it is described, and what it is made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts {
    /// The words behind the keyword when they are right, for messages and the manual.
    pub usage: &'static str,
    /// The form of the value in JSON, for the manual.
    pub json_form: &'static str,
    /// The form of the value in JSON.
    pub json: JsonForm,
    /// The key of the row that has the entries, if it is another one.
    pub entries_of: Option<&'static str>,
    /// The place of an element of the value; `None` if it is no list.
    pub element: Option<Place>,
    /// The kind of its one word, or of that of each line.
    pub kind: Option<&'static WordKind>,
    /// The parts of its words.
    pub object: Option<&'static ObjectShape>,
    /// Its lines, one for each value.
    pub list: Option<&'static ListShape>,
    /// Its only address.
    pub address: Option<&'static AddressShape>,
    /// Its addresses, one for each line.
    pub sources: Option<&'static AddressShape>,
    /// Its options.
    pub options: Option<&'static OptionsShape>,
    /// The kind of its blocks.
    pub group: Option<Kind>,
    /// What it is derived from, if it has no directive.
    pub derived: Option<Derived>,
}

impl Facts {
    /// The facts of a form: the words behind the keyword, the form and the type in JSON.
    pub fn new([usage, json_form]: [&'static str; 2], json: JsonForm) -> Self {
        Self { usage, json_form, json, ..Self::default() }
    }

    /// True if of several directives the last one counts.
    pub fn is_setting(&self) -> bool {
        let is_other = self.group.is_some() || self.entries_of.is_some() || self.derived.is_some();
        !is_other && !self.takes_elements()
    }

    /// True if each directive is an entry of a list.
    pub fn takes_elements(&self) -> bool {
        self.list.is_some() || self.sources.is_some()
    }
}

/// The fault of a text in the place of another value.
pub fn no_string() -> Fault {
    Fault::of_path("a string does not fit here")
}

/// A place in a configuration.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// The whole configuration.
    Root,
    /// `streams`, `lives` or `plugins`.
    Group(Kind),
    /// One stream, live or plugin.
    Block(Kind),
    /// A known parameter that is no group.
    Own(&'static Parameter),
    /// A plain value that is no parameter of its own: an element of a list, an address, an option of `auth`.
    Leaf(&'static WordKind),
    /// An element of a stream's sources.
    Source(Scope),
    /// An element of a list of options.
    Pair(&'static OptionsShape),
    /// `auth.extra`.
    Extras,
    /// A member of an object whose words a directive holds.
    Part(&'static Part),
    /// The blocks `template`, by name.
    Templates,
    /// One of them: it has some known parameters.
    Template,
    /// A value under the general rule, or an option of a source or of the transcoder.
    Foreign,
}

/// A directive with an address and options behind it, and how a patch merges into them.
#[derive(Debug)]
pub struct AddressShape {
    /// Names of usual options, maybe with a value: a slip is taken for one of them.
    pub usual: &'static str,
    /// The kind of the address; a patch that sets it to false removes the options that it does not set.
    pub first: &'static WordKind,
    /// The JSON key of the object with the options; none if they are members beside the address.
    pub options: Option<&'static str>,
    /// The scope of the other members of its object.
    pub members: Scope,
    /// The kind of the values of options; an option without a value is true.
    pub kind: &'static WordKind,
}

/// A directive that stands once for each port that a server listens on, maybe with a block.
#[derive(Debug)]
pub struct ListShape {
    /// The JSON key of the list.
    pub key: &'static str,
    /// The JSON key of the blocks.
    pub blocks: &'static str,
    /// True if a patch may give one value in the place of the list.
    pub takes_one: bool,
}

/// The form of a value in JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JsonForm {
    /// A string, a number or a boolean.
    #[default]
    Leaf,
    /// An object.
    Object,
    /// A list.
    List,
}

/// A directive whose words are options, `NAME=VALUE` or `NAME`.
#[derive(Debug)]
pub struct OptionsShape {
    /// Names of usual options, maybe with a value: a slip is taken for one of them.
    pub usual: &'static str,
    /// The options whose values are not under the word rule: the name of each in the text, and in JSON.
    pub known: [(&'static str, &'static str); 2],
    /// The kind of these values; another value is under the word rule.
    pub kind: &'static WordKind,
}

/// A directive whose words are the members of an object.
#[derive(Debug)]
pub struct ObjectShape {
    /// Names of usual options, maybe with a value: a slip is taken for one of them.
    pub usual: &'static str,
    /// The members, in the order in which they are written: first those that have to be there.
    pub parts: &'static [Part],
    /// The words behind the keyword.
    pub usage: &'static str,
    /// The form in JSON, for the manual.
    pub json_form: &'static str,
}

/// A member of an object, and the form of its words.
#[derive(Debug)]
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

/// A JSON member that no directive of its own stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derived {
    /// The name or prefix in the header of a block.
    Name,
    /// True if the header says `stream`, false for `ondemand`.
    Static,
    /// False, for blocks that never run all the time.
    NeverStatic,
    /// The place in the group, from 1.
    Position,
    /// A global value, repeated for readers.
    Global,
    /// A value that an earlier version showed here, and that its clients still send.
    Former,
    /// Figures of a running server.
    Runtime,
    /// Shown by this option of `read` alone.
    Output(&'static str),
    /// The address of a source: the first word of its directive.
    Address,
}

/// The fault of a name behind a list, or behind a plain value.
pub fn no_members(is_list: bool) -> Fault {
    let element = "name an element, such as `[0]`, or `[+]` for a new one";
    match is_list {
        true => Fault::of_path("a list has no members").hint(element),
        false => Fault::of_path("there is nothing below a plain value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_scope_are_unique_and_its_rows_know_it() {
        for scope in Scope::ALL {
            let mut keys: Vec<_> = scope.rows().map(|row| row.key).collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{scope:?}");
        }
    }

    #[test]
    fn a_keyword_leads_to_its_row() {
        for scope in Scope::ALL {
            for (row, keyword) in
                scope.rows().flat_map(|row| row.keywords.iter().map(move |word| (row, word)))
            {
                assert_eq!(scope.by_keyword(keyword).map(|found| found.key), Some(row.key));
                assert!(Scope::Unknown.by_keyword(keyword).is_none(), "{keyword}");
            }
        }
        for unknown in
            ["", "h", "httq", "strea", "sstream", "cluster_keyy", "a word of more than sixteen bytes"]
        {
            assert!(Scope::Top.by_keyword(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn every_row_is_documented_and_has_an_example_that_its_keyword_starts() {
        for parameter in Schema::rows() {
            assert!(!parameter.doc.is_empty(), "{}", parameter.key);
            if let Some(keyword) = parameter.keywords.first() {
                assert!(parameter.example.starts_with(keyword), "{}", parameter.key);
            }
        }
    }
}

//! The forms of directives that are made of words alone.

use super::kinds::WordKind;

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
    /// The options whose values are not under the word rule.
    pub known: &'static [KnownOption],
}

/// An option that has a name of its own in JSON, and a kind.
#[derive(Debug)]
pub struct KnownOption {
    /// Its name in the text.
    pub keyword: &'static str,
    /// Its name in JSON.
    pub key: &'static str,
    /// The kind of its value; another value is under the word rule.
    pub kind: &'static WordKind,
}

/// A directive whose words are the members of an object.
#[derive(Debug)]
pub struct ObjectShape {
    /// The members, in the order in which they are written: first those that have to be there.
    pub parts: &'static [Part],
    /// True if one of its parts takes each word that fits no other, so that a patch may also give the words as a string
    /// or an array.
    pub takes_words: bool,
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
    /// The names of the included files whose contents are shown.
    Included,
    /// The address of a source: the first word of its directive.
    Address,
}

/// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
pub const ESCAPE: char = '@';

/// The key that tells `stream` from `ondemand`.
pub const STATIC: &str = "static";

/// The key of the place of a block among those of its kind, from 1.
pub const POSITION: &str = "position";

/// The member of `auth` that repeats the global `auth.url` in streams and lives.
pub const URL_GLOBAL: &str = "url_global";

/// The member that marks a configuration which is shown with what it includes.
pub const WITH_INCLUDES: &str = "with_includes";

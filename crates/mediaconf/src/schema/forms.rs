//! The forms of directives that are made of words alone.

use super::kinds::WordKind;

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
    /// True if a patch may give one value in the place of the list.
    pub takes_one: bool,
    /// The type of the list in JSON, in short.
    pub name: &'static str,
    /// The form of the list in JSON, for the manual.
    pub json_form: &'static str,
    /// The form of the blocks in JSON, for the manual.
    pub blocks_json_form: &'static str,
}

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
    /// The members, in the order in which they are written.
    pub parts: &'static [Part],
    /// True if a patch may also give the words as a string or an array, as the general rule shows them.
    pub takes_words: bool,
    /// The words behind the keyword.
    pub usage: &'static str,
    /// The form in JSON, for the manual.
    pub json_form: &'static str,
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
    /// True if one of its parts takes each word that fits no other.
    pub fn takes_others(&self) -> bool {
        self.parts.iter().any(|part| part.place == PartPlace::Rest)
    }

    /// The part with this JSON key.
    pub fn part(&self, key: &str) -> Option<&'static Part> {
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
    /// True if its words are a login and a password.
    pub fn is_account(self) -> bool {
        matches!(self, Self::Editor | Self::Viewer)
    }

    /// True if the value of the top level holds in a block that has none.
    pub fn is_inherited(self) -> bool {
        matches!(self, Self::Backend | Self::ClusterKey)
    }
}

/// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
pub const ESCAPE: char = '@';

/// The key that tells `stream` from `ondemand`.
pub const STATIC: &str = "static";

/// The key of the place of a block among those of its kind, from 1.
pub const POSITION: &str = "position";

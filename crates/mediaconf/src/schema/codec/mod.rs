//! The forms of directives: how those of each form are read, checked, merged and written.

mod address;
mod general;
mod object;

use std::iter::zip;
use std::sync::LazyLock;

use foldhash::HashSet;
use serde_json::{Map, Value};

use crate::schema::{
    BlockHead, CLUSTER_KEY_GLOBAL, Codec, Derived, Facts, Fault, FaultKind, Faults, JsonForm, Kind,
    ListShape, Members, Normalizer, Object, PORT, Parameter, Place, Pointer, SWITCH, Schema, Scope, TEXT,
    WordKind, canonical_integer, is_empty, is_scalar, listed, number_text, plain_word, read,
};
use crate::syntax::{Document, Entry, Word};

pub use {address::*, general::*};

/// Reads a directive that has these words; `None` if the text is not just words.
pub fn read_directive<T>(words: &str, read: impl Fn(Entry<'_>) -> T) -> Option<T> {
    let document = Document::parse(format!("keyword {words};"));
    let mut entries = document.entries();
    let only = entries.next().filter(|entry| entries.next().is_none() && !entry.is_block())?;
    let ends_here = document.diagnostics().is_empty() && only.end() == document.text().len();
    ends_here.then(|| read(only))
}

/// The words of a text, each as this value; `None` if it has none, or is not just words.
pub fn read_words(words: &str, value: impl Fn(Word<'_>) -> Value) -> Option<Vec<Value>> {
    let read: Vec<Value> = read_directive(words, |entry| entry.arguments().map(&value).collect())?;
    (!read.is_empty()).then_some(read)
}

/// `keyword words;`
pub fn directive(keyword: &str, words: impl IntoIterator<Item = String>) -> String {
    let mut text = keyword.to_owned();
    words.into_iter().for_each(|word| text.extend([" ", &word]));
    text + ";"
}

/// `keyword name { … }`, or without a block.
pub fn block(keyword: &str, words: impl IntoIterator<Item = String>, entries: Option<Vec<String>>) -> String {
    let line = directive(keyword, words);
    let Some(entries) = entries else { return line };
    format!("{} {{ {} }}", &line[..line.len() - 1], entries.join(" "))
}

/// Reads the words of a directive of this form. A single word needs no quotes here for what separates words in a text.
pub fn of_words(codec: &dyn Codec, usage: &str, text: &str) -> Result<Value, Fault> {
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace) && !text.starts_with('"');
    let text = if is_one_word { Word::write(text) } else { text.into() };
    let read = |entry: Entry<'_>| codec.fits(entry).then(|| codec.read(&[entry], None).unwrap_or_default());
    read_directive(&text, read).flatten().ok_or_else(|| unlike(usage))
}

/// The fault of words that do not have the form.
pub fn unlike(usage: &str) -> Fault {
    Fault::of_path(format!("expected {usage}"))
}

/// The value of a text that is one word of this kind; in quotes it is a string, whatever it looks like.
pub fn of_kind(kind: &WordKind, text: &str) -> Result<Value, Fault> {
    let value = json_string(text).map_or_else(|| (kind.parse)(text), |text| (kind.accept)(&text.into()));
    value.ok_or_else(|| unlike(kind.usage))
}

/// Parses JSON; `None` if the text is not JSON. Refuses repeated keys and too deep nesting.
pub fn json(text: &str) -> Result<Option<Value>, Fault> {
    Schema::parse_patch(text.as_bytes()).map(Some).or_else(|faults| match faults.first() {
        Some(fault) if fault.pointer != Some(Pointer::root()) => Err(fault.clone()),
        _ => Ok(None),
    })
}

/// The text of a JSON string.
pub fn json_string(text: &str) -> Option<String> {
    text.starts_with('"').then(|| serde_json::from_str(text).ok())?
}

/// Parses a whole list, or the elements that a text which is no JSON list stands for.
pub fn elements(text: &str, read: impl Fn(&str) -> Result<Vec<Value>, Fault>) -> Result<Value, Fault> {
    match json(text)? {
        Some(list @ Value::Array(_)) => Ok(list),
        _ => read(text).map(Value::Array),
    }
}

/// Sets a member, and makes it the last one.
pub fn set_last(members: &mut Object, (key, value): (String, Value)) {
    members.shift_remove(&key);
    members.insert(key, value);
}

/// Parses a JSON object.
pub fn object(text: &str) -> Result<Value, Fault> {
    json(text)?.filter(Value::is_object).ok_or_else(|| Fault::of_path("expected a JSON object"))
}

/// True if a text is rather JSON than words.
pub fn opens(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

/// The fault of a keyword in the place of a key.
pub fn no_key(keyword: &str, row: &Parameter) -> Fault {
    let fault = Fault::of_path(format!("`{keyword}` is a keyword of the text, not a key of the JSON"));
    fault.hint(format!("did you mean `{}`?", row.key))
}

/// The fault of a member that is not there.
pub fn no_member(keys: &[&str]) -> Fault {
    Fault::of_path("there is no such member here").hint(format!("the members are {}", listed(keys, "and")))
}

/// `prepush 5;`, one directive with one value.
impl Codec for WordKind {
    fn fits(&self, entry: Entry<'_>) -> bool {
        !entry.is_block() && (self.takes_any && entry.count_arguments() == 1 || self.value(entry).is_some())
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        self.value(*entries.last()?)
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        at.value(self, &value)
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        vec![directive(keyword, (self.write)(value))]
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        of_kind(self, text)
    }

    fn facts(&'static self) -> Facts {
        Facts { kind: Some(self), ..Facts::new([self.usage, self.json_form], JsonForm::Leaf) }
    }
}

impl WordKind {
    /// The value of a directive with at most one word; `None` if it is not of this kind.
    #[inline]
    pub fn value(&self, entry: Entry<'_>) -> Option<Value> {
        if entry.count_arguments() > 1 { None } else { (self.read)(entry.arguments().next()) }
    }
}

/// A member that no directive of its own stands for: read from the text around it, or from elsewhere.
impl Codec for Derived {
    fn read(&self, _: &[Entry<'_>], head: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let head = head?;
        match self {
            Self::Static | Self::NeverStatic => Some(head.kind.is_static(head.entry).into()),
            Self::Name => head.globals.map(|_| head.entry.group_name().value().into()),
            Self::Position => head.globals.map(|_| head.position.into()),
            Self::Global => head.globals?.get(CLUSTER_KEY_GLOBAL).cloned(),
            Self::Former | Self::Runtime | Self::Output(_) | Self::Address => None,
        }
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        match self {
            Self::Output(option) => {
                let message = format!("this is the output of `read {option}`, which can't be written back");
                at.refuse(FaultKind::ReadOnly, message, "read it without the option: `mediactl read`")
            }
            // Null sets it to the default.
            Self::Static if value.is_null() => Some(value),
            Self::Static => at.value(&SWITCH, &value),
            Self::NeverStatic if !value.is_null() && value != false => {
                at.refuse(FaultKind::ReadOnly, "a live is never static: only false is accepted", "")
            }
            Self::Position if !value.is_null() => {
                position(&value).or_else(|| at.wrong("a position is an integer from 1", ""))
            }
            // The names have been compared with their keys.
            _ => None,
        }
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        match self {
            Self::Static | Self::NeverStatic => of_kind(&SWITCH, text),
            Self::Runtime => General { keyword: "" }.parse(text),
            Self::Position => {
                position(&of_kind(&TEXT, text)?).ok_or_else(|| unlike("a position, counted from 1"))
            }
            _ => of_kind(&TEXT, text),
        }
    }

    fn facts(&'static self) -> Facts {
        let json_form = match self {
            Self::Name | Self::Address => "a string",
            Self::Static | Self::NeverStatic => "true or false",
            Self::Position => "a number",
            Self::Global => "a string, read-only here",
            Self::Former => "a string, no longer shown",
            Self::Runtime => "an object, read-only",
            Self::Output(_) => "refused in a patch",
        };
        let kind = matches!(self, Self::Static | Self::NeverStatic).then_some(&SWITCH);
        let element = (*self == Self::Runtime).then_some(Place::Foreign);
        Facts { element, kind, derived: Some(*self), ..Facts::new(["nothing", json_form], JsonForm::Leaf) }
    }
}

impl Derived {
    /// True if an entry has no such value of its own.
    pub fn lacks_own(self) -> bool {
        !matches!(self, Self::Static | Self::Address)
    }
}

fn position(value: &Value) -> Option<Value> {
    canonical_integer(&number_text(value)?).filter(|position| *position >= 1).map(Value::from)
}

/// `http 80;` repeated, an array of values.
impl Codec for ListShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        PORT.value(entry).is_some()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let ports = entries.iter().filter_map(|&entry| PORT.value(entry)).collect();
        Some(ports).filter(|ports| !is_empty(ports))
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        match is_scalar(&value) && self.takes_one {
            true => Some(Value::Array(vec![at.value(&PORT, &value)?])),
            false => at.elements(value, |at, _, value| at.value(&PORT, &value)),
        }
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let values = value.as_array().into_iter().flatten();
        values.map(|value| directive(keyword, [plain_word(value)])).collect()
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        elements(text, |text| of_kind(&PORT, text).map(|value| vec![value]))
    }

    fn facts(&'static self) -> Facts {
        let json_form = "an array of numbers and \"host:port\" strings";
        let facts = Facts::new([PORT.usage, json_form], JsonForm::List);
        Facts { element: Some(Place::Leaf(&PORT)), kind: Some(&PORT), list: Some(self), ..facts }
    }
}

/// The blocks of the directives of a list, an object by value.
#[derive(Debug)]
pub struct BlocksShape(pub &'static ListShape);

impl Codec for BlocksShape {
    /// Of several blocks of one value, the last one counts.
    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let mut blocks = Map::new();
        let standing = entries.iter().filter(|entry| entry.is_block());
        standing.for_each(|block| set_last(&mut blocks, named_block(*block)));
        (!blocks.is_empty()).then_some(blocks.into())
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        at.members(value, |at, _, value| match value {
            Value::Null => Some(value),
            value => normalized(Scope::Unknown, value, at),
        })
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::Foreign)
    }

    fn facts(&'static self) -> Facts {
        let described = ["nothing", "an object by port"];
        Facts { entries_of: Some(self.0.key), ..Facts::new(described, JsonForm::Object) }
    }
}

impl Kind {
    /// The own members of a block.
    pub fn read(self, entry: Entry<'_>) -> Object {
        self.read_grouped(entry, &Members::group(self.scope(), entry.children()))
    }

    /// The same of a block whose entries are grouped.
    pub fn read_grouped(self, entry: Entry<'_>, members: &Members<'_>) -> Object {
        read_members(members, Some(&BlockHead { kind: self, entry, position: 0, globals: None }))
    }

    /// The own members in which two blocks may differ, without those with these keys, and with them on the new side; all of
    /// them if their heads differ.
    pub fn read_differing(self, both: [Entry<'_>; 2], keys: &[&str]) -> [Object; 2] {
        let [head, other_head] = both.map(|block| {
            let end = block.children().next().map_or(block.end(), Entry::start);
            &block.document().text()[block.start()..end]
        });
        if head != other_head {
            return both.map(|block| self.read(block));
        }
        let ([old, new], counts) = (both, both.map(|block| block.children().count()));
        let are_same = |(one, other): &(Entry<'_>, Entry<'_>)| one.text() == other.text();
        let head = zip(old.children(), new.children()).take_while(are_same).count();
        let most = counts[0].min(counts[1]) - head;
        let ends = zip(old.children().skip(counts[0] - most), new.children().skip(counts[1] - most));
        let last = ends.zip(1..).filter(|(lines, _)| !are_same(lines)).last();
        let tail = most - last.map_or(0, |(_, number)| number);
        let middle =
            zip(both, counts).flat_map(|(block, count)| block.children().take(count - tail).skip(head));
        let member = |line: Entry<'_>| match read(self.scope(), line) {
            Ok(row) => row.key.to_owned(),
            Err(_) => self.scope().key_of(&line.keyword()).into_owned(),
        };
        let differing: Vec<String> = middle.map(member).filter(|key| !keys.contains(&&**key)).collect();
        let mut wanted: Vec<&str> = differing.iter().map(String::as_str).collect();
        both.map(|block| {
            let mut members = Object::new();
            if !wanted.is_empty() {
                let akin = Members::akin(self.scope(), block.children(), wanted.iter().copied());
                members = read_members(&akin, None);
                members.retain(|key, _| wanted.contains(&key.as_str()));
            }
            wanted.extend(keys);
            members
        })
    }

    /// The own members of a block after a patch; of a new one if there is none yet.
    pub fn merge(
        self,
        current: Option<(&Object, &Members<'_>)>,
        patch: &Object,
        at: &Pointer,
    ) -> Result<Object, Faults> {
        static NEW: LazyLock<[Object; 3]> = LazyLock::new(|| {
            let new = |kind: Kind| Document::parse(kind.write("new", &Map::new()));
            Kind::ALL.map(|kind| new(kind).entries().next().map(|block| kind.read(block)).unwrap_or_default())
        });
        let (shown, nothing) = (&NEW[self as usize], Members::empty(self.scope()));
        let (own, members) = current.unwrap_or((shown, &nothing));
        let mut at = Normalizer::below_place(at);
        let mut merged = merge_into(own.clone(), members, patch, &mut at);
        // What was not looked at is what it was.
        let is_asked = |key: &String| current.is_none() || patch.contains_key(key);
        for (key, value) in shown.iter().filter(|(key, _)| is_asked(key)) {
            merged.entry(key.clone()).or_insert_with(|| value.clone());
        }
        merged.shift_remove(Schema::POSITION);
        at.faults.into_result(merged)
    }

    /// A new block with these own members.
    pub fn write(self, name: &str, members: &Object) -> String {
        let keyword = self.keyword(members.get(Schema::STATIC) == Some(&Value::Bool(false)));
        let fields = write_members(self.scope(), members);
        let fields = (self.has_sources() || !fields.is_empty()).then_some(fields);
        block(keyword, [Word::write(name).into_owned()], fields)
    }
}

impl Codec for Kind {
    fn fits(&self, entry: Entry<'_>) -> bool {
        let count = entry.count_arguments();
        count == 1 || count > 0 && self.has_sources() && !entry.is_block()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let block = |&entry: &Entry<'_>| (entry.group_name().value().into_owned(), Kind::read(*self, entry));
        (!entries.is_empty()).then(|| entries.iter().map(block).collect())
    }

    fn normalize(&self, value: Value, at: &mut Normalizer) -> Option<Value> {
        let mut seen = HashSet::default();
        at.members(value, |at, name, mut value| {
            if value.is_null() {
                return Some(value);
            }
            if at.is_unwritable(name) {
                return at.wrong(format!("a {} can't have this name", self.noun()), "");
            }
            let own = value.as_object_mut().and_then(|members| members.shift_remove(self.name()));
            if own.is_some_and(|own| own != name) {
                let message = format!("it differs from its key `{name}`");
                let hint = format!("to rename, delete the {0} and create it under the new name", self.noun());
                return at.below(self.name(), |at| at.refuse(FaultKind::ReadOnly, message, &hint));
            }
            let block = normalized(self.scope(), value, at)?;
            if let Some(position) =
                block[Schema::POSITION].as_i64().filter(|position| !seen.insert(*position))
            {
                let message = format!("two blocks can't both be at position {position}");
                at.below(Schema::POSITION, |at| at.wrong(message, ""));
            }
            Some(block)
        })
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::Block(*self))
    }

    fn facts(&'static self) -> Facts {
        let usage =
            if self.has_sources() { "a NAME, then a URL or a block" } else { "a NAME, and maybe a block" };
        let json_form = if *self == Self::Lives { "an object by prefix" } else { "an object by name" };
        Facts { group: Some(*self), ..Facts::new([usage, json_form], JsonForm::Object) }
    }
}

//! The completions of a path that is being typed: names, keys with their documentation, and behind a `=`
//! the values that are known. They come from the schema and the configuration; a secret is never among
//! them.

use serde_json::Value;

use super::explain::members;
use crate::query::{Config, Path, Segment, keys};
use crate::schema::json_pointer::in_quotes;
use crate::schema::kinds::WordKind;
use crate::schema::scalar::scalar_text;
use crate::schema::{FOREIGN_KEYWORDS, ForeignKeyword, JsonForm, PartPlace, Place, SOURCE, Schema};
use crate::secret::Masker;

#[cfg(test)]
mod tests;

/// A candidate: what the typed text may go on as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The whole text, from its first character.
    pub text: String,
    /// One line of documentation; empty where the text says it all.
    pub help: String,
    /// True if nothing has to follow.
    pub is_whole: bool,
}

/// The purpose of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// It names a present value.
    Present,
    /// A value is set, or expected, behind a `=`.
    Settable,
    /// It is explained: the name of a stream may be left out.
    Explained,
    /// It begins a condition.
    Condition,
    /// It names a whole stream, live or plugin.
    Block,
}

/// Completes paths in a configuration.
pub struct Completion<'c> {
    /// The configuration in which paths lead to values.
    pub current: &'c Config<'c>,
    /// The path at which it begins; empty for the whole configuration.
    pub base: &'c [Segment],
    /// The purpose of the path.
    pub path_use: PathUse,
}

/// A candidate, and the sign that leads to what is in it; `None` if there is none.
struct Step {
    candidate: Proposal,
    deeper: Option<&'static str>,
}

/// The operators of conditions, each with its meaning.
const OPERATORS: &[(&str, &str)] = &[
    ("=", "is"),
    ("!=", "is not"),
    ("~", "contains"),
    ("=~", "matches a regular expression"),
    (" exists", "is there"),
    (" missing", "is not there"),
];

impl Completion<'_> {
    /// The candidates for a text, in the order in which they are shown. The only one that goes on is
    /// entered, so that what follows need not be asked for.
    pub fn candidates(&self, typed: &str) -> Vec<Proposal> {
        let mut found = self.step(typed);
        if self.names_what_is_there() && typed.ends_with(']') && Path::parse(typed).is_ok() {
            // The entry itself, and not only its members.
            let is_whole = found.is_empty();
            let candidate = Proposal { text: typed.to_owned(), help: String::new(), is_whole };
            found.insert(0, Step { candidate, deeper: None });
        }
        let [Step { candidate: only, deeper: Some(sign) }] = &found[..] else {
            return found.into_iter().map(|found| found.candidate).collect();
        };
        let mut inside = match (self.path_use, *sign) {
            (PathUse::Condition, "") => operators(&only.text),
            _ => self.candidates(&format!("{}{sign}", only.text)),
        };
        // The only value is not entered: it would stand there before it was looked at.
        let is_guess = only.text.ends_with('=') && inside.len() == 1;
        if inside.is_empty() || is_guess {
            return vec![only.clone()];
        }
        if self.names_what_is_there() {
            inside.insert(0, only.clone());
        }
        inside
    }

    fn step(&self, typed: &str) -> Vec<Step> {
        match Partial::parse(typed) {
            Some(Partial::Name { above, head, start }) => self.members(&self.whole(&above), &head, start),
            Some(Partial::Entry { above, head, start }) => self.entries(&self.whole(&above), head, start),
            Some(Partial::Value { path, head, start, is_equal: true }) => {
                self.values(&self.whole(&path), head, start)
            }
            _ => Vec::new(),
        }
    }

    /// True if an object or a list may be meant as a whole.
    fn names_what_is_there(&self) -> bool {
        matches!(self.path_use, PathUse::Present | PathUse::Explained)
    }

    /// The segments from the root.
    fn whole(&self, below: &[Segment]) -> Path {
        Path { segments: [self.base, below].concat() }
    }

    /// The candidate for a place.
    fn found(&self, text: String, help: String, form: JsonForm) -> Step {
        let (sign, deeper) = match (self.path_use, form) {
            (PathUse::Settable | PathUse::Block, JsonForm::Object) => (".", Some("")),
            (PathUse::Settable | PathUse::Block, JsonForm::List) => ("[", Some("")),
            (PathUse::Settable, JsonForm::Leaf) => ("=", Some("")),
            (PathUse::Condition, JsonForm::Leaf) => ("", Some("")),
            (PathUse::Condition, JsonForm::List) | (_, JsonForm::Object) => ("", Some(".")),
            (_, JsonForm::List) => ("", Some("[")),
            (_, JsonForm::Leaf) => ("", None),
        };
        Step { candidate: Proposal { text: text + sign, help, is_whole: deeper.is_none() }, deeper }
    }

    /// The members of the value at `above` whose names begin with `start`.
    fn members(&self, above: &Path, head: &str, start: PartialName<'_>) -> Vec<Step> {
        let Some(place) = place(&above.segments) else { return Vec::new() };
        if self.path_use == PathUse::Block && !matches!(place, Place::Root | Place::Group(_)) {
            return Vec::new();
        }
        if let PartialName::Bare(glob) = start
            && glob.contains('*')
        {
            let form = self.form(above, place, glob);
            return vec![self.found(format!("{head}{glob}"), String::new(), form)];
        }
        let typed = start.name();
        let mut names = self.names(above, place);
        names.extend(self.foreign(place, &typed, &names));
        names.retain(|(name, _)| name.starts_with(&typed));
        // A name in quotes does not begin with what is typed; it is meant where no other does.
        if matches!(start, PartialName::Bare(start) if !start.is_empty())
            && names.iter().any(|(name, _)| start.written(name) == *name)
        {
            names.retain(|(name, _)| start.written(name) == *name);
        }
        let candidate = |(name, help): (String, String)| {
            let (text, form) = (format!("{head}{}", start.written(&name)), self.form(above, place, &name));
            // Some that are objects or lists are also set by their words.
            let takes_words = matches!(place.member(&name), Ok(Place::Own(row)) if row.takes_words());
            let by_words = (self.path_use == PathUse::Settable && takes_words).then_some(JsonForm::Leaf);
            let forms = [form].into_iter().chain(by_words).collect::<Vec<_>>();
            forms.into_iter().map(|form| self.found(text.clone(), help.clone(), form)).collect::<Vec<_>>()
        };
        names.into_iter().flat_map(candidate).collect()
    }

    /// The names at a place, each with its documentation.
    fn names(&self, path: &Path, place: Place) -> Vec<(String, String)> {
        let is_named_anew = matches!(place, Place::Group(_)) && self.path_use != PathUse::Explained;
        let documented = if is_named_anew { Vec::new() } else { members(place) };
        let mut present = keys(&path.segments).map(|keys| self.current.names(&keys)).unwrap_or_default();
        if present.is_empty() {
            present = self.current.names_at(path).unwrap_or_default();
        }
        let help =
            |name: &String| documented.iter().find(|(key, _)| key == name).map(|(_, help)| help.clone());
        let is_certain = path.first_pattern().is_none();
        match (self.path_use, place) {
            (PathUse::Block, Place::Root) => {
                documented.into_iter().filter(|(key, _)| Schema::media().kind(key).is_some()).collect()
            }
            (PathUse::Present, _) | (PathUse::Block, _) if is_certain || self.path_use == PathUse::Block => {
                present.into_iter().map(|name| (name.clone(), help(&name).unwrap_or_default())).collect()
            }
            _ => {
                let unknown: Vec<String> = present.into_iter().filter(|name| help(name).is_none()).collect();
                let above = Path { segments: certain(&path.segments) };
                let is_allowed = |key: &str| {
                    let path = above.child(Segment::Key(key.to_owned()));
                    self.path_use != PathUse::Settable || Place::to_set(&path.segments).is_ok()
                };
                let known = documented.into_iter().filter(|(key, _)| is_allowed(key));
                known.chain(unknown.into_iter().map(|name| (name, String::new()))).collect()
            }
        }
    }

    /// The directives of other servers that may stand at a place. They are many, and the known ones are meant more often:
    /// a letter has to be typed, and one known name alone is entered.
    fn foreign(&self, place: Place, typed: &str, known: &[(String, String)]) -> Vec<(String, String)> {
        let scope = match (self.path_use, place) {
            (PathUse::Explained, Place::Group(kind)) => Some(kind.scope()),
            (PathUse::Explained | PathUse::Settable, place) => place.scope(),
            _ => None,
        };
        let is_one = known.iter().filter(|(name, _)| name.starts_with(typed)).count() == 1;
        let Some(scope) = scope.filter(|_| !typed.is_empty() && !is_one) else { return Vec::new() };
        let rows = FOREIGN_KEYWORDS.iter().filter(|row| scope.may_hold(row));
        let names = rows.flat_map(|row| row.keywords.iter().map(move |name| (*name, row.doc)));
        let is_new = |name: &str| !scope.is_reserved(name) && !known.iter().any(|(known, _)| known == name);
        names.filter(|(name, _)| is_new(name)).map(|(name, doc)| (name.to_owned(), doc.to_owned())).collect()
    }

    /// Returns the form of a member: as the schema has it, else as it is there.
    fn form(&self, above: &Path, place: Place, name: &str) -> JsonForm {
        let row = Schema::media().foreign(name);
        let place = match (self.path_use, place) {
            (PathUse::Block, Place::Group(_)) => return JsonForm::Leaf,
            // The name of the stream is left out.
            (PathUse::Explained, Place::Group(kind))
                if kind.scope().by_key(name).is_some()
                    || row.is_some_and(|row| kind.scope().may_hold(row)) =>
            {
                Place::Block(kind)
            }
            _ => place,
        };
        // In a list, the member of its entries.
        let in_entries = || place.through_lists(&[Segment::Key(name.to_owned())]).ok();
        match place.member(name).ok().or_else(in_entries) {
            Some(Place::Root | Place::Group(_) | Place::Block(_) | Place::Source(_)) => JsonForm::Object,
            Some(Place::Extras | Place::ForeignBlock) => JsonForm::Object,
            Some(Place::Own(row)) => row.codec.facts().json,
            Some(Place::Part(part)) if part.place == PartPlace::Rest => JsonForm::List,
            Some(Place::Templates(_) | Place::Template(_) | Place::Foreign) => {
                let path = above.child(Segment::Key(name.to_owned()));
                let value = match keys(&path.segments) {
                    Some(keys) => self.current.value(&keys),
                    None => self.current.value_at(&path).ok(),
                };
                match value {
                    Some(Value::Object(_)) => JsonForm::Object,
                    Some(Value::Array(_)) => JsonForm::List,
                    None if row.is_some_and(ForeignKeyword::is_block) => JsonForm::Object,
                    _ => JsonForm::Leaf,
                }
            }
            _ => JsonForm::Leaf,
        }
    }

    /// The entries of the list at a path.
    fn entries(&self, path: &Path, head: &str, start: &str) -> Vec<Step> {
        let form = match place(&path.child(Segment::Index(0)).segments) {
            Some(Place::Source(_)) => JsonForm::Object,
            Some(_) => JsonForm::Leaf,
            None => return Vec::new(),
        };
        let present = self.current.value_at(path).ok();
        let count = present.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        let numbered = (0..count).map(|at| {
            let entry = path.child(Segment::Index(at));
            let address = entry.child(Segment::Key(SOURCE.address.to_owned()));
            let shown = self.shown(if form == JsonForm::Object { &address } else { &entry });
            (at.to_string(), shown.unwrap_or_default(), form)
        });
        let mut found: Vec<(String, String, JsonForm)> = numbered.collect();
        if count != 1 {
            found.push(("*".to_owned(), "every element".to_owned(), form));
        }
        if self.path_use == PathUse::Settable {
            found.push(("+".to_owned(), "a new element".to_owned(), JsonForm::Leaf));
        }
        found.retain(|(sign, ..)| sign.starts_with(start));
        found.into_iter().map(|(sign, help, form)| self.found(format!("{head}{sign}]"), help, form)).collect()
    }

    /// The values at a path that begin with `start`, behind `head`.
    fn values(&self, path: &Path, head: &str, start: &str) -> Vec<Step> {
        let (PathUse::Settable | PathUse::Condition, Some(place)) = (self.path_use, place(&path.segments))
        else {
            return Vec::new();
        };
        let mut values = Vec::new();
        if self.path_use == PathUse::Settable {
            values.extend(self.shown(path).map(|value| (value, "the present value")));
        }
        values.extend(known(place).into_iter().map(|(value, help)| (value.to_owned(), help)));
        if let Some(keyword) = kind(place).and_then(|kind| kind.names_of) {
            values.extend(self.current.names(&[keyword]).into_iter().map(|name| (name, "")));
        }
        let mut found: Vec<Step> = Vec::new();
        for (value, help) in values.into_iter().filter(|(value, _)| value.starts_with(start)) {
            let text = format!("{head}{value}");
            if found.iter().all(|known| known.candidate.text != text) {
                let candidate = Proposal { text, help: help.to_owned(), is_whole: true };
                found.push(Step { candidate, deeper: None });
            }
        }
        found
    }

    /// The scalar at a path as `--set` takes it; `None` for a secret, and where there is none.
    fn shown(&self, path: &Path) -> Option<String> {
        let masker = Masker::default();
        let masked = self.current.masked_around(path, &masker);
        let real = self.current.value_at(path).ok()?;
        let is_open = Config::from(&masked).value_at(path).ok()? == real;
        scalar_text(&real).filter(|text| is_open && !text.is_empty() && !Masker::holds_mask(text))
    }
}

fn operators(path: &str) -> Vec<Proposal> {
    let one = |(operator, help): &(&str, &str)| Proposal {
        text: format!("{path}{operator}"),
        help: (*help).to_owned(),
        is_whole: operator.starts_with(' '),
    };
    OPERATORS.iter().map(one).collect()
}

/// The place of a path in which patterns stand for any of the names or entries that they match.
fn place(segments: &[Segment]) -> Option<Place> {
    Place::Root.through_lists(segments).ok()
}

/// The segments with one name for each pattern.
fn certain(segments: &[Segment]) -> Vec<Segment> {
    let one = |segment: &Segment| match segment {
        Segment::Matching(glob) => Segment::Key(glob.clone()),
        Segment::EveryEntry => Segment::Index(0),
        other => other.clone(),
    };
    segments.iter().map(one).collect()
}

/// The kind of the value at a place, if that is one word.
fn kind(place: Place) -> Option<&'static WordKind> {
    match place {
        Place::Own(row) if row.codec.facts().json == JsonForm::Leaf => row.codec.facts().kind,
        Place::Part(part) if part.place != PartPlace::Rest => Some(part.kind),
        _ => None,
    }
}

/// The values that the schema knows for a place, each with its documentation.
fn known(place: Place) -> Vec<(&'static str, &'static str)> {
    let Some(kind) = kind(place) else {
        let is_url = matches!(place, Place::BackendUrl);
        return is_url.then_some(("false", "opens access to everybody")).into_iter().collect();
    };
    // The value in the example of a directive with one word, which is no secret.
    let of_row = match place {
        Place::Own(row) => {
            row.example.strip_suffix(';').and_then(|example| example.split_once(' ')).filter(|(_, value)| {
                !row.secret && !value.contains([' ', '"']) && !kind.values.contains(value)
            })
        }
        _ => None,
    };
    let of_row = of_row.map(|(_, value)| value);
    let examples = of_row.into_iter().chain(kind.examples.iter().copied().filter(|_| of_row.is_none()));
    let examples = examples.map(|value| (value, "an example"));
    examples.chain(kind.values.iter().map(|&value| (value, ""))).collect()
}

/// A text that is being typed. A candidate begins with `head`, and its addition begins with `start`.
#[derive(Debug, PartialEq, Eq)]
enum Partial<'t> {
    /// A name of a member of the value above.
    Name { above: Vec<Segment>, head: String, start: PartialName<'t> },
    /// The text behind `[`.
    Entry { above: Vec<Segment>, head: &'t str, start: &'t str },
    /// A value behind an operator.
    Value {
        path: Vec<Segment>,
        head: &'t str,
        start: &'t str,
        /// True if the operator is `=` or `!=`.
        is_equal: bool,
    },
}

/// The beginning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartialName<'t> {
    Bare(&'t str),
    /// Behind a quote that is not closed yet, as it is written.
    Quoted(&'t str),
}

impl PartialName<'_> {
    /// The name itself, as far as it is typed.
    fn name(self) -> String {
        match self {
            Self::Bare(start) => start.to_owned(),
            Self::Quoted(start) => start.replace("\\\"", "\"").replace(r"\\", r"\"),
        }
    }

    /// A whole name, in quotes where it needs them or where one is typed.
    fn written(self, name: &str) -> String {
        match self {
            Self::Bare(_) if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name.to_owned(),
            Self::Bare(_) => Segment::Key(name.to_owned()).to_string(),
            Self::Quoted(_) => in_quotes(name),
        }
    }
}

impl<'t> Partial<'t> {
    /// Splits a text; `None` if no path can begin like that.
    fn parse(text: &'t str) -> Option<Self> {
        let (mut in_quotes, mut bracket, mut is_escaped) = (false, None, false);
        // Behind the last `.`.
        let mut name_at = 0;
        for (offset, character) in text.char_indices() {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = in_quotes,
                '"' => in_quotes = !in_quotes,
                _ if in_quotes => {}
                '[' => bracket = Some(offset),
                ']' => bracket = None,
                _ if bracket.is_some() => {}
                '.' => name_at = offset + 1,
                '=' | '~' | '!' => return Self::value(text, offset),
                _ => {}
            }
        }
        if let Some(offset) = bracket {
            let (head, start) = text.split_at(offset + 1);
            return Some(Self::Entry { above: segments(&text[..offset])?, head, start });
        }
        let (above, start) = text.split_at(name_at);
        if start.ends_with(']') {
            let start = PartialName::Bare("");
            return Some(Self::Name { above: segments(text)?, head: format!("{text}."), start });
        }
        let above_path = segments(above.strip_suffix('.').unwrap_or(above))?;
        let start = match start.strip_prefix('"') {
            Some(quoted) => PartialName::Quoted(quoted),
            None => PartialName::Bare(start),
        };
        Some(Self::Name { above: above_path, head: above.to_owned(), start })
    }

    fn value(text: &'t str, offset: usize) -> Option<Self> {
        let operator =
            ["=~", "!=", "=", "~"].into_iter().find(|operator| text[offset..].starts_with(operator))?;
        let (head, start) = text.split_at(offset + operator.len());
        let is_equal = matches!(operator, "=" | "!=");
        Some(Self::Value { path: segments(text[..offset].trim_end())?, head, start, is_equal })
    }
}

fn segments(text: &str) -> Option<Vec<Segment>> {
    match text {
        "" => Some(Vec::new()),
        _ => Path::parse(text).ok().map(|path| path.segments),
    }
}

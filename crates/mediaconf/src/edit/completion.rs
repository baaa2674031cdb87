//! The completions of a path that is being typed: names, keys with their documentation, and behind a `=`
//! the values that are known. They come from the schema and the configuration; a secret is never among
//! them.

use std::collections::HashSet;

use serde_json::Value;

use super::explain::members;
use crate::query::{Config, Path, Segment, keys, refuse_output_only};
use crate::schema::fault::in_quotes;
use crate::schema::kinds::{WordKind, scalar_text};
use crate::schema::{FOREIGN_KEYWORDS, ForeignKeyword, JsonForm, Place, SOURCE, Schema, Scope};
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
type Step = (Proposal, Option<&'static str>);

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
        // An object or a list may be meant as a whole.
        let may_be_whole = matches!(self.path_use, PathUse::Present | PathUse::Explained);
        let mut found = self.steps(typed).unwrap_or_default();
        if may_be_whole && typed.ends_with(']') && Path::parse(typed).is_ok() {
            let is_whole = found.is_empty();
            found.insert(0, (Proposal { text: typed.to_owned(), help: String::new(), is_whole }, None));
        }
        let [(only, Some(sign))] = &found[..] else {
            return found.into_iter().map(|(candidate, _)| candidate).collect();
        };
        let mut inside = match (self.path_use, *sign) {
            (PathUse::Condition, "") => operators(&only.text),
            _ => self.candidates(&format!("{}{sign}", only.text)),
        };
        // The only value is not entered: it would stand there before it was looked at.
        if inside.is_empty() || only.text.ends_with('=') && inside.len() == 1 {
            return vec![only.clone()];
        }
        if may_be_whole {
            inside.insert(0, only.clone());
        }
        inside
    }

    fn steps(&self, typed: &str) -> Option<Vec<Step>> {
        let typed = Typed::parse(typed)?;
        let above = Path { segments: [self.base, &typed.above].concat() };
        // Patterns stand for any of the names or entries that they match.
        let place = Place::Root.through_lists(&above.segments).ok()?;
        Some(match typed.behind {
            '[' => self.entries(&above, place.step(&Segment::Index(0)).ok()?, &typed),
            '=' => self.values(&above, place, &typed),
            _ => self.members(&above, place, &typed),
        })
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
        (Proposal { text: text + sign, help, is_whole: deeper.is_none() }, deeper)
    }

    /// The members of the value at `above` whose names begin with what is typed.
    fn members(&self, above: &Path, place: Place, typed: &Typed<'_>) -> Vec<Step> {
        let (head, start) = (&typed.head, typed.name());
        if self.path_use == PathUse::Block && !matches!(place, Place::Root | Place::Group(_)) {
            return Vec::new();
        }
        if typed.behind == '.' && start.contains('*') {
            return vec![self.found(
                format!("{head}{start}"),
                String::new(),
                self.form(above, place, &start),
            )];
        }
        let mut names = self.names(above, place);
        names.extend(self.foreign(place, &start, &names));
        names.retain(|(name, _)| name.starts_with(&start));
        // A name in quotes does not begin with what is typed; it is meant where no other does.
        if typed.behind == '.'
            && !start.is_empty()
            && names.iter().any(|(name, _)| typed.written(name) == *name)
        {
            names.retain(|(name, _)| typed.written(name) == *name);
        }
        let candidates = |(name, help): (String, String)| {
            let (text, form) = (format!("{head}{}", typed.written(&name)), self.form(above, place, &name));
            // Some that are objects or lists are also set by their words.
            let takes_words = matches!(place.member(&name), Ok(Place::Own(row)) if row.takes_words());
            let by_words = (self.path_use == PathUse::Settable && takes_words).then_some(JsonForm::Leaf);
            let forms = [form].into_iter().chain(by_words);
            forms.map(|form| self.found(text.clone(), help.clone(), form)).collect::<Vec<_>>()
        };
        names.into_iter().flat_map(candidates).collect()
    }

    /// The names at a place, each with its documentation.
    fn names(&self, path: &Path, place: Place) -> Vec<(String, String)> {
        let is_named_anew = matches!(place, Place::Group(_)) && self.path_use != PathUse::Explained;
        let mut documented = if is_named_anew { Vec::new() } else { members(place) };
        let mut present = keys(&path.segments).map(|keys| self.current.names(&keys)).unwrap_or_default();
        if present.is_empty() {
            present = self.current.names_at(path).unwrap_or_default();
        }
        let help =
            |name: &String| documented.iter().find(|(key, _)| key == name).map(|(_, help)| help.clone());
        match (self.path_use, place) {
            (PathUse::Block, Place::Root) => {
                documented.retain(|(key, _)| Schema::media().kind(key).is_some());
                documented
            }
            (PathUse::Present, _) if path.first_pattern().is_some() => with_unknown(documented, present),
            (PathUse::Present | PathUse::Block, _) => {
                present.into_iter().map(|name| (name.clone(), help(&name).unwrap_or_default())).collect()
            }
            (PathUse::Settable, _) => {
                let is_settable = |key: &str| place.member(key).and_then(refuse_output_only).is_ok();
                present.retain(|name| help(name).is_none());
                documented.retain(|(key, _)| is_settable(key));
                with_unknown(documented, present)
            }
            _ => with_unknown(documented, present),
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
        let is_in = |scope: Scope| scope.by_key(name).is_some() || row.is_some_and(|row| scope.may_hold(row));
        let place = match (self.path_use, place) {
            (PathUse::Block, Place::Group(_)) => return JsonForm::Leaf,
            // The name of the stream is left out.
            (PathUse::Explained, Place::Group(kind)) if is_in(kind.scope()) => Place::Block(kind),
            _ => place,
        };
        let name = Segment::Key(name.to_owned());
        // In a list, the member of its entries.
        match place.through_lists(std::slice::from_ref(&name)) {
            Ok(Place::Root | Place::Group(_) | Place::Block(_) | Place::Source(_)) => JsonForm::Object,
            Ok(Place::Extras) => JsonForm::Object,
            Ok(Place::Own(row)) => row.codec.facts().json,
            Ok(Place::Part(part)) if part.is_rest() => JsonForm::List,
            Ok(place) if place.is_foreign() => {
                let path = above.child(name);
                let looked_up = || self.current.value_at(&path).ok();
                match keys(&path.segments).map_or_else(looked_up, |keys| self.current.value(&keys)) {
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
    fn entries(&self, path: &Path, entry: Place, typed: &Typed<'_>) -> Vec<Step> {
        let is_source = matches!(entry, Place::Source(_));
        let form = if is_source { JsonForm::Object } else { JsonForm::Leaf };
        let present = self.current.value_at(path).ok();
        let count = present.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        let numbered = (0..count).map(|at| {
            let entry = path.child(Segment::Index(at));
            let address = entry.child(Segment::Key(SOURCE.address.to_owned()));
            let shown = self.shown(if is_source { &address } else { &entry });
            (at.to_string(), shown.unwrap_or_default(), form)
        });
        let every = (count != 1).then(|| ("*".to_owned(), "every element".to_owned(), form));
        let is_set = self.path_use == PathUse::Settable;
        let new = is_set.then(|| ("+".to_owned(), "a new element".to_owned(), JsonForm::Leaf));
        let found = numbered.chain(every).chain(new).filter(|(sign, ..)| sign.starts_with(typed.start));
        found.map(|(sign, help, form)| self.found(format!("{}{sign}]", typed.head), help, form)).collect()
    }

    /// The values at a path that begin with what is typed.
    fn values(&self, path: &Path, place: Place, typed: &Typed<'_>) -> Vec<Step> {
        let mut values = Vec::new();
        match self.path_use {
            PathUse::Settable => values.extend(self.shown(path).map(|value| (value, "the present value"))),
            PathUse::Condition => {}
            _ => return Vec::new(),
        }
        values.extend(known(place).into_iter().map(|(value, help)| (value.to_owned(), help)));
        if let Some(keyword) = kind(place).and_then(|kind| kind.names_of) {
            values.extend(self.current.names(&[keyword]).into_iter().map(|name| (name, "")));
        }
        let mut told = HashSet::new();
        values.retain(|(value, _)| value.starts_with(typed.start) && told.insert(value.clone()));
        let candidate = |(value, help): (String, &str)| Proposal {
            text: format!("{}{value}", typed.head),
            help: help.to_owned(),
            is_whole: true,
        };
        values.into_iter().map(|value| (candidate(value), None)).collect()
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

/// The documented names, and those that are there beside them.
fn with_unknown(mut documented: Vec<(String, String)>, present: Vec<String>) -> Vec<(String, String)> {
    let known: HashSet<String> = documented.iter().map(|(key, _)| key.clone()).collect();
    documented
        .extend(present.into_iter().filter(|name| !known.contains(name)).map(|name| (name, String::new())));
    documented
}

/// The kind of the value at a place, if that is one word.
fn kind(place: Place) -> Option<&'static WordKind> {
    match place {
        Place::Own(row) if row.codec.facts().json == JsonForm::Leaf => row.codec.facts().kind,
        Place::Part(part) if !part.is_rest() => Some(part.kind),
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
struct Typed<'t> {
    above: Vec<Segment>,
    head: String,
    start: &'t str,
    /// What it stands behind: `[`, `=` for a value, `"` for a name in quotes that are not closed yet, else `.`.
    behind: char,
}

impl<'t> Typed<'t> {
    /// Splits a text; `None` if no path can begin like that.
    fn parse(text: &'t str) -> Option<Self> {
        if text.ends_with(']')
            && let Ok(above) = Path::parse(text)
        {
            return Some(Self { above: above.segments, head: format!("{text}."), start: "", behind: '.' });
        }
        // A sign in quotes or brackets ends no path.
        let split = |(at, sign): (usize, &str)| {
            let above = text[..at].strip_suffix('!').filter(|_| sign == "=").unwrap_or(&text[..at]);
            let above = Path::parse(above.trim_end()).ok()?.segments;
            Some(Self {
                above,
                head: text[..=at].to_owned(),
                start: &text[at + 1..],
                behind: sign.chars().next()?,
            })
        };
        let whole = Self { above: Vec::new(), head: String::new(), start: text, behind: '.' };
        let typed = text.rmatch_indices(['.', '[', '=']).find_map(split).unwrap_or(whole);
        match typed.start.strip_prefix('"') {
            Some(start) if typed.behind == '.' => Some(Self { start, behind: '"', ..typed }),
            // Of other operators no value is known.
            _ => Some(typed).filter(|typed| typed.behind != '=' || !typed.start.starts_with('~')),
        }
    }

    /// The name itself, as far as it is typed.
    fn name(&self) -> String {
        match self.behind {
            '"' => self.start.replace("\\\"", "\"").replace(r"\\", r"\"),
            _ => self.start.to_owned(),
        }
    }

    /// A whole name, in quotes where it needs them or where one is typed.
    fn written(&self, name: &str) -> String {
        match self.behind {
            '"' => in_quotes(name),
            _ if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name.to_owned(),
            _ => Segment::Key(name.to_owned()).to_string(),
        }
    }
}

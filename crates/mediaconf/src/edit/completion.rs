//! The completions of a path that is being typed: names, keys with their documentation, and behind a `=`
//! the values that are known. They come from the schema and the names of the configuration; no value of it is among them.

use serde_json::Value;

use super::explain::members;
use crate::query::{Config, Path, Segment, keys, settable};
use crate::schema::{FOREIGN_KEYWORDS, ForeignKeyword, JsonForm, Kind, Place, Schema, bare_or_quoted};

/// A candidate: what the typed text may go on as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The whole text, from its first character.
    pub text: String,
    /// One line of documentation; empty where the text says it all.
    pub help: String,
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

/// A candidate, and the sign behind which its members, elements or values follow; empty if there are none.
type Continuation = (Proposal, &'static str);

impl Completion<'_> {
    /// The candidates for a text, in the order in which they are shown. A single candidate gives way to the candidates inside
    /// it, so that one Tab is enough; it stays beside them if it may be meant as a whole.
    pub fn candidates(&self, typed: &str) -> Vec<Proposal> {
        let mut found = self.steps(typed).unwrap_or_default();
        if let [(only, sign @ ("." | "="))] = &found[..] {
            // An object may be meant as a whole, and another value than those that are known.
            let is_entered = only.text.ends_with(sign);
            let is_whole = *sign == "=" || !is_entered;
            let inside = self.candidates(&format!("{}{}", only.text, if is_entered { "" } else { sign }));
            found.truncate(usize::from(is_whole || inside.is_empty()));
            found.extend(inside.into_iter().map(|candidate| (candidate, "")));
        }
        found.into_iter().map(|(candidate, _)| candidate).collect()
    }

    fn steps(&self, typed: &str) -> Option<Vec<Continuation>> {
        let (above, head, start) = split(typed);
        let (above, typed) = (Path { segments: [self.base, &above].concat() }, [&*head, start]);
        // Patterns stand for any of the names or entries that they match.
        let place = Place::Root.through_lists(&above.segments).ok()?;
        let is_value = head.ends_with('=');
        Some(if is_value { self.values(&above, place, typed) } else { self.members(&above, place, typed) })
    }

    /// The candidate for a place.
    fn found(&self, text: String, help: String, form: JsonForm) -> Continuation {
        let sign = match (self.path_use, form) {
            (PathUse::Condition, JsonForm::List) | (_, JsonForm::Object) => ".",
            (_, JsonForm::List) => "[",
            (PathUse::Settable | PathUse::Condition, JsonForm::Leaf) => "=",
            (_, JsonForm::Leaf) => "",
        };
        let may_be_whole = matches!(self.path_use, PathUse::Present | PathUse::Explained);
        (Proposal { text: text + if may_be_whole { "" } else { sign }, help }, sign)
    }

    /// The members of the value at `above` whose names begin with what is typed.
    fn members(&self, above: &Path, place: Place, [head, start]: [&str; 2]) -> Vec<Continuation> {
        if start.contains('*') {
            let form = self.form(above, place, start);
            return vec![self.found(format!("{head}{start}"), String::new(), form)];
        }
        let mut names = self.names(above, place);
        names.extend(self.foreign(place, start, &names));
        names.retain(|(name, _)| name.starts_with(start));
        // A name in quotes does not begin with what is typed; it is meant where no other does.
        let is_bare = |(name, _): &(String, String)| bare_or_quoted(name) == *name;
        if !start.is_empty() && names.iter().any(is_bare) {
            names.retain(is_bare);
        }
        let candidate = |(name, help): (String, String)| {
            self.found(format!("{head}{}", bare_or_quoted(&name)), help, self.form(above, place, &name))
        };
        names.into_iter().map(candidate).collect()
    }

    /// The names at a place, each with its documentation.
    fn names(&self, path: &Path, place: Place) -> Vec<(String, String)> {
        let is_named_anew = matches!(place, Place::Group(_)) && self.path_use != PathUse::Explained;
        let documented = if is_named_anew { Vec::new() } else { members(place) };
        let present = self.current.names_at(path).unwrap_or_default();
        let is_of_present = self.path_use == PathUse::Present && path.first_pattern().is_none();
        let help = |name: &String| Some(documented.iter().find(|(key, _)| key == name)?.1.clone());
        let others = present.iter().filter(|name| is_of_present || help(name).is_none());
        let others = others.map(|name| (name.clone(), help(name).unwrap_or_default()));
        let known = documented.iter().filter(|_| !is_of_present).cloned();
        let mut names: Vec<(String, String)> = known.chain(others).collect();
        names.retain(|(key, _)| match (self.path_use, place) {
            (PathUse::Block, Place::Root) => Schema::kind(key).is_some(),
            (PathUse::Block, place) => matches!(place, Place::Group(_)),
            (PathUse::Settable, place) => place.member(key).and_then(settable).is_ok(),
            _ => true,
        });
        names
    }

    /// The directives of other servers that may stand at a place. They are many, and the known ones are meant more often:
    /// a letter has to be typed, and one known name alone is proposed.
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
        let row = Schema::foreign(name);
        let place = match (self.path_use, place) {
            (PathUse::Block, Place::Group(_)) => return JsonForm::Leaf,
            // The name of the stream is left out.
            (PathUse::Explained, Place::Group(kind)) if kind.scope().knows(name) => Place::Block(kind),
            _ => place,
        };
        let name = Segment::Key(name.to_owned());
        // In a list, the member of its entries.
        match place.through_lists(std::slice::from_ref(&name)) {
            Ok(place) if place.is_foreign() => {
                let path = above.child(name);
                match keys(&path.segments).and_then(|keys| self.current.value(&keys)) {
                    Some(Value::Object(_)) => JsonForm::Object,
                    Some(Value::Array(_)) => JsonForm::List,
                    None if row.is_some_and(ForeignKeyword::is_block) => JsonForm::Object,
                    _ => JsonForm::Leaf,
                }
            }
            place => place.map_or(JsonForm::Leaf, |place| place.facts().json),
        }
    }

    /// The values that the schema knows at a place, and that begin with what is typed.
    fn values(&self, above: &Path, place: Place, [head, start]: [&str; 2]) -> Vec<Continuation> {
        if !matches!(self.path_use, PathUse::Settable | PathUse::Condition) {
            return Vec::new();
        }
        let facts = place.facts();
        let kind = facts.kind.filter(|_| facts.json == JsonForm::Leaf);
        let known = kind.map_or(&[][..], |kind| kind.values);
        let last = above.segments.last().and_then(Segment::name).filter(|_| place.is_foreign());
        let foreign = last.and_then(|key| Some(("", Schema::foreign(key)?.names_of?)));
        let referred = kind.and_then(|kind| kind.names_of).or(foreign);
        let names = referred.into_iter().flat_map(|(sign, group)| {
            self.current.names(&[Kind::key_of(group)]).into_iter().map(move |name| format!("{sign}{name}"))
        });
        let values = known.iter().map(|&value| value.to_owned()).chain(names);
        let values = values.filter(|value| value.starts_with(start));
        let proposal = |value: String| Proposal { text: format!("{head}{value}"), help: String::new() };
        values.map(|value| (proposal(value), "")).collect()
    }
}

/// What a text that is being typed leads to: the path above it; then what a candidate begins with, which ends in `=` for a
/// value, and what its addition begins with.
fn split(text: &str) -> (Vec<Segment>, String, &str) {
    let whole = if text.ends_with(']') { Path::parse(text).ok() } else { None };
    if let Some(above) = whole {
        return (above.segments, format!("{text}."), "");
    }
    // A sign in quotes or brackets ends no path.
    let split = |(at, _)| {
        let above = Path::parse(&text[..at]).ok()?.segments;
        Some((above, text[..=at].to_owned(), &text[at + 1..]))
    };
    text.rmatch_indices(['.', '=']).find_map(split).unwrap_or((Vec::new(), String::new(), text))
}

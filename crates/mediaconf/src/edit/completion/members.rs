//! The names, keys and entries at a place.

use serde_json::Value;

use super::partial::PartialName;
use super::values::shown;
use super::{Completion, Form, PathUse, Step, place};
use crate::edit::config_lookup::{ConfigLookup, ValueKind};
use crate::edit::explain::members;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::suggestion::keys;
use crate::edit::through_lists;
use crate::edit::value_at::value_at;
use crate::schema::{FOREIGN_KEYWORDS, ForeignKeyword, JsonForm, Parameter, PartPlace, SOURCE, Schema};

impl Completion<'_> {
    /// The members of the value at `above` whose names begin with `start`.
    pub(super) fn members(&self, above: &[Segment], head: &str, start: PartialName<'_>) -> Vec<Step> {
        let whole = self.whole(above);
        let Some(place) = place(&whole.segments) else { return Vec::new() };
        if self.path_use == PathUse::Block && !matches!(place, Place::Root | Place::Group(_)) {
            return Vec::new();
        }
        if let PartialName::Bare(glob) = start
            && glob.contains('*')
        {
            let form = self.form(&whole, place, glob);
            return vec![self.found(format!("{head}{glob}"), String::new(), form)];
        }
        let typed = start.name();
        let mut names = self.names(&whole, place);
        names.extend(self.foreign(place, &typed, &names));
        let names = names.into_iter().filter(|(name, _)| name.starts_with(&typed));
        let mut names: Vec<_> = names.map(|(name, help)| (start.written(&name), name, help)).collect();
        // A name in quotes does not begin with what is typed; it is meant where no other does.
        if matches!(start, PartialName::Bare(start) if !start.is_empty())
            && names.iter().any(|(written, name, _)| written == name)
        {
            names.retain(|(written, name, _)| written == name);
        }
        let candidate = |(written, name, help): (String, String, String)| {
            let form = self.form(&whole, place, &name);
            self.words(format!("{head}{written}"), help, form, place, &name)
        };
        names.into_iter().flat_map(candidate).collect()
    }

    /// The candidates for one member: some that are objects or lists are also set by their words.
    fn words(&self, text: String, help: String, form: Form, place: Place, name: &str) -> Vec<Step> {
        let takes_words = matches!(place.member(name), Ok(Place::Own(row)) if row.takes_words());
        if self.path_use != PathUse::Settable || !takes_words {
            return vec![self.found(text, help, form)];
        }
        vec![self.found(text.clone(), help.clone(), form), self.found(text, help, Form::Leaf)]
    }

    /// The names at a place, each with its documentation.
    fn names(&self, path: &Path, place: Place) -> Vec<(String, String)> {
        let documented = match (self.path_use, place) {
            (PathUse::Explained, _) => members(place),
            (_, Place::Group(_)) => Vec::new(),
            _ => members(place),
        };
        let present = present_names(self.current, path);
        let is_certain = path.first_pattern().is_none();
        let help =
            |name: &String| documented.iter().find(|(key, _)| key == name).map(|(_, help)| help.clone());
        let with_help = |name: String| {
            let help = help(&name).unwrap_or_default();
            (name, help)
        };
        match self.path_use {
            PathUse::Present if is_certain => present.into_iter().map(with_help).collect(),
            PathUse::Block => match place {
                Place::Root => {
                    documented.into_iter().filter(|(key, _)| Schema::media().kind(key).is_some()).collect()
                }
                _ => present.into_iter().map(with_help).collect(),
            },
            _ => {
                let unknown: Vec<String> = present.into_iter().filter(|name| help(name).is_none()).collect();
                let above = certain(&path.segments);
                let is_allowed = |key: &str| {
                    let path = [&above[..], &[Segment::Key(key.to_owned())]].concat();
                    self.path_use != PathUse::Settable || Place::to_set(&path).is_ok()
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
    fn form(&self, above: &Path, place: Place, name: &str) -> Form {
        if matches!((self.path_use, place), (PathUse::Block, Place::Group(_))) {
            return Form::Leaf;
        }
        let schema = Schema::media();
        let place = match (self.path_use, place) {
            // The name of the stream is left out.
            (PathUse::Explained, Place::Group(kind))
                if kind.scope().by_key(name).is_some()
                    || schema.foreign(name).is_some_and(|row| kind.scope().may_hold(row)) =>
            {
                Place::Block(kind)
            }
            _ => place,
        };
        match member(place, name) {
            Some(Place::Root | Place::Group(_) | Place::Block(_) | Place::Source(_)) => Form::Object,
            Some(Place::Extras | Place::ForeignBlock) => Form::Object,
            Some(Place::Own(row)) => form_of(row),
            Some(Place::Part(part)) if part.place == PartPlace::Rest => Form::List,
            Some(Place::Templates(_) | Place::Template(_) | Place::Foreign) => {
                let path =
                    Path { segments: [&above.segments[..], &[Segment::Key(name.to_owned())]].concat() };
                let kind = match keys(&path.segments) {
                    Some(keys) => self.current.kind(&keys),
                    None => value_at(self.current, &path).ok().map(|value| kind_of(&value)),
                };
                let is_new_block = || schema.foreign(name).is_some_and(ForeignKeyword::is_block);
                match kind {
                    Some(ValueKind::Object) => Form::Object,
                    Some(ValueKind::List) => Form::List,
                    None if is_new_block() => Form::Object,
                    _ => Form::Leaf,
                }
            }
            _ => Form::Leaf,
        }
    }

    /// The entries of the list at `above`.
    pub(super) fn entries(&self, above: &[Segment], head: &str, start: &str) -> Vec<Step> {
        let path = self.whole(above);
        let first = [&path.segments[..], &[Segment::Index(0)]].concat();
        let form = match place(&first) {
            Some(Place::Source(_)) => Form::Object,
            Some(_) => Form::Leaf,
            None => return Vec::new(),
        };
        let present = value_at(self.current, &path).ok();
        let entries = present.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let numbered = (0..entries.len()).map(|at| {
            let entry = Path { segments: [&path.segments[..], &[Segment::Index(at)]].concat() };
            let address = if form == Form::Object { self.below(&entry, SOURCE.address) } else { entry };
            (at.to_string(), shown(self.current, &address).unwrap_or_default())
        });
        let mut found: Vec<(String, String, Form)> =
            numbered.map(|(number, help)| (number, help, form)).collect();
        if entries.len() != 1 {
            found.push(("*".to_owned(), "every element".to_owned(), form));
        }
        if self.path_use == PathUse::Settable {
            found.push(("+".to_owned(), "a new element".to_owned(), Form::Leaf));
        }
        found.retain(|(sign, ..)| sign.starts_with(start));
        found.into_iter().map(|(sign, help, form)| self.found(format!("{head}{sign}]"), help, form)).collect()
    }

    fn below(&self, path: &Path, key: &str) -> Path {
        Path { segments: [&path.segments[..], &[Segment::Key(key.to_owned())]].concat() }
    }
}

/// The place of a member; in a list that of a member of its entries.
fn member(place: Place, name: &str) -> Option<Place> {
    place.member(name).ok().or_else(|| place.through_lists(&[Segment::Key(name.to_owned())]).ok())
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

/// The keys of the object at a path; empty if there is no object.
fn present_names(current: &dyn ConfigLookup, path: &Path) -> Vec<String> {
    if let Some(keys) = keys(&path.segments) {
        let names = current.names(&keys);
        if !names.is_empty() {
            return names;
        }
    }
    through_lists::names(current, path).ok().flatten().unwrap_or_default()
}

fn form_of(row: &Parameter) -> Form {
    match row.codec.facts().json {
        JsonForm::Object => Form::Object,
        JsonForm::List => Form::List,
        JsonForm::Leaf => Form::Leaf,
    }
}

fn kind_of(value: &Value) -> ValueKind {
    match value {
        Value::Object(_) => ValueKind::Object,
        Value::Array(_) => ValueKind::List,
        _ => ValueKind::Word,
    }
}

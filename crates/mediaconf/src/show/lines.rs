//! Finds the entries of the text that a path leads to, and writes values as lines that `modify --set` accepts:
//! `mediactl read -o set`.

use std::ops::Range;

use serde_json::{Value, json};

use crate::edit::surroundings::Surroundings;
use crate::query::{Config, Path, Segment};
use crate::schema::{
    DirectiveForm, Fault, Kind, Members, Object, Place, addresses, first_argument, inner_scope, scalar_text,
};
use crate::syntax::{Document, Entry};

/// The first entry that a path leads to: a block, or one of the directives that say a value; else the nearest block around
/// it. True if the path stands for this one entry.
fn find<'d>(members: &Members<'d>, segments: &[Segment]) -> Option<(Entry<'d>, bool)> {
    let (key, below) = (segments.first()?.name()?, &segments[1..]);
    let (row, entries) = (members.scope.by_key(key), members.lines(key));
    let facts = row.map(|row| row.codec.facts()).unwrap_or_default();
    let is_of_list = facts.entries_of.is_some();
    let are_named = || DirectiveForm::from_entries(entries) == DirectiveForm::NamedBlocks;
    let has_names = facts.group.is_some() || is_of_list || row.is_none() && are_named();
    let (entries, below): (Vec<Entry<'d>>, _) = match (below, row) {
        ([Segment::Key(name), inside @ ..], _) if has_names => {
            let named = entries.iter().copied().filter(|entry| first_argument(*entry) == *name);
            (named.filter(|entry| entry.is_block() || !is_of_list).collect(), inside)
        }
        _ if is_of_list => return None,
        ([Segment::Index(at), inside @ ..], _) if facts.takes_elements() => {
            // A line may have several sources.
            let mut each = entries.iter().flat_map(|&line| addresses(line).map(move |_| line));
            (each.nth(*at).into_iter().collect(), if facts.list.is_some() { inside } else { below })
        }
        // Of a directive that stands there twice, the last one counts.
        (_, Some(_)) if facts.is_setting() => (entries.last().into_iter().copied().collect(), below),
        _ => (entries.to_vec(), below),
    };
    let (first, is_one) = (*entries.first()?, entries.len() == 1);
    if is_one && first.is_block() && (has_names || row.is_none()) && !below.is_empty() {
        let scope = facts.group.map_or_else(|| inner_scope(first), Kind::scope);
        return find(&Members::group(scope, first.children()), below).or(Some((first, false)));
    }
    Some((first, is_one && below.is_empty()))
}

impl<'d> Config<'d> {
    /// The entry that says the value at a path, or else the nearest block around it; `None` if there is none.
    pub fn entry_at(&self, path: &[Segment]) -> Option<Entry<'d>> {
        find(&self.members, path).map(|(entry, _)| entry)
    }

    /// The one entry that a path stands for: a block by its name, or a directive.
    ///
    /// # Errors
    /// An absence if nothing is there; another fault if it is a part of an entry, or several entries.
    pub fn own_entry_at(&self, path: &Path) -> Result<Entry<'d>, Fault> {
        let is_group = path.kind().is_some() && path.segments.len() == 1;
        if let Some((entry, true)) = find(&self.members, &path.segments).filter(|_| !is_group) {
            return Ok(entry);
        }
        self.select(path)?;
        let fault = Fault::of_path("it is not one entry of the text").at(path);
        Err(fault.hint("name a stream, live, plugin or another block, or a directive that stands there once"))
    }
}

impl Document {
    /// Returns the bytes of the entry at `path`, in a document without errors: its lines, and the comment lines directly
    /// above, a heading included. Of a line that it shares with another entry it has only its own part.
    ///
    /// # Errors
    /// Those of [`Config::own_entry_at`].
    pub fn lines_of(&self, path: &Path) -> Result<Range<usize>, Fault> {
        let (entry, around) = (Config::new(self).own_entry_at(path)?, Surroundings::new(self));
        let (start, end) = (entry.start(), entry.end());
        let comments = around.attached_comments(around.line_start(start));
        let start = if around.begins_line(start) { comments } else { start };
        let line_end = around.next_line(end);
        let rest = self.text()[end..line_end].trim();
        Ok(start..if rest.is_empty() || rest.starts_with('#') { line_end } else { end })
    }
}

impl Path {
    /// Returns `(path, text)` pairs for `value`, which is at `prefix`: `--set path=text`, one after the
    /// other, makes the same value on a configuration that does not have it.
    ///
    /// A list is one line of JSON, which replaces any list. Derived and output-only values are left out,
    /// and so is everything that can't be set: empty groups, values that do not fit their parameter, and
    /// top-level keywords with a line break, which no line can hold. A live or plugin that these lines
    /// make needs `--create`.
    pub fn set_lines(value: &Value, prefix: &[Segment]) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        // What is below a name that no path can hold is a part of the JSON of the place around it.
        let named = prefix.iter().position(|segment| segment.name().is_some_and(has_control));
        let (above, below) = prefix.split_at(named.unwrap_or(prefix.len()));
        let within = |inner: Value, segment: &Segment| segment.name().map(|name| json!({ name: inner }));
        let nested = below.iter().rev().try_fold(value.clone(), within);
        if let (Ok(place), Some(nested)) = (Place::to_set(above), &nested) {
            add(&mut Path { segments: above.to_vec() }, place, nested, &mut lines);
        }
        lines
    }
}

fn add(path: &mut Path, place: Place, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if is_split(place, members) => {
            let hides = |key: &str| place.lacks_own(key) || matches!(place, Place::Root) && has_control(key);
            for (key, value) in members.iter().filter(|(key, _)| !hides(key)) {
                // The schema has a place for every member of a view.
                let Ok(below) = place.member(key) else { continue };
                path.segments.push(Segment::Key(key.clone()));
                add(path, below, value, lines);
                path.segments.pop();
            }
        }
        Value::Object(members) if matches!(place, Place::Group(_)) && members.is_empty() => {}
        _ => lines.extend(text(place, value).map(|text| (path.to_string(), text))),
    }
}

/// True if each member gets lines of its own.
fn is_split(place: Place, members: &Object) -> bool {
    // An extra parameter that is a flag can only be written as JSON.
    let is_text = |value: &Value| !matches!(place, Place::Extras) || value.is_string();
    match place {
        Place::Root => true,
        Place::Source(_) => false,
        _ => {
            members.keys().any(|key| !place.lacks_own(key))
                && members.iter().all(|(key, value)| !has_control(key) && is_text(value))
        }
    }
}

/// True if the text has a control character: paths have no escape for one, and a line break would end the
/// line.
fn has_control(text: &str) -> bool {
    text.contains(char::is_control)
}

/// The text that sets `value`: a plain word if it is read back as the same value, else JSON.
///
/// `None` if neither is, as for `prepush on;`, whose value is shown but can't be set.
fn text(place: Place, value: &Value) -> Option<String> {
    let value = place.own_value(value)?;
    // Without quotes it might be several words, or none.
    let is_words = |word: &str| word.is_empty() || place.is_foreign() && word.contains(char::is_whitespace);
    let word = scalar_text(&value).filter(|word| !has_control(word) && !is_words(word));
    let texts = word.into_iter().chain([value.to_string()]);
    texts.into_iter().find(|text| place.typed(text).as_ref() == Ok(&value))
}

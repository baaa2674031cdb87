//! Refuses assignments that are probably slips: a name that is not there, a value that would drop others.

use std::collections::HashSet;

use serde_json::Value;

use super::assignment::{AssignedValue, Assigner, Assignment, PathEdit};
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::guarded::misspelt;
use crate::edit::path::{EVERY, Path, Segment, keys};
use crate::edit::schema_path::{Place, is_shown_for_nothing, own_value};
use crate::edit::select::value_at;
use crate::edit::shell_word::quoted;
use crate::edit::suggestion::{did_you_mean, in_a_group, missing, with_quoted_name};
use crate::edit::typed::words;
use crate::schema::fault::Fault;
use crate::schema::json_pointer::Pointer;
use crate::schema::members::keyword_of;
use crate::schema::{DirectiveRole, Facts, JsonForm, Kind, PartPlace, Schema};
use crate::secret::Masker;

/// An address for examples.
const ADDRESS: &str = "udp://239.0.0.1:1234";

/// The option that sets a value, as it is typed.
fn set(path: &Path, text: &str) -> String {
    format!("`--set {}`", quoted(&format!("{}={text}", path.shown())))
}

/// An example of what fits at a place that takes several words or JSON.
pub(super) fn example(place: Place, path: &Path) -> Option<String> {
    let such = |text: &str| Some(format!("such as {}", set(path, text)));
    // How to append an element, and how to set all of them.
    let whole_or_new = |element: &str, list: &str| {
        let new = set(&path.child(Segment::Append), element);
        Some(format!("{new} appends, {} sets the whole list", set(path, list)))
    };
    match place {
        Place::Own(row) => {
            // The words behind the keyword.
            let words = row.example.trim_end_matches(';');
            let words = words.split_once(' ').map_or(words, |(_, words)| words);
            match row.codec.facts() {
                Facts { list: Some(_), .. } => whole_or_new(words, &format!("[{words}]")),
                Facts { sources: Some(shape), .. } => {
                    whole_or_new(ADDRESS, &format!("[{{\"{}\":\"{ADDRESS}\"}}]", shape.address))
                }
                facts if row.is_setting() && facts.json != JsonForm::Leaf => such(words),
                _ => None,
            }
        }
        Place::Group(kind) => such(&format!("{{\"NAME\":{}}}", kind.example())),
        Place::Block(kind) => such(kind.example()),
        Place::Source(_) => such(ADDRESS),
        Place::Pair(_) => such("vb=1024k"),
        Place::Extras => such("{\"KEY\":\"VALUE\"}"),
        Place::Part(part) if part.place == PartPlace::Rest => such("[\"OPTION\"]"),
        _ => None,
    }
}

/// True if the value at the path holds no secret, so that advice may show it.
fn may_show(path: &Path, value: &Value) -> bool {
    let keys: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
    Masker::default().json_below(&keys, value) == *value
}

/// Refuses the words of one element that would drop other elements of a list.
pub(super) fn drops(place: Place, path: &Path, present: usize, text: &str, list: &Value) -> Fault {
    // What is neither a port nor an address may be a secret that was typed at the wrong place.
    let (noun, placeholder, is_shown) = match place {
        Place::Own(row) if row.codec.facts().list.is_some() => ("port", "", true),
        Place::Own(_) => ("source", "URL", text.contains("://") && may_show(path, list)),
        _ => ("option", "OPTION", false),
    };
    let (element, list) = match is_shown {
        true => (text, list.to_string()),
        false => (placeholder, format!("[\"{placeholder}\"]")),
    };
    Fault::of_path(format!("there are {present} {noun}s, and this would replace them all")).hint(format!(
        "{} replaces the first, {} appends, {} sets the whole list",
        set(&path.child(Segment::Index(0)), element),
        set(&path.child(Segment::Append), element),
        set(path, &list),
    ))
}

impl Assigner<'_> {
    /// Refuses a plain value with blanks for a directive that has several words: the value would become
    /// one word in quotes.
    pub(super) fn refuse_one_for_several(
        &self,
        place: Place,
        path: &Path,
        given: &AssignedValue,
    ) -> Result<(), Fault> {
        let is_line = matches!(
            &path.segments[..],
            [.., Segment::Key(key), Segment::Append | Segment::Index(_) | Segment::FromEnd(_)]
                if Schema::media().repeats(key)
        );
        let text = match given {
            AssignedValue::Typed(text) => text,
            AssignedValue::Text(text) if is_line => text,
            _ => return Ok(()),
        };
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if !place.is_foreign() || !text.contains(char::is_whitespace) || is_json() {
            return Ok(());
        }
        let fault = match value_at(self.current, path) {
            _ if is_line => Fault::of_path("this line would have one word in quotes, not several words"),
            // Of several lines the guard of another form tells.
            Ok(Value::Array(lines)) if !lines.iter().any(Value::is_array) => {
                Fault::of_path("several words are there, and this value would be one word in quotes")
            }
            _ => return Ok(()),
        };
        let words = words(text);
        Err(fault.hint(match may_show(path, &words) {
            true => format!(
                "the words as a JSON array are `{words}`: {}; `--accept form-change` sets one word",
                set(path, &words.to_string())
            ),
            false => "give the words as a JSON array; `--accept form-change` sets one word".to_owned(),
        }))
    }

    /// Refuses edits in streams, lives and plugins that do not exist, unless they clearly mean to make
    /// one: a slip in a name must not make a new one.
    pub(super) fn refuse_missing_blocks(&mut self, edits: &mut Vec<PathEdit>) {
        let current = self.current;
        // Setting the sources of a stream clearly means to create it.
        let name = |edit: &PathEdit| match edit.path.segments.as_slice() {
            [Segment::Key(group), Segment::Key(name), Segment::Key(key), ..] if !edit.value.is_null() => {
                (sources_of(Schema::media().kind(group)?)? == key).then(|| name.clone())
            }
            _ => None,
        };
        let made: HashSet<String> = edits.iter().filter_map(name).collect();
        self.refuse(edits, |edit| {
            let PathEdit { path, value, .. } = edit;
            if let Some(fault) = new_keyword_like_an_entry(current, path) {
                return Some(fault);
            }
            let (kind, name) = missing_block(current, edit, &made)?;
            if value.is_null() {
                return Some(missing(current, path, &[kind.key(), name]));
            }
            let fault = Fault::of_path(format!("there is no {} `{name}`", kind.noun()));
            if let Some(quoted) = with_quoted_name(current, path, 1) {
                return Some(fault.hint(format!("a name with a dot is quoted: `{}`", quoted.shown())));
            }
            let make = match kind.has_sources() {
                true => "to make it, set its `urls` too or give `--create`",
                false => "to make it, give `--create`",
            };
            let meant = did_you_mean(name, &current.names(&[kind.key()]));
            Some(fault.hint(meant.map_or(make.to_owned(), |meant| format!("{meant} {make}"))))
        });
    }

    /// True if a `*` or `[*]` that finds nothing to remove is no slip: everything above it is known, and a block that
    /// the path leads into is there.
    pub(super) fn may_be_absent(&self, Assignment { path, value }: &Assignment) -> bool {
        let Some(at) = path.first_pattern() else { return false };
        let takes_all = match &path.segments[at] {
            Segment::Matching(glob) => glob == EVERY,
            segment => *segment == Segment::EveryEntry,
        };
        let is_known = Place::resolve(&path.segments[..at]).is_ok_and(|place| !place.is_foreign());
        let is_block_there = match Place::resolve(&path.segments[..at.min(2)]) {
            Ok(Place::Block(_)) => keys(&path.segments[..2]).is_some_and(|keys| self.current.contains(&keys)),
            _ => true,
        };
        value.removes() && self.expansion.conditions.is_empty() && takes_all && is_known && is_block_there
    }

    /// Drops the removals of one assignment that are probably slips; it is a fault if none is left.
    ///
    /// With `--unset` that are the values that are not set: if a pattern stands for many places, not all of them have to
    /// have the value. With `null` that is a name that is nearly a known one.
    pub(super) fn without_slips(
        &mut self,
        Assignment { path, value }: &Assignment,
        removals: Vec<PathEdit>,
    ) -> Vec<PathEdit> {
        if !matches!(value, AssignedValue::Remove) {
            let slip = removals.first().and_then(|removal| misspelling(self.current, &removal.path));
            return match slip.filter(|_| !self.options.near_misses) {
                Some(fault) => {
                    self.faults.push(fault.at(path));
                    Vec::new()
                }
                None => removals,
            };
        }
        let is_one_of_many = path.first_pattern().is_some();
        let mut first_missing = None;
        let mut kept = Vec::new();
        for removal in removals {
            match absence(self.current, &removal.path, is_one_of_many) {
                None => kept.push(removal),
                Some(fault) => first_missing = first_missing.or(Some(fault.at(&removal.path))),
            }
        }
        if kept.is_empty() {
            let nothing = || Fault::absent("`*` matches nothing here").at(path);
            self.faults.push(first_missing.unwrap_or_else(nothing));
        }
        kept
    }
}

/// The key of the sources of a stream; lives and plugins need none.
fn sources_of(kind: Kind) -> Option<&'static str> {
    kind.has_sources().then(|| DirectiveRole::Sources.key(kind.scope()))
}

/// The fault of a path that would make a directive at the top, where the group of an entry was forgotten.
fn new_keyword_like_an_entry(current: &dyn ConfigLookup, path: &Path) -> Option<Fault> {
    let key = path.segments.first()?.name()?;
    let is_new = Schema::media().top().by_key(key).is_none() && !current.contains(&[key]);
    let whole = is_new.then(|| in_a_group(current, path))??;
    let fault = Fault::of_path(format!("there is no `{key}`"));
    Some(fault.hint(format!("did you mean `{}`? `--create` makes a directive `{key}`", whole.shown())))
}

/// The block that does not exist, and that an edit would make.
fn missing_block<'e>(
    current: &dyn ConfigLookup,
    PathEdit { path, value, .. }: &'e PathEdit,
    made: &HashSet<String>,
) -> Option<(Kind, &'e str)> {
    let [Segment::Key(group), rest @ ..] = path.segments.as_slice() else { return None };
    let kind = Schema::media().kind(group)?;
    let is_new = |name: &str| !current.contains(&[kind.key(), name]);
    let lacks_sources = |block: &Value| {
        sources_of(kind).is_some_and(|key| block.is_object() && block.get(key).is_none_or(Value::is_null))
    };
    let name = match rest {
        [Segment::Key(name), _, ..] => Some(name).filter(|name| !made.contains(*name) || !kind.has_sources()),
        [Segment::Key(name)] => Some(name).filter(|_| lacks_sources(value)),
        _ => {
            let mut blocks = value.as_object().into_iter().flatten();
            blocks.find(|(name, block)| lacks_sources(block) && is_new(name)).map(|(name, _)| name)
        }
    };
    name.filter(|name| is_new(name)).map(|name| (kind, name.as_str()))
}

/// The fault of a path that has no value; `None` if it has one. A single entry of a list is looked up later, when it is
/// removed, because an earlier edit may have made or moved it.
fn absence(current: &dyn ConfigLookup, path: &Path, is_one_of_many: bool) -> Option<Fault> {
    let Some(keys) = keys(&path.segments) else {
        let looked_up = || value_at(current, path).err().filter(Fault::is_absent);
        return is_one_of_many.then(looked_up)?;
    };
    let place = Place::resolve(&path.segments).ok()?;
    let is_set = match place {
        Place::Group(_) => !current.names(&keys).is_empty(),
        Place::Own(row) if row.takes_elements() || row.codec.facts().address.is_some() => {
            let own = current.value(&keys).and_then(|value| own_value(place, &value));
            own.is_some_and(|value| !is_shown_for_nothing(place, &value))
        }
        _ => current.contains(&keys),
    };
    (!is_set).then(|| missing(current, path, &keys))
}

/// The fault of a path without a value whose last name is nearly a known one, and that no block of the kind has.
pub(in crate::edit) fn misspelling(current: &dyn ConfigLookup, path: &Path) -> Option<Fault> {
    let keys = keys(&path.segments)?;
    let (key, above) = keys.split_last()?;
    let place = Place::resolve(&path.segments[..above.len()]).ok()?;
    let scope = place.scope()?;
    let fault = misspelt(scope, keyword_of(scope, key), &Pointer::root())?;
    let is_used = match place {
        Place::Block(kind) => {
            let names = current.names(&[kind.key()]);
            names.iter().any(|name| current.contains(&[kind.key(), name, key]))
        }
        _ => current.contains(&keys),
    };
    (!is_used).then_some(fault)
}

//! Refuses assignments that are probably slips: a name that is not there, a value that would drop others.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::assign::{Assigner, PathEdit};
use crate::query::{Path, Segment, did_you_mean, keys};
use crate::schema::codec::General;
use crate::schema::fault::Fault;
use crate::schema::{DirectiveRole, Facts, JsonForm, PartPlace, Place, Schema};
use crate::secret::Masker;

/// An address for examples.
const ADDRESS: &str = "udp://239.0.0.1:1234";

/// A word in quotes, if a shell would read it as something else without them.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

/// The option that sets a value, as it is typed.
fn set(path: &Path, text: &str) -> String {
    format!("`--set {}`", quoted(&format!("{}={text}", path.shown())))
}

/// True if the value at the path holds no secret, so that advice may show it.
fn may_show(path: &Path, value: &Value) -> bool {
    let keys: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
    Masker::default().json_below(&keys, value) == *value
}

impl Assigner<'_> {
    /// An example of what fits at a place that takes several words or JSON.
    pub fn example(place: Place, path: &Path) -> Option<String> {
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

    /// Refuses the words of one element that would drop other elements of a list.
    pub fn drops(place: Place, path: &Path, present: usize, text: &str, list: &Value) -> Fault {
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

    /// Refuses a plain value with blanks for a directive that has several words: the value would become
    /// one word in quotes.
    pub fn refuse_one_for_several(
        &self,
        place: Place,
        path: &Path,
        text: &str,
        is_string: bool,
    ) -> Result<(), Fault> {
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if !place.is_foreign() || !text.contains(char::is_whitespace) || is_json() {
            return Ok(());
        }
        let is_line = matches!(
            &path.segments[..],
            [.., Segment::Key(key), Segment::Append | Segment::Index(_) | Segment::FromEnd(_)]
                if Schema::media().repeats(key)
        );
        // Of several lines the guard of another form tells.
        let are_words =
            |value: Value| value.as_array().is_some_and(|words| !words.iter().any(Value::is_array));
        if is_line || !is_string && self.current.value_at(path).is_ok_and(are_words) {
            let words = General::words(text);
            let hint = match may_show(path, &words) {
                true => format!(
                    "the words as a JSON array are `{words}`: {}; `--accept form-change` sets one word",
                    set(path, &words.to_string())
                ),
                false => "give the words as a JSON array; `--accept form-change` sets one word".to_owned(),
            };
            return Err(Fault::of_path("this would be one word in quotes, not several words").hint(hint));
        }
        Ok(())
    }

    /// The faults of edits that lie in, around or at the place of an earlier one: it would be unclear which of them
    /// counts.
    ///
    /// Each `[+]` is a new element, so two of them do not overlap. `[0]` and `[url="…"]` are looked up one
    /// after the other and may find the same entry.
    pub fn overlaps(&self, edits: &[PathEdit]) -> Vec<Fault> {
        // Each place with the first edit there or below, and whether one ends there.
        let mut known: HashMap<&[Segment], (usize, bool)> = HashMap::new();
        let mut faults = Vec::new();
        for (at, PathEdit { path, .. }) in edits.iter().enumerate() {
            let new = path.segments.iter().position(|segment| *segment == Segment::Append);
            let certain = &path.segments[..new.unwrap_or(path.segments.len())];
            let mut around =
                (1..=certain.len()).filter_map(|end| known.get(&certain[..end]).map(|found| (end, found)));
            let is_overlap =
                |(end, (_, ends)): &(usize, &(usize, bool))| *ends || new.is_none() && *end == certain.len();
            if let Some((_, (earlier, _))) = around.find(is_overlap) {
                let earlier = &edits[*earlier].path;
                let fault = match (path == earlier, path.segments.last()) {
                    (true, Some(Segment::Index(_))) => Fault::of_path("it is given twice")
                        .hint("each edit counts the elements anew; to remove several, begin with the last"),
                    (true, _) => Fault::of_path("it is given twice").hint("give it once"),
                    (false, _) => {
                        Fault::of_path(format!("it overlaps `{}`, which is given too", earlier.shown()))
                            .hint("set either the whole or its parts")
                    }
                };
                faults.push(fault.at(path));
            }
            for end in 1..=certain.len() {
                let ends = new.is_none() && end == certain.len();
                known.entry(&certain[..end]).or_insert((at, false)).1 |= ends;
            }
        }
        faults
    }

    /// The fault of an edit in a stream, live or plugin that does not exist, unless the patch clearly means to make one, as
    /// it does if it sets its sources: a slip in a name must not make a new one.
    pub fn missing_block(&self, edit: &PathEdit, patch: &Value) -> Option<Fault> {
        let (PathEdit { path, value, .. }, current) = (edit, self.current);
        if let Some(fault) = self.new_keyword_like_an_entry(path) {
            return Some(fault.at(path));
        }
        let kind = path.kind().filter(|_| !value.is_null())?;
        let names: Vec<&str> = match &path.segments[1..] {
            [] => value
                .as_object()?
                .iter()
                .filter(|(_, block)| !block.is_null())
                .map(|(name, _)| &**name)
                .collect(),
            [name, ..] => vec![name.name()?],
        };
        let is_made = |name: &str| match kind.has_sources() {
            true => !patch[kind.key()][name][DirectiveRole::Sources.key(kind.scope())].is_null(),
            false => path.segments.len() <= 2,
        };
        let name = names.into_iter().find(|name| !is_made(name) && !current.contains(&[kind.key(), name]))?;
        let fault = Fault::of_path(format!("there is no {} `{name}`", kind.noun())).at(path);
        if let Some(quoted) = current.with_quoted_name(path, 1) {
            return Some(fault.hint(format!("a name with a dot is quoted: `{}`", quoted.shown())));
        }
        let make = match kind.has_sources() {
            true => "to make it, set its `urls` too or give `--create`",
            false => "to make it, give `--create`",
        };
        let meant = did_you_mean(name, current.names(&[kind.key()]).iter().map(String::as_str));
        Some(fault.hint(meant.map_or(make.to_owned(), |meant| format!("{meant} {make}"))))
    }

    /// The fault of a path that would make a directive at the top, where the group of an entry was forgotten.
    fn new_keyword_like_an_entry(&self, path: &Path) -> Option<Fault> {
        let key = path.segments.first()?.name()?;
        let is_new = Schema::media().top().by_key(key).is_none() && !self.current.contains(&[key]);
        let whole = is_new.then(|| self.current.in_a_group(path))??;
        let fault = Fault::of_path(format!("there is no `{key}`"));
        Some(fault.hint(format!("did you mean `{}`? `--create` makes a directive `{key}`", whole.shown())))
    }

    /// Drops the removals of one assignment that are probably slips; it is a fault if none is left.
    ///
    /// With `--unset` that are the values that are not set: if a pattern stands for many places, not all of them have to
    /// have the value. With `null` that is a name that is nearly a known one, or a value in a block that is not there.
    pub fn without_slips(
        &self,
        path: &Path,
        is_unset: bool,
        mut removals: Vec<PathEdit>,
    ) -> Result<Vec<PathEdit>, Fault> {
        if !is_unset {
            let slip = removals.first().and_then(|removal| self.current.misspelling(&removal.path));
            if let Some(fault) = slip.filter(|_| !self.options.near_misses) {
                let near = fault.hint.clone().unwrap_or_default();
                let key = path.segments.last().and_then(Segment::name).unwrap_or_default();
                let accept = "add `--accept near-miss` (over HTTP `accept=near-miss`)";
                return Err(fault.hint(format!("{near} If `{key}` is right, {accept}")).at(path));
            }
            let missing =
                removals.iter().find_map(|removal| Some(self.absent_block(&removal.path)?.at(&removal.path)));
            return missing.map_or(Ok(removals), Err);
        }
        let is_one_of_many = path.first_pattern().is_some();
        let mut first_missing = None;
        removals.retain(|PathEdit { path, .. }| match self.absence(path, is_one_of_many) {
            None => true,
            Some(fault) => {
                first_missing.get_or_insert(fault.at(path));
                false
            }
        });
        match first_missing {
            _ if !removals.is_empty() => Ok(removals),
            missing => Err(missing.unwrap_or_else(|| Fault::absent("`*` matches nothing here").at(path))),
        }
    }

    /// The fault of a path into a stream, live or plugin that is not there.
    fn absent_block(&self, path: &Path) -> Option<Fault> {
        let (names, _) = path.split_names();
        let block = names.get(..2).filter(|_| path.kind().is_some() && path.segments.len() > 2)?;
        let is_missing = !self.options.create && !self.current.contains(block);
        is_missing.then(|| self.current.missing(path, block))
    }

    /// The fault of a path that has no value; `None` if it has one. A single entry of a list is looked up later, when it is
    /// removed, because an earlier edit may have made or moved it.
    fn absence(&self, path: &Path, is_one_of_many: bool) -> Option<Fault> {
        let Some(keys) = keys(&path.segments) else {
            let looked_up = || self.current.value_at(path).err().filter(Fault::is_absent);
            return if is_one_of_many { looked_up() } else { self.absent_block(path) };
        };
        let place = Place::resolve(&path.segments).ok()?;
        let own = self.current.value(&keys).and_then(|value| place.own_value(&value));
        let is_set = own.is_some_and(|value| !place.is_shown_for_nothing(&value));
        (!is_set).then(|| self.current.missing(path, &keys))
    }
}

//! Refuses assignments that are probably slips: a name that is not there, a value that would drop others.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::assign::{Assigner, PathEdit};
use crate::query::{Path, Segment, did_you_mean, keys};
use crate::schema::codec::scalars;
use crate::schema::fault::Fault;
use crate::schema::{DirectiveRole, JsonForm, PartPlace, Place, Schema, Scope};
use crate::secret::Masker;
use crate::syntax::Document;

/// An address for examples.
const ADDRESS: &str = "udp://239.0.0.1:1234";

impl Path {
    /// A word in quotes, if a shell would read it as something else without them.
    pub fn in_shell_quotes(word: &str) -> Cow<'_, str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => Cow::Borrowed(word),
            false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
        }
    }
}

/// An example of what fits at a place that takes several words or JSON.
pub(super) fn example(place: Place, path: &Path) -> Option<String> {
    let (mut path, mut text) = (path.shown(), ADDRESS.to_owned());
    match place {
        Place::Own(row) => {
            let facts = row.codec.facts();
            if row.takes_elements() {
                path += "[+]";
            } else if !row.is_setting() || facts.json == JsonForm::Leaf {
                return None;
            }
            if facts.sources.is_none() {
                // The words behind the keyword.
                let words = row.example.trim_end_matches(';');
                words.split_once(' ').map_or(words, |(_, words)| words).clone_into(&mut text);
            }
        }
        Place::Group(kind) => text = format!("{{\"NAME\":{}}}", kind.example()),
        Place::Block(kind) => kind.example().clone_into(&mut text),
        Place::Source(_) => {}
        Place::Pair(_) => "vb=1024k".clone_into(&mut text),
        Place::Extras => "{\"KEY\":\"VALUE\"}".clone_into(&mut text),
        Place::Part(part) if part.place == PartPlace::Rest => "[\"OPTION\"]".clone_into(&mut text),
        _ => return None,
    }
    Some(format!("such as {}", set(&path, &text)))
}

/// The option that sets a value, as it is typed.
fn set(path: &str, text: &str) -> String {
    format!("`--set {}`", Path::in_shell_quotes(&format!("{path}={text}")))
}

/// The values of a text that is split as the text of a directive is.
fn words(text: &str) -> Value {
    let document = Document::parse(format!("x {text};"));
    match document.entries().next().filter(|_| document.diagnostics().is_empty()) {
        Some(entry) => scalars(entry).collect(),
        None => text.split_whitespace().collect(),
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
    let is_port = matches!(place, Place::Own(row) if row.codec.facts().list.is_some());
    let (element, list) = match is_port || text.contains("://") && may_show(path, list) {
        true => (text, list.to_string()),
        false => ("VALUE", "[\"VALUE\"]".to_owned()),
    };
    let shown = path.shown();
    Fault::of_path(format!("there are {present} elements, and this would replace them all")).hint(format!(
        "{} replaces the first, {} appends, {} sets the whole list",
        set(&format!("{shown}[0]"), element),
        set(&format!("{shown}[+]"), element),
        set(&shown, &list),
    ))
}

impl Assigner<'_> {
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
            let words = words(text);
            let hint = match may_show(path, &words) {
                true => format!(
                    "the words as a JSON array are `{words}`: {}",
                    set(&path.shown(), &words.to_string())
                ),
                false => "give the words as a JSON array".to_owned(),
            };
            let hint = hint + "; `--accept form-change` sets one word";
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
                let fault = match path == earlier {
                    true => Fault::of_path("it is given twice")
                        .hint("give it once; behind a removal the elements are counted anew"),
                    false => Fault::of_path(format!("it overlaps `{}`, which is given too", earlier.shown()))
                        .hint("set either the whole or its parts"),
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
    /// it does if it sets its sources: a slip in a name must not make a new one. The same for a directive at the top,
    /// where the group of an entry was forgotten.
    pub fn missing_block(&self, PathEdit { path, value, .. }: &PathEdit, patch: &Value) -> Option<Fault> {
        let (current, first) = (self.current, path.segments.first()?.name()?);
        let Some(kind) = path.kind() else {
            let is_new = Scope::Top.by_key(first).is_none() && !current.contains(&[first]);
            let whole = is_new.then(|| current.in_a_group(path))??.shown();
            let hint = format!("did you mean `{whole}`? `--create` makes a directive `{first}`");
            return Some(Fault::of_path(format!("there is no `{first}`")).hint(hint).at(path));
        };
        let names: Vec<&str> = match &path.segments[1..] {
            _ if value.is_null() => return None,
            [] => {
                let blocks = value.as_object()?.iter().filter(|(_, block)| !block.is_null());
                blocks.map(|(name, _)| &**name).collect()
            }
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
        let is_one_of_many = path.first_pattern().is_some();
        let mut missing = None;
        if let Some(PathEdit { path: first, .. }) =
            removals.first().filter(|_| !is_unset && !self.options.near_misses)
            && let Some(slip) = self.current.misspelling(first)
        {
            let near = slip.hint.clone().unwrap_or_default();
            let hint =
                format!("{near} If it is right, add `--accept near-miss` (over HTTP `accept=near-miss`)");
            return Err(slip.hint(hint).at(path));
        }
        removals.retain(|PathEdit { path, .. }| {
            let absence = if is_unset { self.absence(path, is_one_of_many) } else { self.absent_block(path) };
            let is_there = absence.is_none();
            missing = missing.take().or(absence.map(|fault| fault.at(path)));
            is_there
        });
        match missing {
            Some(missing) if !is_unset || removals.is_empty() => Err(missing),
            None if is_unset && removals.is_empty() => {
                Err(Fault::absent("`*` matches nothing here").at(path))
            }
            _ => Ok(removals),
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

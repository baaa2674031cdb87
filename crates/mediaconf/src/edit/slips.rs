//! Refuses assignments that are probably slips: a name that is not there, a value that would drop others.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::assign::{Assigner, PathEdit};
use crate::query::{Path, Segment, did_you_mean, keys};
use crate::schema::fault::Fault;
use crate::schema::{DirectiveRole, JsonForm, Parameter, PartPlace, Place, Schema, Scope};

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
    let shown = path.shown();
    let set = match place {
        Place::Own(row) if row.takes_elements() => set(&(shown + "[+]"), words_of(row)),
        Place::Own(row) if row.is_setting() && row.codec.facts().json != JsonForm::Leaf => {
            set(&shown, words_of(row))
        }
        Place::Group(kind) => set(&shown, &format!("{{\"NAME\":{}}}", kind.example())),
        Place::Block(kind) => set(&shown, kind.example()),
        Place::Source(_) => set(&shown, "udp://239.0.0.1:1234"),
        Place::Pair(_) => set(&shown, "vb=1024k"),
        Place::Extras => set(&shown, "{\"KEY\":\"VALUE\"}"),
        Place::Part(part) if part.place == PartPlace::Rest => set(&shown, "[\"OPTION\"]"),
        _ => return None,
    };
    Some(format!("such as {set}"))
}

/// The words behind the keyword in the example of a directive.
fn words_of(row: &Parameter) -> &str {
    let words = row.example.trim_end_matches(';');
    words.split_once(' ').map_or(words, |(_, words)| words)
}

/// The option that sets a value, as it is typed.
fn set(path: &str, text: &str) -> String {
    format!("`--set {}`", Path::in_shell_quotes(&format!("{path}={text}")))
}

/// Refuses the words of one element that would drop other elements of a list. The hint has an example in their place: they
/// may be a secret.
pub(super) fn drops(place: Place, path: &Path, present: usize) -> Fault {
    let value = if let Place::Own(row) = place { words_of(row) } else { "VALUE" };
    let value = value.split(' ').next().unwrap_or(value);
    let [first, new, whole] = [("[0]", value), ("[+]", value), ("", &*format!("[\"{value}\"]"))]
        .map(|(element, value)| set(&format!("{}{element}", path.shown()), value));
    Fault::of_path(format!("there are {present} elements, and this would replace them all"))
        .hint(format!("{first} replaces the first, {new} appends, {whole} sets the whole list"))
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
        if is_line || !is_string && self.expansion.current.value_at(path).is_ok_and(are_words) {
            let hint = "give the words as a JSON array; `--accept form-change` sets one word";
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
        // The first edit of each place, and the first one at or below each.
        let (mut whole, mut below) = (HashMap::<&[Segment], usize>::new(), HashMap::new());
        let mut faults = Vec::new();
        for (at, PathEdit { path, .. }) in edits.iter().enumerate() {
            let new = path.segments.iter().position(|segment| *segment == Segment::Append);
            let certain = &path.segments[..new.unwrap_or(path.segments.len())];
            let around = || (1..=certain.len()).map(|end| &certain[..end]);
            let earlier = around().find_map(|place| whole.get(place));
            if let Some(&earlier) = earlier.or(below.get(certain).filter(|_| new.is_none())) {
                let earlier: &Path = &edits[earlier].path;
                faults.push(
                    match path == earlier {
                        true => Fault::of_path("it is given twice")
                            .hint("give it once; behind a removal the elements are counted anew"),
                        false => {
                            Fault::of_path(format!("it overlaps `{}`, which is given too", earlier.shown()))
                                .hint("set either the whole or its parts")
                        }
                    }
                    .at(path),
                );
            }
            if new.is_none() {
                whole.entry(certain).or_insert(at);
            }
            for place in around() {
                below.entry(place).or_insert(at);
            }
        }
        faults
    }

    /// The fault of an edit in a stream, live or plugin that does not exist, unless the patch clearly means to make one, as
    /// it does if it sets its sources: a slip in a name must not make a new one. The same for a directive at the top,
    /// where the group of an entry was forgotten.
    pub fn missing_block(&self, PathEdit { path, value, .. }: &PathEdit, patch: &Value) -> Option<Fault> {
        let (current, first) = (self.expansion.current, path.segments.first()?.name()?);
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
            && let Some(slip) = self.expansion.current.misspelling(first)
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
        let is_missing = !self.options.create && !self.expansion.current.contains(block);
        is_missing.then(|| self.expansion.current.missing(path, block))
    }

    /// The fault of a path that has no value; `None` if it has one. A single entry of a list is looked up later, when it is
    /// removed, because an earlier edit may have made or moved it.
    fn absence(&self, path: &Path, is_one_of_many: bool) -> Option<Fault> {
        let Some(keys) = keys(&path.segments) else {
            let looked_up = || self.expansion.current.value_at(path).err().filter(Fault::is_absent);
            return if is_one_of_many { looked_up() } else { self.absent_block(path) };
        };
        let place = Place::resolve(&path.segments).ok()?;
        let own = self.expansion.current.value(&keys).and_then(|value| place.own_value(&value));
        let is_set = own.is_some_and(|value| !place.is_shown_for_nothing(&value));
        (!is_set).then(|| self.expansion.current.missing(path, &keys))
    }
}

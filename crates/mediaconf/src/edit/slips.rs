//! Refuses assignments that are probably slips: a name that is not there, a value that would drop others.

use foldhash::HashSet;
use serde_json::Value;

use super::assign::{AssignedValue, Assigner, Assignment, MadeEdits, PathEdit};
use super::guarded::unless_right;
use crate::query::{NULL, Path, Segment, keys};
use crate::schema::{
    DirectiveRole, Fault, FaultKind, ForeignForm, Place, Schema, Scope, of_word, read_words,
};
use crate::secret::{Secrecy, word_parts};

/// Refuses the words of one element that would drop other elements of a list. The hint has an example in their place: they
/// may be a secret.
pub(super) fn drops(path: &Path, present: usize) -> Fault {
    let row = match Place::resolve(&path.segments) {
        Ok(Place::Own(row)) => row.example.trim_end_matches(';').split(' ').nth(1),
        _ => None,
    };
    let (shown, example) = (path.shown(), row.unwrap_or("VALUE"));
    let set = |end: String| format!("`--set {}`", Path::in_shell_quotes(&format!("{shown}{end}")));
    let [first, new, whole] =
        [format!("[0]={example}"), format!("[+]={example}"), format!("=[\"{example}\"]")].map(set);
    Fault::of_path(format!("there are {present} elements, and this would replace them all"))
        .hint(format!("{first} replaces the first, {new} appends, {whole} sets the whole list"))
}

/// True for the address of a source or of a backend.
fn is_address(place: Place, above: Option<Place>) -> bool {
    matches!(place, Place::Leaf(_)) && above.and_then(Place::scope).is_some()
}

impl Assigner<'_> {
    /// Refuses the text that a variable of a shell leaves when it is not set. The hint names the commands that are taken.
    pub fn empty(&self, place: Place, path: &Path) -> Fault {
        let at = path.shown();
        let set = |option, end| format!("`{option} {}`", Path::in_shell_quotes(&format!("{at}={end}")));
        let null = Assignment { path: path.clone(), value: AssignedValue::Typed(NULL.to_owned()) };
        let removed = self.expansion.current.to_patch(&[null], self.expansion.conditions, self.options);
        let above = Place::through_lists(Place::Root, &path.segments[..path.segments.len() - 1]).ok();
        let is_address = is_address(place, above) || matches!(place, Place::Source(_));
        let is_text = place.facts().kind.is_some_and(|kind| kind.is_text) && !matches!(place, Place::Leaf(_));
        let can_be_empty = !is_address && !is_text && place.string("").is_ok();
        let removal = removed.ok().map(|_| format!("{} removes it", set("--set", NULL)));
        let word = can_be_empty.then(|| format!("{} sets the empty word", set("--set-string", "")));
        let hint = removal.into_iter().chain(word).reduce(|removal, word| format!("{removal}, {word}"));
        Fault::of_path("the value is empty").hint(hint.as_deref().unwrap_or("give a value"))
    }

    /// The words that a text with blanks is, where a directive takes several; `None` where it is one value. What stands
    /// there tells it, then the table of directives.
    pub fn words(&self, place: Place, path: &Path, text: &str) -> Result<Option<Value>, Fault> {
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if !place.is_foreign() || !text.trim().contains(char::is_whitespace) || is_json() {
            return Ok(None);
        }
        let (above, key, is_line) = match &path.segments[..] {
            [above @ .., Segment::Key(key)] => (above, key, false),
            [above @ .., Segment::Key(key), _] if Schema::repeats(key) => (above, key, true),
            _ => return Ok(None),
        };
        let row = Schema::foreign(key).filter(|row| match Place::resolve(above).map(Place::scope) {
            Ok(Some(scope)) => scope.may_hold(row),
            _ => above.iter().any(|block| block.name().is_some_and(|name| row.stands_in(name))),
        });
        let present = self.expansion.current.value_at(path);
        let takes_words = match &present {
            Ok(Value::Array(_)) => true,
            Ok(Value::String(word)) if word.contains(char::is_whitespace) => false,
            // Blanks in a secret are no ends of words.
            _ => row.is_some_and(|row| !row.secret && row.form != ForeignForm::Text),
        };
        if !takes_words {
            return Ok(None);
        }
        let one_word = "`--set-string` sets one word, whatever is in it";
        let no_words = || Fault::of_path("expected words").hint(one_word);
        let words = read_words(text, of_word).ok_or_else(no_words)?;
        match present {
            _ if is_line || !Schema::repeats(key) => Ok(Some(words.into())),
            Ok(Value::Array(lines)) if lines.len() > 1 => Err(drops(path, lines.len())),
            _ => Ok(Some(vec![Value::from(words)].into())),
        }
    }

    /// The fault of the words of a whole directive that are given for its first one, such as an address.
    pub fn whole_for_first(&self, place: Place, path: &Path, text: &str) -> Option<Fault> {
        let (last, above) = path.segments.split_last()?;
        let are_several = text.contains(char::is_whitespace) && !text.starts_with('"');
        let whole = are_several.then(|| Place::through_lists(Place::Root, above).ok())??;
        let object = whole.facts().object;
        let is_first = match (place, object) {
            (Place::Part(part), Some(object)) => object.parts[0].key == part.key,
            _ => is_address(place, Some(whole)),
        };
        whole.typed(text).ok().filter(|_| is_first)?;
        let has_secret = object.is_some_and(|object| object.parts.iter().any(|part| part.secret))
            || text.split_whitespace().any(|word| !word_parts(word, Secrecy::Parts).is_empty());
        let all = format!("{}={}", path.first(above.len()).shown(), if has_secret { "…" } else { text });
        let hint = format!("`--set {}` sets them all, `--set-string` one word", Path::in_shell_quotes(&all));
        Some(Fault::of_path(format!("`{last}` is one word, and these are several")).hint(hint))
    }

    /// The faults of edits at the place of another one, or in it: it would be unclear which of them counts. Each `[+]` is a
    /// new element.
    pub fn overlaps(&self, edits: &[PathEdit]) -> Vec<Fault> {
        let mut places = HashSet::default();
        let once = edits.iter().filter(|edit| !edit.path.segments.contains(&Segment::Append));
        let mut found: Vec<_> = once.filter(|edit| !places.insert(&edit.path.segments[..])).collect();
        let is_inside = |edit: &&PathEdit| {
            let segments = &edit.path.segments;
            (1..segments.len()).any(|end| places.contains(&segments[..end]))
        };
        found.extend(edits.iter().filter(is_inside));
        let fault = Fault::of_path("another edit of this command gives it, too");
        let fault = fault.hint("set either the whole or its parts, each once");
        found.into_iter().map(|edit| fault.clone().at(&edit.path)).collect()
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
            return Some(Fault::of_path(format!("there is no `{first}`")).hint(hint));
        };
        let blocks = value.as_object().into_iter().flatten().filter(|(_, block)| !block.is_null());
        let names: Vec<&str> = match path.segments.get(1) {
            _ if value.is_null() => return None,
            Some(name) => vec![name.name()?],
            None => blocks.map(|(name, _)| &**name).collect(),
        };
        let is_made = |name: &str| match kind.has_sources() {
            true => !patch[kind.key()][name][DirectiveRole::Sources.key(kind.scope())].is_null(),
            false => path.segments.len() <= 2,
        };
        let name = names.into_iter().find(|name| !current.contains(&[kind.key(), name]) && !is_made(name))?;
        let block = Path::of([kind.key(), name]);
        let named = if path.segments.len() > 1 { path } else { &block };
        let fault = Fault { kind: FaultKind::Path, ..current.missing(named, &[kind.key(), name]) };
        let sources = if kind.has_sources() { "set its `urls` too or " } else { "" };
        let make = format!("to make it, {sources}give `--create`");
        let hint = match fault.hint.clone() {
            Some(meant) if meant.ends_with('?') => format!("{meant} {make}"),
            quoted => quoted.unwrap_or(make),
        };
        Some(fault.hint(hint))
    }

    /// Drops the removals of one assignment that are probably slips; it is a fault if none is left.
    ///
    /// With `--unset` that are the values that are not set: if a pattern stands for many places, not all of them have to
    /// have the value. With `null` that is a name that is nearly a known one, or a value in a block that is not there.
    pub fn without_slips(&self, path: &Path, is_unset: bool, mut removals: Vec<PathEdit>) -> MadeEdits {
        let is_one_of_many = path.first_pattern().is_some();
        let judged = removals.first().filter(|_| !is_unset && !self.options.near_misses);
        if let Some(slip) = judged.and_then(|first| self.expansion.current.misspelling(&first.path)) {
            let hint = unless_right(slip.hint.as_deref().unwrap_or_default(), "it");
            return Err(slip.hint(hint).at(path));
        }
        let mut missing = None;
        removals.retain(|PathEdit { path, .. }| {
            let absence = if is_unset { self.absence(path, is_one_of_many) } else { self.absent_block(path) };
            let is_there = absence.is_none();
            missing = missing.take().or(absence.map(|fault| fault.at(path)));
            is_there
        });
        // Of those that are to be unset, one that is there is enough.
        let is_refused = !is_unset || removals.is_empty();
        let nothing = || Fault::absent("`*` matches nothing here").at(path);
        let fault = missing.filter(|_| is_refused).or_else(|| (is_unset && is_refused).then(nothing));
        fault.map_or(Ok(removals), Err)
    }

    /// The fault of a path into a stream, live or plugin that is not there.
    fn absent_block(&self, path: &Path) -> Option<Fault> {
        let names = path.names();
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

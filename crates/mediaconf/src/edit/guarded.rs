//! Changes that are rarely meant, and are refused unless they are accepted: another form of an unknown directive, and a
//! new unknown keyword that is nearly a known one. And keys of options that can't be written.
//!
//! The meaning of an unknown directive is unknown, so only its form can show that a patch is a mistake:
//! `push a; push b;` is hardly meant to become `push a c;`.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::align::{Alignment, ElementOrigin};
use super::comments::kind_of;
use crate::model::{Masker, NearMiss, near_miss, near_miss_in_block};
use crate::schema::codec::General;
use crate::schema::fault::{Fault, FaultKind, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::{Members, keyword_of};
use crate::schema::{Codec, Facts, ForeignForm, Object, Parameter, Schema, Scope};
use crate::syntax::{Entry, needs_quotes};

/// A part of the patch and its place.
#[derive(Clone, Copy)]
pub struct At<'v> {
    /// Null where the patch does not say it part by part.
    pub patch: &'v Value,
    pub pointer: &'v Pointer,
}

impl At<'_> {
    pub(super) fn child<T>(self, key: &str, then: impl FnOnce(At<'_>) -> T) -> T {
        let patch = self.patch.get(key).unwrap_or(&Value::Null);
        then(At { patch, pointer: &self.pointer.child(key) })
    }
}

/// The changes of one patch that are refused unless they are accepted.
#[derive(Debug, Default)]
pub struct Doubts {
    form_changes: Vec<Fault>,
    misses: Vec<Miss>,
}

/// A new keyword that is probably a misspelling.
#[derive(Debug)]
struct Miss {
    /// The kind of the block that it stands in, as [`kind_of`] names it; `None` at top level.
    block: Option<String>,
    keyword: String,
    fault: Fault,
}

impl Doubts {
    /// Looks for near misses among the new members of a block of this kind.
    pub fn members(
        &mut self,
        scope: Scope,
        block: Option<&str>,
        [current, patch]: [&Object; 2],
        pointer: &Pointer,
    ) {
        for (key, value) in patch.iter().filter(|(key, _)| scope.by_key(key).is_none()) {
            self.member((scope, block), key, [current.get(key), Some(value)], &pointer.child(key));
        }
    }

    /// Looks at one member, and at the blocks that it has.
    pub fn member(
        &mut self,
        (scope, block): (Scope, Option<&str>),
        key: &str,
        [current, patch]: [Option<&Value>; 2],
        pointer: &Pointer,
    ) {
        let (keyword, nothing) = (keyword_of(scope, key), Map::new());
        let Some(patch) = patch.filter(|patch| !patch.is_null()) else { return };
        if current.is_none() {
            let near = match block.filter(|_| scope.kind().is_none()) {
                Some(block) => near_miss_in_block(block, keyword),
                None => near_miss(scope, keyword),
            };
            self.misses.extend(near.map(|near| Miss {
                block: block.map(str::to_owned),
                keyword: keyword.to_owned(),
                fault: miss(&near, keyword, pointer),
            }));
        }
        let (Some(row), Value::Object(patch)) = (Schema::media().foreign(keyword), patch) else { return };
        let Some(current) = current.map_or(Some(&nothing), Value::as_object) else { return };
        let inside = Schema::media().block_scope(keyword, 1);
        match row.form {
            ForeignForm::Block => self.members(inside, Some(keyword), [current, patch], pointer),
            ForeignForm::Named => {
                for (name, patch) in patch.iter().filter_map(|(name, block)| Some((name, block.as_object()?)))
                {
                    let current = current.get(name).and_then(Value::as_object).unwrap_or(&nothing);
                    self.members(inside, Some(keyword), [current, patch], &pointer.child(name));
                }
            }
            _ => {}
        }
    }

    /// Compares the form of the lines of an unknown keyword with that of the new ones in their places. A patch that
    /// lists the lines one by one names the form itself.
    pub fn lines(
        &mut self,
        keyword: &str,
        [old, new]: [&[Entry<'_>]; 2],
        alignment: &Alignment,
        At { patch, pointer }: At<'_>,
    ) {
        let is_bare = |line: &Entry<'_>| !line.is_block() && line.count_arguments() == 0;
        let lists_lines = match patch {
            Value::Null => return,
            Value::Object(_) if Schema::media().has_names(keyword) => return,
            Value::Array(lines) => lines.iter().any(Value::is_array) || Schema::media().repeats(keyword),
            _ => false,
        };
        let change = match old {
            [only] if is_bare(only) => return,
            [_, _, ..] if !lists_lines => {
                let made = if patch.is_object() { "blocks" } else { "one" };
                Some((
                    format!("there are {} `{keyword}` lines", old.len()),
                    format!("replace them with {made}"),
                ))
            }
            _ => alignment.new.iter().zip(new).find_map(|(origin, new)| match *origin {
                ElementOrigin::Edited(at) => form_change(keyword, old[at], *new),
                _ => None,
            }),
        };
        let Some((found, made)) = change else { return };
        let keys = pointer.keys();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let current = General { keyword }.read(old, None).unwrap_or_default();
        let shown = Masker::default().json_below(&keys, &current).to_string();
        let (start, rest) = shown.split_at(shown.floor_char_boundary(MAX_SHOWN));
        let more = if rest.is_empty() { "" } else { "…" };
        let hint = format!(
            "the present value is `{start}{more}`: send it with your change; \
             `--accept form-change` (over HTTP `accept=form-change`) makes the change anyway"
        );
        let message = format!("{found} here, and this patch would {made}");
        let fault = Fault::at_pointer(FaultKind::FormChange, pointer.clone(), message);
        self.form_changes.push(fault.hint(hint));
    }

    /// The faults of a patch of a document with these top-level members. A keyword that is used already in a block of the
    /// kind is no misspelling.
    pub fn into_faults(self, members: &Members<'_>) -> Faults {
        let Self { form_changes: mut faults, misses } = self;
        let blocks = Schema::media().kinds.iter().flat_map(|kind| members.own_by_key(kind.key()));
        let foreign = members.foreign().iter().flat_map(|member| &member.entries);
        let blocks = blocks.chain(foreign).take_while(|_| !misses.is_empty());
        let used = blocks.flat_map(|block| block.children().map(|entry| (kind_of(*block), entry.keyword())));
        let used: HashSet<(Cow<'_, str>, Cow<'_, str>)> = used.collect();
        let is_used = |block: &str, keyword: &str| used.contains(&(block.into(), keyword.into()));
        for Miss { block, keyword, fault } in misses {
            if !block.is_some_and(|block| is_used(&block, &keyword)) {
                faults.push(fault);
            }
        }
        Faults(faults)
    }
}

fn miss(near: &NearMiss, keyword: &str, pointer: &Pointer) -> Fault {
    let hint = format!(
        "did you mean {}? If `{keyword}` is right, add `--accept near-miss` (over HTTP `accept=near-miss`)",
        near.in_words()
    );
    let message = format!("`{keyword}` is not known here");
    Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), message).hint(hint)
}

/// The number of bytes of a value that are shown.
const MAX_SHOWN: usize = 300;

/// How a line has another form than the new one in its place.
fn form_change(keyword: &str, old: Entry<'_>, new: Entry<'_>) -> Option<(String, String)> {
    let has = |what: &str| format!("`{keyword}` has {what}");
    let is_quoted = |entry: Entry<'_>| {
        let mut words = entry.arguments();
        words.next().is_some_and(|word| word.value().contains(char::is_whitespace)) && words.next().is_none()
    };
    match (old.is_block(), new.is_block(), old.count_arguments()) {
        (false, true, 1..) => Some((has("words"), "turn it into a block".to_owned())),
        (true, false, _) => Some((has("a block"), "replace it with words".to_owned())),
        (false, false, 2..) if is_quoted(new) => {
            Some((has("several words"), "replace them with one quoted word".to_owned()))
        }
        _ => None,
    }
}

/// Returns the faults of new options whose key could not be separated from their value.
pub fn unwritable(row: &Parameter, [current, target]: [Option<&Value>; 2], pointer: &Pointer) -> Vec<Fault> {
    let keys = |value: Option<&Value>| value.map_or_else(Vec::new, |value| option_keys(row, value, pointer));
    let new = keys(target);
    let known = if new.is_empty() { Vec::new() } else { keys(current) };
    let known: HashSet<&str> = known.iter().map(|(key, _)| &**key).collect();
    let is_writable = |key: &str| {
        !key.is_empty() && !key.contains(['=', '\0']) && !needs_quotes(key) && !Masker::holds_mask(key)
    };
    let new = new.iter().filter(|(key, _)| !known.contains(&**key) && !is_writable(key));
    let fault = |at: &Pointer| Fault::wrong_type(at, "an option can't have this key");
    new.map(|(_, at)| fault(at).hint("a key is not empty and holds no `=`, quotes, white space or NUL"))
        .collect()
}

/// The keys of the options of a value, each with its place.
fn option_keys(row: &Parameter, value: &Value, at: &Pointer) -> Vec<(String, Pointer)> {
    let elements = || value.as_array().into_iter().flatten().enumerate();
    let addresses: Vec<_> = match row.codec.facts() {
        Facts { address: Some(shape), .. } => vec![(shape, value, at.clone())],
        Facts { sources: Some(shape), .. } => {
            elements().map(|(index, element)| (shape, element, at.child(index))).collect()
        }
        Facts { options: Some(_), .. } => {
            let key = |pair: &Value| pair[0].as_str().unwrap_or_default().to_owned();
            return elements().map(|(index, pair)| (key(pair), at.child(index).child(0))).collect();
        }
        _ => Vec::new(),
    };
    let options = addresses.into_iter().flat_map(|(shape, value, at)| {
        let at = shape.options.map_or_else(|| at.clone(), |key| at.child(key));
        shape.options_of(value).map(move |(key, value)| {
            // Without a value the word of an empty key would be empty.
            let option =
                if key.is_empty() && *value == true { "=" } else { keyword_of(shape.option_scope(), key) };
            (option.to_owned(), at.child(key))
        })
    });
    options.collect()
}

//! Proves, before anything is written, that the new text reads as the merged values and has lost no comment.
//!
//! Only the touched members are compared. That is sound, because the own view of an entry depends on
//! its bytes alone, and every byte outside the splices is the old one by construction.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use thiserror::Error;

use crate::model::{Lens, View};
use crate::schema::codec::group_name;
use crate::schema::members::Members;
use crate::schema::scalar::is_empty;
use crate::schema::{Kind, Object, Parameter, Schema};
use crate::syntax::{Document, Splice, Token, TokenKind};

/// The new text does not read as the merged values.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the edit of `{at}` could not be verified")]
pub struct Unproved {
    /// The path of the first difference.
    pub at: String,
}

/// What the new text must say.
#[derive(Debug, Default)]
pub struct Promises {
    /// The own values of the touched top-level members; `None` for one that must be gone.
    members: HashMap<String, Option<Value>>,
    /// The touched streams, lives and plugins; `None` for one that must be gone.
    blocks: HashMap<Kind, HashMap<String, Option<String>>>,
    /// The order of each group that changes.
    orders: HashMap<Kind, Vec<String>>,
    /// The bytes that go for good, with the comments in them.
    pub gone: Vec<Range<usize>>,
}

impl Promises {
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.blocks.is_empty() && self.orders.is_empty()
    }

    pub fn member(&mut self, key: &str, value: Option<&Value>) {
        self.members.insert(key.to_owned(), value.cloned());
    }

    pub fn block(&mut self, kind: Kind, name: &str, members: Option<&Object>) {
        let proof = members.map(|members| proof_of(kind, members));
        self.blocks.entry(kind).or_default().insert(name.to_owned(), proof);
    }

    pub fn order(&mut self, kind: Kind, names: Vec<String>) {
        self.orders.insert(kind, names);
    }

    /// Compares the values of the new text with those that were promised.
    pub fn verify(&self, old: &Members<'_>, new: &Members<'_>, edited: &Document) -> Result<(), Unproved> {
        let unproved = |at: &str| Err(Unproved { at: at.to_owned() });
        if edited.diagnostics().errors() > 0 {
            return unproved("(text)");
        }
        let lens = Lens::own();
        let view = View::new(new, &lens);
        for (key, expected) in &self.members {
            let found = view.member(key);
            // A value that is always shown may be missing where it is empty.
            let is_same = match (&found, expected) {
                (Some(found), Some(expected)) => proof(key, found) == proof(key, expected),
                (found, expected) => {
                    [found, expected].iter().all(|value| value.as_ref().is_none_or(is_empty))
                }
            };
            if !is_same {
                return unproved(key);
            }
        }
        Schema::media().kinds.iter().try_for_each(|&kind| self.group(kind, old, new))
    }

    fn group(&self, kind: Kind, old: &Members<'_>, new: &Members<'_>) -> Result<(), Unproved> {
        let entries = new.own_by_key(kind.key());
        let names = entries.iter().map(|&entry| group_name(entry).value());
        let is_in_order = match self.orders.get(&kind) {
            Some(expected) => names.eq(expected.iter().map(String::as_str)),
            None => names.eq(old.own_by_key(kind.key()).iter().map(|&entry| group_name(entry).value())),
        };
        if !is_in_order {
            return Err(Unproved { at: kind.key().to_owned() });
        }
        let Some(blocks) = self.blocks.get(&kind) else { return Ok(()) };
        let mut found = 0;
        for &entry in entries {
            let name = group_name(entry).value();
            let Some(expected) = blocks.get(&*name) else { continue };
            if expected.as_ref() != Some(&proof_of(kind, &kind.read(entry))) {
                return Err(Unproved { at: format!("{}.{name}", kind.key()) });
            }
            found += 1;
        }
        let wanted = blocks.values().flatten().count();
        if found == wanted { Ok(()) } else { Err(Unproved { at: kind.key().to_owned() }) }
    }
}

/// Compares the comments around the splices: each must be there still, unless it stood in what is gone.
pub fn verify_comments(
    old: &Document,
    new: &Document,
    splices: &[Splice],
    gone: &[Range<usize>],
) -> Result<(), Unproved> {
    let mut gone: Vec<&Range<usize>> = gone.iter().collect();
    gone.sort_by_key(|range| range.start);
    let is_gone = |at: usize| {
        let next = gone.partition_point(|range| range.end <= at);
        gone.get(next).is_some_and(|range| range.contains(&at))
    };
    let mut counts: HashMap<&str, isize> = HashMap::new();
    let mut moved = 0isize;
    for window in windows(old, splices) {
        let (range, splices) = window;
        for (at, comment) in comments(&old.text()[range.clone()]) {
            if !is_gone(range.start + at) {
                *counts.entry(comment).or_default() += 1;
            }
        }
        let grown = |splice: &Splice| splice.text.len() as isize - splice.range.len() as isize;
        let start = (range.start as isize + moved) as usize;
        moved += splices.iter().map(grown).sum::<isize>();
        let end = (range.end as isize + moved) as usize;
        for (_, comment) in comments(&new.text()[start..end]) {
            *counts.entry(comment).or_default() -= 1;
        }
    }
    // A comment may hold a secret, and is not told.
    match counts.into_values().all(|count| count <= 0) {
        true => Ok(()),
        false => Err(Unproved { at: "(comments)".to_owned() }),
    }
}

/// The stretches that hold all splices, each from the end of a top-level entry to the start of another one.
fn windows<'s>(document: &Document, splices: &'s [Splice]) -> Vec<(Range<usize>, &'s [Splice])> {
    let mut windows: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut entries = document.entries().peekable();
    let mut start = 0;
    for (number, splice) in splices.iter().enumerate() {
        while let Some(entry) = entries.next_if(|entry| entry.end() < splice.range.start) {
            start = entry.end();
        }
        let mut behind = entries.clone();
        let end = behind
            .find(|entry| entry.start() > splice.range.end)
            .map_or(document.text().len(), |entry| entry.start());
        match windows.last_mut() {
            Some((last, numbers)) if last.end >= start => {
                last.end = last.end.max(end);
                numbers.end = number + 1;
            }
            _ => windows.push((start..end, number..number + 1)),
        }
    }
    windows.into_iter().map(|(range, numbers)| (range, &splices[numbers])).collect()
}

/// The comments of a piece of a text, with their places.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    Token::all(text).filter(|token| token.kind == TokenKind::Comment).map(|token| (token.start, token.raw))
}

/// The members of a block as a text that is equal for equal members. It takes a tenth of their memory.
fn proof_of(kind: Kind, members: &Object) -> String {
    // The order of the options of an address matters.
    let addresses = kind.scope().rows().filter_map(|row| Some((row, members.get(row.key)?)));
    let orders: String = addresses.map(|(row, value)| order_of_options(row, value)).collect();
    sorted(&Value::Object(members.clone())) + &orders
}

/// The same for one member of the top level.
fn proof(key: &str, value: &Value) -> String {
    let row = Schema::media().top().by_key(key);
    sorted(value) + &row.map(|row| order_of_options(row, value)).unwrap_or_default()
}

fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn order_of_options(row: &Parameter, value: &Value) -> String {
    let options = row.codec.facts().address.into_iter().flat_map(|shape| shape.options_of(value));
    options.map(|(key, _)| format!("{key:?}")).collect()
}

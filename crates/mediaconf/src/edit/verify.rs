//! Proves, before anything is written, that the new text reads as the merged values and has lost no comment.
//!
//! Only the touched members are compared. That is sound, because the own view of an entry depends on
//! its bytes alone, and every byte outside the splices is the old one by construction.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::model::{Lens, View};
use crate::schema::codec::group_name;
use crate::schema::members::Members;
use crate::schema::scalar::is_empty;
use crate::schema::{Kind, Object, Parameter, Schema, Scope};
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
    /// The touched streams, lives and plugins as JSON, which takes a tenth of the memory; `None` for one that must be
    /// gone.
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
        let json = members.map(|members| serde_json::to_string(members).expect("values are JSON"));
        self.blocks.entry(kind).or_default().insert(name.to_owned(), json);
    }

    pub fn order(&mut self, kind: Kind, names: Vec<String>) {
        self.orders.insert(kind, names);
    }

    /// Compares the values of the new text with those that were promised.
    pub fn verify(&self, old: &Members<'_>, new: &Members<'_>, edited: &Document) -> Result<(), Unproved> {
        let unproved = |at: String| Err(Unproved { at });
        if edited.diagnostics().errors() > 0 {
            return unproved("(text)".to_owned());
        }
        let lens = Lens::own();
        let view = View::new(new, &lens);
        for (key, expected) in &self.members {
            // A value that is always shown may be missing where it is empty.
            let shown = |value: Option<Value>| value.filter(|value| !is_empty(value));
            let member = |value: Value| Map::from_iter([(key.clone(), value)]);
            let [found, expected] =
                [view.member(key), expected.clone()].map(|value| shown(value).map(member));
            if !are_same(new.scope(), found.as_ref(), expected.as_ref()) {
                return unproved(key.clone());
            }
        }
        for kind in Schema::media().kinds {
            let name = |entry| group_name(entry).value();
            let entries = new.own_by_key(kind.key()).iter();
            let names = entries.clone().map(|&entry| name(entry));
            let is_in_order = match self.orders.get(&kind) {
                Some(expected) => names.eq(expected.iter().map(String::as_str)),
                None => names.eq(old.own_by_key(kind.key()).iter().map(|&entry| name(entry))),
            };
            if !is_in_order {
                return unproved(kind.key().to_owned());
            }
            let Some(blocks) = self.blocks.get(&kind) else { continue };
            for &entry in entries {
                let Some(expected) = blocks.get(&*name(entry)) else { continue };
                let expected = expected.as_deref().and_then(|json| serde_json::from_str(json).ok());
                if !are_same(kind.scope(), expected.as_ref(), Some(&kind.read(entry))) {
                    return unproved(format!("{}.{}", kind.key(), name(entry)));
                }
            }
        }
        Ok(())
    }
}

/// Compares the comments around the splices: each must be there still, unless it stood in what is gone.
pub fn verify_comments(
    old: &Document,
    new: &Document,
    splices: &[Splice],
    gone: &mut [Range<usize>],
) -> Result<(), Unproved> {
    let [Some(first), Some(last)] = [splices.first(), splices.last()] else { return Ok(()) };
    gone.sort_by_key(|range| range.start);
    let is_gone = |at: usize| {
        let next = gone.partition_point(|range| range.end <= at);
        gone.get(next).is_some_and(|range| range.contains(&at))
    };
    // From the end of an entry to the start of another one, no quote is open.
    let mut entries = old.entries();
    let before = entries.by_ref().take_while(|entry| entry.end() < first.range.start).last();
    let start = before.map_or(0, |entry| entry.end());
    let behind = entries.find(|entry| entry.start() > last.range.end);
    let end = behind.map_or(old.text().len(), |entry| entry.start());
    let new_end = new.text().len() - (old.text().len() - end);
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for (at, comment) in comments(&old.text()[start..end]) {
        *counts.entry(comment).or_default() += isize::from(!is_gone(start + at));
    }
    for (_, comment) in comments(&new.text()[start..new_end]) {
        *counts.entry(comment).or_default() -= 1;
    }
    // A comment may hold a secret, and is not told.
    match counts.into_values().all(|count| count <= 0) {
        true => Ok(()),
        false => Err(Unproved { at: "(comments)".to_owned() }),
    }
}

/// The comments of a piece of a text, with their places.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    Token::all(text).filter(|token| token.kind == TokenKind::Comment).map(|token| (token.start, token.raw))
}

/// True if members are equal; the order of the options of an address matters.
fn are_same(scope: Scope, one: Option<&Object>, other: Option<&Object>) -> bool {
    let has_order = |row: &&Parameter| row.codec.facts().address.is_some();
    let options = |members: Option<&Object>, row: &Parameter| {
        let (shape, value) = (row.codec.facts().address?, members?.get(row.key)?);
        Some(shape.options_of(value).map(|(key, _)| key.clone()).collect::<Vec<String>>())
    };
    one == other && scope.rows().filter(has_order).all(|row| options(one, row) == options(other, row))
}

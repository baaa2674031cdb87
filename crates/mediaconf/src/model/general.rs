//! The general rule: all occurrences of one foreign keyword in one block, as one JSON value.
//!
//! - R1 once, no block: `k;` true, `k w;` the word, `k w w…;` an array of words, unless `k` repeats.
//! - R2 every occurrence is `k NAME {…}`, names distinct: an object by NAME.
//! - R3 once, `k {…}`: an object.
//! - R4 anything else: an array of occurrences, each an array of its words and, if it has a block,
//!   the object last.

use std::collections::HashSet;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::member::{Members, key_of};
use super::setting_view::Setting;
use super::shape::{first_argument, inner_scope, only_argument};
use crate::schema::scalar::Scalar;
use crate::schema::{Schema, Scope};
use crate::syntax::{Entry, Word};

/// The form that the occurrences of a keyword have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveForm {
    /// R1: one directive.
    Directive,
    /// R2: named blocks.
    NamedBlocks,
    /// R3: one block.
    Block,
    /// R4: a list of occurrences.
    Occurrences,
}

impl DirectiveForm {
    /// The form of `entries`, which are all the occurrences of one keyword in a block.
    pub fn from_entries(entries: &[Entry<'_>]) -> Self {
        match entries {
            [only] if !only.is_block() => Self::Directive,
            [only] if only.count_arguments() == 0 => Self::Block,
            _ if are_named_blocks(entries) => Self::NamedBlocks,
            _ => Self::Occurrences,
        }
    }
}

fn are_named_blocks(entries: &[Entry<'_>]) -> bool {
    let mut names = HashSet::with_capacity(entries.len());
    entries
        .iter()
        .all(|entry| entry.is_block() && only_argument(*entry).is_some_and(|name| names.insert(name.value())))
}

/// The JSON value of all occurrences of one keyword.
pub struct General<'a, 'd> {
    /// The occurrences, in the order of the text.
    pub entries: &'a [Entry<'d>],
}

impl Serialize for General<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match DirectiveForm::from_entries(self.entries) {
            DirectiveForm::Directive => self.directive(self.entries[0], serializer),
            DirectiveForm::NamedBlocks => self.named_blocks(serializer),
            DirectiveForm::Block => Contents { block: self.entries[0] }.serialize(serializer),
            DirectiveForm::Occurrences => {
                serializer.collect_seq(self.entries.iter().map(|&entry| Occurrence { entry }))
            }
        }
    }
}

impl<'d> General<'_, 'd> {
    fn directive<S: Serializer>(&self, entry: Entry<'d>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut words = entry.arguments();
        let Some(first) = words.next() else { return serializer.serialize_bool(true) };
        if words.next().is_none() {
            return Scalar::from_word(first).serialize(serializer);
        }
        if Schema::media().repeats(&entry.keyword()) {
            return [Occurrence { entry }].serialize(serializer);
        }
        serializer.collect_seq(scalars(entry))
    }

    fn named_blocks<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for &block in self.entries {
            map.serialize_entry(&first_argument(block), &Contents { block })?;
        }
        map.end()
    }
}

/// One occurrence under R4.
struct Occurrence<'d> {
    entry: Entry<'d>,
}

impl Serialize for Occurrence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        for word in scalars(self.entry) {
            sequence.serialize_element(&word)?;
        }
        if self.entry.is_block() {
            sequence.serialize_element(&Contents { block: self.entry })?;
        }
        sequence.end()
    }
}

/// The entries of a foreign block as an object.
pub struct Contents<'d> {
    /// The entry that has the block.
    pub block: Entry<'d>,
}

impl Serialize for Contents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let members = Members::group(inner_scope(self.block), self.block.children());
        for (parameter, entries) in members.each_own().filter(|(_, entries)| !entries.is_empty()) {
            map.serialize_entry(parameter.key, &Setting { parameter, entries })?;
        }
        foreign_members(&members, members.scope(), &mut map)?;
        map.end()
    }
}

/// The members of a block that the general rule shows.
pub fn foreign_members<M: SerializeMap>(
    members: &Members<'_>,
    scope: Scope,
    map: &mut M,
) -> Result<(), M::Error> {
    for member in members.foreign() {
        map.serialize_entry(&key_of(scope, &member.keyword), &General { entries: &member.entries })?;
    }
    Ok(())
}

/// The words of an occurrence as scalars.
pub fn scalars(entry: Entry<'_>) -> impl Iterator<Item = Scalar<'_>> {
    entry.arguments().map(|word: Word<'_>| Scalar::from_word(word))
}

//! Other names for streams, lives and plugins, and copies of one.

use std::collections::{HashMap, HashSet};

use super::group::{Start, name_of};
use super::words::WordEdits;
use super::{NamedEntry, NamedTarget, Planner, proof_of};
use crate::edit::layout::{Anchor, Insertion};
use crate::edit::merge;
use crate::edit::own_comments::is_followed;
use crate::model::shape::group_name;
use crate::schema::Kind;
use crate::syntax::quoted_if_needed;

impl<'d> Planner<'_, 'd> {
    /// Gives blocks of one group other names, all at once: a new name may be the old one of another.
    pub(super) fn rename(&mut self, blocks: &[(NamedEntry<'d>, &str)]) {
        let Some((NamedEntry { kind, .. }, _)) = blocks.first() else { return };
        let new: HashMap<String, &str> =
            blocks.iter().map(|(block, name)| (name_of(block.entry), *name)).collect();
        let taken: HashSet<&str> = new.values().copied().collect();
        for (block, name) in blocks {
            let mut edits = WordEdits::new(block.entry);
            edits.replace(group_name(block.entry), quoted_if_needed(name));
            self.rewrite(edits.finish());
            self.promise(*block, name);
            if !new.contains_key(*name) {
                self.plan.created.push(*kind);
            }
        }
        let gone = new.keys().filter(|old| !taken.contains(old.as_str()));
        let gone = gone.map(|old| NamedTarget { kind: *kind, name: old.clone(), proof: None });
        self.plan.named.extend(gone);
        let names = self.names(*kind).into_iter();
        let names = names.map(|old| new.get(&old).map_or(old, |&name| name.to_owned()));
        self.plan.orders.push((*kind, names.collect()));
    }

    /// Puts a copy behind the first `at` blocks of the group.
    pub(super) fn copy(&mut self, block: NamedEntry<'d>, name: &str, at: usize) {
        let entries = self.members.own_by_key(block.kind.key());
        let first = *entries.first().expect("the group has the block that is copied");
        let previous = at.checked_sub(1).and_then(|before| entries.get(before)).copied();
        let copy = Insertion::Copy { of: block.entry.id(), name: name.to_owned() };
        let original = block.entry;
        let is_behind = previous.is_some_and(|previous| previous.id() == original.id());
        let is_last = entries.get(at).is_none_or(|next| next.id().index() != original.numbers().end);
        let is_free = self.around.is_blank_below(original.end());
        let second = entries.get(1).filter(|_| at == 1 && self.before.is_none());
        if is_behind && !is_free && (is_followed(original) || !is_last) {
            self.put(None, Anchor::After(original.id()), copy, 0);
        } else if let Some(&second) = second.filter(|_| self.around.is_blank_below(first.end())) {
            // The second one tells how far blocks of the group are from each other.
            let blank_lines = self.blank_lines_above(second, false);
            self.put(None, Anchor::After(first.id()), copy, blank_lines);
        } else {
            self.put_block(entries, (previous, Start::Before(first)), copy, None);
        }
        self.promise(block, name);
        self.plan.created.push(block.kind);
        let mut names = self.names(block.kind);
        names.insert(at, name.to_owned());
        self.plan.orders.push((block.kind, names));
    }

    /// Promises that there is under the new name what the block has.
    fn promise(&mut self, NamedEntry { kind, entry }: NamedEntry<'d>, name: &str) {
        let proof = Some(proof_of(kind, &merge::named_value(kind, entry)));
        self.plan.named.push(NamedTarget { kind, name: name.to_owned(), proof });
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        self.members.own_by_key(kind.key()).iter().map(|&entry| name_of(entry)).collect()
    }
}

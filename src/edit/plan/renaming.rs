//! Another name for a stream, live or plugin, and copies of one.

use super::group::{Start, name_of};
use super::words::WordEdits;
use super::{NamedEntry, NamedTarget, Planner};
use crate::edit::layout::Insertion;
use crate::edit::merge;
use crate::model::Kind;
use crate::model::shape::group_name;
use crate::syntax::quoted_if_needed;

impl<'d> Planner<'_, 'd> {
    pub(super) fn rename(&mut self, block: NamedEntry<'d>, name: &str) {
        let NamedEntry { kind, entry } = block;
        let mut edits = WordEdits::of(entry);
        edits.replace(group_name(entry), quoted_if_needed(name));
        self.rewrite(edits.finish());
        let old = name_of(entry);
        let names =
            self.names(kind).into_iter().map(|found| if found == old { name.to_owned() } else { found });
        let names = names.collect();
        self.plan.named.push(NamedTarget { kind, name: old, value: None });
        self.promise(block, name, names);
    }

    pub(super) fn copy(&mut self, block: NamedEntry<'d>, name: &str) {
        let entries = self.members.own_by_key(block.kind.key());
        let last = *entries.last().expect("the group has the block that is copied");
        let copy = Insertion::Copy { of: block.entry.id(), name: name.to_owned() };
        self.put_block(entries, (Some(last), Start::Before(last)), copy, None);
        let mut names = self.names(block.kind);
        names.push(name.to_owned());
        self.promise(block, name, names);
    }

    /// Promises that the group has these names, and under the new one what the block has.
    fn promise(&mut self, NamedEntry { kind, entry }: NamedEntry<'d>, name: &str, names: Vec<String>) {
        let value = Some(merge::named_value(kind, entry));
        self.plan.named.push(NamedTarget { kind, name: name.to_owned(), value });
        self.plan.created.push(kind);
        self.plan.orders.push((kind, names));
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        self.members.own_by_key(kind.key()).iter().map(|&entry| name_of(entry)).collect()
    }
}

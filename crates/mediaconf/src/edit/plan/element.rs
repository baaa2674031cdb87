//! Places and blocks of the elements in lists of directives.

use super::Planner;
use crate::edit::align::{Alignment, ElementOrigin};
use crate::edit::emit::{self, Draft};
use crate::edit::json_pointer::Pointer;
use crate::edit::layout::{Anchor, Insertion, TextOperation};
use crate::edit::merge::contents_value;
use crate::schema::{Object, Schema};
use crate::syntax::{Entry, Splice};

impl<'d> Planner<'_, 'd> {
    /// Removes elements from a list of directives, and puts the moved and new ones at their places;
    /// `write` makes the new ones.
    pub(super) fn put_elements(
        &mut self,
        within: Option<Entry<'d>>,
        entries: &[Entry<'d>],
        alignment: &Alignment,
        mut write: impl FnMut(usize) -> Draft,
    ) {
        alignment.removed().into_iter().for_each(|index| self.remove(entries[index]));
        let first = alignment.new.iter().find_map(|origin| origin.in_place()).map(|index| entries[index]);
        let (mut previous, mut alone) = (None, Vec::new());
        for (at, origin) in alignment.new.iter().enumerate() {
            let content = match *origin {
                ElementOrigin::Kept(index) | ElementOrigin::Edited(index) => {
                    previous = Some(entries[index]);
                    continue;
                }
                ElementOrigin::Moved(index) => Insertion::Line(entries[index].id()),
                ElementOrigin::New => Insertion::New(write(at)),
            };
            alone.extend(self.put_element(within, previous, first, content));
        }
        self.add_setting(alone, entries);
    }

    /// Puts an element behind its predecessor, else in front of the first one that stays. Returns a new
    /// element that has neither.
    pub(super) fn put_element(
        &mut self,
        within: Option<Entry<'d>>,
        previous: Option<Entry<'d>>,
        first: Option<Entry<'d>>,
        content: Insertion,
    ) -> Option<Draft> {
        let place = match (previous, first) {
            (Some(previous), _) => Anchor::After(previous.id()),
            (None, Some(first)) => Anchor::Before(first.id()),
            (None, None) => {
                return match content {
                    Insertion::New(draft) => Some(draft),
                    // An element moves only past one that stays.
                    Insertion::Line(_) | Insertion::Block(_) | Insertion::Copy { .. } => None,
                };
            }
        };
        self.put(within, place, content, 0);
        None
    }

    /// Plans the change of the block of an entry to `target`; `None` removes the block.
    pub(super) fn block(&mut self, entry: Entry<'d>, target: Option<&Object>, pointer: &Pointer) {
        match target {
            Some(target) if entry.is_block() => {
                if contents_value(entry).as_object() != Some(target) {
                    self.contents(entry, target, pointer);
                }
            }
            None if !entry.is_block() => {}
            target => self.other_block(entry, target),
        }
    }

    /// Replaces everything behind the head of an entry by a new block, or by none.
    pub(super) fn other_block(&mut self, entry: Entry<'d>, block: Option<&Object>) {
        let from = entry.head_span().end as usize;
        match block {
            Some(block) => self.operation(TextOperation::Unfold {
                entry: entry.id(),
                from,
                block: emit::contents(
                    Schema::media().block_scope(&entry.keyword(), entry.count_arguments()),
                    block,
                ),
            }),
            None => self.rewrite(vec![Splice { range: from..entry.end(), text: ";".into() }]),
        }
    }
}

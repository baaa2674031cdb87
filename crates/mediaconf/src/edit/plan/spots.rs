//! Chooses the places of new settings, once all removals are known.
//!
//! Insertions remove nothing, so a place that was found stays right for all that follow.

use std::cell::OnceCell;

use super::{NewSetting, Planner};
use crate::edit::layout::{Anchor, Insertion, TextOperation};
use crate::edit::removal::counts_as_block;
use crate::syntax::Entry;

/// The places in a block that are the same for every new setting.
#[derive(Default)]
struct Spots {
    /// In front of all entries of a block.
    first: OnceCell<Anchor>,
    /// Behind all entries of a block.
    last: OnceCell<Anchor>,
    /// Behind the last setting of the top level, in front of its blocks.
    setting: OnceCell<Anchor>,
    /// The end of the text, and the number of blank lines in front of a new entry there.
    end: OnceCell<(Anchor, usize)>,
}

impl<'d> Planner<'_, 'd> {
    /// Puts the new settings of a block, or of the top level, at their places.
    pub(super) fn place_pending(&mut self, within: Option<Entry<'d>>) {
        let spots = Spots::default();
        for pending in std::mem::take(&mut self.pending) {
            let (place, blank_lines) = match within {
                Some(block) => (self.place_in_block(block, pending.first, &spots), 0),
                None => self.place_at_top(&pending, &spots),
            };
            for draft in pending.drafts {
                self.put(within, place, Insertion::New(draft), blank_lines);
            }
        }
    }

    /// Puts the new settings of the top level at their places. The last setting may be the end of the
    /// text: then settings behind it come before new blocks.
    pub(super) fn place_pending_at_top(&mut self) {
        let is_at_end = |operation: &mut TextOperation| {
            matches!(operation, TextOperation::Put { place: Anchor::End, .. })
        };
        let groups: Vec<TextOperation> = self.plan.operations.extract_if(.., is_at_end).collect();
        let blocks: Vec<NewSetting> = self.pending.extract_if(.., |pending| pending.is_block()).collect();
        self.place_pending(None);
        self.plan.operations.extend(groups);
        self.pending = blocks;
        self.place_pending(None);
    }

    /// A url goes first, others after the last entry.
    fn place_in_block(&self, block: Entry<'d>, first: bool, spots: &Spots) -> Anchor {
        let mut staying = block.children().filter(|entry| self.is_staying(entry));
        let inside = || Anchor::FirstIn(block.id());
        match first {
            true => *spots
                .first
                .get_or_init(|| staying.next().map_or_else(inside, |entry| Anchor::Before(entry.id()))),
            false => *spots
                .last
                .get_or_init(|| staying.last().map_or_else(inside, |entry| Anchor::After(entry.id()))),
        }
    }

    /// After the last of its keyword; else after the last setting in front of the first block;
    /// else in front of that block; else at the end. A block goes to the end at once.
    fn place_at_top(&mut self, pending: &NewSetting, spots: &Spots) -> (Anchor, usize) {
        let is_block = pending.is_block();
        if let Some(&last) = pending.like.iter().rev().find(|entry| !self.leaving.contains(*entry)) {
            let blank_lines =
                if is_block { self.blank_lines_above(self.document.entry(last), false) } else { 0 };
            return (Anchor::After(last), blank_lines);
        }
        match is_block {
            true => *spots.end.get_or_init(|| self.place_at_end()),
            false => (*spots.setting.get_or_init(|| self.place_of_setting()), 0),
        }
    }

    fn place_of_setting(&self) -> Anchor {
        let mut last_setting = None;
        for entry in self.document.entries().filter(|entry| self.is_staying(entry)) {
            if counts_as_block(entry) {
                return last_setting.map_or(Anchor::BeforeHeading(entry.id()), Anchor::After);
            }
            last_setting = Some(entry.id());
        }
        last_setting.map_or(Anchor::End, Anchor::After)
    }

    pub(super) fn place_at_end(&mut self) -> (Anchor, usize) {
        let last = self.document.entries().filter(|entry| self.is_staying(entry)).last();
        // Without a blank line a comment at the end would belong to what comes behind it.
        let last_line = self.document.text().trim_end().rsplit('\n').next();
        let least = usize::from(
            last_line.is_some_and(|line| line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('#')),
        );
        (Anchor::End, last.map_or(0, |entry| self.blank_lines_above(entry, true)).max(least))
    }

    /// [`Surroundings::gap_above`](crate::edit::surroundings::Surroundings::gap_above), cached.
    pub(super) fn blank_lines_above(&mut self, entry: Entry<'d>, is_first: bool) -> usize {
        if let Some(known) = self.blank_lines.get(&(entry.id(), is_first)) {
            return *known;
        }
        let count = self.around.gap_above(entry, is_first);
        self.blank_lines.insert((entry.id(), is_first), count);
        count
    }
}

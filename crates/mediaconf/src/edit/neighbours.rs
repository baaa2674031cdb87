//! The neighbours of top-level blocks: they show which blank lines were added together with a block.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::surroundings::{Surroundings, count_lines};
use crate::schema::Schema;
use crate::syntax::{Entry, EntryId};

/// The neighbours of entries that are removed.
pub struct Neighbours<'a, 'd> {
    around: &'a Surroundings<'d>,
    leaving: HashSet<EntryId>,
    top: OnceCell<Top<'d>>,
}

/// The entries of the top level, in order, and which of each kind is the first.
struct Top<'d> {
    entries: Vec<Entry<'d>>,
    firsts: HashMap<Cow<'d, str>, EntryId>,
}

impl<'a, 'd> Neighbours<'a, 'd> {
    pub fn new(around: &'a Surroundings<'d>, leaving: HashSet<EntryId>) -> Self {
        Self { around, leaving, top: OnceCell::new() }
    }

    pub fn around(&self) -> &'a Surroundings<'d> {
        self.around
    }

    /// True if the blank lines above an entry were added with it: the entry follows the last other one of
    /// its kind, and a new one would be put there with as many blank lines. If that other one is removed
    /// too, the same test applies to it.
    pub fn were_added(&self, entry: EntryId, blanks: &Range<usize>) -> bool {
        let top = self.top();
        let Ok(mut at) = top.entries.binary_search_by_key(&entry, |entry| entry.id()) else { return false };
        let kind = kind(top.entries[at]);
        if top.entries.get(at + 1).is_some_and(|next| self::kind(*next) == kind) {
            return false;
        }
        let mut blanks = blanks.clone();
        while at > 0 {
            at -= 1;
            let above = top.entries[at];
            let is_first = is_group(above) && top.firsts.get(&kind) == Some(&above.id());
            let count = count_lines(&self.around.document().text()[blanks.clone()]);
            let follows = self::kind(above) == kind && self.around.next_line(above.end()) == blanks.start;
            if count == 0 || !follows || count != self.around.gap_above(above, is_first) {
                return false;
            }
            if !self.leaving.contains(&above.id()) {
                return true;
            }
            blanks = self.around.blank_lines_above(self.around.own_comments(above));
        }
        false
    }

    fn top(&self) -> &Top<'d> {
        self.top.get_or_init(|| {
            let entries: Vec<Entry<'d>> = self.around.document().entries().collect();
            let mut firsts = HashMap::new();
            for &entry in &entries {
                firsts.entry(kind(entry)).or_insert(entry.id());
            }
            Top { entries, firsts }
        })
    }
}

/// The kind of blocks beside which a new one is put: the key of the group, else the keyword.
fn kind(entry: Entry<'_>) -> Cow<'_, str> {
    let keyword = entry.keyword();
    match Schema::media().top().by_keyword(&keyword) {
        Some(parameter) => Cow::Borrowed(parameter.key),
        None => keyword,
    }
}

/// True if an entry is a stream, a live or a plugin.
pub fn is_group(entry: Entry<'_>) -> bool {
    Schema::media().group_of(&entry.keyword()).is_some()
}

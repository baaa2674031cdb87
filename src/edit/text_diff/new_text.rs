//! The text after an edit, without putting it together.

use std::borrow::Cow;
use std::ops::Range;

use crate::syntax::Splice;

/// The new text, seen through the old one and the splices, never put together as a whole.
#[derive(Debug, Clone)]
pub struct NewText<'a> {
    old: &'a str,
    splices: &'a [Splice],
    /// Where the text of each splice begins in the new text.
    starts: Vec<usize>,
    len: usize,
}

impl<'a> NewText<'a> {
    /// Indexes `splices`, which are sorted and do not overlap.
    pub fn new(old: &'a str, splices: &'a [Splice]) -> Self {
        let mut starts = Vec::with_capacity(splices.len());
        let (mut len, mut kept_from) = (0, 0);
        for splice in splices {
            len += splice.range.start - kept_from;
            starts.push(len);
            len += splice.text.len();
            kept_from = splice.range.end;
        }
        len += old.len() - kept_from;
        NewText { old, splices, starts, len }
    }

    /// The length of the new text in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the new text has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces of the new text in order: kept, replacement, kept, …; some may be empty.
    pub fn pieces(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.piece_count()).map(|number| self.piece(number).1)
    }

    /// A range of the new text, borrowed where it lies within one piece.
    ///
    /// What lies past the end is left out. Both bounds lie between characters, else this panics
    /// as slicing a `str` does.
    pub fn slice(&self, range: Range<usize>) -> Cow<'a, str> {
        let mut joined = Cow::Borrowed("");
        for number in self.piece_at(range.start)..self.piece_count() {
            let (start, text) = self.piece(number);
            if start >= range.end {
                break;
            }
            let from = range.start.saturating_sub(start).min(text.len());
            let to = (range.end - start).min(text.len());
            joined += &text[from..to];
        }
        joined
    }

    fn piece_count(&self) -> usize {
        2 * self.splices.len() + 1
    }

    /// The number of a piece that begins at or before `position`, close to it.
    fn piece_at(&self, position: usize) -> usize {
        let begun = self.starts.partition_point(|start| *start <= position);
        (2 * begun).saturating_sub(1)
    }

    /// Where a piece begins in the new text, and what it holds: kept text has even numbers.
    fn piece(&self, number: usize) -> (usize, &'a str) {
        let index = number / 2;
        if number % 2 == 1 {
            return (self.starts[index], &self.splices[index].text);
        }
        let (start, kept_from) = match index.checked_sub(1) {
            Some(before) => {
                let splice = &self.splices[before];
                (self.starts[before] + splice.text.len(), splice.range.end)
            }
            None => (0, 0),
        };
        let kept_to = match self.splices.get(index) {
            Some(splice) => splice.range.start,
            None => self.old.len(),
        };
        (start, &self.old[kept_from..kept_to])
    }
}

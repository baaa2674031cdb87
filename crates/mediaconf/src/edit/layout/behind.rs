//! The text that stays behind a place, once the entries that leave are gone.

use super::{Behind, EndOfText, Layout};
use crate::edit::surroundings::count_lines;

impl<'d> Layout<'d> {
    pub(super) fn end(&self) -> EndOfText {
        let text = self.document.text();
        let end = text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let blank_lines = count_lines(&text[end..]).saturating_sub(1);
        let leaves = self.removed.last().is_some_and(|range| end <= range.end);
        let last_line = (end > self.around.text_start() && !leaves).then(|| self.around.line_end(end));
        let is_blank = end <= self.around.text_start();
        EndOfText { last_line, is_blank, is_all_removed: self.is_all_removed(), blank_lines }
    }

    fn is_all_removed(&self) -> bool {
        let mut offset = self.around.text_start();
        for range in &self.removed {
            if range.start > offset {
                break;
            }
            offset = offset.max(range.end);
        }
        offset >= self.document.text().len()
    }

    /// Returns the text that follows `anchor_end` on its line once the removed entries are gone.
    pub(super) fn behind_on_line(&self, anchor_end: usize) -> Behind {
        *self.behind.borrow_mut().entry(anchor_end).or_insert_with(|| self.text_behind(anchor_end))
    }

    fn text_behind(&self, anchor_end: usize) -> Behind {
        let text = self.document.text().as_bytes();
        let (mut at, mut start_of_rest) = (anchor_end, anchor_end);
        loop {
            match text.get(at) {
                None | Some(b'\n' | b'#') => {
                    return Behind::Nothing(self.end_of_remaining_line(anchor_end, start_of_rest));
                }
                Some(b' ' | b'\t' | b'\r' | b';') => at += 1,
                Some(b'}') => return Behind::Close,
                Some(_) => match self.leaving.get(&at) {
                    Some(&id) => {
                        at = self.document.entry(id).end();
                        start_of_rest = at;
                    }
                    None => return Behind::Entry,
                },
            }
        }
    }

    /// The end of the line that holds `rest`. If the entries behind `anchor_end` are removed and leave
    /// the text without a final line end, that line end is removed with them: then the start of the
    /// removed range.
    fn end_of_remaining_line(&self, anchor_end: usize, rest: usize) -> usize {
        let line_end = self.around.line_end(rest);
        let next = self.removed.partition_point(|range| range.end <= line_end);
        let removed = self.removed.get(next).map(|range| range.start);
        removed.filter(|start| (anchor_end..line_end).contains(start)).unwrap_or(line_end)
    }
}

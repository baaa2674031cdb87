//! A text that an editor has open.

use std::path::PathBuf;
use std::sync::Arc;

use mediaconf::plumbing::syntax::{Document, Splice};

use super::lines::{LineStarts, PositionEncoding};
use super::protocol::ContentChange;
use crate::engine::Snapshot;
use crate::store::file::draft_head;

/// A text as its editor has it.
pub struct OpenText {
    /// The number that the editor gave it.
    pub version: Option<i64>,
    /// The file at the end of all links; `None` if it is no file.
    pub path: Option<PathBuf>,
    /// The configuration that it is a draft of (`mediactl edit`): what it includes is beside that.
    pub draft_of: Option<PathBuf>,
    pub snapshot: Arc<Snapshot>,
    pub lines: Arc<LineStarts>,
    /// True if a change came that the text has no place for: the editor has another text, until it sends the whole.
    pub is_lost: bool,
}

impl OpenText {
    pub fn new(text: String, path: Option<PathBuf>, version: Option<i64>) -> Self {
        let lines = Arc::new(LineStarts::of(&text));
        let snapshot = Arc::new(Snapshot::from_document(Document::parse(text)));
        let draft_of = path.as_deref().and_then(draft_head).map(|head| PathBuf::from(head.target));
        Self { version, path, draft_of, snapshot, lines, is_lost: false }
    }

    pub fn text(&self) -> &str {
        self.snapshot.document().text()
    }

    /// Makes the changes one after the other. After one that has no place, the text is lost.
    pub fn change(&mut self, changes: Vec<ContentChange>, encoding: PositionEncoding) {
        let last_whole = changes.iter().rposition(|change| change.range.is_none());
        let mut changes = changes.into_iter().skip(last_whole.unwrap_or(0));
        if last_whole.is_some()
            && let Some(whole) = changes.next()
        {
            *self = Self::new(whole.text, self.path.take(), self.version);
        }
        let changes: Vec<ContentChange> = changes.collect();
        if self.is_lost || changes.is_empty() {
            return;
        }
        match self.splices(&changes, encoding) {
            Some(splices) => self.splice(&splices),
            None => self.rewrite(changes, encoding),
        }
    }

    /// The changes as splices in the order of the text; `None` if one of them does not stand in front of the one before
    /// it, so that its place is one of a text that is not there yet. Editors that replace in many places begin at the last.
    fn splices(&self, changes: &[ContentChange], encoding: PositionEncoding) -> Option<Vec<Splice>> {
        let mut next = self.text().len();
        let splice = |change: &ContentChange| {
            let place = change.range?;
            let range = self.lines.bytes(self.text(), place, encoding)?;
            // A character behind the end of its line may be one of a line that gets longer.
            let is_exact =
                changes.len() == 1 || self.lines.range(self.text(), range.clone(), encoding) == place;
            let is_in_front = range.end <= std::mem::replace(&mut next, range.start);
            (is_exact && is_in_front).then(|| Splice { range, text: change.text.as_str().into() })
        };
        let mut splices = changes.iter().map(splice).collect::<Option<Vec<Splice>>>()?;
        splices.reverse();
        Some(splices)
    }

    /// Makes changes.
    fn splice(&mut self, splices: &[Splice]) {
        let document = self.snapshot.document().edited(splices);
        match splices {
            [Splice { range, text }] => {
                Arc::make_mut(&mut self.lines).change(document.text(), range.clone(), text.len());
            }
            _ => self.lines = Arc::new(LineStarts::of(document.text())),
        }
        self.snapshot = Arc::new(Snapshot::from_document(document));
    }

    /// Makes changes one after the other, and parses the text once.
    fn rewrite(&mut self, changes: Vec<ContentChange>, encoding: PositionEncoding) {
        let mut text = self.text().to_owned();
        let mut lines = LineStarts::clone(&self.lines);
        for change in changes {
            let Some(range) = change.range.and_then(|range| lines.bytes(&text, range, encoding)) else {
                self.is_lost = true;
                return;
            };
            text.replace_range(range.clone(), &change.text);
            lines.change(&text, range, change.text.len());
        }
        self.lines = Arc::new(lines);
        self.snapshot = Arc::new(Snapshot::from_document(Document::parse(text)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lsp::protocol::{TextPosition, TextRange};

    fn change(start: (u32, u32), end: (u32, u32), text: &str) -> ContentChange {
        let [start, end] = [start, end].map(|(line, character)| TextPosition { line, character });
        ContentChange { range: Some(TextRange { start, end }), text: text.to_owned() }
    }

    proptest! {
        #[test]
        fn changes_at_once_are_those_one_after_the_other(
            text in "[a😀;{}\r\n]{0,16}",
            places in prop::collection::vec((0..5u32, 0..6u32, 0..5u32, 0..6u32, "[b{;\r\n]{0,3}"), 0..5),
            order in 0..3usize,
        ) {
            let mut changes: Vec<ContentChange> = places
                .iter()
                .map(|(line, character, last, end, new)| {
                    let (start, end) = ((*line, *character), (*last, *end));
                    change(start.min(end), start.max(end), new)
                })
                .collect();
            if order > 0 {
                changes.sort_by_key(|change| std::cmp::Reverse(change.range.map(|range| range.start)));
            }
            let encoding = [PositionEncoding::Utf8, PositionEncoding::Utf16][order % 2];
            let (mut at_once, mut one_by_one) =
                (OpenText::new(text.clone(), None, None), OpenText::new(text, None, None));
            for change in &changes {
                let change = ContentChange { range: change.range, text: change.text.clone() };
                one_by_one.change(vec![change], encoding);
            }
            at_once.change(changes, encoding);
            prop_assert_eq!(at_once.is_lost, one_by_one.is_lost);
            for open in [&at_once, &one_by_one] {
                prop_assert_eq!(&*open.lines, &LineStarts::of(open.text()));
                if !open.is_lost {
                    prop_assert_eq!(open.text(), one_by_one.text());
                    prop_assert_eq!(open.snapshot.document().len(), Document::parse(open.text().to_owned()).len());
                }
            }
        }
    }

    #[test]
    fn changes_are_made_in_their_order() {
        let text = "a 😀;\r\nb 1;\r\nc 1;\r\n";
        for (changes, expected) in [
            // From the last to the first, as editors replace.
            (
                vec![change((2, 2), (2, 3), "2"), change((1, 2), (1, 3), "3"), change((0, 2), (0, 4), "x")],
                "a x;\r\nb 3;\r\nc 2;\r\n",
            ),
            (vec![change((1, 0), (1, 0), "y"), change((1, 0), (1, 0), "x")], "a 😀;\r\nxyb 1;\r\nc 1;\r\n"),
            // The second place is one of the text that the first change made.
            (vec![change((0, 0), (1, 0), ""), change((0, 0), (0, 1), "d")], "d 1;\r\nc 1;\r\n"),
            (vec![change((0, 5), (1, 0), ""), change((0, 5), (0, 99), "")], "a 😀;\r\nc 1;\r\n"),
            (vec![change((0, 5), (1, 0), ""), change((0, 0), (0, 99), "")], "\r\nc 1;\r\n"),
        ] {
            let mut open = OpenText::new(text.to_owned(), None, None);
            open.change(changes, PositionEncoding::Utf16);
            assert_eq!((open.text(), open.is_lost), (expected, false));
            assert_eq!(*open.lines, LineStarts::of(expected));
        }
        let mut open = OpenText::new(text.to_owned(), None, None);
        open.change(vec![change((2, 0), (2, 0), "x"), change((9, 0), (9, 0), "x")], PositionEncoding::Utf16);
        assert!(open.is_lost);
    }
}

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
        match changes.len() {
            _ if self.is_lost => {}
            0 => {}
            1 => changes.for_each(|change| self.splice(change, encoding)),
            _ => self.rewrite(changes, encoding),
        }
    }

    /// Makes one change: the document is parsed where it changed.
    fn splice(&mut self, change: ContentChange, encoding: PositionEncoding) {
        let range = change.range.and_then(|range| self.lines.bytes(self.text(), range, encoding));
        let Some(range) = range else {
            self.is_lost = true;
            return;
        };
        let (length, old) = (change.text.len(), range.clone());
        let document = self.snapshot.document().with(&[Splice { range, text: change.text }]);
        Arc::make_mut(&mut self.lines).change(document.text(), old, length);
        self.snapshot = Arc::new(Snapshot::from_document(document));
    }

    /// Makes several changes, and parses the text once.
    fn rewrite(&mut self, changes: impl Iterator<Item = ContentChange>, encoding: PositionEncoding) {
        let mut text = self.text().to_owned();
        let lines = Arc::make_mut(&mut self.lines);
        for change in changes {
            let Some(range) = change.range.and_then(|range| lines.bytes(&text, range, encoding)) else {
                self.is_lost = true;
                return;
            };
            text.replace_range(range.clone(), &change.text);
            lines.change(&text, range, change.text.len());
        }
        self.snapshot = Arc::new(Snapshot::from_document(Document::parse(text)));
    }
}

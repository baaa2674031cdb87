//! A configuration as it was read at one moment.

use std::sync::OnceLock;

use crate::model::{check, has_errors};
use crate::syntax::{Diagnostics, Document};

/// A text with everything that is known of it.
#[derive(Debug)]
pub struct Snapshot {
    document: Document,
    /// The bytes, where they are not UTF-8 and the document holds replacements.
    raw: Option<Vec<u8>>,
    diagnostics: OnceLock<Diagnostics>,
    valid: OnceLock<bool>,
}

impl Snapshot {
    /// Reads bytes as they come from a file or a request.
    pub fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::of_document(Document::parse(text), None),
            Err(error) => {
                let raw = error.into_bytes();
                Self::of_document(Document::from_bytes(raw.clone()), Some(raw))
            }
        }
    }

    fn of_document(document: Document, raw: Option<Vec<u8>>) -> Self {
        Self { document, raw, diagnostics: OnceLock::new(), valid: OnceLock::new() }
    }

    /// A document that an edit made, and proved.
    pub fn edited(document: Document) -> Self {
        Self::of_document(document, None)
    }

    /// The text and its index.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The bytes as they were read.
    pub fn bytes(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.document.text().as_bytes())
    }

    /// All diagnostics, in the order of the text; computed when first asked for.
    pub fn diagnostics(&self) -> &Diagnostics {
        self.diagnostics.get_or_init(|| check(&self.document))
    }

    /// Whether the text can be shown as JSON and changed.
    pub fn is_valid(&self) -> bool {
        *self.valid.get_or_init(|| !has_errors(&self.document))
    }
}

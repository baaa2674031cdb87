//! A configuration as it was at one moment.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::guard;
use crate::store::Revision;
use mediaconf::{
    Config, Diagnostics, DirectiveRole, Document, EntryId, Lens, Members, Span, check_document, has_errors,
    has_lost_line_ends, only_argument, top_members,
};

/// The directive that includes files.
pub const INCLUDE: &str = "include";

/// A text with everything that was computed from it, each when it is first asked for.
#[derive(Debug)]
pub struct Snapshot {
    bytes: Bytes,
    document: OnceLock<Document>,
    diagnostics: OnceLock<Diagnostics>,
    valid: OnceLock<bool>,
    lost_line_ends: OnceLock<bool>,
    revision: OnceLock<Revision>,
    json: OnceLock<Arc<Vec<u8>>>,
    includes: OnceLock<Vec<(Span, String)>>,
    account: OnceLock<Option<[String; 2]>>,
    view_account: OnceLock<Option<[String; 2]>>,
}

impl Snapshot {
    /// Takes bytes as they come from a file or a request.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            document: OnceLock::new(),
            diagnostics: OnceLock::new(),
            valid: OnceLock::new(),
            lost_line_ends: OnceLock::new(),
            revision: OnceLock::new(),
            json: OnceLock::new(),
            includes: OnceLock::new(),
            account: OnceLock::new(),
            view_account: OnceLock::new(),
        }
    }

    /// A text with its index.
    pub fn from_document(document: Document) -> Self {
        let bytes = document.bytes().clone();
        Self { document: OnceLock::from(document), ..Self::from_bytes(bytes) }
    }

    /// A text that a server sent with its revision. That of a masked text is not the hash of its bytes.
    pub fn with_revision(bytes: impl Into<Bytes>, revision: Option<Revision>) -> Self {
        Self { revision: revision.map_or_else(OnceLock::new, OnceLock::from), ..Self::from_bytes(bytes) }
    }

    /// The result of a proved edit of a document without errors.
    pub fn proved(document: Document) -> Self {
        debug_assert!(!has_errors(&document), "what an edit writes has no errors");
        Self { valid: OnceLock::from(true), ..Self::from_document(document) }
    }

    /// The text and its index.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::from_bytes(self.bytes.clone()))
    }

    /// The same without anything else that was computed from the text.
    pub fn into_document(self) -> Document {
        self.document.into_inner().unwrap_or_else(|| Document::from_bytes(self.bytes))
    }

    pub fn shared_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The same as a slice.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// True if both have the same text, byte for byte.
    pub fn is_same_text(&self, other: &Snapshot) -> bool {
        std::ptr::eq(self, other) || self.bytes() == other.bytes()
    }

    pub fn revision(&self) -> Revision {
        *self.revision.get_or_init(|| Revision::from_text(self.bytes()))
    }

    /// The top-level members.
    pub fn members(&self) -> Members<'_> {
        top_members(self.document())
    }

    /// The values of the text. Meaningful only for a text without errors.
    pub fn config(&self) -> Config<'_> {
        Config::from_members(self.members(), Lens::default())
    }

    /// The whole configuration as JSON on one line, secrets included.
    ///
    /// Meaningful only for a text without errors; made when first asked for.
    pub fn json(&self) -> &Arc<Vec<u8>> {
        let make = || Arc::new(serde_json::to_vec(&self.config().view()).expect("a view is JSON"));
        self.json.get_or_init(make)
    }

    /// The entries that include files, as their spans and their patterns.
    pub fn includes(&self) -> &[(Span, String)] {
        self.includes.get_or_init(|| {
            // Nearly all texts have none.
            if memchr::memmem::find(self.bytes(), INCLUDE.as_bytes()).is_none() {
                return Vec::new();
            }
            let document = self.document();
            let entries = (0..document.len()).map(|index| document.entry(EntryId::from_index(index)));
            let found = entries.filter(|entry| !entry.is_block() && entry.keyword() == INCLUDE);
            found
                .filter_map(|entry| Some((entry.span(), only_argument(entry)?.value().into_owned())))
                .collect()
        })
    }

    /// True if both include the same files, in the same order.
    pub fn includes_as(&self, other: &Snapshot) -> bool {
        let [own, others] = [self, other].map(|text| text.includes().iter().map(|(_, pattern)| pattern));
        own.eq(others)
    }

    /// Login and password of the account that may use the API; `None` if it is unusable.
    pub fn account(&self) -> Option<&[String; 2]> {
        let account = self.account.get_or_init(|| {
            guard::account(self.document()).map(|both| both.map(|word| word.value().into_owned()))
        });
        account.as_ref()
    }

    /// Login and password of the account that may look at everything but secrets; `None` if it is
    /// unusable.
    pub fn view_account(&self) -> Option<&[String; 2]> {
        let account = self.view_account.get_or_init(|| {
            let account = guard::account_of(self.document(), DirectiveRole::Viewer);
            account.map(|both| both.map(|word| word.value().into_owned()))
        });
        account.as_ref()
    }

    /// All diagnostics, in the order of the text; computed when first asked for.
    pub fn diagnostics(&self) -> &Diagnostics {
        self.diagnostics.get_or_init(|| check_document(self.document()))
    }

    /// Describes the number of its errors.
    pub fn errors_in_words(&self) -> String {
        match self.diagnostics().errors() {
            1 => "an error".to_owned(),
            count => format!("{count} errors"),
        }
    }

    /// True if the text has lost its line ends.
    pub fn has_lost_line_ends(&self) -> bool {
        *self.lost_line_ends.get_or_init(|| has_lost_line_ends(&self.bytes))
    }

    /// True if the text can be shown as JSON and changed.
    pub fn is_valid(&self) -> bool {
        *self.valid.get_or_init(|| !has_errors(self.document()))
    }
}

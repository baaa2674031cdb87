//! A configuration as it was at one moment.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use bytes::Bytes;

use super::guard;
use super::masked::MaskedForm;
use crate::store::Revision;
use mediaconf::plumbing::model::{
    CompactJson, Config, KnownJson, Lens, Members, TopGroups, check, has_errors, only_argument, top_members,
    write_compact,
};
use mediaconf::plumbing::schema::DirectiveRole;
use mediaconf::plumbing::syntax::{Diagnostics, Document, EntryId, RunPlace, Span, Splice};

/// The directive that includes files.
pub const INCLUDE: &str = "include";

/// The fewest bytes of a large edit.
const LARGE_EDIT: usize = 1 << 20;

/// The size in bytes of a text from which a thread that checks it is worth its costs.
const WORTH_A_THREAD: usize = 1 << 20;

/// A text with everything that was computed from it, each when it is first asked for.
#[derive(Debug)]
pub struct Snapshot {
    bytes: Bytes,
    document: OnceLock<Document>,
    diagnostics: OnceLock<Diagnostics>,
    valid: OnceLock<bool>,
    revision: OnceLock<Revision>,
    groups: OnceLock<TopGroups>,
    json: OnceLock<CompactJson>,
    includes: OnceLock<Vec<(Span, String)>>,
    before: Option<Before>,
    account: OnceLock<Option<[String; 2]>>,
    view_account: OnceLock<Option<[String; 2]>>,
    masked: [OnceLock<Arc<Vec<u8>>>; 3],
    related: [Mutex<Option<Arc<Snapshot>>>; 2],
}

/// The kinds of text that belong to another one.
#[derive(Debug, Clone, Copy)]
pub enum RelatedText {
    /// The text in the file, where that is not the running one.
    Saved,
    /// The text with what it includes.
    Composed,
}

/// The snapshot that was edited to make another one.
#[derive(Debug)]
struct Before {
    /// It is there while anything else holds it.
    snapshot: Weak<Snapshot>,
    /// The entries in which the two differ.
    runs: Vec<RunPlace>,
    /// The number of bytes that the edit wrote.
    written: usize,
}

impl Snapshot {
    /// Takes bytes as they come from a file or a request.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            document: OnceLock::new(),
            diagnostics: OnceLock::new(),
            valid: OnceLock::new(),
            revision: OnceLock::new(),
            groups: OnceLock::new(),
            json: OnceLock::new(),
            includes: OnceLock::new(),
            before: None,
            account: OnceLock::new(),
            view_account: OnceLock::new(),
            masked: Default::default(),
            related: Default::default(),
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
    ///
    /// The results for unchanged parts of the document are taken over, if these are most of it.
    pub fn edited(before: &Arc<Snapshot>, splices: &[Splice]) -> Self {
        let (document, runs) = before.document().edited(splices);
        debug_assert!(!has_errors(&document), "what an edit writes has no errors");
        let bytes = document.bytes().clone();
        let written = splices.iter().map(|splice| splice.text.len()).sum();
        let new: usize = runs.iter().map(|run| run.new.len()).sum();
        let groups = before.groups.get().filter(|_| new < document.len() / 8);
        let groups = groups.map(|groups| groups.after(before.document(), &runs, &document));
        Self {
            valid: OnceLock::from(true),
            document: OnceLock::from(document),
            groups: groups.map_or_else(OnceLock::new, OnceLock::from),
            before: Some(Before { snapshot: Arc::downgrade(before), runs, written }),
            ..Self::from_bytes(bytes)
        }
    }

    /// The text and its index.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::from_bytes(self.bytes.clone()))
    }

    /// The same without anything else that was computed from the text.
    pub fn into_document(self) -> Document {
        self.document.into_inner().unwrap_or_else(|| Document::from_bytes(self.bytes))
    }

    /// True if the document was requested.
    #[cfg(test)]
    pub fn is_indexed(&self) -> bool {
        self.document.get().is_some()
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

    /// Returns the snapshot of a text that belongs to this one: the one that was found before, if both
    /// have the same text, with all that was computed from it; else `found`. It is freed with this
    /// snapshot.
    pub fn related(&self, which: RelatedText, found: Arc<Snapshot>) -> Arc<Snapshot> {
        if self.is_same_text(&found) {
            return found;
        }
        let mut known = self.related[which as usize].lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().filter(|known| known.is_same_text(&found)) {
            Some(known) => known.clone(),
            None => known.insert(found).clone(),
        }
    }

    pub fn revision(&self) -> Revision {
        *self.revision.get_or_init(|| Revision::from_text(self.bytes()))
    }

    /// The top-level members; grouped when first asked for.
    pub fn members(&self) -> Members<'_> {
        let groups = || TopGroups::from_members(&top_members(self.document()));
        self.groups.get_or_init(groups).members(self.document())
    }

    /// The values of the text. Meaningful only for a text without errors.
    pub fn config(&self) -> Config<'_> {
        Config::from_members(self.members(), Lens::default())
    }

    /// True if an edit of at least a megabyte made the text: its JSON takes little over from that of before.
    pub fn is_large_edit(&self) -> bool {
        self.before.as_ref().is_some_and(|before| before.written >= LARGE_EDIT)
    }

    /// Writes what [`Self::json`] returns, without making it as a whole.
    pub fn write_json(&self, out: &mut impl io::Write) -> io::Result<()> {
        write_compact(&self.config().view(), out)
    }

    /// The whole configuration as JSON on one line, secrets included.
    ///
    /// Meaningful only for a text without errors; made when first asked for.
    pub fn json(&self) -> &CompactJson {
        self.json.get_or_init(|| {
            let config = self.config();
            let view = config.view();
            let before =
                self.before.as_ref().and_then(|before| Some((before.snapshot.upgrade()?, &before.runs)));
            match before.as_ref().and_then(|(before, runs)| Some((before.json.get()?, runs))) {
                None => CompactJson::from_view(&view),
                Some((compact, runs)) => CompactJson::after(&view, KnownJson { compact, runs }),
            }
        })
    }

    /// A form without secrets, if it was made.
    pub fn known_masked(&self, form: MaskedForm) -> Option<&Arc<Vec<u8>>> {
        self.masked[form as usize].get()
    }

    /// A form without secrets, made when first asked for.
    pub fn masked(&self, form: MaskedForm) -> &Arc<Vec<u8>> {
        let make = || Arc::new(form.write(self.document(), self.members()));
        self.masked[form as usize].get_or_init(make)
    }

    /// The entries that include files, as their spans and their patterns.
    pub fn includes(&self) -> &[(Span, String)] {
        self.includes.get_or_init(|| {
            // Nearly all texts have none, and then `check` needs no document.
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
        self.diagnostics.get_or_init(|| check(&self.bytes))
    }

    /// Starts to check a large text in a thread, unless it is checked already. Callers that need the
    /// result wait for it.
    pub fn check_in_background(self: &Arc<Self>) {
        if self.valid.get().is_none() && self.bytes().len() >= WORTH_A_THREAD {
            let snapshot = self.clone();
            // If no thread can be spawned, the first caller that needs the result computes it.
            let _ = std::thread::Builder::new().spawn(move || snapshot.is_valid());
        }
    }

    /// Describes the number of its errors.
    pub fn errors_in_words(&self) -> String {
        match self.diagnostics().errors() {
            1 => "an error".to_owned(),
            count => format!("{count} errors"),
        }
    }

    /// True if the text can be shown as JSON and changed.
    pub fn is_valid(&self) -> bool {
        *self.valid.get_or_init(|| !has_errors(self.document()))
    }
}

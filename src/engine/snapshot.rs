//! A configuration as it was at one moment, for those who may see its secrets and for those who may not.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use memchr::memmem;
use serde_json::{Map, Value, json};

use super::IncludedTexts;
use crate::error::Error;
use crate::store::Revision;
use mediaconf::{
    ChangedValue, Config, Diagnostics, DirectiveRole, Document, Entry, Kind, Masker, Request, Scope,
    SecretValues, Span,
};

/// A text with everything that was computed from it, each when it is first asked for.
#[derive(Debug, Default)]
pub struct Snapshot {
    bytes: Bytes,
    /// The texts that it includes, or why they can't be read, where a server sent it and has them.
    pub included: Option<Arc<Result<IncludedTexts, Error>>>,
    /// True if the text was made of values: the server has another one, and does not give it.
    pub is_of_values: bool,
    document: OnceLock<Document>,
    diagnostics: OnceLock<Diagnostics>,
    valid: OnceLock<bool>,
    lost_line_ends: OnceLock<bool>,
    revision: OnceLock<Revision>,
    json: OnceLock<Arc<Vec<u8>>>,
    pub(super) includes: OnceLock<Vec<(Span, String)>>,
    accounts: [OnceLock<Option<[String; 2]>>; 2],
}

impl Snapshot {
    /// Takes bytes as they come from a file or a request.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), ..Self::default() }
    }

    /// A text with the values of a server that gives no text but JSON; `None` if that can't be written as a text.
    pub fn of_values(values: &Value) -> Option<Self> {
        let mut values = values.clone();
        for kind in Kind::ALL {
            let group = values.get_mut(kind.key()).and_then(Value::as_object_mut);
            let blocks = group.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut);
            // It follows from the order.
            blocks.for_each(|block| drop(block.shift_remove("position")));
        }
        for list in Scope::Top.rows().filter_map(|row| row.codec.facts().list) {
            // A server may give its only port alone.
            if let Some(port @ (Value::Number(_) | Value::String(_))) = values.get_mut(list.key) {
                *port = Value::Array(vec![port.take()]);
            }
        }
        let (empty, request) = (Self::default(), Request::from(values));
        let patch = request.evaluate(&empty.config()).ok()?;
        let edit = request.edit(patch, empty.document(), &empty.config()).ok()?;
        let written = edit.map_or_else(Self::default, |edit| Self::proved(edit.document));
        Some(Self { is_of_values: true, ..written })
    }

    /// The revision; `None` if the text of the server is not known.
    pub fn known_revision(&self) -> Option<Revision> {
        (!self.is_of_values).then(|| self.revision())
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
        debug_assert!(!document.has_errors(), "what an edit writes has no errors");
        Self { valid: OnceLock::from(true), ..Self::from_document(document) }
    }

    /// The text and its index.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::from_bytes(self.bytes.clone()))
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// True if both have the same text, byte for byte.
    pub fn is_same_text(&self, other: &Snapshot) -> bool {
        std::ptr::eq(self, other) || self.bytes() == other.bytes()
    }

    pub fn revision(&self) -> Revision {
        *self.revision.get_or_init(|| Revision::from_text(self.bytes()))
    }

    /// The values of the text. Meaningful only for a text without errors.
    pub fn config(&self) -> Config<'_> {
        Config::new(self.document())
    }

    /// The whole configuration as JSON on one line, secrets included.
    ///
    /// Meaningful only for a text without errors; made when first asked for.
    pub fn json(&self) -> &Arc<Vec<u8>> {
        let make = || Arc::new(serde_json::to_vec(&self.config()).expect("a view is JSON"));
        self.json.get_or_init(make)
    }

    /// Takes the JSON of another text and replaces one stream, live or plugin in it. Does nothing unless that JSON is known,
    /// this block is all that differs, and its member stands in the JSON once.
    pub fn take_json(&self, other: &Snapshot) -> Option<()> {
        let (json, [old, new]) = (other.json.get()?, other.document().differing(self.document()));
        let differing = [other.document().entries_in(old), self.document().entries_in(new)];
        let [before, after] = differing.map(|mut all| all.next().filter(|_| all.next().is_none()));
        let member = |text: &Snapshot, block: Entry<'_>| {
            let (kind, name) = (block.block_kind()?, block.group_name().value());
            let member = json!({ &*name: text.config().value(&[kind.key(), &name])? }).to_string();
            Some(((kind, name.into_owned()), member[1..member.len() - 1].to_owned()))
        };
        let ((block, old), (new_block, new)) = (member(other, before?)?, member(self, after?)?);
        // A new name may be that of another block, too.
        let place = memmem::find(json, old.as_bytes()).filter(|_| block == new_block)?;
        let is_once = memmem::find(&json[place + 1..], old.as_bytes()).is_none();
        let made = is_once.then(|| [&json[..place], new.as_bytes(), &json[place + old.len()..]].concat())?;
        debug_assert_eq!(serde_json::to_vec(&self.config()).ok().as_ref(), Some(&made));
        self.json.set(Arc::new(made)).ok()
    }

    /// Login and password of the account that may use the API; `None` if it is unusable.
    pub fn account(&self) -> Option<&[String; 2]> {
        self.account_of(0, DirectiveRole::Editor)
    }

    /// Login and password of the account that may look at everything but secrets; `None` if it is
    /// unusable.
    pub fn view_account(&self) -> Option<&[String; 2]> {
        self.account_of(1, DirectiveRole::Viewer)
    }

    fn account_of(&self, at: usize, role: DirectiveRole) -> Option<&[String; 2]> {
        let find = || {
            let (keywords, entries) = (role.keywords(), self.document().entries());
            let all: Vec<_> = entries.filter(|entry| keywords.contains(&&*entry.keyword())).collect();
            Some(Entry::usable_account(&all)?.map(|word| word.value().into_owned()))
        };
        self.accounts[at].get_or_init(find).as_ref()
    }

    /// All diagnostics, in the order of the text; computed when first asked for.
    pub fn diagnostics(&self) -> &Diagnostics {
        self.diagnostics.get_or_init(|| self.document().check())
    }

    /// Describes the number of its errors.
    pub fn errors_in_words(&self) -> String {
        let count = self.diagnostics().errors();
        if count == 1 { "an error".to_owned() } else { format!("{count} errors") }
    }

    /// True if the text has lost its line ends.
    pub fn has_lost_line_ends(&self) -> bool {
        *self.lost_line_ends.get_or_init(|| Document::has_lost_line_ends(&self.bytes))
    }

    /// True if the text can be shown as JSON and changed.
    pub fn is_valid(&self) -> bool {
        *self.valid.get_or_init(|| !self.document().has_errors())
    }
}

/// The values in which two configurations differ; `None` if one of them has errors.
pub fn changed(old: &Snapshot, new: &Snapshot) -> Option<Vec<ChangedValue>> {
    (old.is_valid() && new.is_valid()).then(|| ChangedValue::between(&old.config(), &new.config()))
}

/// Returns the lines of a unified diff of two configurations, from the first `@@` on. If
/// the text of one of them is not known, their values are compared, written as texts.
pub fn diff_lines(sides: [&Snapshot; 2], masker: Masker) -> Vec<String> {
    as_texts(sides, |old, new| old.unified_diff(new, masker))
}

/// Compares the texts of two configurations, or their values, written as texts.
pub fn as_texts<T>([old, new]: [&Snapshot; 2], compare: impl Fn(&Document, &Document) -> T) -> T {
    let between = |old: &Snapshot, new: &Snapshot| compare(old.document(), new.document());
    let rewritten =
        |text: &Snapshot| text.is_valid().then(|| Snapshot::of_values(&text.config().to_json()))?;
    match old.is_of_values || new.is_of_values {
        true => rewritten(old)
            .zip(rewritten(new))
            .map_or_else(|| between(old, new), |(old, new)| between(&old, &new)),
        false => between(old, new),
    }
}

/// Returns the lines of a unified diff of two values as JSON.
pub fn value_diff_lines(old: &Value, new: &Value) -> Vec<String> {
    let [old, new] = [old, new].map(|value| Document::parse(format!("{value:#}\n")));
    old.unified_diff(&new, Masker::Off)
}

/// Returns the number of lines of a diff that only the new side has, and of those that only the old side has.
pub fn added_and_removed(diff: &[String]) -> [usize; 2] {
    ['+', '-'].map(|sign| diff.iter().filter(|line| line.starts_with(sign)).count())
}

impl Snapshot {
    /// Refuses a text with errors where its values are needed.
    pub fn refuse_errors(self: &Arc<Self>) -> Result<(), Error> {
        if self.is_valid() { Ok(()) } else { Err(Error::bad_config(self.clone())) }
    }

    /// The text with masks in the place of its secrets. Its JSON and its values are those of the masked text.
    pub fn masked(self: &Arc<Self>, masker: Masker) -> Arc<Self> {
        if masker == Masker::Off {
            return self.clone();
        }
        Arc::new(Self::from_document(Document::parse(masker.document(self.document()))))
    }
}

/// The secrets of configurations.
pub(super) fn secrets_of<'s>(texts: impl IntoIterator<Item = &'s Arc<Snapshot>>) -> SecretValues<'s> {
    SecretValues::collect(texts.into_iter().map(|text| text.document()))
}

/// Returns free text, such as the output of a hook, without the secrets of configurations.
pub fn without_secrets<'s>(text: &str, of: impl IntoIterator<Item = &'s Arc<Snapshot>>) -> String {
    secrets_of(of).masked(text, &Masker::default()).into_owned()
}

/// Returns JSON that a program printed without the secrets of configurations.
pub fn json_without_secrets<'s>(printed: Value, of: impl IntoIterator<Item = &'s Arc<Snapshot>>) -> Value {
    secrets_of(of).masked_json(printed, &Masker::Opaque)
}

//! The base of a change, which is the text that the client read before it, and the merge with what is there now.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::conflict::{changed_meanwhile, conflicts, hand_edited_badly, lines_clash};
use super::snapshot::Snapshot;
use super::transaction::Transaction;
use crate::error::{Error, ErrorKind};
use crate::store::{Revision, WHOLE_HISTORY};
use mediaconf::{Document, Masker, Request, patch_between, three_way};

impl Transaction<'_> {
    /// The text that the change was made of; `None` if it names none.
    ///
    /// # Errors
    /// `Stale`: the text is not kept.
    pub(super) fn base(&self) -> Result<Option<Arc<Snapshot>>, Error> {
        let Some(base) = self.options.base else { return Ok(None) };
        self.text_with(base)?.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::Stale, format!("the text with the revision `{base}` is not kept"))
                .hint("read the configuration again and repeat the change")
        })
    }

    /// Returns the text to write for a whole text that was sent: merged with `present`, where the
    /// request has a base.
    pub(super) fn whole_text<'t>(
        &self,
        text: &Bytes,
        present: impl FnOnce() -> Result<&'t Arc<Snapshot>, Error>,
    ) -> Result<Bytes, Error> {
        match self.base()? {
            Some(base) => self.on_present(text, Some(&base), present()?),
            None => Ok(text.clone()),
        }
    }

    /// Returns the text to write for a whole text that is based on `base`, or else on what is there: merged with what
    /// others changed since.
    pub(super) fn on_present(
        &self,
        text: &Bytes,
        base: Option<&Arc<Snapshot>>,
        present: &Arc<Snapshot>,
    ) -> Result<Bytes, Error> {
        let is_there = text == present.shared_bytes();
        let Some(base) = base.filter(|base| !is_there && !base.is_same_text(present)) else {
            return Ok(text.clone());
        };
        let mine = Snapshot::from_bytes(text.clone());
        if !mine.is_valid() {
            return Err(Error::bad_new_text(mine.into()));
        }
        if !present.is_valid() {
            return Err(match self.hand_edit() {
                Some([_, file]) if file.is_same_text(present) => {
                    hand_edited_badly(ErrorKind::HandEdited, file, true)
                }
                _ => Error::bad_config(present.clone()),
            });
        }
        let [base, mine, theirs] = [base, &mine, present].map(Snapshot::document);
        // Of a base with errors, only the lines are merged.
        let patch = match base.diagnostics().errors() {
            0 => Some(patch_between(base, mine)),
            _ => None,
        };
        if let Some(patch) = &patch {
            self.refuse_changed(base, theirs, &patch.clone().into())?;
        }
        let merged = three_way(base, mine, theirs, patch).map_err(lines_clash)?;
        Ok(merged.bytes().clone())
    }

    /// Returns the request for what is there that has the same effect as `request` has on `base`.
    pub(super) fn request_on_present(
        &self,
        request: &Request,
        base: &Arc<Snapshot>,
        present: &Arc<Snapshot>,
    ) -> Result<Request, Error> {
        if !base.is_valid() {
            return Err(Error::bad_config(base.clone()));
        }
        let (document, config) = (base.document(), base.config());
        let evaluated = request.evaluate(&config)?;
        let patch = match request.edit(evaluated, document, &config)? {
            Some(edit) => patch_between(document, &edit.document).into(),
            None => Value::Object(serde_json::Map::new()),
        };
        self.refuse_changed(document, present.document(), &patch)?;
        let expectations = request.expectations.clone();
        Ok(if request.is_of_text() { request.clone() } else { Request::from(patch).expecting(expectations) })
    }

    /// Refuses to change values that others changed, too.
    fn refuse_changed(&self, base: &Document, theirs: &Document, patch: &Value) -> Result<(), Error> {
        let found = if self.options.force { Vec::new() } else { conflicts(base, theirs, patch) };
        if found.is_empty() {
            return Ok(());
        }
        let masker = self.options.told.mask_key.map(Masker::keyed).unwrap_or_default();
        Err(changed_meanwhile(&found, &masker))
    }

    /// Returns the text with a revision, from what is there or from the history; `None` if it is no longer kept.
    fn text_with(&self, revision: Revision) -> Result<Option<Arc<Snapshot>>, Error> {
        let of_server = self.state.iter().flat_map(|state| [&state.running, &state.saved]);
        let mut known = of_server.chain(self.file());
        if let Some(text) = known.find(|text| text.revision() == revision) {
            return Ok(Some(text.clone()));
        }
        // Before a rehearsal, a change that was never confirmed may be in the file still.
        if let Ok(stored) = self.engine.read()
            && stored.revision() == revision
        {
            return Ok(Some(stored));
        }
        let store = &self.engine.store;
        let is_wanted = |text: &Arc<Snapshot>| text.revision() == revision;
        let entries = store.history(WHOLE_HISTORY)?;
        for entry in entries.into_iter().filter(|entry| entry.before == Some(revision)) {
            let text = store.kept(entry.serial)?.map(|text| Arc::new(Snapshot::from_bytes(text)));
            if let Some(text) = text.filter(is_wanted) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

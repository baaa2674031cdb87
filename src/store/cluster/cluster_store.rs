//! The store in etcd, and its reading half.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::cluster_url::ClusterUrl;
use super::compression::{CHUNK, LARGEST_TEXT, decompress, most_packed, sha256};
use super::gateway::{Gateway, GatewaySettings};
use super::gateway_fault::GatewayFault;
use super::head_record::{HeadRecord, TextRef, UnreadableRecord};
use super::keys::Keys;
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn};
use crate::store::error::StoreError;
use crate::store::pending::{PendingInfo, PendingRecord};
use crate::store::revision::Revision;
use crate::store::version::{Loaded, Version};

/// The most attempts to read a text that other writers remove meanwhile.
const READ_ATTEMPTS: usize = 100;

/// A configuration in etcd.
#[derive(Debug)]
pub struct ClusterStore {
    gateway: Gateway,
    keys: Keys,
    name: String,
    path: PathBuf,
    /// The text that was read last. A text never changes, so it need not be read again.
    last_text: Mutex<Option<(TextRef, Bytes)>>,
}

/// The last change as it was read.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// None before the first change.
    pub head: Option<HeadRecord>,
    /// The revision of etcd at which `head` was written last; 0 where there is none.
    pub mod_revision: i64,
    /// True if `pending` is there, on a lease and for the last change: until the lease ends, that may be confirmed.
    pub has_pending: bool,
    /// The lease of `pending`; 0 where the change can't be confirmed.
    pub lease: i64,
    /// The revision of etcd at which `pending` was written last, whatever it says; 0 where there is none.
    pub pending_revision: i64,
    /// The revision of etcd that was read.
    pub revision: i64,
    /// The other keys that were read, one list for each range.
    pub others: Vec<Vec<KeyValue>>,
}

/// The keys and values that are read before a change.
#[derive(Debug)]
pub(super) struct FirstRead {
    pub seen: Seen,
    /// The first chunk of the newest text, unless a text is known already.
    chunk: Option<KeyValue>,
}

impl Seen {
    /// The configuration; none before the first, and where that was taken back. A change that was not confirmed in time
    /// is none, whether or not somebody has taken it back yet.
    pub fn text(&self) -> Option<&TextRef> {
        let head = self.head.as_ref()?;
        match head.unconfirmed.as_ref().filter(|_| !self.has_pending) {
            Some(change) => change.back.as_ref(),
            None => head.text.as_ref(),
        }
    }

    /// True if the last change may still be confirmed.
    pub fn may_be_confirmed(&self) -> bool {
        let unconfirmed = self.head.as_ref().and_then(|head| head.unconfirmed.as_ref());
        unconfirmed.is_some() && self.has_pending
    }

    /// The last change, if it is not confirmed.
    pub fn open(&self) -> Option<PendingInfo> {
        let head = self.head.as_ref()?;
        let change = head.unconfirmed.as_ref()?;
        let (id, operation, by) = (change.id.clone(), head.operation.clone(), head.author());
        Some(PendingInfo {
            canary: change.canary.clone(),
            soak_s: change.soak_s,
            is_over: !self.may_be_confirmed(),
            ..PendingInfo::new(id, operation, by, change.until())
        })
    }

    /// True if the last change was not confirmed in time, and has to be taken back.
    pub fn has_run_out(&self) -> bool {
        self.head.as_ref().is_some_and(|head| head.unconfirmed.is_some()) && !self.may_be_confirmed()
    }
}

impl ClusterStore {
    /// The configuration at a URL. Sends nothing.
    pub fn new(url: ClusterUrl, settings: GatewaySettings) -> Self {
        Self::over(Gateway::new(url, settings))
    }

    /// The same configuration over the same connections, with another time for each request.
    #[must_use]
    pub fn with_time(&self, time: Duration) -> Self {
        Self::over(self.gateway.with_time(time))
    }

    fn over(gateway: Gateway) -> Self {
        let (keys, name) = (Keys::below(&gateway.url().prefix), gateway.url().to_string());
        let path = PathBuf::from(&name);
        Self { gateway, keys, name, path, last_text: Mutex::default() }
    }

    pub fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(super) fn given_name(&self) -> &str {
        &self.name
    }

    pub(super) fn given_path(&self) -> &Path {
        &self.path
    }

    /// The error of a request that changes nothing.
    pub(super) fn reading(&self) -> impl Fn(GatewayFault) -> StoreError {
        |fault| fault.into_store_error(&self.name, false)
    }

    /// The error of a request that may have changed something.
    pub(super) fn changing(&self) -> impl Fn(GatewayFault) -> StoreError {
        |fault| fault.into_store_error(&self.name, true)
    }

    pub(super) fn damaged(&self, what: impl std::fmt::Display) -> StoreError {
        StoreError::Damaged { name: self.name.clone(), what: what.to_string() }
    }

    pub(super) fn too_large(&self) -> StoreError {
        let most = format!("a cluster takes a text of at most {} MiB", LARGEST_TEXT >> 20);
        StoreError::io("write", &self.path)(io::Error::new(io::ErrorKind::FileTooLarge, most))
    }

    pub(super) fn overtaken(&self) -> StoreError {
        StoreError::Overtaken { name: self.name.clone() }
    }

    /// Reads the last change and other keys, all at once.
    ///
    /// # Errors
    /// `Unreachable`, `Refused`, `Remote`.
    pub fn seen_with(&self, others: Vec<KeyRange>) -> Result<Seen, StoreError> {
        let ranges = [KeyRange::one(&self.keys.head), KeyRange::one(&self.keys.pending)];
        let success = ranges.into_iter().chain(others).map(KeyOperation::Read).collect();
        let reply = self.gateway.txn(&Txn { success, ..Txn::default() }).map_err(self.reading())?;
        let revision = reply.header.revision;
        let mut read = reply.into_read().into_iter();
        let head = read.next().unwrap_or_default().pop();
        let pending = read.next().unwrap_or_default().pop();
        let pending_revision = pending.as_ref().map_or(0, |pending| pending.mod_revision);
        let mod_revision = head.as_ref().map_or(0, |head| head.mod_revision);
        let head = head.map(|head| self.record(&head)).transpose()?;
        let change = head.as_ref().and_then(|head| head.unconfirmed.as_ref());
        let is_of = |pending: &KeyValue| change.is_some_and(|change| change.id.as_bytes() == pending.value);
        let lease = pending.filter(is_of).map_or(0, |pending| pending.lease);
        let (has_pending, others) = (lease != 0, read.collect());
        Ok(Seen { head, mod_revision, has_pending, lease, pending_revision, revision, others })
    }

    /// Returns the time that a lease has left.
    ///
    /// # Errors
    /// As [`ClusterStore::seen_with`].
    pub fn time_left(&self, lease: i64) -> Result<Duration, StoreError> {
        self.gateway.time_left(lease).map_err(self.reading())
    }

    /// Reads the last change.
    ///
    /// # Errors
    /// As [`ClusterStore::seen_with`].
    pub fn seen(&self) -> Result<Seen, StoreError> {
        self.seen_with(Vec::new())
    }

    pub(super) fn record(&self, found: &KeyValue) -> Result<HeadRecord, StoreError> {
        let key = || String::from_utf8_lossy(&found.key).into_owned();
        let found_at_head = found.key == self.keys.head.as_bytes();
        let head = HeadRecord::parse(&found.value).map_err(|error| match error {
            UnreadableRecord::Format { found, version } if found_at_head => {
                StoreError::OtherFormat { name: self.name.clone(), found, version }
            }
            error => self.damaged(format!("`{}` ({error})", key())),
        })?;
        match head.former().filter(|_| found_at_head) {
            Some(what) => Err(StoreError::Former { name: self.name.clone(), what }),
            None => Ok(head),
        }
    }

    /// Reads a text; `None` if it was removed from the history.
    ///
    /// # Errors
    /// As [`ClusterStore::seen_with`].
    pub fn text_of(&self, text: &TextRef) -> Result<Option<Bytes>, StoreError> {
        self.text_with(text, None)
    }

    /// The same, with a chunk that was read already, which may be the first one of the text.
    fn text_with(&self, text: &TextRef, read: Option<KeyValue>) -> Result<Option<Bytes>, StoreError> {
        if let Some((last, bytes)) = &*self.lock_last_text()
            && last == text
        {
            return Ok(Some(bytes.clone()));
        }
        let bytes = self.unpacked(text, read)?;
        if let Some(bytes) = &bytes {
            *self.lock_last_text() = Some((text.clone(), bytes.clone()));
        }
        Ok(bytes)
    }

    /// Reads the chunks of a text; `None` if it was removed from the history. Nothing is believed that the reference says
    /// of it before its size is bounded, and nothing that is read before its revision is right.
    fn unpacked(&self, text: &TextRef, read: Option<KeyValue>) -> Result<Option<Bytes>, StoreError> {
        let TextRef { revision, size, chunks, .. } = *text;
        let damaged = || self.damaged(format!("the text in `{}`", self.keys.text(text)));
        let most_packed = most_packed(size);
        if size > LARGEST_TEXT || chunks > most_packed.div_ceil(CHUNK) {
            return Err(damaged());
        }
        let most = self.gateway.largest();
        if size > most {
            return Err(StoreError::TooLarge { name: self.name.clone(), most });
        }
        let mut read = read.filter(|chunk| chunk.key == self.keys.chunk(text, 0).as_bytes());
        let mut packed = Vec::new();
        for number in 0..chunks {
            let chunk = match read.take() {
                Some(chunk) => Some(chunk),
                None => self.one(&self.keys.chunk(text, number))?,
            };
            match chunk {
                Some(chunk) if packed.len() + chunk.value.len() > most_packed => return Err(damaged()),
                Some(chunk) => packed.extend(chunk.value),
                None => return Ok(None),
            }
        }
        let is_it =
            |bytes: &Bytes| Revision::from_text(bytes) == revision && sha256([bytes.as_ref()]) == text.sha256;
        let bytes = decompress(&text.codec, &packed, size).map(Bytes::from);
        bytes.filter(is_it).ok_or_else(damaged).map(Some)
    }

    fn lock_last_text(&self) -> std::sync::MutexGuard<'_, Option<(TextRef, Bytes)>> {
        self.last_text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn one(&self, key: &str) -> Result<Option<KeyValue>, StoreError> {
        Ok(self.gateway.range(KeyRange::one(key)).map_err(self.reading())?.pop())
    }

    /// Looks at the last change and, unless one is known already, at what is most likely its text: all in one request.
    pub(super) fn look(&self) -> Result<FirstRead, StoreError> {
        let is_read = self.lock_last_text().is_none();
        let chunk = is_read.then(|| self.keys.newest_chunk());
        let mut seen = self.seen_with(chunk.into_iter().collect())?;
        let chunk = std::mem::take(&mut seen.others).pop().and_then(|mut found| found.pop());
        Ok(FirstRead { chunk, seen })
    }

    /// The configuration that was looked at; `None` if its text was removed since.
    ///
    /// # Errors
    /// `NotFound`, `Unreachable`, `Refused`, `Remote`.
    pub(super) fn loaded(&self, look: FirstRead) -> Result<Option<Loaded>, StoreError> {
        let FirstRead { seen, chunk } = look;
        let Some(text) = seen.text() else {
            return Err(StoreError::NotFound { path: self.path.clone() });
        };
        let Some(bytes) = self.text_with(text, chunk)? else { return Ok(None) };
        let (open, version) = (seen.open(), Version::new(seen));
        Ok(Some(Loaded { bytes, open, version }))
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// As [`ClusterStore::loaded`].
    pub(super) fn read_text(&self) -> Result<Loaded, StoreError> {
        let mut gone = None;
        for _ in 0..READ_ATTEMPTS {
            let look = self.look()?;
            let text = look.seen.text().cloned();
            match self.loaded(look)? {
                Some(loaded) => return Ok(loaded),
                // A text that is gone is older than what the history keeps, unless the head names it still.
                None if gone != text => gone = text,
                None => break,
            }
        }
        Err(self.damaged("the text of the last change"))
    }

    /// The change that has to be confirmed.
    pub(super) fn unconfirmed(&self) -> Result<Option<PendingRecord>, StoreError> {
        let seen = self.seen()?;
        let (Some(info), Some(head)) = (seen.open().filter(|open| !open.is_over), &seen.head) else {
            return Ok(None);
        };
        let text = |text: Option<&TextRef>| match text {
            Some(text) => self.text_of(text),
            None => Ok(None),
        };
        let back = head.unconfirmed.as_ref().and_then(|change| change.back.as_ref());
        let (file, written) = (text(back)?, text(head.text.as_ref())?);
        Ok(Some(PendingRecord { info, running: file.clone().unwrap_or_default(), file, written }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cluster::compression::compress;

    #[test]
    fn a_record_that_lies_is_refused_before_anything_is_read_for_it() {
        // Nobody listens there: a request would be another error.
        let (url, _) = ClusterUrl::parse("etcd://127.0.0.1:1/p").expect("it is one");
        let store = ClusterStore::new(url, GatewaySettings::default());
        let honest = TextRef::example(1, "a");
        for (text, length) in [
            (TextRef { chunks: 1_000_000_000, ..honest.clone() }, 1),
            (TextRef { chunks: usize::MAX, ..honest.clone() }, 1),
            (TextRef { size: u64::MAX, ..honest.clone() }, 1),
            (honest.clone(), most_packed(0) + 1),
        ] {
            let key = store.keys.chunk(&text, 0).into();
            let chunk = KeyValue { key, value: vec![0; length], ..KeyValue::default() };
            let error = store.text_with(&text, Some(chunk)).expect_err("it can't be");
            let key = store.keys.text(&text);
            assert_eq!(
                error.to_string(),
                format!("`{}` failed: the text in `{key}` can't be read", store.given_name())
            );
            assert!(error.hint().is_some_and(|hint| hint.contains("etcdctl get")));
        }
        // Somebody found another text that has the revision.
        let packed = compress(&[b""]).expect("it is small");
        let chunk = || {
            let (key, value) = (store.keys.chunk(&honest, 0).into(), packed.clone());
            Some(KeyValue { key, value, ..KeyValue::default() })
        };
        store.text_with(&honest, chunk()).expect_err("it has another hash");
        let signed = TextRef { sha256: sha256([b"".as_slice()]), ..honest.clone() };
        assert_eq!(store.text_with(&signed, chunk()).expect("it is the text"), Some(Bytes::new()));
    }
}

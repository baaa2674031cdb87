//! The store in etcd, and its reading half.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::gateway::{Gateway, GatewaySettings};
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn};
use super::records::{HeadRecord, LARGEST_TEXT, TextRef};
use super::{ClusterUrl, Keys};
use crate::error::{Error, ErrorKind};
use crate::store::{Loaded, PendingInfo, Store};

/// The most attempts to read a text that other writers remove meanwhile.
const READ_ATTEMPTS: usize = 20;

/// The message of a change that is taken back.
pub(super) const NOT_CONFIRMED: &str = "not confirmed in time";

/// A configuration in etcd.
pub struct ClusterStore {
    pub gateway: Gateway,
    pub keys: Keys,
    /// The URL, which is the name.
    pub(super) given_path: PathBuf,
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
    /// The other keys that were read, one list for each range.
    pub others: Vec<Vec<KeyValue>>,
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

    /// The last change, if it is not confirmed.
    pub fn open(&self) -> Option<PendingInfo> {
        let head = self.head.as_ref()?;
        let change = head.unconfirmed.as_ref()?;
        let (id, operation, by) = (change.id.clone(), head.operation.clone(), head.author());
        Some(PendingInfo {
            canary: change.canary.clone(),
            soak_s: change.soak_s,
            is_over: !self.has_pending,
            ..PendingInfo::new(id, operation, by, change.until())
        })
    }

    /// True if the last change was not confirmed in time, and has to be taken back.
    pub fn has_run_out(&self) -> bool {
        !self.has_pending && self.head.as_ref().is_some_and(|head| head.unconfirmed.is_some())
    }
}

impl ClusterStore {
    /// The configuration at a URL. Sends nothing.
    pub fn new(url: ClusterUrl, settings: GatewaySettings) -> Self {
        Self::over(Gateway::new(url, settings))
    }

    /// The same configuration over the same connections, with another time for each request.
    pub fn with_time(&self, time: Duration) -> Self {
        Self::over(self.gateway.with_time(time))
    }

    fn over(gateway: Gateway) -> Self {
        let (keys, name) = (Keys::below(&gateway.url().prefix), gateway.url().to_string());
        Self { gateway, keys, given_path: name.into() }
    }

    /// A value does not have the form that this version writes.
    pub(super) fn damaged(&self, what: impl Display) -> Error {
        Error::new(ErrorKind::Unusable, format!("`{}` failed: {what}", self.name())).hint(
            "another version of mediactl, or another program, wrote that key: `etcdctl get --prefix KEY` shows what \
             stands there, and a back-up has what stood there; without one, `save FILE` under another prefix begins \
             anew, and `cluster adopt` there lets nodes go on with it",
        )
    }

    pub(super) fn too_large(&self) -> Error {
        let most = format!("a cluster takes a text of at most {} MiB", LARGEST_TEXT >> 20);
        Error::io("write", &self.given_path)(io::Error::new(io::ErrorKind::FileTooLarge, most))
    }

    pub(super) fn overtaken(&self) -> Error {
        Error::overtaken(self.name())
    }

    /// Reads the last change and other keys, all at once.
    ///
    /// # Errors
    /// `ClusterUnavailable`, `ClusterDenied`, `Failed`; `Unusable`. So have all that read.
    pub fn seen_with(&self, others: Vec<KeyRange>) -> Result<Seen, Error> {
        let ranges = [KeyRange::one(&self.keys.head), KeyRange::one(&self.keys.pending)];
        let success = ranges.into_iter().chain(others).map(KeyOperation::Read).collect();
        let reply = self.gateway.txn(&Txn { success, ..Txn::default() })?;
        let mut read = reply.read.into_iter();
        let [head, pending] = [(); 2].map(|()| read.next().and_then(|mut found| found.pop()));
        let revision_of = |found: &Option<KeyValue>| found.as_ref().map_or(0, |found| found.mod_revision);
        let (mod_revision, pending_revision) = (revision_of(&head), revision_of(&pending));
        let head = head.map(|head| self.record(&head)).transpose()?;
        let change = head.as_ref().and_then(|head| head.unconfirmed.as_ref());
        let is_of = |pending: &KeyValue| change.is_some_and(|change| change.id.as_bytes() == pending.value);
        let lease = pending.filter(is_of).map_or(0, |pending| pending.lease);
        let (has_pending, others) = (lease != 0, read.collect());
        Ok(Seen { head, mod_revision, has_pending, lease, pending_revision, others })
    }

    /// Reads the last change.
    pub fn seen(&self) -> Result<Seen, Error> {
        self.seen_with(Vec::new())
    }

    pub(super) fn one(&self, key: &str) -> Result<Option<KeyValue>, Error> {
        Ok(self.gateway.range(KeyRange::one(key))?.pop())
    }

    pub(super) fn record(&self, found: &KeyValue) -> Result<HeadRecord, Error> {
        let key = String::from_utf8_lossy(&found.key);
        HeadRecord::parse(&found.value).map_err(|why| self.damaged(format!("`{key}` {why}")))
    }

    /// Reads a text; `None` if it was removed from the history. Nothing is believed that the reference says of it before its
    /// size is bounded, and nothing that is read before its hash is right.
    pub fn text_of(&self, text: &TextRef) -> Result<Option<Bytes>, Error> {
        let damaged = || self.damaged(format!("the text in `{}` can't be read", self.keys.text(text)));
        let most_packed = text.most_packed().ok_or_else(damaged)?;
        let mut packed = Vec::new();
        for number in 0..text.chunks {
            let Some(chunk) = self.one(&self.keys.chunk(text, number))? else { return Ok(None) };
            if packed.len() + chunk.value.len() > most_packed {
                return Err(damaged());
            }
            packed.extend(chunk.value);
        }
        text.unpack(&packed).ok_or_else(damaged).map(Some)
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// `NoConfiguration`, too.
    pub(super) fn read_text(&self) -> Result<Loaded, Error> {
        for _ in 0..READ_ATTEMPTS {
            let seen = self.seen()?;
            let text = seen.text().ok_or_else(|| Error::no_file(&self.given_path))?;
            if let Some(bytes) = self.text_of(text)? {
                return Ok(Loaded { bytes, open: seen.open(), version: Arc::new(seen) });
            }
        }
        Err(self.damaged("the text of the last change can't be read"))
    }

    /// The record of a change in the history.
    pub(super) fn change(&self, serial: u64) -> Result<Option<HeadRecord>, Error> {
        self.one(&self.keys.change(serial))?.map(|found| self.record(&found)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_lies_is_refused_before_anything_is_read_for_it() {
        // Nobody listens there: a request would be another error.
        let (url, _) = ClusterUrl::parse("etcd://127.0.0.1:1/p").expect("it is one");
        let store = ClusterStore::new(url, GatewaySettings::default());
        let (honest, _) = TextRef::pack(b"", 1).expect("it is small");
        for text in [
            TextRef { chunks: 1_000_000_000, ..honest.clone() },
            TextRef { chunks: usize::MAX, ..honest.clone() },
            TextRef { size: u64::MAX, ..honest.clone() },
        ] {
            let error = store.text_of(&text).expect_err("it can't be");
            let (url, key) = (store.name(), store.keys.text(&text));
            assert_eq!(error.to_string(), format!("`{url}` failed: the text in `{key}` can't be read"));
            assert!(error.hint.is_some_and(|hint| hint.contains("etcdctl get")));
        }
    }
}

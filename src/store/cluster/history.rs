//! The history of a configuration in etcd: one record for each change, in pages.

use std::time::SystemTime;

use bytes::Bytes;

use super::cluster_store::{ClusterStore, Seen};
use super::head_record::HeadRecord;
use super::messages::{KeyRange, KeyValue};
use super::unconfirmed::NOT_CONFIRMED;
use crate::store::change_record::HistoryEntry;
use crate::store::error::StoreError;

/// About how many bytes of records one request reads. etcd's gateway answers with 4 MiB at most, of which
/// base64 takes a part.
const PAGE: usize = 1024 * 1024;

/// The number of records that the first request reads.
const FIRST_PAGE: u64 = 20;

/// The most records that a request reads.
const LONGEST_PAGE: u64 = 1000;

impl ClusterStore {
    /// The last changes in the history, the last one first; at most `wanted`.
    pub(super) fn changes(&self, wanted: usize) -> Result<Vec<HistoryEntry>, StoreError> {
        let seen = self.seen()?;
        let last = seen.head.as_ref().map_or(0, |head| head.serial);
        let mut entries = Vec::new();
        // The next change begins with it, whoever makes that.
        let run_out = seen.head.as_ref().filter(|_| seen.has_run_out());
        if let Some(change) = run_out.and_then(|head| head.unconfirmed.as_ref())
            && let Some(back) = run_out.and_then(|head| head.taken_back("", NOT_CONFIRMED))
        {
            // The lease may have ended before that: with whoever kept it alive.
            let at = change.until().min(SystemTime::now());
            entries.push(HeadRecord { at, ..back }.entry(1));
        }
        let (mut end, mut size) = (last + 1, FIRST_PAGE);
        let (mut number, mut next) = (entries.len() + 1, end);
        while end > 1 && entries.len() < wanted {
            let left = u64::try_from(wanted - entries.len()).unwrap_or(u64::MAX);
            let first = end.saturating_sub(size.min(left)).max(1);
            let range = KeyRange::between(&self.keys().change(first), &self.keys().change(end));
            let found = self.gateway().range(range).map_err(self.reading())?;
            // The serials have no gaps, so behind those that are there are none.
            if found.is_empty() {
                break;
            }
            for found in found.iter().rev() {
                let serial = self.keys().serial_of(&found.key);
                // A key that is gone in the middle of others is a row, too.
                let lacking = serial.map_or(0..0, |serial| serial + 1..next);
                for serial in lacking.rev() {
                    let why = format!("there is no `{}`", self.keys().change(serial));
                    entries.push(HistoryEntry::unreadable((Some(number), serial), why));
                    number += 1;
                }
                entries.push(self.entry(found, number, &seen));
                if let Some(serial) = serial {
                    (number, next) = (number + 1, serial);
                }
            }
            let bytes: usize = found.iter().map(|found| found.value.len()).sum();
            size = (PAGE / (bytes / found.len()).max(1)) as u64;
            (end, size) = (first, size.clamp(1, LONGEST_PAGE));
        }
        entries.truncate(wanted);
        Ok(entries)
    }

    /// The entry of a record in the history; one that can't be read is a row that names its key.
    fn entry(&self, found: &KeyValue, number: usize, seen: &Seen) -> HistoryEntry {
        let serial = self.keys().serial_of(&found.key);
        match (HeadRecord::parse(&found.value), serial, &seen.head) {
            (Ok(record), Some(serial), _) if record.serial == serial => record.entry(number),
            // The last change stands twice.
            (_, Some(serial), Some(head)) if head.serial == serial => head.clone().entry(number),
            (record, serial, _) => {
                let why = record
                    .err()
                    .map_or_else(|| "it is that of another change".to_owned(), |error| error.to_string());
                let why = format!("`{}` can't be read: {why}", String::from_utf8_lossy(&found.key));
                HistoryEntry::unreadable((serial.map(|_| number), serial.unwrap_or_default()), why)
            }
        }
    }

    /// The record of a change in the history.
    pub(super) fn change(&self, serial: u64) -> Result<Option<HeadRecord>, StoreError> {
        self.one(&self.keys().change(serial))?.map(|found| self.record(&found)).transpose()
    }

    /// The text before a change; `None` if there was none, or if the history no longer keeps it.
    pub(super) fn text_before(&self, serial: u64) -> Result<Option<Bytes>, StoreError> {
        let before = serial.checked_sub(1).map(|serial| self.change(serial)).transpose()?.flatten();
        before.and_then(|change| change.text).map_or(Ok(None), |text| self.text_of(&text))
    }
}

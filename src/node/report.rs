//! The last report of a node.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::{NodeRecord, fresh_id};

/// The record that was put last.
#[derive(Debug)]
pub struct RecordPut {
    /// Tells the processes apart that have the name of this node.
    instance: String,
    put: Mutex<LastRecord>,
    /// The time of the first report of the node, and when the last one was put.
    first: Mutex<Option<(String, Instant)>>,
}

/// The record as it was put, and its lease.
#[derive(Debug, Default)]
pub struct LastRecord {
    pub lease: Option<i64>,
    pub record: Option<NodeRecord>,
    /// The revision of etcd at which the record was changed last, as far as this process knows; 0 without one.
    pub revision: i64,
}

impl Default for RecordPut {
    fn default() -> Self {
        Self { instance: fresh_id(), put: Mutex::default(), first: Mutex::default() }
    }
}

impl RecordPut {
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// The time of the first report of the node, once it is known.
    pub fn first(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(first, _)| first.clone())
    }

    /// Notes the time of the first report, and that one was put now.
    pub fn note_first(&self, first: String) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some((first, Instant::now()));
    }

    /// True if the last report is older than this.
    pub fn is_old(&self, age: Duration) -> bool {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.as_ref().is_some_and(|(_, put)| put.elapsed() > age)
    }

    pub fn last(&self) -> MutexGuard<'_, LastRecord> {
        self.put.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

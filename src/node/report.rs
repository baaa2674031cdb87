//! The last report of a node.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{NodeRecord, fresh_id};

/// The record that was put last.
#[derive(Debug)]
pub struct RecordPut {
    /// Tells the processes apart that have the name of this node.
    instance: String,
    put: Mutex<LastRecord>,
}

/// The record as it was put, and its lease.
#[derive(Debug, Default)]
pub struct LastRecord {
    pub lease: Option<i64>,
    pub record: Option<NodeRecord>,
}

impl Default for RecordPut {
    fn default() -> Self {
        Self { instance: fresh_id(), put: Mutex::default() }
    }
}

impl RecordPut {
    pub fn instance(&self) -> &str {
        &self.instance
    }

    pub fn last(&self) -> MutexGuard<'_, LastRecord> {
        self.put.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

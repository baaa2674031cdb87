//! The turn of a writer where many write at the same time.
//!
//! Writers take no lock, so one whose check takes long could be overtaken by fast ones for ever. A writer
//! that was overtaken waits a little longer each time. One that was overtaken often puts the key `next` on a
//! lease, and the others do not begin while it is there. That is courtesy alone: the compares of a change
//! decide, whoever puts what.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::gateway::Gateway;
use super::gateway_fault::GatewayFault;
use super::messages::{Compare, KeyOperation, KeyValue, Txn};
use crate::store::chance::{fresh_id, jittered};

/// The pause of a writer that was overtaken once; it doubles each time.
pub const PAUSE: Duration = Duration::from_millis(10);

/// The number of times that a writer is overtaken before it writes next.
const OFTEN: u32 = 4;

/// The time in seconds that the others wait for it: as long as it tries.
const LEASE: u64 = 10;

/// The place of a writer among the others.
#[derive(Debug, Default)]
pub struct NextWriter {
    /// The number of times that the writer was overtaken since its last change.
    overtaken: AtomicU32,
    /// While it is the one who writes next: the value of the key, and its lease.
    own: Mutex<Option<(String, i64)>>,
}

impl NextWriter {
    /// Notes whether the writer was overtaken, or made its change.
    pub fn count(&self, was_overtaken: bool) {
        match was_overtaken {
            true => self.overtaken.fetch_add(1, Ordering::Relaxed),
            false => self.overtaken.swap(0, Ordering::Relaxed),
        };
    }

    /// Waits a little if the writer was overtaken, but not yet often.
    pub fn wait(&self) {
        let times = self.overtaken.load(Ordering::Relaxed);
        if (1..OFTEN).contains(&times) {
            thread::sleep(jittered(PAUSE * 2_u32.pow(times)));
        }
    }

    /// True if the writer was overtaken so often that it has to put the key, and has not done so.
    pub fn is_due(&self) -> bool {
        self.overtaken.load(Ordering::Relaxed) >= OFTEN && self.lock().is_none()
    }

    /// True if the key, as it was found, is that of another writer.
    pub fn is_another(&self, found: Option<&KeyValue>) -> bool {
        let own = self.lock();
        let is_own = |value: &[u8]| own.as_ref().is_some_and(|(own, _)| own.as_bytes() == value);
        // A key without a lease is of no writer, and would stay for good.
        found.is_some_and(|found| found.lease != 0 && !is_own(&found.value))
    }

    /// The writer has made its change, or gives up.
    pub fn end(&self, gateway: &Gateway) {
        if let Some((_, lease)) = self.lock().take() {
            // If that fails, it ends by itself.
            let _ = gateway.revoke(lease);
        }
    }

    /// Puts the key, unless another writer has put it meanwhile.
    pub fn put(&self, gateway: &Gateway, key: &str) -> Result<(), GatewayFault> {
        let mut own = self.lock();
        let (id, lease) = (fresh_id(), gateway.grant(LEASE)?);
        let txn = Txn {
            compare: vec![Compare::is_missing(key)],
            success: vec![KeyOperation::put_leased(key, id.clone(), lease)],
            ..Txn::default()
        };
        match gateway.txn(&txn)?.succeeded {
            true => *own = Some((id, lease)),
            // It is not needed, and ends by itself if that fails.
            false => drop(gateway.revoke(lease)),
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(String, i64)>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

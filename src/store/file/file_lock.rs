//! Waiting for an exclusive lock, and the name of its holder in the lock file.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::{Duration, Instant};

use crate::store::error::LockHolder;

/// The pause between two attempts to take a held lock.
const POLL: Duration = Duration::from_millis(10);

/// Shorter waits are not reported.
const SLOW: Duration = Duration::from_secs(1);

/// More digits than a process id has.
const LONGEST_ID: usize = 20;

impl LockHolder {
    pub(super) fn unknown() -> LockHolder {
        LockHolder { pid: None }
    }

    /// The process that wrote its id into `lock` last.
    pub(super) fn read(lock: &File) -> LockHolder {
        let mut text = [0; LONGEST_ID];
        let length = lock.read_at(&mut text, 0).unwrap_or(0);
        let pid = str::from_utf8(&text[..length]).ok().and_then(|text| text.trim().parse().ok());
        LockHolder { pid }
    }

    /// Writes the id of this process into `lock`. On a full disk the id is missing, which is harmless:
    /// the lock itself is held.
    pub(super) fn sign(lock: &File) {
        let text = format!("{}\n", std::process::id());
        let _ = lock.write_all_at(text.as_bytes(), 0).and_then(|()| lock.set_len(text.len() as u64));
    }
}

/// Takes the exclusive lock on `file`; false when it is still held after `wait`. Calls `on_slow` once
/// when it takes more than a second.
pub(super) fn wait_for(file: &File, wait: Duration, on_slow: &mut dyn FnMut()) -> io::Result<bool> {
    let start = Instant::now();
    let mut is_reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {
                continue;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let waited = start.elapsed();
        if waited >= wait {
            return Ok(false);
        }
        if waited >= SLOW && !is_reported {
            is_reported = true;
            on_slow();
        }
        thread::sleep(POLL.min(wait - waited));
    }
}

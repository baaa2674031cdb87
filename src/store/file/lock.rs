//! Exclusive locks on files of the state folder, each with the name of its holder in it.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::{Duration, Instant};

use super::state::StateDir;
use crate::error::Error;
use crate::store::error::LockHolder;

/// Name of the lock that every writer takes. It is never removed: a lock on a file that has lost its name
/// locks nothing.
pub(super) const LOCK: &str = "lock";

/// Name of the lock that a server holds for its whole life.
pub(super) const SERVE_LOCK: &str = "serve.lock";

/// The longest time to wait for commands that hold the lock of a server for a moment, to see whether one runs.
pub(super) const PROBE_WAIT: Duration = Duration::from_millis(500);

/// The pause between two attempts to take a held lock.
const POLL: Duration = Duration::from_millis(10);

/// Shorter waits are not reported.
const SLOW: Duration = Duration::from_secs(1);

/// More digits than a process id has.
const LONGEST_ID: usize = 20;

/// The end of an attempt to take a lock.
pub(super) enum LockAttempt {
    /// Closing the file gives the lock back.
    Taken(File),
    HeldBy(LockHolder),
    /// The folder was removed or exchanged during the wait: other processes use another lock file.
    Moved,
}

impl StateDir {
    /// Takes the lock in the file `name`, waiting at most `wait`. After a second of waiting, calls `on_wait`
    /// once with the holder.
    pub fn take_lock(
        &self,
        name: &str,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<LockAttempt, Error> {
        let lock = self.open(name)?;
        let taken = wait_for(&lock, wait, &mut || on_wait(&LockHolder::read(&lock)))
            .map_err(Error::state_folder(&self.path_of(name)))?;
        if !taken {
            return Ok(LockAttempt::HeldBy(LockHolder::read(&lock)));
        }
        if !self.still_has(name, &lock) {
            return Ok(LockAttempt::Moved);
        }
        LockHolder::sign(&lock);
        Ok(LockAttempt::Taken(lock))
    }
}

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
    fn sign(lock: &File) {
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

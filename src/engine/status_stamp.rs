//! What tells whether the status of a server may differ from before, without reading anything.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use super::content::Content;
use super::local::Engine;
use super::status::differing;

/// Differs from another one if the status may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusStamp {
    told: u64,
    /// Node, size and time of the file; `None` if there is none.
    file: Option<[i64; 4]>,
}

impl Engine {
    /// The stamp as it is now.
    pub fn status_stamp(&self) -> StatusStamp {
        let told = self.running.as_ref().map_or(0, |running| running.times_told());
        let found = fs::metadata(self.store.path()).ok();
        let file = found.map(|found| {
            [found.ino().cast_signed(), found.size().cast_signed(), found.mtime(), found.mtime_nsec()]
        });
        StatusStamp { told, file }
    }

    /// Waits until this server makes a change, at most for this time.
    pub fn wait_for_change(&self, known: &StatusStamp, most: Duration) {
        if let Some(running) = &self.running {
            running.wait_for_more(known.told, most);
        }
    }

    /// The paths of the values that the pending change of this server changed; empty if none is pending.
    pub fn pending_paths(&self) -> Vec<String> {
        let (Some(pending), Some(running)) = (self.pending(), self.running()) else { return Vec::new() };
        let Some(before) = pending.before.ran().cloned() else { return Vec::new() };
        differing(&Content::Text(before), &Content::Text(running))
    }
}

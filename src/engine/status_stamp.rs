//! What tells whether the status of a server may differ from before, without reading anything.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::local::Engine;
use super::status::differing;
use crate::store::Follow;

/// What the status of a server depends on.
#[derive(Debug, Clone)]
pub struct StatusStamp {
    told: u64,
    /// Stands for the stored text, and for the files and folders beside it.
    stored: u64,
    /// What is included, and the folders in which more may come.
    included: Vec<PathBuf>,
}

impl Engine {
    /// The stamp as it is now. What is included is read to know it.
    pub fn status_stamp(&self) -> StatusStamp {
        let included = self.included_places();
        StatusStamp { told: self.times_told(), stored: self.store.stamp(&included), included }
    }

    /// True if the status is as it was; reads nothing.
    pub fn is_as(&self, known: &StatusStamp) -> bool {
        self.times_told() == known.told && self.store.stamp(&known.included) == known.stored
    }

    /// True if a change is under way that has told of nothing yet: its text may be in the file before it is in the state.
    pub fn is_changing(&self, known: &StatusStamp) -> bool {
        self.times_told() == known.told && !self.settle(Duration::ZERO)
    }

    fn times_told(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.times_told())
    }

    fn included_places(&self) -> Vec<PathBuf> {
        let Some(running) = self.running().filter(|running| !running.includes().is_empty()) else {
            return Vec::new();
        };
        let folder = self.store.path().parent().unwrap_or(Path::new("")).to_owned();
        let patterns = running.includes().iter().map(|(_, pattern)| folder.join(pattern));
        let composed = self.composed(&running, Follow::ALL);
        let files = composed.into_iter().flat_map(|composed| composed.files).skip(1).map(|file| file.target);
        let all = patterns.chain(files).flat_map(|file| [file.parent().map(Path::to_owned), Some(file)]);
        let mut all: Vec<PathBuf> = all.flatten().collect();
        all.sort();
        all.dedup();
        all
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
        differing(&before, &running)
    }
}

//! The stamp of one version of a file (identity, times and size), and what equal stamps prove.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::store::bounded_time::from_seconds;

/// Two ticks of the slowest kernel clock that stamps files (100 Hz).
const TICK: Duration = Duration::from_millis(20);

/// Granularity of the file systems that keep no fractions of a second (ext3; FAT has two seconds).
const WHOLE_SECONDS: Duration = Duration::from_secs(2);

/// The version of the file that a text was loaded from.
///
/// Equal stamps prove an equal text only when the last change was old enough at loading time: a
/// second write within one tick of the clock leaves the same times behind.
#[derive(Clone, Debug)]
pub struct FileStamp {
    identity: Identity,
    settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The time of the last write of a file, and its length then; a new name or owner does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastWrite {
    pub inode: u64,
    pub size: u64,
    /// Seconds since 1970, and nanoseconds.
    pub modified: (i64, i64),
}

impl LastWrite {
    /// That of the regular file at a path; `None` if there is none.
    pub fn of(path: &Path) -> Option<LastWrite> {
        let found = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Some(LastWrite::from_metadata(&found))
    }

    pub fn from_metadata(found: &Metadata) -> LastWrite {
        LastWrite { inode: found.ino(), size: found.size(), modified: (found.mtime(), found.mtime_nsec()) }
    }

    /// True if the file was not written since, or is a copy that was given its time.
    pub fn same_time_as(&self, other: &LastWrite) -> bool {
        (self.size, self.modified) == (other.size, other.modified)
    }
}

/// A hash of the identities of files and folders, which may be missing; nothing of them is read.
pub(super) fn hash_of<'p>(paths: impl Iterator<Item = &'p Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| Identity::from_metadata(&found));
    paths.for_each(|path| identity(path).hash(&mut hasher));
    hasher.finish()
}

impl Identity {
    fn from_metadata(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

impl FileStamp {
    /// The stamp of a file that is about to be read.
    pub(super) fn from_metadata(found: &Metadata) -> FileStamp {
        let settled = is_settled(found, SystemTime::now());
        FileStamp { identity: Identity::from_metadata(found), settled }
    }

    /// The same stamp for a text that is not the one in the file: it matches no file.
    pub(super) fn unsettled(self) -> FileStamp {
        FileStamp { settled: false, ..self }
    }

    /// The version of the same text after the file got one more name, which changes its times; `None` if
    /// it is another file, or was written.
    pub(super) fn with_another_name(&self, later: FileStamp) -> Option<FileStamp> {
        let file = |stamp: &FileStamp| (stamp.identity.device, stamp.identity.inode);
        let same = file(self) == file(&later) && self.same_writing_as(&later);
        // A new name writes nothing, so whether equal times prove an equal text stays as it was.
        same.then_some(FileStamp { settled: self.settled, ..later })
    }

    /// True if a file with the stamp `later` must still hold the text that was read after `self`.
    pub(super) fn proves(&self, later: &FileStamp) -> bool {
        self.settled && self.identity == later.identity
    }

    /// True if the file was not written between the two, as far as its clock shows. A new owner, name or
    /// mode does not count.
    pub(super) fn same_writing_as(&self, other: &FileStamp) -> bool {
        let writing = |stamp: &FileStamp| (stamp.identity.size, stamp.identity.modified);
        writing(self) == writing(other)
    }
}

fn is_settled(found: &Metadata, now: SystemTime) -> bool {
    let has_fractions = found.ctime_nsec() != 0 || found.mtime_nsec() != 0;
    let window = if has_fractions { TICK } else { WHOLE_SECONDS };
    let changed = u64::try_from(found.ctime()).map(from_seconds);
    let nanoseconds = Duration::from_nanos(found.ctime_nsec().unsigned_abs());
    // A time in the future or before 1970 comes from a wrong clock and is no evidence.
    changed.is_ok_and(|seconds| now.duration_since(seconds + nanoseconds).is_ok_and(|age| age > window))
}

//! Files that somebody replaces while the program runs: passwords, certificates and keys are read again, and a wait ends
//! when a file may have changed.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::file::read_file;

/// The pause between two looks at a watched file.
const LOOK: Duration = Duration::from_millis(50);

/// Which file it is, the time of its last write, and its length then; a new name or owner does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastWrite {
    inode: u64,
    size: u64,
    /// Seconds since 1970, and nanoseconds.
    modified: (i64, i64),
}

impl LastWrite {
    /// That of the regular file at a path; `None` if there is none.
    pub fn of(path: &Path) -> Option<LastWrite> {
        fs::metadata(path).ok().filter(Metadata::is_file).map(|found| Self::from(&found))
    }
}

impl From<&Metadata> for LastWrite {
    fn from(found: &Metadata) -> Self {
        Self { inode: found.ino(), size: found.size(), modified: (found.mtime(), found.mtime_nsec()) }
    }
}

/// The content of a file as it was read last. What was not read from a file is never replaced.
#[derive(Clone)]
pub struct ReplaceableFile {
    pub content: Bytes,
    file: Option<(PathBuf, LastWrite)>,
}

impl ReplaceableFile {
    /// Reads a file as `read` does. The stamp is that of before, so that no later content passes for this one.
    pub fn read<E>(path: &Path, read: impl FnOnce(&Path) -> Result<Vec<u8>, E>) -> Result<Self, E> {
        let stamp = LastWrite::of(path);
        Ok(Self { content: read(path)?.into(), file: stamp.map(|stamp| (path.to_owned(), stamp)) })
    }

    /// A content, and the file that it was read from with the stamp of before, if it is from one.
    pub fn new(content: impl Into<Vec<u8>>, file: Option<(PathBuf, LastWrite)>) -> Self {
        Self { content: content.into().into(), file }
    }

    /// The first line, if it is text.
    pub fn first_line(&self) -> Option<&str> {
        str::from_utf8(&self.content).ok().map(|text| text.lines().next().unwrap_or_default())
    }

    /// Reads the file again if it was replaced; false if it was not, or can't be read. A file that is missing now may come
    /// back.
    pub fn refresh(&mut self) -> bool {
        let is_other =
            |(path, stamp): &&(PathBuf, LastWrite)| LastWrite::of(path).is_some_and(|now| now != *stamp);
        let other = self.file.as_ref().filter(is_other).map(|(path, _)| Self::read(path, read_file));
        other.and_then(Result::ok).map(|other| *self = other).is_some()
    }
}

/// A watch of a file, which is looked at again and again.
#[derive(Debug)]
pub struct FileWatch {
    path: PathBuf,
    seen: Option<LastWrite>,
}

impl FileWatch {
    /// Starts to watch; what happens from now on is not missed.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), seen: LastWrite::of(path) }
    }

    /// Waits until something happens to the file, or until the time is over.
    pub fn wait(&mut self, most: Duration) {
        let until = Instant::now() + most;
        while LastWrite::of(&self.path) == self.seen && Instant::now() < until {
            thread::sleep(LOOK.min(most));
        }
        self.seen = LastWrite::of(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_once_another_one_is_there() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (path, new) = (folder.path().join("password"), folder.path().join("new"));
        fs::write(&path, "first\nline").expect("it can be written");
        let mut known = ReplaceableFile::read(&path, |path| fs::read(path)).expect("it is there");
        assert!(!known.refresh() && known.first_line() == Some("first"));
        fs::remove_file(&path).expect("it is there");
        assert!(!known.refresh() && known.first_line() == Some("first"), "it may come back");
        fs::write(&new, "other").expect("it can be written");
        fs::rename(&new, &path).expect("it can be renamed");
        assert!(known.refresh() && known.first_line() == Some("other"));
        assert!(!known.refresh() && !ReplaceableFile::new("x", None).refresh());
    }

    #[test]
    fn a_file_that_is_replaced_is_noticed_and_another_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        fs::write(&path, "http 80;\n").expect("a file can be written");
        let mut watch = FileWatch::new(&path);
        fs::write(folder.path().join("other"), "").expect("a file can be written");
        let start = Instant::now();
        watch.wait(LOOK);
        assert!(start.elapsed() >= LOOK);
        fs::rename(folder.path().join("other"), &path).expect("a file can be renamed");
        let long = Duration::from_secs(60);
        let start = Instant::now();
        watch.wait(long);
        assert!(start.elapsed() < long);
    }
}

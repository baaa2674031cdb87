//! Waits until a file may have changed.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

/// The events of a folder when a file in it is written, replaced, made or removed.
const EVENTS: WatchFlags = WatchFlags::CLOSE_WRITE
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE);

/// The bytes for the events that are read at a time.
const EVENT_BYTES: usize = 4096;

/// A watch of the folder of a file: a program that replaces the file renames another one over it.
#[derive(Debug)]
pub struct FileWatch {
    events: OwnedFd,
    name: Vec<u8>,
}

impl FileWatch {
    /// Starts to watch; what happens from now on is not missed.
    ///
    /// # Errors
    /// The folder does not exist, or the system has no watches left.
    pub fn new(file: &Path) -> io::Result<Self> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&events, folder.unwrap_or(Path::new(".")), EVENTS)?;
        Ok(Self { events, name: name.as_encoded_bytes().to_vec() })
    }

    /// Waits until something happens to the file, or until the time is over. Network file systems tell
    /// nothing, so a caller looks at the file then, too.
    pub fn wait(&self, most: Duration) {
        let until = std::time::Instant::now() + most;
        while let Some(left) = until.checked_duration_since(std::time::Instant::now()) {
            let mut polled = [PollFd::new(&self.events, PollFlags::IN)];
            let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            // An error is a signal: the caller looks at the file, and waits again.
            if !matches!(poll(&mut polled, Some(&time)), Ok(1..)) || self.concerns_the_file() {
                return;
            }
        }
    }

    /// Takes all events, and says whether one of them was about the file.
    fn concerns_the_file(&self) -> bool {
        let mut bytes = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut events = inotify::Reader::new(&self.events, &mut bytes);
        let mut concerns = false;
        while let Ok(event) = events.next() {
            let is_lost = event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            concerns |= is_lost || event.file_name().is_some_and(|name| name.to_bytes() == self.name);
        }
        concerns
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::FileWatch;

    #[test]
    fn a_file_that_is_replaced_is_noticed_and_another_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        fs::write(&path, "http 80;\n").expect("a file can be written");
        let watch = FileWatch::new(&path).expect("it can be watched");
        fs::write(folder.path().join("other"), "").expect("a file can be written");
        assert!(!watch.concerns_the_file());
        fs::rename(folder.path().join("other"), &path).expect("a file can be renamed");
        let long = Duration::from_secs(60);
        let start = Instant::now();
        watch.wait(long);
        assert!(start.elapsed() < long);
        assert!(!watch.concerns_the_file(), "its event is taken");
    }
}

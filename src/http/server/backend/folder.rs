//! The folder of the private socket: only this user may enter it, and it is removed with its server.
//! The next server of the same user removes the folder of a server that was killed.
//!
//! A folder is locked before it gets a socket, and as long as its server lives. So a folder with a
//! socket was left behind if it can be locked and no server listens on the socket. All other folders
//! stay.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, flock, fstat, open, statat, unlinkat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::geteuid;
use tempfile::TempDir;

/// The prefix of the name of each folder.
const PREFIX: &str = "mediactl-";

/// The number of random letters and digits behind the prefix.
const RANDOM: usize = 6;

/// The mode of each folder.
const MODE: u32 = 0o700;

/// The name of the socket in a folder.
const SOCKET: &str = "http";

/// The parent of the folder if the path of the usual place is too long for a socket.
const SHORT_PLACE: &str = "/tmp";

/// The folder of one instance of tiny_http; removed when dropped.
pub struct Folder {
    folder: TempDir,
    /// Locked as long as it is open.
    _lock: OwnedFd,
}

impl Folder {
    /// Makes a new folder with a listening socket.
    pub fn bind() -> io::Result<(Self, UnixListener)> {
        Self::bind_in(&std::env::temp_dir()).or_else(|_| Self::bind_in(Path::new(SHORT_PLACE)))
    }

    fn bind_in(place: &Path) -> io::Result<(Self, UnixListener)> {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(PREFIX).rand_bytes(RANDOM).permissions(Permissions::from_mode(MODE));
        let folder = builder.tempdir_in(place)?;
        let lock = open_folder(folder.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let listener = UnixListener::bind(folder.path().join(SOCKET))?;
        Ok((Self { folder, _lock: lock }, listener))
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Removes the folder before it is dropped.
    pub fn remove(&self) {
        // It may be gone already.
        let _ = fs::remove_dir_all(self.folder.path());
    }
}

/// Removes the folders of killed servers of this user, as far as possible.
pub fn remove_dead() {
    let usual = std::env::temp_dir();
    remove_dead_in(&usual);
    if usual != Path::new(SHORT_PLACE) {
        remove_dead_in(Path::new(SHORT_PLACE));
    }
}

fn remove_dead_in(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_name)) {
        // Errors are ignored: the folder may belong to another user, and a later server tries again.
        let _ = remove_if_dead(&entry.path());
    }
}

fn is_name(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).unwrap_or_default();
    random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn remove_if_dead(folder: &Path) -> io::Result<()> {
    let open = open_folder(folder)?;
    let found = fstat(&open)?;
    let is_own = found.st_uid == geteuid().as_raw() && found.st_mode & 0o777 == MODE;
    if !is_own || !holds_socket(&open)? {
        return Ok(());
    }
    flock(&open, FlockOperation::NonBlockingLockExclusive)?;
    if is_listened_to(&folder.join(SOCKET))? {
        return Ok(());
    }
    unlinkat(&open, SOCKET, AtFlags::empty())?;
    fs::remove_dir(folder)
}

/// Opens a folder; fails for a symbolic link.
fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

fn holds_socket(folder: impl AsFd) -> io::Result<bool> {
    let found = statat(folder, SOCKET, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(found.st_mode) == FileType::Socket)
}

/// True if a server listens on the socket: older versions lock nothing.
fn is_listened_to(socket: &Path) -> io::Result<bool> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let client = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match connect(&client, &SocketAddrUnix::new(socket)?) {
        Err(Errno::CONNREFUSED) => Ok(false),
        // A full queue belongs to a running server, too.
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(place: &Path) -> Vec<String> {
        let entries = fs::read_dir(place).expect("it is a folder").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Makes a folder like the one that a killed server leaves.
    fn left_behind(place: &Path, name: &str) {
        let folder = place.join(name);
        fs::create_dir(&folder).expect("it can be made");
        fs::set_permissions(&folder, Permissions::from_mode(MODE)).expect("it is ours");
        drop(UnixListener::bind(folder.join(SOCKET)).expect("it can be bound"));
    }

    #[test]
    fn what_a_killed_server_leaves_is_cleaned_and_nothing_else() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let place = place.path();
        left_behind(place, "mediactl-dead00");
        for other in ["mediactl-dead", "mediactl-dead-0", "other-dead00"] {
            left_behind(place, other);
        }
        fs::create_dir(place.join("mediactl-empty0")).expect("it can be made");
        left_behind(place, "mediactl-shared");
        let mode = Permissions::from_mode(0o755);
        left_behind(place, "mediactl-open00");
        fs::set_permissions(place.join("mediactl-open00"), mode).expect("it is ours");
        left_behind(place, "mediactl-more00");
        fs::create_dir(place.join("mediactl-more00/kept")).expect("it can be made");
        std::os::unix::fs::symlink(place.join("other-dead00"), place.join("mediactl-link00"))
            .expect("a link");
        let older = place.join("mediactl-older0");
        fs::create_dir(&older).expect("it can be made");
        fs::set_permissions(&older, Permissions::from_mode(MODE)).expect("it is ours");
        let _older = UnixListener::bind(older.join(SOCKET)).expect("it can be bound");
        let (alive, _listener) = Folder::bind_in(place).expect("it can be bound");
        let alive = alive.folder.path().file_name().expect("it has a name").to_string_lossy().into_owned();

        let before = names(place);
        remove_dead_in(place);
        let mut expected = before.clone();
        expected.retain(|name| !matches!(name.as_str(), "mediactl-dead00" | "mediactl-shared"));
        assert_eq!(names(place), expected);
        assert!(names(place).contains(&alive) && place.join(&alive).join(SOCKET).exists());
        assert!(place.join("other-dead00/http").exists());
    }
}

//! Where the configuration really is: at the end of every chain of links.
//!
//! The links are followed by hand, because `canonicalize` fails on a file that is yet to be made
//! and cannot say which link of a chain leads to nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::error::{FileKind, StoreError};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// Name of the folder beside the configuration that holds a state folder a file.
const STATE_ROOT: &str = ".mediactl";

/// The configuration file: the path as it was given and the file that its links lead to.
///
/// It tells where the links led when it was made. A long-lived process makes a new one for each
/// operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfFile {
    given: PathBuf,
    target: PathBuf,
}

impl ConfFile {
    /// Follows the links of `path`. The file itself may be missing, its folder may not.
    ///
    /// # Errors
    /// `NotAFile`, `LinkLoop`, `DanglingLink`; `NotFound` for a missing folder; `PermissionDenied`
    /// and `Io` when a folder on the way cannot be searched.
    pub fn resolve(path: &Path) -> Result<ConfFile, StoreError> {
        Ok(ConfFile { given: path.to_owned(), target: follow(path)? })
    }

    /// The path as the user wrote it.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// The absolute path of the file that the links lead to.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The state folder, `.mediactl/FILE/` beside the target, whether it exists or not.
    pub fn state_dir(&self) -> PathBuf {
        self.state_root().join(self.name())
    }

    /// The folder of the target.
    pub(super) fn folder(&self) -> &Path {
        self.target.parent().expect("the target is a folder joined with a name")
    }

    /// The name of the target in its folder.
    pub(super) fn name(&self) -> &Path {
        Path::new(self.target.file_name().expect("the target is a folder joined with a name"))
    }

    /// The folder that holds the state folders of all configurations beside the target.
    pub(super) fn state_root(&self) -> PathBuf {
        self.folder().join(STATE_ROOT)
    }
}

fn follow(given: &Path) -> Result<PathBuf, StoreError> {
    let mut link = None;
    let mut at = given.to_owned();
    for _ in 0..=MAX_LINKS {
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                let next = one_step(&at)?;
                link = Some(std::mem::replace(&mut at, next));
            }
            Ok(found) => {
                refuse_other_kinds(&at, &found)?;
                return in_real_folder(&at);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match link {
                    None => in_real_folder(&at),
                    Some(link) => Err(dangling(given, link, at)),
                };
            }
            Err(error) => return Err(cannot_look_up(&at, error)),
        }
    }
    Err(StoreError::LinkLoop { path: given.to_owned() })
}

/// Where the link at `link` points; a relative one starts in the folder of the link.
fn one_step(link: &Path) -> Result<PathBuf, StoreError> {
    let points_to = fs::read_link(link).map_err(StoreError::opening("read the link", link))?;
    Ok(folder_of(link).join(points_to))
}

/// `path` without links and `..` in its folder.
fn in_real_folder(path: &Path) -> Result<PathBuf, StoreError> {
    let folder = folder_of(path);
    let Some(name) = path.file_name() else {
        return Err(StoreError::NotFound { path: path.to_owned() });
    };
    let folder = fs::canonicalize(folder).map_err(|error| cannot_look_up(folder, error))?;
    Ok(folder.join(name))
}

/// The parent of `path`; that of a bare name is the current folder, where std says `""`.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Refuses what has no text of its own, before anything tries to open it.
pub(super) fn refuse_other_kinds(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    match FileKind::unusable(found.file_type()) {
        None => Ok(()),
        Some(kind) => Err(StoreError::NotAFile { path: path.to_owned(), kind }),
    }
}

/// The pipe of a shell's `<(command)` looks like a dangling link, only the kernel can follow it.
fn dangling(given: &Path, link: PathBuf, points_to: PathBuf) -> StoreError {
    if let Ok(found) = fs::metadata(given)
        && let Err(error) = refuse_other_kinds(given, &found)
    {
        return error;
    }
    let points_to = in_real_folder(&points_to).unwrap_or(points_to);
    StoreError::DanglingLink { link, points_to }
}

fn cannot_look_up(path: &Path, error: io::Error) -> StoreError {
    if Errno::from_io_error(&error) == Some(Errno::LOOP) {
        return StoreError::LinkLoop { path: path.to_owned() };
    }
    StoreError::opening("look up", path)(error)
}

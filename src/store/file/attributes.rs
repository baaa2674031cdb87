//! Copying owner, group, mode, access control list and other attributes from the old file to the new one.
//!
//! Who may read and write the file never changes: a new file that cannot be given those rights must not
//! take the place of the old one. The loss of another attribute is a warning.

use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

use super::access::ACCESS_LIST;
use crate::store::warning::Warning;

/// Labels over the content itself, which the kernel computes anew.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

/// Permissions of the group, which stand for the mask of a list where there is one.
const GROUP_BITS: u32 = 0o070;

/// Copies from `from` (described by `found`) to `to`; `path` is for the warnings.
///
/// # Errors
/// The error of the system if owner, group, mode or access control list cannot be set.
pub(super) fn copy(from: &File, found: &Metadata, to: &File, path: &Path) -> io::Result<Vec<Warning>> {
    copy_owner(found, to)?;
    copy_permissions(from, found, to)?;
    let mut warnings = Vec::new();
    copy_attributes(from, to, path, &mut warnings);
    Ok(warnings)
}

fn copy_owner(found: &Metadata, to: &File) -> io::Result<()> {
    let now = to.metadata()?;
    if (now.uid(), now.gid()) == (found.uid(), found.gid()) {
        return Ok(());
    }
    let (owner, group) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
    Ok(rustix::fs::fchown(to, Some(owner), Some(group))?)
}

/// Mode and list; after the owner, because a change of owner clears the setuid bits.
fn copy_permissions(from: &File, found: &Metadata, to: &File) -> io::Result<()> {
    // A folder with a default list gives a list to each new file. That list is removed first, because
    // setting the mode would enable its entries.
    or_without_lists(rustix::fs::fremovexattr(to, ACCESS_LIST), ())?;
    if let Some(list) = or_without_lists(value(from, ACCESS_LIST).map(Some), None)? {
        // The group bits are the mask of the list that is copied below. Until then they would be rights
        // of the group.
        set_mode(to, found.mode() & !GROUP_BITS)?;
        rustix::fs::fsetxattr(to, ACCESS_LIST, &list, XattrFlags::empty())?;
    }
    set_mode(to, found.mode())
}

/// Turns the answers for a file or file system without lists into `without`.
fn or_without_lists<T>(answer: rustix::io::Result<T>, without: T) -> io::Result<T> {
    match answer {
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(without),
        answer => Ok(answer?),
    }
}

/// Sets the mode if it differs. Some file systems have only one mode, and refuse every call that sets
/// it.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mode = mode & 0o7777;
    match file.metadata()?.mode() & 0o7777 == mode {
        true => Ok(()),
        false => Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?),
    }
}

fn copy_attributes(from: &File, to: &File, path: &Path, warnings: &mut Vec<Warning>) {
    let names = match names(from) {
        Ok(names) => names,
        // A file system without attributes has none to lose.
        Err(Errno::NOTSUP | Errno::NOSYS) => return,
        Err(error) => return warnings.push(lost(path, None, error)),
    };
    for name in each_name(&names).filter(|name| !COMPUTED.contains(name) && *name != ACCESS_LIST) {
        if let Err(error) = copy_attribute(from, to, name) {
            warnings.push(lost(path, Some(name), error));
        }
    }
}

fn lost(path: &Path, name: Option<&CStr>, error: Errno) -> Warning {
    Warning::Attribute {
        path: path.to_owned(),
        name: name.map(|name| name.to_string_lossy().into_owned()),
        source: error.into(),
    }
}

fn copy_attribute(from: &File, to: &File, name: &CStr) -> rustix::io::Result<()> {
    let wanted = value(from, name)?;
    if value(to, name).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    rustix::fs::fsetxattr(to, name, &wanted, XattrFlags::empty())
}

fn names(file: &File) -> rustix::io::Result<Vec<u8>> {
    let mut names = vec![0; rustix::fs::flistxattr_query(file)?];
    let length = rustix::fs::flistxattr(file, &mut names)?;
    names.truncate(length);
    Ok(names)
}

fn value(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; rustix::fs::fgetxattr_query(file, name)?];
    let length = rustix::fs::fgetxattr(file, name, &mut value)?;
    value.truncate(length);
    Ok(value)
}

/// The kernel lists names one after the other, each with a NUL at its end.
fn each_name(names: &[u8]) -> impl Iterator<Item = &CStr> {
    names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok())
}

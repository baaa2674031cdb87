//! Owner, group, mode and extended attributes: the new file gets those of the old one.
//!
//! What cannot be kept is a warning, and never makes the new file open to more people than the old
//! one was.

use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

use super::warning::Warning;

/// The access control list, kept by the kernel as an attribute.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// Labels over the content itself, which the kernel computes anew.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

/// Gives `to` what `from` (described by `found`) has; `path` is for the warnings.
pub(super) fn copy(from: &File, found: &Metadata, to: &File, path: &Path) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let kept = copy_owner(found, to, path, &mut warnings);
    drop_inherited_access_list(to, path, &mut warnings);
    // After the owner, because a change of owner clears the setuid bits.
    if let Err(error) = rustix::fs::fchmod(to, Mode::from_raw_mode(narrowed(found.mode(), kept))) {
        warnings.push(Warning::Mode { path: path.to_owned(), source: error.into() });
    }
    copy_attributes(from, to, kept, path, &mut warnings);
    warnings
}

/// What of the ownership could be kept.
#[derive(Clone, Copy)]
struct Kept {
    owner: bool,
    group: bool,
}

fn copy_owner(found: &Metadata, to: &File, path: &Path, warnings: &mut Vec<Warning>) -> Kept {
    match give(found, to) {
        Ok(()) => Kept { owner: true, group: true },
        Err(source) => {
            warnings.push(Warning::Owner { path: path.to_owned(), source });
            let group = rustix::fs::fchown(to, None, Some(Gid::from_raw(found.gid()))).is_ok();
            let owner = to.metadata().is_ok_and(|now| now.uid() == found.uid());
            Kept { owner, group }
        }
    }
}

fn give(found: &Metadata, to: &File) -> io::Result<()> {
    let now = to.metadata()?;
    if (now.uid(), now.gid()) == (found.uid(), found.gid()) {
        return Ok(());
    }
    let (owner, group) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
    Ok(rustix::fs::fchown(to, Some(owner), Some(group))?)
}

/// `mode` for a file whose owner or group is another now: no setuid bit of the wrong owner, and the
/// wrong group gets no more than others have.
fn narrowed(mode: u32, kept: Kept) -> u32 {
    let mut mode = mode & 0o7777;
    if !kept.owner {
        mode &= !0o4000;
    }
    if !kept.group {
        let as_others = (mode & 0o007) << 3;
        mode &= !0o2070 | as_others;
    }
    mode
}

/// A folder with a default access control list gives one to each new file. It goes before the mode
/// is set, because the mode would switch its entries on.
fn drop_inherited_access_list(to: &File, path: &Path, warnings: &mut Vec<Warning>) {
    match rustix::fs::fremovexattr(to, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
        Err(error) => warnings.push(lost(path, Some(ACCESS_LIST), error)),
    }
}

fn copy_attributes(from: &File, to: &File, kept: Kept, path: &Path, warnings: &mut Vec<Warning>) {
    let names = match names(from) {
        Ok(names) => names,
        // A file system without attributes has none to lose.
        Err(Errno::NOTSUP | Errno::NOSYS) => return,
        Err(error) => return warnings.push(lost(path, None, error)),
    };
    // The list would give the rights back that a wrong group must not have.
    let wanted = |name: &CStr| !COMPUTED.contains(&name) && (kept.group || name != ACCESS_LIST);
    for name in each_name(&names).filter(|name| wanted(name)) {
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

//! The rights to write a file: its owner, its mode, and its access control list.
//!
//! Where a file has a list, the group bits of its mode are the *mask* of that list, not the rights of
//! the group: a file that one more user may write shows `rw-` for its group although the group may not
//! write (acl(5)). So the list is read, and checked as the kernel checks it.

use std::ffi::CStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::io::Errno;

/// The attribute in which the kernel keeps the list.
pub(super) const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// The permission to write, in a mode of three bits.
const WRITE: u16 = 0o2;

/// Owner, group, mode and list of a file.
#[derive(Debug)]
pub(super) struct AccessRights {
    pub owner: u32,
    pub group: u32,
    mode: u32,
    list: AccessList,
}

/// The list of a file.
#[derive(Debug, PartialEq, Eq)]
enum AccessList {
    /// There is none: the mode decides.
    Absent,
    Entries(Vec<AclEntry>),
    /// It cannot be read: it allows nothing.
    Unknown,
}

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AclEntry {
    tag: u16,
    permissions: u16,
    /// The user or the group, where the tag names one.
    id: u32,
}

// The tags of `linux/posix_acl.h`; the owner and the others are in the mode, too.
const NAMED_USER: u16 = 0x02;
const OWNING_GROUP: u16 = 0x04;
const NAMED_GROUP: u16 = 0x08;
const MASK: u16 = 0x10;

/// `POSIX_ACL_XATTR_VERSION` of `linux/posix_acl_xattr.h`, little endian.
const VERSION: [u8; 4] = [2, 0, 0, 0];
const ENTRY: usize = 8;

/// More than a list of 8 000 entries; file systems allow far fewer.
const LARGEST_LIST: usize = 64 * 1024;

impl AccessRights {
    /// The rights on the file at `path` itself; a link is not followed.
    pub fn read(path: &Path) -> io::Result<Self> {
        let found = std::fs::symlink_metadata(path)?;
        // If the mask has no write permission, no entry of the list grants it, so the list is not read.
        let list = if found.mode() & 0o020 == 0 { AccessList::Absent } else { AccessList::read(path) };
        Ok(Self::new(&found, list))
    }

    fn new(found: &Metadata, list: AccessList) -> Self {
        Self { owner: found.uid(), group: found.gid(), mode: found.mode(), list }
    }

    /// True if the members of the file's own group may write it.
    pub fn group_may_write(&self) -> bool {
        let in_mode = self.mode & 0o020 != 0;
        match &self.list {
            AccessList::Absent => in_mode,
            AccessList::Entries(entries) => {
                in_mode && entries.iter().any(|entry| entry.tag == OWNING_GROUP && entry.writes())
            }
            AccessList::Unknown => false,
        }
    }

    /// True if a user who is in these groups may write it. Root and the owner always may: the owner can
    /// change the mode at any time.
    pub fn may_write(&self, user: u32, groups: &[u32]) -> bool {
        if user == 0 || user == self.owner {
            return true;
        }
        match &self.list {
            AccessList::Absent if groups.contains(&self.group) => self.mode & 0o020 != 0,
            AccessList::Absent => self.mode & 0o002 != 0,
            AccessList::Entries(entries) => self.is_allowed(entries, user, groups),
            AccessList::Unknown => false,
        }
    }

    /// The order of acl(5), "access check algorithm": the named user, the groups, the others.
    fn is_allowed(&self, entries: &[AclEntry], user: u32, groups: &[u32]) -> bool {
        let mask_writes = entries.iter().find(|entry| entry.tag == MASK).is_none_or(|mask| mask.writes());
        if let Some(entry) = entries.iter().find(|entry| entry.tag == NAMED_USER && entry.id == user) {
            return mask_writes && entry.writes();
        }
        let mut of_groups = entries.iter().filter(|entry| match entry.tag {
            OWNING_GROUP => groups.contains(&self.group),
            NAMED_GROUP => groups.contains(&entry.id),
            _ => false,
        });
        match of_groups.next() {
            Some(first) => mask_writes && (first.writes() || of_groups.any(|entry| entry.writes())),
            None => self.mode & 0o002 != 0,
        }
    }
}

impl AclEntry {
    fn writes(self) -> bool {
        self.permissions & WRITE != 0
    }
}

impl AccessList {
    fn read(path: &Path) -> Self {
        let mut bytes = vec![0; LARGEST_LIST];
        match rustix::fs::lgetxattr(path, ACCESS_LIST, &mut bytes) {
            Ok(length) => Self::parse(&bytes[..length]),
            Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Self::Absent,
            Err(_) => Self::Unknown,
        }
    }

    fn parse(bytes: &[u8]) -> Self {
        let entries = bytes.strip_prefix(&VERSION).filter(|entries| entries.len() % ENTRY == 0);
        let Some(entries) = entries else { return Self::Unknown };
        let entry = |bytes: &[u8]| AclEntry {
            tag: u16::from_le_bytes([bytes[0], bytes[1]]),
            permissions: u16::from_le_bytes([bytes[2], bytes[3]]),
            id: u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
        };
        Self::Entries(entries.chunks_exact(ENTRY).map(entry).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: u32 = 10;
    const GROUP: u32 = 20;

    /// A file of mode 0660 with a list; an entry is a tag, its permissions, and an id.
    fn with_list(entries: &[(u16, u16, u32)]) -> AccessRights {
        let mut bytes = VERSION.to_vec();
        for (tag, permissions, id) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(permissions.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        AccessRights { owner: OWNER, group: GROUP, mode: 0o660, list: AccessList::parse(&bytes) }
    }

    fn with_mode(mode: u32) -> AccessRights {
        AccessRights { owner: OWNER, group: GROUP, mode, list: AccessList::Absent }
    }

    #[test]
    fn a_mode_says_who_may_write() {
        for (mode, group, others) in
            [(0o640, false, false), (0o660, true, false), (0o602, false, true), (0o666, true, true)]
        {
            let access = with_mode(mode);
            assert_eq!(access.group_may_write(), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[GROUP]), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[1]), others, "{mode:o}");
            assert!(access.may_write(0, &[]) && access.may_write(OWNER, &[]), "{mode:o}");
        }
    }

    #[test]
    fn an_entry_of_a_list_says_who_may_write_and_the_mask_does_not() {
        let reader =
            with_list(&[(OWNING_GROUP, 4, 0), (NAMED_USER, 6, 1), (NAMED_GROUP, 6, 2), (MASK, 6, 0)]);
        assert!(!reader.group_may_write());
        assert!(!reader.may_write(9, &[GROUP]), "the group may read");
        assert!(reader.may_write(1, &[]) && reader.may_write(9, &[2]) && reader.may_write(9, &[GROUP, 2]));
        assert!(!reader.may_write(9, &[9]), "the others may nothing");

        let masked = with_list(&[(OWNING_GROUP, 6, 0), (NAMED_USER, 6, 1), (MASK, 4, 0)]);
        assert!(!masked.may_write(9, &[GROUP]) && !masked.may_write(1, &[]), "the mask takes it away");

        let refused = with_list(&[(OWNING_GROUP, 6, 0), (NAMED_USER, 4, 1), (MASK, 6, 0)]);
        assert!(refused.group_may_write() && refused.may_write(9, &[GROUP]));
        assert!(!refused.may_write(1, &[GROUP]), "the entry of a user comes before those of groups");
    }

    #[test]
    fn a_list_that_cannot_be_read_allows_nothing() {
        for bytes in [&b""[..], b"\x01\0\0\0", b"\x02\0\0\0\x04\0\x06"] {
            assert_eq!(AccessList::parse(bytes), AccessList::Unknown, "{bytes:?}");
        }
        let access = AccessRights { list: AccessList::Unknown, ..with_mode(0o666) };
        assert!(!access.group_may_write() && !access.may_write(1, &[GROUP]));
        assert!(access.may_write(0, &[]) && access.may_write(OWNER, &[]));
    }
}

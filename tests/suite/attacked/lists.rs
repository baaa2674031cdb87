//! Access control lists, whose mask looks like a right of the group; and writers who are not the owner.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::XattrFlags;

use super::{
    GROUP, OWNER, STRANGER, TEXT, as_root, cases_of_root, give, mode, run_as, set_mode, shared_place,
};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};
use crate::needs::{given, needs_root};

const ACCESS_LIST: &str = "system.posix_acl_access";

/// Entries of a list: the tag of `linux/posix_acl.h`, what it permits, and whom it names.
type Entries<'a> = &'a [(u16, u16, u32)];

const NOBODY: u32 = u32::MAX;

/// The owner and one more user may write, the group may read: `rw-rw----` in `ls -l`.
const ONE_MORE_WRITER: Entries<'_> =
    &[(0x01, 6, NOBODY), (0x02, 6, STRANGER), (0x04, 4, NOBODY), (0x10, 6, NOBODY), (0x20, 0, NOBODY)];

fn list(entries: Entries<'_>) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0];
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

fn list_of(path: &Path) -> Vec<u8> {
    let mut bytes = vec![0; 1024];
    let length = rustix::fs::getxattr(path, ACCESS_LIST, &mut bytes[..]).expect("it has a list");
    bytes.truncate(length);
    bytes
}

/// A shared configuration of `OWNER` with a list; `None` if the file system has no lists.
fn with_list() -> Option<Place> {
    if !needs_root() {
        return None;
    }
    let place = shared_place(0o640, 0o777);
    let list = list(ONE_MORE_WRITER);
    let set = rustix::fs::setxattr(place.path(CONF), ACCESS_LIST, &list, XattrFlags::empty());
    if !given("xattr", set.is_ok()) {
        return None;
    }
    assert_eq!(mode(&place.path(CONF)), 0o660, "what the group seems to have is the mask");
    Some(place)
}

/// Owner, group, mode and inode.
fn looks(path: &Path) -> (u32, u32, u32) {
    let found = fs::symlink_metadata(path).expect("it is there");
    (found.uid(), found.gid(), found.mode())
}

#[test]
fn a_list_does_not_open_the_state_folder_to_a_group_that_may_read() {
    let Some(place) = with_list() else { return };
    let server = Serving::with(&place, &["--listen", "none"]);
    place.set(&["rtsp=554"]).exits(0);
    for (name, expected) in [("", 0o700), ("/sock", 0o600), ("/lock", 0o600)] {
        assert_eq!(mode(&place.path(&format!(".{CONF}.mediactl{name}"))), expected, "{name}");
    }
    // A member of the group, who may read.
    let member = |line: &str| run_as(&place, 1, GROUP, line);
    member("read http[0]").exits(0).prints("80");
    for command in ["modify --set rtsp=555", "confirm", "read --runtime", "diff", "update media.conf"] {
        let run = member(command).exits(4).says("permission denied");
        run.hides("no server runs").hides("no change waits");
    }
    server.stop().exits(0);
    member("modify --set rtsp=555").exits(4);
    assert!(place.text().contains("rtsp 554;"));
}

#[test]
fn a_change_keeps_the_list() {
    let Some(place) = with_list() else { return };
    let (conf, before) = (place.path(CONF), looks(&place.path(CONF)));
    // The user whom the list names may write the file, but can make no file of its owner.
    let refuse_named = |text: &str| {
        run_as(&place, STRANGER, STRANGER, "modify --set rtsp=555").exits(4).says("hint:");
        assert_eq!((looks(&conf), list_of(&conf), &*place.text()), (before, list(ONE_MORE_WRITER), text));
    };
    refuse_named(TEXT);
    place.set(&["rtsp=554"]).exits(0);
    assert_eq!((looks(&conf), list_of(&conf)), (before, list(ONE_MORE_WRITER)));
    refuse_named(&place.text());
}

/// The group shares the file: a member can't give a new file to the owner, so the old one is written.
#[test]
fn a_change_by_a_member_of_the_group_keeps_owner_and_mode() {
    for first in cases_of_root([0, 1]) {
        let place = shared_place(0o660, 0o775);
        let conf = place.path(CONF);
        give(&place.path("."), OWNER, GROUP);
        let before = looks(&conf);
        for (number, user) in [first, 1, 2, 0, OWNER, 2].into_iter().enumerate() {
            run_as(&place, user, GROUP, &format!("modify --set rtsp={}", 600 + number)).exits(0);
            assert_eq!(looks(&conf), before, "user {user}");
            assert!(place.text().contains(&format!("rtsp {};", 600 + number)), "user {user}");
        }
        let told = run_as(&place, 2, GROUP, "history -o json").exits(0).json();
        assert_eq!(told.as_array().map(Vec::len), Some(6));
        run_as(&place, STRANGER, STRANGER, "modify --set rtsp=1").exits(4);
    }
}

/// Reaching the socket is not enough.
#[test]
fn a_peer_of_the_socket_must_be_allowed_to_write_the_file() {
    let Some(place) = as_root(|| shared_place(0o660, 0o755)) else { return };
    let server = Serving::with(&place, &["--listen", "none"]);
    let set = |user, group, port: u32| run_as(&place, user, group, &format!("modify --set rtsp={port}"));
    set(1, GROUP, 601).exits(0);
    set(OWNER, OWNER, 602).exits(0);
    // All may reach it now, as if the folder had been opened by mistake.
    let state = place.path(&format!(".{CONF}.mediactl"));
    give(&state, OWNER, STRANGER);
    set_mode(&state, 0o770);
    let socket = place.path(&format!(".{CONF}.mediactl/sock"));
    set_mode(&socket, 0o666);
    set(STRANGER, STRANGER, 603).exits(4);
    // The file is closed to its group: a member is let in no more, whatever the socket's mode.
    set_mode(&place.path(CONF), 0o640);
    give(&state, OWNER, GROUP);
    set(1, GROUP, 604).exits(4);
    assert!(place.text().contains("rtsp 602;"));
    server.stop().exits(0);
}

//! Files of different owners in one folder, and a file that gets another owner.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use super::{GROUP, OWNER, STRANGER, TEXT, as_root, cases_of_root, give, public_place, run_as, set_mode};
use crate::cli::{CONF, Place};

const STATE: &str = ".media.conf.mediactl";

/// The file of a user, whose state folder holds a change of it.
fn of(user: u32) -> Place {
    let place = Place::with(TEXT);
    set_mode(&place.path("."), 0o755);
    give(&place.path(CONF), user, user);
    place.set(&["rtsp=1"]).exits(0);
    place
}

#[test]
fn two_files_of_different_owners_have_a_state_folder_each() {
    let Some(place) = as_root(Place::empty) else { return };
    set_mode(&place.path("."), 0o777);
    for (user, name) in [(OWNER, CONF), (STRANGER, "other.conf")] {
        place.put(name, TEXT);
        give(&place.path(name), user, user);
        for change in ["modify --set rtsp=2", "rollback last"] {
            let arguments: Vec<&str> = ["--conf", name].into_iter().chain(change.split(' ')).collect();
            run_as(&place, user, user, &arguments).exits(0);
        }
    }
}

#[test]
fn after_chown_root_makes_a_state_folder_for_the_new_owner() {
    for first in cases_of_root([OWNER, 0]) {
        let place = of(first);
        give(&place.path(CONF), STRANGER, STRANGER);
        run_as(&place, STRANGER, STRANGER, &["history"]).exits(4);
        place.set(&["rtsp=2"]).exits(0);
        run_as(&place, STRANGER, STRANGER, &["history", "show", "2"]).exits(0).prints("http 80;");
        let kept = place.kept();
        assert_eq!(kept, [TEXT.to_owned(), format!("{TEXT}rtsp 1;\n")]);
        for name in [STATE, &format!("{STATE}/history/0.conf.gz"), &format!("{STATE}/history/journal")] {
            let found = fs::symlink_metadata(place.path(name)).expect("it is there");
            assert_eq!((found.uid(), found.gid()), (STRANGER, STRANGER), "{name}");
        }
        assert_eq!(place.names(), [CONF]);
    }
}

/// Whoever owned the file before may have put a name of root's file into his folder.
#[test]
fn no_link_of_the_former_owner_is_followed() {
    let Some(place) = as_root(|| of(OWNER)) else { return };
    place.put("shadow", "root:S3CRET\n");
    set_mode(&place.path("shadow"), 0o600);
    fs::hard_link(place.path("shadow"), place.path(STATE).join("back")).expect("it is one file system");
    symlink(place.path("shadow"), place.path(STATE).join("followed")).expect("the name is free");
    symlink(place.path("shadow"), place.path(STATE).join("history/7.conf")).expect("the name is free");
    give(&place.path(CONF), STRANGER, STRANGER);
    place.set(&["rtsp=2"]).exits(0);
    for name in ["back", "followed", "history/7.conf"] {
        assert!(!place.path(STATE).join(name).exists(), "{name}");
    }
    assert_eq!(place.kept().len(), 2);
    let shadow = fs::symlink_metadata(place.path("shadow")).expect("it is there");
    assert_eq!((shadow.uid(), shadow.nlink()), (0, 1));
}

/// In a folder where everybody makes files, nobody knows who owned the file before.
#[test]
fn in_a_public_folder_nothing_is_taken_over() {
    for mode in cases_of_root([0o1777, 0o1775]) {
        let place = public_place();
        set_mode(&place.path("."), mode);
        give(&place.path(CONF), OWNER, GROUP);
        place.set(&["rtsp=1"]).exits(0);
        give(&place.path(CONF), STRANGER, STRANGER);
        place.set(&["rtsp=2"]).exits(4).says("belongs to user 4242").says("chown -R 6666");
    }
}

//! A state folder that another user made before us, files of different owners, and one that gets another owner.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use super::{GROUP, OWNER, STRANGER, TEXT, as_root, cases_of_root, give, public_place, run_as, set_mode};
use crate::cli::{CONF, Place};

/// The state folder as this user makes it, with the mode that it should have.
fn plant(place: &Place, user: u32) -> PathBuf {
    let state = place.path(&format!(".{CONF}.mediactl"));
    fs::DirBuilder::new().mode(0o700).create(&state).expect("the folder is ours");
    give(&state, user, user);
    state
}

fn put(path: PathBuf, bytes: &[u8], user: u32) {
    fs::write(&path, bytes).expect("the folder is ours");
    set_mode(&path, 0o600);
    give(&path, user, user);
}

#[test]
fn a_password_is_not_sent_to_the_socket_of_a_stranger() {
    let Some(place) = as_root(public_place) else { return };
    let state = plant(&place, STRANGER);
    put(state.join("serve.lock"), b"1\n", STRANGER);
    let lock = fs::File::open(state.join("serve.lock")).expect("it is there");
    lock.lock().expect("nobody holds it");
    let fake = UnixListener::bind(state.join("sock")).expect("the name is free");
    fake.set_nonblocking(true).expect("it is a socket");
    let refused = place.set(&["edit_auth.password=new"]).exits(4);
    refused.says("belongs to user 6666").says("hint:").says("chown -R 0 ").hides("new");
    assert!(fake.accept().is_err(), "nobody connected");
    assert_eq!(place.text(), TEXT);
    place.line("read http[0]").exits(0).says("belongs to user 6666").says("showing the file");
    assert!(fake.accept().is_err(), "nobody connected");
    place.line("history").exits(4).says("belongs to user 6666");
    place.line("serve --listen none").exits(4).says("belongs to user 6666");
}

/// The folders are root's by now, and a file in them is still the stranger's.
#[test]
fn a_planted_change_to_take_back_or_journal_is_refused() {
    for name in cases_of_root(["pending", "in-place", "lock", "serve.lock", "history/journal"]) {
        let place = public_place();
        place.set(&["rtsp=554"]).exits(0);
        let text = place.text();
        let file = place.path(&format!(".{CONF}.mediactl/{name}"));
        let bytes = fs::read(&file).unwrap_or_default();
        put(file, &bytes, STRANGER);
        let changed = place.set(&["rtsp=555"]);
        changed.exits(4).says(name).says("belongs to user 6666");
        assert_eq!(place.text(), text, "{name}");
    }
}

#[test]
fn a_state_folder_is_refused_by_its_owner_and_its_mode() {
    for (user, exit) in cases_of_root([(0, 0), (OWNER, 0), (STRANGER, 4)]) {
        let place = public_place();
        give(&place.path(CONF), OWNER, GROUP);
        plant(&place, user);
        place.set(&["rtsp=554"]).exits(exit);
        assert_eq!(place.text() == TEXT, exit == 4, "user {user}");
    }
    for (mode, exit) in cases_of_root([(0o700, 0), (0o770, 0), (0o701, 4), (0o755, 4), (0o777, 4)]) {
        let place = Place::with(TEXT);
        let state = plant(&place, 0);
        set_mode(&state, mode);
        let run = place.set(&["rtsp=554"]).exits(exit);
        if exit != 0 {
            run.says(&format!("{mode:04o}")).says("chmod -R o= ");
            assert_eq!(place.text(), TEXT);
        }
    }
}

/// Who may write the file by the mode of the others may still not make a state that all believe.
#[test]
fn a_stranger_makes_no_state_folder_for_the_file_of_another() {
    let Some(place) = as_root(public_place) else { return };
    set_mode(&place.path(CONF), 0o666);
    let refused = run_as(&place, STRANGER, STRANGER, "modify --set rtsp=554").exits(4);
    refused.says("only root and the owner of the configuration can make it");
    assert!(!place.path(&format!(".{CONF}.mediactl")).exists());
    assert_eq!(place.text(), TEXT);
}

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
            run_as(&place, user, user, &format!("--conf {name} {change}")).exits(0);
        }
    }
}

#[test]
fn after_chown_root_makes_a_state_folder_for_the_new_owner() {
    for first in cases_of_root([OWNER, 0]) {
        let place = of(first);
        give(&place.path(CONF), STRANGER, STRANGER);
        run_as(&place, STRANGER, STRANGER, "history").exits(4);
        place.set(&["rtsp=2"]).exits(0);
        run_as(&place, STRANGER, STRANGER, "history show 2").exits(0).prints("http 80;");
        let kept = place.kept();
        assert_eq!(kept, [TEXT.to_owned(), format!("{TEXT}rtsp 1;\n")]);
        for name in [STATE, &format!("{STATE}/history/0.conf"), &format!("{STATE}/history/journal")] {
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

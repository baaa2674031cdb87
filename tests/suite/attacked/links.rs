//! Links that another user made: in a folder that everybody may write, and below that of the configuration.

use std::fs;
use std::os::unix::fs::{lchown, symlink};

use super::{OWNER, STRANGER, TEXT, cases_of_root, give, public_place, set_mode};
use crate::cli::{CONF, Place};
use crate::needs::needs_root;

/// A link to the file itself, and one to its folder.
const LINKS: [(&str, &str); 2] = [("real/media.conf", "link.conf"), ("real", "folder")];

fn place_with_links(user: u32) -> Place {
    let place = public_place();
    fs::create_dir(place.path("real")).expect("the folder is ours");
    place.put("real/media.conf", TEXT);
    for (to, name) in LINKS {
        symlink(to, place.path(name)).expect("the name is free");
        lchown(place.path(name), Some(user), Some(user)).expect("root may give links away");
    }
    place
}

fn refused_and_followed(place: &Place, exit: i32) {
    for given in ["link.conf", "folder/media.conf", "./folder/../folder/media.conf"] {
        let given = place.path(given).display().to_string();
        for command in ["read http[0]", "modify --set rtsp=554", "check"] {
            let arguments = ["--conf", &given].into_iter().chain(command.split(' '));
            let run = place.mediactl(arguments).without("MEDIACTL_CONF").run().exits(exit);
            if exit != 0 {
                run.says("is a link of user 6666").says("hint:");
            }
        }
    }
}

#[test]
fn a_link_of_a_stranger_in_a_sticky_folder_is_not_followed_and_all_others_are() {
    // The last three: not everybody may write there, or everybody may take the links away.
    for (links_of, folder_of, mode, exit) in cases_of_root([
        (STRANGER, 0, 0o1777, 4),
        (0, 0, 0o1777, 0),
        (OWNER, OWNER, 0o1777, 0),
        (STRANGER, 0, 0o755, 0),
        (STRANGER, 0, 0o777, 0),
        (STRANGER, 0, 0o1775, 0),
    ]) {
        let place = place_with_links(links_of);
        give(&place.path("."), folder_of, folder_of);
        set_mode(&place.path("."), mode);
        refused_and_followed(&place, exit);
        let text = fs::read_to_string(place.path("real/media.conf")).expect("it is there");
        assert_eq!(text == TEXT, exit == 4, "{links_of} {mode:o}");
    }
}

#[test]
fn nothing_is_told_of_an_included_hard_link_to_a_file_of_another_user() {
    if !needs_root() {
        return;
    }
    let place = Place::with("include conf.d/*.conf;\n");
    let linked = place.path("conf.d/linked.conf");
    place.put("shadow", "root:S3CRET:19000:0:99999:7:::\n");
    fs::create_dir(place.path("conf.d")).expect("the name is free");
    fs::hard_link(place.path("shadow"), &linked).expect("both are in one place");
    let said = || {
        let run = place.line("check");
        format!("{}{}", run.out, run.err)
    };
    let is_quoted = || said().contains("S3CRET");
    assert!(is_quoted(), "it belongs to the owner of the configuration, as a backup by `cp -al` does");
    give(&linked, STRANGER, STRANGER);
    assert!(!is_quoted());
    assert!(said().contains("is not opened"));
    give(&place.path(CONF), STRANGER, STRANGER);
    assert!(is_quoted(), "both belong to the same user");
    give(&place.path(CONF), OWNER, OWNER);
    assert!(!is_quoted());
    fs::remove_file(place.path("shadow")).expect("it is there");
    assert!(is_quoted(), "it has no other name");
}

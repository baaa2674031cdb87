//! Links that another user made in a folder that everybody may write.

use std::fs;
use std::os::unix::fs::{lchown, symlink};

use super::{OWNER, STRANGER, TEXT, give, is_root, public_place, set_mode};
use crate::cli::Place;

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
        for command in [&["read", "http[0]"][..], &["modify", "--set", "rtsp=554"], &["check"]] {
            let arguments = ["--conf", &given].into_iter().chain(command.iter().copied());
            let run = place.mediactl(arguments).without("MEDIACTL_CONF").run();
            if exit == 0 {
                run.exits(0);
            } else {
                run.exits(exit).says("is a link of user 6666").says("hint:");
            }
        }
    }
}

#[test]
fn a_link_of_a_stranger_in_a_sticky_folder_is_not_followed() {
    if !is_root("links::a_link_of_a_stranger_in_a_sticky_folder_is_not_followed") {
        return;
    }
    let place = place_with_links(STRANGER);
    refused_and_followed(&place, 4);
    let text = fs::read_to_string(place.path("real/media.conf")).expect("it is there");
    assert_eq!(text, TEXT);
}

#[test]
fn a_link_of_ours_or_of_the_owner_of_the_folder_is_followed() {
    if !is_root("links::a_link_of_ours_or_of_the_owner_of_the_folder_is_followed") {
        return;
    }
    refused_and_followed(&place_with_links(0), 0);
    let place = place_with_links(OWNER);
    give(&place.path("."), OWNER, OWNER);
    refused_and_followed(&place, 0);
    // Not everybody may write there, or everybody may take the links away.
    for mode in [0o755, 0o777, 0o1775] {
        let place = place_with_links(STRANGER);
        set_mode(&place.path("."), mode);
        refused_and_followed(&place, 0);
    }
}

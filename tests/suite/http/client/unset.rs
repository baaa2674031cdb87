//! `--unset` of what is not there, through a server of ours and one with only the four operations.

use super::bare::{AS_ADMIN, bare_of, view};
use super::place;
use crate::cli::unset::{MISSING, text};

#[test]
fn unset_of_what_is_not_there_is_exit_7_through_a_server_with_only_the_four_operations() {
    let (server, place) = (bare_of(view(&text())), place());
    let url = server.url_as(AS_ADMIN);
    for (path, said) in MISSING.iter().filter(|(path, _)| *path != "auth.extra.realm.x") {
        place.run(["--url", &url, "modify", "--unset", path]).exits(7).says(said);
        assert_eq!(server.posts(), [], "{path}");
    }
    place
        .run(["--url", &url, "modify", "--unset", "rtmp", "--ignore-missing"])
        .exits(0)
        .says("nothing to change");
    place.run(["--url", &url, "modify", "--set", "streams.cam1.x=a b", "--unset", "rtsp"]).exits(0);
}

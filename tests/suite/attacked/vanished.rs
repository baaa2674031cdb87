//! A text that was acknowledged, and an old file that is put back over it.

use std::fs;
use std::process::Command;

use crate::cli::{CONF, Place};
use crate::needs::{given, needs_root};

/// Checks the texts that `history` keeps, and the result of `rollback`.
#[track_caller]
fn expect_all_texts(place: &Place) {
    let port = |text: &String| text.lines().find_map(|line| line.strip_prefix("rtsp ").map(str::to_owned));
    let ports: Vec<_> = place.kept().iter().filter_map(port).collect();
    assert_eq!(ports, ["1;", "2;", "1;"], "the text that was acknowledged is kept");
    place.line("rollback last").exits(0);
    assert!(place.text().contains("rtsp 1;"), "{}", place.text());
    place.line("rollback 2 --yes").exits(0);
    assert!(place.text().contains("rtsp 2;"), "{}", place.text());
}

#[test]
fn an_old_file_that_is_moved_back_leaves_the_new_text_in_the_history() {
    let place = Place::with("http 80;\nrtsp 1;\n");
    fs::hard_link(place.path(CONF), place.path("bak")).expect("the folder is ours");
    place.set(&["rtsp=2"]).exits(0);
    fs::rename(place.path("bak"), place.path(CONF)).expect("the folder is ours");
    let told = place.line("history -o json").exits(0).json();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
    place.set(&["rtsp=3"]).exits(0);
    expect_all_texts(&place);
}

/// As a container gets its configuration: written in place, so the inode stays; and `cp -p` gives the
/// old time back.
#[test]
fn a_mounted_file_that_is_restored_leaves_the_new_text_in_the_history() {
    if !needs_root() {
        return;
    }
    let place = Place::with("http 80;\nrtsp 1;\n");
    let (conf, copy) = (place.path(CONF), place.path("bak"));
    let run = |script: String| {
        let run = Command::new("unshare").args(["-m", "sh", "-ec", &script]).output();
        run.is_ok_and(|run| run.status.success())
    };
    let program = crate::cli::PROGRAM;
    let (conf, copy) = (conf.display(), copy.display());
    let mount = format!("mount --bind {conf} {conf}");
    if !given("mount", run(mount.clone())) {
        return;
    }
    let set = |port: u32| format!("{program} --conf {conf} modify -q --set rtsp={port}");
    let restore = format!("cp -p {conf} {copy}; {}; cp -p {copy} {conf}; rm {copy}; {}", set(2), set(3));
    assert!(run(format!("{mount}; {restore}")));
    expect_all_texts(&place);
}

//! Ids of changes: the same command given twice makes its change once.

use std::thread;

use serde_json::Value;

use super::serve::Serving;
use super::{Place, SAMPLE};
use crate::cluster::etcd::Etcd;
use crate::http::client::bare::bare;
use crate::waiting::eventually;

const ADD: [&str; 3] = ["modify", "--set", "streams.cam1.urls[+]=udp://h:9"];

fn count(text: &str) -> usize {
    text.matches("udp://h:9").count()
}

#[test]
fn a_change_with_an_id_is_made_once_on_a_file_over_the_socket_and_over_http() {
    for way in ["file", "socket", "http"] {
        let place = Place::with(SAMPLE);
        let serving = (way != "file").then(|| Serving::over(&place));
        let url = serving.as_ref().map(|serving| serving.url.replace("://", "://admin:hunter2@"));
        let over_http = url.as_ref().filter(|_| way == "http").map(|url| vec!["--url", url]);
        let run = |more: &[&str]| {
            let arguments =
                [&over_http.clone().unwrap_or_default()[..], &ADD, &["--change", "deploy-7"], more];
            place.mediactl(arguments.concat()).run()
        };
        run(&["--dry-run"]).exits(0).prints("+  url udp://h:9;");
        run(&["--exit-code"]).exits(10);
        run(&["--exit-code"]).exits(0).says("it has this change already");
        run(&["--dry-run", "--exit-code"]).exits(0).says("it has this change already");
        assert_eq!(count(&place.text()), 1, "{way}");
        let entries = place.line("history -o json").exits(0).json();
        assert_eq!(entries[0]["id"], "deploy-7", "{way}");
        // Other changes have other ids, and the same values may be changed again.
        place.set(&["rtsp=555"]).exits(0);
        let changed = place.mediactl(ADD).run().exits(0);
        drop(changed);
        let entries = place.line("history -o json").exits(0).json();
        let ids: Vec<&str> = (0..3).filter_map(|at| entries[at]["id"].as_str()).collect();
        assert!(ids.len() == 3 && ids[0] != ids[1], "{ids:?}");
        // It can be taken back by its id, and stays in the history.
        place.line("rollback --change deploy-7 --force");
        run(&["--exit-code"]).exits(0).says("it has this change already");
    }
}

#[test]
fn two_at_once_make_one_change() {
    for serves in [false, true] {
        let place = Place::with(SAMPLE);
        let _serving = serves.then(|| Serving::over(&place));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| place.mediactl([&ADD[..], &["--change", "once"]].concat()).run().exits(0));
            }
        });
        assert_eq!(count(&place.text()), 1);
        let made = place.line("history --change once -o json").exits(0).json();
        assert_eq!(made.as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn what_went_back_is_made_again_and_what_waits_is_confirmed() {
    let place = Place::with(SAMPLE);
    let _serving = Serving::over(&place);
    let run = |more: &[&str]| place.mediactl([&ADD[..], &["--change", "x"], more].concat()).run();
    run(&["--confirm", "1s"]).exits(0);
    eventually(|| count(&place.text()) == 0);
    run(&["--confirm", "1h"]).exits(0);
    run(&["--dry-run"]).exits(0).says("it waits to be confirmed");
    run(&[]).exits(0).says("it waited to be confirmed; now it is confirmed");
    place.line("confirm").exits(7);
    assert_eq!(count(&place.text()), 1);
    let entries = place.line("history --change x -o json").exits(0).json();
    let operations: Vec<&Value> =
        entries.as_array().expect("a list").iter().map(|it| &it["operation"]).collect();
    assert_eq!(operations, ["modify", "expired", "modify"]);
}

#[test]
fn an_id_is_refused_where_no_history_keeps_it() {
    let place = Place::with(SAMPLE);
    for id in ["", "a b", "-x", "a/b"] {
        place.run(["modify", &format!("--change={id}"), "--set", "rtsp=7"]).exits(2).says("letters, digits");
    }
    let _serving = Serving::over(&place);
    let update = place.fed("update - --change x", SAMPLE.replace("554", "7"));
    update.exits(3).says("an update is in no history");
    let server = bare();
    let url = server.url().replace("://", "://admin:hunter2@");
    let there = Place::empty();
    let posts = server.posts();
    let run = there.run(["--url", &url, "modify", "--set", "rtsp=7", "--change", "x"]).exits(7);
    run.says("does not offer ids of changes");
    assert_eq!(server.posts(), posts);
}

#[test]
fn a_change_of_a_cluster_with_an_id_is_made_once() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::empty();
    place.put("first.conf", SAMPLE);
    let run = |arguments: &[&str]| etcd.mediactl(&place, "/media/prod", arguments).run();
    run(&["save", "first.conf", "-q"]).exits(0);
    let add = [&ADD[..], &["--change", "x"]].concat();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| run(&add).exits(0));
        }
    });
    assert_eq!(count(&run(&["read", "-o", "conf"]).exits(0).out), 1);
    run(&["revert", "--change", "x"]).exits(0);
    assert_eq!(count(&run(&["read", "-o", "conf"]).exits(0).out), 0);
    let shown = run(&["history", "--change", "x", "-o", "json"]).exits(0).json();
    assert_eq!((&shown[0]["undoes"], &shown[1]["id"]), (&"x".into(), &"x".into()));
}

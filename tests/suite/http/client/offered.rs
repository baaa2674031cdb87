//! What a server of ours offers is made use of.

use super::ours::{ours, ours_over};
use super::place;
use super::server::Server;
use crate::cli::{Place, Run, SAMPLE};

fn run(server: &Server, place: &Place, arguments: &[&str], input: &str) -> Run {
    place.mediactl(["--url", &server.url()].iter().chain(arguments)).input(input).run()
}

fn as_it_is() -> Server {
    ours(|_| {})
}

/// A server that runs another text than the one in its file.
fn updated() -> Server {
    ours_over(&SAMPLE.replace("554", "553"), |_| {})
}

#[test]
fn text_and_file_are_read() {
    let (server, place) = (updated(), place());
    assert_eq!(run(&server, &place, &["read", "-o", "conf"], "").exits(0).out, SAMPLE);
    run(&server, &place, &["read", "-o", "conf", "--saved"], "").exits(0).prints("rtsp 553;");
    run(&server, &place, &["read", "--saved", "rtsp"], "").exits(0).prints("553");
    run(&server, &place, &["read", "rtsp"], "").exits(0).prints("554");
    let diff = run(&server, &place, &["diff"], "").exits(1);
    assert_eq!(diff.err, "");
    let url = server.url();
    diff.prints(&format!("--- {url}\n+++ {url} (saved)\n")).prints("-rtsp 554;\n+rtsp 553;\n");
    run(&server, &place, &["check"], "").exits(0).says("1 file checked");
}

#[test]
fn a_change_is_shown_as_text() {
    let (server, place) = (as_it_is(), place());
    let diff = "-  prepush 5; # seconds\n+  prepush 9; # seconds\n";
    let arguments = ["modify", "--set", "streams.cam1.prepush=9", "-m", "why & so"];
    let dry = run(&server, &place, &[&arguments[..], &["--dry-run"]].concat(), "").exits(0).prints(diff);
    dry.says("would change http://");
    let made = run(&server, &place, &arguments, "").exits(0).prints(diff);
    let made = made.says("note: an earlier update that was not saved").says("note: something-new\n");
    made.says(&format!("changed {}: 1 line added, 1 line removed\n", server.url()));
    let again = run(&server, &place, &arguments, "").exits(0);
    assert_eq!(again.out, "");
    again.says("nothing to change in http://");
    let query = "message=why+%26+so&format=conf";
    let targets: Vec<String> = server.posts().into_iter().map(|(target, _)| target).collect();
    let expected = [format!("dry_run=true&{query}"), query.to_owned(), query.to_owned()];
    assert_eq!(targets, expected.map(|query| format!("/media/api/modify_config?{query}")));
    assert!(server.requests().iter().all(|request| !request.headers.contains_key("if-match")));
}

#[test]
fn the_diff_shows_an_unsaved_update_too() {
    let (server, place) = (updated(), place());
    for flags in [&["--dry-run"][..], &[]] {
        let arguments = [&["modify", "--set", "streams.cam1.prepush=9"], flags].concat();
        let run = run(&server, &place, &arguments, "").exits(0).says("2 lines added, 2 lines removed");
        run.says("goes into the file, too").prints("-rtsp 553;\n+rtsp 554;\n").prints("+  prepush 9;");
    }
}

#[test]
fn a_replacement_is_shown_as_text() {
    let (server, place) = (updated(), place());
    let other = SAMPLE.replace("554", "555");
    run(&server, &place, &["save", "-", "--dry-run"], &other).exits(0).prints("-rtsp 553;\n+rtsp 555;\n");
    run(&server, &place, &["update", "-"], &other)
        .exits(0)
        .prints("-rtsp 554;\n+rtsp 555;\n")
        .says("updated");
    run(&server, &place, &["save", "-", "--force"], &other).exits(0).says("saved http://");
    let posts = ["save_config?dry_run=true", "update_config", "save_config?force=true"];
    let posts = posts.map(|target| (format!("/media/api/{target}"), other.clone()));
    assert_eq!(server.posts(), posts);
}

#[test]
fn a_guard_of_the_server_is_one_of_ours() {
    let (server, place) = (as_it_is(), place());
    let refused = run(&server, &place, &["modify", "--unset", "edit_auth"], "").exits(6);
    refused.says("error: no usable `edit_auth` would remain\n").says("--force");
    run(&server, &place, &["modify", "--force", "--unset", "edit_auth"], "")
        .exits(0)
        .prints("-edit_auth admin");
}

#[test]
fn a_list_edit_is_computed_again() {
    let mut others = 0;
    let server = ours(move |running| {
        if others < 3 {
            *running = running.replacen(
                "stream cam1 {\n",
                &format!("stream cam1 {{\n  url udp://other:{others};\n"),
                1,
            );
            others += 1;
        }
    });
    let made = run(&server, &place(), &["modify", "--set", "streams.cam1.urls[+]=udp://mine:1"], "").exits(0);
    made.prints("+  url udp://mine:1;");
    let posts = server.posts();
    assert_eq!(posts.len(), 4);
    for other in ["udp://other:0", "udp://other:1", "udp://other:2", "udp://mine:1"] {
        assert!(posts[3].1.contains(other), "{other}: {posts:?}");
    }
}

#[test]
fn a_list_edit_gives_up() {
    let server = ours(|running| running.push('#'));
    let run = run(&server, &place(), &["modify", "--set", "http[+]=1"], "").exits(5);
    run.says("it is another one").says("; try again");
    assert_eq!(server.posts().len(), 11);
}

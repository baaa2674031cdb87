//! A change that is reviewed before it is made: its summary, and `--only-if`.

use super::{Place, SAMPLE};

/// The arguments of a change that touches five entries.
const CHANGE: [&str; 7] = [
    "modify",
    "streams.cam1.prepush=2",
    "streams.cam1.title=Hall 1",
    "edit_auth.password=n3w-secret",
    "rtsp=555",
    "lives.studio.disabled=true",
    "--unset=streams.film",
];

const SUMMARY: [&str; 6] = [
    "~ rtsp 554 → 555",
    "~ edit_auth password <secret:",
    "~ cam1 prepush 5 → 2, title none → \"Hall 1\"",
    "- film",
    "~ lives.studio disabled none → true",
    "4 changed, 0 added, 1 removed",
];

#[test]
fn a_summary_has_a_line_for_each_entry_and_no_secret() {
    let place = Place::with(SAMPLE);
    place.put("old.conf", SAMPLE);
    let dry = place.run([&CHANGE[..], &["-o", "summary", "--dry-run"]].concat()).exits(0);
    let made = place.run([&CHANGE[..], &["-qo", "summary"]].concat()).exits(0);
    let diff = place.line("diff old.conf media.conf -o summary").exits(1);
    assert_eq!((&*made.err, &*diff.err), ("", ""));
    for run in [dry, made, diff] {
        assert_eq!(run.out.lines().count(), SUMMARY.len(), "{}", run.out);
        let run = SUMMARY.iter().fold(run, |run, line| run.prints(line));
        run.hides("n3w-secret").hides("hunter2").hides("@@");
    }
    let none = "0 changed, 0 added, 0 removed\n";
    assert_eq!(place.line("modify rtsp=555 -o summary").exits(0).out, none);
    for command in [&["add", "stream", "hall", "udp://1"][..], &["cp", "streams.\"cam.2\"", "streams.hall"]] {
        let run = place.run([command, &["--dry-run", "-o", "summary"]].concat()).exits(0);
        assert_eq!(run.out, "+ hall\n0 changed, 1 added, 0 removed\n");
    }
    let mut shown = place.mediactl(["diff", "old.conf", "media.conf"]).on_terminal();
    shown.expect("4 changed, 0 added, 1 removed\n\n--- old.conf").exits(1);
    let mut shown = place.mediactl(["modify", "rtsp=556"]).on_terminal();
    shown.expect("--- media.conf").exits(0);
    assert!(!shown.seen.contains("1 changed"), "{}", shown.seen);
}

/// It would count everything as added.
#[test]
fn a_summary_of_a_broken_text_says_that_it_has_none() {
    let place = Place::with("http 80;\nstream a {\n");
    place.put("new.conf", "http 80;\nstream a { url udp://1; }\n");
    for line in ["save new.conf -o summary --dry-run", "save new.conf -o summary"] {
        let json = place.line("save new.conf -o json --dry-run").exits(0).json();
        assert_eq!((&json["paths"], &json["changed"]), (&serde_json::json!([]), &true.into()));
        let run = place.line(line).exits(0).says("note: the text before has errors and can't be read");
        assert_eq!(run.out, "");
    }
}

#[test]
fn a_change_is_made_only_of_the_text_that_was_reviewed() {
    let place = Place::with(SAMPLE);
    let new = SAMPLE.replace("prepush 5", "prepush 6");
    for command in [
        &["modify", "streams.cam1.prepush=6"][..],
        &["save", "-"],
        &["apply", "-"],
        &["fmt"],
        &["add", "stream", "hall", "udp://1"],
        &["rm", "streams.cam1"],
    ] {
        place.put("media.conf", SAMPLE.replace("rtsp 554", "rtsp  554"));
        let run = |more: &[&str]| place.mediactl(command.iter().chain(more)).input(&new).run();
        let before = run(&["--dry-run", "-o", "json"]).exits(0).json()["before"].clone();
        let before = before.as_str().expect("it is a revision");
        place.set(&["rtmp=1935"]).exits(0);
        let refused = run(&["--only-if", before]).exits(5);
        refused.says("the configuration was changed meanwhile: rtmp");
        run(&["--only-if", before, "--force", "--dry-run"]).exits(5);
        let before = run(&["--dry-run", "-o", "json"]).exits(0).json()["before"].clone();
        let before = before.as_str().expect("it is a revision");
        run(&["--only-if", before]).exits(0);
    }
    let other = "0123456789abcdef0123456789abcdef";
    place.run(["modify", "rtsp=9", "--only-if", other]).exits(5).says("changed meanwhile: its revision is ");
    place.line("modify rtsp=9 --only-if x").exits(2).says("32 hex digits");
}

/// Digits are a name where no list stands, so that what is shown can be typed.
#[test]
fn names_of_digits_are_names() {
    let place = Place::with(
        "edit_auth a b;\nstream 5 { url udp://1; }\ntemplate 6 { prepush 1; }\nvod 8 { path /x; }\n",
    );
    let changes =
        ["streams.5.urls[0].url=udp://2", "streams.5.prepush=3", "template.6.prepush=2", "vod.8.path=/y"];
    let made = place.run(["modify", "-o", "summary"].iter().chain(&changes)).exits(0);
    made.prints("~ 5 urls[0].url udp://1 → udp://2, prepush none → 3\n")
        .prints("~ template 6.prepush")
        .prints("~ vod 8.path");
    let listed = place.run(["history", "-o", "json"]).json();
    let paths = listed[0]["paths"]["first"].as_array().expect("they are listed").clone();
    assert_eq!(paths.len(), changes.len());
    for path in paths {
        place.run(["read", path.as_str().expect("a path")]).exits(0);
    }
}

//! Globs, `--where` and `--replace`.

use serde_json::json;

use super::Place;

const STREAMS: &str = "\
edit_auth admin hunter2;
auth http://auth.example/;
stream cam1 { url udp://10.0.3.1:1; }
stream cam2 { url udp://10.0.4.1:1; url udp://10.0.3.2:1 priority=2; title hall; }
stream \"cam*\" { url udp://10.0.5.1:1; cluster_key geheim; }
stream news { url udp://10.0.3.3:1 priority=1; prepush 5; }
live studio { cluster_key geheim; }
";

/// The names of the streams that a change would touch.
fn touched(place: &Place, arguments: &[&str]) -> Vec<String> {
    let run = place.run(["modify", "--dry-run"].iter().chain(arguments)).exits(0);
    let lines = run.out.lines().filter(|line| line.starts_with("-stream "));
    lines.filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect()
}

#[test]
fn a_glob_stands_for_the_names_that_match() {
    let place = Place::with(STREAMS);
    assert_eq!(touched(&place, &["--set", "streams.cam*.prepush=5"]), ["cam1", "cam2", "\"cam*\""]);
    assert_eq!(touched(&place, &["--set", "streams.*a*2.prepush=5"]), ["cam2"]);
    assert_eq!(touched(&place, &["--set", "streams.\"cam*\".prepush=5"]), ["\"cam*\""]);
    let none = place.set(&["streams.x*.prepush=5"]).exits(7);
    none.says("error: `streams.x*.prepush`: `x*` matches nothing here");
    place.line("read streams.x*").exits(7);
    let read = |path: &str| place.run(["read", "-o", "compact", path]).exits(0).json();
    assert_eq!(read("streams.cam2.urls[*].url"), {
        json!({"streams.cam2.urls[0].url": "udp://10.0.4.1:1", "streams.cam2.urls[1].url": "udp://10.0.3.2:1"})
    });
    assert_eq!(read("streams.cam2.urls[-1].priority"), json!(2));
    assert_eq!(read("streams.c*.title"), json!({"streams": {"cam2": {"title": "hall"}}}));
}

#[test]
fn conditions_narrow_every_edit_of_a_call() {
    let place = Place::with(STREAMS);
    let set = ["--set", "streams.*.auth.url=false"];
    let touched = |conditions: &[&str]| {
        let options = conditions.iter().flat_map(|condition| ["--where", *condition]);
        touched(&place, &options.chain(set).collect::<Vec<_>>())
    };
    assert_eq!(touched(&["urls.url~10.0.3."]), ["cam1", "cam2", "news"]);
    assert_eq!(touched(&["urls.url~10.0.3.", "urls.priority=1"]), ["news"]);
    assert_eq!(touched(&["urls.url=~10[.]0[.][45]"]), ["cam2", "\"cam*\""]);
    assert_eq!(touched(&["prepush!=5"]), ["cam1", "cam2", "\"cam*\""]);
    assert_eq!(touched(&["title exists"]), ["cam2"]);
    assert_eq!(touched(&["title missing", "prepush missing"]), ["cam1", "\"cam*\""]);
    assert_eq!(touched(&["cluster_key=geheim"]), ["\"cam*\""]);
    let run =
        place.line("modify --where title=hall --set streams.*.prepush=1 --unset streams.*.title").exits(0);
    run.prints("+stream cam2 { url udp://10.0.4.1:1; url udp://10.0.3.2:1 priority=2; prepush 1; }");
    let none = place.line("modify --where title=nowhere --set streams.*.prepush=1").exits(7);
    none.says("error: `streams.*.prepush`: no entry meets the condition of `--where`");
}

#[test]
fn reading_is_narrowed_by_real_values() {
    let place = Place::with(STREAMS);
    let read = |line: &str| place.line(&format!("read --mask {line}")).exits(0);
    let found = read("-o compact streams.*.title --where urls.url~10.0.4.").json();
    assert_eq!(found, json!({"streams": {"cam2": {"title": "hall"}}}));
    let found = read("--where cluster_key=geheim -o set").hides("geheim");
    assert!(found.out.starts_with("streams.\"cam*\".static=true\n"), "{}", found.out);
    assert_eq!(read("-o table --where prepush=5").out.lines().count(), 2);
    assert_eq!(read("-r streams.cam2.title --where urls.priority=2").out, "hall\n");
    let lives = place.run(["read", "lives", "--where", "cluster_key exists"]).exits(0).json();
    assert_eq!(lives["lives"]["studio"]["position"], 1);
    place.line("read streams.cam1 --where title=hall").exits(7);
    place.line("read --where title=none").exits(7);
    place.line("read --where title").exits(2).says("error: `--where`: there is no `=`");
    place.line("read --where title=~(").exits(3);
    place.line("read rtmp --where title=x").exits(3);
    place.line("read -o conf --where title=x").exits(7);
}

#[test]
fn a_part_of_values_is_replaced() {
    let added = |arguments: &[&str]| -> Vec<String> {
        let run = Place::with(STREAMS).run(["modify"].iter().chain(arguments)).exits(0);
        run.out.lines().filter(|line| line.starts_with('+')).skip(1).map(str::to_owned).collect()
    };
    let moved = [
        "+stream cam1 { url udp://10.0.9.1:1; }",
        "+stream cam2 { url udp://10.0.4.1:1; url udp://10.0.9.2:1 priority=2; title hall; }",
        "+stream news { url udp://10.0.9.3:1 priority=1; prepush 5; }",
    ];
    for path in ["streams.*.urls[*].url", "streams.*.urls.url", "streams"] {
        assert_eq!(added(&["--replace", path, "s/10.0.3./10.0.9./"]), moved, "{path}");
    }
    let some = ["--replace", "streams.*.urls[*].url", "s/10.0.3./10.0.9./", "--where", "prepush exists"];
    assert_eq!(added(&some), moved[2..]);
    let regex = ["--replace", "streams.c*2.urls[*].url", r"s/10\.0\.(\d)\.1:/h$1:/r"];
    let by_regex = "+stream cam2 { url udp://h4:1; url udp://10.0.3.2:1 priority=2; title hall; }";
    assert_eq!(added(&regex), [by_regex]);
    let place = Place::with(STREAMS);
    let replace = |path: &str, text: &str| place.run(["modify", "--replace", path, text]);
    replace("streams.*.title", "s/nowhere/x/").exits(7).says("the text to replace is in no value here");
    replace("streams.x.title", "s/a/b/").exits(7).says("there is no stream `x`");
    replace("streams.*.title", "s/a/b").exits(2).says("expected `s/OLD/NEW/`");
    for by in [r"s/(\d)/$1a/r", r"s/(\d)/$2/r", r"s/(\d)/\2/r", "s/a/${host}/r"] {
        let lacks = "the new text names a group that the regular expression lacks";
        replace("streams.*.urls[*].url", by).exits(2).says(lacks).says("`${1}a`");
        place.run(["mv", "streams.cam*", "--replace", by]).exits(2).says(lacks);
    }
    replace("streams.*.title", "s/(/b/r").exits(3).says("the regular expression is not valid");
    replace("streams.*.name", "s/a/b/").exits(3).says("`name` is output only");
    place.line("modify --replace streams.*.title").exits(2);
    assert_eq!(place.text(), STREAMS);
}

const MANY: usize = 21;

fn many() -> Place {
    let flag = |at: usize| if at < 9 { " hidden_flag yes;" } else { "" };
    let stream = |at: usize| format!("stream cam{at} {{ url udp://239.0.0.{at}:1; title t;{} }}\n", flag(at));
    Place::with((1..=MANY).map(stream).collect::<String>())
}

#[test]
fn a_condition_on_a_misspelt_key_is_refused_everywhere() {
    let place = many();
    let before = place.text();
    for command in [
        &["modify", "--set", "streams.*.disabled=true"][..],
        &["modify", "--unset", "streams.*.title"],
        &["rm", "streams.*"],
        &["read"],
        &["read", "-o", "table"],
    ] {
        for condition in ["titel!=x", "titel missing", "urls.ulr!=x"] {
            let run = place.run(command.iter().chain(&["--where", condition])).exits(3);
            run.says("did you mean `").says("add `--accept near-miss`");
        }
        place.run(command.iter().chain(&["--where", "title~"])).exits(2).says("there is no text behind `~`");
        place.run(command.iter().chain(&["--where", "title=~"])).exits(2);
    }
    assert_eq!(place.text(), before);
    let accepted = ["--where", "titel!=x", "--accept", "near-miss"];
    place.run(["read"].iter().chain(&accepted)).exits(0);
    let set = ["modify", "--dry-run", "--set", "streams.*.disabled=true"];
    place.run(set.iter().chain(&accepted)).exits(0);
    place.run(set.iter().chain(&["--where", "titel!=x", "--create"])).exits(0);
    place.run(set.iter().chain(&["--where", "nosuchkey!=x"])).exits(0);
    place.run(set.iter().chain(&["--where", "comment!=x"])).exits(0);
}

#[test]
fn a_change_of_many_entries_tells_its_effects_and_is_asked_about_on_a_terminal() {
    let place = many();
    let before = place.text();
    let set = ["modify", "--set", "streams.*.disabled=true", "--unset", "streams.cam1.urls"];
    let told = "21 of 21 streams: 21 become disabled, 1 loses its source";
    place.run(set.iter().chain(&["--dry-run", "-q"])).exits(0).hides(told);
    let dry = place.run(set.iter().chain(&["--dry-run", "-o", "change-json"])).exits(0).json();
    let effects = &dry["effects"];
    assert_eq!(effects["summary"], told);
    assert_eq!((&effects["become_disabled"], &effects["lose_source"]), (&21.into(), &1.into()), "{effects}");
    let asked = || place.mediactl(set).on_terminal();
    asked().expect(told).expect("go on?").enter("n").exits(6);
    asked().expect("go on?").end_input().exits(6);
    assert_eq!(place.text(), before);
    asked().expect("go on?").enter("y").exits(0);
    assert_ne!(place.text(), before);
    // With `--yes`, of twenty, and without a terminal nothing asks.
    let fewer = ["modify", "--where", "urls.url!=udp://239.0.0.1:1", "--set", "streams.*.disabled=true"];
    for arguments in [&[&set[..], &["--yes"]].concat()[..], &fewer] {
        place.put("media.conf", &before);
        place.mediactl(arguments).on_terminal().exits(0);
    }
    place.put("media.conf", &before);
    place.run(set).exits(0).says(told);
}

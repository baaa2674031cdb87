//! The changes that are refused unless they are accepted by name, on every target: the file, a server
//! over it, and a server that has only the four operations (`http::client::bare`).

use super::serve::Serving;
use super::{Place, Run};

/// One change that a guard of this name refuses, with exit code 3.
struct Refused {
    guard: &'static str,
    text: &'static str,
    arguments: &'static [&'static str],
    input: &'static str,
    /// The words of the refusal: the pointer, and the probable key.
    says: &'static [&'static str],
}

/// A patch that would write a directive beside the one that is meant.
const fn missed(input: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { guard: "near-miss", text: STREAM, arguments: &["modify", "-f", "-"], input, says }
}

/// The same by one `--set`.
const fn mistyped(
    text: &'static str,
    assignment: &'static [&'static str],
    says: &'static [&'static str],
) -> Refused {
    Refused { guard: "near-miss", text, arguments: assignment, input: "", says }
}

/// A patch that would change the form of a directive.
const fn reshaped(text: &'static str, input: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { guard: "form-change", text, arguments: &["modify", "-f", "-"], input, says }
}

const ACCOUNT: &str = "edit_auth a b;\n";

const STREAM: &str = "stream cam1 udp://1;\n";

const PRESENT: &str = "send the present value with your change";

const REFUSED: &[Refused] = &[
    mistyped(
        "http 80;\n",
        &["modify", "--set", "rtpm=1936"],
        &["`rtpm`: `rtpm` is not known here", "did you mean `rtmp`?"],
    ),
    mistyped(
        STREAM,
        &["modify", "--set", "streams.cam1.prepsh=5"],
        &["`streams.cam1.prepsh`:", "did you mean `prepush`?"],
    ),
    mistyped(
        STREAM,
        &["modify", "--set", "strems.cam1.prepush=5"],
        &["`strems`:", "did you mean `streams`?"],
    ),
    mistyped(
        "http 80;\n",
        &["modify", "--set", "editauth.password=hush"],
        &["`editauth`:", "did you mean `edit_auth`?"],
    ),
    missed(r#"{"streams":{"new":{"urls":[{"url":"udp://1"}],"prepsh":5}}}"#, &["`streams.new.prepsh`:"]),
    // A patch that misses its target: a path as a key, another letter case, another block, a wrapper, a newer name.
    missed(
        r#"{"streams":{"cam1":{"urls":[{"url":"udp://1","priorty":1}]}}}"#,
        &["`streams.cam1.urls`: `priorty` is no known option", "did you mean `priority`?"],
    ),
    missed(
        r#"{"streams":{"new":{"urls":[{"url":"udp://1","priorty":1}]}}}"#,
        &["`streams.new.urls`: `priorty` is no known option", "did you mean `priority`?"],
    ),
    missed(
        r#"{"streams":{"cam1":{"transcoder":[["vb","1k"],["presett","fast"]]}}}"#,
        &["`streams.cam1.transcoder`: `presett` is no known option"],
    ),
    missed(
        r#"{"streams":{"cam1":{"auth":{"url":"false"}}}}"#,
        &["`streams.cam1.auth`: `false` is read as the URL of a backend"],
    ),
    missed(r#"{"auth":{"url":"http//b"}}"#, &["`auth`: `http//` lacks a `:`", "did you mean `http://`?"]),
    missed(
        r#"{"streams":{"cam1":{"dvr":{"root":"/s","options":["7D"]}}}}"#,
        &["`streams.cam1.dvr`: `7D` is read as an option", "did you mean `7d`?"],
    ),
    missed(
        r#"{"streams":{"cam1":{"dvr":{"root":"7d"}}}}"#,
        &["`streams.cam1.dvr`: `7d` is read as the root", "did you mean `dvr ROOT 7d`?"],
    ),
    missed(r#"{"loglevel":"verbose"}"#, &["`loglevel`: `verbose` is no known value", "did you mean `debug`"]),
    missed(r#"{"/streams/cam1/prepush":9}"#, &["did you mean `streams.cam1.prepush`?"]),
    missed(r#"{"streams/cam1/prepush":9}"#, &["did you mean `streams.cam1.prepush`?"]),
    missed(r#"{"$":{"streams":{"cam1":{"prepush":1}}}}"#, &["did you mean what is in `$`, without it?"]),
    missed(r#"{"RTMP":1936}"#, &["did you mean `rtmp`?"]),
    missed(r#"{"streams":{"cam1":{"AUTH":"http://b"}}}"#, &["did you mean `streams.cam1.auth`?"]),
    missed(r#"{"prepush":5}"#, &["did you mean `streams.NAME.prepush`?"]),
    missed(r#"{"streams":{"cam1":{"rtmp":5}}}"#, &["did you mean `rtmp` at the top level?"]),
    missed(r#"{"streams":{"cam1":{"inputs":"udp://2"}}}"#, &["did you mean `streams.cam1.urls`?"]),
    missed(r#"{"streams":{"cam1":{"auth.url":false}}}"#, &["did you mean `streams.cam1.auth.url`?"]),
    missed(r#"{"edit_auth.password":"x"}"#, &["did you mean `edit_auth.password`?"]),
    missed(r#"{"cam1":{"prepush":3}}"#, &["did you mean `streams.cam1`?"]),
    missed(r#"{"cam1/prepush":3}"#, &["did you mean `streams.cam1.prepush`?"]),
    missed(r#"{"data":{"config":{"lives":{}}}}"#, &["did you mean what is in `data`, without it?"]),
    missed(r#"{"result":{"rtmp":1935,"http":[80]}}"#, &["did you mean what is in `result`, without it?"]),
    missed(r#"{"template":{"t":{"Prepush":3}}}"#, &["did you mean `template.t.prepush`?"]),
    reshaped(
        "mark a;\nmark b;\n",
        r#"{"mark":["a","c"]}"#,
        &["`mark`: there are 2 `mark` lines here", PRESENT],
    ),
    reshaped("peer s01;\npeer s02;\n", r#"{"peer":{"s03":{}}}"#, &["`peer`:", PRESENT]),
    reshaped(
        "stream a {\n  archive /storage 7d;\n}\n",
        r#"{"streams":{"a":{"archive":{"root":"/storage"}}}}"#,
        &["`streams.a.archive`:", PRESENT],
    ),
    reshaped(
        "stream a {\n  archive /storage 7d;\n}\n",
        r#"{"streams":{"a":{"archive":"/storage/cam1 14d"}}}"#,
        &["`streams.a.archive`:", PRESENT],
    ),
    reshaped(
        "http 80 { x { mark a; mark b; } }\n",
        r#"{"http_options":{"80":{"x":{"mark":["a","c"]}}}}"#,
        &["`http_options.80.x.mark`:"],
    ),
    Refused {
        guard: "one-line",
        text: "http 80;\n",
        arguments: &["save", "-"],
        input: "edit_auth a b;http 80;# Streams:stream a {  url udp://1;}stream b udp://2;",
        says: &["--data-binary", "--accept one-line"],
    },
];

impl Refused {
    fn place(&self) -> Place {
        Place::with(self.before())
    }

    fn before(&self) -> String {
        format!("{ACCOUNT}{}", self.text)
    }

    fn run(&self, place: &Place, more: &[&str]) -> Run {
        place.mediactl(self.arguments.iter().chain(more)).input(self.input).run().hides("hush")
    }

    #[track_caller]
    fn is_refused_unless_accepted(&self, place: &Place) {
        let run = self.run(place, &[]).exits(3);
        self.says.iter().fold(run, |run, said| run.says(said));
        self.run(place, &["--dry-run"]).exits(3);
        self.run(place, &["--yes"]).exits(3);
        self.run(place, &["-y", "--accept", "would-remove-credentials,empty-replacement"]).exits(3);
        assert_eq!(place.text(), self.before());
    }
}

#[test]
fn form_change_near_miss_and_one_line_are_refused_in_the_file() {
    for refused in REFUSED {
        for accepting in [&["--accept", refused.guard][..], &["--force"]] {
            let place = refused.place();
            refused.is_refused_unless_accepted(&place);
            refused.run(&place, accepting).exits(0);
            assert_ne!(place.text(), refused.before());
            // What is there is no change, and no question.
            refused.run(&place, &[]).exits(0);
        }
    }
}

#[test]
fn form_change_near_miss_and_one_line_are_refused_by_a_server() {
    for refused in REFUSED {
        let place = refused.place();
        let server = Serving::with(&place, &["--listen", "none"]);
        refused.is_refused_unless_accepted(&place);
        let accepted = format!("empty-replacement,{}", refused.guard);
        refused.run(&place, &["--accept", &accepted]).exits(0);
        assert_ne!(place.text(), refused.before());
        server.stop().exits(0);
    }
}

#[test]
fn near_miss_is_passed_by_create() {
    let place = Place::with("stream cam1 udp://1;\n");
    place.line("modify --create --set streams.cam1.prepsh=5").exits(0);
    place.set(&["streams.cam1.prepsh=6"]).exits(0);
    let server = Serving::with(&place, &["--listen", "none"]);
    place.set(&["rtpm=1936"]).exits(3);
    place.line("modify --create --set rtpm=1936").exits(0);
    server.stop().exits(0);
    assert_eq!(place.text(), "rtpm 1936;\nstream cam1 {\n  url udp://1;\n  prepsh 6;\n}\n");
}

#[test]
fn near_miss_leaves_free_what_newer_servers_know_and_what_is_there() {
    let place = Place::with("stream a {\n  prepsh 1;\n}\nstream b udp://1;\nrtpm 1;\n");
    for free in ["http2=8080", "rtmpt=80", "log_level=debug", "auth2=x", "rtpm=2", "streams.b.prepsh=5"] {
        place.set(&[free]).exits(0).says("changed");
    }
    place.patch(r#"{"streams":{"b":{"prepushh":null}}}"#).exits(0);
}

#[test]
fn accept_takes_names_several_and_no_others() {
    let place = Place::with(format!("{ACCOUNT}mark a;\nmark b;\n"));
    let patch = r#"{"mark":["a","c"],"rtpm":1,"edit_auth":null}"#;
    let run = |more: &[&str]| place.mediactl(["modify", "-f", "-"].iter().chain(more)).input(patch).run();
    run(&["--accept", "no-such-guard"]).exits(2).says("no-such-guard").says("form-change");
    run(&["--accept", "form-change"]).exits(3).says("`rtpm`: ").says("near-miss");
    run(&["--accept", "form-change,near-miss"]).exits(6).says("edit_auth");
    let all = ["--accept", "form-change,near-miss", "--accept", "would-remove-credentials", "--yes"];
    run(&all).exits(0);
    for command in [&["save", "-"][..], &["update", "-"], &["rollback", "last"]] {
        place.run(command.iter().chain(&["-y", "--accept", "x"])).exits(2).says("--accept");
    }
    place.line("rollback last -y --accept one-line --accept=near-miss").exits(0);
}

#[test]
fn line_ends_gone_is_refused_before_any_guard_and_not_of_what_is_there() {
    let one_line = "# all on one line: http 80; rtsp 554;";
    let place = Place::with(format!("{ACCOUNT}rtmp 1;\n"));
    let save = |more: &[&str], text: &str| place.mediactl(["save", "-"].iter().chain(more)).input(text).run();
    save(&[], one_line).exits(3).says("--data-binary");
    save(&["--accept", "one-line"], one_line).exits(6);
    let joined = "edit_auth a b;http 80;# Streams:stream a udp://1;";
    save(&["--accept", "one-line"], joined).exits(0);
    save(&[], joined).exits(0).says("nothing to change");
    save(&[], "edit_auth a b;\nhttp 80;# Streams: stream a udp://1;\n").exits(0);
    place.line("rollback last").exits(0);
    let _server = Serving::with(&place, &["--listen", "none"]);
    let other = joined.replace("80", "81");
    place.fed("update -", &other).exits(3).says("--data-binary");
    place.fed("update --force -", &other).exits(0);
}

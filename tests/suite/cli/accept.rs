//! The changes that are refused unless they are accepted by name, on every target: the file, a server
//! over it, and a server that has only the four operations (`http::client::bare`).

use super::serve::Serving;
use super::{Place, Run, SAMPLE};

/// One change that a guard of this name refuses, with exit code 3.
struct Refused {
    guard: &'static str,
    text: &'static str,
    line: &'static str,
    input: &'static str,
    /// The words of the refusal: the pointer, and the probable key.
    says: &'static [&'static str],
}

/// A patch that would write a directive beside the one that is meant.
const fn missed(input: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { guard: "near-miss", text: STREAM, line: "modify -f -", input, says }
}

/// The same by one `--set`.
const fn mistyped(line: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { guard: "near-miss", text: STREAM, line, input: "", says }
}

/// A patch that would change the form of a directive.
const fn reshaped(text: &'static str, input: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { guard: "form-change", text, line: "modify -f -", input, says }
}

const ACCOUNT: &str = "edit_auth a b;\n";

const STREAM: &str = "stream cam1 udp://1;\n";

/// Some of each kind. `tests/fixtures/tables/doubts.txt` has what the library tells of many more.
const REFUSED: &[Refused] = &[
    mistyped("modify --set rtpm=1936", &["`rtpm`: `rtpm` is not known here", "did you mean `rtmp`?"]),
    mistyped("modify --set streams.cam1.prepsh=5", &["`streams.cam1.prepsh`:", "did you mean `prepush`?"]),
    mistyped("modify --set editauth.password=hush", &["`editauth`:", "did you mean `edit_auth`?"]),
    missed(
        r#"{"streams":{"cam1":{"urls":[{"url":"udp://1","priorty":1}]}}}"#,
        &["`streams.cam1.urls`: `priorty` is no known option", "did you mean `priority`?"],
    ),
    missed(r#"{"/streams/cam1/prepush":9}"#, &["did you mean `streams.cam1.prepush`?"]),
    missed(r#"{"data":{"config":{"lives":{}}}}"#, &["did you mean what is in `data`, without it?"]),
    reshaped(
        "mark a;\nmark b;\n",
        r#"{"mark":["a","c"]}"#,
        &["`mark`: there are 2 `mark` lines", "send the present value with your change"],
    ),
    Refused {
        guard: "one-line",
        text: "http 80;\n",
        line: "save -",
        input: "edit_auth a b;http 80;# Streams:stream a {  url udp://1;}stream b udp://2;",
        says: &["--data-binary", "--accept one-line"],
    },
];

impl Refused {
    fn before(&self) -> String {
        format!("{ACCOUNT}{}", self.text)
    }

    fn run(&self, place: &Place, more: &str) -> Run {
        place.fed(format!("{} {more}", self.line).trim_end(), self.input).hides("hush")
    }

    #[track_caller]
    fn is_refused_unless_accepted(&self, place: &Place, accepting: &str) {
        self.says.iter().fold(self.run(place, "").exits(3), |run, said| run.says(said));
        for more in ["--dry-run", "--yes", "-y --accept would-remove-credentials,empty-replacement"] {
            self.run(place, more).exits(3);
        }
        assert_eq!(place.text(), self.before());
        self.run(place, accepting).exits(0);
        assert_ne!(place.text(), self.before());
        // What is there is no change, and no question.
        self.run(place, "").exits(0);
    }
}

#[test]
fn form_change_near_miss_and_one_line_are_refused_in_the_file() {
    for refused in REFUSED {
        for accepting in [&format!("--accept {}", refused.guard), "--force"] {
            refused.is_refused_unless_accepted(&Place::with(refused.before()), accepting);
        }
    }
}

#[test]
fn form_change_near_miss_and_one_line_are_refused_by_a_server() {
    for refused in REFUSED {
        let place = Place::with(refused.before());
        let server = Serving::with(&place, &["--listen", "none"]);
        refused.is_refused_unless_accepted(&place, &format!("--accept empty-replacement,{}", refused.guard));
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

/// `count` streams.
fn streams(count: usize) -> String {
    (0..count).map(|at| format!("stream s{at} udp://h:{at};\n")).collect()
}

/// A patch that deletes `count` of them.
fn deleting(count: usize) -> String {
    let gone: Vec<String> = (0..count).map(|at| format!("\"s{at}\":null")).collect();
    format!("{{\"streams\":{{{}}}}}", gone.join(","))
}

#[test]
fn the_last_credentials_stay() {
    let place = Place::with(SAMPLE);
    for refused in [
        "modify --unset edit_auth",
        "modify --accept near-miss --set-string edit_auth.password=",
        "modify --dry-run --unset edit_auth",
    ] {
        let run = place.line(refused).exits(6).says("the change removes the last usable `edit_auth`");
        run.says("hint: ").says("--accept would-remove-credentials");
    }
    place.fed("save -", "rtmp 1;\n").exits(6);
    assert_eq!(place.text(), SAMPLE);
    place.line("modify --force --unset edit_auth").exits(0);
    assert!(!place.text().contains("edit_auth"));
    place.set(&["rtsp=1"]).exits(0);
}

/// A configuration with an account, and `count` streams.
fn accounted(count: usize) -> String {
    format!("edit_auth a b;\n{}", streams(count))
}

/// Each way to delete five of eight streams, on one target.
fn delete_guard_holds(place: &Place) {
    let five = "5 of 8 streams would be deleted";
    place.run(["mv", "streams.s*", "--replace", "s/s/gate/"]).exits(0);
    for line in ["rollback last --dry-run", "apply --prune - --dry-run", "save - --dry-run", "undo"] {
        place.fed(line, accounted(8)).exits(0).says("8 get other names").hides("not in the new");
    }
    let with_twin = accounted(2) + "stream twin udp://h:7;\n";
    place.fed("save -", with_twin).exits(6).says("5 of 8 streams");
    place.fed("modify -f -", deleting(5)).exits(6).says(five);
    for all in ["modify --unset streams.*", "modify --unset streams"] {
        place.line(all).exits(6).says("8 of 8 streams");
    }
    place.fed("modify -y -f -", deleting(5)).exits(6).says(five);
    place.fed("save -", accounted(3)).exits(6).says(five);
    let gone = "note: 5 streams are not in the new configuration";
    place.fed("save --max-delete 5 -", accounted(3)).exits(0).says(gone);
    place.fed("save -", accounted(8)).exits(0);
    place.line("rollback last").exits(6).says(five).says("--max-delete");
    place.line("rollback last --max-delete 5").exits(0);
    place.line("rollback last").exits(0);
    let named: String = (0..7).map(|at| format!(" --unset=streams.s{at}")).collect();
    place.line(&format!("modify{named}")).exits(6).says("7 of 8 streams");
    place.line(&format!("modify{named} --max-delete 7")).exits(0);
    assert_eq!(place.text(), "edit_auth a b;\nstream s7 udp://h:7;\n");
}

#[test]
fn delete_guard_stands_before_each_way() {
    delete_guard_holds(&Place::with(accounted(8)));
}

#[test]
fn delete_guard_stands_before_a_server_too() {
    let place = Place::with(accounted(8));
    let server = Serving::with(&place, &["--listen", "none"]);
    delete_guard_holds(&place);
    place.fed("save -", accounted(8)).exits(0);
    place.fed("update -", accounted(3)).exits(6).says("5 of 8 streams would be deleted");
    let gone = "note: 5 streams are not in the new configuration";
    place.fed("update - --force", accounted(3)).exits(0).says(gone);
    server.stop().exits(0);
}

/// What is wrong with a request is told in the same words for a file and by the server over it.
#[test]
fn a_faulty_request_reads_the_same_on_a_file_and_on_a_server() {
    let table = [
        ("modify --unset streams.nope", ""),
        ("modify --set streams.s1.prepush=x", ""),
        ("modify --set streams..s1=1", ""),
        ("modify --set rtpm=1935", ""),
        ("modify --expect rtsp=5 --set rtsp=6", ""),
        ("modify --unset streams.*", ""),
        ("modify --unset edit_auth", ""),
        ("modify --set edit_auth.password=<secret:123456>", ""),
        ("modify -f -", &deleting(5)),
        ("modify -f -", "{\"streams\":5}"),
        ("modify -f -", "{\"streams\":{\"s1\":{\"prepush\":\"x\",\"title\":{}}}}"),
        ("modify -f -", "{\"edit_auth\":{\"password\":\"<secret:123456>\"}}"),
        ("modify -f -", "{'rtsp':1}"),
        ("save -", "http x;\n"),
        ("save -", ""),
    ];
    let place = Place::with(accounted(8));
    let told = || table.map(|(line, input)| (place.fed(line, input), line));
    let on_file = told();
    let server = Serving::with(&place, &["--listen", "none"]);
    for ((file, line), (server, _)) in on_file.iter().zip(&told()) {
        assert!(file.code.is_some_and(|code| code != 0) && !file.err.is_empty(), "{line}: {file:?}");
        assert_eq!((file.code, &file.err), (server.code, &server.err), "{line}");
    }
    assert_eq!(place.text(), accounted(8));
    server.stop().exits(0);
}

/// Each whole text without the stream, live and plugin that are there, on one target.
fn the_last_entries_stay(place: &Place, has_server: bool) {
    let whole = "edit_auth a b;\nstream s udp://h:1;\nlive l { }\nplugin p { }\n";
    let empty = "edit_auth a b;\nrtmp 1;\n";
    let ways = [
        ("save -", empty),
        ("apply --prune -", ""),
        ("apply --prune -", "{}"),
        ("apply --prune=all -", empty),
        ("apply --prune --dry-run -", "rtmp 1;\n"),
        ("update -", empty),
    ];
    for (way, text) in &ways[..if has_server { 6 } else { 5 }] {
        place.fed("save -", whole).exits(0);
        place.fed(way, text).exits(6).says("no stream, live or plugin at all");
        assert_eq!(place.text(), whole);
        place.fed(&format!("{way} --accept empty-replacement"), text).exits(0);
    }
    // One that stays, or that is named, is no such loss.
    for kept in ["stream s udp://h:1;\n", "live l { }\n", "plugin p { }\n"] {
        place.fed("save -", whole).exits(0);
        place.fed("apply --prune -", kept).exits(0);
    }
    place.line("rm plugins.p").exits(0);
    place.line("rollback last").exits(0);
    place.fed("save --accept empty-replacement -", empty).exits(0);
    place.fed("apply --prune -", "rtmp 2;\n").exits(0);
}

#[test]
fn the_last_entries_stay_of_a_file() {
    the_last_entries_stay(&Place::empty(), false);
}

#[test]
fn the_last_entries_stay_on_a_server() {
    let place = Place::with("edit_auth a b;\nlive l { }\n");
    let server = Serving::with(&place, &["--listen", "none"]);
    the_last_entries_stay(&place, true);
    server.stop().exits(0);
    place.put("more.conf", "stream s udp://h:1;\n");
    place.put(super::CONF, "stream s udp://h:1;\n");
    place.fed("save -", "include more.conf;\n").exits(0);
}

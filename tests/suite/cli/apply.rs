//! `mediactl apply`

use std::os::unix::fs::PermissionsExt;

use super::serve::Serving;
use super::{CONF, Place, SAMPLE};

#[test]
fn a_second_run_changes_nothing() {
    for state in [
        "rtmp 1935;\nstream cam1 { url udp://239.0.0.1:1234 priority=2; }\nstream new { url udp://239.0.0.9:1; }\n",
        r#"{"rtmp": 1935, "streams": {"cam1": {"urls": [{"url": "udp://239.0.0.1:1234", "priority": 2}]},
            "new": {"urls": [{"url": "udp://239.0.0.9:1"}]}}}"#,
    ] {
        let place = Place::with(SAMPLE);
        place.put("state", state);
        place.run(["apply", "state"]).exits(0).prints("+rtmp 1935;").says("applied to media.conf: ");
        let text = place.text();
        assert!(text.contains("url udp://239.0.0.1:1234 priority=2;"), "{text}");
        assert!(text.contains("prepush 5; # seconds"), "what the state does not mention stays: {text}");
        assert!(text.contains("stream cam.2") && text.contains("stream new"), "{text}");
        let written = place.written();
        place.run(["apply", "--exit-code", "state"]).exits(0).says("nothing to change in media.conf");
        place.run(["apply", "--exit-code", "state", "--dry-run"]).exits(0);
        assert_eq!((place.text(), place.written()), (text, written));
    }
}

#[test]
fn the_configuration_itself_is_its_desired_state_as_text_and_as_json() {
    let place = Place::with(SAMPLE);
    for output in ["conf", "json"] {
        let state = place.run(["read", "-o", output]).exits(0).out;
        place.mediactl(["apply", "--prune", "-"]).input(state).run().exits(0).says("nothing to change");
    }
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn prune_gives_each_entry_its_values_and_leaves_other_settings() {
    let place = Place::with(format!("{SAMPLE}plugin iptv {{ database x; }}\n"));
    place.put("state", "rtmp 1935;\nstream cam1 { url udp://239.0.0.1:1234 priority=1; }\n");
    place.run(["apply", "--prune", "state"]).exits(0).prints("-  prepush 5; # seconds");
    let (rest, cam1) =
        ("# main\nhttp 80;\nrtsp 554;\nedit_auth admin hunter2;\nrtmp 1935;\n", "\nstream cam1 {");
    assert!(place.text().starts_with(&format!("{rest}{cam1}")), "{}", place.text());
    for gone in ["cam.2", "film", "studio", "iptv", "prepush"] {
        assert!(!place.text().contains(gone), "{}", place.text());
    }
    place.run(["apply", "--prune=entries", "--exit-code", "state"]).exits(0).says("nothing to change");
}

#[test]
fn prune_all_leaves_what_the_state_has_and_asks_before_the_account_goes() {
    let place = Place::with(SAMPLE);
    let state = "rtmp 1935;\nondemand b { }\nstream a { url udp://239.0.0.1:1234; auth false; }\n";
    place.put("state", state);
    place.run(["apply", "--prune=all", "state"]).exits(6);
    assert_eq!(place.text(), SAMPLE);
    place.run(["apply", "--prune=all", "--accept", "would-remove-credentials", "state"]).exits(0);
    let after = place.run(["read"]).exits(0).out;
    let wanted = Place::with(state).run(["read"]).exits(0).out;
    assert_eq!(after, wanted);
    place.run(["apply", "--prune=all", "--exit-code", "state"]).exits(0).says("nothing to change");
    place.mediactl(["apply", "--prune=all", "--exit-code", "-"]).input(after).run().exits(0);
    place.run(["apply", "--prune=some", "state"]).exits(2);
}

#[test]
fn json_that_is_pruned_to_says_by_what_it_leaves_out_that_it_is_not_there() {
    let place =
        Place::with("http 80;\nondemand a { url x://1; prepush 5; title t; }\nstream b { }\nlive l { }\n");
    let prune = |scope: &str, state: &str| {
        let arguments = ["apply", scope, "-"];
        place.mediactl(arguments).input(state).run().exits(0);
        place.text()
    };
    let state = r#"{"http": null, "streams": {"a": {"static": false, "prepush": null, "title": "u", "position": 1}, "b": null}}"#;
    assert_eq!(prune("--prune", state), "ondemand a { title u; }\n");
    assert_eq!(
        prune("--prune=all", r#"{"streams": {"a": {"urls": [{"url": "x://2"}]}}}"#),
        "stream a { url x://2; }\n"
    );
}

/// Applies states of an owner one after the other, and looks at the text after each; `apply` runs a command
/// with an input.
pub fn an_owner_takes_back_what_is_not_applied_any_more(
    apply: impl Fn(&[&str], &str) -> crate::cli::Run,
    text: impl Fn() -> String,
) {
    let first =
        "stream a { url x://1; prepush 5; auth false; }\nstream b { url x://2; }\nstream c { prepush 1; }\n";
    let second = "stream a { url x://1; }\n";
    let own = ["apply", "--owner", "git", "--exit-code", "-"];
    let dry = ["apply", "--owner", "git", "--exit-code", "--dry-run", "-"];
    apply(&dry, first).exits(10);
    apply(&own, first).exits(10).says("2 settings of the entries in the desired state are not in it");
    apply(&own, first).exits(0).says("nothing to change");
    // What others set, or change, in the meantime.
    apply(&["modify", "--set", "streams.a.title=t", "--set", "streams.a.auth.url=http://x"], "").exits(0);
    apply(&dry, second).exits(10).prints("-stream b").prints("-  auth http://x;");
    let run = apply(&own, second).exits(10);
    run.says("1 entry that is no longer applied stays, with the settings that others made");
    let found = text();
    assert_eq!(
        found,
        "http 80;\nstream c {\n  title old;\n  url x://3;\n}\nstream a {\n  url x://1;\n  title t;\n}\n"
    );
    apply(&own, second).exits(0).says("nothing to change");
    // Another owner knows nothing of it, and an apply without one removes nothing.
    apply(&["apply", "--owner", "other", "--exit-code", "-"], "stream a { }\n").exits(0);
    apply(&["apply", "--exit-code", "-"], "stream a { }\n").exits(0);
    apply(&own, "").exits(10);
    assert_eq!(text(), "http 80;\nstream c {\n  title old;\n  url x://3;\n}\nstream a {\n  title t;\n}\n");
}

/// The configuration before an owner applies something.
pub const BEFORE_OWNERS: &str = "http 80;\nstream c {\n  title old;\n  url x://3;\n}\n";

/// Applies states of two owners, and looks at what is left of what both had; `apply` runs a command with an
/// input.
pub fn what_another_owner_has_stays(
    apply: impl Fn(&[&str], &str) -> crate::cli::Run,
    text: impl Fn() -> String,
) {
    let own = |owner: &str, state: &str| apply(&["apply", "--owner", owner, "--exit-code", "-"], state);
    let a = "rtmp 1;\nstream s { url x://1; url x://2; prepush 5; title A; }\nstream t { title T; }\nstream u { }\n";
    own("a", a).exits(10);
    own("b", "rtmp 1;\nstream s { prepush 5; url x://1; url x://2; }\nstream u { }\n").exits(0);
    own("c", "stream s { url x://1; }\n").exits(10);
    own("b", "rtmp 1;\nstream s { prepush 5; }\nstream u { }\n").exits(0);
    let run = own("a", "stream s { title A; }\n").exits(10);
    run.says("another owner has it, so it stays: rtmp, streams.s.urls, streams.s.prepush, streams.u (b, c)");
    assert_eq!(
        text(),
        "http 80;\nrtmp 1;\nstream s {\n  url x://1;\n  prepush 5;\n  title A;\n}\nstream u {\n}\n"
    );
    // Who has it last takes it away.
    own("b", "").exits(10).hides("another owner");
    own("c", "").exits(10).hides("another owner");
    assert_eq!(text(), "http 80;\nstream s {\n  title A;\n}\n");
}

#[test]
fn an_owner_takes_back_what_it_set() {
    let place = Place::with(BEFORE_OWNERS);
    an_owner_takes_back_what_is_not_applied_any_more(
        |arguments, input| place.mediactl(arguments).input(input).run(),
        || place.text(),
    );
    let record = place.path(".mediactl/media.conf/applied/git");
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&record), mode(record.parent().expect("a folder"))), (0o600, 0o700));
}

#[test]
fn an_owner_leaves_what_another_one_has_on_a_file_and_on_a_server() {
    for serves in [false, true] {
        let account = "edit_auth admin hunter2;\n";
        let place = Place::with(format!("{account}http 80;\n"));
        let serving = serves.then(|| Serving::over(&place));
        what_another_owner_has_stays(
            |arguments, input| place.mediactl(arguments).input(input).run(),
            || place.text().replace(account, ""),
        );
        drop(serving);
    }
}

#[test]
fn an_owner_takes_back_what_it_set_on_a_server() {
    let place = Place::with(format!("edit_auth admin hunter2;\n{BEFORE_OWNERS}"));
    let serving = Serving::over(&place);
    let url = serving.url.replace("://", "://admin:hunter2@");
    let there = Place::empty();
    an_owner_takes_back_what_is_not_applied_any_more(
        |arguments, input| there.mediactl(["--url", &url].iter().chain(arguments)).input(input).run(),
        || place.text().replace("edit_auth admin hunter2;\n", ""),
    );
    assert!(place.path(".mediactl/media.conf/applied/git").exists());
    // Over the socket, the guard counts what the server would delete.
    let streams: String = (1..=9).map(|n| format!("stream s{n} {{ url udp://239.0.0.{n}:1; }}\n")).collect();
    let apply = |input: &str| place.mediactl(["apply", "--owner", "git", "-"]).input(input).run();
    apply(&streams).exits(0);
    apply("").exits(6).says("9 of 11 streams");
    let dry = place.mediactl(["apply", "--owner", "git", "-", "--dry-run"]).input("").run();
    dry.exits(6).says("9 of 11 streams");
}

#[test]
fn what_an_owner_applied_is_known_after_each_failure() {
    let place = Place::with("rtsp 554;\n");
    let apply = |more: &[&str], input: &str| {
        let arguments = ["apply", "--owner", "git", "-"].iter().chain(more).copied().collect::<Vec<_>>();
        place.mediactl(arguments).input(input).run()
    };
    apply(&["--dry-run"], "rtmp 1;\n").exits(0);
    assert!(!place.path(".mediactl/media.conf/applied").exists(), "a dry run records nothing");
    apply(&[], "rtmp 1;\nhttp 80;\n").exits(0);
    // The change goes back, so what was applied before is still there.
    apply(&["--reload-cmd", "false"], "rtmp 1;\n").exits(9);
    apply(&["--check-cmd", "false"], "http 80;\n").exits(3);
    apply(&[], "rtmp 1;\n").exits(0).prints("-http 80;");
    apply(&[], "").exits(0).prints("-rtmp 1;");
    assert_eq!(place.text(), "rtsp 554;\n");
    // A state that changes nothing is recorded, too.
    apply(&["--exit-code"], "rtsp 554;\n").exits(0);
    apply(&[], "").exits(0).prints("-rtsp 554;");
    place.put(".mediactl/media.conf/applied/git", "[{");
    apply(&[], "rtmp 2;\n").exits(9).says("applied/git`: it is damaged");
    assert_eq!(place.text(), "");
}

#[test]
fn an_owner_has_a_plain_name_and_no_other_way_to_remove() {
    let place = Place::with(SAMPLE);
    for name in ["", "..", "a/b", ".git", "-x"] {
        place
            .mediactl(["apply", &format!("--owner={name}"), "-"])
            .input("")
            .run()
            .exits(2)
            .says("name of an owner");
    }
    place.mediactl(["apply", "--owner", "git", "--prune", "-"]).input("").run().exits(2);
    let streams: String = (1..=9).map(|n| format!("stream s{n} {{ url udp://239.0.0.{n}:1; }}\n")).collect();
    let apply = |input: &str| place.mediactl(["apply", "--owner", "git", "-"]).input(input).run();
    apply(&streams).exits(0);
    apply("").exits(6).says("9 of 12 streams");
}

#[test]
fn settings_that_a_merged_state_lacks_are_counted() {
    let place = Place::with(
        "stream a { url x://1; prepush 5; auth http://x k=v l=m; }\nstream b { prepush 1; url x://2; }\nrtmp 1935;\n",
    );
    for (state, count) in [
        ("stream a { prepush 6; auth http://x k=v; }\n", Some(2)),
        (
            r#"{"streams": {"a": {"prepush": 7, "urls": [], "auth": {"url": "http://x", "extra": null}}, "c": {"title": "x"}}}"#,
            None,
        ),
        (r#"{"streams": {"a": {}, "b": {"prepush": 2}}}"#, Some(3)),
        ("rtmp 1936;\n", None),
    ] {
        let run = place.mediactl(["apply", "-o", "change-json", "-"]).input(state).run().exits(0);
        let notes = run.json()["notes"].to_string();
        match count {
            Some(count) => {
                assert!(notes.contains(&format!("\"settings-lacking {count}\"")), "{state} {notes}");
                run.says(&format!("{count} settings of the entries in the desired state are not in it"));
            }
            None => assert!(!notes.contains("lacking"), "{state} {notes}"),
        }
    }
}

#[test]
fn the_guards_hold_for_what_is_pruned() {
    let streams: String = (1..=9).map(|n| format!("stream s{n} {{ url udp://239.0.0.{n}:1; }}\n")).collect();
    let place = Place::with(format!("edit_auth a b;\n{streams}"));
    place.mediactl(["apply", "--prune", "-"]).input("rtmp 1;\n").run().exits(6).says("9 of 9 streams");
    place.mediactl(["apply", "--prune", "--max-delete", "9", "-"]).input("rtmp 1;\n").run().exits(0);
    assert_eq!(place.text(), "edit_auth a b;\nrtmp 1;\n");
    place.mediactl(["apply", "-"]).input(r#"{"edit_auth": null}"#).run().exits(6);
}

#[test]
fn a_state_with_faults_is_refused_with_all_of_them() {
    let place = Place::with(SAMPLE);
    place.put("bad", "http x;\nstream a {\n");
    place.run(["apply", "bad"]).exits(3).says("bad:1:6: error").says("`bad` has 2 errors");
    place.mediactl(["apply", "-"]).input("{\"rtmp\": \"fast\"}").run().exits(3).says("/rtmp");
    place.mediactl(["apply", "-"]).input("[1]").run().exits(3);
    place.run(["apply", "missing"]).exits(7);
    place.run(["apply"]).exits(2);
    let masked = place.run(["read", "--mask"]).exits(0).out;
    place.mediactl(["apply", "-"]).input(masked).run().exits(3);
    assert_eq!(place.text(), SAMPLE);
    Place::empty().mediactl(["apply", "-"]).input("rtmp 1;").run().exits(7).says(CONF);
}

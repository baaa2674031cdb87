//! `mediactl apply` and `mediactl save`

use super::{CONF, Place, SAMPLE, mode};

#[test]
fn a_second_run_changes_nothing() {
    for state in [
        "rtmp 1935;\nstream cam1 { url udp://239.0.0.1:1234 priority=2; }\nstream new { url udp://239.0.0.9:1; }\n",
        r#"{"rtmp": 1935, "streams": {"cam1": {"urls": [{"url": "udp://239.0.0.1:1234", "priority": 2}]},
            "new": {"urls": [{"url": "udp://239.0.0.9:1"}]}}}"#,
    ] {
        let place = Place::with(SAMPLE);
        place.put("state", state);
        place.line("apply state").exits(0).prints("+rtmp 1935;").says("applied to media.conf: ");
        let text = place.text();
        assert!(text.contains("url udp://239.0.0.1:1234 priority=2;"), "{text}");
        assert!(text.contains("prepush 5; # seconds"), "what the state does not mention stays: {text}");
        assert!(text.contains("stream cam.2") && text.contains("stream new"), "{text}");
        let written = place.written();
        place.line("apply --exit-code state").exits(0).says("nothing to change in media.conf");
        place.line("apply --exit-code state --dry-run").exits(0);
        assert_eq!((place.text(), place.written()), (text, written));
    }
}

#[test]
fn prune_gives_each_entry_its_values_and_leaves_other_settings() {
    let place = Place::with(format!("{SAMPLE}plugin iptv {{ database x; }}\n"));
    place.put("state", "rtmp 1935;\nstream cam1 { url udp://239.0.0.1:1234 priority=1; }\n");
    place.line("apply --prune state").exits(0).prints("-  prepush 5; # seconds");
    let (rest, cam1) =
        ("# main\nhttp 80;\nrtsp 554;\nedit_auth admin hunter2;\nrtmp 1935;\n", "\nstream cam1 {");
    assert!(place.text().starts_with(&format!("{rest}{cam1}")), "{}", place.text());
    for gone in ["cam.2", "film", "studio", "iptv", "prepush"] {
        assert!(!place.text().contains(gone), "{}", place.text());
    }
    place.line("apply --prune=entries --exit-code state").exits(0).says("nothing to change");
}

#[test]
fn prune_all_leaves_what_the_state_has_and_asks_before_the_account_goes() {
    let place = Place::with(SAMPLE);
    let state = "rtmp 1935;\nondemand b { }\nstream a { url udp://239.0.0.1:1234; auth false; }\n";
    place.put("state", state);
    place.line("apply --prune=all state").exits(6);
    place.line("apply --prune all state").exits(2).says("write `--prune=all`");
    place.line("apply --prune all").exits(7).says("write `--prune=all`");
    assert_eq!(place.text(), SAMPLE);
    place.line("apply --prune=all --accept would-remove-credentials state").exits(0);
    let after = place.line("read").exits(0).out;
    let wanted = Place::with(state).line("read").exits(0).out;
    assert_eq!(after, wanted);
    place.line("apply --prune=all --exit-code state").exits(0).says("nothing to change");
    place.fed("apply --prune=all --exit-code -", after).exits(0);
    place.line("apply --prune=some state").exits(2);
}

#[test]
fn a_state_with_faults_is_refused_with_all_of_them() {
    let place = Place::with(SAMPLE);
    place.put("bad", "http x;\nstream a {\n");
    place.line("apply bad").exits(3).says("bad:1:6: error").says("`bad` has 2 errors");
    place.fed("apply -", "{\"rtmp\": \"fast\"}").exits(3).says("`rtmp`: ");
    place.fed("apply -", "[1]").exits(3);
    place.line("apply missing").exits(7);
    place.line("apply").exits(2);
    let masked = place.line("read --mask").exits(0).out;
    place.fed("apply -", masked).exits(3);
    assert_eq!(place.text(), SAMPLE);
    Place::empty().mediactl(["apply", "-"]).input("rtmp 1;").run().exits(7).says(CONF);
}

#[test]
fn a_missing_file_is_made_for_owner_and_group() {
    let place = Place::empty();
    place.fed("save -", "rtmp 1935;\n").exits(0).prints("+rtmp 1935;").says("saved media.conf");
    assert_eq!(place.text(), "rtmp 1935;\n");
    assert_eq!(mode(&place.path(CONF)), 0o640);
}

#[test]
fn the_text_is_taken_to_the_byte() {
    let place = Place::with(SAMPLE);
    for text in ["\u{feff}http 80;\r\nedit_auth a b;", "\n\n\thttp  80 ;edit_auth a b;# end"] {
        place.fed("save --force -", text).exits(0);
        assert_eq!(place.text(), text);
    }
}

#[test]
fn a_text_with_errors_is_refused_with_all_of_its_faults() {
    let place = Place::with(SAMPLE);
    let run = place.fed("save -", "http x;\nstream a {\n").exits(3);
    run.says("the new configuration:1:6: error: ").says(":2:10: error: unclosed").says("has 2 errors");
    assert_eq!(place.text(), SAMPLE);
    let place = Place::empty();
    place.fed("save -", "stream a {\n").exits(3);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a_broken_file_can_be_replaced() {
    for broken in [&b"stream a {"[..], b"root caf\xe9;\n", b"\0"] {
        let place = Place::with(broken);
        place.fed("save -", "rtmp 1;\n").exits(0);
        assert_eq!(place.text(), "rtmp 1;\n");
    }
    // What stands for a bad byte when it is shown is not the same text.
    let place = Place::with(b"# caf\xe9\nrtmp 1;\n");
    place.fed("save -", "# caf\u{fffd}\nrtmp 1;\n").exits(0);
    assert_eq!(place.text(), "# caf\u{fffd}\nrtmp 1;\n");
}

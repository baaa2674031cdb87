//! `-o change-json` and `--exit-code`

use serde_json::json;

use super::{Place, SAMPLE};

const MEMBERS: &str =
    "changed operation target before revision paths lines_added lines_removed effects notes warnings pending";

#[test]
fn every_change_and_every_dry_run_prints_what_changed() {
    let new = SAMPLE.replace("prepush 5", "prepush 6");
    for (command, input) in [
        (&["modify", "--set", "streams.cam1.prepush=6"][..], ""),
        (&["save", "-"], &new),
        (&["apply", "-"], &new),
        (&["rollback", "last"], ""),
    ] {
        let place = Place::with(SAMPLE);
        if command[0] == "rollback" {
            place.put("media.conf", &new);
            place.set(&["streams.cam1.prepush=5"]).exits(0);
        }
        let before = place.text();
        let run = |more: &[&str]| {
            let arguments = command.iter().chain(&["-o", "change-json"]).chain(more);
            place.mediactl(arguments).input(input).run()
        };
        let rehearsed = run(&["--dry-run", "--exit-code"]).exits(10).json();
        assert_eq!(place.text(), before);
        let made = run(&["--exit-code"]).exits(10);
        assert!(made.err.contains("media.conf: 1 line added, 1 line removed"), "{made:?}");
        let made = made.json();
        assert_eq!(made, rehearsed);
        let members: Vec<&String> = made.as_object().expect("it is an object").keys().collect();
        assert_eq!(members, MEMBERS.split(' ').collect::<Vec<_>>());
        assert_eq!(
            made["paths"],
            json!([{"pointer": "/streams/cam1/prepush", "before": 5, "after": 6}]),
            "{command:?}"
        );
        assert_eq!((&made["changed"], &made["operation"]), (&json!(true), &json!(command[0])));
        assert_eq!((&made["lines_added"], &made["lines_removed"]), (&json!(1), &json!(1)));
        let effects = &made["effects"];
        assert_eq!((&effects["streams"], &effects["other_settings"]), (&json!(1), &json!(1)));
        assert_eq!(
            (&made["target"], &made["notes"], &made["pending"]),
            (&json!("media.conf"), &json!([]), &json!(null))
        );
        assert_eq!(made["revision"].as_str().map(str::len), Some(32));
        if command[0] != "rollback" {
            let again = run(&["--exit-code", "-q"]).exits(0).json();
            assert_eq!((&again["changed"], &again["paths"]), (&json!(false), &json!([])));
            assert_eq!(again["revision"], made["revision"]);
        }
    }
}

#[test]
fn secrets_are_masked_wherever_they_stand() {
    let place = Place::with(SAMPLE);
    let state = r#"{"edit_auth": {"password": "first-secret"}, "peers": [["token", "second-secret"]],
        "streams": {"cam1": {"urls": [{"url": "rtsp://u:third-secret@h/x"}]}}}"#;
    let patch = place.fed("modify -f - -o change-json --create", state);
    patch.exits(0).hides("-secret").hides("hunter2").prints("<secret:");
    let run = place.line("modify --set edit_auth.password=shown -o change-json --show-secrets");
    assert_eq!(run.json()["paths"][0]["after"], "shown");
}

#[test]
fn notes_are_the_words_of_the_api_and_a_new_file_has_no_before() {
    let place = Place::with(SAMPLE);
    place.put("less", SAMPLE.replace("ondemand film", "stream movie"));
    let run = place.line("save less -o change-json").exits(0);
    assert_eq!(run.json()["notes"], json!(["deleted-streams 1"]));
    let run = Place::empty().mediactl(["save", "-", "-o", "change-json"]).input("rtmp 1;\n").run().exits(0);
    assert_eq!(run.json()["paths"], json!([{"pointer": "/rtmp", "before": null, "after": 1}]));
}

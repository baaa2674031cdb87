//! Assignments (`--set`, `--set-string`, `--unset`): the patch of each, or its faults.

use mediaconf::{AssignOptions, AssignedValue, Assignment, Config, Document, Faults, Path, Request, Schema};
use proptest::prelude::{Just, prop_oneof, proptest};
use proptest::sample::select;
use serde_json::Value;

use crate::fixtures::table_file;
use crate::tables;

/// `PATH=VALUE` for `--set`, `s:` in front for `--set-string`, and `PATH` for `--unset`.
fn assignment(text: &str) -> Assignment {
    let (kind, text) = match text.split_at_checked(2) {
        Some((kind @ "s:", text)) => (kind, text),
        _ => ("", text),
    };
    let (path, value) = Path::split_assignment(text).expect(text);
    let value = match (kind, value.map(str::to_owned)) {
        (_, None) => AssignedValue::Remove,
        ("s:", Some(value)) => AssignedValue::Text(value),
        (_, Some(value)) => AssignedValue::Typed(value),
    };
    Assignment { path, value }
}

/// Evaluates on the document of the table and on its JSON, which must be the same.
fn evaluate(assignments: &[&str], options: AssignOptions) -> Result<Value, Faults> {
    let document = Document::parse(table_file("assignments.conf"));
    let config = Config::new(&document);
    let remote = config.to_json();
    let assignments: Vec<Assignment> = assignments.iter().map(|text| assignment(text)).collect();
    let computed = config.to_patch(&assignments, &[], options);
    assert_eq!(computed, Config::from(&remote).to_patch(&assignments, &[], options));
    computed
}

#[test]
fn assignments_are_a_patch_or_faults() {
    tables::hold("assignments.txt", |case| {
        let assignments: Vec<&str> = case.split(" & ").collect();
        match evaluate(&assignments, AssignOptions::default()) {
            Ok(patch) => patch.to_string(),
            Err(faults) => tables::told(&faults),
        }
    });
}

#[test]
fn depth_is_bounded() {
    let path = |len: usize| vec!["k"; len].join(".");
    for (deep, is_fine) in [
        (format!("{}=1", path(64)), true),
        (format!("{}=1", path(65)), false),
        (format!("{}=1", path(128)), false),
        (format!("{}={}1{}", path(2), "[".repeat(63), "]".repeat(63)), false),
        (format!("k={}", "[".repeat(100_000)), true),
        (format!("k={}{}", "[".repeat(100_000), "]".repeat(100_000)), false),
    ] {
        let evaluated = evaluate(&[&deep], AssignOptions::default());
        let shown: String = deep.chars().take(20).collect();
        assert_eq!(evaluated.is_ok(), is_fine, "{shown}: {evaluated:?}");
    }
}

#[test]
fn lists_and_stars_depend_on_what_was_read() {
    for (text, expected) in
        [("rtmp=1", false), ("http=[1]", false), ("http[+]=1", true), ("lives.*.x=1", true)]
    {
        let request = Request::assigning(vec![assignment(text)], Vec::new(), AssignOptions::default());
        assert_eq!(request.depends_on_read(), expected, "{text}");
    }
}

#[test]
fn faults_hold_nothing_of_a_value() {
    let places = "rtmp http http[+] edit_auth edit_auth.x auth.extra log_requests streams streams.a streams.a.prepush \
                  streams.a.position streams.nn.password streams.a.name rtmp.x streams.a.urls[9] \
                  streams.a.urls[url=\"rtsp://u:hunter2@x\"].x";
    let values = ["hunter2", "{\"a\":\"hunter2\""];
    let both = |text: String| [format!("s:{text}"), text];
    let of_places = places.split(' ').flat_map(|place| values.map(|value| format!("{place}={value}")));
    let of_words = [
        "auth=http://x; k=hunter2",
        "auth=false k=hunter2",
        "auth=on k=hunter2",
        "edit_auth=a b hunter2",
        "edit_auth=a;hunter2",
        "streams.a.url=rtsp://u:hunter2@h/",
        "streams.a.url=rtsp://h/ password=hunter2",
        "s:streams.a.url=rtsp://u:hunter2@h/",
        "streams.b.url=rtsp://u:hunter2@h/ rtsp://u:hunter2@i/",
    ];
    for text in of_places.flat_map(both).chain(of_words.map(str::to_owned)) {
        let faults = evaluate(&[&text], AssignOptions::default()).expect_err(&text);
        assert!(!format!("{faults:?}").contains("hunter2"), "{faults:?}");
    }
}

proptest! {
    /// On a document and on its JSON alike, and without a panic.
    #[test]
    fn whatever_is_assigned_is_a_patch_or_refused(
        assignments in proptest::collection::vec(
            (
                prop_oneof!["[sf]:", Just(String::new())],
                proptest::collection::vec(select(SEGMENTS.split(' ').collect::<Vec<_>>()), 1..5),
                proptest::option::of(select(VALUES)),
            ),
            1..4,
        ),
        create in proptest::bool::ANY,
    ) {
        let texts: Vec<String> = assignments.iter().map(|(kind, segments, value)| {
            let path = segments.join(".").replace(".[", "[");
            value.map_or_else(|| path.clone(), |value| format!("{kind}{path}={value}"))
        }).filter(|text| !text.starts_with('[') && !text.contains(":[")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        if let Ok(patch) = evaluate(&texts, AssignOptions { create, ..AssignOptions::default() }) {
            proptest::prop_assert!(Schema::normalize(patch).is_ok());
        }
    }
}

const SEGMENTS: &str = "streams streams a b n lives pub plugins iptv http rtmp auth extra url urls transcoder prepush dvr \
                        push meta x * [0] [1] [+] [url=\"udp://1\"] static position name http_options 80 edit_auth login rule";

const VALUES: &[&str] =
    &["5", "x", "null", "false", "\"5\"", "[1]", "[[1]]", "{\"url\":\"x\"}", "{}", "[]", "a=b", "1:2", ""];

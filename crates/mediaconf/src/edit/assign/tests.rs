use proptest::prelude::{Just, prop_oneof, proptest};
use proptest::sample::select;
use serde_json::Value;

use super::{AssignOptions, AssignedValue, Assignment, Evaluated};
use crate::query::{Config, Path};
use crate::schema::Faults;
use crate::syntax::Document;

const TEXT: &str = "
    http 80; http 127.0.0.1:8080; rtmp 1935;
    edit_auth admin pw; auth http://backend/ a=1 flag; cluster_key k;
    stream a { url udp://1 priority=1; url udp://2; url udp://2; auth x y=z; transcoder vb=1024k size=hd;
               archive /storage 5d; dvr /storage 90% 5d; push a b; push c; iptv; meta title; meta { x 1; } rule { x { y 1; } } }
    stream b { url udp://3; prepush 5; }
    stream cam.1 { url udp://4; }
    stream cam1 { }
    stream c { url udp://6 k=1; url udp://7; }
    ondemand later { url udp://5; }
    live pub; live priv { publish_enabled false; }
    plugin iptv { database sqlite; }
    file vod { path /srv; }
    template t { dvr /storage 5d; }
";

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

/// Evaluates on a document and on its JSON, which must be the same.
fn evaluate(text: &str, assignments: &[&str], options: AssignOptions) -> Result<Evaluated, Faults> {
    let document = Document::parse(text.to_owned());
    let config = Config::new(&document);
    let remote = config.to_json();
    let assignments: Vec<Assignment> = assignments.iter().map(|text| assignment(text)).collect();
    let computed = config.to_patch(&assignments, &[], options);
    assert_eq!(computed, Config::from(&remote).to_patch(&assignments, &[], options));
    computed
}

fn check(assignments: &[&str], expected: Value) {
    let computed = evaluate(TEXT, assignments, AssignOptions::default());
    assert_eq!(computed.map(|computed| computed.patch), Ok(expected), "{assignments:?}");
}

/// Faults as `PATH: MESSAGE | HINT`.
fn check_faults(assignments: &[&str], expected: &[&str]) {
    let faults =
        evaluate(TEXT, assignments, AssignOptions::default()).expect_err(&format!("{assignments:?}"));
    let texts = faults.iter().map(|fault| {
        let hint = fault.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
        format!("{fault}{hint}")
    });
    assert_eq!(texts.collect::<Vec<_>>(), expected, "{assignments:?}");
}

/// Checks cases of the form `ASSIGNMENT & ASSIGNMENT => PATCH`, or `=> FAULT & FAULT`; a line without an arrow goes on with
/// the one in front of it.
fn check_all(cases: &str) {
    let mut all: Vec<String> = Vec::new();
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match all.last_mut().filter(|_| !line.contains(" => ")) {
            Some(last) => *last += &format!(" {line}"),
            None => all.push(line.to_owned()),
        }
    }
    for case in all {
        let (assignments, expected) = case.split_once(" => ").expect(&case);
        let assignments = assignments.replace("\\r", "\r").replace("\\n", "\n");
        let assignments: Vec<&str> = assignments.split(" & ").collect();
        match serde_json::from_str(expected) {
            Ok(patch) => check(&assignments, patch),
            Err(_) => check_faults(&assignments, &expected.split(" & ").collect::<Vec<_>>()),
        }
    }
}

#[test]
fn values_are_typed_by_the_schema() {
    check_all(
        r#"
        edit_auth.password=12345 => {"edit_auth": {"password": "12345"}}
        s:edit_auth.password=null => {"edit_auth": {"password": "null"}}
        edit_auth.password="null" => {"edit_auth": {"password": "null"}}
        edit_auth.password="a b" => {"edit_auth": {"password": "a b"}}
        edit_auth.password="a => {"edit_auth": {"password": "\"a"}}
        s:edit_auth.password="a b" => {"edit_auth": {"password": "\"a b\""}}
        edit_auth={"login":"a"} => {"edit_auth": {"login": "a"}}
        edit_auth=null => {"edit_auth": null}
        cluster_key=null => {"cluster_key": null}
        root=5 => {"root": "5"}
        auth.url=http://b/?a=b => {"auth": {"url": "http://b/?a=b"}}
        auth.url=false => {"auth": {"url": false}}
        auth.url="false" => {"auth": {"url": "false"}}
        auth.url=null => {"auth": {"url": null}}
        auth.url="null" => {"auth": {"url": "null"}}
        auth.extra.k=5 => {"auth": {"extra": {"k": "5"}}}
        auth.extra.k=true => {"auth": {"extra": {"k": "true"}}}
        auth.extra.k=null => {"auth": {"extra": {"k": null}}}
        auth.extra={"k":true,"a":null} => {"auth": {"extra": {"k": true, "a": null}}}
        auth.extra=null => {"auth": {"extra": null}}
        rtmp=1935 => {"rtmp": 1935}
        rtmp="1935" => {"rtmp": 1935}
        s:rtmp=1935 => {"rtmp": 1935}
        rtsp=[::1]:554 => {"rtsp": "[::1]:554"}
        rtmp=null => {"rtmp": null}
        log_requests=off => {"log_requests": false}
        log_requests=True => {"log_requests": true}
        lives.pub.publish_enabled=false => {"lives": {"pub": {"publish_enabled": false}}}
        streams.a.static=false => {"streams": {"a": {"static": false}}}
        streams.a.position=3 => {"streams": {"a": {"position": 3}}}
        streams.a.prepush=off => {"streams": {"a": {"prepush": false}}}
        streams.a.prepush=5 => {"streams": {"a": {"prepush": 5}}}
        streams.a.transcoder=vb=1024k ab="x y" copy => {"streams": {"a": {"transcoder": [["video_bitrate",
            1024000], ["audio_bitrate", "x y"], ["copy"]]}}}
        streams.a.transcoder=[["vb","64k"]] => {"streams": {"a": {"transcoder": [["vb", "64k"]]}}}
        streams.a.dvr=/d "a b" 7d => {"streams": {"a": {"dvr": {"root": "/d", "reference": null, "disk_limit":
            null, "dvr_limit": 604800, "options": ["a b"]}}}}
        streams.a.dvr.dvr_limit=7d => {"streams": {"a": {"dvr": {"dvr_limit": 604800}}}}
        streams.a.disabled=true => {"streams": {"a": {"disabled": true}}}
        streams.a.title="5" => {"streams": {"a": {"title": "5"}}}
        streams.a.title=007 => {"streams": {"a": {"title": "007"}}}
        streams.a.note={"x":1} => {"streams": {"a": {"note": {"x": 1}}}}
        streams.a.title={"x":1 => {"streams": {"a": {"title": "{\"x\":1"}}}
        s:streams.a.title= => {"streams": {"a": {"title": ""}}}
        s:streams.a.title=5 => {"streams": {"a": {"title": "5"}}}
        plugins.iptv.port=80 => {"plugins": {"iptv": {"port": 80}}}
        streams.a=null => {"streams": {"a": null}}
        streams.a={"prepush":5} => {"streams": {"a": {"prepush": 5}}}
        http_options.80.api=false => {"http_options": {"80": {"api": false}}}
        prepsh=5 => {"prepsh": 5}
        "#,
    );
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
        let evaluated = evaluate(TEXT, &[&deep], AssignOptions::default());
        let shown: String = deep.chars().take(20).collect();
        assert_eq!(evaluated.is_ok(), is_fine, "{shown}: {evaluated:?}");
    }
}

#[test]
fn numbers_reach_the_patch_as_written() {
    let computed = evaluate(TEXT, &["big=12345678901234567890.50"], AssignOptions::default());
    assert_eq!(computed.expect("a number").patch["big"].to_string(), "12345678901234567890.50");
}

#[test]
fn values_that_do_not_fit_are_refused_with_their_path() {
    let cases = r#"
        rtmp=abc => `rtmp`: PORT
        rtmp=65536 => `rtmp`: PORT
        http[0]=x => `http[0]`: PORT
        http=x => `http`: PORT
        http=80 443 => `http`: PORT
        streams.a.urls.url=udp://u:p@1 => `streams.a.urls.url`: LIST
        streams.*.urls.url=udp://1 => `streams.*.urls.url`: LIST
        streams.b.urls=udp://u:p@1 udp://2 => `streams.b.urls`: expected one URL, then NAME=VALUE options
        log_requests=yes => `log_requests`: expected `true` or `false`
        s:log_requests=true => `log_requests`: expected `true` or `false`
        streams.a.prepush=-1 => `streams.a.prepush`: expected a number of seconds, or `off`
        streams.a.prepush=on => `streams.a.prepush`: expected a number of seconds, or `off`
        streams.a.position=0 => `streams.a.position`: expected a position, counted from 1
        streams.a.position => `streams.a.position`: every block has one | set it to another value
        edit_auth=a => `edit_auth`: expected LOGIN PASSWORD
        auth=http://b/; x => `auth`: expected a URL or `false`, then NAME=VALUE options
        streams.b.auth=on => `streams.b.auth`: expected a URL or `false`, then NAME=VALUE options
        streams.b.auth=false k=v => `streams.b.auth`: `false` takes no options
        streams.a=5 => `streams.a`: expected a JSON object
        s:edit_auth=a b => `edit_auth`: a string does not fit here
        streams.a.transcoder=vb=1; url x => `streams.a.transcoder`: expected options of the transcoder
        x={"a":1,"a":2} => `x`: the key `a` is given more than once | keep one of them: JSON does not say
            which counts
        streams.a.push[+]=a; b => `streams.a.push[+]`: expected words | `--set-string` sets one word, whatever is
            in it
        streams.b.urls[0].url=rtsp://x/1 a=2 => `streams.b.urls[0].url`: `url` MANY 'streams.b.urls[0]=rtsp://x/1 a=2'` ALL
        streams.b.auth.url=http://b c=1 => `streams.b.auth.url`: `url` MANY 'streams.b.auth=http://b c=1'` ALL
        streams.b.dvr.root=/s 7d => `streams.b.dvr.root`: `root` MANY 'streams.b.dvr=/s 7d'` ALL
        edit_auth.login=admin s3cret => `edit_auth.login`: `login` MANY 'edit_auth=…'` ALL
        auth.url=http://u:p4ss@b c=1 => `auth.url`: `url` MANY 'auth=…'` ALL
        x=[] => `x`: an empty list can't be written | null removes the directive
        streams.a.urls=[{"priority":1}] => `streams.a.urls[0].url`: a source without a url
        streams.a.urls[0].url => `streams.a.urls[0].url`: a source without a url
        edit_auth.login => `edit_auth.login`: the login can't be removed alone | unset the whole directive
    "#;
    let list = "a list has no members | name an element, such as `[0]`, or `[+]` for a new one";
    let cases = cases.replace("PORT", "expected a port from 0 to 65535, or HOST:PORT").replace("LIST", list);
    let cases = cases.replace("MANY", "is one word, and these are several | `--set");
    check_all(&cases.replace("ALL", "sets them all, `--set-string` one word"));
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    check_all(
        r#"
        streams.a.name=b => `streams.a.name`: `name` is output only | it is the key; `mediactl mv` gives the
            block another name
        lives.pub.prefix => `lives.pub.prefix`: `prefix` is output only | it is the key; `mediactl mv` gives
            the block another name
        runtime.x=1 => `runtime.x`: `runtime` is output only | it holds figures of the running server
        streams.a.auth.url_global=x => `streams.a.auth.url_global`: `url_global` is output only | set the
            `auth.url` of the top level
        streams.a.url_global=x => `streams.a.url_global`: `url_global` is output only | set the `auth.url` of
            the top level
        lives.pub.static=false => `lives.pub.static`: `static` is output only | a live is never static
        stream.a.prepush=1 => `stream.a.prepush`: `stream` is a keyword of the text, not a key of the JSON |
            did you mean `streams`?
        streams.a.url => `streams.a.url`: `url` is a keyword of the text, not a key of the JSON | did you mean
            `urls`?
        rtmp.port=1 => `rtmp.port`: there is nothing below a plain value
        edit_auth.name=x => `edit_auth.name`: there is no such member here | the members are `login` and
            `password`
        streams[0].prepush=1 => `streams[0].prepush`: expected a list, found an object | name a member after a
            `.`
        streams.a.urls.url=x => `streams.a.urls.url`: a list has no members | name an element, such as `[0]`,
            or `[+]` for a new one
        streams.a.iptv.x => `streams.a.iptv.x`: there is no `x` in `iptv`
        streams.a.iptv[+]=x => `streams.a.iptv[+]`: this is not a list | set the whole to a JSON array
        streams.a.@note=1 => `streams.a.@note`: `@note` needs no `@` | write it as `note`
        streams.a.dvr.path=x => `streams.a.dvr.path`: there is no such member here | the members are `root`,
            `reference`, `disk_limit`, `dvr_limit` and `options`
        edit_auth[*]=1 => `edit_auth[*]`: `[*]` stands for the elements of a list, and there is no list here
        streams.a.urls[url="udp://2"] => `streams.a.urls[url="udp://2"]`: the elements [1] and [2] both match
            | name one by its index
        streams.a.dvr.disk_limit=x => `streams.a.dvr.disk_limit`: expected a percentage from 0 to 100, found
            the string `x`
        "#,
    );
}

#[test]
fn lists_become_the_whole_new_list() {
    check_all(
        r#"
        http[+]=80 & http[+]=81 => {"http": [80, "127.0.0.1:8080", 80, 81]}
        http[2]=81 & http[3]=82 => {"http": [80, "127.0.0.1:8080", 81, 82]}
        http[0] => {"http": ["127.0.0.1:8080"]}
        http[0] & http[1]=9 => {"http": ["127.0.0.1:8080", 9]}
        http=[80,81] => {"http": [80, 81]}
        http[*] => {"http": []}
        http[-1]=81 => {"http": [80, 81]}
        http[-2] => {"http": ["127.0.0.1:8080"]}
        streams.b.urls[+]=udp://4 => {"streams": {"b": {"urls": [{"url": "udp://3"}, {"url": "udp://4"}]}}}
        streams.c.urls[0]=udp://8 => {"streams": {"c": {"urls": [{"url": "udp://8"}, {"url": "udp://7"}]}}}
        streams.b.urls[0]={"url":"x","a":1} => {"streams": {"b": {"urls": [{"url": "x", "a": 1}]}}}
        streams.c.urls[0].url=x => {"streams": {"c": {"urls": [{"url": "x", "k": 1}, {"url": "udp://7"}]}}}
        streams.c.urls[k=1].url=x => {"streams": {"c": {"urls": [{"url": "x", "k": 1}, {"url": "udp://7"}]}}}
        streams.b.urls[0].flag=true => {"streams": {"b": {"urls": [{"url": "udp://3", "flag": true}]}}}
        streams.c.urls[0].k => {"streams": {"c": {"urls": [{"url": "udp://6"}, {"url": "udp://7"}]}}}
        streams.c.urls[0].k=null => {"streams": {"c": {"urls": [{"url": "udp://6"}, {"url": "udp://7"}]}}}
        streams.c.urls[0].* => {"streams": {"c": {"urls": [{"url": "udp://6"}, {"url": "udp://7"}]}}}
        streams.*.urls[*].k => {"streams": {"c": {"urls": [{"url": "udp://6"}, {"url": "udp://7"}]}}}
        streams.c.urls[0] => {"streams": {"c": {"urls": [{"url": "udp://7"}]}}}
        streams.c.urls[0]=null => {"streams": {"c": {"urls": [{"url": "udp://7"}]}}}
        streams.a.urls[url="udp://1"] => {"streams": {"a": {"urls": [{"url": "udp://2"}, {"url": "udp://2"}]}}}
        streams.c.urls[*] & streams.c.urls[+]=udp://9 => {"streams": {"c": {"urls": [{"url": "udp://9"}]}}}
        streams.a.urls => {"streams": {"a": {"urls": null}}}
        streams.a.urls[url=x]=null & streams.a.urls[7]=null => {}
        streams.a.transcoder[0]=ab=64k => {"streams": {"a": {"transcoder": [["audio_bitrate", 64000], ["size",
            "hd"]]}}}
        streams.a.transcoder[+]=["x"] & streams.a.transcoder[1][1]=sd => {"streams": {"a": {"transcoder":
            [["video_bitrate", 1024000], ["size", "sd"], ["x"]]}}}
        streams.a.archive[1]=7d => {"streams": {"a": {"archive": ["/storage", "7d"]}}}
        streams.a.dvr.options[+]=x => {"streams": {"a": {"dvr": {"options": ["x"]}}}}
        streams.a.push[1] => {"streams": {"a": {"push": [["a", "b"]]}}}
        streams.a.push[1][0]=d => {"streams": {"a": {"push": [["a", "b"], ["d"]]}}}
        streams.a.archive[1] & streams.a.archive[0] => {"streams": {"a": {"archive": null}}}
        streams.b.new[+]=1 & streams.b.new[+]=x => {"streams": {"b": {"new": [1, "x"]}}}
        streams.a.prepush=5 & http[0] & rtmp=1 => {"streams": {"a": {"prepush": 5}}, "http": ["127.0.0.1:8080"],
            "rtmp": 1}
        "#,
    );
}

#[test]
fn edits_of_one_place_are_refused() {
    let cases = r#"
        rtmp=1 & rtmp=2 => `rtmp`: TWICE
        streams.a.urls[0] & streams.a.urls[0] => `streams.a.urls[0]`: TWICE
        streams.a.prepush=1 & streams.a => `streams.a.prepush`: TWICE
        http=[1] & http[+]=2 => `http[+]`: TWICE
        lives.*.x=1 & lives.pub.x=1 & rtmp=x => `rtmp`: expected a port from 0 to 65535, or HOST:PORT &
            `lives.pub.x`: TWICE
        new[0]=1 & new.x=1 => `new.x`: `x` can't be set: its parent is not an object
    "#;
    let twice = "another edit of this command gives it, too | set either the whole or its parts, each once";
    check_all(&cases.replace("TWICE", twice));
}

#[test]
fn lists_and_stars_depend_on_what_was_read() {
    for (assignment, expected) in
        [("rtmp=1", false), ("http=[1]", false), ("http[+]=1", true), ("lives.*.x=1", true)]
    {
        let computed = evaluate(TEXT, &[assignment], AssignOptions::default()).expect(assignment);
        assert_eq!(computed.depends_on_read, expected, "{assignment}");
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
        let faults = evaluate(TEXT, &[&text], AssignOptions::default()).expect_err(&text);
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
        if let Ok(computed) = evaluate(TEXT, &texts, AssignOptions { create, ..AssignOptions::default() }) {
            let patch = computed.patch;
            proptest::prop_assert!(crate::schema::Schema::normalize(patch).is_ok());
        }
    }
}

const SEGMENTS: &str = "streams streams a b n lives pub plugins iptv http rtmp auth extra url urls transcoder prepush dvr \
                        push meta x * [0] [1] [+] [url=\"udp://1\"] static position name http_options 80 edit_auth login rule";

const VALUES: &[&str] =
    &["5", "x", "null", "false", "\"5\"", "[1]", "[[1]]", "{\"url\":\"x\"}", "{}", "[]", "a=b", "1:2", ""];

//! Changes that name the text that they were made of (`base`), and answers with masks in the place of secrets.

use mediactl::store::Revision;
use serde_json::{Value, json};

use super::handler::{Server, body, change, header, refused, text};

const TEXT: &str = "# main\nhttp 80;\nrtmp 1935;\nedit_auth admin s3cret; # keep\ncluster_key k3y;\n\nstream a {\n  \
                    url rtsp://u:p4ss@h/x;\n  title A;\n  prepush 5;\n}\nstream b {\n  url udp://2;\n}\n";

fn of(text: &str) -> String {
    Revision::from_text(text.as_bytes()).to_string()
}

/// A server on which others changed this since `TEXT`.
fn changed(from: &str, to: &str) -> Server {
    let server = Server::over(TEXT);
    assert!(TEXT.contains(from));
    server.made("save_config", &TEXT.replace(from, to));
    server
}

/// The same with an edit by hand.
fn edited(from: &str, to: &str) -> Server {
    let server = Server::over(TEXT);
    server.edit_by_hand(from, to);
    server
}

#[test]
fn a_change_is_merged_with_what_others_made_of_its_base() {
    let base = of(TEXT);
    let mine = TEXT.replace("title A", "title M");
    let both = mine.replace("http 80", "http 81");
    let entry = "stream a {\n  url rtsp://u:p4ss@h/x;\n  title M;\n  prepush 5;\n}";
    let texts = json!([{ "path": "streams.a", "text": entry }]);
    let with_base = |operation| change(&operation, &json!({ "base": base }));
    for (target, sent) in [
        (&*format!("save_config?base={base}"), &*mine),
        (&*format!("modify_config?base={base}"), r#"{"streams":{"a":{"title":"M"}}}"#),
        ("change", &*with_base(json!({ "save": mine }))),
        ("change", &*with_base(json!({ "entries": { "texts": texts } }))),
    ] {
        let server = changed("http 80", "http 81");
        server.made(target, sent);
        assert_eq!(server.place.text(), both, "{target} {sent}");
        // The ETag of the text is its revision, too; nothing has changed since.
        let tag = header(&server.get(""), "ETag").expect("there is one").replace('"', "%22");
        server.made(&format!("save_config?base={tag}"), TEXT);
        assert_eq!(server.place.text(), TEXT);
    }
    let server = changed("http 80", "http 81");
    server.made(&format!("update_config?base={base}"), &mine);
    assert_eq!(text(&server.get("?format=conf")), both);
    assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
    // A patch takes back nothing that it only repeats.
    let server = changed("prepush 5", "prepush 7");
    let whole = r#"{"streams":{"a":{"title":"M","prepush":5}}}"#;
    server.made(&format!("modify_config?base={base}"), whole);
    assert_eq!(server.place.text(), mine.replace("prepush 5", "prepush 7"));
    // An edit by hand and an update that is not saved are merged, too.
    let hand = edited("# main", "# other");
    let updated = Server::over(TEXT);
    updated.made("update_config", &TEXT.replace("# main", "# other"));
    for server in [hand, updated] {
        server.made(&format!("save_config?base={base}"), &mine);
        assert_eq!(server.place.text(), mine.replace("# main", "# other"));
    }
}

#[test]
fn values_that_both_changed_are_told_and_no_others() {
    let base = of(TEXT);
    for (target, sent) in [
        ("modify_config", r#"{"http":[82],"rtmp":1936}"#.to_owned()),
        ("save_config", TEXT.replace("http 80", "http 82").replace("rtmp 1935", "rtmp 1936")),
    ] {
        for server in [changed("http 80", "http 81"), edited("http 80", "http 81")] {
            let answer = server.post(&format!("{target}?base={base}"), &sent);
            refused(&answer, 409, "conflict");
            let errors = body(&answer)["errors"].clone();
            let [only] = &errors.as_array().expect("a list")[..] else { panic!("{errors}") };
            let told = ["pointer", "base", "theirs", "mine"].map(|member| only[member].clone());
            assert_eq!(told, [json!("/http"), json!([80]), json!([81]), json!([82])], "{target}");
            assert_eq!(server.place.text(), TEXT.replace("http 80", "http 81"));
            server.made(&format!("{target}?base={base}&force=1"), &sent);
            let forced = TEXT.replace("http 80", "http 82").replace("rtmp 1935", "rtmp 1936");
            assert_eq!(server.place.text(), forced);
        }
        // What only the edit by hand changed is not taken back by force either.
        let server = edited("# main", "# by hand");
        server.made(&format!("{target}?force=1&base={base}"), &sent);
        assert!(server.place.text().contains("# by hand") && server.place.text().contains("http 82;"));
    }
    let server = changed("s3cret", "th31rs");
    let sent = r#"{"edit_auth":{"password":"m1ne"}}"#;
    let answer = server.post_as(("admin", "th31rs"), &format!("modify_config?base={base}"), sent);
    refused(&answer, 409, "conflict");
    let shown = text(&answer);
    assert!(!["s3cret", "th31rs", "m1ne"].iter().any(|secret| shown.contains(secret)), "{shown}");
    let error = &body(&answer)["errors"][0];
    assert_eq!(error["pointer"], "/edit_auth/password");
    assert!(error["base"] != error["theirs"] && error["theirs"] != error["mine"], "{error}");
}

#[test]
fn a_page_that_asks_for_masks_gets_no_secret_in_any_answer() {
    let patch = r#"{"cluster_key":"n3w"}"#;
    let tell = json!({ "tell": { "diff": true, "values": true, "configuration": true, "secrets": true } });
    let data = |patch: Value| change(&json!({ "modify": { "edits": { "patch": patch } } }), &tell);
    let named = data(json!({ "streams": { "a?token=n3w": { "urls": [{ "url": "udp://a" }] } } }));
    for (target, sent) in [
        ("modify_config?format=diff&", patch),
        ("modify_config?format=conf&", patch),
        ("modify_config?", patch),
        ("save_config?format=diff&", &TEXT.replace("k3y", "n3w")),
        ("change?", &data(json!({ "cluster_key": "n3w" }))),
        ("change?", &named),
    ] {
        let server = Server::over(TEXT);
        let answer = text(&server.made(&format!("{target}secrets=masked"), sent));
        let back = text(&server.made("rollback_config?to=last&format=diff&secrets=masked", ""));
        assert!(back.contains("<secret:"), "{back}");
        for secret in ["s3cret", "p4ss", "k3y", "n3w"] {
            assert!(!answer.contains(secret) && !back.contains(secret), "{target}: {answer} {back}");
        }
    }
}

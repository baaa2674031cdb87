//! What the answer of `change` tells of a request for who keeps no secret: what was sent, and the command for the shell.

use mediactl::store::Revision;
use serde_json::{Value, json};

use super::handler::{Server, body};

const TEXT: &str = "edit_auth admin s3cret;\ncluster_key k3y;\nstream a {\n  url rtsp://u:p4ss@h/x;\n  title A;\n  prepush 5;\n}\n\
                    stream b {\n  url udp://2;\n  dvr /d;\n  disabled true;\n  comment far;\n}\n";

fn of(text: &str) -> String {
    Revision::from_text(text.as_bytes()).to_string()
}

/// What `tell=sent` makes of a request: the masks of the answer are `<mask>`.
fn sent(server: &Server, request: &Value) -> Value {
    let target = format!("change?dry_run=true&secrets=keep&tell=sent&base={}", of(TEXT));
    told(server, &target, request)["sent"].clone()
}

/// What a server tells of a request, which holds no secret.
fn told(server: &Server, target: &str, request: &Value) -> Value {
    let answer = server.post(target, &request.to_string());
    let told = String::from_utf8_lossy(&answer.body).into_owned();
    assert_eq!(answer.status, 200, "{told}");
    for secret in ["s3cret", "p4ss", "k3y", "n3w"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    body(&answer)
}

/// The command with the same effect as a request.
fn command(server: &Server, more: &str, request: &Value) -> String {
    let target = format!("change?dry_run=true&secrets=keep&tell=command&base={}{more}", of(TEXT));
    told(server, &target, request)["command"].as_str().expect("there is a command").to_owned()
}

fn assignments(assignments: &[(&str, Value)]) -> Value {
    let made: Vec<Value> =
        assignments.iter().map(|(path, value)| json!({ "path": path, "value": value })).collect();
    json!({ "modify": { "edits": { "assignments": { "assignments": made, "conditions": [], "options": { "create": true } } }, "expectations": [] } })
}

#[test]
fn what_was_sent_is_told_without_its_secrets() {
    let server = Server::over(TEXT);
    let target = "/media/api/read_config?path=streams.a&format=conf&secrets=masked";
    let read = String::from_utf8_lossy(&server.ask("GET", target, &[], "").body).into_owned();
    let mask = &read[read.find("<secret:").expect("it has a mask")..][.."<secret:xxxxxx>".len()];
    let typed = read.replace("title A;", "title B; # see below") + "\n";
    let texts = |text: &str| json!({ "entries": { "texts": [{ "path": "streams.a", "text": text }] } });
    assert_eq!(sent(&server, &texts(&typed)), texts(&typed), "a mask stays");
    let told = sent(
        &server,
        &texts(
            &typed
                .replace("prepush 5;", "prepush 6;\n  password n3w;\n  comment \"p4ss n3w\";")
                .replace("p4ss n3w", "x"),
        ),
    );
    let told = told["entries"]["texts"][0]["text"].as_str().expect("it is a text");
    assert!(told.contains(mask) && told.contains("  prepush 6;\n  password <secret:"), "{told}");
    let created = json!({ "entries": { "texts": [{ "path": "streams.c", "text": "stream c {\n  url rtsp://u:n3w@h;\n}", "create": true }] } });
    assert!(sent(&server, &created).to_string().contains("rtsp://<secret:"));
}

#[test]
fn assignments_are_told_without_their_secrets() {
    let server = Server::over(TEXT);
    let (typed, string) = (|text: &str| json!({ "typed": text }), |text: &str| json!({ "text": text }));
    for (path, value, is_shown) in [
        ("streams.a.prepush", typed("7"), true),
        ("streams.a.prepush", typed("5"), true),
        ("streams.a.title", string("7"), true),
        ("streams.a.title", string("say \"hi\" \\ to {a; b} # all"), true),
        ("streams.a.title", json!({ "replace": "s/A/\"B\" \\ C/" }), true),
        ("streams.a", json!("remove"), true),
        ("streams.*.prepush", typed("7"), true),
        ("streams.b.urls.url", json!({ "replace": "s/2/3/" }), true),
        ("streams.a.urls[0].url", json!({ "replace": "s/h/i/" }), true),
        ("streams.b.urls.url", json!({ "replace": "s/2/u:n3w@3/" }), false),
        ("streams.b.urls[0].url", typed("rtsp://u:n3w@h"), false),
        ("streams.b.urls", typed(r#"[{"url":"udp://2","password":"n3w"}]"#), false),
        ("streams.a.comment", string("see http://u:n3w@h"), false),
        ("streams.a.comment", string("token=n3w"), false),
        ("streams.b.urls[0].url", typed("udp://2?password=n3w"), false),
        ("streams.b.auth.url", typed("http://h?token=n3w"), false),
        ("streams.b.auth", typed(r#"{"url":"http://h","extra":{"password":"n3w"}}"#), false),
        ("streams.a.password", typed("n3w"), false),
        ("cluster_key", string("k3y"), false),
        ("edit_auth.password", string("s3cret"), false),
    ] {
        let told = sent(&server, &assignments(&[(path, value.clone())]));
        let made = &told["modify"]["edits"]["assignments"]["assignments"][0];
        let kind = |value: &Value| value.as_object().and_then(|value| value.keys().next().cloned());
        assert_eq!((&made["path"], kind(&made["value"])), (&json!(path), kind(&value)));
        assert_eq!(made["value"] == value, is_shown, "{path}: {made}");
    }
    for (path, value, shown) in [
        (
            r#"streams.a.urls[url="rtsp://u:p4ss@h/x"].tracks"#,
            typed("3"),
            r#"streams.a.urls[url="rtsp://<secret:"#,
        ),
        (
            r#"streams.a.urls[url=rtsp://u:p4ss@h/x].tracks"#,
            typed("3"),
            r#"streams.a.urls[url="rtsp://<secret:"#,
        ),
        (
            r#"streams.a.urls[url="rtsp://u:p4ss@h/x"]"#,
            json!("remove"),
            r#"streams.a.urls[url="rtsp://<secret:"#,
        ),
        (r#"streams.b."x?token=n3w""#, typed("3"), "streams.b.\"x?token=<secret:"),
    ] {
        let told = sent(&server, &assignments(&[(path, value)]));
        let path = told["modify"]["edits"]["assignments"]["assignments"][0]["path"].as_str();
        assert!(path.is_some_and(|path| path.starts_with(shown)), "{told}");
    }
    let found = r#"streams.b.urls[url="udp://2"].tracks"#;
    let told = sent(&server, &assignments(&[(found, typed("3"))]));
    assert_eq!(told["modify"]["edits"]["assignments"]["assignments"][0]["path"], found);
    let patch = json!({ "modify": { "edits": { "patch": { "cluster_key": "n3w" } } } });
    assert_eq!(sent(&server, &patch), Value::Null);
}

#[test]
fn assignments_are_options_of_modify_and_a_secret_is_asked_for() {
    let server = Server::over(TEXT);
    let request = assignments(&[
        ("streams.\"a.b\".prepush", json!({ "typed": "5" })),
        ("streams.b.dvr", json!("remove")),
        ("streams.a.title", json!({ "text": "it's 5" })),
        ("cluster_key", json!({ "text": "n3w" })),
        ("streams.b.urls[0].url", json!({ "replace": "s/2/3/" })),
    ]);
    let expected = r#"mediactl --url http://h:80 modify --yes \
  --set 'streams."a.b".prepush=5' \
  --unset streams.b.dvr \
  --set-string 'streams.a.title=it'\''s 5' \
  --set cluster_key \
  --replace 'streams.b.urls[0].url' s/2/3/ \
  --confirm 120s --message 'it'\''s late'"#;
    assert_eq!(command(&server, "&confirm=120&message=it's+late", &request), expected);
    let guarded = assignments(&[("streams.b.dvr", json!("remove"))]);
    let more = "&accept=would-remove-credentials,near-miss&message=-5+degrees";
    let expected = "mediactl --url http://h:80 modify --yes \\\n  --unset streams.b.dvr \\\n  \
                    --accept would-remove-credentials,near-miss --message='-5 degrees'";
    assert_eq!(command(&server, more, &guarded), expected);
    let replaced = assignments(&[("streams.b.urls[0].url", json!({ "replace": "s/2/u:n3w@3/" }))]);
    let found =
        assignments(&[(r#"streams.a.urls[url="rtsp://u:p4ss@h/x"].tracks"#, json!({ "typed": "3" }))]);
    for request in [replaced, found] {
        let command = command(&server, "&confirm=120", &request);
        assert!(
            command.starts_with("# A line of the change")
                && command.ends_with("\nmediactl --url http://h:80 edit --confirm 120s"),
            "{command}"
        );
    }
}

#[test]
fn texts_are_the_difference_unless_patch_would_have_to_find_a_mask() {
    let server = Server::over(TEXT);
    let entry = |path: &str, text: &str| json!({ "entries": { "texts": [{ "path": path, "text": text }] } });
    let whole = "stream b {\n  url udp://2;\n  dvr /d;\n  disabled true;\n  comment near;\n}";
    let made = command(&server, "&confirm=60", &entry("streams.b", whole));
    assert!(made.starts_with("cat > change.diff <<'END OF CHANGE'\n@@ -"), "{made}");
    let end = "\nEND OF CHANGE\nVISUAL='patch -s -i change.diff' mediactl --url http://h:80 edit --yes --confirm 60s";
    assert!(made.contains("\n+  comment near;\n") && made.ends_with(end), "{made}");
    let masked = |title: &str, prepush: u8| {
        let text =
            format!("stream a {{\n  url rtsp://u:p4ss@h/x;\n  title {title};\n  prepush {prepush};\n}}");
        command(&server, "", &entry("streams.a", &text)).starts_with("# A line of the change")
    };
    assert!(masked("B", 5), "the secret is in the line above the change");
    assert!(!masked("A", 6), "the secret is two lines above the change");
}

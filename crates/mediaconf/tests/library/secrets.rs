//! The law of secrets: however one is written, and wherever it stands, nothing that is shown holds it.

use mediaconf::{ChangedValue, Config, Document, MaskedText, Masker, check};
use serde_json::{Value, json};

const SECRET: &str = "HUSH";

/// The forms of writing, one a line: words of a directive.
const FORMS: &str = include_str!("../../../../tests/fixtures/secret_forms.txt");

/// The places of a secret, one a line; `{}` is where a form stands.
const PLACES: &str = include_str!("../../../../tests/fixtures/secret_places.txt");

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with("//"))
}

fn texts() -> Vec<String> {
    let texts = lines(FORMS)
        .flat_map(|form| lines(PLACES).map(move |place| format!("{}\n", place.replace("{}", form))));
    texts.collect()
}

#[test]
fn no_form_of_a_secret_in_any_place_is_shown() {
    assert!(lines(FORMS).count() >= 40 && lines(PLACES).count() >= 12);
    let mut shown = Vec::new();
    for text in texts() {
        for (door, text) in doors(&text) {
            if text.contains(SECRET) {
                shown.push(format!("{door}: {}", text.trim_end()));
            }
        }
    }
    assert!(shown.is_empty(), "{} times:\n{}", shown.len(), shown.join("\n"));
}

/// All that the library shows of a text, and of the same text with errors, where secrets are masked.
fn doors(text: &str) -> Vec<(&'static str, String)> {
    let mut doors = Vec::new();
    let below_a_quote = format!("stream a {{\n  title \"Cam 1;\n{text}}}\n}}\n");
    let texts = [("text", text.to_owned()), ("broken text", format!("{text}}}\n"))];
    for (name, text) in texts.into_iter().chain([("text below an open quote", below_a_quote)]) {
        let document = Document::parse(text.clone());
        let masker = Masker::Opaque;
        doors.push((name, masker.document(&document)));
        let whole = std::iter::once(0..text.len()).collect();
        let [lines] = MaskedText::new([&document], masker, [whole]);
        doors.push(("lines", lines.line(0..text.len()).into_owned()));
        for fault in check(&text).iter() {
            let related = fault.related.as_ref().map(|(_, message)| message);
            let told = [Some(&fault.message), fault.hint.as_ref(), related];
            doors.extend(told.into_iter().flatten().map(|message| ("message", message.clone())));
        }
    }
    let document = Document::parse(text.to_owned());
    if !document.has_errors() {
        doors.extend(json_doors(&document));
    }
    doors
}

fn json_doors(document: &Document) -> Vec<(&'static str, String)> {
    let masker = Masker::Opaque;
    let masked = Document::parse(masker.document(document));
    let nothing = json!({});
    let (nothing, whole) = (Config::from(&nothing), Config::new(document));
    let patch = Value::Object(nothing.patch_to(&whole));
    let mut doors = vec![
        ("json", Config::new(&masked).to_json().to_string()),
        ("patch", masker.json(&patch).to_string()),
    ];
    for changed in ChangedValue::between(&nothing, &whole) {
        let keys: Vec<&str> = changed.keys.iter().map(String::as_str).collect();
        doors.push(("path", masker.keys(&keys).join(".")));
        let shown = changed.masked(masker);
        doors.push(("value", format!("{:?}", shown.after)));
    }
    doors
}

#[test]
fn a_masked_text_is_one() {
    let masker = Masker::Opaque;
    for text in texts() {
        let document = Document::parse(text.clone());
        if document.diagnostics().errors() == 0 {
            let masked = masker.document(&document);
            let again = Document::parse(masked.clone());
            assert_eq!(again.diagnostics().errors(), 0, "{text}{masked}");
            assert_eq!(again.len(), document.len(), "{text}{masked}");
        }
    }
}

#[test]
fn a_comment_shows_no_secret_of_the_text() {
    let text = "# the login is admin, the way in is S3CRET-1 or UzNDUkVULTE=\n\
                edit_auth admin S3CRET-1; # \"S3CRET-1\", not S3CRET\n\
                cluster_key stream; # one stream: abc\nview_auth v abc;\n\
                stream cam { url rtsp://root:p%40ss@h/; password gate; # abc, gate, p@ss\n}\nstream gate { }\n";
    let expected = "# the login is admin, the way in is <secret:000000> or <secret:000000>\n\
                edit_auth admin <secret:000000>; # \"<secret:000000>\", not S3CRET\n\
                cluster_key <secret:000000>; # one stream: abc\nview_auth v <secret:000000>;\n\
                stream cam { url rtsp://<secret:000000>@h/; password <secret:000000>; # abc, gate, <secret:000000>\n\
                }\nstream gate { }\n";
    let masker = Masker::Opaque;
    assert_eq!(masker.document(&Document::parse(text.to_owned())), expected);
    let broken = masker.document(&Document::parse(format!("{text}}}\n")));
    assert!(!broken.contains("S3CRET-1") && !broken.contains("UzND"), "{broken}");
    // Beside another text, the secrets of both are hidden.
    let [old, new] = ["OLD-1", "NEW-1"].map(|word| format!("# OLD-1, NEW-1\nedit_auth a {word}; # OLD-1\n"));
    let diff = Document::parse(old).unified_diff(&Document::parse(new), masker).join("\n");
    assert!(!diff.contains("OLD-1") && !diff.contains("NEW-1"), "{diff}");
    let block = masker.document(&Document::parse("admin_auth { u S3CRET; }\nauth_backend main { }\n"));
    assert_eq!(block, "admin_auth { u <secret:000000>; }\nauth_backend main { }\n");
    // A part of the text is masked by the values of the whole.
    let document = Document::parse(text.to_owned());
    let line = 0..text.find('\n').unwrap_or(0);
    let [lines] = MaskedText::new([&document], masker, [std::iter::once(line.clone()).collect()]);
    assert_eq!(lines.line(line), expected.lines().next().unwrap_or(""));
}

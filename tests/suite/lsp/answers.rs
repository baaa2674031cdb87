//! What holds of every answer: no text makes the server panic, and no secret is told.

use mediactl::lsp::EditorSession;
use serde_json::{Value, json};

use crate::fixtures;

/// The requests about a place that tell something.
const AT_A_PLACE: &[&str] = &["hover", "completion", "definition"];

/// The number of places of one text that are asked for, evenly apart.
const PLACES: usize = 12;

const URI: &str = "untitled:text";

fn opened(text: &str) -> EditorSession {
    let mut session = EditorSession::default();
    session.take(json!({ "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    let opened = json!({ "uri": URI, "version": 1, "text": text });
    session.take(json!({ "method": "textDocument/didOpen", "params": { "textDocument": opened } }));
    session
}

/// All that is told of these places of a text: each request has one answer.
pub fn told(text: &str, places: impl Iterator<Item = (usize, usize)>) -> String {
    let mut session = opened(text);
    let mut told = json!(session.found_faults()).to_string();
    let mut ask = |method: &str, mut params: Value| {
        params["textDocument"] = json!({ "uri": URI });
        let answer =
            session.take(json!({ "id": 1, "method": format!("textDocument/{method}"), "params": params }));
        answer.unwrap_or_else(|| panic!("{method} has no answer")).to_string()
    };
    for (line, character) in places {
        let place = json!({ "line": line, "character": character });
        let params = json!({ "position": place, "newName": "new name" });
        told.extend(AT_A_PLACE.iter().map(|method| ask(method, params.clone())));
        let part = json!({ "range": { "start": place, "end": place } });
        // These are edits of the text.
        ask("codeAction", part);
        ask("rename", params);
    }
    told.push_str(&ask("documentSymbol", json!({})));
    ask("formatting", json!({}));
    told
}

#[test]
fn every_request_about_every_text_is_answered() {
    let invalid = fixtures::whole_files("invalid").into_iter();
    let invalid = invalid.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()));
    let texts: Vec<(String, String)> = fixtures::valid_texts().into_iter().chain(invalid).collect();
    fixtures::all(
        texts,
        |(name, _)| name.clone(),
        |(_, text)| {
            for text in [text.clone(), text[..text.floor_char_boundary(text.len() / 2)].to_owned()] {
                let lines: Vec<&str> = text.split('\n').collect();
                let step = lines.len().div_ceil(PLACES);
                let places = lines.iter().enumerate().step_by(step);
                told(&text, places.map(|(number, line)| (number, line.encode_utf16().count() / 2)));
            }
            Ok(())
        },
    );
}

#[test]
fn no_secret_is_told() {
    let text = "auth auth://viewers key=x password=hunter2;\ncluster_key hunter2;\nedit_auth admin hunter2;\n\
                template low { cluster_key hunter2; push rtmp://user:hunter2@192.0.2.2/; password hunter2; }\n\
                auth_backend viewers { backend http://u:hunter2@a.example?token=hunter2; }\n\
                stream cam2 { template low; }\n\
                stream cam1 {\n  template low;\n  url rtsp://user:hunter2@192.0.2.1/h264;\n  cluster_key hunter2;\n  password hunter2;\n}\n";
    for text in [text.to_owned(), text.replace(';', ""), text.replace('}', ""), text.replace("auth", "aut")] {
        let places = text.split('\n').enumerate();
        let places =
            places.flat_map(|(number, line)| (0..=line.len()).map(move |character| (number, character)));
        let told = told(&text, places);
        assert!(!told.contains("hunter"), "{text}: {:?}", &told[told.find("hunter").unwrap_or(0)..][..60]);
    }
}

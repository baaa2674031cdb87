//! The fixtures.

use std::fs;
use std::path::Path;

use mediactl::lsp::EditorSession;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::copy;
use crate::fixtures;

/// The name of the folder in a fixture.
const PLACE: &str = "$PLACE";

const SESSION: &str = "session.txt";

#[test]
fn every_message_gets_its_answer() {
    let folders = fs::read_dir(fixtures::root().join("lsp")).expect("there are fixtures");
    let mut folders: Vec<_> = folders.map(|folder| folder.expect("a folder can be read").path()).collect();
    folders.sort();
    assert!(folders.len() > 5);
    let faults: Vec<String> = folders.iter().filter_map(|folder| run(folder).err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs a session, and compares what came with what is written there.
fn run(folder: &Path) -> Result<(), String> {
    let place = TempDir::new().expect("a folder can be made");
    copy(folder, place.path());
    let folder_name = place.path().canonicalize().expect("it was made").display().to_string();
    let uri = format!("file://{folder_name}");
    let path = folder.join(SESSION);
    let script = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut session = EditorSession::default();
    let mut found = String::new();
    for line in script.lines().filter(|line| !line.starts_with("<-- ")) {
        found.push_str(line);
        found.push('\n');
        let Some(sent) = line.strip_prefix("--> ") else { continue };
        let answer = session.take(message(sent, &uri, place.path()));
        for message in answer.into_iter().chain(session.found_faults()) {
            let shown = shown(message).replace(&uri, PLACE).replace(&*folder_name, "$FOLDER");
            found.push_str(&format!("<-- {shown}\n"));
        }
    }
    if std::env::var_os("MEDIACTL_BLESS").is_some_and(|value| !value.is_empty()) {
        fs::write(&path, &found).expect("a fixture can be written");
        return Ok(());
    }
    let differs = found.lines().zip(script.lines()).find(|(found, expected)| found != expected);
    match differs {
        Some((found, expected)) => Err(format!("{}:\n  {found}\nnot\n  {expected}", path.display())),
        None if found.len() != script.len() => Err(format!("{}: {found}", path.display())),
        None => Ok(()),
    }
}

fn message(sent: &str, uri: &str, place: &Path) -> Value {
    if let Some(file) = sent.strip_prefix("open ") {
        let text = fs::read_to_string(place.join(file)).expect("the fixture has the file");
        let opened =
            json!({ "uri": format!("{uri}/{file}"), "version": 1, "languageId": "mediaconf", "text": text });
        return json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": opened } });
    }
    serde_json::from_str(&sent.replace(PLACE, uri)).unwrap_or_else(|error| panic!("{sent}: {error}"))
}

/// A message without what all have.
fn shown(mut message: Value) -> String {
    message.as_object_mut().expect("it is a message").remove("jsonrpc");
    if let Some(info) = message.pointer_mut("/result/serverInfo") {
        info["version"] = json!("VERSION");
    }
    message.to_string()
}

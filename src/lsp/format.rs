//! The answers about whole texts: their outlines, the links to included files, and the edits that format them.

use std::collections::BTreeMap;

use mediaconf::{Entry, LineIndex, Masker, Schema, Severity, one_line};
use serde_json::{Value, json};
use url::Url;

use super::session::RequestFault;
use super::text::{Configuration, SourceText, Workspace};

/// The edit that formats a text: the whole of it, as `fmt` writes it.
///
/// # Errors
/// The text has errors.
pub fn edits(text: &SourceText) -> Result<Value, RequestFault> {
    if !text.text.is_valid() {
        let first = text.text.diagnostics().iter().find(|fault| fault.severity == Severity::Error);
        let line = first.map(|first| LineIndex::new(text.document().text()).position(first.span.start).line);
        let place = line.map_or(String::new(), |line| format!(" (line {line})"));
        return Err(RequestFault::failed(format!("a text with errors{place} is not formatted")));
    }
    let new = text.document().formatted();
    let new = new.map_err(|unproved| RequestFault::failed(unproved.to_string()))?;
    let Some(new) = new else { return Ok(json!([])) };
    let whole = text.range(0..text.document().text().len());
    Ok(json!([{ "range": whole, "newText": new.text() }]))
}

/// The protocol's numbers for a stream and other named blocks (`Object`), and for a setting (`Property`).
const BLOCK: u8 = 19;
const SETTING: u8 = 7;

/// The outline of a text: the entries of the top level. Values are not shown: they may be secrets.
pub fn symbols(text: &SourceText) -> Value {
    text.document().entries().map(|entry| symbol(text, entry)).collect()
}

/// The streams and other named blocks of all open texts and of what they include whose names hold `query`.
pub fn named_blocks(workspace: &Workspace, query: &str) -> Value {
    let mut found: BTreeMap<(String, usize), Value> = BTreeMap::new();
    for open in workspace.texts.values() {
        for text in &workspace.configuration(open).0.files {
            let names = text.document().name_uses().into_iter().filter(|name| name.is_definition);
            for name in names.filter(|name| name.name.to_lowercase().contains(&query.to_lowercase())) {
                let range = text.range(name.word.start as usize..name.word.end() as usize);
                let location = json!({ "uri": text.uri, "range": range });
                let symbol = json!({ "name": one_line(&name.name), "kind": BLOCK, "containerName": name.group, "location": location });
                found.insert((text.uri.clone(), name.word.start as usize), symbol);
            }
        }
    }
    found.into_values().take(MOST_BLOCKS).collect()
}

/// The most named blocks of one answer.
const MOST_BLOCKS: usize = 500;

/// The addresses of `include` directives, each with the one file that it names.
pub fn links(configuration: &Configuration, file: usize) -> Value {
    let text = &configuration.files[file];
    let included = text.document().all_entries().filter(|entry| entry.keyword() == "include");
    let link = |entry: Entry<'_>| {
        let word = entry.only_argument()?;
        let uri = Url::parse(&configuration.files[0].uri).ok()?.join(&word.value()).ok()?.to_string();
        let is_there = configuration.files.iter().any(|file| file.uri == uri);
        let range = text.range(word.start as usize..word.end() as usize);
        is_there.then(|| json!({ "range": range, "target": uri }))
    };
    included.filter_map(link).collect()
}

fn symbol(text: &SourceText, entry: Entry<'_>) -> Value {
    let keyword = entry.keyword();
    let is_named = Schema::group_of(&keyword).is_some() || Schema::has_named_blocks(&keyword);
    let name = entry.arguments().next().filter(|_| is_named);
    let selected = name.or_else(|| entry.words().next()).map_or(entry.span(), |word| word.span());
    // A secret may be glued to a keyword, or cut at a `;`.
    let masked = Masker::Opaque.keys(&[&keyword]).concat();
    // A name is not empty in the protocol.
    let shown = name.map(|name| name.value()).filter(|name| !name.is_empty());
    let shown = shown.as_deref().unwrap_or(if keyword.is_empty() { "{" } else { &masked });
    let mut symbol = json!({
        "name": one_line(shown),
        "kind": if entry.is_block() || is_named { BLOCK } else { SETTING },
        "range": text.range(entry.start()..entry.end()),
        "selectionRange": text.range(selected.start as usize..selected.end as usize),
    });
    if is_named {
        symbol["detail"] = json!(keyword);
    }
    symbol
}

//! The answers about a whole text: its outline, and the edits that format it.

use mediaconf::{Entry, LineIndex, Schema, Severity, one_line};
use serde_json::{Value, json};

use super::session::RequestFault;
use super::text::SourceText;

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

fn symbol(text: &SourceText, entry: Entry<'_>) -> Value {
    let keyword = entry.keyword();
    let is_named = Schema::group_of(&keyword).is_some() || Schema::has_named_blocks(&keyword);
    let name = entry.arguments().next().filter(|_| is_named);
    let selected = name.or_else(|| entry.words().next()).map_or(entry.span(), |word| word.span());
    // A name is not empty in the protocol.
    let shown = name.map(|name| name.value()).filter(|name| !name.is_empty());
    let shown = shown.as_deref().unwrap_or(if keyword.is_empty() { "{" } else { &keyword });
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

//! The answers about a whole text: its outline, and the edits that format it.

use std::iter;
use std::ops::Range;

use mediaconf::{Entry, LineIndex, Schema, Severity, Token, one_line};
use serde_json::{Value, json};

use super::place::Enclosing;
use super::session::RequestFault;
use super::text::SourceText;

/// The number of edits beyond which one edit takes the place of all: many small ones are longer than the text.
const MOST_EDITS: usize = 1000;

/// The edits that format a text: the white space between two tokens is replaced where `fmt` has another.
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
    let (old, new) = (text.document().text(), new.text());
    let line_end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let edit = |(part, by): (Range<usize>, Range<usize>)| {
        let new_text = new[by].replace('\n', line_end);
        (old[part.clone()] != new_text).then(|| json!({ "range": text.range(part), "newText": new_text }))
    };
    let edits: Vec<Value> = gaps(old).zip(gaps(new)).filter_map(edit).take(MOST_EDITS + 1).collect();
    match edits.len() <= MOST_EDITS {
        true => Ok(edits.into()),
        false => Ok(json!([edit((0..old.len(), 0..new.len()))])),
    }
}

/// The bytes in front of each token, and behind the last one.
fn gaps(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let places = Token::all(text).map(|token| token.start..token.end());
    let places = places.chain(iter::once(text.len()..text.len()));
    places.map(move |place| std::mem::replace(&mut end, place.end)..place.start)
}

/// The protocol's numbers for a stream and other named blocks (`Object`), and for a setting (`Property`).
const BLOCK: u8 = 19;
const SETTING: u8 = 7;

/// The outline of a text: the entries of the top level, and the blocks inside them. Values are not shown: they may be secrets.
pub fn symbols(text: &SourceText) -> Value {
    entries(text, text.document().entries(), &Enclosing::top())
}

fn entries<'d>(text: &SourceText, entries: impl Iterator<Item = Entry<'d>>, around: &Enclosing) -> Value {
    let shown = entries.filter(|entry| around.is_top() || entry.is_block());
    shown.map(|entry| symbol(text, entry, around)).collect()
}

fn symbol(text: &SourceText, entry: Entry<'_>, around: &Enclosing) -> Value {
    let keyword = entry.keyword();
    let schema = Schema::media();
    let is_named =
        around.is_top() && (schema.group_of(&keyword).is_some() || schema.has_named_blocks(&keyword));
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
    if entry.is_block() {
        let inside = around.inside(&keyword, entry.count_arguments());
        symbol["children"] = entries(text, entry.children(), &inside);
    }
    symbol
}

//! Formats a text: the white space between two tokens is replaced where `fmt` has another.

use std::ops::Range;

use mediaconf::{LineIndex, Severity, Token};
use serde_json::{Value, json};

use super::protocol::RequestFault;
use super::workspace::SourceText;

/// The number of edits beyond which one edit takes the place of all: many small ones are longer than the text.
const MOST_EDITS: usize = 1000;

/// The edits that format a text.
///
/// # Errors
/// The text has errors.
pub fn edits(text: &SourceText) -> Result<Value, RequestFault> {
    if !text.text.is_valid() {
        return Err(RequestFault::failed(why_not(text)));
    }
    let new = text.document().formatted().map_err(|error| RequestFault::failed(error.to_string()))?;
    let Some(new) = new else { return Ok(json!([])) };
    let old = text.document().text();
    let line_end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let new = new.text();
    let edit = |(part, by): (Range<usize>, Range<usize>)| {
        let new_text = new[by].replace('\n', line_end);
        (old[part.clone()] != new_text).then(|| json!({ "range": text.range(part), "newText": new_text }))
    };
    let gaps = || gaps(old).zip(gaps(new));
    let edits: Vec<Value> = gaps().filter_map(edit).take(MOST_EDITS + 1).collect();
    if edits.len() <= MOST_EDITS {
        return Ok(edits.into());
    }
    Ok(json!([edit((0..old.len(), 0..new.len()))]))
}

/// The bytes in front of each token, and behind the last one.
fn gaps(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let places = Token::all(text).map(|token| token.start..token.end());
    places
        .chain(std::iter::once(text.len()..text.len()))
        .map(move |place| std::mem::replace(&mut end, place.end)..place.start)
}

/// Says why a text is not formatted, with the line of the first error.
fn why_not(text: &SourceText) -> String {
    let first = text.text.diagnostics().iter().find(|fault| fault.severity == Severity::Error);
    let line = first.map(|first| LineIndex::new(text.document().text()).position(first.span.start).line);
    let place = line.map_or(String::new(), |line| format!(" (line {line})"));
    format!("a text with errors{place} is not formatted")
}

//! Formats a text, or a part of it: the white space between two tokens is replaced where `fmt` has another.

use std::ops::Range;

use mediaconf::plumbing::show::formatted;
use mediaconf::plumbing::syntax::{Document, LineIndex, Severity, Token};

use super::lines::PositionEncoding;
use super::open_text::OpenText;
use super::protocol::{INVALID_PARAMS, RequestFault, TextEdit, TextRange, list_in_json};

/// The number of edits beyond which one edit takes the place of all: many small ones are longer than the text.
const MOST_EDITS: usize = 1000;

/// The edits that format a text; with a part only those inside the lines of it.
///
/// # Errors
/// The text has errors, or the part is not in the text.
pub fn edits(
    text: &OpenText,
    part: Option<TextRange>,
    encoding: PositionEncoding,
) -> Result<String, RequestFault> {
    let old = text.text();
    let within = match part {
        None => 0..old.len(),
        Some(part) => lines_of(text, part, encoding)
            .ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the text has no such lines"))?,
    };
    if !text.snapshot.is_valid() {
        return Err(RequestFault::failed(why_not(text)));
    }
    let new =
        formatted(text.snapshot.document()).map_err(|unproved| RequestFault::failed(unproved.to_string()))?;
    let Some(new) = new else { return Ok("[]".to_owned()) };
    let line_end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let is_meant = |gap: &Range<usize>| within.start <= gap.start && gap.end <= within.end;
    let gaps = || gaps(old).zip(gaps(&new)).filter(|(gap, _)| is_meant(gap));
    let edit = |(part, by): (Range<usize>, Range<usize>)| {
        let new_text = new[by].replace('\n', line_end);
        let range = || text.lines.range(old, part.clone(), encoding);
        (old[part.clone()] != new_text).then(|| TextEdit { range: range(), new_text })
    };
    let edits: Vec<TextEdit> = gaps().filter_map(edit).take(MOST_EDITS + 1).collect();
    if edits.len() <= MOST_EDITS {
        return list_in_json(edits.into_iter());
    }
    let whole = gaps().reduce(|(first, by), (last, last_by)| (first.start..last.end, by.start..last_by.end));
    list_in_json(whole.and_then(edit).into_iter())
}

/// The bytes of whole lines; `None` if the text does not have them.
fn lines_of(text: &OpenText, part: TextRange, encoding: PositionEncoding) -> Option<Range<usize>> {
    let bytes = text.lines.bytes(text.text(), part, encoding)?;
    let start = text.lines.start(text.lines.line_of(bytes.start));
    // The line end in front is the white space that indents the first line.
    let start = text.text()[..start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let behind = text.text()[bytes.end..].find('\n').map_or(text.text().len(), |at| bytes.end + at + 1);
    let behind = behind + text.text()[behind..].len() - text.text()[behind..].trim_start().len();
    Some(start..if bytes.end == text.text().len() { bytes.end } else { behind })
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
fn why_not(text: &OpenText) -> String {
    let document: &Document = text.snapshot.document();
    let faults = text.snapshot.diagnostics();
    let first = faults.iter().find(|fault| fault.severity == Severity::Error);
    let line = first.map(|first| LineIndex::new(document.text()).position(first.span.start).line);
    let place = line.map_or(String::new(), |line| format!(" (line {line})"));
    format!("a text with errors{place} is not formatted")
}

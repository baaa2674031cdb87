//! What an editor can fold: blocks of several lines, and comments of several lines.

use mediaconf::plumbing::syntax::{EntryId, Token, TokenKind};
use serde::Serialize;

use super::open_text::OpenText;
use super::protocol::{RequestFault, list_in_json};

/// Lines that can be folded.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fold {
    start_line: usize,
    end_line: usize,
    kind: &'static str,
}

/// The ranges of lines that can be folded, as JSON.
///
/// # Errors
/// Of [`list_in_json`].
pub fn ranges(text: &OpenText) -> Result<String, RequestFault> {
    let document = text.snapshot.document();
    let line = |offset: usize| text.lines.line_of(offset);
    let blocks = (0..document.len()).map(|number| document.entry(EntryId::from_index(number)));
    let blocks = blocks.filter(|entry| entry.is_block()).map(|entry| {
        // The line of the `}` stays.
        let end = if entry.is_terminated() { line(entry.end()).saturating_sub(1) } else { line(entry.end()) };
        Fold { start_line: line(entry.start()), end_line: end, kind: "region" }
    });
    let comments = comments(text).into_iter();
    let comments = comments.map(|(start_line, end_line)| Fold { start_line, end_line, kind: "comment" });
    list_in_json(blocks.chain(comments).filter(|fold| fold.start_line < fold.end_line))
}

/// The first and the last line of each run of lines that are comments only.
fn comments(text: &OpenText) -> Vec<(usize, usize)> {
    let (whole, mut runs) = (text.text(), Vec::<(usize, usize)>::new());
    for token in Token::all(whole).filter(|token| token.kind == TokenKind::Comment) {
        let line = text.lines.line_of(token.start);
        let is_alone = whole[text.lines.start(line)..].trim_start_matches([' ', '\t']).starts_with('#');
        match runs.last_mut() {
            Some((_, last)) if is_alone && *last + 1 == line => *last = line,
            _ if is_alone => runs.push((line, line)),
            _ => {}
        }
    }
    runs
}

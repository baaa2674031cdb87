//! Checks size, encoding and old format of a whole text, and then parses it.

use std::borrow::Cow;

use super::index::Index;
use super::parse::{BOM, MAX_TEXT, parse_text};
use crate::text::{Diagnostic, Diagnostics, Span};

/// Parses a text that passes the checks; of another one there are no entries and one error.
///
/// Never fails: problems are in the diagnostics.
pub(super) fn parse(text: &str) -> Index {
    match fault(text) {
        None => parse_text(text),
        Some(fault) => {
            let mut index = Index::default();
            index.diagnostics.push(fault);
            index
        }
    }
}

fn fault(text: &str) -> Option<Diagnostic> {
    if text.len() > MAX_TEXT {
        return Some(Diagnostic::error(0..0, "the text is larger than 2 GiB"));
    }
    erlang_terms(text).map(old_format)
}

/// The text of a file. Bytes that are not UTF-8 are reported as errors, and the text holds U+FFFD in
/// their place.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    if let Ok(text) = str::from_utf8(bytes) {
        return (Cow::Borrowed(text), diagnostics);
    }
    report_invalid_utf8(bytes, &mut diagnostics);
    (String::from_utf8_lossy(bytes), diagnostics)
}

/// Reports each run of bytes that is not UTF-8, at its place in the lossy text.
fn report_invalid_utf8(bytes: &[u8], diagnostics: &mut Diagnostics) {
    let (mut original, mut lossy) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        original += chunk.valid().len();
        lossy += chunk.valid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        let replacement = char::REPLACEMENT_CHARACTER.len_utf8();
        diagnostics.push(
            Diagnostic::error(
                lossy as u32..(lossy + replacement) as u32,
                format!("invalid UTF-8 at byte {original}"),
            )
            .hint("is the file in another encoding, such as Latin-1? convert it with `iconv -t UTF-8`"),
        );
        original += chunk.invalid().len();
        lossy += replacement;
    }
}

/// Finds `{http, 8080}.` as the first line that is not a `%` comment: the format of version 3.
fn erlang_terms(text: &str) -> Option<Span> {
    let mut start = 0;
    for line in text.trim_start_matches(BOM).split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('%') {
            return starts_with_tuple(content).then(|| {
                let offset = (text.len() - text.trim_start_matches(BOM).len() + start) as u32;
                offset..offset + line.trim_end().len() as u32
            });
        }
        start += line.len();
    }
    None
}

fn starts_with_tuple(line: &str) -> bool {
    let Some(inside) = line.strip_prefix('{') else { return false };
    let atom = inside.trim_start().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    atom.len() < inside.trim_start().len() && atom.trim_start().starts_with(',')
}

fn old_format(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this is the old 3.x format (Erlang terms), not a `media.conf`")
        .hint("write `http 8080;` for `{http, 8080}.`, and `#` for `%`")
}

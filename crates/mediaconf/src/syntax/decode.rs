//! What keeps a whole text from being parsed, and bytes that are no text.

use super::grammar::BOM;
use crate::text::{Diagnostic, Diagnostics, Span};

/// Spans are pairs of `u32`, and editors count in `i32`.
const MAX_TEXT: usize = (1 << 31) - 1;

/// The error of a text that is not parsed at all.
pub(super) fn fault(text: &str) -> Option<Diagnostic> {
    if text.len() > MAX_TEXT {
        return Some(Diagnostic::error(0..0, "the text is larger than 2 GiB"));
    }
    let message = "this is the old 3.x format (Erlang terms), not a `media.conf`";
    let hint = "write `http 8080;` for `{http, 8080}.`, and `#` for `%`";
    erlang_terms(text).map(|span| Diagnostic::error(span, message).hint(hint))
}

/// Reports each run of bytes that is not UTF-8, at its place in the lossy text.
pub(super) fn invalid_utf8(bytes: &[u8]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let (mut original, mut lossy) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        original += chunk.valid().len();
        lossy += chunk.valid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        let end = lossy + char::REPLACEMENT_CHARACTER.len_utf8();
        let found = Diagnostic::error(lossy as u32..end as u32, format!("invalid UTF-8 at byte {original}"));
        let hint = "is the file in another encoding, such as Latin-1? convert it with `iconv -t UTF-8`";
        diagnostics.push(found.hint(hint));
        original += chunk.invalid().len();
        lossy = end;
    }
    diagnostics
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

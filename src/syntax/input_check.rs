//! Checks of the whole text that come before the grammar: size, encoding, and the old format.

use super::diagnostic::{Diagnostic, Diagnostics, Span};
use super::index::Index;
use super::parallel_parse::parse_halves;
use super::parse::{BOM, MAX_TEXT, parse_whole};

/// Returns the index of a text that passes the checks, or an index with one error and no entries.
pub(super) fn index(text: &str) -> Index {
    let mut index = Index::default();
    if text.len() > MAX_TEXT {
        index.diagnostics.push(Diagnostic::error(0..0, "the text is larger than 2 GiB"));
        return index;
    }
    if let Some(span) = erlang_terms(text) {
        index.diagnostics.push(old_format(span));
        return index;
    }
    parse_halves(text).unwrap_or_else(|| parse_whole(text))
}

/// Reports each run of bytes that is not UTF-8, at its place in the lossy text.
pub(super) fn report_invalid_utf8(bytes: &[u8], diagnostics: &mut Diagnostics) {
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
                let at = (text.len() - text.trim_start_matches(BOM).len() + start) as u32;
                at..at + line.trim_end().len() as u32
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

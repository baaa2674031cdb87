//! What a copy, an editor or a tool left in a text: characters that nobody sees or means, conflict markers, and placeholders
//! of a template.

use memchr::memmem;

use crate::syntax::{Diagnostic, Diagnostics, Document, Fix, Token, TokenKind, line_end};

/// The conflict markers that a merge left, each at the start of a line.
const MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// A placeholder has at most so many bytes, so that a line of braces is not searched from each of them.
const LONGEST_PLACEHOLDER: usize = 256;

/// True if a keyword is a conflict marker.
pub(super) fn is_mark(keyword: &str) -> bool {
    MARKS.contains(&keyword)
}

/// Checks the words of a text; comments are free. Where a `;` or a `}` stands in a placeholder, or none behind it, the parser
/// has found a fault.
pub(super) fn words(document: &Document, has_marks: bool, diagnostics: &mut Diagnostics) {
    let text = document.text();
    // The next byte as a signed number is at most a blank behind a control character, and behind what is no ASCII.
    let is_odd = |byte: u8| ((byte.wrapping_add(1) as i8) <= 0x20) & !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without an exit at each byte, several bytes are looked at together.
    let has_odd = |piece: &[u8]| piece.iter().fold(false, |has, &byte| has | is_odd(byte));
    let is_sign = |at: usize| match text.as_bytes()[at] {
        b'{' => text[..at].ends_with('$') || text[at + 1..].starts_with(['{', '%']),
        _ => [MARKS[0], MARKS[3]].iter().any(|mark| text[at..].starts_with(mark)),
    };
    let has_fault = has_marks || !document.diagnostics().is_empty();
    let has_sign = has_fault && memchr::memchr3_iter(b'{', b'<', b'>', text.as_bytes()).any(is_sign);
    // Nearly no text has one of them, and only such a text is read once more.
    if !has_sign && !text.as_bytes().chunks(256).any(has_odd) {
        return;
    }
    let mut end = 0;
    for token in Token::all(text) {
        let found = match token.kind {
            _ if token.start < end => None,
            // A `;` in a placeholder would only break it.
            TokenKind::Open => placeholder(text, token.start).inspect(|found| diagnostics.unfix(&found.span)),
            TokenKind::Word if is_mark(token.raw) => Some(mark(text, &token)),
            TokenKind::Word => quote(text, &token).or_else(|| odd_character(&token)),
            _ => None,
        };
        end = end.max(found.as_ref().map_or(0, |found| found.span.end as usize));
        diagnostics.push_any(found);
    }
}

fn mark(text: &str, token: &Token<'_>) -> Diagnostic {
    let line = token.start as u32..line_end(text, token.start) as u32;
    let found = Diagnostic::warning(line, "a conflict marker of a merge");
    found.hint("keep one of the two versions, and remove the lines with the markers")
}

/// The warning about `${NAME}`, `{{ name }}` or `{% … %}` at a `{`. A quoted word may hold them.
fn placeholder(text: &str, brace: usize) -> Option<Diagnostic> {
    let line = &text.as_bytes()[brace..][..LONGEST_PLACEHOLDER.min(text.len() - brace)];
    let is_variable = text[..brace].ends_with('$');
    let close = match line.get(1) {
        Some(b'{') => "}}",
        Some(b'%') => "%}",
        _ if is_variable => "}",
        _ => return None,
    };
    let length = memmem::find(line, close.as_bytes()).filter(|&end| !line[..end].contains(&b'\n'))?;
    let end = brace + length + close.len();
    let span = (brace - usize::from(is_variable)) as u32..end as u32;
    let found = Diagnostic::warning(span, "a placeholder that was not filled in");
    Some(found.hint("write the value in its place; where it is meant as it stands, put it in `\"`"))
}

/// The warning about typographic quotes around a value.
fn quote(text: &str, token: &Token<'_>) -> Option<Diagnostic> {
    const QUOTES: [char; 7] = ['“', '”', '„', '‟', '‘', '’', '‚'];
    let inside = token.raw.strip_prefix(QUOTES)?;
    // All of them have as many bytes.
    let quote = token.raw.len() - inside.len();
    let value = &text[token.start + quote..line_end(text, token.start)];
    let length = value.find(QUOTES).filter(|&end| !value[..end].contains(['"', '\\', ';', '{', '}', '#']));
    let end = token.start + length.map_or(token.raw.len(), |length| length + 2 * quote);
    let span = token.start as u32..end as u32;
    let fix = length.map(|length| Fix { span: span.clone(), text: format!("\"{}\"", &value[..length]) });
    let found = Diagnostic::warning(span, "typographic quotes do not quote: they are part of the value");
    Some(found.hint("quote with `\"`").fixed_by(fix))
}

/// True if a character parts words for the eye alone.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii()
}

/// True if nobody sees a character.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The warning about the first character of a word that nobody sees or means.
fn odd_character(token: &Token<'_>) -> Option<Diagnostic> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\0' | '\t' | '\n' | '\r' | '\u{85}');
    let named = |at: usize, c: char, name: &str| {
        let start = token.start + at;
        let span = start as u32..(start + c.len_utf8()) as u32;
        Diagnostic::warning(span, format!("{name} (U+{:04X}) in a word", u32::from(c)))
    };
    if let Some((at, c)) = token.raw.char_indices().find(|&(_, c)| is_control(c)) {
        return Some(named(at, c, "a control character").hint("remove it"));
    }
    // In quotes they may be meant.
    let bare = Some(token.raw).filter(|raw| !raw.contains('"'))?;
    let (at, c) = bare.char_indices().find(|&(_, c)| is_blank(c) || is_hidden(c))?;
    let clean = bare.replace(is_blank, " ").replace(is_hidden, "");
    let fix = Fix { span: token.start as u32..(token.start + token.raw.len()) as u32, text: clean };
    let (name, hint) = match c {
        '\u{feff}' => ("a byte order mark", "remove it: it stands only at the start of a file"),
        '\u{a0}' | '\u{202f}' => ("a no-break space", "write a plain space in its place"),
        _ if is_blank(c) => ("a special space", "write a plain space in its place"),
        '\u{200b}' => ("a zero-width space", "remove it"),
        _ => ("an invisible character", "remove it"),
    };
    Some(named(at, c, name).hint(hint).fixed_by(Some(fix)))
}

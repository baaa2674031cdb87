//! Signs that were lost on the way: the `;` behind a directive, the `{` of a block, the line ends of a whole text.
//!
//! The best sign of a lost `;` is a line that starts with a keyword, or, in the column of the directive above, with a word
//! that could be a keyword. A line that is indented more may continue a list of values: there, and in the middle of a line,
//! the words behind a keyword must have the form of its directive.

use std::cmp::Ordering;
use std::mem;

use crate::schema::kinds::WordKind;
use crate::schema::{ESCAPE, Parameter, Schema, Scope};
use crate::syntax::{
    Diagnostic, Diagnostics, Entry, Fix, Token, TokenKind, Word, Words, comment_start, line_end,
};

/// The columns by which a tab indents.
const TAB: usize = 4;

/// The number of words behind a keyword that are searched for a sign of a lost `;`: a hostile directive may repeat the
/// keyword a million times.
const MAX_WORDS: usize = 16;

/// Reports the lines inside an entry that start like directives.
pub(super) fn in_lines(head: Entry<'_>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let (schema, text) = (Schema::media(), head.document().text());
    let scopes = || [schema.top()].into_iter().chain(schema.kinds.iter().map(|kind| kind.scope()));
    let own_indent = indent_of(text, head.start());
    let (mut words, mut end) = (head.words(), head.start());
    while let Some(word) = words.next() {
        let before = mem::replace(&mut end, word.end() as usize);
        let gap = &text[before..word.start as usize];
        let Some(newline) = gap.rfind('\n') else { continue };
        let indent = width(&gap[newline + 1..]);
        let is_keyword = match own_indent.map(|own| indent.cmp(&own)) {
            Some(Ordering::Greater) => {
                scopes().any(|scope| is_own(scope, word, words.clone(), head.is_block()))
            }
            Some(_) | None => schema.is_any_keyword(word.raw),
        };
        if is_keyword {
            let message = format!("`{}` starts a line inside another directive", word.raw);
            let is_one = !schema.may_open_block(&head.keyword());
            diagnostics.push(lost_semicolon(word, before, message, is_one));
        } else if own_indent == Some(indent) && looks_like_directive(head, word, words.clone()) {
            // The message leaves the word out: it may be the value of a secret.
            let message = "this line inside another directive looks like a directive";
            diagnostics.push(lost_semicolon(word, before, message, false));
        }
    }
    diagnostics
}

/// True if a word in the column of the keyword above looks like a keyword with something behind it.
fn looks_like_directive(head: Entry<'_>, word: Word<'_>, mut rest: Words<'_>) -> bool {
    let is_on_line =
        |next: Word<'_>| !head.document().text()[word.end() as usize..next.start as usize].contains('\n');
    // A word alone on its line is taken for one only if it has the form of most keywords.
    let is_keyword_like = || head.is_block() || word.raw.contains(['_', ESCAPE]);
    let is_lower = |letter: char| letter.is_lowercase() || matches!(letter, '_' | ESCAPE);
    word.raw.len() > 2
        && word.raw.chars().all(is_lower)
        && rest.next().map_or_else(is_keyword_like, is_on_line)
}

/// Reports the words of a directive that are directives on the same line. If those behind so many arguments are its
/// options, a directive of other servers counts, too, where a value follows it.
pub(super) fn in_same_line(scope: Scope, head: Entry<'_>, options_behind: Option<usize>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let behind = options_behind.unwrap_or(1);
    if head.count_arguments() < behind + 2 {
        return diagnostics;
    }
    let (mut words, mut end) = (head.arguments(), head.start());
    for _ in 0..behind {
        end = words.next().map_or(end, |word| word.end() as usize);
    }
    while let Some(word) = words.next() {
        let before = mem::replace(&mut end, word.end() as usize);
        if !is_lower(word.raw) {
            continue;
        }
        let is_value_next = || words.clone().next().is_some_and(|next| is_value(next.raw));
        let is_foreign =
            || options_behind.is_some() && is_value_next() && Schema::media().is_foreign_keyword(word.raw);
        let is_own = is_own(scope, word, words.clone(), head.is_block());
        let starts_line = || head.document().text()[before..word.start as usize].contains('\n');
        if (is_own || is_foreign()) && !starts_line() {
            let message = format!("`{}` stands inside another directive", word.raw);
            diagnostics.push(lost_semicolon(word, before, message, is_own));
        }
    }
    diagnostics
}

/// The warning that a `;` is missing at `end`, in front of a word; with its fix if nothing else can be meant.
fn lost_semicolon(word: Word<'_>, end: usize, message: impl Into<String>, is_sure: bool) -> Diagnostic {
    let place = end as u32..end as u32;
    let fix = is_sure.then(|| Fix { span: place.clone(), text: ";".to_owned() });
    Diagnostic::warning(word.span(), message)
        .related(place, "is a `;` missing here?")
        .hint("end the directive in front of it with `;`")
        .fixed_by(fix)
}

/// Keywords are lower case; most options and addresses are not.
fn is_lower(raw: &str) -> bool {
    // From the end, where most options have a digit.
    let mut bytes = raw.bytes().rev();
    bytes.len() < 32 && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// True if a word can be neither a flag nor a `key=value`.
fn is_value(raw: &str) -> bool {
    !raw.contains('=') && !is_lower(raw)
}

/// True if a word and the ones behind it read as a known directive.
fn is_own(scope: Scope, word: Word<'_>, rest: Words<'_>, is_block: bool) -> bool {
    scope.by_keyword(word.raw).is_some_and(|parameter| reads_as(parameter, rest, is_block))
}

fn reads_as(parameter: &Parameter, mut rest: Words<'_>, is_block: bool) -> bool {
    let Some(first) = rest.next() else { return false };
    let second = rest.next();
    let is_url = |word: &Word<'_>| word.raw.contains("://");
    let facts = parameter.codec.facts();
    if let Some(kind) = facts.kind {
        return tells(kind, first);
    }
    if let Some(object) = facts.object {
        if object.required().len() == object.parts.len() {
            return second.is_some() && rest.next().is_none();
        }
        let mut words = second.into_iter().chain(rest).take(MAX_WORDS);
        return words.any(|word| object.parts.iter().any(|part| tells(part.kind, word)));
    }
    if let Some(address) = facts.address.or(facts.sources) {
        return is_url(&first) || address.may_be_false && first.value() == "false";
    }
    match facts.group {
        Some(kind) if kind.has_sources() && !is_block => second.as_ref().is_some_and(is_url),
        Some(_) => is_block && second.is_none(),
        None => facts.options.is_some() && first.raw.contains('='),
    }
}

/// True if a word is a value of a kind that tells a directive from other words.
fn tells(kind: &WordKind, word: Word<'_>) -> bool {
    kind.is_telling && (kind.read)(Some(word)).is_some()
}

/// The indentation of the line of an offset; `None` if there is other text in front of the offset.
fn indent_of(text: &str, offset: usize) -> Option<usize> {
    let before = &text[..offset];
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let starts_line = before.len() == blanks || before[..before.len() - blanks].ends_with(['\n', '\u{feff}']);
    starts_line.then(|| width(&before[before.len() - blanks..]))
}

fn width(blanks: &str) -> usize {
    blanks.bytes().fold(0, |width, byte| if byte == b'\t' { width / TAB * TAB + TAB } else { width + 1 })
}

/// The warning at the line that probably lost the `{` of the stray `}` at `stray`. Reads the text up to there.
///
/// Blanks tell what braces no longer do: a `}` at the beginning of a line stands below the directive whose block it closes,
/// and a `}` behind other text closes a block of the same line.
pub(super) fn lost_brace(text: &str, stray: usize) -> Option<Diagnostic> {
    let start = start_without_brace(text, stray)?;
    let line = start as u32..line_end(text, start) as u32;
    let hint = "this reads as a directive without a block, and further on a `}` closes no block";
    Some(Diagnostic::warning(line, "is a `{` missing here?").hint(hint))
}

/// A directive, by its first word.
struct DirectiveStart<'t> {
    keyword: &'t str,
    at: usize,
    line: usize,
    /// True if its words stand on several lines.
    spans_lines: bool,
    /// True if a `}` follows its words.
    is_cut: bool,
}

/// An open block.
struct OpenBlock {
    /// The indentation of its directive; `None` if that does not begin a line.
    indent: Option<usize>,
    /// The number of the line of its directive.
    line: usize,
    /// The number of the directives in front of its first one.
    before: usize,
}

fn start_without_brace(text: &str, stray: usize) -> Option<usize> {
    let (mut open, mut starts): (Vec<OpenBlock>, Vec<DirectiveStart<'_>>) = (Vec::new(), Vec::new());
    let (mut line, mut is_between, mut found) = (1, true, None);
    for Token { kind, start: at, raw, line_feeds } in Token::all(text) {
        line += line_feeds;
        // The directive whose words are not over.
        let current = starts.last_mut().filter(|_| !is_between);
        match (kind, current) {
            (TokenKind::Comment, _) => continue,
            (TokenKind::Word, Some(start)) => start.spans_lines |= start.line < line,
            (TokenKind::Word, None) => {
                starts.push(DirectiveStart { keyword: raw, at, line, spans_lines: false, is_cut: false });
            }
            (TokenKind::End, _) => {}
            (TokenKind::Open, current) => {
                let (at, line) = current.map_or((at, line), |start| (start.at, start.line));
                open.push(OpenBlock { indent: indent_of(text, at), line, before: starts.len() });
            }
            (TokenKind::Close, current) => {
                if let Some(start) = current {
                    start.is_cut = true;
                }
                let closed = open.pop();
                let inside = &starts[closed.as_ref().map_or(0, |block| block.before)..];
                found = lost_between(text, closed, inside, indent_of(text, at), line).or(found);
                if at >= stray {
                    break;
                }
            }
        }
        is_between = kind != TokenKind::Word;
    }
    let spanning = || starts.iter().rfind(|start| start.spans_lines).map(|start| start.at);
    found.or_else(spanning)
}

/// The directive inside a block that has lost its `{`, as the indentation or the line of a `}` tells, which closes the block.
fn lost_between(
    text: &str,
    closed: Option<OpenBlock>,
    inside: &[DirectiveStart<'_>],
    indent: Option<usize>,
    line: usize,
) -> Option<usize> {
    let lost = if indent.is_some() {
        let is_closed = closed.is_some_and(|block| block.indent == indent);
        let is_lost = |start: &&DirectiveStart<'_>| {
            (start.spans_lines || start.is_cut) && indent_of(text, start.at) == indent
        };
        inside.iter().rfind(is_lost).filter(|_| !is_closed)
    } else {
        let is_closed = closed.is_some_and(|block| block.line == line);
        let mut on_line = inside.iter().filter(|start| start.line == line && !is_closed);
        on_line.clone().find(|start| Schema::media().may_open_block(start.keyword)).or(on_line.next())
    };
    lost.map(|start| start.at)
}

/// True if the text of a media server has no line feed but at its end, and directives in a comment: behind a `#`, a known
/// keyword with words behind it and then `;` or `{`. `curl -d @FILE` strips line ends.
///
/// Such a text may parse. A stripped line end leaves no blank, so the keyword may be the end of what reads as one word.
pub fn has_lost_line_ends(text: &[u8]) -> bool {
    // Nearly all texts have lines; a text is not read to its end to say so.
    !has_lines(text) && std::str::from_utf8(text).is_ok_and(|text| directives_in_comment(text).is_some())
}

fn has_lines(text: &[u8]) -> bool {
    let is_end = |&byte: &u8| matches!(byte, b'\n' | b'\r');
    memchr::memchr(b'\n', text).is_some_and(|first| !text[first..].iter().all(is_end))
}

/// The start of the comment with directives in such a text.
fn directives_in_comment(text: &str) -> Option<u32> {
    if has_lines(text.as_bytes()) {
        return None;
    }
    let line = text.trim_end_matches(['\n', '\r']);
    let start = comment_start(line)?;
    holds_directive(&line[start + 1..]).then_some(start as u32)
}

/// The warning about a text whose line ends are gone.
pub(super) fn lost_line_ends(text: &str) -> Option<Diagnostic> {
    let comment = directives_in_comment(text)?..text.len() as u32;
    let message = "directives stand in this comment: the text has lost its line ends";
    let hint = "restore the line ends; `curl` keeps them with `--data-binary`";
    Some(Diagnostic::warning(comment, message).hint(hint))
}

/// True if words that a known keyword starts are followed by `;` or `{`.
fn holds_directive(comment: &str) -> bool {
    comment.split_inclusive([';', '{', '}']).any(|part| {
        let Some(words) = part.strip_suffix([';', '{']) else { return false };
        let mut words = words.split_whitespace().rev();
        words.next().is_some() && words.any(ends_with_keyword)
    })
}

fn ends_with_keyword(word: &str) -> bool {
    let mut keywords = Schema::media().rows().flat_map(|parameter| parameter.keywords);
    // `title`, `comment` and the like are words of plain English as well.
    keywords.any(|keyword| word.ends_with(keyword) && !Schema::media().is_foreign_keyword(keyword))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_gone_are_told_by_the_directives_in_a_comment() {
        for text in [
            "http 80;# Streams:stream a {  url udp://1;}stream b udp://2;",
            "http 80; # Streams: stream a { url udp://1; }\n",
            "# Portsrtmp 1935;",
            "# ports\rrtmp 1935;\r\n",
            "# all on one line: http 80; rtsp 554;\n\n",
            "\u{feff}# x stream a {",
        ] {
            assert!(has_lost_line_ends(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn other_texts_of_one_line_are_free() {
        for text in [
            "",
            "\n",
            "http 80;",
            "http 80; # the port of all",
            "http 80; # and rtmp\n",
            "http 80; # rtmp;",
            "http 80; # no } rtmp 1935 }",
            "# a\nhttp 80; # rtmp 1935;\n",
            "root \"a # rtmp 1935;\";",
            "root a#rtmp; rtsp 554;",
        ] {
            assert!(!has_lost_line_ends(text.as_bytes()), "{text:?}");
        }
    }
}

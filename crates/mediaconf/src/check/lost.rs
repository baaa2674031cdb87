//! Signs that were lost on the way: the `;` behind a directive, the `{` of a block, the line ends of a whole text.
//!
//! The best sign of a lost `;` is a line that starts with a keyword, or, in the column of the directive above, with a word
//! that could be a keyword. A line that is indented more may continue a list of values: there, and in the middle of a line,
//! the words behind a keyword must have the form of its directive.

use std::{iter, mem};

use crate::schema::{ForeignKeyword, Schema, Scope, WordKind};
use crate::syntax::{Diagnostic, Diagnostics, Document, Entry, Fix, Word, Words, comments, line_end};

/// The columns by which a tab indents.
const TAB: usize = 4;

/// The number of words behind a keyword that are searched for a sign of a lost `;`: a hostile directive may repeat the
/// keyword a million times.
const MAX_WORDS: usize = 16;

/// The words of an entry: each with the end of the one in front of it, and the words behind it.
fn steps<'d>(head: Entry<'d>) -> impl Iterator<Item = (usize, Word<'d>, Words<'d>)> {
    let (mut words, mut end) = (head.words(), head.start());
    iter::from_fn(move || {
        let word = words.next()?;
        Some((mem::replace(&mut end, word.end() as usize), word, words.clone()))
    })
}

/// Reports the lines inside an entry that start like directives.
pub(super) fn in_lines(head: Entry<'_>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let text = head.document().text();
    let own_indent = indent_of(text, head.start());
    for (end, word, rest) in steps(head) {
        let gap = &text[end..word.start as usize];
        let Some(newline) = gap.rfind('\n') else { continue };
        let indent = width(&gap[newline + 1..]);
        let scopes = [Scope::Top, Scope::Stream, Scope::Live, Scope::Plugin];
        let is_keyword = match own_indent.is_some_and(|own| indent > own) {
            true => scopes.into_iter().any(|scope| is_own(scope, word, rest.clone(), head.is_block())),
            false => Schema::is_any_keyword(word.raw),
        };
        if is_keyword {
            let message = format!("`{}` starts a line inside another directive", word.raw);
            let keyword = head.keyword();
            let may_open = Schema::group_of(&keyword).is_some()
                || Schema::foreign(&keyword).is_some_and(ForeignKeyword::is_block);
            diagnostics.push(lost_semicolon(word, end, message, !may_open));
        } else if own_indent == Some(indent) && looks_like_directive(head, word, rest) {
            // The message leaves the word out: it may be the value of a secret.
            let message = "this line inside another directive looks like a directive";
            diagnostics.push(lost_semicolon(word, end, message, false));
        }
    }
    diagnostics
}

/// True if a word in the column of the keyword above looks like a keyword with something behind it.
fn looks_like_directive(head: Entry<'_>, word: Word<'_>, mut rest: Words<'_>) -> bool {
    let is_on_line =
        |next: Word<'_>| !head.document().text()[word.end() as usize..next.start as usize].contains('\n');
    // A word alone on its line is taken for one only if it has the form of most keywords.
    let is_keyword_like = || head.is_block() || word.raw.contains(['_', Schema::ESCAPE]);
    let is_lower = |letter: char| letter.is_lowercase() || matches!(letter, '_' | Schema::ESCAPE);
    let has_form = word.raw.len() > 2 && word.raw.chars().all(is_lower);
    has_form && rest.next().map_or_else(is_keyword_like, is_on_line)
}

/// Reports the words of a directive that are directives on the same line. If those behind so many arguments are its
/// options, a directive of other servers counts, too, where a value follows it.
pub(super) fn in_same_line(scope: Scope, head: Entry<'_>, options_behind: Option<usize>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let behind = options_behind.unwrap_or(1);
    if head.count_arguments() < behind + 2 {
        return diagnostics;
    }
    for (end, word, rest) in steps(head).skip(behind + 1).filter(|(_, word, _)| is_lower(word.raw)) {
        let is_own = is_own(scope, word, rest.clone(), head.is_block());
        let is_value = |next: Word<'_>| !next.raw.contains('=') && !is_lower(next.raw);
        let has_value = || options_behind.is_some() && rest.clone().next().is_some_and(is_value);
        let is_foreign = || has_value() && Schema::foreign(word.raw).is_some();
        let starts_line = || head.document().text()[end..word.start as usize].contains('\n');
        if (is_own || is_foreign()) && !starts_line() {
            let message = format!("`{}` stands inside another directive", word.raw);
            diagnostics.push(lost_semicolon(word, end, message, is_own));
        }
    }
    diagnostics
}

/// The warning that a `;` is missing at `end`, in front of a word; with its fix if nothing else can be meant.
fn lost_semicolon(word: Word<'_>, end: usize, message: impl Into<String>, is_sure: bool) -> Diagnostic {
    let place = end as u32..end as u32;
    let fix = is_sure.then(|| Fix { span: place.clone(), text: ";".to_owned() });
    let found = Diagnostic::warning(word.span(), message).related(place, "is a `;` missing here?");
    found.hint("end the directive in front of it with `;`").fixed_by(fix)
}

/// Keywords are lower case; most options and addresses are not.
fn is_lower(raw: &str) -> bool {
    // From the end, where most options have a digit.
    raw.len() < 32 && raw.bytes().rev().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// True if a word and the ones behind it read as a known directive.
fn is_own(scope: Scope, word: Word<'_>, mut rest: Words<'_>, is_block: bool) -> bool {
    let Some(row) = scope.by_keyword(word.raw) else { return false };
    let (Some(first), second) = (rest.next(), rest.next()) else { return false };
    let is_url = |word: &Word<'_>| word.raw.contains("://");
    let facts = row.codec.facts();
    if let Some(object) = facts.object {
        if object.required().len() == object.parts.len() {
            return second.is_some() && rest.next().is_none();
        }
        let mut words = second.into_iter().chain(rest).take(MAX_WORDS);
        return words.any(|word| object.parts.iter().any(|part| tells(part.kind, word)));
    }
    if let Some(address) = facts.address.or(facts.sources) {
        return is_url(&first) || address.first.values.contains(&&*first.value());
    }
    match (facts.kind, facts.group) {
        (Some(kind), _) => tells(kind, first),
        (_, Some(kind)) if kind.has_sources() && !is_block => second.as_ref().is_some_and(is_url),
        (_, Some(_)) => is_block && second.is_none(),
        _ => facts.options.is_some() && first.raw.contains('='),
    }
}

/// True if a word is a value of a kind whose values can be told from other words.
fn tells(kind: &WordKind, word: Word<'_>) -> bool {
    !kind.takes_any && !kind.is_text && (kind.read)(Some(word)).is_some()
}

/// The indentation of the line of an offset; `None` if there is other text in front of the offset.
fn indent_of(text: &str, offset: usize) -> Option<usize> {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let starts_line = before.is_empty() || before.ends_with(['\n', '\u{feff}']);
    starts_line.then(|| width(&text[before.len()..offset]))
}

fn width(blanks: &str) -> usize {
    blanks.bytes().fold(0, |width, byte| if byte == b'\t' { width / TAB * TAB + TAB } else { width + 1 })
}

/// The line that lost its `{`, where the `}` at `stray` closes no block: the last entry above it that goes on over a line end.
pub(super) fn lost_brace(document: &Document, stray: usize) -> Option<Diagnostic> {
    let before = document.all_entries().take_while(|entry| entry.start() < stray);
    let start = before.filter(|entry| entry.is_spanning()).last()?.start();
    let line = start as u32..line_end(document.text(), start) as u32;
    let hint = "this reads as a directive without a block, and further on a `}` closes no block";
    Some(Diagnostic::warning(line, "is a `{` missing here?").hint(hint))
}

/// The warning about a text whose line ends are gone.
pub(super) fn lost_line_ends(text: &str) -> Option<Diagnostic> {
    let comment = directives_in_comment(text.trim_ascii_end())?..text.len() as u32;
    let message = "directives stand in this comment: the text has lost its line ends";
    let hint = "restore the line ends; `curl` keeps them with `--data-binary`";
    Some(Diagnostic::warning(comment, message).hint(hint))
}

/// The start of the comment with directives in a text of one line.
pub(super) fn directives_in_comment(line: &str) -> Option<u32> {
    let (comment, _) = comments(if line.contains('\n') { "" } else { line }).next()?;
    // `title`, `comment` and the like are words of plain English as well.
    let keywords = Schema::rows().flat_map(|row| row.keywords).filter(|word| Schema::foreign(word).is_none());
    let ends_with_keyword = |word: &str| keywords.clone().any(|keyword| word.ends_with(keyword));
    let is_directive = |part: &str| {
        let words = part.strip_suffix([';', '{']).unwrap_or_default();
        words.split_whitespace().rev().skip(1).any(ends_with_keyword)
    };
    line[comment + 1..].split_inclusive([';', '{', '}']).any(is_directive).then_some(comment as u32)
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
            assert!(Document::has_lost_line_ends(text.as_bytes()), "{text:?}");
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
            assert!(!Document::has_lost_line_ends(text.as_bytes()), "{text:?}");
        }
    }
}

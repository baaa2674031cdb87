//! Finds directives that begin inside another one: the `;` between them is probably missing.
//!
//! The best sign is a line that starts with a keyword, or, in the column of the directive above, with
//! a word that could be a keyword. A line that is indented more may continue a list of values: there,
//! and in the middle of a line, the words behind a keyword must have the form of its directive.

use std::cmp::Ordering;
use std::mem;

use crate::schema::kinds::WordKind;
use crate::schema::{ESCAPE, Parameter, Schema, Scope};
use crate::syntax::{Diagnostic, Diagnostics, Entry, Fix, Word, Words};

/// The columns by which a tab indents.
const TAB: usize = 4;

/// The number of words behind a keyword that are searched for a sign of a lost `;`: a hostile directive
/// may repeat the keyword a million times.
const MAX_WORDS: usize = 16;

/// Reports the lines inside an entry that start like directives.
pub(super) fn in_lines(head: Entry<'_>, diagnostics: &mut Diagnostics) {
    let text = head.document().text();
    let scopes =
        [Schema::media().top()].into_iter().chain(Schema::media().kinds.iter().map(|kind| kind.scope()));
    let own_indent = indent_of(text, head.start());
    let mut words = head.words();
    let mut end = head.start();
    while let Some(word) = words.next() {
        let gap = &text[end..word.start as usize];
        if let Some(newline) = memchr::memrchr(b'\n', gap.as_bytes()) {
            let indent = width(&gap[newline + 1..]);
            let rest = words.clone();
            let is_keyword = match own_indent.map(|own| indent.cmp(&own)) {
                Some(Ordering::Greater) => {
                    scopes.clone().any(|scope| is_own(scope, word, rest.clone(), head.is_block()))
                }
                Some(_) | None => Schema::media().is_any_keyword(word.raw),
            };
            if is_keyword {
                let message = format!("`{}` starts a line inside another directive", word.raw);
                let found = report(word, end, message);
                let is_one = !Schema::media().may_open_block(&head.keyword());
                diagnostics.push(if is_one { ended(found, end) } else { found });
            } else if own_indent == Some(indent) && looks_like_directive(head, word, rest) {
                // The message leaves the word out: it may be the value of a secret.
                diagnostics.push(report(
                    word,
                    end,
                    "this line inside another directive looks like a directive",
                ));
            }
        }
        end = word.end() as usize;
    }
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

/// Reports the options, behind this number of arguments, that are directives on the same line.
pub(super) fn in_options(scope: Scope, head: Entry<'_>, behind: usize, diagnostics: &mut Diagnostics) {
    in_same_line(head, behind, diagnostics, |word, rest| {
        let is_next_value = rest.clone().next().is_some_and(|next| is_value(next.raw));
        match is_own(scope, word, rest, head.is_block()) {
            true => Sign::Own,
            false if is_next_value && Schema::media().is_foreign_keyword(word.raw) => Sign::Foreign,
            false => Sign::None,
        }
    });
}

/// Reports the words of an unknown directive that are directives on the same line.
pub(super) fn in_words(scope: Scope, head: Entry<'_>, diagnostics: &mut Diagnostics) {
    in_same_line(head, 1, diagnostics, |word, rest| match is_own(scope, word, rest, head.is_block()) {
        true => Sign::Own,
        false => Sign::None,
    });
}

/// How a word inside a directive reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// As a part of it.
    None,
    /// As a known directive with its value.
    Own,
    /// As a directive of other servers.
    Foreign,
}

fn in_same_line(
    head: Entry<'_>,
    behind: usize,
    diagnostics: &mut Diagnostics,
    sign: impl Fn(Word<'_>, Words<'_>) -> Sign,
) {
    let mut words = head.arguments();
    let mut end = head.start() as u32;
    for _ in 0..behind {
        end = words.next().map_or(end, |word| word.end());
    }
    while let Some(word) = words.next() {
        let before = mem::replace(&mut end, word.end());
        if !is_lower(word.raw) {
            continue;
        }
        let starts_line = || head.document().text()[before as usize..word.start as usize].contains('\n');
        let sign = sign(word, words.clone());
        if sign != Sign::None && !starts_line() {
            let message = format!("`{}` stands inside another directive", word.raw);
            let found = report(word, before as usize, message);
            diagnostics.push(if sign == Sign::Own { ended(found, before as usize) } else { found });
        }
    }
}

fn report(word: Word<'_>, end: usize, message: impl Into<String>) -> Diagnostic {
    let end = end as u32;
    Diagnostic::warning(word.span(), message)
        .related(end..end, "is a `;` missing here?")
        .hint("end the directive in front of it with `;`")
}

/// Adds the fix that ends a directive.
fn ended(found: Diagnostic, end: usize) -> Diagnostic {
    let end = end as u32;
    found.fixed_by(Some(Fix { span: end..end, text: ";".to_owned() }))
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
    let codec = parameter.codec;
    if let Some(kind) = codec.facts().kind {
        return tells(kind, first);
    }
    if let Some(object) = codec.facts().object {
        if object.required() == object.parts.len() {
            return second.is_some() && rest.next().is_none();
        }
        let mut words = second.into_iter().chain(rest).take(MAX_WORDS);
        return words.any(|word| object.parts.iter().any(|part| tells(part.kind, word)));
    }
    if let Some(address) = codec.facts().address.or(codec.facts().sources) {
        return is_url(&first) || address.may_be_false && first.value() == "false";
    }
    match codec.facts().group {
        Some(kind) if kind.has_sources() && !is_block => second.as_ref().is_some_and(is_url),
        Some(_) => is_block && second.is_none(),
        None => codec.facts().options.is_some() && first.raw.contains('='),
    }
}

/// True if a word is a value of a kind that tells a directive from other words.
fn tells(kind: &WordKind, word: Word<'_>) -> bool {
    kind.is_telling && (kind.read)(Some(word)).is_some()
}

/// The indentation of the line of an offset; `None` if there is other text in front of the offset.
pub(super) fn indent_of(text: &str, offset: usize) -> Option<usize> {
    let before = &text[..offset];
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let starts_line = before.len() == blanks || before[..before.len() - blanks].ends_with(['\n', '\u{feff}']);
    starts_line.then(|| width(&before[before.len() - blanks..]))
}

fn width(blanks: &str) -> usize {
    blanks.bytes().fold(0, |width, byte| if byte == b'\t' { width / TAB * TAB + TAB } else { width + 1 })
}

//! A text that lost one `{` or one `;`: the line that lost it is named.

use mediaconf::{Diagnostic, LineIndex, Severity, Token, TokenKind, check};

use crate::fixtures::valid_texts;

/// The most places of one file that are tried, evenly apart.
const MOST_OF_A_FILE: usize = 60;

/// The places of a sign that is no part of a word or of a comment.
fn places(text: &str, kind: TokenKind) -> Vec<usize> {
    let mut before = TokenKind::Close;
    let mut ends_words = |kind: TokenKind| {
        let is_behind_word = before == TokenKind::Word;
        before = kind;
        is_behind_word
    };
    let signs = Token::all(text)
        .filter(|token| token.kind != TokenKind::Comment)
        .map(|token| (token.kind, token.raw));
    let found = signs.filter(|(found, _)| ends_words(*found) && *found == kind);
    let all: Vec<usize> = found.map(|(_, raw)| raw.as_ptr().addr() - text.as_ptr().addr()).collect();
    let step = all.len().div_ceil(MOST_OF_A_FILE).max(1);
    all.into_iter().step_by(step).collect()
}

/// A text that lost the sign at `at`, the line of that, and what `check` finds.
struct Broken {
    text: String,
    line: usize,
    found: Vec<Diagnostic>,
}

impl Broken {
    fn new(text: &str, at: usize) -> Self {
        let broken = format!("{}{}", &text[..at], &text[at + 1..]);
        let line = text[..at].matches('\n').count() + 1;
        Self { line, found: check(&broken).iter().cloned().collect(), text: broken }
    }

    fn line_of(&self, at: u32) -> usize {
        LineIndex::new(&self.text).position(at).line
    }

    fn told(&self) -> String {
        let line = |found: &Diagnostic| {
            let related =
                found.related.as_ref().map(|(span, note)| format!(" ({}: {note})", self.line_of(span.start)));
            format!(
                "    {}: {}: {}{}",
                self.line_of(found.span.start),
                found.severity.label(),
                found.message,
                related.unwrap_or_default()
            )
        };
        self.found.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn around(&self) -> String {
        let lines = self.text.lines().skip(self.line.saturating_sub(2)).take(5);
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn each(kind: TokenKind, is_told: impl Fn(&Broken) -> Option<bool>) -> (usize, Vec<String>) {
    let (mut tried, mut untold) = (0, Vec::new());
    for (name, text) in valid_texts() {
        for at in places(&text, kind) {
            let broken = Broken::new(&text, at);
            let Some(is_told) = is_told(&broken) else { continue };
            tried += 1;
            if !is_told {
                untold.push(format!("--- {name}:{}\n{}\n{}", broken.line, broken.around(), broken.told()));
            }
        }
    }
    (tried, untold)
}

#[test]
fn a_lost_semicolon_is_told_at_its_line() {
    let (tried, untold) = each(TokenKind::End, |broken| {
        let at = |found: &Diagnostic| {
            let span = found.related.as_ref().map_or(&found.span, |(span, _)| span);
            broken.line_of(if found.severity == Severity::Error { found.span.start } else { span.start })
        };
        let semicolon = |found: &&Diagnostic| {
            found.message.contains("`;`")
                || found.related.as_ref().is_some_and(|(_, note)| note.contains("`;`"))
        };
        let lines: Vec<usize> = broken.found.iter().filter(semicolon).map(at).collect();
        let is_error = |found: &Diagnostic| {
            found.severity == Severity::Error && broken.line_of(found.span.start) == broken.line
        };
        Some(lines.contains(&broken.line) || broken.found.iter().any(is_error))
    });
    println!("{} of {tried}", tried - untold.len());
    // What follows on the same line, or is a word alone, may be a value.
    assert!(untold.len() * 50 <= tried, "{} of {tried}\n{}", untold.len(), untold.join("\n"));
}

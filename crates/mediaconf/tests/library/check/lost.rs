//! A text that lost one `;`: the line that lost it is named.

use mediaconf::{Diagnostic, LineIndex, Severity, Token, TokenKind, check};

use crate::fixtures::valid_texts;

/// The most places of one file that are tried, evenly apart.
const MOST_OF_A_FILE: usize = 60;

/// The places of the `;` behind words.
fn places(text: &str) -> Vec<usize> {
    let mut before = TokenKind::Close;
    let mut all = Vec::new();
    for token in Token::all(text).filter(|token| token.kind != TokenKind::Comment) {
        if before == TokenKind::Word && token.kind == TokenKind::End {
            all.push(token.raw.as_ptr().addr() - text.as_ptr().addr());
        }
        before = token.kind;
    }
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
        let line = |found: &Diagnostic| format!("    {}: {}", self.line_of(found.span.start), found.message);
        self.found.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_lost_semicolon_is_told_at_its_line() {
    let is_told = |broken: &Broken| {
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
        lines.contains(&broken.line) || broken.found.iter().any(is_error)
    };
    let (mut tried, mut untold) = (0, Vec::new());
    for (name, text) in valid_texts() {
        for at in places(&text) {
            let broken = Broken::new(&text, at);
            tried += 1;
            if !is_told(&broken) {
                untold.push(format!("--- {name}:{}\n{}", broken.line, broken.told()));
            }
        }
    }
    println!("{} of {tried}", tried - untold.len());
    // What follows on the same line, or is a word alone, may be a value.
    assert!(untold.len() * 50 <= tried, "{} of {tried}\n{}", untold.len(), untold.join("\n"));
}

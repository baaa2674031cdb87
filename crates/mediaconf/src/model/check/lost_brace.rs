//! Finds the line that lost the `{` of a stray `}`.
//!
//! Blanks tell what braces no longer do: a `}` at the beginning of a line stands below the directive whose block it
//! closes, and a `}` behind other text closes a block of the same line.

use super::missing_semicolon::indent_of;
use crate::schema::Schema;
use crate::syntax::{Diagnostic, Span, TokenKind, line_end, tokens};

/// The warning at the line that probably lost the `{` of the stray `}` at `stray`. Reads the text up to there.
pub(super) fn warning(text: &str, stray: usize) -> Option<Diagnostic> {
    let line = line_without_brace(text, stray)?;
    Some(
        Diagnostic::warning(line, "is a `{` missing here?")
            .hint("this reads as a directive without a block, and further on a `}` closes no block"),
    )
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

fn line_without_brace(text: &str, stray: usize) -> Option<Span> {
    let (mut open, mut starts): (Vec<OpenBlock>, Vec<DirectiveStart<'_>>) = (Vec::new(), Vec::new());
    let (mut line, mut is_between, mut found) = (1, true, None);
    for token in tokens(text) {
        line += token.line_feeds;
        let at = token.start;
        match token.kind {
            TokenKind::Comment => {}
            TokenKind::Word if is_between => {
                starts.push(DirectiveStart {
                    keyword: token.raw,
                    at,
                    line,
                    spans_lines: false,
                    is_cut: false,
                });
                is_between = false;
            }
            TokenKind::Word => {
                let start = starts.last_mut().expect("a word is behind the first one of its directive");
                start.spans_lines |= start.line < line;
            }
            TokenKind::End => is_between = true,
            TokenKind::Open => {
                let start = starts.last().filter(|_| !is_between);
                let (at, line) = start.map_or((at, line), |start| (start.at, start.line));
                open.push(OpenBlock { indent: indent_of(text, at), line, before: starts.len() });
                is_between = true;
            }
            TokenKind::Close => {
                if let Some(start) = starts.last_mut().filter(|_| !is_between) {
                    start.is_cut = true;
                }
                is_between = true;
                let closed = open.pop();
                let inside = &starts[closed.as_ref().map_or(0, |block| block.before)..];
                let lost = match indent_of(text, at) {
                    Some(indent) if closed.as_ref().is_none_or(|block| block.indent != Some(indent)) => {
                        inside.iter().rfind(|start| {
                            (start.spans_lines || start.is_cut) && indent_of(text, start.at) == Some(indent)
                        })
                    }
                    None if closed.as_ref().is_none_or(|block| block.line != line) => {
                        let mut on_line = inside.iter().filter(|start| start.line == line);
                        on_line
                            .clone()
                            .find(|start| Schema::media().may_open_block(start.keyword))
                            .or(on_line.next())
                    }
                    _ => None,
                };
                found = lost.map(|start| start.at).or(found);
                if at >= stray {
                    break;
                }
            }
        }
    }
    let spanning = || starts.iter().rfind(|start| start.spans_lines).map(|start| start.at);
    let start = found.or_else(spanning)?;
    Some(start as u32..line_end(text, start) as u32)
}

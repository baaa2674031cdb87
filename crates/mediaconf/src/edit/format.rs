//! Formats a text: indentation, blanks, blank lines and line ends. Words, comments and their order stay.
//!
//! Only white space changes, and that is proved: the new text has the tokens and the JSON of the old one.

use unicode_width::UnicodeWidthStr;

use super::verify::Unproved;
use crate::model::{Lens, View, top_members};
use crate::syntax::{Document, Token, TokenKind, tokens};

/// The number of blanks by which an entry is indented inside its block.
const INDENT: usize = 2;

/// The number of blanks by which the later lines of an entry are indented below its first.
const CONTINUATION: usize = 4;

const BOM: char = '\u{feff}';

/// The formatted text of a document without errors; `None` if it is formatted already.
///
/// # Errors
/// The new text does not say what the old one says, which is a defect of this program.
pub fn formatted(document: &Document) -> Result<Option<String>, Unproved> {
    Ok(formatted_document(document)?.map(Document::into_text))
}

/// The same with its index, which the proof makes.
///
/// # Errors
/// Those of [`formatted`].
pub fn formatted_document(document: &Document) -> Result<Option<Document>, Unproved> {
    let old = document.text();
    let new = format(old);
    if new == old {
        return Ok(None);
    }
    let new = Document::parse(new);
    prove(document, &new)?;
    Ok(Some(new))
}

/// The formatted text. Neither its tokens nor its lines are kept: of many lines they take many times the text.
fn format(text: &str) -> String {
    let mut formatter = Formatter::default();
    formatter.new.reserve(text.len());
    formatter.new.push_str(start_of(text));
    let mut blocks = blocks_on_one_line(text).into_iter();
    for token in tokens(text) {
        let stays_on_line = token.kind == TokenKind::Open && blocks.next() == Some(true);
        formatter.token(&token, stays_on_line);
    }
    formatter.break_line();
    formatter.write_run();
    formatter.new
}

/// Returns the beginning of the new text: the byte order mark of the old one, if it has one. A mark that
/// is a part of the first word, behind white space, must not come to the start of the text.
fn start_of(text: &str) -> &str {
    match tokens(text).next() {
        _ if text.starts_with(BOM) => &text[..BOM.len_utf8()],
        Some(word) if word.raw.starts_with(BOM) => "\n",
        _ => "",
    }
}

fn prove(document: &Document, new: &Document) -> Result<(), Unproved> {
    let unproved = |at: &str| Err(Unproved { at: at.to_owned() });
    let is_same = |(old, new): (Token<'_>, Token<'_>)| (old.kind, old.raw) == (new.kind, new.raw);
    let mut news = tokens(new.text());
    if !tokens(document.text()).all(|old| news.next().is_some_and(|new| is_same((old, new))))
        || news.next().is_some()
    {
        return unproved("(text)");
    }
    let lens = Lens::default();
    let members = [document, new].map(top_members);
    let json = |members| serde_json::to_vec(&View::new(members, &lens)).expect("a view is JSON");
    if new.diagnostics().errors() > 0 || json(&members[0]) != json(&members[1]) {
        return unproved("(JSON)");
    }
    Ok(())
}

/// For each block, in the order in which they begin, whether it stands on one line.
fn blocks_on_one_line(text: &str) -> Vec<bool> {
    let mut on_one_line = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut line = 0;
    for token in tokens(text) {
        line += token.line_feeds;
        match token.kind {
            TokenKind::Open => {
                open.push((on_one_line.len(), line));
                on_one_line.push(false);
            }
            TokenKind::Close => {
                if let Some((start, of)) = open.pop() {
                    on_one_line[start] = of == line;
                }
            }
            TokenKind::Word => line += token.raw.matches('\n').count(),
            TokenKind::Comment | TokenKind::End => {}
        }
    }
    on_one_line
}

/// A line of the new text.
#[derive(Default)]
struct Line<'t> {
    indent: usize,
    /// The text in front of the comment; a quoted word in it may hold line feeds.
    text: String,
    /// The column of the comment, counted from the start of the text; at least one blank is before it.
    column: usize,
    comment: Option<&'t str>,
}

impl Line<'_> {
    fn write(&self, line: &mut String) {
        if !self.text.is_empty() || self.comment.is_some() {
            line.extend(std::iter::repeat_n(' ', self.indent));
        }
        line.push_str(&self.text);
        if let Some(comment) = self.comment {
            line.extend(std::iter::repeat_n(' ', self.column.saturating_sub(self.text.width())));
            line.push_str(comment);
        }
        line.push('\n');
    }

    /// True if its comment is aligned with those of its neighbours.
    fn has_comment_behind_text(&self) -> bool {
        self.comment.is_some() && !self.text.is_empty() && !self.text.contains('\n')
    }
}

/// True if the comments of two lines, one below the other, stand below each other: those behind lines of one block.
fn are_aligned(above: &Line<'_>, below: &Line<'_>) -> bool {
    above.has_comment_behind_text() && below.has_comment_behind_text() && above.indent == below.indent
}

#[derive(Default)]
struct Formatter<'t> {
    /// The new text, up to the last run of lines.
    new: String,
    /// The last line, with those above whose comments are aligned with its comment.
    run: Vec<Line<'t>>,
    /// The line that is being written.
    line: Line<'t>,
    /// For each open block, whether it stands on one line.
    open: Vec<bool>,
    /// True if an entry has begun that has no `;` or `{` yet.
    in_entry: bool,
    /// True if nothing but comments on its line stands behind the last `{`, or the start of the text.
    is_first: bool,
}

impl<'t> Formatter<'t> {
    fn token(&mut self, token: &Token<'t>, stays_on_line: bool) {
        match token.kind {
            TokenKind::Comment => self.comment(token),
            TokenKind::Word => {
                self.place(token);
                self.line.text.push_str(token.raw);
                self.in_entry = true;
            }
            TokenKind::End => {
                self.end(token);
                self.in_entry = false;
            }
            TokenKind::Open => {
                self.place(&Token { line_feeds: 0, ..*token });
                self.line.text.push('{');
                self.open.push(stays_on_line);
                self.in_entry = false;
            }
            TokenKind::Close => self.close(),
        }
        if token.kind != TokenKind::Comment {
            self.is_first = token.kind == TokenKind::Open;
        }
    }

    /// Goes to where a word or a `{` is written.
    fn place(&mut self, token: &Token<'t>) {
        let is_line_begun = !self.line.text.is_empty();
        let stays = match self.in_entry {
            true => token.line_feeds == 0,
            false => self.is_on_one_line(),
        };
        match is_line_begun && stays {
            true => self.line.text.push(' '),
            false => self.start_line(token.line_feeds),
        }
    }

    fn comment(&mut self, token: &Token<'t>) {
        let is_behind = token.line_feeds == 0 && !self.line.text.is_empty();
        if !is_behind {
            self.start_line(token.line_feeds);
            self.is_first = false;
        }
        self.line.comment = Some(token.raw);
        self.line.column = if is_behind { self.line.text.width() + 1 } else { 0 };
        self.break_line();
    }

    fn end(&mut self, token: &Token<'t>) {
        let is_stray = !self.in_entry;
        if self.line.text.is_empty() || is_stray && token.line_feeds > 0 {
            self.start_line(token.line_feeds);
        } else if self.line.text.ends_with('{') && is_stray {
            self.line.text.push(' ');
        }
        self.line.text.push(';');
    }

    fn close(&mut self) {
        // A `;` may be missing before it.
        self.in_entry = false;
        match self.open.pop() {
            Some(true) if self.line.text.ends_with('{') => {}
            Some(true) => self.line.text.push(' '),
            _ => self.start_line(0),
        }
        self.line.text.push('}');
    }

    fn is_on_one_line(&self) -> bool {
        self.open.last() == Some(&true)
    }

    /// Begins a line, below one blank line if the old text had any, but not at the start of a block or
    /// inside an entry.
    fn start_line(&mut self, line_feeds: usize) {
        self.break_line();
        if line_feeds > 1 && !self.is_first && !self.in_entry && !self.run.is_empty() {
            self.push(Line::default());
        }
        let continued = if self.in_entry { CONTINUATION } else { 0 };
        self.line.indent = self.open.len() * INDENT + continued;
    }

    fn break_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.text.is_empty() || line.comment.is_some() {
            self.push(line);
        }
    }

    fn push(&mut self, line: Line<'t>) {
        if !self.run.last().is_some_and(|above| are_aligned(above, &line)) {
            self.write_run();
        }
        self.run.push(line);
    }

    /// Writes the last run, with its comments below each other.
    fn write_run(&mut self) {
        let column = self.run.iter().map(|line| line.text.width() + 1).max().unwrap_or_default();
        for mut line in self.run.drain(..) {
            if !line.text.is_empty() {
                line.column = column;
            }
            line.write(&mut self.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_changes() {
        for (old, new) in [
            ("", ""),
            (" \r\n\n", ""),
            ("http   80 ;\trtmp\t1935;", "http 80;\nrtmp 1935;\n"),
            ("a;\r\n\r\n\r\n\r\nb;\r\n", "a;\n\nb;\n"),
            ("\u{feff}\n\na;", "\u{feff}a;\n"),
            ("stream a\n{\n\n   url x;\n\n}\n\n\n", "stream a {\n  url x;\n}\n"),
            ("stream a{url x;prepush 5;}", "stream a { url x; prepush 5; }\n"),
            ("stream a { url x;\nprepush 5; }", "stream a {\n  url x;\n  prepush 5;\n}\n"),
            ("http 80{}", "http 80 {}\n"),
            ("http 80 {\n}", "http 80 {\n}\n"),
            ("a { b { c 1; } }", "a { b { c 1; } }\n"),
            ("a { b {\nc; } }", "a {\n  b {\n    c;\n  }\n}\n"),
            // Comments stay on their own line, or behind the same word.
            ("#x  \n  # y\na; #z\n", "#x\n# y\na; #z\n"),
            ("a{ # why\n\n b; }", "a { # why\n  b;\n}\n"),
            ("a{\n b;\n # last\n}", "a {\n  b;\n  # last\n}\n"),
            ("a;  # one\nbbb;# two\n\nc; # three", "a;   # one\nbbb; # two\n\nc; # three\n"),
            ("a { # one\nb; # two\n}", "a { # one\n  b; # two\n}\n"),
            // An entry of several lines keeps them.
            ("url x # first\n priority=1\n\n  b=2\n ;", "url x # first\n    priority=1\n    b=2;\n"),
            ("url x # why\n ;", "url x # why\n    ;\n"),
            ("stream a # why\n { url x; }", "stream a # why\n    { url x; }\n"),
            // So does a quoted word.
            ("a { title \"x\r\n y\"; # z\n}", "a {\n  title \"x\r\n y\"; # z\n}\n"),
            // What is only a warning stays.
            ("a;;\n;\nb {;c }", "a;;\n;\nb { ; c }\n"),
            ("b {\n c }", "b {\n  c\n}\n"),
        ] {
            let document = Document::parse(old);
            let found = formatted(&document).expect("it is proved").unwrap_or_else(|| old.to_owned());
            assert_eq!(found, new, "{old:?}");
            assert_eq!(formatted(&Document::parse(new)), Ok(None), "{new:?} is formatted");
        }
    }
}

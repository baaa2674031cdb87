//! Makes a text better that nobody has to look at: its form (`fmt`), and the faults that have one fix (`check --fix`).
//!
//! Formatting changes white space alone: indentation, blanks, blank lines and line ends. That is proved: the new text has
//! the tokens and the JSON of the old one.

use unicode_width::UnicodeWidthStr;

use crate::edit::Unproved;
use crate::model::check;
use crate::query::Config;
use crate::syntax::{Diagnostics, Document, EntryId, Fix, Splice, Token, TokenKind, spliced_pieces};

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
    let new = format(document);
    if new == old {
        return Ok(None);
    }
    let new = Document::parse(new);
    prove(document, &new)?;
    Ok(Some(new))
}

/// The formatted text. Neither its tokens nor its lines are kept: of many lines they take many times the text.
fn format(document: &Document) -> String {
    let text = document.text();
    let mut formatter = Formatter::default();
    formatter.new.reserve(text.len());
    formatter.new.push_str(start_of(text));
    let entries = (0..document.len()).map(|number| document.entry(EntryId::from_index(number)));
    let mut blocks = entries.filter(|entry| entry.is_block());
    for token in Token::all(text) {
        let is_block = token.kind == TokenKind::Open;
        let stays_on_line = is_block && blocks.next().is_some_and(|block| !text[block.body()].contains('\n'));
        formatter.token(&token, stays_on_line);
    }
    formatter.break_line();
    formatter.write_run();
    formatter.new
}

/// Returns the beginning of the new text: the byte order mark of the old one, if it has one. A mark that
/// is a part of the first word, behind white space, must not come to the start of the text.
fn start_of(text: &str) -> &str {
    match Token::all(text).next() {
        _ if text.starts_with(BOM) => &text[..BOM.len_utf8()],
        Some(word) if word.raw.starts_with(BOM) => "\n",
        _ => "",
    }
}

fn prove(document: &Document, new: &Document) -> Result<(), Unproved> {
    let unproved = |at: &str| Err(Unproved { at: at.to_owned() });
    let is_same = |(old, new): (Token<'_>, Token<'_>)| (old.kind, old.raw) == (new.kind, new.raw);
    let mut news = Token::all(new.text());
    if !Token::all(document.text()).all(|old| news.next().is_some_and(|new| is_same((old, new))))
        || news.next().is_some()
    {
        return unproved("(text)");
    }
    let json = |document| serde_json::to_vec(&Config::new(document).view()).expect("a view is JSON");
    if new.diagnostics().errors() > 0 || json(document) != json(new) {
        return unproved("(JSON)");
    }
    Ok(())
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

/// The most rounds: a fix may uncover a fault behind it that has one, too, and only so many faults are kept.
const MOST_ROUNDS: usize = 200;

/// A text whose faults were fixed where only one thing can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MendedText {
    /// The new text.
    pub text: String,
    /// The number of fixes that were applied.
    pub fixes: usize,
}

/// Applies each fix that brings no error and no fault without a fix; `None` if there is none.
pub fn mended(text: &str) -> Option<MendedText> {
    let mut mended = MendedText { text: text.to_owned(), fixes: 0 };
    for _ in 0..MOST_ROUNDS {
        let Some(next) = round(&mended.text) else { break };
        mended = MendedText { text: next.text, fixes: mended.fixes + next.fixes };
    }
    (mended.fixes > 0).then_some(mended)
}

/// Applies the fixes of the faults that are seen now: all, or those that can be applied one after another.
fn round(text: &str) -> Option<MendedText> {
    let found = check(text);
    let splices = splices(&found);
    let whole = MendedText { text: spliced(text, &splices), fixes: splices.len() };
    if splices.is_empty() || is_better(&found, &whole) {
        return (!splices.is_empty()).then_some(whole);
    }
    let one = |splice| MendedText { text: spliced(text, std::slice::from_ref(splice)), fixes: 1 };
    splices.iter().map(one).find(|one| is_better(&found, one))
}

/// True if no error came, and no fault that has no fix itself: it would tell of another meaning.
fn is_better(before: &Diagnostics, mended: &MendedText) -> bool {
    let after = check(&mended.text);
    let fixed = |faults: &Diagnostics| faults.iter().filter(|found| found.fix.is_some()).count();
    let lasting = |faults: &Diagnostics| faults.errors() + faults.warnings() - fixed(faults);
    after.errors() <= before.errors() && lasting(&after) <= lasting(before)
}

/// The fixes as splices: in the order of the text, and none where another one is.
fn splices(found: &Diagnostics) -> Vec<Splice> {
    let mut fixes: Vec<&Fix> = found.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    fixes.dedup_by(|next, kept| next.span.start < kept.span.end || next.span.start == kept.span.start);
    let splice = |fix: &Fix| Splice {
        range: fix.span.start as usize..fix.span.end as usize,
        text: (*fix.text).into(),
    };
    fixes.into_iter().map(splice).collect()
}

fn spliced(text: &str, splices: &[Splice]) -> String {
    spliced_pieces(text, 0..text.len(), splices).collect()
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

    fn mend(text: &str) -> Option<String> {
        mended(text).map(|mended| mended.text)
    }

    #[test]
    fn what_can_only_be_meant_one_way_is_fixed() {
        for (text, expected) in [
            ("rtmp 1935\nrtsp 554;\n", "rtmp 1935;\nrtsp 554;\n"),
            ("rtmp 1935 # c\nrtsp 554;\n", "rtmp 1935; # c\nrtsp 554;\n"),
            ("rtmp 1935 rtsp 554;\n", "rtmp 1935; rtsp 554;\n"),
            ("http 80;\nrtmp 1935\n", "http 80;\nrtmp 1935;\n"),
            ("stream a { url udp://1 }\n", "stream a { url udp://1; }\n"),
            ("stream a {\n  url udp://1\n  prepush 5\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("stream a {\n  url upd://1;\n  prepsh 5;\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("strem a {\n  url udp://1;\n  prepsh 5;\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("loglevel debgu;\n", "loglevel debug;\n"),
            ("\u{feff}rtpm 1935;\r\n", "\u{feff}rtmp 1935;\r\n"),
        ] {
            assert_eq!(mend(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_can_be_meant_in_several_ways_stays() {
        for text in [
            "http 80;\n",
            // The file may be cut off.
            "http 80;\nrtmp 19",
            "stream a {\n  url udp://1\n",
            // A lost `{`.
            "stream a\n  url udp://1;\n}\n",
            "stream a {\n  url udp://1;\n}}\n",
            "auth flase;\n",
            // The word is known, and what stands behind it is wrong.
            "rtpm fast;\n",
            // The last one would count.
            "stream a {\n  url udp://1;\n  prepush 5;\n  prepsh 6;\n}\n",
        ] {
            assert_eq!(mend(text), None, "{text}");
        }
    }
}

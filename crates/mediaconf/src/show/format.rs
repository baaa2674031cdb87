//! Makes a text better that nobody has to look at: its form (`fmt`), and the faults that have one fix (`check --fix`).
//!
//! Formatting changes white space alone: indentation, blanks, blank lines and line ends. That is proved: the new text has
//! the tokens and the JSON of the old one.

use std::iter::{once, successors};

use crate::check::check;
use crate::edit::{EditError, placeholders, prove};
use crate::query::Config;
use crate::syntax::{Diagnostics, Document, Fix, Splice, Token, TokenKind, bytes_of, spliced, text_start};

/// The number of blanks by which an entry is indented inside its block.
const INDENT: usize = 2;

/// The number of blanks by which the later lines of an entry are indented below its first.
const CONTINUATION: usize = 4;

impl Document {
    /// The formatted text of a document without errors; `None` if it is formatted already.
    ///
    /// # Errors
    /// The new text does not say what the old one says, which is a defect of this program.
    pub fn formatted(&self) -> Result<Option<Self>, EditError> {
        let old = self.text();
        let mut blocks = self.all_entries().filter(|entry| entry.is_block());
        let mut formatter = Formatter::default();
        // A directive with a placeholder of a template stays as it is.
        let mut kept = placeholders(self).peekable();
        let (mut last, mut kept_end) = (0, 0);
        for token in Token::all(old) {
            let block = if token.kind == TokenKind::Open { blocks.next() } else { None };
            let is_one_line = block.is_some_and(|block| !old[block.body()].contains('\n'));
            while let Some(place) = kept.next_if(|place| place.start < token.start) {
                kept_end = kept_end.max(place.end);
            }
            let end = token.start + token.raw.len();
            if token.start < kept_end {
                formatter.text.push_str(&old[last..end]);
                formatter.in_entry = token.kind != TokenKind::End;
            } else {
                // Its line ends it where no `;` does.
                formatter.in_entry &= last != kept_end || token.line_feeds == 0;
                formatter.token(&token, is_one_line);
            }
            last = end;
        }
        formatter.break_line();
        let mark = &old[..text_start(old)];
        // A mark that is a part of the first word, behind white space, must not come to the start of the text.
        let start = if mark.is_empty() && text_start(&formatter.text) > 0 { "\n" } else { mark };
        let new = Self::parse(start.to_owned() + &formatter.text);
        if new.text() == old {
            return Ok(None);
        }
        let says = |document: &Self| serde_json::to_vec(&Config::new(document)).expect("a view is JSON");
        let tokens = |text| Token::all(text).map(|token| (token.kind, token.raw));
        let has_tokens = tokens(old).eq(tokens(new.text()));
        prove(has_tokens && new.diagnostics().errors() == 0 && says(self) == says(&new), "(text)")?;
        Ok(Some(new))
    }

    /// Applies each fix that brings no error and no fault without a fix; `None` if there is none.
    pub fn mended(text: &str) -> Option<String> {
        successors(mended_once(text), |text| mended_once(text)).take(MOST_ROUNDS).last()
    }
}

#[derive(Default)]
struct Formatter {
    text: String,
    /// For each open block, whether it stands on one line.
    open: Vec<bool>,
    /// True if an entry has begun that has no `;` or `{` yet.
    in_entry: bool,
    /// True if nothing but comments on its line stands behind the last `{`, or the start of the text.
    is_first: bool,
}

impl Formatter {
    fn token(&mut self, token: &Token<'_>, is_block_of_one_line: bool) {
        let (is_begun, opens) = (self.is_line_begun(), self.text.ends_with('{'));
        let (in_one_line, breaks) = (self.open.last() == Some(&true), token.line_feeds > 0);
        // Whether it begins a line, and whether a blank stands in front of it where it does not.
        let (begins_line, is_apart) = match token.kind {
            TokenKind::Comment => (!is_begun || breaks, true),
            TokenKind::Word if self.in_entry => (!is_begun || breaks, true),
            TokenKind::Open if self.in_entry => (!is_begun, true),
            TokenKind::Word | TokenKind::Open => (!is_begun || !in_one_line, true),
            // One that ends nothing stays where it is.
            TokenKind::End => (!is_begun || breaks && !self.in_entry, opens && !self.in_entry),
            TokenKind::Close => (!in_one_line, !opens),
        };
        if token.kind == TokenKind::Close {
            // A `;` may be missing before it.
            self.in_entry = false;
            self.open.pop();
        }
        if begins_line {
            let is_brace = matches!(token.kind, TokenKind::Open | TokenKind::Close);
            self.start_line(if is_brace { 0 } else { token.line_feeds });
        } else if is_apart {
            self.text.push(' ');
        }
        self.text.push_str(token.raw);
        if token.kind == TokenKind::Comment {
            self.is_first &= !begins_line;
            return self.break_line();
        }
        self.open.extend((token.kind == TokenKind::Open).then_some(is_block_of_one_line));
        self.in_entry = token.kind == TokenKind::Word;
        self.is_first = token.kind == TokenKind::Open;
    }

    /// Begins a line, below one blank line if the old text had any, but not at the start of a block or
    /// inside an entry.
    fn start_line(&mut self, line_feeds: usize) {
        self.break_line();
        if line_feeds > 1 && !self.is_first && !self.in_entry && !self.text.is_empty() {
            self.text.push('\n');
        }
        let continued = if self.in_entry { CONTINUATION } else { 0 };
        self.text += &" ".repeat(self.open.len() * INDENT + continued);
    }

    fn break_line(&mut self) {
        self.text.push_str(if self.is_line_begun() { "\n" } else { "" });
    }

    fn is_line_begun(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }
}

/// The most rounds: a fix may uncover a fault behind it that has one, too, and only so many faults are kept.
const MOST_ROUNDS: usize = 200;

/// Applies the fixes of the faults that are seen now: all, or the first that can be applied alone.
fn mended_once(text: &str) -> Option<String> {
    let found = check(text);
    let splices = splices(&found);
    let mut tries = once(&splices[..]).chain(splices.chunks(1)).filter(|some| !some.is_empty());
    let lasting =
        |faults: &Diagnostics| faults.count() - faults.iter().filter(|found| found.fix.is_some()).count();
    tries.find_map(|some| {
        let mended: String = spliced(text, 0..text.len(), some).collect();
        let left = check(&mended);
        // No error may come, and no fault that has no fix itself: it would tell of another meaning.
        (left.errors() <= found.errors() && lasting(&left) <= lasting(&found)).then_some(mended)
    })
}

/// The fixes as splices: in the order of the text, and none where another one is.
fn splices(found: &Diagnostics) -> Vec<Splice> {
    let mut fixes: Vec<&Fix> = found.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    fixes.dedup_by(|next, kept| next.span.start < kept.span.end || next.span.start == kept.span.start);
    let splice = |fix: &Fix| Splice { range: bytes_of(&fix.span), text: fix.text.clone() };
    fixes.into_iter().map(splice).collect()
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
            ("a;  # one\nbbb;# two\n\nc; # three", "a; # one\nbbb; # two\n\nc; # three\n"),
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
            // So does a placeholder of a template.
            (
                "a  ${N}:${P}/x  b=1;\n${REST}\nb{ c ${D};\n d {% if x %}y; }",
                "a  ${N}:${P}/x b=1;\n${REST}\nb {\n  c ${D};\n  d {% if x %}y;\n}\n",
            ),
        ] {
            let document = Document::parse(old);
            let found = document
                .formatted()
                .expect("it is proved")
                .map_or_else(|| old.to_owned(), |document| document.text().to_owned());
            assert_eq!(found, new, "{old:?}");
            assert!(matches!(Document::parse(new).formatted(), Ok(None)), "{new:?} is formatted");
        }
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
            ("\u{feff}rtpm 1935;\r\n", "\u{feff}rtmp 1935;\r\n"),
        ] {
            assert_eq!(Document::mended(text).as_deref(), Some(expected), "{text}");
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
            assert_eq!(Document::mended(text), None, "{text}");
        }
    }
}

//! The line ends of an old text for a new one that was typed where there are no carriage returns, as in a browser.

use std::borrow::Cow;

use super::line_diff::{LineRun, count_lines, each_differing_run};

/// Returns a new text with the line ends of the old one: those of the lines that are equal, and of the lines in whose place
/// others stand; an added line has that of the line before. A text that has a carriage return stays as it is.
pub fn with_line_ends_of<'n>(old: &str, new: &'n str) -> Cow<'n, str> {
    if !old.contains('\r') || new.contains('\r') {
        return Cow::Borrowed(new);
    }
    let plain = old.replace("\r\n", "\n").replace('\r', "\n");
    let mut ended = EndedLines { ends: line_ends(old), old_line: 0, text: String::new() };
    let mut at = 0;
    each_differing_run(&plain, new, &mut |LineRun { old, new: run }| {
        ended.push_equal(&new[at..run.start]);
        ended.push(&new[run.clone()], count_lines(&plain[old]));
        at = run.end;
    });
    ended.push_equal(&new[at..]);
    Cow::Owned(ended.text)
}

/// The line ends of a text, in order.
fn line_ends(mut text: &str) -> Vec<&str> {
    let mut ends = Vec::new();
    while let Some(at) = text.find(['\r', '\n']) {
        let (end, rest) = text[at..].split_at(if text[at..].starts_with("\r\n") { 2 } else { 1 });
        ends.push(end);
        text = rest;
    }
    ends
}

/// Lines that get the ends of the old ones.
struct EndedLines<'o> {
    ends: Vec<&'o str>,
    /// The number of old lines that were passed.
    old_line: usize,
    text: String,
}

impl EndedLines<'_> {
    fn push_equal(&mut self, lines: &str) {
        self.push(lines, count_lines(lines));
    }

    /// Adds lines in the place of some old ones.
    fn push(&mut self, lines: &str, old_lines: usize) {
        let last = (self.old_line + old_lines).saturating_sub(1);
        for (at, line) in (self.old_line..).zip(lines.split_inclusive('\n')) {
            let content = line.strip_suffix('\n');
            self.text.push_str(content.unwrap_or(line));
            let end = self.ends.get(at.min(last)).or(self.ends.last()).copied();
            self.text.extend(end.filter(|_| content.is_some()));
        }
        self.old_line += old_lines;
    }
}

#[cfg(test)]
mod tests {
    use super::with_line_ends_of;

    #[test]
    fn a_text_without_carriage_returns_gets_the_line_ends_of_the_old_one() {
        for (old, new, expected) in [
            ("a\r\nb\r\nc", "a\nx\nc", "a\r\nx\r\nc"),
            ("a\r\nb\r\nc", "a\nb\nx\ny\nc", "a\r\nb\r\nx\r\ny\r\nc"),
            ("a\r\nb\r\nc", "c", "c"),
            ("a\r\nb\nc\r\nd\ne", "a\nx\nc\nd\ny\ne", "a\r\nx\nc\r\nd\ny\ne"),
            ("a\r\nb\nc\r\nd", "x\na\nb\nc\ny\nd", "x\r\na\r\nb\nc\r\ny\r\nd"),
            ("a\rb\nc", "a\nb\nx", "a\rb\nx"),
            ("a\r\nb", "a\nb\nx\ny", "a\r\nb\r\nx\r\ny"),
            ("a\r\nb\r\n", "a\r\nx\n", "a\r\nx\n"),
            ("a\nb\n", "a\nx\n", "a\nx\n"),
        ] {
            assert_eq!(with_line_ends_of(old, new), expected, "{old:?} {new:?}");
        }
    }
}

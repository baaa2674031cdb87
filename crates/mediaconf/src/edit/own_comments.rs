//! Whose comment is it: the comment lines above an entry that belong to it, and those that head a group.
//!
//! A comment directly above a stream, live, plugin or block with a name belongs to it, unless it is the
//! heading of a group. It is one where it ends in `:`, has signs around its words, or stands behind a blank
//! line or at the top and two such entries follow without a blank line or a comment between them. What stands above
//! a heading stays with it; what stands below it may belong to the entry. In doubt a comment stays.

use super::surroundings::Surroundings;
use crate::schema::Schema;
use crate::syntax::Entry;

/// The signs at the ends of a line that are no part of what follows.
const TRIVIA: [char; 4] = [' ', '\t', '\r', ';'];

impl Surroundings<'_> {
    /// Returns the start of the comment lines that belong to an entry: those that go with it. It is the start of its
    /// line if there are none.
    pub fn own_comments(&self, entry: Entry<'_>) -> usize {
        let start = self.line_start(entry.start());
        if !has_comments(entry) || !self.begins_line(entry.start()) {
            return start;
        }
        let top = self.attached_comments(start);
        let (mut at, mut own) = (top, top);
        for line in self.document().text()[top..start].split_inclusive('\n') {
            let opens = at == top && self.is_set_off(top) && comments_below(entry) == Some(0);
            at += line.len();
            if opens || is_marked(line) {
                own = at;
            }
        }
        own
    }

    /// Returns the start of the comment lines that are edited with an entry: its own, and above a directive that
    /// comments don't belong to all.
    pub fn comments_with(&self, entry: Entry<'_>) -> usize {
        match has_comments(entry) {
            true => self.own_comments(entry),
            false => self.attached_comments(self.line_start(entry.start())),
        }
    }

    /// True if a heading stands directly above an entry and its comments.
    pub fn is_headed(&self, entry: Entry<'_>) -> bool {
        let own = self.own_comments(entry);
        self.attached_comments(own) < own
    }

    /// True if the line that starts here stands behind a blank line or at the top.
    fn is_set_off(&self, line_start: usize) -> bool {
        line_start == self.text_start() || !self.blank_lines_above(line_start).is_empty()
    }
}

/// True if another entry that comments may belong to follows without a blank line.
pub fn is_followed(entry: Entry<'_>) -> bool {
    comments_below(entry).is_some()
}

/// The number of comment lines between an entry and the next one that comments may belong to; `None` if there is none
/// without a blank line.
fn comments_below(entry: Entry<'_>) -> Option<usize> {
    let document = entry.document();
    let mut behind = document.entries_in(entry.numbers().end..document.len());
    let next = behind.next().filter(|next| has_comments(*next))?;
    let mut lines =
        document.text()[entry.end()..next.start()].split('\n').map(|line| line.trim_matches(TRIVIA));
    let is_free = |line: Option<&str>| line.is_none_or(|line| line.is_empty() || line.starts_with('#'));
    let is_close = is_free(lines.next()) && is_free(lines.next_back());
    let between: Vec<&str> = lines.collect();
    (is_close && between.iter().all(|line| line.starts_with('#'))).then_some(between.len())
}

/// True if comments may belong to an entry: a stream, live, plugin or block with a name.
fn has_comments(entry: Entry<'_>) -> bool {
    let keyword = entry.keyword();
    let is_plain =
        || Schema::media().top().by_keyword(&keyword).is_some_and(|row| row.codec.facts().kind.is_some());
    Schema::media().group_of(&keyword).is_some()
        || entry.is_block() && entry.count_arguments() > 0 && !is_plain()
}

/// True if a comment ends in `:` or has signs around its words.
fn is_marked(line: &str) -> bool {
    let words = line.trim().trim_start_matches('#').trim_start();
    let begins = line.trim().starts_with("##") || !words.starts_with(char::is_alphanumeric);
    let ends = line.trim().len() > 1 && !words.ends_with(char::is_alphanumeric);
    words.ends_with([':', '#']) || begins && ends
}

#[cfg(test)]
mod tests {
    use crate::edit::surroundings::Surroundings;
    use crate::syntax::Document;

    /// The comments of the last stream `a` of a text.
    fn own(text: &str) -> String {
        let document = Document::parse(text.to_owned());
        let is_wanted =
            |entry: &crate::syntax::Entry<'_>| entry.arguments().next().is_some_and(|name| name.raw == "a");
        let entry = document.entries().filter(is_wanted).last().expect(text);
        let around = Surroundings::new(&document);
        text[around.own_comments(entry)..around.line_start(entry.start())].to_owned()
    }

    #[test]
    fn a_comment_belongs_to_its_entry_unless_it_heads_a_group() {
        for (text, expected) in [
            // One entry, or blank lines between them.
            ("# x\nstream a;\n", "# x\n"),
            ("http 80;\n\n# x\n# y\nstream a;\n\nstream b;\n", "# x\n# y\n"),
            ("\u{feff}# x\r\nlive a;\r\n", "# x\r\n"),
            ("# x\n\nplugin a;\n", ""),
            ("# x\ntemplate a { url u; }\n", "# x\n"),
            // No entry that comments belong to.
            ("# x\nrtmp a;\n", ""),
            ("# x\nhttp a { api false; }\n", ""),
            ("# x\nrtmp a { x; }\n", ""),
            // A group without a blank line.
            ("# x\nstream a;\nstream b;\n", ""),
            ("http 80;\n\n# x\nstream a {\n} # y\nlive b;\n", ""),
            // Each has a comment of its own.
            ("http 80;\n\n# x\nstream a {\n} # y\n# z\nlive b;\n", "# x\n"),
            ("http 80;\n\n# x\n# y\nstream a;\nstream b;\n", "# y\n"),
            ("http 80;\n \t\n# x\nstream a; stream b;\n", ""),
            // Behind another entry, and in front of a plain directive.
            ("http 80;\n# x\nstream a;\nstream b;\n", "# x\n"),
            ("# x\nstream a;\nrtsp 1;\nstream b;\n", "# x\n"),
            ("# x\nstream a;\n \nstream b;\n", "# x\n"),
            // What says that it is a heading.
            ("http 80;\n# Roof:\nstream a;\n", ""),
            ("http 80;\n#--- roof ---\n  # of a\n  stream a;\n", "  # of a\n"),
            ("# ----\n# Roof\n# ----\n# of a\nstream a;\n", "# of a\n"),
            ("#######\n# Roof #\n#######\nstream a;\n", ""),
            ("# of whom\n# == roof ==\nstream a;\n", ""),
            ("## Roof ##\nstream a;\n", ""),
            ("## the first\nstream a;\n", "## the first\n"),
            ("# the first.\nstream a;\n", "# the first.\n"),
            ("# --- the first\nstream a;\n", "# --- the first\n"),
            ("# x\n#\nstream a;\n", "# x\n#\n"),
            ("#stream z {\n#}\nstream a;\n", ""),
        ] {
            assert_eq!(own(text), expected, "{text:?}");
        }
    }
}

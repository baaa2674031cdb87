//! Merges a change of a text (`base` to `mine`) with what others made of the same text meanwhile (`theirs`).
//!
//! The lines are merged first, because they have the comments and the order, too. Where lines clash, the values of the
//! change are set in the other text.

use foldhash::HashMap;
use similar::{MergeResolution, TextMerge};

use crate::edit::comment_counts;
use crate::query::Config;
use crate::schema::{FaultKind, Object};
use crate::syntax::Document;

impl Document {
    /// The patch from the values of one text to those of another; neither has errors.
    pub fn patch_to(&self, to: &Self) -> Object {
        Config::own(self).patch_to(&Config::own(to))
    }

    /// Merges what `mine` and `theirs` made of `base`, line by line.
    ///
    /// # Errors
    /// Lines clash: the text in which both forms stand between markers, as git writes them, `ours` first.
    pub fn merge_lines(base: &[u8], mine: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
        // The texts may not be UTF-8: each byte is merged as one character.
        let texts = [base, mine, theirs].map(|text| text.iter().copied().map(char::from).collect::<String>());
        let merge = TextMerge::from_lines(&*texts[0], &*texts[1], &*texts[2]);
        let text = merge.to_string().chars().map(|byte| byte as u8).collect();
        if merge.is_conflicted() { Err(text) } else { Ok(text) }
    }

    /// Returns the number of the first line, from 1, that marks a clash; `None` if there is none.
    pub fn first_marker(text: &[u8]) -> Option<usize> {
        let is_marker = |line: &[u8]| match line.trim_ascii_end() {
            b"=======" => true,
            line => line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> "),
        };
        text.split(|byte| *byte == b'\n').position(is_marker).map(|at| at + 1)
    }

    /// Returns `theirs`, which others made of `base`, with the change that `mine` makes of `base`, whose values are those `by` a patch.
    /// Where both changed the same value, each in its own way, `mine` wins. Without a patch, as of a base with errors, only
    /// lines are merged. Neither of the changed texts has errors.
    ///
    /// # Errors
    /// Both changed the same lines, and a comment of `mine` would be lost, or a value can't be set alone: the first of
    /// these lines in the merged text, from 1.
    pub fn three_way(&self, mine: &Self, theirs: &Self, by: Option<Object>) -> Result<Self, Option<usize>> {
        let merge = TextMerge::from_lines(self.text(), mine.text(), theirs.text());
        let is_clean = !merge.is_conflicted();
        let clash = || Self::first_marker(merge.to_string().as_bytes()).filter(|_| !is_clean);
        let lines = Some(Document::parse(decided(&merge))).filter(|lines| !lines.has_errors());
        let Some(patch) = by else { return lines.filter(|_| is_clean).ok_or_else(clash) };
        let with = |text: &Self, patch: Object| match text.modify(patch.into(), FaultKind::DOUBTS) {
            Ok(edit) => Some(edit.map_or_else(|| text.clone(), |edit| edit.document)),
            Err(_) => None,
        };
        let by_values = with(theirs, patch).ok_or_else(clash)?;
        // Lines that do not clash have the right order already. Positions would be wrong: they also count blocks that came or
        // went on the other side.
        let left = |text: &Self| Config::own(text).patch_in_order(&Config::own(&by_values), !is_clean);
        let by_lines = lines.and_then(|lines| with(&lines, left(&lines)));
        let is_right = |text: &Self| left(text).is_empty();
        let keeps_comments = |text: &Self| keeps_comments(text, [self, mine, theirs]);
        let by_lines = by_lines.filter(|text| is_right(text) && (is_clean || keeps_comments(text)));
        by_lines.or_else(|| Some(by_values).filter(keeps_comments)).ok_or_else(clash)
    }
}

/// The merged text without a clash: what both sides added at one place stands there, theirs first; of other lines that
/// clash only theirs do.
fn decided(merge: &TextMerge<'_, '_, '_, str>) -> String {
    let mut text = String::new();
    for region in merge.regions() {
        let mine = region.ours_range().filter_map(|line| merge.ours_line(line));
        let theirs = region.theirs_range().filter_map(|line| merge.theirs_line(line));
        match region.resolution() {
            MergeResolution::Theirs => text.extend(theirs),
            MergeResolution::Conflict => {
                text.extend(theirs);
                if region.base_range().is_empty() {
                    text.push_str(if text.is_empty() || text.ends_with('\n') { "" } else { "\n" });
                    text.extend(mine);
                }
            }
            _ => text.extend(mine),
        }
    }
    text
}

/// True if a text has the comments of both sides, as far as each changed those of the base.
fn keeps_comments(text: &Document, [base, mine, theirs]: [&Document; 3]) -> bool {
    let counts = [text, base, mine, theirs].map(|document| comment_counts(document.text()));
    counts.iter().flat_map(HashMap::keys).all(|comment| {
        let [found, base, mine, theirs] = counts.each_ref().map(|of| of.get(comment).copied().unwrap_or(0));
        found + base == mine + theirs
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# top\nrtmp 1;\nhttp 80;\nrtsp 2;\n\nstream a {\n  url udp://a;\n  title A;\n}\n";

    fn made(mine: &[[&str; 2]], theirs: &[[&str; 2]]) -> Result<String, Option<usize>> {
        let replaced = |changes: &[[&str; 2]]| {
            let text = changes.iter().fold(BASE.to_owned(), |text, [from, to]| {
                assert!(text.contains(from), "{text} {from}");
                text.replace(from, to)
            });
            Document::parse(text)
        };
        let (base, mine) = (Document::parse(BASE), replaced(mine));
        let whole = base.three_way(&mine, &replaced(theirs), Some(base.patch_to(&mine)))?;
        Ok(whole.text().to_owned())
    }

    #[track_caller]
    fn check(mine: &[[&str; 2]], theirs: &[[&str; 2]]) {
        let both = [theirs, mine].concat();
        let expected = both.iter().fold(BASE.to_owned(), |text, [from, to]| text.replace(from, to));
        assert_eq!(made(mine, theirs), Ok(expected), "{mine:?} {theirs:?}");
    }

    #[test]
    fn both_changes_are_in() {
        check(&[["rtmp 1", "rtmp 3"]], &[["title A", "title B"]]);
        check(&[["# top", "# new"]], &[["title A", "title B"]]);
        check(&[["rtmp 1", "rtmp 3"]], &[]);
        check(&[], &[["rtmp 1", "rtmp 3"]]);
        // Lines that stand side by side.
        check(&[["rtmp 1", "rtmp 3"]], &[["http 80", "http 81"]]);
        check(&[["rtmp 1;\n", ""]], &[["http 80", "http 81"]]);
        check(&[["\n}", "\n  prepush 3;\n}"]], &[["title A", "title B"]]);
        check(&[["udp://a", "udp://b"]], &[["\n  title A;", "\n  prepush 3;\n  title A;"]]);
        // The same change.
        check(&[["rtmp 1", "rtmp 3"]], &[["rtmp 1", "rtmp 3"], ["http 80", "http 81"]]);
        check(&[["# top", "# new"]], &[["# top", "# new"], ["http 80", "http 81"]]);
        check(
            &[["# top", "# new"], ["rtmp 1", "rtmp 3"]],
            &[["# top", "# new"], ["rtmp 1", "rtmp 3"], ["rtsp 2", "rtsp 4"]],
        );
        // A comment on a line that others changed, in the other's way.
        check(&[["# top", "# new"], ["rtsp 2", "rtsp 4"]], &[["http 80", "http 81"]]);
    }

    #[test]
    fn blocks_that_both_add_at_one_place_keep_their_lines() {
        let [ours, others] = ["\n# m\nstream m {\n url udp://m;\n}\n", "# t\nstream t { url udp://t; }\n"];
        let end = "title A;\n}\n";
        let both = made(&[[end, &format!("{end}{ours}")]], &[[end, &format!("{end}{others}")]]);
        assert_eq!(both, Ok(format!("{BASE}{others}{ours}")));
    }

    #[test]
    fn of_one_value_mine_wins() {
        let whole = made(&[["rtmp 1", "rtmp 3"]], &[["rtmp 1", "rtmp 4"], ["title A", "title B"]]);
        assert_eq!(whole, Ok(BASE.replace("rtmp 1", "rtmp 3").replace("title A", "title B")));
    }

    #[test]
    fn a_new_order_is_in_if_no_lines_clash() {
        let swapped = [["rtmp 1;\nhttp 80;", "http 80;\nrtmp 1;"]];
        check(&swapped, &[["title A", "title B"]]);
        check(&[["rtmp 1", "rtmp 3"]], &[["http 80;\nrtsp 2;", "rtsp 2;\nhttp 80;"]]);
    }

    #[test]
    fn a_name_goes_back_where_the_block_stands_now() {
        let texts = ["stream a;\n# c\nstream x;\nstream d;\n", "stream a;\n# c\nstream b;\nstream d;\n"];
        let [base, mine, theirs] = [texts[0], texts[1], &texts[0][10..]].map(Document::parse);
        let merged = base.three_way(&mine, &theirs, Some(base.patch_to(&mine)));
        assert_eq!(merged.expect("no line clashes").text(), &texts[1][10..]);
    }

    #[test]
    fn a_comment_that_would_be_lost_is_a_clash() {
        let clash = Err(Some(2));
        assert_eq!(made(&[["rtmp 1;", "rtmp 1; # mine"]], &[["rtmp 1;", "rtmp 1; # theirs"]]), clash);
        assert_eq!(made(&[["http 80", "# one\nhttp 80"]], &[["rtmp 1;", "rtmp 1; # theirs"]]), clash);
    }

    fn lines(base: &str, ours: &str, theirs: &str) -> Result<String, String> {
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        let lines = Document::merge_lines(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        lines.map(text).map_err(text)
    }

    #[test]
    fn changes_of_different_lines_are_merged() {
        let base = "a 1;\nb 1;\nc 1;\nd 1;\ne 1;";
        for (ours, theirs, both) in [
            (base.replace("a 1", "a 2"), base.replace("e 1", "e 2"), "a 2;\nb 1;\nc 1;\nd 1;\ne 2;"),
            (base.replace("b 1;\n", ""), base.replace("d 1;\n", "d 1;\nx;\n"), "a 1;\nc 1;\nd 1;\nx;\ne 1;"),
            (base.replace("c 1", "c 2"), base.replace("c 1", "c 2"), "a 1;\nb 1;\nc 2;\nd 1;\ne 1;"),
            (base.to_owned(), base.replace("c 1", "c 2"), "a 1;\nb 1;\nc 2;\nd 1;\ne 1;"),
        ] {
            assert_eq!(lines(base, &ours, &theirs), Ok(both.to_owned()));
        }
    }

    #[test]
    fn changes_of_one_line_clash_and_are_marked_as_git_does() {
        let marked = lines("a;\nb 1;\nc;\n", "a;\nb 2;\nc;\n", "a;\nb 3;\nc;\n").expect_err("they clash");
        assert_eq!(marked, "a;\n<<<<<<< ours\nb 2;\n=======\nb 3;\n>>>>>>> theirs\nc;\n");
        assert_eq!(Document::first_marker(marked.as_bytes()), Some(2));
        for text in ["", "a;\n# ======= x\n <<<<<<< a", "=======x;"] {
            assert_eq!(Document::first_marker(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Document::first_marker(b"a;\r\n=======\r\n"), Some(2));
        let both = lines("a;\n", "a;\nb;\n", "a;\nc;\n").expect_err("the order of two insertions is unknown");
        assert_eq!(both, "a;\n<<<<<<< ours\nb;\n=======\nc;\n>>>>>>> theirs\n");
    }
}

use proptest::prelude::{Strategy, proptest};

use super::{CONTEXT_LINES, ChangeTag, Hunk, Splice, hunks_of_texts, printed, with_line_ends_of};
use crate::syntax::spliced_pieces;

fn splice(range: std::ops::Range<usize>, text: &str) -> Splice {
    Splice { range, text: text.into() }
}

/// The hunks of an edit.
fn hunks_of_splices(old: &str, splices: &[Splice]) -> Vec<Hunk> {
    let new: String = spliced_pieces(old, 0..old.len(), splices).collect();
    super::hunks_of_splices(old, &new, splices)
}

fn diff(hunks: &[Hunk], old: &str, new: &str) -> String {
    let old_line = |range: std::ops::Range<usize>| old[range].to_owned();
    let new_line = |range: std::ops::Range<usize>| new[range].to_owned();
    let names = if hunks.is_empty() { "" } else { "--- a\n+++ b\n" };
    names.to_owned()
        + &printed(hunks, [old, new], &old_line, &new_line).map(|line| line + "\n").collect::<String>()
}

fn text_diff(old: &str, new: &str) -> String {
    diff(&hunks_of_texts(old, new), old, new)
}

/// Applies a unified diff as `patch` does with no fuzz, and holds it to every number in it.
fn apply(old: &str, diff: &str) -> String {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new_lines: Vec<String> = Vec::new();
    let mut taken = 0;
    let mut diff_lines = diff.split_terminator('\n').skip(2).peekable();
    while let Some(header) = diff_lines.next() {
        let [(old_start, old_count), (new_start, new_count)] = numbers(header);
        assert!(old_start >= taken, "{header} comes too late");
        new_lines.extend(old_lines[taken..old_start].iter().map(|l| (*l).to_owned()));
        taken = old_start;
        assert_eq!(new_lines.len(), new_start, "{header}");
        while let Some(line) = diff_lines.next_if(|line| !line.starts_with("@@")) {
            let (sign, content) = line.split_at(1);
            let bare = diff_lines.next_if(|line| line.starts_with('\\')).is_some();
            let content = format!("{content}{}", if bare { "" } else { "\n" });
            if sign != "+" {
                assert_eq!(old_lines[taken], content, "{diff}");
                taken += 1;
            }
            if sign != "-" {
                new_lines.push(content);
            }
        }
        assert_eq!(taken - old_start, old_count, "{header}");
        assert_eq!(new_lines.len() - new_start, new_count, "{header}");
    }
    new_lines.extend(old_lines[taken..].iter().map(|l| (*l).to_owned()));
    new_lines.concat()
}

/// Returns the number of lines before a hunk and in it, of the old and the new text.
fn numbers(header: &str) -> [(usize, usize); 2] {
    let words: Vec<&str> = header.split(' ').collect();
    [words[1], words[2]].map(|word| {
        let (start, count) = word[1..].split_once(',').unwrap_or((&word[1..], "1"));
        assert!(!word.ends_with(",1"), "one line goes without its count");
        let number = |text: &str| text.parse::<usize>().expect("a number");
        match number(count) {
            0 => (number(start), 0),
            count => (number(start) - 1, count),
        }
    })
}

#[test]
fn shows_three_lines_around_a_change() {
    assert_eq!(
        text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
        "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    );
}

#[test]
fn joins_hunks_whose_context_meets() {
    let old: String = (1..30).map(|n| format!("{n}\n")).collect();
    let near = old.replace("\n10\n", "\nx\n").replace("\n17\n", "\ny\n");
    assert_eq!(hunks_of_texts(&old, &near).len(), 1);
    let far = old.replace("\n10\n", "\nx\n").replace("\n18\n", "\ny\n");
    assert_eq!(hunks_of_texts(&old, &far).len(), 2);
    let positions = ["\n10\n", "\n18\n"].map(|line| old.find(line).expect("is there") + 1);
    let splices = positions.map(|at| splice(at..at + 2, "x\nx"));
    let headers: Vec<String> = hunks_of_splices(&old, &splices).iter().map(Hunk::header).collect();
    assert_eq!(headers, ["@@ -7,7 +7,8 @@", "@@ -15,7 +16,8 @@"]);
}

#[test]
fn equal_texts_have_no_diff() {
    assert_eq!(text_diff("a\nb", "a\nb"), "");
    assert_eq!(text_diff("", ""), "");
    assert_eq!(hunks_of_splices("a\nb\n", &[splice(2..3, "b")]), []);
    assert_eq!(hunks_of_splices("a\nb\n", &[]), []);
}

#[test]
fn an_empty_side_has_line_zero() {
    assert_eq!(text_diff("", "a\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(text_diff("a\nb\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-a\n-b\n");
}

#[test]
fn marks_a_missing_newline_on_its_side() {
    const MARK: &str = "\\ No newline at end of file\n";
    let check = |old, new, body: &str| {
        assert_eq!(text_diff(old, new), format!("--- a\n+++ b\n{body}"));
    };
    check("a", "a\n", &format!("@@ -1 +1 @@\n-a\n{MARK}+a\n"));
    check("a\n", "a", &format!("@@ -1 +1 @@\n-a\n+a\n{MARK}"));
    check("a", "b", &format!("@@ -1 +1 @@\n-a\n{MARK}+b\n{MARK}"));
    check("a\nz", "b\nz", &format!("@@ -1,2 +1,2 @@\n-a\n+b\n z\n{MARK}"));
    check("a\nb", "a\n", &format!("@@ -1,2 +1 @@\n a\n-b\n{MARK}"));
    check("", "a", &format!("@@ -0,0 +1 @@\n+a\n{MARK}"));
}

#[test]
fn keeps_carriage_returns() {
    assert_eq!(text_diff("a\r\nb\r\n", "a\r\nc\n"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n");
}

#[test]
fn neighbouring_changes_show_what_went_first() {
    let old = "a\nb\nc\n";
    let splices = [splice(0..1, "x"), splice(2..3, "y")];
    let new: String = spliced_pieces(old, 0..old.len(), &splices).collect();
    assert_eq!(
        diff(&hunks_of_splices(old, &splices), old, &new),
        "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n"
    );
}

#[test]
fn lines_are_masked_before_they_are_printed() {
    let texts = ["user a\n", "user b\n"];
    let hunks = hunks_of_texts(texts[0], texts[1]);
    let mask = |_| "user <secret>".to_owned();
    let lines: Vec<_> = printed(&hunks, texts, &mask, &mask).collect();
    assert_eq!(lines, ["@@ -1 +1 @@", "-user <secret>", "+user <secret>"]);
}

#[test]
fn a_new_text_comes_in_pieces() {
    let splices = [splice(0..1, "xyz"), splice(2..2, ""), splice(3..4, "-")];
    let joined = |window| spliced_pieces("abcdé", window, &splices).collect::<String>();
    assert_eq!(joined(0..6), "xyzbc-é");
    assert_eq!(joined(0..4), "xyzbc-");
}

#[test]
fn a_hundred_thousand_changed_lines_are_diffed() {
    let lines = |word: &str| -> String {
        let line = |n| format!("stream {n} {{\n  {word} {};\n}}\n", n % 7);
        (0..100_000).map(line).collect()
    };
    let (old, new) = (lines("title"), lines("comment"));
    let hunks = hunks_of_texts(&old, &new);
    let tags = hunks.iter().flat_map(|hunk| hunk.lines([&old, &new])).map(|(tag, _)| tag);
    assert_eq!(tags.filter(|tag| *tag != ChangeTag::Equal).count(), 200_000);
    assert_eq!(hunks.iter().flat_map(Hunk::added_and_removed).sum::<usize>(), 200_000);
}

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

fn text() -> impl Strategy<Value = String> {
    "([abé}]{0,2}\r?\n){0,40}[ab]?"
}

/// Splices of `old` out of arbitrary numbers.
fn splices(old: &str, cuts: &[(usize, usize, String)]) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut from = 0;
    for (skip, len, text) in cuts {
        let start = boundary(old, from + skip);
        let end = boundary(old, start + len);
        splices.push(splice(start..end, text));
        from = end;
    }
    splices
}

/// The last place between characters up to `at`.
fn boundary(text: &str, at: usize) -> usize {
    let places = (0..=at.min(text.len())).rev();
    let mut boundaries = places.filter(|place| text.is_char_boundary(*place));
    boundaries.next().expect("0 is one")
}

/// A diff leads from the old to the new text, and its spans are true.
fn check(hunks: &[Hunk], old: &str, new: &str) {
    let text = diff(hunks, old, new);
    assert_eq!(apply(old, &text), new, "{text}");
    assert_eq!(hunks.is_empty(), old == new);
    hunks
        .iter()
        .for_each(|hunk| check_context(&hunk.lines([old, new]).map(|(tag, _)| tag).collect::<Vec<_>>()));
}

/// Changes stand at most three lines from the edge of their hunk and six from each other.
fn check_context(tags: &[ChangeTag]) {
    let is_change = |tag: &ChangeTag| *tag != ChangeTag::Equal;
    let stretches: Vec<usize> = tags.split(is_change).map(<[ChangeTag]>::len).collect();
    let (first, last) = (stretches[0], stretches[stretches.len() - 1]);
    assert!(stretches.len() > 1, "a hunk changes something");
    assert!(first.max(last) <= CONTEXT_LINES);
    assert!(stretches.iter().all(|lines| *lines <= 2 * CONTEXT_LINES));
}

proptest! {
    #[test]
    fn the_diff_of_two_texts_leads_from_one_to_the_other(old in text(), new in text()) {
        check(&hunks_of_texts(&old, &new), &old, &new);
    }

    #[test]
    fn the_diff_of_splices_leads_to_the_new_text(
        old in text(),
        cuts in proptest::collection::vec((0..40_usize, 0..5_usize, "[a}\r\n]{0,4}"), 0..5),
    ) {
        let splices = splices(&old, &cuts);
        let new: String = spliced_pieces(&old, 0..old.len(), &splices).collect();
        check(&hunks_of_splices(&old, &splices), &old, &new);
        check(&hunks_of_texts(&old, &new), &old, &new);
    }
}

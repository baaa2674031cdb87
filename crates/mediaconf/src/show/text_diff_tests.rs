use proptest::prelude::{Strategy, proptest};

use super::CONTEXT_LINES;
use crate::secret::Masker;
use crate::syntax::Document;

fn text_diff(old: &str, new: &str) -> String {
    let lines = unmasked(old, new);
    let names = if lines.is_empty() { "" } else { "--- a\n+++ b\n" };
    names.to_owned() + &lines.into_iter().map(|line| line + "\n").collect::<String>()
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

fn unmasked(old: &str, new: &str) -> Vec<String> {
    Document::parse(old).unified_diff(&Document::parse(new), Masker::Off)
}

/// That it leads from one text to the other is a law below; these are its form.
#[test]
fn a_diff_has_the_form_that_patch_reads() {
    const BARE: &str = "\\ No newline at end of file\n";
    for (old, new, body) in [
        ("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\nV\n6\n7\n", "@@ -2,6 +2,6 @@\n 2\n 3\n 4\n-5\n+V\n 6\n 7\n"),
        ("a\nb", "a\nb", ""),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"),
        ("a", "a\n", &format!("@@ -1 +1 @@\n-a\n{BARE}+a\n")),
        ("a\nz", "b\nz", &format!("@@ -1,2 +1,2 @@\n-a\n+b\n z\n{BARE}")),
        ("a\r\nb\r\n", "a\r\nc\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n"),
        ("a\nb\nc\n", "x\ny\nc\n", "@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n"),
    ] {
        let names = if body.is_empty() { "" } else { "--- a\n+++ b\n" };
        assert_eq!(text_diff(old, new), format!("{names}{body}"));
    }
    // Hunks are one where their lines around the changes meet.
    let old: String = (1..30).map(|n| format!("{n}\n")).collect();
    for (second, headers) in
        [("17", &["@@ -7,14 +7,16 @@"][..]), ("18", &["@@ -7,7 +7,8 @@", "@@ -15,7 +16,8 @@"])]
    {
        let new = old.replace("\n10\n", "\nx\nx\n").replace(&format!("\n{second}\n"), "\ny\ny\n");
        let mut lines = unmasked(&old, &new);
        lines.retain(|line| line.starts_with("@@"));
        assert_eq!(lines, headers);
    }
}

#[test]
fn secrets_are_masked_after_the_lines_are_compared() {
    let [old, new] = ["a", "b"].map(|secret| Document::parse(format!("edit_auth admin {secret};\n")));
    let lines = old.unified_diff(&new, Masker::Opaque);
    let masked = "edit_auth admin <secret:000000>;";
    assert_eq!(lines, ["@@ -1 +1 @@".to_owned(), format!("-{masked}"), format!("+{masked}")]);
    assert_eq!(old.unified_diff(&new, Masker::Off), unmasked(old.text(), new.text()));
}

#[test]
fn a_hundred_thousand_changed_lines_are_diffed() {
    let lines = |word: &str| -> String {
        let line = |n| format!("stream {n} {{\n  {word} {};\n}}\n", n % 7);
        (0..100_000).map(line).collect()
    };
    let (old, new) = (lines("title"), lines("comment"));
    let lines = unmasked(&old, &new);
    assert_eq!(lines.iter().filter(|line| line.starts_with(['-', '+'])).count(), 200_000);
}

fn text() -> impl Strategy<Value = String> {
    "([abé}]{0,2}\r?\n){0,40}[ab]?"
}

/// Changes stand at most three lines from the edge of their hunk and six from each other.
fn check_context(hunk: &[String]) {
    let lines: Vec<&String> = hunk.iter().filter(|line| !line.starts_with(['@', '\\'])).collect();
    let stretches: Vec<usize> = lines.split(|line| !line.starts_with(' ')).map(<[_]>::len).collect();
    let (first, last) = (stretches[0], stretches[stretches.len() - 1]);
    assert!(stretches.len() > 1, "a hunk changes something");
    assert!(first.max(last) <= CONTEXT_LINES);
    assert!(stretches.iter().all(|lines| *lines <= 2 * CONTEXT_LINES));
}

proptest! {
    #[test]
    fn the_diff_of_two_texts_leads_from_one_to_the_other(old in text(), new in text()) {
        let text = text_diff(&old, &new);
        assert_eq!(apply(&old, &text), new, "{text}");
        let lines = unmasked(&old, &new);
        assert_eq!(lines.is_empty(), old == new);
        let starts = lines.iter().enumerate().filter(|(_, line)| line.starts_with('@')).map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain([lines.len()]).collect();
        starts.windows(2).for_each(|ends| check_context(&lines[ends[0]..ends[1]]));
    }
}

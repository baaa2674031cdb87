//! The comments on top of a draft while it has faults. They are taken out again.

use std::borrow::Cow;

use bytes::Bytes;

/// Every line of these comments begins with this, after blanks; no other line should.
const MARK: &str = "#:";

/// The last line of these comments.
const END: &str = "#: ---- the text begins below; these lines are taken out again ----";

/// Returns the number of lines that `notes` take at the top of a draft.
pub fn height(notes: &[String]) -> usize {
    if notes.is_empty() { 0 } else { notes.len() + 1 }
}

/// Returns the draft with `notes`, one line each, as comments on top.
pub fn with_comments<'t>(text: &'t [u8], notes: &[String]) -> Cow<'t, [u8]> {
    if notes.is_empty() {
        return text.into();
    }
    let end = line_end_of(text);
    let lines = notes.iter().map(|note| format!("{MARK} {note}{end}")).chain([format!("{END}{end}")]);
    lines.flat_map(String::into_bytes).chain(text.iter().copied()).collect()
}

/// Returns the draft without such comments, whatever an editor made of them: a line that was put between
/// them stays.
pub fn without_comments(text: Bytes) -> Bytes {
    let lines = || text.split_inclusive(|byte| *byte == b'\n');
    let is_mark = |line: &&[u8]| line.trim_ascii_start().starts_with(MARK.as_bytes());
    let head: usize = match lines().position(|line| line.trim_ascii() == END.as_bytes()) {
        Some(end) => lines().take(end + 1).map(<[u8]>::len).sum(),
        // Without its end, the head reaches as far as there are such lines.
        None => lines().take_while(is_mark).map(<[u8]>::len).sum(),
    };
    if head == 0 {
        return text;
    }
    let (head, rest) = text.split_at(head);
    let kept: Vec<&[u8]> =
        head.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_mark(line)).chain([rest]).collect();
    kept.concat().into()
}

fn line_end_of(text: &[u8]) -> &'static str {
    let first = text.iter().position(|byte| *byte == b'\n');
    if first.is_some_and(|at| text[..at].ends_with(b"\r")) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_on_top_is_taken_out_again() {
        let notes = ["2 errors".to_owned(), "line 4: error: unclosed quote".to_owned()];
        for text in ["", "\n", "http 80;\n", "# a\r\nhttp 80;", "\u{feff}# first\n#: mine\n", "caf\u{e9};"] {
            let shown = Bytes::from(with_comments(text.as_bytes(), &notes).into_owned());
            assert_eq!(without_comments(shown.clone()), text.as_bytes(), "{text}");
            assert_eq!(shown.split(|byte| *byte == b'\n').count(), text.split('\n').count() + height(&notes));
            assert_eq!(&*with_comments(text.as_bytes(), &[]), text.as_bytes());
        }
        assert_eq!(without_comments(Bytes::from_static(b"caf\xe9 #: x;\n")), &b"caf\xe9 #: x;\n"[..]);
    }

    #[test]
    fn an_editor_may_change_them() {
        let shown = with_comments(b"a;\n", &["one".to_owned(), "two".to_owned()]);
        let shown = String::from_utf8(shown.into_owned()).expect("it is text");
        for (edited, text) in [
            (shown.replace("#: one\n", ""), "a;\n"),
            (shown.replace("#: one\n", "b;\n#: one\n\n"), "b;\n\na;\n"),
            (shown.replace("#: one", "   #: one"), "a;\n"),
            (shown.replace(END, ""), "\na;\n"),
            (shown.replace(&format!("{END}\n"), ""), "a;\n"),
        ] {
            assert_eq!(without_comments(edited.clone().into()), text.as_bytes(), "{edited}");
        }
    }
}

//! Runs the user's text editor, and puts the faults of a draft on top of it, as comments that are taken out again.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use bytes::Bytes;

use crate::cli::interrupt::LastWords;
use crate::cli::ui::Ui;
use mediaconf::{Fault, one_line};

/// The editor where the environment names none.
const DEFAULT_EDITOR: &str = "vi";

/// Editors that take `+LINE` in front of the file.
const TAKE_LINE: &str = "emacs emacsclient gvim jed joe kak mg micro nano ne nvim pico vi view vim vim.basic \
                         vim.nox vim.tiny vis zile";

/// The editor as the environment names it, a command of the shell: `$VISUAL`, else `$EDITOR`, else `vi`.
pub fn command() -> String {
    let given = |name| std::env::var(name).ok().filter(|command| !command.trim().is_empty());
    given("VISUAL").or_else(|| given("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned())
}

/// Opens a file, at a line (from 1) if the editor is known to take one, and waits until the editor
/// ends. `last_words` is printed if a signal ends the program meanwhile.
///
/// # Errors
/// If the shell can't be started.
pub fn open(editor: &str, file: &Path, line: usize, last_words: String, ui: Ui) -> io::Result<ExitStatus> {
    let mut command = Command::new("sh");
    // As git does it, so that the command may have options, quotes and variables.
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor);
    if line > 1 && takes_line(editor) {
        command.arg(format!("+{line}"));
    }
    let _signals = LastWords::while_editing(ui, last_words);
    command.arg(file).status()
}

fn takes_line(editor: &str) -> bool {
    let program = editor.split_whitespace().next().map(Path::new).and_then(Path::file_name);
    program.and_then(OsStr::to_str).is_some_and(|name| TAKE_LINE.split(' ').any(|known| known == name))
}

/// Every line of the comments begins with this, after blanks; no other line should.
const MARK: &str = "#:";

/// The last line of the comments.
const END: &str = "#: ---- the text begins below; these lines are taken out again ----";

/// Returns a draft with its faults on top, and the line of the first fault. The lines that the comments name are those of
/// the draft below them.
pub fn with_faults(text: &[u8], faults: &[Fault]) -> (Vec<u8>, usize) {
    if faults.is_empty() {
        return (text.to_vec(), 1);
    }
    let title = "mediactl: the text below can't be the configuration yet".to_owned();
    let lines = |above: usize| -> Vec<String> {
        let of_fault = |fault: &Fault| {
            let place = fault.line.map_or(String::new(), |line| format!("line {}: ", line + above));
            let hint = fault.hint.as_ref().map(|hint| one_line(&format!("  hint: {hint}")));
            std::iter::once(one_line(&format!("{place}{}", fault.message))).chain(hint)
        };
        std::iter::once(title.clone()).chain(faults.iter().flat_map(of_fault)).collect()
    };
    // The end is a line, too.
    let above = lines(0).len() + 1;
    let line = faults.iter().find_map(|fault| fault.line).map_or(1, |line| line + above);
    (with_comments(text, &lines(above)), line)
}

fn with_comments(text: &[u8], comments: &[String]) -> Vec<u8> {
    let first = text.iter().position(|byte| *byte == b'\n');
    let end = if first.is_some_and(|at| text[..at].ends_with(b"\r")) { "\r\n" } else { "\n" };
    let lines = comments.iter().map(|line| format!("{MARK} {line}{end}")).chain([format!("{END}{end}")]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_editors_get_a_line() {
        for (command, takes_line) in [
            ("vi", true),
            ("/usr/bin/vim -n", true),
            ("nano --nohelp", true),
            ("code --wait", false),
            ("sed -i s/a/b/", false),
            ("", false),
        ] {
            assert_eq!(super::takes_line(command), takes_line, "{command}");
        }
    }

    #[test]
    fn what_was_put_on_top_is_taken_out_again() {
        let notes = ["2 errors".to_owned(), "line 4: error: unclosed quote".to_owned()];
        for text in ["", "\n", "http 80;\n", "# a\r\nhttp 80;", "\u{feff}# first\n#: mine\n", "caf\u{e9};"] {
            let shown = Bytes::from(with_comments(text.as_bytes(), &notes));
            assert_eq!(without_comments(shown.clone()), text.as_bytes(), "{text}");
            assert_eq!(
                shown.split(|byte| *byte == b'\n').count(),
                text.split('\n').count() + notes.len() + 1
            );
        }
        assert_eq!(without_comments(Bytes::from_static(b"caf\xe9 #: x;\n")), &b"caf\xe9 #: x;\n"[..]);
    }

    #[test]
    fn an_editor_may_change_them() {
        let shown = with_comments(b"a;\n", &["one".to_owned(), "two".to_owned()]);
        let shown = String::from_utf8(shown).expect("it is text");
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

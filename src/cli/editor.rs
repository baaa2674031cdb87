//! Runs the user's text editor.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::cli::interrupt::EditorSignals;
use crate::cli::ui::Ui;

/// The editor where the environment names none.
const DEFAULT_EDITOR: &str = "vi";

/// Editors that take `+LINE` in front of the file.
const TAKE_LINE: &[&str] = &[
    "emacs",
    "emacsclient",
    "gvim",
    "jed",
    "joe",
    "kak",
    "mg",
    "micro",
    "nano",
    "ne",
    "nvim",
    "pico",
    "vi",
    "view",
    "vim",
    "vim.basic",
    "vim.nox",
    "vim.tiny",
    "vis",
    "zile",
];

/// The editor as the environment names it: a command of the shell.
pub struct Editor(String);

impl Editor {
    /// `$VISUAL`, else `$EDITOR`, else `vi`.
    pub fn from_environment() -> Self {
        let given = |name| std::env::var(name).ok().filter(|command| !command.trim().is_empty());
        Self(given("VISUAL").or_else(|| given("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned()))
    }

    /// The command, for messages.
    pub fn command(&self) -> &str {
        &self.0
    }

    /// Opens a file, at a line (from 1) if the editor is known to take one, and waits until the editor
    /// ends. `last_words` is printed if a signal ends the program meanwhile.
    ///
    /// # Errors
    /// If the shell can't be started.
    pub fn open(&self, file: &Path, line: usize, last_words: String, ui: Ui) -> io::Result<ExitStatus> {
        let mut command = Command::new("sh");
        // As git does it, so that the command may have options, quotes and variables.
        command.arg("-c").arg(format!("{} \"$@\"", self.0)).arg(&self.0);
        if line > 1 && self.takes_line() {
            command.arg(format!("+{line}"));
        }
        let _signals = EditorSignals::new(ui, last_words);
        command.arg(file).status()
    }

    fn takes_line(&self) -> bool {
        let program = self.0.split_whitespace().next().map(Path::new).and_then(Path::file_name);
        program.and_then(OsStr::to_str).is_some_and(|name| TAKE_LINE.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::Editor;

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
            assert_eq!(Editor(command.to_owned()).takes_line(), takes_line, "{command}");
        }
    }
}

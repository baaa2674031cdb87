//! Runs the user's text editor.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::cli::interrupt::LastWords;
use crate::cli::ui::Ui;

/// The editor where the environment names none.
const DEFAULT_EDITOR: &str = "vi";

/// The editor as the environment names it, a command of the shell: `$VISUAL`, else `$EDITOR`, else `vi`.
pub fn command() -> String {
    let given = |name| std::env::var(name).ok().filter(|command| !command.trim().is_empty());
    given("VISUAL").or_else(|| given("EDITOR")).unwrap_or_else(|| DEFAULT_EDITOR.to_owned())
}

/// Opens a file, and waits until the editor ends. `last_words` is printed if a signal ends the program meanwhile.
///
/// # Errors
/// If the shell can't be started.
pub fn open(editor: &str, file: &Path, last_words: String, ui: Ui) -> io::Result<ExitStatus> {
    let mut command = Command::new("sh");
    // As git does it, so that the command may have options, quotes and variables.
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor);
    let _signals = LastWords::while_editing(ui, last_words);
    command.arg(file).status()
}

//! The completions for shells.

use clap_complete::{Shell, generate};

/// The name and the text of each script.
pub fn completions() -> Vec<(String, String)> {
    [(Shell::Bash, "mediactl.bash"), (Shell::Zsh, "_mediactl"), (Shell::Fish, "mediactl.fish")]
        .map(|(shell, name)| {
            let mut script = Vec::new();
            generate(shell, &mut mediactl::cli::command(), "mediactl", &mut script);
            (name.to_owned(), String::from_utf8(script).expect("a completion is text"))
        })
        .into()
}

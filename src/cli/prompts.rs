//! Questions on the terminal. Each returns `None` if there is no terminal to ask on.

use std::io::{self, IsTerminal};

use dialoguer::{Input, Password};

use mediaconf::plumbing::syntax::printable;

/// True if a person can be asked: stdin and stderr are terminals.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question about a change; anything but `y` and `yes` is a no.
pub fn confirm(question: &str) -> io::Result<Option<bool>> {
    // `dialoguer::Confirm` hides the cursor, and an interrupt would leave it hidden.
    let answer = line(&format!("{} [y/N]", printable(question)))?;
    Ok(answer.map(|answer| matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
}

/// Asks for a line that is no secret.
pub fn line(prompt: &str) -> io::Result<Option<String>> {
    ask(|| Input::new().with_prompt(prompt).allow_empty(true).interact())
}

/// Asks for a secret.
pub fn secret(prompt: &str) -> io::Result<Option<String>> {
    ask(|| Password::new().with_prompt(prompt).allow_empty_password(true).interact())
}

/// Asks for a new secret, which has to be typed twice.
pub fn new_secret(prompt: &str) -> io::Result<Option<String>> {
    ask(|| Password::new().with_prompt(prompt).with_confirmation("again", "the two differ").interact())
}

fn ask<T>(prompt: impl FnOnce() -> dialoguer::Result<T>) -> io::Result<Option<T>> {
    if !can_ask() {
        return Ok(None);
    }
    prompt().map(Some).map_err(|dialoguer::Error::IO(error)| error)
}

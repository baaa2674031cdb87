//! Questions on the terminal. Each returns `None` if there is no terminal to ask on, or no answer: the input ends
//! (Ctrl-D).

use std::io::{self, IsTerminal, Write};

use dialoguer::Password;

use crate::cli::ui;
use crate::progress;
use mediaconf::printable;

/// True if somebody may answer questions.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question about a change; anything but `y` and `yes` is a no. `None` only without a terminal.
pub fn confirm(question: &str) -> io::Result<Option<bool>> {
    if !can_ask() {
        return Ok(None);
    }
    let answer = line(&format!("{} [y/N]", printable(question)))?.unwrap_or_default();
    Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
}

/// Asks for a line that is no secret. `dialoguer::Input` ignores the end of the input.
pub fn line(prompt: &str) -> io::Result<Option<String>> {
    if !can_ask() {
        return Ok(None);
    }
    let _asked = progress::step("");
    ui::end_progress();
    write!(io::stderr(), "{prompt}: ")?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    // The input may end before the line does.
    let line = line.strip_suffix('\n').map(|line| line.trim_end_matches('\r').to_owned());
    if line.is_none() {
        writeln!(io::stderr())?;
    }
    Ok(line)
}

/// Asks for a secret. An empty one is no answer: it can't be told from the end of the input.
pub fn secret(prompt: &str) -> io::Result<Option<String>> {
    if !can_ask() {
        return Ok(None);
    }
    let _asked = progress::step("");
    ui::end_progress();
    let asked = Password::new().with_prompt(prompt).allow_empty_password(true).report(false).interact();
    let secret = asked.map_err(|dialoguer::Error::IO(error)| error)?;
    Ok(Some(secret).filter(|secret| !secret.is_empty()))
}

/// Asks for a new secret, which has to be typed twice.
pub fn new_secret(prompt: &str) -> io::Result<Option<String>> {
    loop {
        let Some(first) = secret(prompt)? else { return Ok(None) };
        match secret("again")? {
            Some(second) if second != first => {
                writeln!(io::stderr(), "error: the two passwords are not the same")?
            }
            second => return Ok(second),
        }
    }
}

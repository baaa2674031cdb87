//! Questions on the terminal. Each returns `None` if there is no terminal to ask on, or if the input ends (Ctrl-D)
//! before the answer.

use std::io::{self, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use mediaconf::plumbing::syntax::printable;

/// True if a person can be asked: stdin and stderr are terminals.
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

/// Asks for a line that is no secret.
pub fn line(prompt: &str) -> io::Result<Option<String>> {
    if can_ask() { answer(prompt) } else { Ok(None) }
}

/// Asks for a secret.
pub fn secret(prompt: &str) -> io::Result<Option<String>> {
    if !can_ask() {
        return Ok(None);
    }
    let _hidden = HiddenInput::begin()?;
    let secret = answer(prompt)?;
    // The line end that was typed was not shown. Nothing is: the one at the end of the input is written with it.
    if secret.is_some() {
        writeln!(io::stderr())?;
    }
    Ok(secret)
}

/// Asks for a new secret, which has to be typed twice.
pub fn new_secret(prompt: &str) -> io::Result<Option<String>> {
    loop {
        let Some(first) = secret(prompt)? else { return Ok(None) };
        if first.is_empty() {
            continue;
        }
        match secret("again")? {
            Some(second) if second != first => writeln!(io::stderr(), "error: the two differ")?,
            second => return Ok(second),
        }
    }
}

/// Shows a prompt, and reads the line behind it.
fn answer(prompt: &str) -> io::Result<Option<String>> {
    let mut line = String::new();
    write!(io::stderr(), "{prompt}: ")?;
    if io::stdin().read_line(&mut line)? == 0 {
        writeln!(io::stderr())?;
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

/// As long as this value lives, the terminal does not show what is typed.
struct HiddenInput(Termios);

impl HiddenInput {
    fn begin() -> io::Result<Self> {
        let modes = tcgetattr(io::stdin())?;
        let mut hidden = modes.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        Ok(Self(modes))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

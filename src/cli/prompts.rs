//! Questions on the terminal. Each returns `None` if there is no terminal to ask on, or no answer: the input ends
//! (Ctrl-D).

use std::io::{self, IsTerminal, Write};

use dialoguer::Password;

use crate::cli::ui;
use crate::error::{Error, ErrorKind};
use crate::progress;
use mediaconf::printable;

/// True if somebody may answer questions.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question about a change; anything but `y` and `yes` is a no, and so is no terminal.
pub fn confirm(question: &str) -> Result<bool, Error> {
    Ok(matches!(&*answer(&format!("{} [y/N]", printable(question)))?, "y" | "yes"))
}

/// Refuses to do `what` unless a question about it is answered with yes.
pub fn agree(question: &str, what: impl Into<String>, hint: &str) -> Result<(), Error> {
    if confirm(question)? { Ok(()) } else { Err(Error::new(ErrorKind::Guarded, what).hint(hint)) }
}

/// What was answered to a question, in lower case.
pub fn answer(question: &str) -> Result<String, Error> {
    Ok(line(question)?.unwrap_or_default().trim().to_lowercase())
}

/// Asks for a line that is no secret. `dialoguer::Input` ignores the end of the input.
pub fn line(prompt: &str) -> Result<Option<String>, Error> {
    asked(|| {
        write!(io::stderr(), "{prompt}: ")?;
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        // The input may end before the line does.
        let line = line.strip_suffix('\n').map(|line| line.trim_end_matches('\r').to_owned());
        if line.is_none() {
            writeln!(io::stderr())?;
        }
        Ok(line)
    })
}

/// Asks for a secret. An empty one is no answer: it can't be told from the end of the input.
pub fn secret(prompt: &str) -> Result<Option<String>, Error> {
    asked(|| {
        let asked = Password::new().with_prompt(prompt).allow_empty_password(true).report(false).interact();
        let secret = asked.map_err(|dialoguer::Error::IO(error)| error)?;
        Ok(Some(secret).filter(|secret| !secret.is_empty()))
    })
}

/// Asks for a new secret, which has to be typed twice.
pub fn new_secret(prompt: &str) -> Result<Option<String>, Error> {
    loop {
        let first = secret(prompt)?;
        let second = if first.is_some() { secret("again")? } else { None };
        if second.is_none() || second == first {
            return Ok(second);
        }
        // Whoever types sees it in any case that the question comes again.
        let _ = writeln!(io::stderr(), "error: the two passwords are not the same");
    }
}

/// Asks where there is a terminal to ask on, and no progress is shown.
fn asked(ask: impl FnOnce() -> io::Result<Option<String>>) -> Result<Option<String>, Error> {
    if !can_ask() {
        return Ok(None);
    }
    let _asked = progress::step("");
    ui::end_progress();
    ask().map_err(|source| Error::of_system(ErrorKind::Failed, "cannot ask", &source))
}

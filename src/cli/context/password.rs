//! The command that prints a password.

use std::io::{self, IsTerminal};
use std::process::{Command, Stdio};

use super::contexts::ServerContext;
use crate::cli::error::CliError;
use crate::engine::HIDDEN_ENVIRONMENT;

/// Runs the password command of a context, if it has one; the first line that it prints is the password.
///
/// It may ask the user, as password managers do, so it has the terminal and all the time it takes.
/// Without a terminal it gets no input: that belongs to the change.
pub fn password(context: &ServerContext) -> Result<Option<String>, CliError> {
    let Some(command) = &context.password_command else { return Ok(None) };
    let failed = |reason: String| CliError::no_password(&context.name, &reason);
    let stdin = if io::stdin().is_terminal() { Stdio::inherit() } else { Stdio::null() };
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit());
    HIDDEN_ENVIRONMENT.iter().for_each(|name| {
        shell.env_remove(name);
    });
    let output = shell.spawn().and_then(|child| child.wait_with_output());
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let text =
        String::from_utf8(output.stdout).map_err(|_| failed("what it prints is not UTF-8".to_owned()))?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(Some(line.to_owned())),
        None => Err(failed("it printed nothing".to_owned())),
    }
}

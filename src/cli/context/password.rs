//! The command that prints a password.

use std::io::{self, IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::ServerContext;
use crate::engine::HIDDEN_ENVIRONMENT;
use crate::error::{Error, ErrorKind};
use mediaconf::printable;

/// The time that a password command may be silent before the user gets a message.
const SILENCE: Duration = Duration::from_secs(5);

/// The further time that it may take if there is no terminal, and so nobody whom it could ask.
const LONGEST_WAIT: Duration = Duration::from_secs(25);

/// Runs the password command of a context, if it has one; the first line that it prints is the password.
///
/// It may ask the user, as password managers do, so it has the terminal and all the time it takes.
/// Without a terminal it gets no input: that belongs to the change.
pub fn password(context: &ServerContext) -> Result<Option<String>, Error> {
    let Some(command) = &context.password_command else { return Ok(None) };
    let is_asking = io::stdin().is_terminal() || io::stderr().is_terminal();
    let rest = (!is_asking).then_some(LONGEST_WAIT);
    let name = &context.name;
    let told = || {
        // A closed stderr is no error.
        let _ = writeln!(
            io::stderr(),
            "waiting for the password command of context `{}`, which has been silent for {} s",
            printable(name),
            SILENCE.as_secs()
        );
    };
    printed(command, SILENCE, rest, told).map(Some).map_err(|reason| {
        let message = format!("the password command of context `{name}` failed: {reason}");
        Error::new(ErrorKind::Denied, message).hint("nothing was sent")
    })
}

/// The first line that a command prints, or why there is none. `tell` is called when it was silent for the first time;
/// after the `rest` from then on, if there is a limit, it is ended with all that it started.
fn printed(
    command: &str,
    silence: Duration,
    rest: Option<Duration>,
    tell: impl FnOnce(),
) -> Result<String, String> {
    let stdin = if io::stdin().is_terminal() { Stdio::inherit() } else { Stdio::null() };
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit());
    HIDDEN_ENVIRONMENT.iter().for_each(|name| {
        shell.env_remove(name);
    });
    if rest.is_some() {
        // On a terminal it has to stay in the foreground.
        shell.process_group(0);
    }
    let child = shell.spawn().map_err(|error| error.to_string())?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    let mut output = ended.recv_timeout(silence);
    if matches!(output, Err(RecvTimeoutError::Timeout)) {
        tell();
        output = match rest {
            Some(rest) => ended.recv_timeout(rest),
            None => ended.recv().map_err(RecvTimeoutError::from),
        };
    }
    let Ok(output) = output else {
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let most = silence + rest.unwrap_or_default();
        return Err(format!("it was silent for {} s and was ended", most.as_secs_f32()));
    };
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(output.status.to_string());
    }
    let text = String::from_utf8(output.stdout).map_err(|_| "what it prints is not UTF-8".to_owned())?;
    let line = text.lines().next().filter(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| "it printed nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    use super::printed;

    const LONG: Duration = Duration::from_secs(600);

    fn told(command: &str, silence: Duration, rest: Option<Duration>) -> (Result<String, String>, bool) {
        let is_told = Cell::new(false);
        let printed = printed(command, silence, rest, || is_told.set(true));
        (printed, is_told.get())
    }

    #[test]
    fn a_silent_command_is_told_and_ended_with_all_that_it_started() {
        let moment = Duration::from_millis(20);
        assert_eq!(told("echo hush; echo more", LONG, Some(LONG)), (Ok("hush".to_owned()), false));
        assert_eq!(told("read x; echo hush", LONG, None), (Ok("hush".to_owned()), false), "it gets no input");
        let slow = "until [ -e /nowhere ]; do sleep 0.1; test -n \"$N\" && break; N=1; done; echo hush";
        assert_eq!(told(slow, moment, None), (Ok("hush".to_owned()), true));
        let start = Instant::now();
        let (result, is_told) = told("sleep 600 & sleep 600", moment, Some(moment));
        assert_eq!((result, is_told), (Err("it was silent for 0.04 s and was ended".to_owned()), true));
        assert!(start.elapsed() < LONG);
    }
}

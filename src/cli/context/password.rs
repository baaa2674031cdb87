//! The command that prints a password.

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};

use super::ServerContext;
use crate::engine::HIDDEN_ENVIRONMENT;
use crate::error::{Error, ErrorKind};

/// The time that a password command may take if there is no terminal, and so nobody whom it could ask.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What a command printed, or why it has no password; empty while it runs.
type Printed = Arc<OnceLock<Result<String, String>>>;

/// The commands that were run. Many contexts have the same one.
static KNOWN: LazyLock<Mutex<HashMap<String, Printed>>> = LazyLock::new(Mutex::default);

/// Runs the password command of a context, if it has one; the first line that it prints is the password. Equal commands are
/// run once.
///
/// It may ask the user, as password managers do, so it has the terminal and all the time it takes.
/// Without a terminal it gets no input: that belongs to the change.
pub fn password(context: &ServerContext) -> Result<Option<String>, Error> {
    let Some(command) = &context.password_command else { return Ok(None) };
    let failed = |reason: &str, hint| {
        let message = format!("the password command of context `{}` {reason}", context.name);
        Error::new(ErrorKind::Denied, message).hint(hint)
    };
    if let Some(mended_by) = &context.mended_by {
        return Err(failed("is not run: others may write the file that has it", format!("`{mended_by}`")));
    }
    let may_ask = io::stdin().is_terminal() || io::stderr().is_terminal();
    let known = KNOWN.lock().entry(command.clone()).or_default().clone();
    let printed = known.get_or_init(|| printed(command, (!may_ask).then_some(LONGEST_WAIT)));
    let printed = printed.clone().map(Some);
    printed.map_err(|reason| failed(&format!("failed: {reason}"), "nothing was sent".to_owned()))
}

/// The first line that a command prints, or why there is none. After `most`, if there is a limit, it is ended with all
/// that it started.
fn printed(command: &str, most: Option<Duration>) -> Result<String, String> {
    let stdin = if io::stdin().is_terminal() { Stdio::inherit() } else { Stdio::null() };
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit());
    HIDDEN_ENVIRONMENT.iter().for_each(|name| {
        shell.env_remove(name);
    });
    if most.is_some() {
        // On a terminal it has to stay in the foreground.
        shell.process_group(0);
    }
    let child = shell.spawn().map_err(|error| error.to_string())?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    let output = most.map_or_else(|| ended.recv().ok(), |most| ended.recv_timeout(most).ok());
    let Some(output) = output else {
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let seconds = most.unwrap_or_default().as_secs_f32();
        return Err(format!("it was silent for {seconds} s and was ended"));
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
    use std::time::{Duration, Instant};

    use super::printed;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_silent_command_is_ended_with_all_that_it_started() {
        let moment = Duration::from_millis(20);
        assert_eq!(printed("echo hush; echo more", Some(LONG)), Ok("hush".to_owned()));
        assert_eq!(printed("read x; echo hush", None), Ok("hush".to_owned()), "it gets no input");
        let start = Instant::now();
        let ended = printed("sleep 600 & sleep 600", Some(moment));
        assert_eq!(ended, Err("it was silent for 0.02 s and was ended".to_owned()));
        assert!(start.elapsed() < LONG);
    }
}

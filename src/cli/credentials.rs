//! Finds the login and the password for a server, and decides which server may get them.
//!
//! In the order of precedence: `--user` with `--password-file`, the URL on the command line,
//! MEDIACTL_LOGIN with MEDIACTL_PASSWORD, the URL in MEDIACTL_URL. If MEDIACTL_URL is set, the variables
//! belong to its scheme, host and port, and no other server gets them.
//!
//! A context has its own login and password command, for the scheme, host and port of its URL. The
//! variables are not looked at then.
//!
//! Where a server wants to see more, [`RemoteHost`] asks on the terminal.

use std::any::Any;
use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::cli::args::global::{NamedBy, RemoteArgs};
use crate::cli::context::ServerContext;
use crate::cli::input;
use crate::cli::interrupt::LastWords;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::HIDDEN_ENVIRONMENT;
use crate::error::{Error, ErrorKind};
use crate::http::client::{Credentials, Endpoint, Host, UserInfo};

/// Whose server it is that gets the credentials.
pub enum Owner {
    /// An option or a variable names it.
    Named(NamedBy),
    Context(Box<ServerContext>),
    /// It is another server than that of the context in use.
    Nobody,
}

impl Owner {
    pub fn context(&self) -> Option<&ServerContext> {
        if let Self::Context(context) = self { Some(context) } else { None }
    }
}

/// The login and the password that were given; either may be missing.
#[derive(Debug, Default)]
pub struct KnownCredentials {
    /// The login; a prompt for the password shows it.
    pub login: Option<String>,
    pub password: Option<String>,
}

impl KnownCredentials {
    /// Collects the credentials for a server at an endpoint, which a configuration in etcd does not have, and whose URL
    /// contained `login` and `password`. The password command of a context is run unless an option gives the password, or
    /// another login.
    pub fn find(
        options: &RemoteArgs,
        (login, password): UserInfo,
        owner: &Owner,
        endpoint: Option<&Endpoint>,
    ) -> Result<Self, Error> {
        let in_file = options.password_file.as_deref().map(password_in).transpose()?;
        let given = Self { login: options.user.clone(), password: in_file };
        let login = filled(login);
        // A password without a login is not used.
        let url = Self { password: filled(password).filter(|_| login.is_some()), login };
        let further = match owner {
            Owner::Nobody => [url, Self::default()],
            Owner::Context(context) => {
                let login = context.login.clone().or_else(|| url.login.clone());
                let is_other = given.login.is_some() && login.is_some() && given.login != login;
                let is_known = given.password.is_some() || is_other;
                let password = if is_known { None } else { password_of(context)? };
                [Self { login, password }, url]
            }
            Owner::Named(by) => {
                let is_its = variable("MEDIACTL_URL").is_none_or(|url| {
                    endpoint
                        .is_some_and(|endpoint| *by == NamedBy::Environment || endpoint.is_same_origin(&url))
                });
                let its = |name| variable(name).filter(|_| is_its);
                let environment = Self { login: its("MEDIACTL_LOGIN"), password: its("MEDIACTL_PASSWORD") };
                if *by == NamedBy::CommandLine { [url, environment] } else { [environment, url] }
            }
        };
        Ok(further.into_iter().fold(given, Self::or))
    }

    /// Fills in the missing values. A password that belongs to a different login is not used.
    fn or(self, other: Self) -> Self {
        let is_same = self.login.is_none() || other.login.is_none() || self.login == other.login;
        let password = self.password.or(other.password.filter(|_| is_same));
        Self { login: self.login.or(other.login), password }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().and_then(filled)
}

fn filled(value: String) -> Option<String> {
    Some(value).filter(|value| !value.is_empty())
}

/// Reads the first line of a file.
fn password_in(file: &Path) -> Result<String, Error> {
    let message = || format!("`{}` is not UTF-8", file.display());
    let hint = "the file has to contain the password and nothing else";
    let text = String::from_utf8(input::read(file)?).map_err(|_| Error::usage(message(), hint))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The time that a password command may take if there is no terminal, and so nobody whom it could ask.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What a command printed, or why it has no password; empty while it runs.
type CommandOutput = Arc<OnceLock<Result<String, String>>>;

/// The commands that were run. Many contexts have the same one.
static KNOWN: LazyLock<Mutex<HashMap<String, CommandOutput>>> = LazyLock::new(Mutex::default);

/// The process groups of those that run.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Ends the password commands that still run, with all that they started.
pub fn end_commands() {
    RUNNING.lock().drain(..).for_each(|group| _ = kill_process_group(group, Signal::KILL));
}

/// Runs the password command of a context, if it has one; the first line that it prints is the password. Equal commands are
/// run once.
///
/// It may ask the user, as password managers do, so it has the terminal and all the time it takes.
/// Without a terminal it gets no input: that belongs to the change.
fn password_of(context: &ServerContext) -> Result<Option<String>, Error> {
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
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).filter(|_| most.is_some());
    RUNNING.lock().extend(group);
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    let output = most.map_or_else(|| ended.recv().ok(), |most| ended.recv_timeout(most).ok());
    RUNNING.lock().retain(|running| Some(*running) != group);
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

/// The program as the client of one server.
pub struct RemoteHost(pub Ui);

impl Host for RemoteHost {
    fn credentials(
        &self,
        service: &str,
        login: Option<&str>,
        were_refused: bool,
    ) -> Result<Option<Credentials>, Error> {
        if were_refused && prompts::can_ask() {
            self.0.warning(&format!("`{service}` does not accept this login and password"));
        }
        let login = match login {
            Some(login) => Some(login.to_owned()),
            None => prompts::line(&format!("login for {service}"))?,
        };
        let Some(login) = login.filter(|login| !login.is_empty()) else { return Ok(None) };
        let password = prompts::secret(&format!("password of {login} for {service}"))?;
        password.map(|password| Credentials::new(login, password)).transpose()
    }

    fn warning(&self, text: &str) {
        self.0.warning(text);
    }

    fn sending_change(&self, service: &str) -> Box<dyn Any> {
        let service = service.to_owned();
        Box::new(LastWords::new(self.0, move || {
            let what = format!("interrupted: the change was sent, and {service} may have made it");
            format!("{what}; `mediactl history` shows whether it did")
        }))
    }
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

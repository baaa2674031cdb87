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
use std::path::Path;

use crate::cli::args::global::{NamedBy, RemoteArgs};
use crate::cli::context::{self, ServerContext};
use crate::cli::input;
use crate::cli::interrupt::LastWords;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::error::Error;
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
                let password = if is_known { None } else { context::password(context)? };
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

    /// Asks for the password of a known login, where there is a terminal to ask on.
    pub fn ask_for_password(&mut self, server: &str) -> Result<(), Error> {
        if let (Some(login), None) = (&self.login, &self.password) {
            let prompt = format!("password of {login} for {server}");
            self.password = prompts::secret(&prompt)?;
        }
        Ok(())
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

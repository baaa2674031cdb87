//! Login and password for a server: where they come from, and to which server they may go.
//!
//! In the order of precedence: `--user` with `--password-file`, the URL on the command line,
//! MEDIACTL_LOGIN with MEDIACTL_PASSWORD, the URL in MEDIACTL_URL. Where MEDIACTL_URL is set, the
//! variables are meant for the host and port in it, and no other server gets them.

use std::path::Path;

use crate::cli::args::global::RemoteArgs;
use crate::cli::error::CliError;
use crate::cli::input;
use crate::http::client::{Credentials, Endpoint, UserInfo};

/// The URL of a server, which commands work on instead of a file.
pub const URL_VARIABLE: &str = "MEDIACTL_URL";

/// The login, where neither an option nor the URL on the command line gives one.
const LOGIN_VARIABLE: &str = "MEDIACTL_LOGIN";

/// The password, where neither an option nor the URL on the command line gives one.
const PASSWORD_VARIABLE: &str = "MEDIACTL_PASSWORD";

/// Where the URL of a server was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlSource {
    /// On the command line.
    CommandLine,
    /// In MEDIACTL_URL.
    Environment,
}

/// The login and the password that are known without asking; either may be missing.
#[derive(Debug, Default)]
pub struct KnownCredentials {
    /// The login, which a prompt for the password names.
    pub login: Option<String>,
    password: Option<String>,
}

impl KnownCredentials {
    /// Looks in all places that apply to the server at `endpoint`, whose URL held `userinfo`.
    pub fn of(
        options: &RemoteArgs,
        endpoint: &Endpoint,
        userinfo: Option<UserInfo>,
        source: UrlSource,
    ) -> Result<Self, CliError> {
        let password = options.password_file.as_deref().map(password_of).transpose()?;
        let given = Self { login: options.user.clone(), password };
        let (login, password) = userinfo.unwrap_or_default();
        let url = Self { login: filled(login), password: filled(password) };
        let environment = Self::of_environment(endpoint, source);
        Ok(match source {
            UrlSource::CommandLine => given.or_pair(url).or(environment),
            UrlSource::Environment => given.or(environment).or_pair(url),
        })
    }

    fn of_environment(endpoint: &Endpoint, source: UrlSource) -> Self {
        let is_meant = match variable(URL_VARIABLE) {
            Some(url) if source == UrlSource::CommandLine => endpoint.is_same_host(&url),
            _ => true,
        };
        if !is_meant {
            return Self::default();
        }
        Self { login: variable(LOGIN_VARIABLE), password: variable(PASSWORD_VARIABLE) }
    }

    /// Fills what is missing. A password is not taken from beside the login of another account.
    fn or(self, other: Self) -> Self {
        let is_same = self.login.is_none() || other.login.is_none() || self.login == other.login;
        let password = self.password.or(other.password.filter(|_| is_same));
        Self { login: self.login.or(other.login), password }
    }

    /// The same for the userinfo of a URL, where a password belongs to the login beside it.
    fn or_pair(self, url: Self) -> Self {
        let is_pair = url.login.is_some();
        let url = Self { password: url.password.filter(|_| is_pair), ..url };
        self.or(url)
    }

    /// Both, if both are known.
    pub fn credentials(&self) -> Result<Option<Credentials>, CliError> {
        match (&self.login, &self.password) {
            (Some(login), Some(password)) => credentials(login, password).map(Some),
            _ => Ok(None),
        }
    }
}

/// Login and password, if the login can be one.
pub fn credentials(login: &str, password: &str) -> Result<Credentials, CliError> {
    Credentials::new(login, password)
        .map_err(|_| CliError::usage("a login can't hold a `:`", "a `:` would end the login"))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().and_then(filled)
}

fn filled(value: String) -> Option<String> {
    Some(value).filter(|value| !value.is_empty())
}

/// The first line of a file.
fn password_of(file: &Path) -> Result<String, CliError> {
    let text = String::from_utf8(input::read(file)?).map_err(|_| {
        CliError::usage(
            format!("`{}` is not UTF-8", file.display()),
            "the file holds the password and nothing else",
        )
    })?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

//! What a command works on: the file, or a server.
//!
//! A flag beats the environment. Two flags, or two variables and no flag, say nothing, and are
//! refused only by a command that needs to know.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::credentials::{Known, UrlSource};
use super::error::CliError;
use super::input;
use super::interrupt::interrupt;
use super::options::Global;
use super::remote::{Remote, Source};
use super::ui::{Ui, waiting};
use crate::engine::{Engine, EngineError, Hooks, Snapshot};
use crate::http::client::{BadUrl, Client, DEFAULT_TIMEOUT, Endpoint, Settings, Trust, without_userinfo};
use crate::http::protocol::headers::DEFAULT_PREFIX;
use crate::store::{ChangeRef, HistoryEntry, Serving, reason};

/// The longest time that a request may be given: a day, in seconds.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

/// Options that say how to reach a server.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for a server")]
pub struct RemoteOptions {
    /// What stands in front of the operations in the path of the URL
    #[arg(long, global = true, value_name = "PATH", default_value = DEFAULT_PREFIX)]
    pub api_prefix: String,

    /// The login [default: that of the URL, else that of MEDIACTL_LOGIN]
    #[arg(long, global = true, value_name = "LOGIN")]
    pub user: Option<String>,

    /// A file that holds the password [default: that of the URL, else that of MEDIACTL_PASSWORD]
    #[arg(long, global = true, value_name = "FILE")]
    pub password_file: Option<PathBuf>,

    /// Trust only the authorities of this file, in PEM
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Trust every certificate: anybody can pose as the server
    #[arg(long, global = true)]
    pub insecure: bool,

    /// How many seconds a whole request may take
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = DEFAULT_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT)
    )]
    pub timeout: u64,
}

/// A URL as it was given; there may be a password in it.
#[derive(Clone)]
pub struct GivenUrl(String);

impl From<String> for GivenUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenUrl(…)")
    }
}

/// Which of the two places is meant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chosen {
    place: Place,
    /// Whether the server is named on the command line, not in the environment.
    by_option: bool,
    /// Whether an option of where the file is changed stands on the command line.
    hooks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    File,
    Server,
    /// Both are given as options.
    BothFlags,
    /// Both are given in the environment.
    BothVariables,
}

impl Chosen {
    /// Whether a server is named by an option.
    pub fn names_server(self) -> bool {
        matches!(self.place, Place::Server | Place::BothFlags) && self.by_option
    }

    /// Where the server is named.
    fn url_source(self) -> UrlSource {
        if self.by_option { UrlSource::CommandLine } else { UrlSource::Environment }
    }

    /// Looks at where the values of the options come from.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id| matches.value_source(id);
        let url_is_empty = matches.get_one::<GivenUrl>("url").is_none_or(|url| url.0.is_empty());
        let url = if url_is_empty { None } else { given("url") };
        let (flag, variable) = (Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable));
        let place = match (given("conf"), url) {
            (conf, url) if conf == flag && url == flag => Place::BothFlags,
            (conf, url) if conf == variable && url == variable => Place::BothVariables,
            (conf, url) if url == flag || url == variable && conf != flag => Place::Server,
            _ => Place::File,
        };
        let matches = matches.subcommand().map(|(_, matches)| matches);
        let hooks = ["check_cmd", "reload_cmd", "keep"]
            .into_iter()
            .any(|id| matches.is_some_and(|m| m.try_contains_id(id).is_ok() && m.value_source(id) == flag));
        Self { place, by_option: url == flag, hooks }
    }
}

/// What a command works on.
pub enum Target {
    /// The file.
    Local(Engine),
    /// A server.
    Remote(Box<Remote>),
}

impl Target {
    /// What messages call it.
    pub fn name(&self, global: &Global) -> String {
        match self {
            Self::Local(_) => global.file_name(),
            Self::Remote(remote) => remote.name().to_owned(),
        }
    }

    /// Its text; the file is all that there is of a file.
    pub fn text(&mut self, source: Source) -> Result<Arc<Snapshot>, CliError> {
        match self {
            Self::Local(engine) => Ok(engine.read()?),
            Self::Remote(remote) => remote.text(source),
        }
    }

    /// The changes of the file, the last one first.
    pub fn history(&mut self) -> Result<Vec<HistoryEntry>, CliError> {
        match self {
            Self::Local(engine) => Ok(engine.history()?),
            Self::Remote(remote) => remote.history(),
        }
    }

    /// The text before a change.
    pub fn kept(&mut self, which: ChangeRef) -> Result<Arc<Snapshot>, CliError> {
        match self {
            Self::Local(engine) => Ok(engine.kept(which)?),
            Self::Remote(remote) => remote.kept(which),
        }
    }
}

/// What a command does to its target.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// It looks.
    Read,
    /// It changes something.
    Change {
        /// What runs around a change of a file.
        hooks: Hooks,
        /// How many texts the history of a file keeps from now on.
        keep: Option<usize>,
    },
}

/// Finds out what the command works on.
pub fn resolve(global: &Global, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    match named_server(global, ui)? {
        Some(server) => Ok(Target::Remote(Box::new(server))),
        None => at_file(global, purpose, ui),
    }
}

/// The server that the options or the environment name; none where the target is the file.
pub fn named_server(global: &Global, ui: Ui) -> Result<Option<Remote>, CliError> {
    let flag_or = "leave one of them out";
    match (global.chosen.place, &global.url) {
        (Place::BothFlags, _) => {
            Err(CliError::usage("`--conf` and `--url` are two different targets", flag_or))
        }
        (Place::BothVariables, _) => Err(CliError::usage(
            "MEDIACTL_CONF and MEDIACTL_URL are two different targets",
            "`--conf` or `--url` says which is meant",
        )),
        (Place::Server, _) if global.chosen.hooks => Err(hooks_elsewhere()),
        (Place::Server, Some(url)) => {
            let source = global.chosen.url_source();
            at_url(&url.0, source, global, ui).map(Some)
        }
        _ => Ok(None),
    }
}

fn hooks_elsewhere() -> CliError {
    CliError::usage(
        "`--check-cmd`, `--reload-cmd` and `--keep` are for where the file is changed, which is in the server",
        "give them to the server, or leave them out",
    )
}

/// The file, or the server that runs over it: one of them alone changes it.
fn at_file(global: &Global, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    let (hooks, keep) = match &purpose {
        Purpose::Read => (Hooks::default(), None),
        Purpose::Change { hooks, keep } if hooks.are_empty() => (Hooks::default(), *keep),
        Purpose::Change { hooks, keep } => (Hooks { interrupt: interrupt(), ..hooks.clone() }, *keep),
    };
    let engine = Engine::open(&global.conf, hooks, waiting)?.keeping(keep);
    let serving = match (engine.conf().serving(), &purpose) {
        (Ok(Some(serving)), _) => serving,
        (Ok(None), _) => {
            warn_of_pending(&engine, ui);
            return Ok(Target::Local(engine));
        }
        (Err(error), Purpose::Read) => {
            ui.warning(&format!("{error}: this is the file, whether or not a server runs"));
            return Ok(Target::Local(engine));
        }
        (Err(error), Purpose::Change { .. }) => return Err(EngineError::from(error).into()),
    };
    let name = global.file_name();
    match (purpose, serving.reach()) {
        (Purpose::Change { .. }, Ok(())) if global.chosen.hooks => Err(hooks_elsewhere()),
        (_, Ok(())) => Ok(Target::Remote(Box::new(at_socket(serving, name, global, ui)))),
        (Purpose::Change { .. }, Err(source)) => {
            Err(CliError::Unreachable { name, holder: serving.holder, source })
        }
        (Purpose::Read, Err(error)) => {
            ui.warning(&format!(
                "the server of `{name}`, {}, can't be reached ({}): this is the file",
                serving.holder,
                reason(&error)
            ));
            Ok(Target::Local(engine))
        }
    }
}

/// Only a server takes back what was not confirmed.
fn warn_of_pending(engine: &Engine, ui: Ui) {
    if engine.conf().has_pending() {
        ui.warning(
            "a change was not confirmed before its server ended; `mediactl serve` takes it back when it starts",
        );
    }
}

/// The server at a URL.
pub fn at_url(url: &str, source: UrlSource, global: &Global, ui: Ui) -> Result<Remote, CliError> {
    let options = &global.remote;
    let (endpoint, userinfo) = Endpoint::parse(url, &options.api_prefix).map_err(bad_url)?;
    let known = Known::of(options, &endpoint, userinfo, source)?;
    let credentials = known.credentials()?;
    let settings = Settings { credentials, trust: trust(options)?, timeout: timeout(options) };
    let name = endpoint.to_string();
    let remote = Remote::new(Client::new(endpoint, settings), name, known.login, ui);
    remote.warn_of_plain_credentials();
    Ok(remote)
}

/// The server of the file `name`, at its Unix socket.
fn at_socket(serving: Serving, name: String, global: &Global, ui: Ui) -> Remote {
    let endpoint = Endpoint::socket(serving.socket(), DEFAULT_PREFIX);
    let settings = Settings { timeout: timeout(&global.remote), ..Settings::default() };
    Remote::new(Client::new(endpoint, settings), name, None, ui).keeping(serving)
}

/// Whether an argument that may be a file is a server.
pub fn is_url(argument: &str) -> bool {
    argument.starts_with("http://") || argument.starts_with("https://")
}

/// A URL where none can be; it may hold a password, which no message may show.
pub fn misplaced_url(argument: &str) -> Option<CliError> {
    let shown = || format!("unexpected URL `{}`", without_userinfo(argument));
    is_url(argument).then(|| CliError::usage(shown(), "a server is named with `--url URL`"))
}

fn bad_url(error: BadUrl) -> CliError {
    CliError::usage(
        format!("`{}` is not the URL of a server: {}", error.shown, error.reason),
        "write it like `https://media.example`",
    )
}

fn timeout(options: &RemoteOptions) -> Duration {
    Duration::from_secs(options.timeout)
}

fn trust(options: &RemoteOptions) -> Result<Trust, CliError> {
    Ok(match &options.cacert {
        Some(file) => Trust::Authorities(input::read(file)?),
        None if options.insecure => Trust::Anybody,
        None => Trust::Platform,
    })
}

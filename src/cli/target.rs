//! What a command works on: the file, or a server.
//!
//! A flag beats the environment. Two flags, or two variables and no flag, say nothing, and are
//! refused only by a command that needs to know.

use std::sync::Arc;
use std::time::Duration;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::{GlobalArgs, RemoteArgs, TargetKind};
use crate::cli::credentials::{KnownCredentials, UrlSource};
use crate::cli::error::CliError;
use crate::cli::input;
use crate::cli::interrupt::interrupt;
use crate::cli::remote::{Remote, Source};
use crate::cli::ui::{Ui, waiting};
use crate::engine::{Engine, EngineError, Hooks, Snapshot};
use crate::http::client::{BadUrl, Client, ClientSettings, Endpoint, TlsTrust};
use crate::http::protocol::headers::DEFAULT_PREFIX;
use crate::store::file::{ConfFile, Serving};
use crate::store::{ChangeRef, HistoryEntry, reason};

/// What a command works on.
pub enum Target {
    /// The file.
    Local(Engine),
    /// A server.
    Remote(Box<Remote>),
}

impl Target {
    /// What messages call it.
    pub fn name(&self, global: &GlobalArgs) -> String {
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

impl From<&ChangeArgs> for Purpose {
    fn from(changing: &ChangeArgs) -> Self {
        Self::Change { hooks: changing.hooking.hooks(), keep: changing.hooking.keep() }
    }
}

/// Finds out what the command works on.
pub fn resolve(global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    match named_server(global, ui)? {
        Some(server) => Ok(Target::Remote(Box::new(server))),
        None => at_file(global, purpose, ui),
    }
}

/// The server that the options or the environment name; none where the target is the file.
pub fn named_server(global: &GlobalArgs, ui: Ui) -> Result<Option<Remote>, CliError> {
    let flag_or = "leave one of them out";
    match (global.chosen.kind, &global.url) {
        (TargetKind::BothFlags, _) => {
            Err(CliError::usage("`--conf` and `--url` are two different targets", flag_or))
        }
        (TargetKind::BothVariables, _) => Err(CliError::usage(
            "MEDIACTL_CONF and MEDIACTL_URL are two different targets",
            "`--conf` or `--url` says which is meant",
        )),
        (TargetKind::Server, _) if global.chosen.hooks => Err(hooks_elsewhere()),
        (TargetKind::Server, Some(url)) => {
            let source =
                if global.chosen.by_option { UrlSource::CommandLine } else { UrlSource::Environment };
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
fn at_file(global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    let (hooks, keep) = match &purpose {
        Purpose::Read => (Hooks::default(), None),
        Purpose::Change { hooks, keep } if hooks.are_empty() => (Hooks::default(), *keep),
        Purpose::Change { hooks, keep } => (Hooks { interrupt: interrupt(), ..hooks.clone() }, *keep),
    };
    let store = input::store(&global.conf)?;
    let engine = Engine::new(store.clone(), hooks, waiting).keeping(keep);
    let serving = match (store.serving(), &purpose) {
        (Ok(Some(serving)), _) => serving,
        (Ok(None), _) => {
            warn_of_pending(&store, ui);
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
fn warn_of_pending(store: &ConfFile, ui: Ui) {
    if store.has_pending() {
        ui.warning(
            "a change was not confirmed before its server ended; `mediactl serve` takes it back when it starts",
        );
    }
}

/// The server at a URL.
pub fn at_url(url: &str, source: UrlSource, global: &GlobalArgs, ui: Ui) -> Result<Remote, CliError> {
    let options = &global.remote;
    let (endpoint, userinfo) = Endpoint::parse(url, &options.api_prefix).map_err(bad_url)?;
    let known = KnownCredentials::of(options, &endpoint, userinfo, source)?;
    let credentials = known.credentials()?;
    let settings = ClientSettings { credentials, trust: trust(options)?, timeout: timeout(options) };
    let name = endpoint.to_string();
    let remote = Remote::new(Client::new(endpoint, settings), name, known.login, ui);
    remote.warn_of_plain_credentials();
    Ok(remote)
}

/// The server of the file `name`, at its Unix socket.
fn at_socket(serving: Serving, name: String, global: &GlobalArgs, ui: Ui) -> Remote {
    let endpoint = Endpoint::socket(serving.socket(), DEFAULT_PREFIX);
    let settings = ClientSettings { timeout: timeout(&global.remote), ..ClientSettings::default() };
    Remote::new(Client::new(endpoint, settings), name, None, ui).keeping(serving)
}

fn bad_url(error: BadUrl) -> CliError {
    CliError::usage(
        format!("`{}` is not the URL of a server: {}", error.shown, error.reason),
        "write it like `https://media.example`",
    )
}

fn timeout(options: &RemoteArgs) -> Duration {
    Duration::from_secs(options.timeout)
}

fn trust(options: &RemoteArgs) -> Result<TlsTrust, CliError> {
    Ok(match &options.cacert {
        Some(file) => TlsTrust::Authorities(input::read(file)?),
        None if options.insecure => TlsTrust::Anybody,
        None => TlsTrust::Platform,
    })
}

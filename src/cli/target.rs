//! Decides which configuration a command works on: the file, the server that runs over it, or a
//! server at a URL.
//!
//! An option beats the environment. Two options, or two variables without an option, contradict each
//! other; only commands that need a target refuse them.

use std::sync::Arc;
use std::time::Duration;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::{GlobalArgs, RemoteArgs, TargetKind, UrlSource};
use crate::cli::credentials::KnownCredentials;
use crate::cli::error::CliError;
use crate::cli::input;
use crate::cli::interrupt::interrupt;
use crate::cli::ui::{Ui, waiting};
use crate::engine::{
    ConfigService, Content, Engine, EngineError, Feature, Hooks, ReadForm, ReadQuery, ServiceError, Snapshot,
    Source,
};
use crate::http::client::{BadUrl, Client, ClientSettings, Endpoint, RemoteService, TlsTrust};
use crate::http::protocol::headers::DEFAULT_PREFIX;
use crate::store::file::Serving;
use crate::store::reason;

/// The configuration that a command works on.
pub struct Target {
    pub service: Box<dyn ConfigService>,
    /// Whether a server runs it. If not, the file is the only configuration.
    pub is_server: bool,
}

impl Target {
    /// Reads a configuration as text; `None` is the running one, or the file where no server runs.
    pub fn read_text(&mut self, source: Option<Source>) -> Result<Arc<Snapshot>, ServiceError> {
        let reading = self.service.read(&ReadQuery { source, form: ReadForm::Text })?;
        match reading.content {
            Content::Text(snapshot) => Ok(snapshot),
            Content::Json(_) => Err(ServiceError::NotOffered {
                service: self.service.name().to_owned(),
                feature: Feature::Conf,
            }),
        }
    }
}

/// What a command does with its target; by default it only reads.
#[derive(Debug, Clone, Default)]
pub struct Purpose {
    pub changes: bool,
    /// The commands that run before and after a change of a file.
    pub hooks: Hooks,
    /// How many texts the history of a file keeps from now on.
    pub keep: Option<usize>,
    /// Whether the change has to be confirmed, which takes a server.
    pub has_to_be_confirmed: bool,
}

impl From<&ChangeArgs> for Purpose {
    fn from(changing: &ChangeArgs) -> Self {
        Self {
            changes: true,
            hooks: changing.hooking.hooks(),
            keep: changing.hooking.keep,
            has_to_be_confirmed: changing.confirm.is_some(),
        }
    }
}

/// Finds the target of a command. Where a server runs over the file, the server is the target: it alone
/// changes the file.
pub fn resolve(global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    match named_server(global, ui)? {
        Some(target) => Ok(target),
        None => at_file(global, purpose, ui),
    }
}

/// Finds the target of a command that reads the file itself, whether or not a server runs over it.
pub fn file_or_named_server(global: &GlobalArgs, ui: Ui) -> Result<Target, CliError> {
    match named_server(global, ui)? {
        Some(target) => Ok(target),
        None => Ok(local(Engine::new(input::store(&global.conf)?, Hooks::default(), waiting))),
    }
}

/// The server that the options or the environment name; `None` where they name a file.
fn named_server(global: &GlobalArgs, ui: Ui) -> Result<Option<Target>, CliError> {
    match (global.chosen.kind, &global.url) {
        (TargetKind::BothFlags, _) => {
            Err(CliError::usage("`--conf` and `--url` are two different targets", "leave one of them out"))
        }
        (TargetKind::BothVariables, _) => Err(CliError::usage(
            "MEDIACTL_CONF and MEDIACTL_URL are two different targets",
            "choose one with `--conf` or `--url`",
        )),
        (TargetKind::Server(_), _) if global.chosen.hooks => Err(hooks_of_a_server()),
        (TargetKind::Server(source), Some(url)) => at_url(&url.0, source, global, ui).map(Some),
        (TargetKind::Server(_), None) | (TargetKind::File, _) => Ok(None),
    }
}

fn hooks_of_a_server() -> CliError {
    CliError::usage(
        "a server changes the file, so `--check-cmd`, `--reload-cmd` and `--keep` have no effect here",
        "give them to `mediactl serve`, or leave them out",
    )
}

fn at_file(global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, CliError> {
    let Purpose { changes, mut hooks, keep, has_to_be_confirmed } = purpose;
    if !hooks.are_empty() {
        hooks.interrupt = interrupt();
    }
    let store = input::store(&global.conf)?;
    let engine = Engine::new(store.clone(), hooks, waiting).keeping(keep);
    let serving = match store.serving() {
        Ok(Some(serving)) => serving,
        Ok(None) => {
            if store.has_pending() {
                ui.warning(
                    "a change was not confirmed before its server ended; \
                     `mediactl serve` rolls it back when it starts",
                );
            }
            return if has_to_be_confirmed { Err(no_server_confirms()) } else { Ok(local(engine)) };
        }
        Err(error) if changes => return Err(EngineError::from(error).into()),
        Err(error) => {
            ui.warning(&format!("{error}: showing the file, whether or not a server runs"));
            return Ok(local(engine));
        }
    };
    let name = global.file_name();
    match serving.reach() {
        Ok(()) if changes && global.chosen.hooks => Err(hooks_of_a_server()),
        Ok(()) => Ok(at_socket(serving, name, global, ui)),
        Err(source) if changes => Err(CliError::unreachable(&name, &serving.holder, source)),
        Err(error) => {
            ui.warning(&format!(
                "the server of `{name}`, {}, can't be reached ({}): showing the file",
                serving.holder,
                reason(&error)
            ));
            Ok(local(engine))
        }
    }
}

fn local(engine: Engine) -> Target {
    Target { service: Box::new(engine), is_server: false }
}

fn no_server_confirms() -> CliError {
    CliError::usage(
        "`--confirm` needs a server: only a server can roll back on timeout",
        "start `mediactl serve` over the file, or leave `--confirm` out",
    )
}

/// The server at a URL.
pub fn at_url(url: &str, source: UrlSource, global: &GlobalArgs, ui: Ui) -> Result<Target, CliError> {
    let options = &global.remote;
    let (endpoint, userinfo) = Endpoint::parse(url, &options.api_prefix).map_err(bad_url)?;
    let known = KnownCredentials::of(options, &endpoint, userinfo, source)?;
    let credentials = known.credentials()?;
    let settings = ClientSettings { credentials, trust: trust(options)?, timeout: timeout(options) };
    let name = endpoint.to_string();
    let client = Client::new(endpoint, settings);
    let service = RemoteService::new(client, name, known.login, Box::new(ui));
    Ok(Target { service: Box::new(service), is_server: true })
}

/// The server of the file `name`, at its Unix socket.
fn at_socket(serving: Serving, name: String, global: &GlobalArgs, ui: Ui) -> Target {
    let endpoint = Endpoint::socket(serving.socket(), DEFAULT_PREFIX);
    let settings = ClientSettings { timeout: timeout(&global.remote), ..ClientSettings::default() };
    let client = Client::new(endpoint, settings);
    let service = RemoteService::new(client, name, None, Box::new(ui)).keeping(serving);
    Target { service: Box::new(service), is_server: true }
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

//! Decides which configuration a command works on: the file, the server that runs over it, a server at a
//! URL, or a configuration in etcd; the last two may have a name (context).
//!
//! An option beats the environment, and that beats the context in use. Two options, or two variables
//! without an option, contradict each other; only commands that need a target refuse them.

use std::sync::Arc;

use rustix::io::Errno;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::{GlobalArgs, NamedBy, RemoteArgs, TargetKind};
use crate::cli::cluster;
use crate::cli::context::{self, ServerContext};
use crate::cli::credentials::KnownCredentials;
use crate::cli::input;
use crate::cli::interrupt::interrupt;
use crate::cli::local_user::sudo_user;
use crate::cli::prompts;
use crate::cli::remote_host::RemoteHost;
use crate::cli::ui::{Ui, waiting};
use crate::engine::{Composed, ConfigService, ConfigSource, Engine, Hooks, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::http::api::{DEFAULT_PREFIX, Fingerprint};
use crate::http::client::{
    BadUrl, Client, ClientSettings, Endpoint, Host, RemoteService, TlsTrust, UserInfo,
};
use crate::store::etcd::ClusterUrl;
use crate::store::file::{ConfFile, Serving};
use crate::store::{Follow, Store, reason};

/// The configuration that a command works on.
pub struct Target {
    pub service: Box<dyn ConfigService>,
    /// True if a server runs it. If not, the file is the only configuration.
    pub is_server: bool,
    /// The server that may run it and can't be asked, in words.
    pub unreachable: Option<String>,
    /// The file, if it is one of this machine.
    pub file: Option<Arc<ConfFile>>,
    /// The protected context that it belongs to, if its change has to be shown and agreed to.
    pub protected: Option<String>,
}

impl Target {
    fn new(service: impl ConfigService + 'static, is_server: bool) -> Self {
        Self { service: Box::new(service), is_server, unreachable: None, file: None, protected: None }
    }

    /// A configuration with the files that it includes; `None` if it includes none, or where the server
    /// does not send them. `source` is where it was read.
    pub fn composed(
        &mut self,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, Error> {
        self.following(Follow::ALL, text, source)
    }

    /// The same, with a limit of the files that are followed.
    pub fn following(
        &mut self,
        follow: Follow,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, Error> {
        match &self.file {
            // Who works on this machine reads them as this user.
            Some(file) => Ok(Composed::compose(self.service.name(), text, &**file, follow)),
            None => self.service.composed(text, source),
        }
    }

    /// Reads a configuration as text; `None` is the running one, or the file where no server runs.
    pub fn read_text(&mut self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        let text = self.service.read(source)?;
        match text.is_of_values() {
            true => Err(Error::not_offered(self.service.name(), "the text of the configuration")),
            false => Ok(text),
        }
    }
}

/// The use that a command makes of its target; by default it only reads.
#[derive(Debug, Clone, Default)]
pub struct Purpose {
    pub changes: bool,
    /// The commands that run before and after a change of a file.
    pub hooks: Hooks,
    /// The number of texts that the history of a file keeps from now on.
    pub keep: Option<usize>,
    /// True if the change has to be confirmed, which takes a server.
    pub has_to_be_confirmed: bool,
    /// True if the change of a protected context needs no question: the user agreed to it already.
    pub is_agreed: bool,
    /// True if the command shows the change of a protected context and asks itself.
    pub shows_first: bool,
}

impl From<&ChangeArgs> for Purpose {
    fn from(changing: &ChangeArgs) -> Self {
        Self {
            changes: true,
            hooks: changing.hooking.hooks(),
            keep: changing.hooking.keep,
            has_to_be_confirmed: changing.confirm.is_some(),
            is_agreed: changing.yes || changing.force || changing.dry_run,
            shows_first: true,
        }
    }
}

/// Finds the target of a command. Where a server runs over the file, the server is the target: it alone
/// changes the file.
pub fn resolve(global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, Error> {
    match named_server(global, &purpose, ui)? {
        Some(target) => Ok(target),
        None => {
            let file = input::store(&global.conf)?;
            Ok(Target { file: Some(file.clone()), ..at_file(file, global, purpose, ui)? })
        }
    }
}

/// Finds the target of a command that reads the file itself, whether or not a server runs over it.
pub fn file_or_named_server(global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    match named_server(global, &Purpose::default(), ui)? {
        Some(target) => Ok(target),
        None => {
            let file = input::store(&global.conf)?;
            let engine = Engine::new(file.clone(), Hooks::default(), waiting);
            Ok(Target { file: Some(file), ..local(engine) })
        }
    }
}

/// The server that the options, the environment or the context in use name; `None` if they name a file.
fn named_server(global: &GlobalArgs, purpose: &Purpose, ui: Ui) -> Result<Option<Target>, Error> {
    let context = match global.chosen.kind {
        TargetKind::EmptyOption(option) => {
            let message = format!("`{option}` has an empty value, which names nothing");
            return Err(Error::usage(message, "leave it out for the usual target"));
        }
        TargetKind::TwoOptions(options) => return Err(two_options(options)),
        TargetKind::TwoVariables(variables) => {
            let hint = "choose one with `--conf`, `--url`, `--cluster` or `--context`";
            return Err(two_targets(variables, hint));
        }
        TargetKind::File => return Ok(None),
        _ if context::several_chosen(global) => return Err(Error::several_servers()),
        TargetKind::Group | TargetKind::Server(_) | TargetKind::Cluster(_) => None,
        TargetKind::Context(_) | TargetKind::Unnamed => context::chosen(global)?,
    };
    match (global.chosen.kind, &global.url, context) {
        (TargetKind::Cluster(source), _, _) => {
            let url = global.cluster.as_ref().map_or("", |url| &url.0);
            at_cluster(url, Ok(source), purpose, global).map(Some)
        }
        (_, _, Some(context)) if ClusterUrl::is_meant(&context.url) => {
            let protected = protection(&context, purpose)?;
            let target = at_cluster(&context.url, Err(&context), purpose, global)?;
            Ok(Some(Target { protected, ..target }))
        }
        (TargetKind::Server(_), Some(_), _) | (_, _, Some(_)) if global.chosen.hooks => {
            Err(hooks_of_a_server())
        }
        (TargetKind::Server(source), Some(url), _) => at_url(&url.0, source, global, ui).map(Some),
        (_, _, Some(context)) => {
            let protected = protection(&context, purpose)?;
            Ok(Some(Target { protected, ..at_context(&context, global, ui)? }))
        }
        _ => Ok(None),
    }
}

/// The error for two options that name different targets.
pub fn two_options(options: [&str; 2]) -> Error {
    let [one, other] = options.map(|option| format!("`{option}`"));
    two_targets([&one, &other], "leave one of them out")
}

fn two_targets([one, other]: [&str; 2], hint: &str) -> Error {
    Error::usage(format!("{one} and {other} are two different targets"), hint)
}

/// The name of a protected context whose change the command shows before it asks; others are asked about here.
fn protection(context: &ServerContext, purpose: &Purpose) -> Result<Option<String>, Error> {
    if purpose.shows_first && prompts::can_ask() {
        let is_asked = context.is_protected && purpose.changes && !purpose.is_agreed;
        return Ok(is_asked.then(|| context.name.clone()));
    }
    ask_if_protected(context, purpose).map(|()| None)
}

/// Asks before a change of a protected context.
pub fn ask_if_protected(context: &ServerContext, purpose: &Purpose) -> Result<(), Error> {
    if !context.is_protected || !purpose.changes || purpose.is_agreed {
        return Ok(());
    }
    let question = format!("context `{}` is protected: change it?", context.name);
    match prompts::confirm(&question).map_err(Error::prompt_failed)? {
        Some(true) => Ok(()),
        _ => Err(Error::protected(&context.name)),
    }
}

/// The error for hooks where a server changes the file.
pub fn hooks_of_a_server() -> Error {
    Error::usage(
        "a server changes the file, so `--check-cmd`, `--reload-cmd` and `--keep` have no effect here",
        "give them to `mediactl serve`, or leave them out",
    )
}

/// The configuration in etcd at a URL, which an option or a variable names, or a context has.
fn at_cluster(
    url: &str,
    source: Result<NamedBy, &ServerContext>,
    purpose: &Purpose,
    global: &GlobalArgs,
) -> Result<Target, Error> {
    let store = Arc::new(cluster::store(url, source, &global.remote)?);
    let mut hooks = purpose.hooks.clone();
    if !hooks.are_empty() {
        hooks.interrupt = interrupt();
    }
    Ok(local(Engine::new(store, hooks, waiting).keeping(purpose.keep)))
}

fn at_file(store: Arc<ConfFile>, global: &GlobalArgs, purpose: Purpose, ui: Ui) -> Result<Target, Error> {
    let Purpose { changes, mut hooks, keep, has_to_be_confirmed, .. } = purpose;
    if !hooks.are_empty() {
        hooks.interrupt = interrupt();
    }
    let engine = Engine::new(store.clone(), hooks, waiting).keeping(keep);
    let serving = match store.serving() {
        Ok(Some(serving)) => serving,
        Ok(None) => {
            if store.has_pending() && !changes {
                ui.warning(
                    "a change was not confirmed before its server ended; \
                     the next change, or `mediactl serve`, rolls it back",
                );
            }
            return if has_to_be_confirmed { Err(no_server_confirms()) } else { Ok(local(engine)) };
        }
        // As the lock, which is there, would say it.
        Err(error) if changes && error.kind == ErrorKind::Denied => {
            let denied = Errno::ACCESS;
            return Err(Error::state_folder(&store.state_dir())(denied));
        }
        Err(error) if changes => return Err(error),
        Err(error) => {
            ui.warning(&format!("{error}: showing the file, whether or not a server runs"));
            return Ok(Target { unreachable: Some("unknown".to_owned()), ..local(engine) });
        }
    };
    let name = global.file_name();
    match serving.reach() {
        Ok(()) if changes && global.chosen.hooks => Err(hooks_of_a_server()),
        Ok(()) => Ok(at_socket(serving, name, global, ui)),
        Err(source) if changes => Err(Error::unreachable(&name, &serving.holder, source)),
        Err(error) => {
            ui.warning(&format!(
                "the server of `{name}`, {}, can't be reached ({}): showing the file",
                serving.holder,
                reason(&error)
            ));
            let unreachable = format!("{}, which can't be reached", serving.holder);
            Ok(Target { unreachable: Some(unreachable), ..local(engine) })
        }
    }
}

fn local(engine: Engine) -> Target {
    Target::new(engine, false)
}

fn no_server_confirms() -> Error {
    Error::usage(
        "`--confirm` needs a server: only a server can roll back on timeout",
        "start `mediactl serve` over the file, or leave `--confirm` out",
    )
}

/// The server at a URL that is an argument of a command. If a context is used, its login and password are
/// for this server only if scheme, host and port are those of the context.
pub fn at_argument(url: &str, global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    let Some(context) = context::chosen(global)? else {
        return at_url(url, NamedBy::CommandLine, global, ui);
    };
    let (endpoint, userinfo) = parsed(url, None, global)?;
    let name = endpoint.to_string();
    if endpoint.is_same_origin(&context.url) {
        let (endpoint, userinfo) = parsed(url, Some(&context), global)?;
        let known = KnownCredentials::of_context(&global.remote, &context, userinfo)?;
        return at_endpoint(endpoint, name, known, Some(&context), global, host(Some(&context), ui));
    }
    let known = KnownCredentials::of_url(&global.remote, userinfo)?;
    at_endpoint(endpoint, name, known, None, global, host(None, ui))
}

/// The server at the URL that names the target.
fn at_url(url: &str, source: NamedBy, global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    let (endpoint, userinfo) = parsed(url, None, global)?;
    let known = KnownCredentials::collect(&global.remote, &endpoint, userinfo, source)?;
    let name = endpoint.to_string();
    at_endpoint(endpoint, name, known, None, global, host(None, ui))
}

/// The server of a context.
fn at_context(context: &ServerContext, global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    let (endpoint, userinfo) = parsed(&context.url, Some(context), global)?;
    let known = KnownCredentials::of_context(&global.remote, context, userinfo)?;
    let name = format!("{} ({endpoint})", context.name);
    at_endpoint(endpoint, name, known, Some(context), global, host(Some(context), ui))
}

/// The server of a context that is one of several. `host` must not ask anything, because the servers are
/// worked on at the same time; so this asks for a missing password.
pub fn at_member(context: &ServerContext, global: &GlobalArgs, host: Box<dyn Host>) -> Result<Target, Error> {
    if ClusterUrl::is_meant(&context.url) {
        return at_cluster(&context.url, Err(context), &Purpose::default(), global);
    }
    let (endpoint, userinfo) = parsed(&context.url, Some(context), global)?;
    let mut known = KnownCredentials::of_context(&global.remote, context, userinfo)?;
    known.ask_for_password(&context.name)?;
    let name = format!("{} ({endpoint})", context.name);
    at_endpoint(endpoint, name, known, Some(context), global, host)
}

fn host(context: Option<&ServerContext>, ui: Ui) -> Box<dyn Host> {
    Box::new(RemoteHost { ui, context: context.map(|context| context.name.clone()) })
}

/// The server at `endpoint`, which messages call `name`.
fn at_endpoint(
    endpoint: Endpoint,
    name: String,
    known: KnownCredentials,
    context: Option<&ServerContext>,
    global: &GlobalArgs,
    host: Box<dyn Host>,
) -> Result<Target, Error> {
    let options = &global.remote;
    let credentials = known.credentials()?;
    let trust = trust(options, context)?;
    if matches!(trust, TlsTrust::Pinned(_)) && !endpoint.is_https() {
        let message = format!("`{name}` has no certificate, so it has no fingerprint");
        return Err(Error::usage(message, "start the URL with `https://`, or leave the fingerprint out"));
    }
    let timeout = options.time(context.and_then(|context| context.timeout));
    let settings = ClientSettings {
        credentials,
        trust,
        timeout,
        max_answer: options.answer(context.and_then(|context| context.max_answer)),
        ..ClientSettings::default()
    };
    let client = Client::new(endpoint, settings);
    let service = RemoteService::new(client, name, known.login, host);
    Ok(Target::new(service, true))
}

fn parsed(
    url: &str,
    context: Option<&ServerContext>,
    global: &GlobalArgs,
) -> Result<(Endpoint, UserInfo), Error> {
    let prefix = global.remote.prefix(context.and_then(|context| context.api_prefix.as_deref()));
    Endpoint::parse(url, prefix).map_err(bad_url)
}

/// The server of the file `name`, at its Unix socket.
fn at_socket(serving: Serving, name: String, global: &GlobalArgs, ui: Ui) -> Target {
    let endpoint = Endpoint::socket(serving.socket(), DEFAULT_PREFIX);
    let settings = ClientSettings {
        timeout: global.remote.time(None),
        max_answer: global.remote.answer(None),
        sudo_user: sudo_user(),
        ..ClientSettings::default()
    };
    let client = Client::new(endpoint, settings);
    let service = RemoteService::new(client, name, None, host(None, ui)).keeping(serving);
    Target::new(service, true)
}

/// The error for a text that is not the URL of a server.
pub fn bad_url(error: BadUrl) -> Error {
    Error::usage(
        format!("`{}` is not the URL of a server: {}", error.shown, error.reason),
        "write it like `https://media.example`",
    )
}

/// Returns the trusted certificates: as the options say, else as the context says.
fn trust(options: &RemoteArgs, context: Option<&ServerContext>) -> Result<TlsTrust, Error> {
    let pinned = |fingerprint: Option<Fingerprint>| fingerprint.map(TlsTrust::Pinned);
    let of_context = || {
        let authorities = context.and_then(|context| context.cacert.as_deref());
        match (pinned(context.and_then(|context| context.fingerprint)), authorities) {
            (Some(pinned), _) => Ok(pinned),
            (None, Some(file)) => input::read(file).map(TlsTrust::Authorities),
            (None, None) => Ok(TlsTrust::Platform),
        }
    };
    if let Some(pinned) = pinned(options.fingerprint) {
        return Ok(pinned);
    }
    match &options.cacert {
        Some(file) => input::read(file).map(TlsTrust::Authorities),
        None if options.insecure => Ok(TlsTrust::Every),
        None => of_context(),
    }
}

//! Decides which configuration a command works on: the file, the server that runs over it, a server at a
//! URL, or a configuration in etcd; the last two may have a name (context).
//!
//! An option beats the environment, and that beats the context in use. Two options, or two variables
//! without an option, contradict each other; only commands that need a target refuse them.

use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use crate::cli::args::changing::{ChangeArgs, HookArgs};
use crate::cli::args::global::{ChosenTarget, GlobalArgs, NamedBy, RemoteArgs, TargetKind};
use crate::cli::context::{self, ServerContext};
use crate::cli::credentials::{KnownCredentials, Owner, RemoteHost};
use crate::cli::input;
use crate::cli::interrupt::interrupt;
use crate::cli::local::sudo_user;
use crate::cli::prompts;
use crate::cli::ui::{Ui, waiting};
use crate::engine::{Composed, ConfigService, ConfigSource, Engine, Snapshot, StatusPart};
use crate::error::{Error, ErrorKind};
use crate::http::api::DEFAULT_PREFIX;
use crate::http::client::{
    Client, ClientSettings, Credentials, Endpoint, Host, RemoteService, TlsTrust, UserInfo,
};
use crate::store::etcd::{ClusterStore, ClusterUrl, DEFAULT_REQUEST_TIME, GatewaySettings};
use crate::store::file::ConfFile;
use crate::store::{ChangeRef, LastWrite, NodeState, ReplaceableFile, Store, WHOLE_HISTORY, reason};

/// The configuration that a command works on.
pub struct Target {
    pub service: Box<dyn ConfigService>,
    /// True if a server runs it. If not, the file is the only configuration.
    pub is_server: bool,
    /// The server that may run it and can't be asked, in words.
    pub unreachable: Option<String>,
    /// The file, if it is one of this machine.
    pub file: Option<Arc<ConfFile>>,
}

impl Target {
    /// The text of the cluster that a node runs, by its record, and what has to be said about it.
    ///
    /// # Errors
    /// `Usage` without nodes; `NotFound`: there is no such node, it runs nothing, or another text than the history has;
    /// those of the service.
    pub fn node_text(&self, name: &str) -> Result<(Arc<Snapshot>, Option<String>), Error> {
        let absent = |message: String| {
            Error::new(ErrorKind::NotFound, message)
                .hint("`mediactl status` shows the nodes and what they run")
        };
        let nodes = self.service.status(StatusPart::Nodes)?.nodes;
        let Some(nodes) = nodes.filter(|nodes| !(self.is_server && nodes.is_empty())) else {
            let hint = "name a cluster with `--cluster URL`, or by a context with `-x NAME`";
            return Err(Error::usage(format!("`{}` has no nodes", self.service.name()), hint));
        };
        let record = nodes.into_iter().find(|node| node.node == name);
        let record = record.ok_or_else(|| absent(format!("there is no node `{name}`")))?;
        let runs = record.serial.ok_or_else(|| absent(format!("it is not known what `{name}` runs")))?;
        let history = self.service.history(WHOLE_HISTORY)?;
        let after = history.iter().find(|entry| entry.number == runs).and_then(|entry| entry.after);
        let next = history.iter().filter(|entry| entry.number > runs).min_by_key(|entry| entry.number);
        let text = match next {
            Some(next) => self.service.text_before(ChangeRef::Number(next.number))?,
            None => self.service.read(None)?,
        };
        if Some(text.revision()) != record.revision.or(after) {
            let what = format!("`{name}` runs change {runs}, whose text is not in the history here");
            return Err(absent(what));
        }
        let note = match record.state {
            NodeState::Drifted => "was edited by hand on its machine: this is the text of the cluster there",
            NodeState::Gone => "is gone: this is what it ran when it was heard of last",
            _ => return Ok((text, None)),
        };
        Ok((text, Some(format!("`{name}` {note}"))))
    }

    fn new(service: impl ConfigService + 'static, is_server: bool) -> Self {
        Self { service: Box::new(service), is_server, unreachable: None, file: None }
    }

    /// A configuration with the files that it includes; `None` if it includes none, or if the server
    /// does not send them. `read` is the configuration as it was read: `text`, or the one that `text` was made of.
    pub fn composed(&self, text: &Arc<Snapshot>, read: &Snapshot) -> Result<Option<Composed>, Error> {
        let name = self.service.name();
        match (&self.file, &read.included) {
            // On this machine, the files are read with the rights of this user.
            (Some(file), _) => Ok(Composed::compose(name, text, &**file)),
            (None, Some(sent)) => {
                Ok(Composed::of_sent(name, text, sent.as_ref().as_ref().map_err(Clone::clone)?))
            }
            // A cluster has no files.
            (None, None) if !self.is_server => {
                Ok(Composed::with(name, text, FilePath::new(""), &|_, _| Ok(Vec::new())))
            }
            (None, None) => Ok(None),
        }
    }

    /// Reads a configuration as text; `None` is the running one, or the file where no server runs.
    pub fn read_text(&mut self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        let text = self.service.read(source)?;
        match text.is_of_values {
            true => Err(Error::not_offered(self.service.name(), "the text of the configuration")),
            false => Ok(text),
        }
    }
}

/// The use that a command makes of its target; by default it only reads.
#[derive(Clone, Copy, Default)]
pub struct Purpose<'a> {
    pub changes: bool,
    /// The options of a change.
    pub args: Option<&'a ChangeArgs>,
}

impl Purpose<'_> {
    /// The engine for this use of a store.
    fn engine(self, store: Arc<impl Store + 'static>) -> Engine {
        let hooking = self.args.map(|args| &args.hooking);
        let mut hooks = hooking.map(HookArgs::hooks).unwrap_or_default();
        if !hooks.are_empty() {
            hooks.interrupt = interrupt();
        }
        let told = if self.args.is_some_and(|args| args.quiet) { |_: &str| {} } else { waiting };
        Engine::new(store, hooks, told).keeping(hooking.and_then(|hooking| hooking.keep))
    }
}

impl<'a> From<&'a ChangeArgs> for Purpose<'a> {
    fn from(args: &'a ChangeArgs) -> Self {
        Self { changes: true, args: Some(args) }
    }
}

/// Finds the target of a command. Where a server runs over the file, the server is the target: it alone
/// changes the file.
pub fn resolve(global: &GlobalArgs, purpose: Purpose<'_>, ui: Ui) -> Result<Target, Error> {
    named_server(global, purpose, ui)?.map_or_else(|| at_file(global, purpose, ui), Ok)
}

/// Finds the target of a command that reads the file itself, whether or not a server runs over it.
pub fn file_or_named_server(global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    match named_server(global, Purpose::default(), ui)? {
        Some(target) => Ok(target),
        None => input::store(&global.conf).map(|file| without_server(file, Purpose::default())),
    }
}

/// A file over which no server runs, or none that can be asked.
fn without_server(file: Arc<ConfFile>, purpose: Purpose<'_>) -> Target {
    Target { file: Some(file.clone()), ..Target::new(purpose.engine(file), false) }
}

/// The URL of the server that the options, the environment or the context in use name, whose it is, and whether it is a
/// configuration in etcd; `None` if they name a file.
fn named(global: &GlobalArgs) -> Result<Option<(String, Owner, bool)>, Error> {
    let (url, by) = match global.chosen.kind {
        TargetKind::EmptyOption(option) => {
            let message = format!("`{option}` has an empty value, which names nothing");
            return Err(Error::usage(message, "leave it out for the usual target"));
        }
        TargetKind::TwoOptions(options) => return Err(two_options(options)),
        TargetKind::TwoVariables([one, other]) => {
            let message = format!("{one} and {other} are two different targets");
            let hint = "choose one with `--conf`, `--url`, `--cluster` or `--context`";
            return Err(Error::usage(message, hint));
        }
        TargetKind::File => return Ok(None),
        _ if context::several_chosen(global) => return Err(Error::several_servers()),
        TargetKind::Cluster(by) => (&global.cluster, by),
        TargetKind::Server(by) => (&global.url, by),
        _ => {
            let Some(context) = context::chosen(global)? else { return Ok(None) };
            let (url, is_cluster) = (context.url.clone(), ClusterUrl::is_meant(&context.url));
            return Ok(Some((url, Owner::Context(context.into()), is_cluster)));
        }
    };
    let is_cluster = matches!(global.chosen.kind, TargetKind::Cluster(_));
    Ok(url.as_ref().map(|url| (url.0.clone(), Owner::Named(by), is_cluster)))
}

/// The server that the options, the environment or the context in use name; `None` if they name a file.
fn named_server(global: &GlobalArgs, purpose: Purpose<'_>, ui: Ui) -> Result<Option<Target>, Error> {
    let Some((url, owner, is_cluster)) = named(global)? else { return Ok(None) };
    if is_cluster {
        return at_cluster(&url, &owner, purpose, global).map(Some);
    }
    refuse_hooks(global)?;
    at_url(&url, &owner, global, Box::new(RemoteHost(ui)), false).map(Some)
}

/// The error for two options that name different targets.
pub fn two_options([one, other]: [&str; 2]) -> Error {
    Error::usage(format!("`{one}` and `{other}` are two different targets"), "leave one of them out")
}

/// Refuses hooks where a server changes the file.
pub fn refuse_hooks(global: &GlobalArgs) -> Result<(), Error> {
    let what = "a server changes the file, so `--check-cmd`, `--reload-cmd` and `--keep` have no effect here";
    let refused = || Error::usage(what, "give them to its `serve`, or leave them out");
    if global.chosen.hooks { Err(refused()) } else { Ok(()) }
}

fn at_file(global: &GlobalArgs, purpose: Purpose<'_>, ui: Ui) -> Result<Target, Error> {
    let (file, changes, name) = (input::store(&global.conf)?, purpose.changes, global.file_name());
    let own = without_server(file.clone(), purpose);
    let serving = match file.serving() {
        Ok(Some(serving)) => serving,
        Ok(None) if purpose.args.is_some_and(|args| args.confirm.is_some()) => {
            let hint = "start `mediactl serve` over the file, or leave `--confirm` out";
            let what = "`--confirm` needs a server: only a server can roll back on timeout";
            return Err(Error::usage(what, hint));
        }
        Ok(None) => {
            if file.has_pending() && !changes {
                ui.warning(
                    "a change was not confirmed before its server ended; \
                     the next change, or `mediactl serve`, rolls it back",
                );
            }
            return Ok(own);
        }
        // As the lock, which is there, would say it.
        Err(error) if changes && error.kind == ErrorKind::Denied => {
            return Err(Error::state_folder(&file.state_dir())(Errno::ACCESS));
        }
        Err(error) if changes => return Err(error),
        Err(error) => {
            ui.warning(&format!("{error}: showing the file, whether or not a server runs"));
            return Ok(Target { unreachable: Some("unknown".to_owned()), ..own });
        }
    };
    let holder = &serving.holder;
    match serving.reach() {
        Ok(()) if changes => refuse_hooks(global)?,
        Ok(()) => {}
        Err(source) if changes => return Err(unreachable(&name, holder, &source)),
        Err(error) => {
            let why = format!("can't be reached ({})", reason(&error));
            ui.warning(&format!("the server of `{name}`, {holder}, {why}: showing the file"));
            return Ok(Target { unreachable: Some(format!("{holder}, which can't be reached")), ..own });
        }
    }
    let endpoint = Endpoint::socket(serving.socket(), DEFAULT_PREFIX);
    let settings = ClientSettings {
        timeout: global.remote.time(None),
        max_answer: global.remote.max_answer,
        sudo_user: sudo_user(),
        ..ClientSettings::default()
    };
    let client = Client::new(endpoint, name, None, settings, Box::new(RemoteHost(ui)));
    Ok(Target { file: own.file, ..Target::new(RemoteService::new(client, serving), true) })
}

/// The server over a file can't be reached, and it alone may change the file.
fn unreachable(name: &str, holder: &str, source: &io::Error) -> Error {
    let is_denied = source.kind() == io::ErrorKind::PermissionDenied;
    let kind = if is_denied { ErrorKind::Denied } else { ErrorKind::NotFound };
    let what = format!("the server of `{name}`, {holder}, can't be reached");
    let why = format!("while {holder} runs, it alone changes the file: wait for it, or end it");
    Error::of_system(kind, what, source).hint(format!("nothing was changed; {why}"))
}

/// The server at a URL that is an argument of a command. If a context is used, its login and password are
/// for this server only if scheme, host and port are those of the context.
pub fn at_argument(url: &str, global: &GlobalArgs, ui: Ui) -> Result<Target, Error> {
    let (endpoint, _) = Endpoint::parse(url, DEFAULT_PREFIX)?;
    let owner = match context::chosen(global)? {
        Some(context) if endpoint.is_same_origin(&context.url) => Owner::Context(context.into()),
        Some(_) => Owner::Nobody,
        None => Owner::Named(NamedBy::CommandLine),
    };
    at_url(url, &owner, global, Box::new(RemoteHost(ui)), false)
}

/// The server of a context that is one of several. `host` must not ask anything, because the servers are
/// worked on at the same time; so this asks for a missing password.
pub fn at_member(context: ServerContext, global: &GlobalArgs, host: Box<dyn Host>) -> Result<Target, Error> {
    let (url, owner) = (context.url.clone(), Owner::Context(context.into()));
    match ClusterUrl::is_meant(&url) {
        true => at_cluster(&url, &owner, Purpose::default(), global),
        false => at_url(&url, &owner, global, host, true),
    }
}

/// Runs the password command of a context, if its password is to come from there. What it prints, or why it fails, is known
/// when the server is opened.
pub fn run_password_command(context: &ServerContext, global: &GlobalArgs) {
    let owner = Owner::Context(context.clone().into());
    let _ = userinfo(&context.url).and_then(|it| KnownCredentials::find(&global.remote, it, &owner, None));
}

/// The login and the password in the URL of a server, or of a configuration in etcd.
pub fn userinfo(url: &str) -> Result<UserInfo, Error> {
    match ClusterUrl::is_meant(url) {
        true => cluster_url(url).map(|(_, userinfo)| userinfo),
        false => Endpoint::parse(url, DEFAULT_PREFIX).map(|(_, userinfo)| userinfo),
    }
}

/// The server at a URL, which messages call by its context.
fn at_url(
    url: &str,
    owner: &Owner,
    global: &GlobalArgs,
    host: Box<dyn Host>,
    asks_first: bool,
) -> Result<Target, Error> {
    let (options, context) = (&global.remote, owner.context());
    let prefix = options.prefix(context.and_then(|context| context.api_prefix.as_deref()));
    let (endpoint, userinfo) = Endpoint::parse(url, prefix)?;
    let mut known = KnownCredentials::find(options, userinfo, owner, Some(&endpoint))?;
    let name = match context.filter(|context| context.url == url) {
        Some(context) => {
            if let (Some(login), None, true) = (&known.login, &known.password, asks_first) {
                known.password = prompts::secret(&format!("password of {login} for {}", context.name))?;
            }
            format!("{} ({endpoint})", context.name)
        }
        None => endpoint.to_string(),
    };
    let credentials = known.login.clone().zip(known.password);
    let trust = trust(options, context)?;
    if matches!(trust, TlsTrust::Pinned(_)) && !endpoint.is_https() {
        let message = format!("`{name}` has no certificate, so it has no fingerprint");
        return Err(Error::usage(message, "start the URL with `https://`, or leave the fingerprint out"));
    }
    let settings = ClientSettings {
        credentials: credentials.map(|(login, password)| Credentials::new(login, password)).transpose()?,
        trust,
        timeout: options.time(context.and_then(|context| context.timeout)),
        max_answer: options.max_answer,
        ..ClientSettings::default()
    };
    let client = Client::new(endpoint, name, known.login, settings, host);
    Ok(Target::new(RemoteService::new(client, ()), true))
}

/// Returns the trusted certificates: as the options say, else as the context says.
fn trust(options: &RemoteArgs, context: Option<&ServerContext>) -> Result<TlsTrust, Error> {
    let (fingerprint, cacert) = match (options.fingerprint, &options.cacert, context) {
        (None, None, _) if options.insecure => return Ok(TlsTrust::Every),
        (None, None, Some(context)) => {
            let pinned = context.fingerprint.as_deref().map(str::parse).transpose();
            let hint = "the `fingerprint` of the context is wrong";
            (pinned.map_err(|error: &str| Error::usage(error, hint))?, &context.cacert)
        }
        (fingerprint, cacert, _) => (fingerprint, cacert),
    };
    match (fingerprint, cacert) {
        (Some(fingerprint), _) => Ok(TlsTrust::Pinned(fingerprint)),
        (None, Some(file)) => input::read(file).map(TlsTrust::Authorities),
        (None, None) => Ok(TlsTrust::Platform),
    }
}

/// The configuration in etcd at a URL, which an option or a variable names, or a context has.
fn at_cluster(url: &str, owner: &Owner, purpose: Purpose<'_>, global: &GlobalArgs) -> Result<Target, Error> {
    Ok(Target::new(purpose.engine(Arc::new(cluster_store(url, owner, &global.remote)?)), false))
}

/// Parses the URL of a configuration in etcd, and the login and password in it.
fn cluster_url(url: &str) -> Result<(ClusterUrl, UserInfo), Error> {
    ClusterUrl::parse(url)
        .map_err(|error| Error::usage(error, "write it like `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`"))
}

/// The configuration in etcd that the options, the environment or the context in use name.
fn cluster(global: &GlobalArgs) -> Result<Option<ClusterStore>, Error> {
    let found = named(global)?.filter(|(.., is_cluster)| *is_cluster);
    found.map(|(url, owner, _)| cluster_store(&url, &owner, &global.remote)).transpose()
}

/// As [`cluster`], for a command that needs one.
pub fn named_cluster(global: &GlobalArgs) -> Result<ClusterStore, Error> {
    let hint = "name one with `--cluster URL`, or with the context of one";
    cluster(global)?.ok_or_else(|| Error::usage("nodes are in a cluster", hint))
}

/// As [`cluster`], for a node that follows the configuration: its file may be named, too.
pub fn followed_cluster(global: &GlobalArgs) -> Result<Option<ClusterStore>, Error> {
    let kind = match global.chosen.kind {
        _ if global.cluster.is_some() => TargetKind::Cluster(NamedBy::CommandLine),
        TargetKind::TwoOptions(["--conf", "--context"]) => TargetKind::Context(NamedBy::CommandLine),
        kind => kind,
    };
    let beside_file = GlobalArgs { chosen: ChosenTarget { kind, ..global.chosen }, ..global.clone() };
    cluster(&beside_file)
}

/// The configuration in etcd at a URL. Sends nothing. A request gets less time than usual if the user says so, but never
/// more: etcd answers at once.
fn cluster_store(url: &str, owner: &Owner, options: &RemoteArgs) -> Result<ClusterStore, Error> {
    let (url, userinfo) = cluster_url(url)?;
    // Its last write is noted before it is read: a file that is replaced meanwhile is then read again.
    let password_file =
        options.password_file.as_ref().and_then(|path| Some((path.clone(), LastWrite::of(path)?)));
    let known = KnownCredentials::find(options, userinfo, owner, None)?;
    if options.insecure || options.fingerprint.is_some() {
        let hint = "`--cacert FILE` names the authorities that etcd's certificates are from";
        return Err(Error::usage("`--insecure` and `--fingerprint` are for servers, and not for etcd", hint));
    }
    // A password in a file is read again when the file is replaced.
    let password = known.password.map(|password| ReplaceableFile::new(password, password_file));
    let login = known.login.zip(password);
    let context = owner.context();
    let pem = |given: &Option<PathBuf>, of_context: fn(&ServerContext) -> &Option<PathBuf>| {
        let file = given.as_deref().or_else(|| context.and_then(|context| of_context(context).as_deref()));
        file.map(|file| ReplaceableFile::read(file, input::read)).transpose()
    };
    let authorities = pem(&options.cacert, |context| &context.cacert)?;
    let certificate = pem(&options.cert, |context| &context.cert)?;
    let identity = certificate.zip(pem(&options.key, |context| &context.key)?);
    let timeout = DEFAULT_REQUEST_TIME.min(options.time(context.and_then(|context| context.timeout)));
    Ok(ClusterStore::new(url, GatewaySettings { login, authorities, identity }).with_time(timeout))
}

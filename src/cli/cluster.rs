//! Finds the configuration in etcd that a command works on, or that a server follows as a node.

use std::path::Path;
use std::sync::Arc;

use crate::cli::args::global::{ChosenTarget, GlobalArgs, NamedBy, RemoteArgs, TargetKind};
use crate::cli::context::{self, ServerContext};
use crate::cli::credentials::KnownCredentials;
use crate::cli::input;
use crate::cli::ui::waiting;
use crate::engine::{Engine, Hooks};
use crate::error::Error;
use crate::http::client::UserInfo;
use crate::node::{Node, NodeSettings, first_text};
use crate::store::etcd::{ClusterStore, ClusterUrl, DEFAULT_REQUEST_TIME, GatewaySettings};
use crate::store::file::ConfFile;
use crate::store::{LastWrite, ReplaceableFile};

/// Parses the URL of a configuration in etcd, and the login and password in it.
pub fn parsed(url: &str) -> Result<(ClusterUrl, UserInfo), Error> {
    ClusterUrl::parse(url)
        .map_err(|error| Error::usage(error, "write it like `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`"))
}

/// The configuration at a URL, which an option or a variable names, or a context has. Sends nothing.
pub fn store(
    url: &str,
    source: Result<NamedBy, &ServerContext>,
    options: &RemoteArgs,
) -> Result<ClusterStore, Error> {
    let (url, userinfo) = parsed(url)?;
    // Before it is read, so that no later file passes for this one.
    let password_file = options.password_file.as_deref().map(|path| (path, LastWrite::of(path)));
    let known = match source {
        Ok(source) => KnownCredentials::of_cluster(options, userinfo, source)?,
        Err(context) => KnownCredentials::of_context(options, context, userinfo)?,
    };
    if options.insecure || options.fingerprint.is_some() {
        return Err(Error::usage(
            "`--insecure` and `--fingerprint` are for servers, and not for etcd",
            "`--cacert FILE` names the authorities that etcd's certificates are from",
        ));
    }
    let login = known.into_login().map(|(login, password)| (login, replaceable(password, password_file)));
    let settings = GatewaySettings { login, ..settings(options, source.err())? };
    Ok(ClusterStore::new(url, settings))
}

/// The configuration in etcd that the options, the environment or the context in use name.
pub fn named(global: &GlobalArgs) -> Result<(ClusterStore, Option<ServerContext>), Error> {
    if context::several_chosen(global) {
        return Err(Error::several_servers());
    }
    let context = context::chosen(global)?.filter(|context| ClusterUrl::is_meant(&context.url));
    let found = match (global.chosen.kind, &global.cluster, &context) {
        (TargetKind::Cluster(source), Some(url), _) => Some((&url.0, Ok(source))),
        (_, _, Some(context)) => Some((&context.url, Err(context))),
        _ => None,
    };
    let Some((url, source)) = found else {
        let hint = "name one with `--cluster URL`, or with the context of one";
        return Err(Error::usage("nodes are in a cluster", hint));
    };
    Ok((store(url, source, &global.remote)?, context))
}

/// Returns the files for TLS, and the limits of a request: less time than usual, if the user says so, but never more: etcd
/// answers at once.
fn settings(options: &RemoteArgs, context: Option<&ServerContext>) -> Result<GatewaySettings, Error> {
    let of_context = |file: fn(&ServerContext) -> Option<&Path>| context.and_then(file);
    let authorities = options.cacert.as_deref().or(of_context(|context| context.cacert.as_deref()));
    let certificate = options.cert.as_deref().or(of_context(|context| context.cert.as_deref()));
    let key = options.key.as_deref().or(of_context(|context| context.key.as_deref()));
    let identity = match certificate.zip(key) {
        Some((certificate, key)) => Some((pem(certificate)?, pem(key)?)),
        None => None,
    };
    let time = options.time(context.and_then(|context| context.timeout));
    let largest = options.answer(context.and_then(|context| context.max_answer)).bytes();
    let (authorities, timeout) = (authorities.map(pem).transpose()?, DEFAULT_REQUEST_TIME.min(time));
    Ok(GatewaySettings { login: None, authorities, identity, timeout, largest })
}

fn pem(path: &Path) -> Result<ReplaceableFile, Error> {
    ReplaceableFile::read(path, input::read)
}

/// A password, which is read again where a file has it.
fn replaceable(password: String, file: Option<(&Path, Option<LastWrite>)>) -> ReplaceableFile {
    match file {
        Some((path, Some(stamp))) => ReplaceableFile::of(path, stamp, password),
        _ => ReplaceableFile::fixed(password),
    }
}

/// The options that stand beside each other where a node is started.
const BOTH: [&str; 2] = ["--conf", "--cluster"];

/// The same, where a context names the cluster.
const WITH_CONTEXT: [&str; 2] = ["--conf", "--context"];

/// The node that a server is to be, and its cluster.
pub struct Membership {
    settings: NodeSettings,
    texts: Arc<ClusterStore>,
}

/// The node that a server is to be; `None` for a server of its own.
pub fn membership(settings: Option<NodeSettings>, global: &GlobalArgs) -> Result<Option<Membership>, Error> {
    let Some(settings) = settings else { return refuse_cluster(global).map(|()| None) };
    let no_cluster =
        || Error::usage("`--node` needs a cluster", "give the URL of the configuration: `--cluster URL`");
    let texts = followed(global)?.ok_or_else(no_cluster)?;
    Ok(Some(Membership { settings, texts: Arc::new(texts) }))
}

/// The configuration in etcd that the options or the context in use name beside a file.
fn followed(global: &GlobalArgs) -> Result<Option<ClusterStore>, Error> {
    if let Some(url) = &global.cluster {
        return store(&url.0, Ok(NamedBy::CommandLine), &global.remote).map(Some);
    }
    let context = context::chosen(&beside_file(global))?.filter(|context| ClusterUrl::is_meant(&context.url));
    context.map(|context| store(&context.url, Err(&context), &global.remote)).transpose()
}

/// The same arguments without `--conf`, beside which a context may name the cluster.
fn beside_file(global: &GlobalArgs) -> GlobalArgs {
    let kind = match global.chosen.kind {
        TargetKind::TwoOptions(WITH_CONTEXT) => TargetKind::Context(NamedBy::CommandLine),
        kind => kind,
    };
    GlobalArgs { chosen: ChosenTarget { kind, ..global.chosen }, ..global.clone() }
}

/// A server that is not a node works on a file alone.
fn refuse_cluster(global: &GlobalArgs) -> Result<(), Error> {
    match global.chosen.kind {
        TargetKind::Cluster(_) | TargetKind::TwoOptions(BOTH) => {
            Err(Error::usage("a server of a cluster needs a name", "give it with `--node NAME`"))
        }
        _ => Ok(()),
    }
}

impl Membership {
    /// Writes the file, if it is missing; false if `goes_on` wants to wait for its text no longer.
    pub fn first_text(
        &self,
        engine: &Engine,
        file: &ConfFile,
        goes_on: impl FnMut(&Error) -> bool,
    ) -> Result<bool, Error> {
        first_text(&self.settings.name, &self.texts, (engine, file), goes_on)
    }

    /// The node over an engine that runs a configuration.
    pub fn join(self, engine: &Engine, file: Arc<ConfFile>) -> Result<Arc<Node>, Error> {
        let Self { settings, texts } = self;
        let cluster = Engine::new(texts.clone(), Hooks::default(), waiting);
        Node::new(settings, engine.clone(), file, (cluster, texts))
    }
}

//! Makes a server a node of a cluster.

use std::sync::Arc;

use crate::cli::args::global::{ChosenTarget, GlobalArgs, NamedBy, TargetKind};
use crate::cli::cluster;
use crate::cli::context;
use crate::cli::error::CliError;
use crate::cli::ui::waiting;
use crate::engine::{Engine, EngineError, Hooks};
use crate::node::{Node, NodeSettings, first_text};
use crate::store::cluster::{ClusterStore, ClusterUrl};
use crate::store::file::ConfFile;

/// The options that stand beside each other where a node is started.
const BOTH: [&str; 2] = ["--conf", "--cluster"];

/// The same, where a context names the cluster.
const WITH_CONTEXT: [&str; 2] = ["--conf", "--context"];

/// Which node a server is to be, and of which cluster.
pub struct Membership {
    settings: NodeSettings,
    texts: Arc<ClusterStore>,
}

/// The node that a server is to be; `None` for a server of its own.
pub fn membership(
    settings: Option<NodeSettings>,
    global: &GlobalArgs,
) -> Result<Option<Membership>, CliError> {
    let Some(settings) = settings else { return refuse_cluster(global).map(|()| None) };
    let no_cluster =
        || CliError::usage("`--node` needs a cluster", "give the URL of the configuration: `--cluster URL`");
    let texts = store(global)?.ok_or_else(no_cluster)?;
    Ok(Some(Membership { settings, texts: Arc::new(texts) }))
}

/// The configuration in etcd that the options or the context in use name.
fn store(global: &GlobalArgs) -> Result<Option<ClusterStore>, CliError> {
    if let Some(url) = &global.cluster {
        return cluster::store(&url.0, Ok(NamedBy::CommandLine), &global.remote).map(Some);
    }
    let context = context::chosen(&beside_file(global))?.filter(|context| ClusterUrl::is_meant(&context.url));
    context.map(|context| cluster::store(&context.url, Err(&context), &global.remote)).transpose()
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
fn refuse_cluster(global: &GlobalArgs) -> Result<(), CliError> {
    match global.chosen.kind {
        TargetKind::Cluster(_) | TargetKind::TwoOptions(BOTH) => {
            Err(CliError::usage("a server of a cluster needs a name", "give it with `--node NAME`"))
        }
        _ => Ok(()),
    }
}

impl Membership {
    /// Writes the file, if it is missing.
    pub fn first_text(&self, engine: &Engine, file: &ConfFile) -> Result<(), EngineError> {
        first_text(&self.settings.name, &self.texts, (engine, file))
    }

    /// The node over an engine that runs a configuration.
    pub fn join(self, engine: &Engine, file: Arc<ConfFile>) -> Result<Arc<Node>, EngineError> {
        let Self { settings, texts } = self;
        let cluster = Engine::new(texts.clone(), Hooks::default(), waiting);
        Node::new(settings, engine.clone(), file, (cluster, texts))
    }
}

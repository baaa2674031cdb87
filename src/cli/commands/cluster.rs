//! `mediactl cluster`

use clap::Subcommand;
use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::global::ResultArgs;
use crate::cli::fleet::names::in_ranges;
use crate::cli::local::local_user;
use crate::cli::prompts;
use crate::cli::target;
use crate::cli::ui::Ui;
use crate::error::{Error, Exit};
use crate::store::etcd::{ClusterStore, Seen};
use crate::store::{NodeRecord, NodeState, Store, clock};

/// Look after a cluster and its nodes
///
/// `mediactl status` shows the nodes: those that follow the configuration, and those that are gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --cluster etcd://10.0.0.1/prod cluster forget edge7
  mediactl --cluster etcd://10.0.0.1/prod cluster adopt")]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub command: ClusterCommand,

    #[command(flatten)]
    pub result: ResultArgs,
}

#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Go on with a cluster whose nodes are held: it was restored from a back-up, or made anew
    ///
    /// Shows what would be lost: the changes that nodes run and the cluster does not have. Then the nodes take the text of
    /// the cluster.
    Adopt {
        /// Agree to what is shown
        #[arg(short, long)]
        yes: bool,
    },

    /// Forget nodes that are gone for good, so that `status` shows them no longer
    Forget {
        /// The nodes
        #[arg(value_name = "NODE", required = true)]
        nodes: Vec<String>,
    },
}

impl ClusterArgs {
    pub fn run(&self, Invocation { global, ui, .. }: Invocation<'_>) -> Result<Exit, Error> {
        let store = target::named_cluster(global)?;
        match &self.command {
            ClusterCommand::Adopt { yes } => adopt(&store, *yes, ui)?,
            ClusterCommand::Forget { nodes } => {
                let forgot = |nodes: &[String]| format!("forgot {}", nodes.join(", "));
                for (count, node) in nodes.iter().enumerate() {
                    store.forget_node(node).map_err(|error| match &nodes[..count] {
                        [] => error,
                        gone => Error { message: format!("{error}, and {}", forgot(gone)), ..error },
                    })?;
                }
                let words = forgot(nodes);
                ui.done(&words, &json!({ "result": "forgotten", "nodes": nodes }))?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Begins a new epoch, if nodes are held and the user agrees.
fn adopt(store: &ClusterStore, is_agreed: bool, ui: Ui) -> Result<(), Error> {
    let nodes = store.nodes()?.unwrap_or_default();
    let held: Vec<&NodeRecord> = nodes.iter().filter(|node| node.state == NodeState::Held).collect();
    let mut seen = if held.is_empty() { Seen::default() } else { store.seen()? };
    // A last change that was not confirmed in time is taken back first, as before any other change.
    if let Some(open) = seen.open() {
        if !open.is_over {
            return Err(Error::pending(&open));
        }
        store.take_back(&seen)?;
        seen = store.seen()?;
    }
    let Some(head) = &seen.head else {
        return ui.done("no node is held, so nothing was changed", &json!({ "result": "unchanged" }));
    };
    // What an adoption means, also to nodes that do not live, or whose record can't be read.
    for NodeRecord { node, serial, state, why, .. } in &nodes {
        let serial = serial.map_or_else(|| "nothing".to_owned(), |serial| serial.to_string());
        let why = why.as_deref().unwrap_or("-");
        match state {
            NodeState::Held => ui.say(&format!("{node} runs {serial} and is held: {why}")),
            NodeState::Gone => ui.say(&format!(
                "{node} is gone, and ran {serial}: if it comes back, it takes the text of the cluster, too ({why})"
            )),
            _ => {}
        }
    }
    let question = format!(
        "{} would go to change {} of {} and lose the later changes that they run: adopt it?",
        in_ranges(&held.iter().map(|node| node.node.as_str()).collect::<Vec<_>>()),
        head.serial,
        clock::rfc3339(head.at),
    );
    if !is_agreed {
        let refused = format!("the cluster was not adopted, as nobody agreed: {question}");
        prompts::agree(&question, refused, "`--yes` agrees; nothing was changed")?;
    }
    let epochs: Vec<&str> = held.iter().filter_map(|node| node.epoch.as_deref()).collect();
    store.adopt(&seen, &epochs, &local_user())?;
    let number = head.serial + 1;
    let words = format!("adopted: the cluster goes on with change {number}");
    ui.done(&words, &json!({ "result": "adopted", "number": number }))
}

//! `mediactl cluster`

use clap::Subcommand;

use crate::cli::cluster;
use crate::cli::context::ServerContext;
use crate::cli::fleet::names::in_ranges;
use crate::cli::invocation::Invocation;
use crate::cli::local_user::local_user;
use crate::cli::prompts;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::etcd::{ClusterStore, ForgottenNode, Seen};
use crate::store::{NodeRecord, NodeState, Store, clock};

/// Look after a cluster and its nodes
///
/// `mediactl status` shows the nodes: those that follow the configuration, and those that are gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --cluster etcd://10.0.0.1/prod cluster forget edge7
  mediactl --cluster etcd://10.0.0.1/prod cluster retry
  mediactl --cluster etcd://10.0.0.1/prod cluster adopt")]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub command: ClusterCommand,
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

        /// Agree to the change of a protected context
        #[arg(short, long)]
        yes: bool,
    },

    /// Ask nodes to try again at once what they could not take
    ///
    /// A node tries again by itself, too, after pauses that grow to 5 minutes. SIGHUP asks one node.
    Retry {
        /// The nodes; without one, all that failed
        #[arg(value_name = "NODE")]
        nodes: Vec<String>,

        /// Agree to the reloads of a protected context
        #[arg(short, long)]
        yes: bool,
    },
}

pub fn run(args: &ClusterArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let named = || cluster::named(call.global);
    match &args.command {
        ClusterCommand::Adopt { yes } => adopt(&named()?.0, *yes, call.ui),
        ClusterCommand::Forget { nodes, yes } => {
            let (store, context) = named()?;
            ask_if_protected(context.as_ref(), *yes)?;
            nodes.iter().try_for_each(|node| forget(&store, node, call.ui)).map(|()| Exit::Done)
        }
        ClusterCommand::Retry { nodes, yes } => {
            let (store, context) = named()?;
            ask_if_protected(context.as_ref(), *yes)?;
            retry(&store, nodes, call.ui).map(|()| Exit::Done)
        }
    }
}

fn ask_if_protected(context: Option<&ServerContext>, is_agreed: bool) -> Result<(), Error> {
    let purpose = Purpose { changes: true, is_agreed, ..Purpose::default() };
    context.map_or(Ok(()), |context| target::ask_if_protected(context, &purpose))
}

/// Asks nodes to try again what they did not take: those that are named, or all that did not take it.
fn retry(store: &ClusterStore, names: &[String], ui: Ui) -> Result<(), Error> {
    let nodes = store.nodes()?.unwrap_or_default();
    let lives = |node: &NodeRecord| node.state != NodeState::Gone;
    let is_meant = |node: &NodeRecord| match names.is_empty() {
        true => node.state == NodeState::Failed,
        false => names.contains(&node.node),
    };
    let known = |name: &&String| nodes.iter().any(|node| node.node == **name && lives(node));
    if let Some(name) = names.iter().find(|name| !known(name)) {
        return Err(Error::new(ErrorKind::NotFound, format!("no node `{name}` lives"))
            .hint("`mediactl status` shows the nodes"));
    }
    let asked: Vec<&str> = nodes.iter().filter(|node| is_meant(node)).map(|node| &*node.node).collect();
    if asked.is_empty() {
        ui.say("no node failed, so none is asked");
        return Ok(());
    }
    store.ask_to_retry(&asked)?;
    ui.say(&format!("asked {} to try again", in_ranges(&asked)));
    Ok(())
}

fn forget(store: &ClusterStore, node: &str, ui: Ui) -> Result<(), Error> {
    match store.forget_node(node) {
        Ok(ForgottenNode::Gone) => {
            ui.say(&format!("forgot {node}"));
            Ok(())
        }
        Ok(ForgottenNode::Unreadable) => {
            ui.say(&format!(
                "forgot {node}, whose record could not be read; if it lives, it puts another one"
            ));
            Ok(())
        }
        Ok(ForgottenNode::Unknown) => {
            Err(Error::new(ErrorKind::NotFound, format!("there is no record of the node `{node}`"))
                .hint("`mediactl status` shows the nodes"))
        }
        Err(error) if error.kind == ErrorKind::Overtaken => {
            Err(Error::new(ErrorKind::Conflict, format!("the node `{node}` lives"))
                .hint("stop it first; within 30 seconds of a crash its record is gone"))
        }
        Err(error) => Err(error),
    }
}

/// Says of a node that does not live, or whose record can't be read, what an adoption means to it.
fn unheard_in_words(NodeRecord { node, serial, state, why, .. }: &NodeRecord) -> Option<String> {
    let why = why.as_deref().unwrap_or("-");
    match (state, serial) {
        (NodeState::Gone, Some(serial)) => Some(format!(
            "{node} is gone, and ran #{serial}: if it comes back, it takes the text of the cluster, too ({why})"
        )),
        (NodeState::Gone, None) => {
            Some(format!("{node} is gone, and no change is known that it ran ({why})"))
        }
        _ => None,
    }
}

/// Returns the state of the cluster after its last change is decided: one that was not confirmed in time is taken back
/// first, as before any other change.
///
/// # Errors
/// `Pending`: the last change still waits to be confirmed.
fn decided(store: &ClusterStore) -> Result<Seen, Error> {
    let seen = store.seen()?;
    match seen.open() {
        Some(open) if !open.is_over => Err(Error::pending(&open)),
        Some(_) => {
            store.take_back(&seen)?;
            Ok(store.seen()?)
        }
        None => Ok(seen),
    }
}

/// Begins a new epoch, if nodes are held and the user agrees.
fn adopt(store: &ClusterStore, is_agreed: bool, ui: Ui) -> Result<Exit, Error> {
    let nodes = store.nodes()?.unwrap_or_default();
    let held: Vec<&NodeRecord> = nodes.iter().filter(|node| node.state == NodeState::Held).collect();
    let seen = if held.is_empty() { Seen::default() } else { decided(store)? };
    let Some(head) = &seen.head else {
        ui.say("no node is held, so nothing was changed");
        return Ok(Exit::Done);
    };
    for NodeRecord { node, serial, why, .. } in &held {
        let serial = serial.map_or_else(|| "nothing".to_owned(), |serial| format!("#{serial}"));
        ui.say(&format!("{node} runs {serial} and is held: {}", why.as_deref().unwrap_or("-")));
    }
    nodes.iter().filter_map(unheard_in_words).for_each(|words| ui.say(&words));
    let question = format!(
        "{} would take the text of #{} of {} and lose what they run beyond it: adopt it?",
        in_ranges(&held.iter().map(|node| node.node.as_str()).collect::<Vec<_>>()),
        head.serial,
        clock::rfc3339(head.at),
    );
    if !is_agreed {
        match prompts::confirm(&question).map_err(Error::prompt_failed)? {
            Some(true) => {}
            answer => return Err(Error::not_adopted(&question, answer)),
        }
    }
    let epochs: Vec<&str> = held.iter().filter_map(|node| node.epoch.as_deref()).collect();
    store.adopt(&seen, &epochs, &local_user())?;
    ui.say(&format!("adopted: the cluster goes on with #{}", head.serial + 1));
    Ok(Exit::Done)
}

//! The nodes of a cluster that do not run the last change yet.

use std::thread;
use std::time::{Duration, Instant};

use crate::cli::ui::Ui;
use crate::engine::{ConfigService, Status};
use crate::error::{Error, Exit};
use crate::store::{NodeRecord, NodeState};

/// The interval at which the nodes are looked at.
const INTERVAL: Duration = Duration::from_millis(300);

/// The serial of the configuration of a cluster. A change that was not confirmed in time does not count, even before
/// somebody has taken it back.
fn current(status: &Status) -> Option<u64> {
    let last = status.last_change.as_ref()?.serial;
    let is_over = status.pending.as_ref().is_some_and(|pending| pending.is_over);
    Some(if is_over { last.saturating_sub(2) } else { last })
}

/// Describes each node that does not run `serial` or a later change; without a serial, each that does not run the last
/// one. `None` if nodes can't follow.
pub fn missing(status: &Status, serial: Option<u64>) -> Option<Vec<String>> {
    let nodes = status.nodes.as_ref()?;
    let wanted = serial.or(current(status)).unwrap_or_default();
    let runs_it = |node: &&NodeRecord| {
        let is_well = matches!(node.state, NodeState::Running | NodeState::Canary);
        is_well && node.serial.is_some_and(|runs| runs >= wanted)
    };
    let words = |node: &NodeRecord| {
        let runs = node.serial.map_or("nothing".to_owned(), |runs| format!("#{runs}"));
        match node.state {
            NodeState::Running => format!("{} runs {runs}", node.node),
            NodeState::Gone => format!("{} is gone", node.node),
            _ => format!("{} runs {runs}, {}", node.node, node.state),
        }
    };
    Some(nodes.iter().filter(|node| !runs_it(node)).map(words).collect())
}

/// Waits until all nodes run `serial`, or the last change; returns those that do not when the time is over.
///
/// # Errors
/// Nodes can't follow; those of the service.
pub fn wait(
    service: &dyn ConfigService,
    serial: Option<u64>,
    most: Option<Duration>,
) -> Result<Vec<String>, Error> {
    let begin = Instant::now();
    loop {
        let found = missing(&service.status()?, serial).ok_or_else(no_cluster)?;
        if found.is_empty() || most.is_some_and(|most| begin.elapsed() >= most) {
            return Ok(found);
        }
        thread::sleep(INTERVAL);
    }
}

/// Waits until all nodes run a change that was made; returns those that do not when the time is over. What can't be read
/// is asked for again until then.
pub fn wait_for_made(service: &dyn ConfigService, most: Duration) -> Vec<String> {
    let begin = Instant::now();
    let mut own = None;
    let mut look = || -> Result<Vec<String>, Error> {
        if own.is_none() {
            own = service.history(1)?.first().map(|newest| newest.serial);
        }
        missing(&service.status()?, own).ok_or_else(no_cluster)
    };
    loop {
        let found = look();
        if found.as_ref().is_ok_and(Vec::is_empty) || begin.elapsed() >= most {
            let unknown =
                |error| vec![format!("the change is made, and which nodes run it is not known: {error}")];
            return found.unwrap_or_else(unknown);
        }
        thread::sleep(INTERVAL);
    }
}

/// Says which nodes do not run a change when the time is over.
pub fn exit_of(missing: &[String], ui: Ui) -> Exit {
    missing.iter().for_each(|node| ui.say(&format!("the time is over: {node}")));
    if missing.is_empty() { Exit::Done } else { Exit::Partly }
}

/// Refuses to wait for nodes where none can follow.
pub fn no_cluster() -> Error {
    Error::usage("only the nodes of a cluster are waited for", "name the cluster with `--cluster URL`")
}

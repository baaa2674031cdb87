//! A node, and its threads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use super::report::RecordPut;
use super::standing::NodeStanding;
use super::wake::Wake;
use crate::engine::{Engine, NodeReport, Refusal};
use crate::store::Store;
use crate::store::bounded_time;
use crate::store::cluster::ClusterStore;
use crate::store::file::{ConfFile, Followed};

/// The longest time for a look. A node that was cut off sends its request again and again, with pauses
/// that grow up to 0.8 s, and is back two seconds after the cluster.
/// In less time, many nodes would only ask a busy cluster more often.
pub(super) const LOOK_TIME: Duration = Duration::from_secs(3);

/// The handling of a hand edit of the file when the cluster has a new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDrift {
    /// It is overwritten, and kept in the history.
    #[default]
    Overwrite,
    /// It stays, and the node is held back.
    Keep,
}

/// The settings of a node.
#[derive(Debug, Clone)]
pub struct NodeSettings {
    pub name: String,
    pub on_drift: OnDrift,
    /// The command that fails while the media server of the node is not healthy.
    pub health: Option<String>,
}

/// A node of a cluster.
pub struct Node {
    pub(super) settings: NodeSettings,
    /// Runs the file.
    pub(super) local: Engine,
    /// Makes the changes that clients ask for.
    pub(super) cluster: Engine,
    /// The store of that engine, whose requests have the time that a large text takes.
    pub(super) texts: Arc<ClusterStore>,
    /// The store of the looks, with little time: the node is soon back when the cluster is.
    pub(super) store: ClusterStore,
    pub(super) file: Arc<ConfFile>,
    pub(super) wake: Wake,
    pub(super) report: RecordPut,
    standing: Mutex<NodeStanding>,
}

impl Node {
    /// A node over an engine that runs a configuration, and the engine over `texts`.
    ///
    /// # Errors
    /// `Store`: the state folder can't be used.
    pub fn new(
        settings: NodeSettings,
        local: Engine,
        file: Arc<ConfFile>,
        (cluster, texts): (Engine, Arc<ClusterStore>),
    ) -> Result<Arc<Self>, Refusal> {
        let store = texts.with_time(LOOK_TIME);
        // The nodes are spread over the members of etcd.
        store.gateway().prefer(xxh3_64(settings.name.as_bytes()) as usize);
        let followed = file.followed()?;
        let (wake, report) = (Wake::default(), RecordPut::default());
        let standing = Mutex::new(NodeStanding::new(followed));
        let node = Self { settings, local, cluster, texts, store, file, wake, report, standing };
        node.finish_what_was_cut_short()?;
        Ok(Arc::new(node))
    }

    /// Starts to follow.
    ///
    /// # Errors
    /// No thread can be spawned.
    pub fn start(self: &Arc<Self>) -> std::io::Result<()> {
        type Work = fn(&Node);
        let work: [(&str, Work); 3] =
            [("follow", Node::follow), ("watch", Node::watch), ("keep", Node::keep)];
        work.into_iter().try_for_each(|(name, run)| {
            let node = self.clone();
            thread::Builder::new().name(name.to_owned()).spawn(move || run(&node)).map(drop)
        })
    }

    pub(super) fn standing(&self) -> MutexGuard<'_, NodeStanding> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes durably which text the file holds.
    pub(super) fn note(&self, change: impl FnOnce(&mut Followed)) -> Result<(), Refusal> {
        let mut followed = self.standing().followed.clone();
        change(&mut followed);
        self.file.note_followed(&followed)?;
        self.standing().followed = followed;
        Ok(())
    }

    /// The message to clients of this node.
    pub(super) fn described(&self) -> NodeReport {
        let standing = self.standing();
        NodeReport {
            name: self.settings.name.clone(),
            cluster: self.texts.name(),
            serial: standing.serial(),
            wanted: standing.wanted,
            state: standing.state().to_string(),
            why: standing.why().map(|why| why.whole),
            brief: standing.why().map(|why| why.brief),
            since: bounded_time::rfc3339(standing.since),
            away: standing.away.clone(),
            skew: standing.skew,
            figures: standing.figures(self.store.gateway().certificate_expiry()),
        }
    }
}

//! The state that all endpoints share: the service, the figures of the server, and its limits.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;

use crate::engine::{ConfigService, Engine, KnownPaths, MaskedConfig, Snapshot};
use crate::http::protocol::parameters::Parameters;
use crate::http::server::auth::{Authenticator, Role};
use crate::http::server::fresh::Fresh;
use crate::http::server::log::AccessRecord;
use crate::http::server::message::Head;
use crate::http::server::runtime::Runtime;
use crate::http::server::waiting::WaitingRoom;
use crate::store::{PendingInfo, Revision};
use mediaconf::Masker;

/// A configuration without its secrets, by the revision of the text.
type Masked = (Revision, Arc<MaskedConfig>);

/// The number of masked configurations that are kept, for viewers and for editors.
const MOST_MASKED: usize = 4;

/// The state that all endpoints share.
pub struct Context {
    /// The service that reads and changes: the engine, or the node that it is a part of.
    pub service: Arc<dyn ConfigService>,
    /// The running configuration, and the counts of this server, for accounts, figures and metrics.
    pub engine: Engine,
    pub runtime: Runtime,
    pub authenticator: Authenticator,
    /// Hides revisions from those who may not see secrets: with the rest of a text known, a hash of it
    /// would let them try passwords.
    pub revision_key: RandomState,
    /// Makes the masks of secrets for those who may see them, and asked for masks.
    pub masker: Masker,
    /// The prefix of all paths, with a slash in front and none behind.
    pub prefix: String,
    /// The longest time for a change up to its write.
    pub change_time: Duration,
    /// The most bytes of memory for the merge of a patch.
    pub patch_memory: usize,
    /// Held while a patch is checked before its turn, so that only one of the waiting patches is parsed
    /// at a time.
    pub checking_patch: Mutex<()>,
    /// The last configuration with the masks of this server, for those who may see its secrets: each page of the console
    /// begins with it.
    pub last_masked: Mutex<Vec<Masked>>,
    /// The last configurations without their secrets.
    pub last_hidden: Mutex<Vec<Masked>>,
    /// The number of times that was done.
    pub maskings: AtomicU64,
    /// The metrics for those who have no password.
    pub open_metrics: Fresh<Arc<Vec<u8>>>,
    /// The paths that changes of the history changed, once they were looked for.
    pub changed_paths: Mutex<KnownPaths>,
    /// The places of requests that wait for a change.
    pub waiting: WaitingRoom,
    /// What a status tells of the nodes of a cluster.
    pub nodes: Fresh<Value>,
    /// The OpenAPI document, made for the first request.
    pub openapi: OnceLock<Arc<Vec<u8>>>,
}

impl Context {
    pub fn running(&self) -> Arc<Snapshot> {
        self.engine.running().expect("a handler is made over an engine that runs a configuration")
    }

    /// The change that has to be confirmed, as far as that is known.
    pub fn pending(&self) -> Option<PendingInfo> {
        self.service.pending().ok().flatten()
    }

    /// A revision as this role sees it.
    pub fn shown_revision(&self, revision: Revision, role: Role) -> Revision {
        match role {
            Role::Edit => revision,
            Role::View => Revision::from_text(&self.revision_key.hash_one(revision).to_be_bytes()),
        }
    }

    /// A configuration without its secrets, made for the first who asks. One is made at a time: that takes
    /// many times the memory of the text.
    pub fn hidden(&self, snapshot: &Snapshot) -> Arc<MaskedConfig> {
        kept(&self.last_hidden, snapshot, || {
            self.maskings.fetch_add(1, Ordering::Relaxed);
            Masker::opaque()
        })
    }

    /// A configuration with the masks of this server, made in the same way.
    pub fn masked(&self, snapshot: &Snapshot) -> Arc<MaskedConfig> {
        kept(&self.last_masked, snapshot, || self.masker.clone())
    }

    /// The time by which a change that begins now has to be written.
    pub fn until(&self) -> Instant {
        Instant::now() + self.change_time
    }
}

/// The masked configuration of a revision: one of the last ones, or a new one.
fn kept(
    last: &Mutex<Vec<Masked>>,
    snapshot: &Snapshot,
    masker: impl FnOnce() -> Masker,
) -> Arc<MaskedConfig> {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let revision = snapshot.revision();
    if let Some((_, masked)) = last.iter().find(|(known, _)| *known == revision) {
        return masked.clone();
    }
    let masked = Arc::new(MaskedConfig::new(snapshot, &masker()));
    if last.len() == MOST_MASKED {
        last.remove(0);
    }
    last.push((revision, masked.clone()));
    masked
}

/// One authenticated request for an endpoint.
pub struct EndpointCall<'r> {
    pub head: &'r Head,
    /// The body; whoever takes it frees it.
    pub body: Bytes,
    /// The last segment of the path, for routes that have one.
    pub argument: &'r str,
    pub parameters: &'r Parameters,
    /// The author of the request, for hooks and the history; empty where no credentials are needed.
    pub by: &'r str,
    pub role: Role,
    /// The log line of the request.
    pub record: &'r mut AccessRecord,
}

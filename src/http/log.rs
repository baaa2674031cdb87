//! One line a request, without a secret in it.

use std::time::{Duration, SystemTime};

use super::message::Peer;
use crate::store::Revision;

/// What is logged of an answer.
#[derive(Debug, Clone)]
pub struct Access {
    /// When the request was whole.
    pub at: SystemTime,
    /// Who sent it; none for a connection that never came about.
    pub peer: Option<Peer>,
    /// The login that was right; a wrong one may be a password in the wrong place.
    pub login: Option<String>,
    /// The method; empty where no request came.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// The length of its body.
    pub bytes: usize,
    /// How long it took to make.
    pub took: Duration,
    /// The revisions of the running configuration before and after, where they differ.
    pub revisions: Option<(Revision, Revision)>,
    /// What was wrong, or what else there is to say.
    pub detail: Option<String>,
}

/// Where log lines go.
pub type Log = Box<dyn Fn(&Access) + Send + Sync>;

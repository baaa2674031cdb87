//! The maker of the changes that clients of a server request: the engine over the file, or, on a node of
//! a cluster, the cluster.

use super::error::{Aftermath, EngineError};
use super::local::Engine;
use super::node_report::NodeReport;
use super::options::ChangeOptions;
use super::outcome::{Outcome, PendingInfo};
use crate::store::ChangeRef;
use mediaconf::edit::request::ChangeRequest;

/// Makes the changes that clients of a server ask for. An `update` changes this server alone, so the engine makes it.
pub trait Changes: Send + Sync {
    /// As [`Engine::modify`].
    ///
    /// # Errors
    /// As there.
    fn modify(&self, request: &ChangeRequest, options: &ChangeOptions) -> Result<Outcome, EngineError>;

    /// As [`Engine::save`].
    ///
    /// # Errors
    /// As there.
    fn save(&self, text: &[u8], options: &ChangeOptions) -> Result<Outcome, EngineError>;

    /// As [`Engine::rollback`].
    ///
    /// # Errors
    /// As there.
    fn rollback(&self, to: ChangeRef, options: &ChangeOptions) -> Result<Outcome, EngineError>;

    /// As [`Engine::confirm`].
    ///
    /// # Errors
    /// As there.
    fn confirm(&self, id: &str) -> Result<(), EngineError>;

    /// As [`Engine::cancel`].
    ///
    /// # Errors
    /// As there.
    fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, EngineError>;

    /// The change that has to be confirmed.
    fn pending(&self) -> Option<PendingInfo>;

    /// The report of this node; `None` if the server is in no cluster.
    fn node(&self) -> Option<NodeReport> {
        None
    }
}

impl Changes for Engine {
    fn modify(&self, request: &ChangeRequest, options: &ChangeOptions) -> Result<Outcome, EngineError> {
        self.modify(request, options)
    }

    fn save(&self, text: &[u8], options: &ChangeOptions) -> Result<Outcome, EngineError> {
        self.save(text, options)
    }

    fn rollback(&self, to: ChangeRef, options: &ChangeOptions) -> Result<Outcome, EngineError> {
        self.rollback(to, options)
    }

    fn confirm(&self, id: &str) -> Result<(), EngineError> {
        self.confirm(id)
    }

    fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, EngineError> {
        self.cancel(id, by)
    }

    fn pending(&self) -> Option<PendingInfo> {
        self.pending().map(|pending| pending.info())
    }
}

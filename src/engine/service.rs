//! The service that every command and every endpoint works on: the engine over a store, a node of a cluster, or a
//! server elsewhere.

use std::sync::Arc;
use std::time::Duration;

use super::change::{ChangeOptions, RequestedChange};
use super::change_report::ChangeReport;
use super::composed::Composed;
use super::content::Content;
use super::node_report::NodeReport;
use super::outcome::OutcomeNote;
use super::snapshot::Snapshot;
use super::status::{ServerHealth, Status};
use crate::error::Error;
use crate::store::{CanaryStep, CanaryWish, ChangeRef, HistoryEntry, NodeRecord, PendingInfo};

/// A configuration that can be read and changed.
///
/// # Errors
/// After each refusal the configuration is as it was, unless it says otherwise.
pub trait ConfigService: Send + Sync {
    /// The name in messages: the path of the file, or the URL of the server.
    fn name(&self) -> &str;

    /// Reads the configuration.
    fn read(&self, query: &ReadQuery) -> Result<Reading, Error>;

    /// Reads the running configuration, or the file where no server runs, as text if there is one; `None`
    /// if it is still the one that `tag` stands for. `tag` then stands for what was read.
    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Content>, Error>;

    /// Returns how the server is, and no text.
    fn health(&self) -> Result<ServerHealth, Error>;

    /// Returns a configuration that was read with the files that it includes; `None` if it includes none, has
    /// errors itself, or the server does not send them.
    fn composed(&self, text: &Arc<Snapshot>, source: Option<ConfigSource>)
    -> Result<Option<Composed>, Error>;

    /// Makes a change, or rehearses it.
    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error>;

    /// Returns a rollback by the serial number of what it goes back to, because another change would shift the number
    /// that counts back, and the changes that it undoes, the last one first; `None` for any other change.
    fn pinned(
        &self,
        requested: &RequestedChange<'_>,
    ) -> Result<Option<(RequestedChange<'static>, Vec<HistoryEntry>)>, Error> {
        let RequestedChange::Rollback(which) = requested else { return Ok(None) };
        let mut undone = self.history(which.entries())?;
        let Some(first) = undone.iter().position(|entry| entry.is(*which)) else { return Ok(None) };
        undone.truncate(first + 1);
        let serial = undone[first].serial;
        Ok(Some((RequestedChange::Rollback(ChangeRef::Serial(serial)), undone)))
    }

    /// Returns the changes in the history, the last one first: at least the last `wanted`, if there are so
    /// many.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error>;

    /// Returns the text before a change.
    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error>;

    /// Returns the change that has to be confirmed.
    fn pending(&self) -> Result<Option<PendingInfo>, Error> {
        Ok(self.health()?.pending)
    }

    /// Confirms the pending change, or rolls it back; `id` names it, `None` is whichever is pending. `by` is who
    /// decides, where the service can't know that by itself.
    fn decide(&self, decision: Decision, id: Option<&str>, by: &str) -> Result<Vec<OutcomeNote>, Error>;

    /// Refuses to go on with a server that has only the four operations that every server has, and so not what this noun
    /// says; nothing is changed.
    fn demand(&self, _noun: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Returns what the server of this process is in a cluster; `None` if it is in none, or is elsewhere.
    fn node(&self) -> Option<NodeReport> {
        None
    }

    /// Returns the records of the nodes of the cluster; `None` if there is none.
    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        Ok(None)
    }

    /// Waits until the state of a server may differ from the one of `tag`, at most for `most`; false if it can't be
    /// waited for.
    fn wait_for_change(&self, _tag: &mut Option<String>, _most: Duration) -> Result<bool, Error> {
        Ok(false)
    }

    /// Looks at the nodes that take the change `id` first, and decides it if it can be, as `wish` says.
    fn canaries(&self, _id: &str, _wish: &CanaryWish) -> Result<CanaryStep, Error> {
        Ok(CanaryStep::Decided)
    }

    /// Returns the state of the configuration.
    fn status(&self) -> Result<Status, Error>;
}

/// The configuration that is read, and its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadQuery {
    /// The configuration; `None` is the running one, or the file if no server runs.
    pub source: Option<ConfigSource>,
    pub form: ReadForm,
}

/// The configuration that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSource {
    /// The one that a server runs.
    Running,
    /// The file.
    Saved,
}

/// In which form a configuration is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadForm {
    /// Text; a server without text is an error.
    Text,
    /// Text, or JSON from a server without text.
    TextOrJson,
    /// JSON. If the text is already there, it is returned instead, and the caller renders it.
    Json {
        /// True if streams that are `static` may be left out.
        skip_static: bool,
        /// True if the figures of the server are added.
        runtime: bool,
    },
}

/// A configuration that was read.
#[derive(Debug)]
pub struct Reading {
    pub source: ConfigSource,
    pub content: Content,
    /// True if the text has lost its line ends: directives stand in a comment.
    pub lost_line_ends: bool,
}

/// The decision on a pending change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Keep,
    RollBack,
}

//! A change on several servers that is open, and what a server runs of it.

use serde_json::{Map, Value, json};

use super::grouped;
use super::journal::{Journal, JournalHead};
use super::members::FleetMember;
use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::engine::ServerHealth;
use crate::store::{PendingInfo, Revision, WHOLE_HISTORY, part_of};
use mediaconf::plumbing::syntax::one_line;

/// What stands on each server, in words.
pub type ServerStates = Vec<(String, String)>;

/// A change on several servers that was begun, and may be open on some of them.
pub struct OpenChange {
    pub id: String,
    pub head: JournalHead,
    /// `None` if another machine began it: what is known of it was found on the servers.
    pub journal: Option<Journal>,
}

impl From<Journal> for OpenChange {
    fn from(journal: Journal) -> Self {
        Self { id: journal.id.clone(), head: journal.head.clone(), journal: Some(journal) }
    }
}

impl OpenChange {
    /// The revisions of the texts of a server before and after the change: by the journal, or by the history of the
    /// server; `None` if the change was never made there.
    pub fn revisions(&self, member: &FleetMember) -> Result<Option<[Revision; 2]>, CliError> {
        if self.journal.is_none() {
            let history = member.target.service.history(WHOLE_HISTORY)?;
            return Ok(part_of(&history, &self.id).and_then(|part| Some([part.before?, part.after?])));
        }
        let server = self.head.servers.iter().find(|server| server.name == member.name);
        let known = server.and_then(|server| server.revisions);
        known.map(Some).ok_or_else(|| CliError::not_resumable(&member.name))
    }

    /// Prints the change, and what stands on each server.
    pub fn print(&self, states: &[(String, String)], ui: Ui) -> Result<(), CliError> {
        let JournalHead { at, operation, message, .. } = &self.head;
        let message = message.as_ref().map_or(String::new(), |message| format!(": {}", one_line(message)));
        ui.say(&format!("{}  {operation} at {at}{message}", self.id));
        let rows = states.iter().map(|(server, state)| vec![server.clone(), state.clone()]);
        grouped::print_table(&["SERVER", "NOW"], rows.collect(), ui)
    }

    /// The change and the states as JSON.
    pub fn record(&self, states: &[(String, String)]) -> Value {
        let head = &self.head;
        let states: Map<String, Value> =
            states.iter().map(|(server, state)| (server.clone(), state.clone().into())).collect();
        let mut record = json!({
            "id": self.id,
            "at": head.at,
            "operation": head.operation,
            "message": head.message,
            "servers": states,
        });
        // The servers do not know it.
        if self.journal.is_some() {
            record["all_or_nothing"] = head.all_or_nothing.into();
        }
        record
    }
}

/// The present configuration of a server.
pub enum ServerNow {
    Before,
    /// The change, which waits to be confirmed if there is a pending one.
    After(Option<PendingInfo>),
    /// Something else.
    Other,
    /// The change was never made there, as far as another machine can tell.
    Without,
}

/// Looks at what a server runs of a change.
pub fn look(member: &FleetMember, change: &OpenChange) -> Result<ServerNow, CliError> {
    match change.revisions(member)? {
        Some(revisions) => Ok(ServerNow::of(member.target.service.health()?, revisions)),
        None => Ok(ServerNow::Without),
    }
}

impl ServerNow {
    /// What a server runs, of the texts before and after a change.
    pub fn of(health: ServerHealth, [before, after]: [Revision; 2]) -> Self {
        match health.revision {
            Some(runs) if runs == after => Self::After(health.pending),
            Some(runs) if runs == before => Self::Before,
            _ => Self::Other,
        }
    }

    pub fn in_words(self) -> String {
        match self {
            Self::Before => "as before".to_owned(),
            Self::After(None) => "changed".to_owned(),
            Self::After(Some(pending)) => {
                format!("changed, waits to be confirmed: {} s left", pending.seconds_left)
            }
            Self::Other => "changed otherwise since".to_owned(),
            Self::Without => "not in its history".to_owned(),
        }
    }
}

//! Changes of several servers that another machine began: their names stand in the histories of the servers.

use super::answers::{ServerAnswer, errors, print_errors};
use super::journal::{JournalHead, JournalServer};
use super::members::{Fleet, FleetMember};
use super::open_change::{OpenChange, ServerNow, ServerStates};
use crate::cli::error::CliError;
use crate::engine::ServerHealth;
use crate::store::{HistoryEntry, Revision, WHOLE_HISTORY, bounded_time, part_of};

/// The words for a server that does not have a change.
const LACKS_IT: &str = "does not have it";

/// What a server says of itself.
struct FoundServer {
    health: ServerHealth,
    /// The parts of changes of several servers, the last one first.
    parts: Vec<HistoryEntry>,
    /// The name of the change that waits to be confirmed.
    waiting: Option<String>,
}

/// Changes that were found on servers, and what stands where.
pub struct FoundChanges {
    pub list: Vec<(OpenChange, ServerStates)>,
    /// The number of servers that did not answer.
    pub silent: usize,
}

/// The change with this name, or all that wait to be confirmed on a server.
pub fn on_servers(fleet: &mut Fleet, id: Option<&str>) -> Result<FoundChanges, CliError> {
    let ui = fleet.ui;
    let answers = fleet.ask("status", look);
    if answers.iter().all(|answer| answer.result.is_err()) {
        let error = answers.into_iter().find_map(|answer| answer.result.err());
        return error.map_or(Ok(FoundChanges { list: Vec::new(), silent: 0 }), Err);
    }
    print_errors(errors(&answers), ui);
    let found = answers.iter().filter_map(|answer| answer.result.as_ref().ok());
    let mut names: Vec<&str> = match id {
        Some(id) => vec![id],
        None => found.filter_map(|found| found.waiting.as_deref()).collect(),
    };
    names.sort_unstable();
    names.dedup();
    let list = names.into_iter().filter_map(|name| on_each(name, &answers)).collect();
    Ok(FoundChanges { list, silent: errors(&answers).count() })
}

fn look(member: &mut FleetMember) -> Result<FoundServer, CliError> {
    let service = &*member.target.service;
    let health = service.health()?;
    let entries = service.history(WHOLE_HISTORY)?;
    let last = entries.iter().find(|entry| !entry.is_aside).and_then(HistoryEntry::change);
    let waiting = last.filter(|_| health.pending.is_some()).map(str::to_owned);
    let parts = entries.into_iter().filter(|entry| entry.change().is_some()).collect();
    Ok(FoundServer { health, parts, waiting })
}

/// A change, and the state of each server; `None` if none has it.
fn on_each(name: &str, answers: &[ServerAnswer<FoundServer>]) -> Option<(OpenChange, ServerStates)> {
    let part = |found: &FoundServer| part_of(&found.parts, name).cloned();
    let mut first = None;
    let (mut servers, mut states) = (Vec::new(), Vec::new());
    for ServerAnswer { server, result } in answers {
        let part = result.as_ref().ok().and_then(part);
        let revisions = part.as_ref().and_then(|part| Some([part.before?, part.after?]));
        let state = match (result, revisions) {
            (Err(error), _) => error.word().to_owned(),
            (Ok(_), None) => LACKS_IT.to_owned(),
            (Ok(found), Some(revisions)) => ServerNow::of(found.health.clone(), revisions).in_words(),
        };
        states.push((server.clone(), state));
        servers.push(JournalServer { name: server.clone(), revisions });
        first = first.or(part);
    }
    let HistoryEntry { at, operation, message, .. } = first?;
    let request = Revision::from_text(b"");
    let head = JournalHead {
        at: bounded_time::rfc3339(at),
        operation,
        message,
        all_or_nothing: true,
        request,
        servers,
    };
    Some((OpenChange { id: name.to_owned(), head, journal: None }, states))
}

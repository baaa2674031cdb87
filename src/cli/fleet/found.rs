//! Changes of several servers that another machine began: their names stand in the histories of the servers.

use std::collections::BTreeSet;
use std::time::SystemTime;

use super::answers::{ServerAnswer, errors, print_errors};
use super::grouped::GroupedNotes;
use super::journal::{JournalHead, JournalServer};
use super::members::{Fleet, FleetMember};
use super::open_change::{OpenChange, ServerNow, ServerStates};
use crate::cli::args::changing::BatchArgs;
use crate::cli::error::CliError;
use crate::engine::ServerHealth;
use crate::store::{
    HistoryEntry, NamedChange, PendingInfo, REVERT, Revision, TAKE_BACK, WHOLE_HISTORY, bounded_time, part_of,
};
use mediaconf::plumbing::syntax::one_line;

/// What a server says of itself.
struct FoundServer {
    health: ServerHealth,
    /// Its history without what is aside, the last change first.
    entries: Vec<HistoryEntry>,
}

/// Changes that were found on servers, and what stands where.
pub struct FoundChanges {
    pub list: Vec<(OpenChange, ServerStates)>,
    /// The number of servers that did not answer.
    pub silent: usize,
    /// True if a change waits to be confirmed that is none of several servers, by its history.
    pub others_wait: bool,
}

/// What became of a change on a server, by its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartNow {
    /// It has the change.
    Stands,
    /// It went back, because nobody confirmed it, or because the reload failed.
    WentBack,
    /// Somebody took it back.
    TakenBack,
}

/// Returns what became of a change on a server with this history, which has the last change first; `None` if it was
/// never made there.
pub fn part_now(entries: &[HistoryEntry], name: &str) -> Option<PartNow> {
    let made = part_of(entries, name)?.serial;
    let since = entries.iter().rev().filter(|entry| !entry.is_aside && entry.serial >= made);
    let (mut now, mut was_part) = (PartNow::Stands, false);
    for entry in since {
        let goes_back = was_part && [REVERT, TAKE_BACK].contains(&&*entry.operation);
        was_part = entry.change() == Some(name);
        now = match () {
            () if was_part => PartNow::Stands,
            () if goes_back => PartNow::WentBack,
            () if entry.is_about(name) => PartNow::TakenBack,
            () => now,
        };
    }
    Some(now)
}

/// The change with this name; without one, all that wait to be confirmed on a server, or were cut halfway. Of each
/// server the last change counts.
pub fn on_servers(fleet: &mut Fleet, id: Option<&str>) -> Result<FoundChanges, CliError> {
    let ui = fleet.ui;
    let answers = fleet.ask("status", look);
    if answers.iter().all(|answer| answer.result.is_err()) {
        let error = answers.into_iter().find_map(|answer| answer.result.err());
        let nothing = FoundChanges { list: Vec::new(), silent: 0, others_wait: false };
        return error.map_or(Ok(nothing), Err);
    }
    print_errors(errors(&answers), ui);
    let silent = errors(&answers).count();
    let found: Vec<(&str, &FoundServer)> =
        answers.iter().filter_map(|answer| Some((&*answer.server, answer.result.as_ref().ok()?))).collect();
    let mut others = GroupedNotes::default();
    for (server, pending) in found.iter().filter_map(|(server, found)| Some((server, found.other_pending()?)))
    {
        let PendingInfo { operation, by, .. } = pending;
        let note = format!(
            "the {} by {} waits to be confirmed: `mediactl confirm` of these servers decides about it",
            one_line(operation),
            one_line(by)
        );
        others.add(server, note);
    }
    others.print(ui);
    let names: BTreeSet<&str> = match id {
        Some(id) => BTreeSet::from([id]),
        None => {
            let last = found.iter().filter_map(|(_, found)| found.last_change());
            last.filter(|name| is_open(name, &found, silent)).collect()
        }
    };
    let list = names.into_iter().filter_map(|name| on_each(name, &answers)).collect();
    Ok(FoundChanges { list, silent, others_wait: !others.0.is_empty() })
}

fn look(member: &mut FleetMember) -> Result<FoundServer, CliError> {
    let service = &*member.target.service;
    let health = service.health()?;
    let mut entries = service.history(WHOLE_HISTORY)?;
    entries.retain(|entry| !entry.is_aside);
    Ok(FoundServer { health, entries })
}

impl FoundServer {
    /// The name of the last change of several servers.
    fn last_change(&self) -> Option<&str> {
        self.entries.iter().find_map(HistoryEntry::change)
    }

    /// The name of the change of several servers that waits to be confirmed.
    fn waiting(&self) -> Option<&str> {
        let last = self.entries.first().filter(|last| last.after == self.health.revision)?;
        last.change().filter(|_| self.health.pending.is_some())
    }

    /// True if its history does not go back to this time any more.
    fn forgot(&self, at: SystemTime) -> bool {
        self.entries.last().is_some_and(|oldest| oldest.serial > 1 && oldest.at > at)
    }

    /// The change that waits, if it is no part of one of several servers.
    fn other_pending(&self) -> Option<&PendingInfo> {
        self.health.pending.as_ref().filter(|_| self.waiting().is_none())
    }
}

/// True if a change waits to be confirmed, or is on some of its servers only: on a part of the ones that answered, and,
/// whatever the silent ones have, on fewer than it was for.
fn is_open(name: &str, found: &[(&str, &FoundServer)], silent: usize) -> bool {
    if found.iter().any(|(_, found)| found.waiting() == Some(name)) {
        return true;
    }
    let parts: Vec<Option<PartNow>> = found.iter().map(|(_, found)| part_now(&found.entries, name)).collect();
    let count = |now| parts.iter().filter(|part| **part == Some(now)).count();
    let made = count(PartNow::Stands) + count(PartNow::TakenBack);
    let part = found.iter().find_map(|(_, found)| part_of(&found.entries, name));
    let Some(part) = part else { return false };
    let forgot = found.iter().filter(|(_, found)| found.forgot(part.at)).count();
    let meant = part.message.as_deref().and_then(NamedChange::of).and_then(|change| change.servers);
    let unknown = silent + forgot;
    count(PartNow::Stands) > 0
        && made + forgot < parts.len()
        && meant.is_some_and(|meant| made + unknown < meant)
}

/// A change, and the state of each server; `None` if none has it.
fn on_each(name: &str, answers: &[ServerAnswer<FoundServer>]) -> Option<(OpenChange, ServerStates)> {
    let mut first = None;
    let (mut servers, mut states) = (Vec::new(), Vec::new());
    for ServerAnswer { server, result } in answers {
        let part = result.as_ref().ok().and_then(|found| part_of(&found.entries, name).cloned());
        let revisions = part.as_ref().and_then(|part| Some([part.before?, part.after?]));
        let now = |found: &FoundServer| match revisions {
            Some(revisions) => ServerNow::of(found.health.clone(), revisions),
            None => ServerNow::Without,
        };
        let state =
            result.as_ref().map_or_else(|error| error.word().to_owned(), |found| now(found).in_words());
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
        all_or_nothing: false,
        batching: BatchArgs::default(),
        request,
        servers,
    };
    Some((OpenChange { id: name.to_owned(), head, journal: None }, states))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A history of changes, the first one first: their operations and messages.
    fn history(changes: &[(&str, &str)]) -> Vec<HistoryEntry> {
        let entry = |(at, (operation, message)): (usize, &(&str, &str))| HistoryEntry {
            number: None,
            serial: at as u64 + 1,
            at: SystemTime::UNIX_EPOCH,
            operation: (*operation).to_owned(),
            by: None,
            message: Some((*message).to_owned()),
            before: None,
            after: None,
            is_aside: false,
            paths: None,
            from: None,
        };
        changes.iter().enumerate().map(entry).rev().collect()
    }

    #[test]
    fn the_history_says_what_became_of_a_part() {
        let part = ("modify", "why (change 7f3a of 3 servers by ana@desk)");
        let other = ("modify", "change 99 of 3 servers by ana@desk");
        let taken = ("rollback", "take-back of change 7f3a: why (change 98 of 3 servers by b@desk)");
        let rest =
            ("modify", "the rest of a modify of several servers: why (change 7f3a of 3 servers by c@d)");
        for (changes, expected) in [
            (&[][..], None),
            (&[other], None),
            (&[part, other], Some(PartNow::Stands)),
            (&[part, ("revert", "not confirmed")], Some(PartNow::WentBack)),
            (&[part, ("take-back", "")], Some(PartNow::WentBack)),
            (&[part, other, ("revert", "")], Some(PartNow::Stands)),
            (&[part, taken, other], Some(PartNow::TakenBack)),
            (&[part, ("revert", ""), rest], Some(PartNow::Stands)),
        ] {
            assert_eq!(part_now(&history(changes), "7f3a"), expected, "{changes:?}");
        }
    }

    #[test]
    fn a_change_is_open_where_it_is_on_fewer_servers_than_it_was_for() {
        let with = |changes: &[(&str, &str)]| FoundServer {
            health: ServerHealth { revision: None, pending: None, trouble: None },
            entries: history(changes),
        };
        let part = ("modify", "change 7f3a of 3 servers by ana@desk");
        let old = ("modify", "change 7f3a by ana@desk");
        let (has, lacks) = (with(&[part]), with(&[]));
        let mut forgot = with(&[("modify", "")]);
        forgot.entries[0].serial = 200;
        forgot.entries[0].at += Duration::from_secs(1);
        let (back, taken, unsaid) = (
            with(&[part, ("revert", "")]),
            with(&[part, ("rollback", "take-back of change 7f3a")]),
            with(&[old]),
        );
        for (servers, silent, expected) in [
            (&[&has, &has, &has][..], 0, false),
            (&[&has, &has, &lacks], 0, true),
            (&[&has, &has, &back], 0, true),
            (&[&has, &has, &has, &lacks], 0, false),
            // The others are not asked, or may have it.
            (&[&has, &has], 0, false),
            (&[&has, &has, &lacks], 1, false),
            (&[&has, &lacks, &lacks], 1, true),
            (&[&has, &has, &forgot], 0, false),
            (&[&has, &lacks, &forgot], 0, true),
            // Nobody has it any more, or somebody wanted it so.
            (&[&back, &back, &lacks], 0, false),
            (&[&has, &has, &taken], 0, false),
            // It does not say how many servers it is for.
            (&[&unsaid, &lacks], 0, false),
        ] {
            let found: Vec<(&str, &FoundServer)> = servers.iter().map(|server| ("edge", *server)).collect();
            assert_eq!(is_open("7f3a", &found, silent), expected, "{} of {}", found.len(), silent);
        }
    }
}

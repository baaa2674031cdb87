//! The errors of several servers at once.

use std::time::Duration;

use super::grouped::GroupedNotes;
use super::names::{in_ranges, quoted};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::ChangeId;
use mediaconf::Fault;

/// The word for a server that can't be reached, or that is out of order.
const NOT_REACHED: &str = "not reached";

/// The first HTTP status that says that the server failed.
const FIRST_OF_FAILURES: u16 = 500;

impl Error {
    /// A command that works on one server got several.
    pub fn several_servers() -> Self {
        Self::usage(
            "this command works on one server, and several are named",
            "name one of them with `-x NAME`",
        )
    }

    /// Returns the reason why a server did not make the change, for a narrow column.
    pub fn word(&self) -> &'static str {
        let failed_inside = self.status.is_some_and(|status| status >= FIRST_OF_FAILURES);
        match self.kind {
            ErrorKind::NotOffered => "not offered",
            ErrorKind::NotReached | ErrorKind::ClusterUnavailable => NOT_REACHED,
            ErrorKind::NotHealthy => "not healthy",
            ErrorKind::TooLate => "too late",
            _ => match self.exit() {
                Exit::Absent if failed_inside => NOT_REACHED,
                Exit::Absent => "not found",
                Exit::Denied => "denied",
                Exit::Conflict => "conflict",
                Exit::Guarded => "guarded",
                Exit::Invalid | Exit::Usage => "invalid",
                Exit::Unknown => "unknown",
                _ => "failed",
            },
        }
    }

    /// The same error of one server among several, unless it names the server already.
    #[must_use]
    pub fn at(self, server: &str) -> Self {
        let named = [format!("`{server} ("), format!("`{server}`")];
        let is_named = |message: &str| message.contains(&named[0]) || message.starts_with(&named[1]);
        let mut lines = self.lines();
        for line in lines.iter_mut().filter(|line| !is_named(&line.message)) {
            line.message = format!("`{server}`: {}", line.message);
        }
        self.with_lines(lines)
    }

    /// The same error of all these servers; it is that of the first one.
    #[must_use]
    pub fn of_all(&self, servers: &[&str]) -> Self {
        let line = |line: &Fault| Fault {
            message: format!("{}: {}", quoted(servers), about(line, servers[0])),
            ..line.clone()
        };
        self.clone().with_lines(self.lines().iter().map(line).collect())
    }

    /// A change of several servers that nobody agreed to, for want of a terminal or because the answer was no.
    pub fn not_agreed(answer: Option<bool>, hint: &str) -> Self {
        let why = if answer.is_none() { "there is no terminal to ask on, and " } else { "" };
        let message = format!("a change of several servers has to be agreed to: {why}nothing was changed");
        Self::new(ErrorKind::Guarded, message).hint(hint)
    }

    /// A rollback that would undo other changes on each server: what it undoes, by server.
    pub fn other_changes(undone: &GroupedNotes<'_>) -> Self {
        let row = |(undone, servers): &(String, Vec<&str>)| format!("{} {undone}", in_ranges(servers));
        let rows: Vec<String> = undone.0.iter().map(row).collect();
        let message = format!(
            "this undoes different changes on the servers, so nothing was changed: {}",
            rows.join("; ")
        );
        let hint = "`--each` does it; `rollback --change ID` takes one change back where it is";
        Self::new(ErrorKind::Guarded, message).hint(hint)
    }

    /// A change that none of so many servers has.
    pub fn no_such_change(change: &ChangeId, servers: usize) -> Self {
        let message = match servers {
            1 => format!("the history has no change `{change}`"),
            _ => format!("none of the servers has the change `{change}` in its history"),
        };
        Self::new(ErrorKind::NotFound, message).hint("`mediactl history -o json` shows the id of each change")
    }

    /// A server that does not run the change, so that there is nothing to take back yet.
    pub fn not_begun(server: &str) -> Self {
        Self::new(ErrorKind::Guarded, format!("`{server}`: the change was not made"))
    }

    /// A server that made a change without a time to confirm it in.
    pub fn unconfirmable(server: &str) -> Self {
        Self::new(ErrorKind::OutcomeUnknown, format!("`{server}`: the change does not wait to be confirmed"))
            .hint("`mediactl history` of that server shows what it did")
    }

    /// A change that is to be confirmed by an account that it replaces.
    pub fn changes_account(server: &str) -> Self {
        let message =
            format!("`{server}`: the change sets another login or password, so it can't be confirmed");
        Self::new(ErrorKind::Guarded, message).hint("change `edit_auth` without `--all-or-nothing`")
    }

    /// Clusters among servers that are to be changed together.
    pub fn clusters_together(names: &[&str]) -> Self {
        let what = if names.len() == 1 { "is a cluster" } else { "are clusters" };
        Self::usage(
            format!("`--all-or-nothing` is for servers, and {} {what}", names.join(", ")),
            "change a cluster by itself: its nodes have one configuration, and `--canary` tries a change on some of them",
        )
    }

    /// A server that is not well after a change.
    pub fn not_healthy(server: &str, why: &str) -> Self {
        Self::new(ErrorKind::NotHealthy, format!("`{server}`: it is not healthy: {why}"))
    }

    /// A server that runs something else than what a change made of it.
    pub fn other_change(server: &str) -> Self {
        Self::new(ErrorKind::Conflict, format!("`{server}` does not run the new configuration any more"))
            .hint("it was changed meanwhile, or has taken the change back")
    }

    /// A time to confirm a change in that is over before all servers have it; another one may be `enough`.
    pub fn no_time_to_confirm([time, waits, left]: [Duration; 3], enough: Option<Duration>) -> Self {
        let waits = match waits.as_secs() {
            0 => String::new(),
            waits => format!("the pauses and the canaries take {waits} s, and "),
        };
        let message = format!(
            "{} s are too short a time to confirm the change: {waits}{} s have to be left for it",
            time.as_secs(),
            left.as_secs()
        );
        let hint = match enough {
            Some(enough) => format!("`--confirm {}s` suffices; nothing was changed", enough.as_secs()),
            None => {
                "no change can wait for so long: choose larger batches or shorter pauses; nothing was changed"
                    .to_owned()
            }
        };
        Self::usage(message, hint)
    }

    /// The time in which a change has to be confirmed is nearly over.
    pub fn too_little_time(left: u64) -> Self {
        Self::new(ErrorKind::TooLate, format!("only {left} s are left to confirm the change"))
            .hint("`--confirm TIME` gives more")
    }

    /// The servers were asked one after the other for so long that the first answers were old.
    pub fn too_slow(fresh: Duration) -> Self {
        let message = format!("the servers did not all answer within {} s", fresh.as_secs());
        Self::new(ErrorKind::TooLate, message).hint("a larger `--jobs` asks more of them at the same time")
    }

    /// The servers that were to try a change first have it already.
    pub fn no_canary(named: &str) -> Self {
        let message = format!("`--canary {named}`: the change changes nothing there, so nobody would try it");
        Self::new(ErrorKind::Guarded, message)
            .hint("name a server that does not have it, or leave `--canary` out; no server was changed")
    }

    /// Two contexts of one and the same server.
    pub fn one_server_twice([one, other]: [&str; 2], url: &str) -> Self {
        let message = format!("the contexts `{one}` and `{other}` are one server: {url}");
        Self::usage(message, "name one of them; nothing was sent")
    }
}

/// The message of a line without the name of the server that it begins with.
pub fn about<'l>(line: &'l Fault, server: &str) -> &'l str {
    let behind = line.message.strip_prefix('`').and_then(|message| message.strip_prefix(server));
    let behind = behind.filter(|behind| behind.starts_with(['`', ' ']));
    behind.and_then(|behind| behind.split_once("`: ")).map_or(&line.message, |(_, about)| about)
}

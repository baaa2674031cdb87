//! What goes wrong on several servers at once.

use std::io;

use crate::cli::error::CliError;
use crate::engine::ErrorKind;
use crate::store::reason;

impl CliError {
    /// A command that works on one server got several.
    pub fn several_servers() -> Self {
        Self::usage(
            "this command works on one server, and several are named",
            "name one with `-x NAME`; `read`, `status`, `history`, `check`, `diff`, `watch`, `wait`, `confirm` and changes take several",
        )
    }

    /// A change of several servers that nobody agreed to.
    pub fn not_agreed(what: &str) -> Self {
        Self::new(ErrorKind::Guarded, format!("a change of several servers has to be agreed to: {what}"))
            .with_hint("`--yes` agrees, `--dry-run` shows the change")
    }

    /// A server whose change could not be confirmed, or was not tried any more.
    pub fn not_begun(server: &str) -> Self {
        Self::new(ErrorKind::Guarded, format!("`{server}`: the change was not made"))
    }

    /// A server that made a change without a time to confirm it in.
    pub fn unconfirmable(server: &str) -> Self {
        Self::new(ErrorKind::Unknown, format!("`{server}`: the change does not wait to be confirmed"))
            .with_hint("`mediactl history` of that server shows what it did")
    }

    /// A server that is not well after a change.
    pub fn not_healthy(server: &str, why: &str) -> Self {
        Self::new(ErrorKind::Guarded, format!("`{server}` is not healthy: {why}"))
    }

    /// A server that runs something else than what a change made of it.
    pub fn other_change(server: &str) -> Self {
        Self::new(ErrorKind::Conflict, format!("`{server}` does not run the new configuration any more"))
            .with_hint("it was changed meanwhile, or has taken the change back")
    }

    /// The time in which a change has to be confirmed is nearly over.
    pub fn too_little_time(left: u64) -> Self {
        Self::new(ErrorKind::Failed, format!("only {left} s are left to confirm the change"))
            .with_hint("`--confirm TIME` gives more")
    }

    /// The journal of a change of several servers can't be written.
    pub fn journal_failed(source: io::Error) -> Self {
        Self::io(ErrorKind::Failed, "cannot write the journal of the change", source)
    }

    /// No change of several servers is unfinished, or none has this name.
    pub fn no_journal(id: Option<&str>) -> Self {
        let message = match id {
            Some(id) => format!("there is no unfinished change `{id}`"),
            None => "no change of several servers is unfinished".to_owned(),
        };
        Self::new(ErrorKind::Absent, message).with_hint("`mediactl fleet status` shows those that are")
    }

    /// A server that does not show its text, so that a change of it can't be finished.
    pub fn not_resumable(server: &str) -> Self {
        Self::new(
            ErrorKind::Absent,
            format!("`{server}` does not show its text, so its change can't be finished"),
        )
        .with_hint("`mediactl read` shows what it runs; change it with `mediactl modify`")
    }

    /// The same for each server.
    pub fn journal_failed_again(source: &io::Error) -> Self {
        Self::new(ErrorKind::Failed, format!("cannot write the journal of the change: {}", reason(source)))
    }
}

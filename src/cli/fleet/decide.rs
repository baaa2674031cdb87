//! Confirms a change that waits, or takes it back, also where answers get lost.

use std::time::{Duration, Instant};

use super::coordinator::StepReply;
use super::health;
use super::members::FleetMember;
use crate::engine::Decision;
use crate::error::{Error, ErrorKind, Exit};
use crate::store::Revision;

/// The pause between two tries, and between two looks.
pub const PAUSE: Duration = Duration::from_millis(500);

/// The number of looks whether a server runs a change to which it gave no answer.
const LOOKS: usize = 4;

/// A change that waits to be confirmed.
#[derive(Debug, Clone)]
pub struct WaitingChange {
    pub id: String,
    /// It is not rolled back before.
    pub until: Instant,
}

/// Confirms a change. Where no answer comes it is confirmed again, which does no harm, as long as `goes_on` and there
/// is time; `was_sent` says whether an earlier confirmation may have reached the server.
pub fn confirm(
    member: &mut FleetMember,
    change: &WaitingChange,
    after: Option<Revision>,
    mut was_sent: bool,
    goes_on: &dyn Fn() -> bool,
) -> (StepReply, Option<Error>) {
    loop {
        let error = match member.target.service.decide(Decision::Keep, Some(&change.id), "") {
            Ok(_) => return (StepReply::Done, None),
            Err(error) => error,
        };
        was_sent |= error.exit() == Exit::Unknown;
        let is_gone = is_gone(&error);
        // If no change waits, the answer to an earlier confirmation was lost, or another client confirmed
        // it.
        let is_kept = (was_sent || is_gone).then(|| is_kept(member, after)).flatten();
        if is_kept == Some(true) {
            return (StepReply::Done, None);
        }
        let went_back = is_gone && is_kept == Some(false);
        let may_pass = matches!(error.exit(), Exit::Absent | Exit::Unknown | Exit::Failed);
        let has_time = Instant::now() + PAUSE < change.until && goes_on();
        if may_pass && has_time && !went_back {
            std::thread::sleep(PAUSE);
            continue;
        }
        let may_be_kept = !went_back && (was_sent || is_gone);
        let reply = if may_be_kept { StepReply::Lost } else { StepReply::Refused };
        return (reply, Some(error.at(&member.name)));
    }
}

/// The result of taking a change back.
pub enum TakenBack {
    Done,
    /// Another client has confirmed it.
    Kept,
    /// It goes back when its time is over.
    Later(Error),
}

/// Takes a change back; `id` is not known where the server gave no answer.
pub fn take_back(member: &mut FleetMember, id: Option<&str>, after: Option<Revision>) -> TakenBack {
    // Without its id it may still be under way, and a pending change may be that of another client.
    if id.is_none() && !runs_soon(member, after) {
        return TakenBack::Later(Error::not_begun(&member.name));
    }
    match member.target.service.decide(Decision::RollBack, id, "") {
        Ok(_) => TakenBack::Done,
        Err(error) if is_gone(&error) => match is_kept(member, after) {
            Some(true) => TakenBack::Kept,
            Some(false) => TakenBack::Done,
            None => TakenBack::Later(error.at(&member.name)),
        },
        Err(error) => TakenBack::Later(error.at(&member.name)),
    }
}

/// True if a server runs this text, now or a moment later.
fn runs_soon(member: &mut FleetMember, revision: Option<Revision>) -> bool {
    for _ in 0..LOOKS {
        match health::still_runs(member, revision) {
            Ok(()) => return true,
            Err(error) if error.exit() == Exit::Conflict => std::thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// True if a server runs this text, and no change waits there; `None` if it does not answer.
fn is_kept(member: &mut FleetMember, revision: Option<Revision>) -> Option<bool> {
    let health = member.target.service.health().ok()?;
    Some(health.revision == revision && health.pending.is_none())
}

/// True if no change waits any more.
fn is_gone(error: &Error) -> bool {
    error.kind == ErrorKind::NothingPending
}

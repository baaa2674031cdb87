//! The health of a server that has made a change.

use std::time::Duration;

use super::members::FleetMember;
use crate::engine::{ServerHealth, hook_output};
use crate::error::Error;
use crate::store::Revision;

/// Refuses a server that tells of an error.
pub fn ask(member: &mut FleetMember) -> Result<ServerHealth, Error> {
    let health = member.target.service.health().map_err(|error| error.at(&member.name))?;
    match &health.trouble {
        Some(error) => Err(Error::not_healthy(&member.name, error)),
        None => Ok(health),
    }
}

/// Refuses a server at which the health command fails.
pub fn run(member: &FleetMember, command: Option<&str>, timeout: Duration) -> Result<(), Error> {
    let Some(command) = command else { return Ok(()) };
    let checked = hook_output(command, &[("MEDIACTL_CONTEXT", &member.name)], timeout);
    let failed = |failure| Error::not_healthy(&member.name, &format!("the health command {failure}"));
    checked.map(|_| ()).map_err(failed)
}

/// Refuses a server that runs another text.
pub fn still_runs(member: &mut FleetMember, revision: Option<Revision>) -> Result<(), Error> {
    let runs = member.target.service.revision().map_err(|error| error.at(&member.name))?;
    if runs == revision { Ok(()) } else { Err(Error::other_change(&member.name)) }
}

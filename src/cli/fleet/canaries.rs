//! The servers that get a change before the others.

use super::plan::FleetChange;
use crate::cli::context::ServerContext;
use crate::cli::error::CliError;

/// Refuses a name that is none of the servers'.
pub fn refuse_unknown(change: &FleetChange<'_>, contexts: &[ServerContext]) -> Result<(), CliError> {
    let is_known = |name: &String| contexts.iter().any(|context| context.name == *name);
    let unknown = change.args.fleet.canary.iter().find(|name| !is_known(name));
    match unknown.filter(|_| canary_count(change).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = contexts.iter().map(|context| &*context.name).collect();
            let message = format!("`--canary {unknown}`: none of the servers has this name");
            Err(CliError::usage(message, format!("the servers are {}", names.join(", "))))
        }
    }
}

/// Which of the servers that change are tried first.
pub fn among(change: &FleetChange<'_>, changing: &[&str]) -> Vec<usize> {
    let named = |name: &str| change.args.fleet.canary.iter().any(|canary| canary == name);
    match canary_count(change) {
        Some(count) => (0..count.min(changing.len())).collect(),
        None => (0..changing.len()).filter(|at| named(changing[*at])).collect(),
    }
}

/// How many servers are tried first, if they are not named.
fn canary_count(change: &FleetChange<'_>) -> Option<usize> {
    match &change.args.fleet.canary[..] {
        [] => Some(0),
        [only] => only.parse().ok(),
        _ => None,
    }
}

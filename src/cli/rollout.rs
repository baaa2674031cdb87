//! A change that some nodes of a cluster take first (`--canary`).

use std::thread;
use std::time::Duration;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::error::CliError;
use crate::cli::render::report::Report;
use crate::engine::{ChangeOptions, ConfigService, Decision, PendingInfo};
use crate::store::{HistoryEntry, NodeState, REVERT};

/// How often it is asked whether the rollout is decided.
const INTERVAL: Duration = Duration::from_millis(300);

/// The options of a change that `--canary` nodes take first; `None` where no nodes follow the target, so
/// that the option is for something else.
pub fn options(
    args: &ChangeArgs,
    options: &ChangeOptions,
    service: &mut dyn ConfigService,
) -> Result<Option<ChangeOptions>, CliError> {
    if args.fleet.canary.is_empty() {
        return Ok(None);
    }
    let Some(nodes) = service.status()?.nodes else { return Ok(None) };
    if args.confirm.is_some() {
        let message = "`--canary` and `--confirm` are two ways to confirm a change";
        return Err(CliError::usage(message, "leave one of them out"));
    }
    let known: Vec<String> = nodes.iter().map(|node| node.node.clone()).collect();
    let canary = match &args.fleet.canary[..] {
        [only] if only.parse::<usize>().is_ok_and(|count| count > 0) => {
            let count = only.parse().expect("it is a number");
            let healthy = nodes.into_iter().filter(|node| node.state == NodeState::Running);
            let first: Vec<String> = healthy.map(|node| node.node).take(count).collect();
            if first.len() < count {
                let message = format!("`--canary {count}`: only {} nodes run what they should", first.len());
                return Err(CliError::usage(message, "`mediactl status` shows them"));
            }
            first
        }
        names => {
            if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
                let message = format!("`--canary {unknown}`: there is no node of this name");
                return Err(CliError::usage(message, "`mediactl status` shows the nodes"));
            }
            names.to_vec()
        }
    };
    Ok(Some(ChangeOptions { canary, confirm: Some(args.canary_timeout), ..options.clone() }))
}

/// Waits until a rollout is promoted; an error if it went back.
pub fn wait(
    service: &mut dyn ConfigService,
    pending: &PendingInfo,
    canary: &[String],
    report: &Report<'_>,
) -> Result<(), CliError> {
    let names = canary.join(", ");
    report.note(&format!(
        "the change goes back unless it runs on {names} within {} s; the other nodes wait",
        pending.seconds_left
    ));
    // While it is pending nobody else makes a change, so the last one is this one.
    let newest = service.history()?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != REVERT).map(|own| own.serial);
    while service.status()?.pending.is_some_and(|open| open.id == pending.id) {
        thread::sleep(INTERVAL);
    }
    // If its time is over and nobody was there to take it back, it is taken back now. Otherwise there is
    // nothing to be decided, which is no error here.
    let _ = service.decide(Decision::RollBack, Some(&pending.id));
    let is_revert =
        |entry: &HistoryEntry| entry.operation == REVERT && own.is_none_or(|own| entry.serial == own + 1);
    match service.history()?.into_iter().find(is_revert) {
        Some(revert) => Err(CliError::went_back(report.target, revert.message.as_deref())),
        None => {
            report
                .say(&format!("the change of {} runs on {names}, and the other nodes follow", report.target));
            Ok(())
        }
    }
}

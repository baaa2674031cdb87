//! A change that some nodes of a cluster take first (`--canary`).

use std::thread;
use std::time::Duration;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::error::CliError;
use crate::cli::render::report::Report;
use crate::engine::{CanaryFault, ChangeOptions, ConfigService, Decision, canary_nodes};
use crate::store::{HistoryEntry, PendingInfo, REVERT, WHOLE_HISTORY};

/// The interval at which the state of the rollout is read.
const INTERVAL: Duration = Duration::from_millis(300);

/// The options of a change that `--canary` nodes take first; `None` if no nodes follow the target, so
/// that the option is for something else.
pub fn options(
    args: &ChangeArgs,
    options: &ChangeOptions,
    service: &dyn ConfigService,
) -> Result<Option<ChangeOptions>, CliError> {
    if args.fleet.canary.is_empty() {
        return Ok(None);
    }
    let Some(nodes) = service.status()?.nodes else { return Ok(None) };
    let usage = |fault: CanaryFault| CliError::usage(fault.message("--canary", "--confirm"), fault.hint());
    if args.confirm.is_some() {
        return Err(usage(CanaryFault::AndConfirm));
    }
    let canary = canary_nodes(&args.fleet.canary, &nodes).map_err(usage)?;
    Ok(Some(ChangeOptions { canary, confirm: Some(args.canary_timeout), ..options.clone() }))
}

/// Waits until a rollout is promoted; an error if it went back.
pub fn wait(
    service: &dyn ConfigService,
    pending: &PendingInfo,
    canary: &[String],
    report: &Report<'_>,
) -> Result<(), CliError> {
    let names = canary.join(", ");
    report.note(&format!(
        "the change goes back unless it runs on {names} within {} s; the other nodes wait",
        pending.seconds_left
    ));
    // While it is pending, no other change is made, so the last one is this one.
    let newest = service.history(1)?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != REVERT).map(|own| own.serial);
    while service.status()?.pending.is_some_and(|open| open.id == pending.id && !open.is_over) {
        thread::sleep(INTERVAL);
    }
    // If its time is over and no node rolled it back, it is rolled back now. If it is decided already,
    // that is no error.
    let _ = service.decide(Decision::RollBack, Some(&pending.id), "");
    let is_revert =
        |entry: &HistoryEntry| entry.operation == REVERT && own.is_none_or(|own| entry.serial == own + 1);
    match service.history(WHOLE_HISTORY)?.into_iter().find(is_revert) {
        Some(revert) => Err(CliError::went_back(report.target, revert.message.as_deref())),
        None => {
            report
                .say(&format!("the change of {} runs on {names}, and the other nodes follow", report.target));
            Ok(())
        }
    }
}

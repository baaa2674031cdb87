//! A change that some nodes of a cluster take first (`--canary`): this command alone decides it.

use std::thread;
use std::time::{Duration, Instant};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::countdown::how_to_confirm;
use crate::cli::interrupt::HeldSignals;
use crate::cli::render::report::Report;
use crate::engine::{CanaryFault, ChangeOptions, ConfigService, Decision, canary_nodes, hook_output};
use crate::error::Error;
use crate::store::{CanaryStep, CanaryWish, HistoryEntry, PendingInfo, REVERT, WHOLE_HISTORY};

/// The interval at which the records of the nodes are read.
const INTERVAL: Duration = Duration::from_millis(300);

/// The time that the nodes have to run the change by default.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The options of a change that `--canary` nodes take first; `None` if no nodes follow the target, so
/// that the option is for something else.
pub fn options(
    args: &ChangeArgs,
    options: &ChangeOptions,
    service: &dyn ConfigService,
) -> Result<Option<ChangeOptions>, Error> {
    if args.fleet.canary.is_empty() {
        return Ok(None);
    }
    let Some(nodes) = service.status()?.nodes else { return Ok(None) };
    let usage = |fault: CanaryFault| Error::usage(fault.message("--canary"), fault.hint());
    let time = args.confirm.unwrap_or(DEFAULT_TIME);
    let soak = Some(args.fleet.soak_of_nodes(time)?).filter(|soak| !soak.is_zero());
    let canary = canary_nodes(&args.fleet.canary, &nodes).map_err(usage)?;
    Ok(Some(ChangeOptions { canary, soak, confirm: Some(time), ..options.clone() }))
}

/// Watches the first nodes until the change is decided; an error if it went back.
pub fn watch(
    service: &dyn ConfigService,
    pending: &PendingInfo,
    options: &ChangeOptions,
    report: &Report<'_>,
) -> Result<(), Error> {
    let (begin, time) = (Instant::now(), options.confirm.unwrap_or_default());
    let names = options.canary.join(", ");
    report.note(&format!(
        "the change goes back unless it runs on {names} within {} s; the other nodes wait",
        pending.seconds_left
    ));
    // While it is pending, no other change is made, so the last one is this one.
    let newest = service.history(1).map_err(not_known)?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != REVERT).map(|own| own.serial);
    let mut wish =
        if report.args.fleet.health_cmd.is_some() { CanaryWish::Look } else { CanaryWish::Confirm };
    let mut waits_for = Vec::new();
    // Between two looks it is known whether the change is decided.
    let signals = HeldSignals::hold();
    loop {
        let left = time.saturating_sub(begin.elapsed());
        signals.end_if_received(report.ui, || how_to_confirm(report.target, left));
        if left.is_zero() {
            wish = CanaryWish::GoBack(format!("not confirmed in time: {}", waits_for.join("; ")));
        }
        match service.canaries(&pending.id, &wish) {
            Ok(CanaryStep::Decided) => break,
            Ok(CanaryStep::Ready) => {
                let healthy = health(report.args, &options.canary);
                wish = healthy.map_or_else(CanaryWish::GoBack, |()| CanaryWish::Confirm);
                continue;
            }
            Ok(CanaryStep::Waits(whys)) if !whys.is_empty() => waits_for = whys,
            Ok(CanaryStep::Waits(_)) => {}
            // The change is made, so what becomes of it is asked for until its time is over.
            Err(_) if !left.is_zero() => {}
            Err(error) => return Err(not_known(error)),
        }
        thread::sleep(INTERVAL);
    }
    drop(signals);
    // If its time is over and nobody rolled it back, it is rolled back now. If it is decided already,
    // that is no error.
    let _ = service.decide(Decision::RollBack, Some(&pending.id), "");
    let is_revert =
        |entry: &HistoryEntry| entry.operation == REVERT && own.is_none_or(|own| entry.serial == own + 1);
    match service.history(WHOLE_HISTORY).map_err(not_known)?.into_iter().find(is_revert) {
        Some(revert) => Err(Error::went_back(report.target, revert.message.as_deref())),
        None => {
            report
                .say(&format!("the change of {} runs on {names}, and the other nodes follow", report.target));
            Ok(())
        }
    }
}

/// What can't be found out about a change that was made.
fn not_known(error: Error) -> Error {
    Error::made_and_lost(&error)
}

/// Runs the health command for each of the first nodes; the error says which of them is not healthy.
fn health(args: &ChangeArgs, canary: &[String]) -> Result<(), String> {
    let Some(command) = &args.fleet.health_cmd else { return Ok(()) };
    let timeout = Duration::from_secs(args.hooking.hook_timeout);
    canary.iter().try_for_each(|node| {
        let checked = hook_output(command, &[("MEDIACTL_NODE", node)], timeout);
        checked.map(drop).map_err(|failure| format!("`{node}` is not healthy: the health command {failure}"))
    })
}

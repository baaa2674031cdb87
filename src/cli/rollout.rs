//! A change that some nodes of a cluster take first (`--canary`).

use std::thread;
use std::time::{Duration, Instant};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::error::CliError;
use crate::cli::interrupt::HeldSignals;
use crate::cli::render::report::Report;
use crate::engine::{
    CanaryFault, ChangeOptions, ConfigService, Decision, Refusal, canary_nodes, hook_output,
};
use crate::store::cluster::ROLLOUT_LEASE;
use crate::store::{HistoryEntry, PendingInfo, REVERT, RolloutStep, RolloutTurn, WHOLE_HISTORY};

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
    let status = service.status()?;
    let Some(nodes) = status.nodes else { return Ok(None) };
    let usage = |fault: CanaryFault| CliError::usage(fault.message("--canary", "--confirm"), fault.hint());
    if args.confirm.is_some() {
        return Err(usage(CanaryFault::AndConfirm));
    }
    if args.fleet.health_cmd.is_some() && status.node.is_some() {
        let hint = "use `--cluster`, or `serve --node … --health-cmd` on the nodes";
        return Err(CliError::usage(
            "a node that is asked for a change decides it without `--health-cmd`",
            hint,
        ));
    }
    let soak = Some(args.fleet.soak_of_nodes(args.canary_timeout)?).filter(|soak| !soak.is_zero());
    let canary = canary_nodes(&args.fleet.canary, &nodes).map_err(usage)?;
    Ok(Some(ChangeOptions { canary, soak, confirm: Some(args.canary_timeout), ..options.clone() }))
}

/// Carries a rollout on until it is decided; an error if it went back.
pub fn wait(
    service: &dyn ConfigService,
    pending: &PendingInfo,
    (canary, args): (&[String], &ChangeArgs),
    report: &Report<'_>,
) -> Result<(), CliError> {
    let begin = Instant::now();
    let names = canary.join(", ");
    report.note(&format!(
        "the change goes back unless it runs on {names} within {} s; the other nodes wait",
        pending.seconds_left
    ));
    // While it is pending, no other change is made, so the last one is this one.
    let newest = service.history(1).map_err(not_known)?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != REVERT).map(|own| own.serial);
    thread::scope(|scope| {
        let mut checks = None;
        let mut failed: Option<String> = None;
        let mut may_promote = args.fleet.health_cmd.is_none();
        // Between two steps it is known whether the change is decided, and how it goes on.
        let (signals, mut is_decided_here) = (HeldSignals::hold(), true);
        loop {
            signals.end_if_received(report.ui, || unfinished(report.target, is_decided_here));
            let (age, failed_now) = (begin.elapsed(), failed.as_deref());
            let turn = RolloutTurn { id: &pending.id, age, may_promote, failed: failed_now };
            let step = match service.advance_rollout(&turn) {
                Err(_) if age < args.canary_timeout => {
                    // The change is made, so what becomes of it is asked for until its time is over.
                    thread::sleep(INTERVAL);
                    continue;
                }
                step => step.map_err(not_known)?,
            };
            match step {
                RolloutStep::Decided => return Ok::<(), CliError>(()),
                RolloutStep::Elsewhere => {
                    is_decided_here = false;
                    let open = service.status().map_err(not_known)?.pending;
                    if open.is_none_or(|open| open.id != pending.id || open.is_over) {
                        return Ok(());
                    }
                }
                // In a thread, because the permission to run the change is kept alive meanwhile.
                RolloutStep::Ready if checks.is_none() => {
                    checks = Some(scope.spawn(|| health(args, canary)));
                }
                RolloutStep::Ready | RolloutStep::Waits => {}
            }
            if let Some(ended) = checks.take_if(|checks| checks.is_finished()) {
                match ended.join().unwrap_or_else(|_| Err("the health command was not run".to_owned())) {
                    Ok(()) => may_promote = true,
                    Err(why) => failed = Some(why),
                }
            } else {
                thread::sleep(INTERVAL);
            }
        }
    })?;
    // If its time is over and nobody rolled it back, it is rolled back now. If it is decided already,
    // that is no error.
    let _ = service.decide(Decision::RollBack, Some(&pending.id), "");
    let is_revert =
        |entry: &HistoryEntry| entry.operation == REVERT && own.is_none_or(|own| entry.serial == own + 1);
    match service.history(WHOLE_HISTORY).map_err(not_known)?.into_iter().find(is_revert) {
        Some(revert) => Err(CliError::went_back(report.target, revert.message.as_deref())),
        None => {
            report
                .say(&format!("the change of {} runs on {names}, and the other nodes follow", report.target));
            Ok(())
        }
    }
}

/// Says what becomes of a rollout that a signal leaves undecided.
fn unfinished(target: &str, is_decided_here: bool) -> String {
    match is_decided_here {
        true => format!(
            "the change of {target} is not confirmed: it goes back within {ROLLOUT_LEASE} s, on the nodes that run it, too"
        ),
        false => format!(
            "the change of {target} is made, and the node decides it; `mediactl status` shows how it goes on"
        ),
    }
}

/// What can't be found out about a change that was made.
fn not_known(error: Refusal) -> CliError {
    CliError::made_and_lost(&error)
}

/// Runs the health command for each of the first nodes.
fn health(args: &ChangeArgs, canary: &[String]) -> Result<(), String> {
    let Some(command) = &args.fleet.health_cmd else { return Ok(()) };
    let timeout = Duration::from_secs(args.hooking.hook_timeout);
    canary.iter().try_for_each(|node| {
        let checked = hook_output(command, &[("MEDIACTL_NODE", node)], timeout);
        checked.map(drop).map_err(|failure| format!("`{node}` is not healthy: the health command {failure}"))
    })
}

//! What becomes of a change that was made: it is confirmed in time or goes back, some nodes of a cluster take it first
//! (`--canary`), or all have to run it.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use colored::Color;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::interrupt::{HeldSignals, LastWords};
use crate::cli::prompts::{self, typed_line};
use crate::cli::render::report::{Report, in_words};
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, ConfigService, Decision, Status, canary_nodes, hook_output};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{
    CanaryStep, CanaryWish, EXPIRED, HistoryEntry, NodeRecord, NodeState, PendingInfo, WHOLE_HISTORY,
};

/// The interval at which the remaining seconds are shown.
const TICK: Duration = Duration::from_secs(1);

/// On a terminal, asks whether the pending change `id` is kept; elsewhere, says how to confirm it.
pub fn count_down(
    service: &dyn ConfigService,
    id: &str,
    time: Duration,
    report: &Report<'_>,
) -> Result<(), Error> {
    let (ui, name) = (report.ui, report.target);
    if !prompts::can_ask() {
        report.note(&how_to_confirm(name, time));
        return Ok(());
    }
    let deadline = Instant::now() + time;
    let changed = name.to_owned();
    let last_words = LastWords::new(ui, move || {
        format!("\n{}", how_to_confirm(&changed, deadline.saturating_duration_since(Instant::now())))
    });
    let decision = ask(deadline, ui);
    drop(last_words);
    if let Some(decision) = decision {
        for note in service.decide(decision, Some(id), "")? {
            report.note(&in_words(&note));
        }
    }
    if decision != Some(Decision::Keep) {
        let message = format!("the change of `{name}` was not confirmed: it is being rolled back");
        return Err(Error::new(ErrorKind::Guarded, message));
    }
    report.say(&format!("confirmed the change of {name}"));
    Ok(())
}

/// Says how the change of `name` is decided before its time is over.
fn how_to_confirm(name: &str, left: Duration) -> String {
    format!(
        "in {} s the change of {name} is rolled back; `mediactl confirm` keeps it, \
         `mediactl confirm --rollback` rolls it back now",
        left.as_secs()
    )
}

/// Returns the answer; `None` if there is none in time.
fn ask(deadline: Instant, ui: Ui) -> Option<Decision> {
    let (sender, lines) = mpsc::channel();
    // A read of stdin can't be cancelled; the thread ends with the program.
    thread::spawn(move || {
        while let Ok(line) = typed_line() {
            let is_end = line.is_none();
            if sender.send(line).is_err() || is_end {
                return;
            }
        }
    });
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let question = format!("keep the change? [y/n] {:>5} s left: ", left.as_secs());
        let _ = write!(io::stderr(), "\r{}", ui.paint_err(&question, Color::Yellow));
        let answer = lines.recv_timeout(left.min(TICK));
        if answer == Err(RecvTimeoutError::Disconnected) {
            // Stdin can't be read: the time runs out without an answer.
            thread::sleep(left.min(TICK));
        }
        // The end of the input (Ctrl-D) is a no, and leaves the line open, as the end of the time does.
        let answer = answer.ok().map(|line| line.map(|line| line.trim().to_lowercase()));
        match answer.as_ref().map(Option::as_deref) {
            Some(Some("y" | "yes")) => return Some(Decision::Keep),
            Some(Some("n" | "no")) => return Some(Decision::RollBack),
            None | Some(Some(_)) if Instant::now() < deadline => {}
            end => {
                let _ = writeln!(io::stderr());
                return (end == Some(None)).then_some(Decision::RollBack);
            }
        }
    }
}

/// The interval at which the nodes are looked at.
const INTERVAL: Duration = Duration::from_millis(300);

/// The time that the first nodes have to run a change by default.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The options of a change that `--canary` nodes take first; `None` if no nodes follow the target, so
/// that the option is for something else.
pub fn canary_options(
    args: &ChangeArgs,
    options: &ChangeOptions,
    service: &dyn ConfigService,
) -> Result<Option<ChangeOptions>, Error> {
    if args.fleet.canary.is_empty() {
        return Ok(None);
    }
    let Some(nodes) = service.status()?.nodes else { return Ok(None) };
    let time = args.confirm.unwrap_or(DEFAULT_TIME);
    let soak = Some(args.fleet.soak_of_nodes(time)?).filter(|soak| !soak.is_zero());
    let canary = canary_nodes(&args.fleet.canary, &nodes)?;
    Ok(Some(ChangeOptions { canary, soak, confirm: Some(time), ..options.clone() }))
}

/// Watches the first nodes until the change is decided, which this command alone does; an error if it went back.
pub fn watch_canary(
    service: &dyn ConfigService,
    pending: &PendingInfo,
    options: &ChangeOptions,
    report: &Report<'_>,
) -> Result<(), Error> {
    let not_known = |error: Error| {
        let what = "the change was made, and whether it is kept or went back is not known";
        Error::new(ErrorKind::OutcomeUnknown, format!("{what}: {error}"))
            .hint("`mediactl history` shows it once the cluster answers")
    };
    let (begin, time) = (Instant::now(), options.confirm.unwrap_or_default());
    let names = options.canary.join(", ");
    report.note(&format!(
        "the change goes back unless it runs on {names} within {} s; the other nodes wait",
        pending.seconds_left
    ));
    // While it is pending, no other change is made, so the last one is this one.
    let newest = service.history(1).map_err(not_known)?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != EXPIRED).map(|own| own.number);
    let health_cmd = report.args.fleet.health_cmd.as_deref();
    let mut wish = if health_cmd.is_some() { CanaryWish::Look } else { CanaryWish::Confirm };
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
                let timeout = Duration::from_secs(report.args.hooking.hook_timeout);
                let fault = options.canary.iter().find_map(|node| {
                    let why = hook_output(health_cmd?, &[("MEDIACTL_NODE", node)], timeout).err()?;
                    Some(format!("`{node}` is not healthy: the health command {why}"))
                });
                wish = fault.map_or(CanaryWish::Confirm, CanaryWish::GoBack);
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
        |entry: &HistoryEntry| entry.operation == EXPIRED && own.is_none_or(|own| entry.number == own + 1);
    let target = report.target;
    if let Some(revert) = service.history(WHOLE_HISTORY).map_err(not_known)?.into_iter().find(is_revert) {
        let why = revert.message.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        return Err(Error::new(ErrorKind::Guarded, format!("the change of `{target}` went back{why}")).hint(
            format!("`mediactl history show {}` shows the text; the other nodes never had it", revert.number),
        ));
    }
    report.say(&format!("the change of {target} runs on {names}, and the other nodes follow"));
    Ok(())
}

/// Describes each node that does not run `serial` or a later change; without a serial, each that does not run the last
/// one. `None` if nodes can't follow.
pub fn missing(status: &Status, serial: Option<u64>) -> Option<Vec<String>> {
    let nodes = status.nodes.as_ref()?;
    // A change that was not confirmed in time does not count, even before somebody has taken it back.
    let is_over = status.pending.as_ref().is_some_and(|pending| pending.is_over);
    let last = status.last_change.as_ref().map_or(0, |last| last.number);
    let wanted = serial.unwrap_or(if is_over { last.saturating_sub(2) } else { last });
    let runs_it = |node: &NodeRecord| {
        let is_well = matches!(node.state, NodeState::Running | NodeState::Canary);
        is_well && node.serial.is_some_and(|runs| runs >= wanted)
    };
    let words = |node: &NodeRecord| {
        let runs = node.serial.map_or("nothing".to_owned(), |runs| runs.to_string());
        match node.state {
            NodeState::Running => format!("{} runs {runs}", node.node),
            NodeState::Gone => format!("{} is gone", node.node),
            _ => format!("{} runs {runs}, {}", node.node, node.state),
        }
    };
    Some(nodes.iter().filter(|node| !runs_it(node)).map(words).collect())
}

/// Waits until all nodes run `serial`, or the last change; returns those that do not when the time is over.
///
/// # Errors
/// Nodes can't follow; those of the service.
pub fn wait(
    service: &dyn ConfigService,
    serial: Option<u64>,
    most: Option<Duration>,
) -> Result<Vec<String>, Error> {
    let begin = Instant::now();
    loop {
        let found = missing(&service.status()?, serial).ok_or_else(no_cluster)?;
        if found.is_empty() || most.is_some_and(|most| begin.elapsed() >= most) {
            return Ok(found);
        }
        thread::sleep(INTERVAL);
    }
}

/// Waits until all nodes run a change that was made, and what was changed since; returns those that do not when the time
/// is over. What can't be read is asked for again until then.
pub fn wait_for_made(service: &dyn ConfigService, most: Duration, ui: Ui) -> Vec<String> {
    let line = format!("the change of {} is made, and waiting for its nodes has ended", service.name());
    let _last_words = LastWords::new(ui, move || line.clone());
    let begin = Instant::now();
    loop {
        let left = most.saturating_sub(begin.elapsed());
        match wait(service, None, Some(left)) {
            Ok(missing) => return missing,
            Err(_) if !left.is_zero() => thread::sleep(INTERVAL),
            Err(error) => {
                return vec![format!("the change is made, and which nodes run it is not known: {error}")];
            }
        }
    }
}

/// Says which nodes do not run a change when the time is over.
pub fn exit_of(missing: &[String], ui: Ui) -> Exit {
    missing.iter().for_each(|node| ui.say(&format!("the time is over: {node}")));
    if missing.is_empty() { Exit::Done } else { Exit::Partly }
}

/// Refuses to wait for nodes where none can follow.
pub fn no_cluster() -> Error {
    Error::usage("only the nodes of a cluster are waited for", "name the cluster with `--cluster URL`")
}

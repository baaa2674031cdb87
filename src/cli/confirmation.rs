//! What becomes of a change that was made: it is confirmed in time or goes back, some nodes of a cluster take it first
//! (`--canary`), or all have to run it.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::fleet::names::sorted_ranges;
use crate::cli::interrupt::LastWords;
use crate::cli::render::report::Report;
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, ConfigService, Decision, Status, StatusPart, canary_waves};
use crate::error::{Error, ErrorKind};
use crate::progress;
use crate::store::{ChangeId, EXPIRED, HistoryEntry, NodeRecord, NodeState, PendingInfo, WHOLE_HISTORY};

/// Says how the change of `name` is decided before its time is over.
pub fn how_to_confirm(name: &str, left: Duration) -> String {
    format!(
        "in {} s the change of {name} is rolled back; `mediactl confirm` keeps it, \
         `mediactl confirm --rollback` rolls it back now",
        left.as_secs()
    )
}

/// The interval at which the nodes are looked at.
pub const INTERVAL: Duration = Duration::from_millis(300);

/// Names the nodes that take a change first; returns its waves.
///
/// # Errors
/// `Usage` if no nodes follow the target, or not these.
pub fn name_canaries(
    args: &ChangeArgs,
    options: &mut ChangeOptions,
    service: &dyn ConfigService,
    ui: Ui,
) -> Result<Vec<Vec<String>>, Error> {
    let Some([time, soak]) = args.canary_times()? else { return Ok(Vec::new()) };
    let nodes = service.status(StatusPart::All)?.nodes.filter(|_| !args.all_or_nothing).ok_or_else(|| {
        let hint = "name several with `-x 'edge-*'`, `-x a,b` or `--group GROUP`";
        match args.all_or_nothing {
            true => Error::usage("`--all-or-nothing` is for changes of several servers", hint),
            false => Error::usage(
                "`--canary` is for changes of several servers or of a cluster",
                format!("{hint}, or a cluster with `--cluster URL`"),
            ),
        }
    })?;
    let waves = canary_waves(&args.canary, &nodes)?;
    if waves.len() > 1 {
        ui.note(&in_waves(&waves, nodes.len()));
    }
    (options.canary, options.soak, options.confirm) = (waves[0].clone(), Some(soak), Some(time));
    Ok(waves)
}

/// Describes waves, each of which holds the ones before it, of all.
pub fn in_waves<S: AsRef<str> + PartialEq>(waves: &[Vec<S>], all: usize) -> String {
    let mut before: &[S] = &[];
    let mut words = Vec::new();
    for wave in waves {
        let new: Vec<&str> = wave.iter().filter(|name| !before.contains(name)).map(S::as_ref).collect();
        words.push(sorted_ranges(&new));
        before = wave;
    }
    let rest = all - before.len();
    words.extend((rest > 0).then(|| format!("the rest ({rest})")));
    format!("in waves: {}", words.join("; then "))
}

/// Waits until no other change than `own` has to be confirmed, or this time comes.
///
/// # Errors
/// Those of the service.
pub fn let_others_end(
    service: &dyn ConfigService,
    until: Option<Instant>,
    own: Option<&ChangeId>,
) -> Result<(), Error> {
    let _step = progress::step("waiting until another change is confirmed");
    let is_other = |other: PendingInfo| !other.is_over && own.is_none_or(|own| own.as_str() != other.id);
    while until.is_some_and(|until| Instant::now() < until) && service.pending()?.is_some_and(is_other) {
        thread::sleep(INTERVAL);
    }
    Ok(())
}

/// Watches the first nodes until the change is decided, which this command alone does; an error if it went back.
pub fn watch_canary(
    service: &dyn ConfigService,
    pending: &PendingInfo,
    waves: &[Vec<String>],
    report: &Report<'_>,
) -> Result<(), Error> {
    let not_known = |error: Error| {
        let what = "the change was made; whether it was kept or went back is unknown";
        Error::new(ErrorKind::OutcomeUnknown, format!("{what}: {error}"))
            .hint("`mediactl history` shows it once the cluster answers")
    };
    // The nodes go back at the deadline; until then they say what they run.
    let until = Instant::now() + pending.deadline.duration_since(SystemTime::now()).unwrap_or_default();
    let left = move || until.saturating_duration_since(Instant::now());
    let names = sorted_ranges(waves.last().map_or(&[][..], Vec::as_slice));
    let unless = format!("unless it runs on {names} within {}", pending.left());
    report.ui.note(&format!("the change goes back {unless}; until then other nodes wait"));
    // No other change is made while this one is pending, so it is the last one of the history.
    let newest = service.history(1).map_err(not_known)?.into_iter().next();
    let own = newest.filter(|newest| newest.operation != EXPIRED).map(|own| own.number);
    let mut waits_for = Vec::new();
    let step = progress::step(format!("waiting for {names}"));
    let changed = report.target.to_owned();
    let last_words = LastWords::new(report.ui, move || how_to_confirm(&changed, left()));
    loop {
        let is_late = left() < 2 * INTERVAL;
        let late = is_late.then(|| format!("not confirmed in time: {}", first_of(&waits_for)));
        let decision = Decision::KeepOnceRun { waves, late: late.as_deref() };
        match service.decide(decision, Some(&pending.id), "").map(|decided| decided.waits_for) {
            Ok(None) => break,
            Ok(Some(whys)) if !whys.is_empty() => waits_for = whys,
            Ok(Some(_)) => {}
            // The change is made, so what becomes of it is asked for until its time is over.
            Err(_) if !left().is_zero() => {}
            Err(error) => return Err(not_known(error)),
        }
        thread::sleep(INTERVAL);
    }
    drop((step, last_words));
    // If its time is over and nobody rolled it back, it is rolled back now. If it is decided already,
    // that is no error.
    let _ = service.decide(Decision::RollBack, Some(&pending.id), "");
    let is_revert =
        |entry: &HistoryEntry| entry.operation == EXPIRED && own.is_none_or(|own| entry.number == own + 1);
    let target = report.target;
    if let Some(revert) = service.history(WHOLE_HISTORY).map_err(not_known)?.into_iter().find(is_revert) {
        let why = revert.message.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let show = format!("`mediactl history show {}`", revert.number);
        let went_back = Error::new(ErrorKind::Guarded, format!("the change of `{target}` went back{why}"));
        return Err(went_back.hint(format!("{show} shows the text; only nodes of its waves had it")));
    }
    report.ui.say(&format!("the change of {target} runs on {names}, and the other nodes follow"));
    Ok(())
}

/// The first reasons of many, and how many more there are.
fn first_of(whys: &[String]) -> String {
    let told = &whys[..whys.len().min(MOST_WHYS)];
    let more = whys.len() - told.len();
    format!("{}{}", told.join("; "), if more > 0 { format!("; {more} more") } else { String::new() })
}

/// The most reasons that the history tells.
const MOST_WHYS: usize = 4;

/// The last change that all nodes are to run. One that was not confirmed in time does not count, even before somebody has
/// taken it back.
fn last_wanted(status: &Status) -> u64 {
    let is_over = status.pending.as_ref().is_some_and(|pending| pending.is_over);
    status.last_change.as_ref().map_or(0, |last| last.number).saturating_sub(if is_over { 2 } else { 0 })
}

fn runs(node: &NodeRecord, wanted: u64) -> bool {
    let is_well = matches!(node.state, NodeState::Running | NodeState::Canary);
    is_well && node.serial.is_some_and(|runs| runs >= wanted)
}

/// True if a node runs what it should: the last change, or the one before it while other nodes take the last one first.
pub fn is_well(node: &NodeRecord, status: &Status) -> bool {
    let waits = status.pending.as_ref().is_some_and(|pending| !pending.is_over && !pending.canary.is_empty());
    runs(node, last_wanted(status).saturating_sub(u64::from(waits)))
}

/// Describes each node that does not run `serial` or a later change; without a serial, each that does not run the last
/// one. `None` if nodes can't follow.
pub fn missing(status: &Status, serial: Option<u64>) -> Option<Vec<String>> {
    let nodes = status.nodes.as_ref()?;
    let wanted = serial.unwrap_or(last_wanted(status));
    let words = |node: &NodeRecord| {
        let runs = node.serial.map_or("nothing".to_owned(), |runs| runs.to_string());
        match node.state {
            NodeState::Running => format!("{} runs {runs}", node.node),
            NodeState::Gone => format!("{} is gone", node.node),
            _ => format!("{} runs {runs}, {}", node.node, node.state),
        }
    };
    Some(nodes.iter().filter(|node| !runs(node, wanted)).map(words).collect())
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
    let _step = progress::step("waiting for the nodes");
    loop {
        let found = missing(&service.status(StatusPart::All)?, serial).ok_or_else(|| {
            let hint = "name the cluster with `--cluster URL`";
            Error::usage("only the nodes of a cluster are waited for", hint)
        })?;
        if found.is_empty() || most.is_some_and(|most| begin.elapsed() >= most) {
            return Ok(found);
        }
        thread::sleep(INTERVAL);
    }
}

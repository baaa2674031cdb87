//! The order in which servers get a change: canaries first, then batches, with pauses in between.

use std::thread;
use std::time::{Duration, Instant};

use super::names::{ServerCount, in_ranges};
use super::plan::ServerResult;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::interrupt::HeldSignals;
use crate::engine::{MAX_CONFIRM, OutcomeNote};
use crate::error::{Error, ErrorKind};

/// The time to confirm by default, beside that of the pauses and the canaries.
pub const DEFAULT_CONFIRM: Duration = Duration::from_secs(90);

/// Confirmations begin only if every server leaves at least this much time.
pub const LEFT: Duration = Duration::from_secs(10);

/// The longest time for which a signal is not looked for.
const LOOK: Duration = Duration::from_millis(100);

/// The batches of some servers, in their order. The last size holds for all further batches; without one, all servers
/// are one batch. Of a size in percent, a part of a server counts as one.
pub fn batches<'s, T>(mut servers: &'s [T], sizes: &[ServerCount]) -> Vec<&'s [T]> {
    let (all, mut found) = (servers.len(), Vec::new());
    while !servers.is_empty() {
        let size = match sizes.get(found.len()).or(sizes.last()) {
            None => all,
            Some(ServerCount::Count(count)) => *count,
            Some(ServerCount::Percent(share)) => (all * share).div_ceil(100),
        };
        let (batch, rest) = servers.split_at(size.min(servers.len()));
        found.push(batch);
        servers = rest;
    }
    found
}

/// Waits between two batches; false if a signal came.
pub fn pause(time: Duration, held: &HeldSignals) -> bool {
    let begin = Instant::now();
    while held.received().is_none() {
        let left = time.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(LOOK));
    }
    false
}

/// Returns the servers that try the change first, by their number or their names.
///
/// # Errors
/// `Usage` if they are none of the servers; `Guarded` if none of those that are named is to be changed: then nobody would
/// try it.
pub fn canaries(
    canary: &[String],
    changing: &[usize],
    results: &[ServerResult],
) -> Result<Vec<usize>, Error> {
    let names: Vec<&str> = results.iter().map(|result| &*result.server).collect();
    let count: Option<usize> = if let [only] = canary { only.parse().ok() } else { None };
    let unknown = match count {
        Some(count) if (1..=names.len()).contains(&count) => None,
        Some(count) => Some(format!("`--canary {count}`: {} servers are named", names.len())),
        None => canary
            .iter()
            .find(|word| !names.contains(&word.as_str()))
            .map(|word| format!("`--canary {word}`: none of the servers has this name")),
    };
    if let Some(message) = unknown {
        return Err(Error::usage(message, format!("the servers are {}", in_ranges(&names))));
    }
    let is_named = |at: &usize| canary.iter().any(|word| word == names[*at]);
    let first: Vec<usize> = match count {
        Some(count) => changing.iter().copied().take(count).collect(),
        None => changing.iter().copied().filter(is_named).collect(),
    };
    // Where the same change was made before, they have tried it.
    let have_it = results
        .iter()
        .filter_map(|result| result.plan.as_ref())
        .any(|plan| plan.report.notes.contains(&OutcomeNote::HasChange));
    if !first.is_empty() || canary.is_empty() || changing.is_empty() || have_it {
        return Ok(first);
    }
    let message =
        format!("`--canary {}`: the change changes nothing there, so nobody would try it", canary.join(","));
    let hint = "name a server that does not have it, or leave `--canary` out; no server was changed";
    Err(Error::new(ErrorKind::Guarded, message).hint(hint))
}

/// Returns the time to confirm a change of so many servers, of which the canaries get it first; `None` if nobody has to
/// confirm it.
///
/// # Errors
/// `Usage` if the first servers would go back before the last ones have the change.
pub fn time_to_confirm(
    args: &ChangeArgs,
    changing: usize,
    canaries: usize,
) -> Result<Option<Duration>, Error> {
    // The time for which nothing is done while servers wait: the pauses, and the watch over the canaries.
    let batching = &args.fleet.batching;
    let between = |servers| batches(&vec![(); servers], &batching.batch).len().saturating_sub(1);
    let pauses = u32::try_from(between(canaries) + between(changing - canaries)).unwrap_or(u32::MAX);
    let soak = if canaries == 0 { Duration::ZERO } else { args.fleet.soak() };
    let waits = batching.pause.unwrap_or_default().saturating_mul(pauses).saturating_add(soak);
    let (enough, together) = (DEFAULT_CONFIRM.saturating_add(waits), args.fleet.all_or_nothing);
    let Some(time) = args.confirm.or(together.then_some(enough)) else { return Ok(None) };
    // Of a plain change, who made it confirms it when all servers have it.
    let least = if together || !waits.is_zero() { waits.saturating_add(LEFT) } else { Duration::ZERO };
    let most = Duration::from_secs(MAX_CONFIRM);
    if time >= least && time <= most {
        return Ok(Some(time));
    }
    let message = format!(
        "{} s are too short a time to confirm the change: the pauses and the canaries take {} s, and {} s have to be left for it",
        time.as_secs(),
        waits.as_secs(),
        LEFT.as_secs()
    );
    let hint = match enough <= most {
        true => format!("`--confirm {}s` suffices; nothing was changed", enough.as_secs()),
        false => {
            "no change can wait for so long: choose larger batches or shorter pauses; nothing was changed"
                .into()
        }
    };
    Err(Error::usage(message, hint))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::fleet::names::batch_size;

    #[test]
    fn batches_have_the_given_sizes_and_the_last_one_repeats() {
        for (all, sizes, expected) in [
            (40, "1,10%,100%", &[1, 4, 35][..]),
            (9, "1,10%,100%", &[1, 1, 7]),
            (10, "4", &[4, 4, 2]),
            (3, "1,2,9", &[1, 2]),
            (5, "1%", &[1, 1, 1, 1, 1]),
            (5, "100%", &[5]),
            (7, "", &[7]),
            (0, "1", &[]),
        ] {
            let sizes: Vec<ServerCount> = sizes
                .split(',')
                .filter(|size| !size.is_empty())
                .map(|size| batch_size(size).expect(size))
                .collect();
            let servers: Vec<usize> = (0..all).collect();
            let found = batches(&servers, &sizes);
            assert_eq!(found.iter().map(|batch| batch.len()).collect::<Vec<_>>(), expected);
            assert_eq!(found.concat(), servers);
        }
    }

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        args: ChangeArgs,
    }

    #[test]
    fn the_time_suffices_for_the_pauses_and_the_canaries_or_is_refused() {
        for (options, canaries, expected) in [
            ("", 0, Ok(None)),
            ("--confirm 5s", 0, Ok(Some(5))),
            ("--confirm 5s --batch 10", 0, Ok(Some(5))),
            ("--confirm 19s --batch 20 --pause 10s", 0, Err("`--confirm 100s`")),
            ("--confirm 20s --batch 20 --pause 10s", 0, Ok(Some(20))),
            ("--all-or-nothing", 0, Ok(Some(90))),
            ("--all-or-nothing --confirm 9s", 0, Err("`--confirm 90s`")),
            ("--all-or-nothing --confirm 10s", 0, Ok(Some(10))),
            ("--all-or-nothing --canary 1", 1, Ok(Some(100))),
            ("--all-or-nothing --canary 1 --canary-time 60s --confirm 69s", 1, Err("`--confirm 150s`")),
            ("--all-or-nothing --canary 1 --canary-time 60s --confirm 70s", 1, Ok(Some(70))),
            // Of 40 servers, 1, 4 and 35.
            ("--all-or-nothing --batch 1,10%,100% --pause 30s", 0, Ok(Some(150))),
            ("--all-or-nothing --batch 1,10%,100% --pause 30s --confirm 69s", 0, Err("`--confirm 150s`")),
            // The canaries are 1 and 1 of 2, the others 1, 4 and 33 of 38.
            ("--all-or-nothing --batch 1,10%,100% --pause 30s --canary 2", 2, Ok(Some(190))),
            ("--all-or-nothing --batch 1 --pause 1h", 0, Err("shorter pauses")),
            ("--confirm 24h --batch 1 --pause 1h", 0, Err("shorter pauses")),
        ] {
            let Options { args } = Options::parse_from(
                ["mediactl"].into_iter().chain(options.split(' ').filter(|word| !word.is_empty())),
            );
            match (time_to_confirm(&args, 40, canaries), expected) {
                (Ok(time), Ok(expected)) => {
                    assert_eq!(time.map(|time| time.as_secs()), expected, "{options}")
                }
                (Err(error), Err(hint)) => {
                    let told = error.lines()[0].hint.clone().unwrap_or_default();
                    assert!(told.contains(hint), "{options}: {told}");
                }
                (found, expected) => panic!("{options}: {found:?}, not {expected:?}"),
            }
        }
    }
}

//! The time that each server waits for the confirmation of a change.

use std::time::Duration;

use super::all_or_nothing::LEFT;
use super::batches::batches;
use super::members::ServerNumber;
use crate::cli::args::changing::ChangeArgs;
use crate::engine::MAX_CONFIRM;
use crate::error::Error;

/// The time by default, beside that of the pauses and the canaries.
pub const DEFAULT_CONFIRM: Duration = Duration::from_secs(90);

/// Returns the time to confirm a change of these servers, of which the canaries get it first; `None` if nobody has to
/// confirm it.
///
/// # Errors
/// `Usage` if the first servers would go back before the last ones have the change.
pub fn time_to_confirm(
    args: &ChangeArgs,
    changing: &[ServerNumber],
    canaries: &[ServerNumber],
) -> Result<Option<Duration>, Error> {
    let together = args.fleet.all_or_nothing;
    let waits = waits(args, changing.len(), canaries.len());
    let enough = DEFAULT_CONFIRM.saturating_add(waits);
    let time = match args.confirm {
        Some(time) => time,
        None if together => enough,
        None => return Ok(None),
    };
    // Of a plain change, who made it confirms it when all servers have it.
    let least = if together || !waits.is_zero() { waits.saturating_add(LEFT) } else { Duration::ZERO };
    let most = Duration::from_secs(MAX_CONFIRM);
    match time >= least && time <= most {
        true => Ok(Some(time)),
        false => Err(Error::no_time_to_confirm([time, waits, LEFT], (enough <= most).then_some(enough))),
    }
}

/// The time for which nothing is done while servers wait: the pauses, and the watch over the canaries.
fn waits(args: &ChangeArgs, changing: usize, canaries: usize) -> Duration {
    let between =
        |servers: usize| batches(&vec![(); servers], &args.fleet.batching.batch).len().saturating_sub(1);
    let pauses = u32::try_from(between(canaries) + between(changing - canaries)).unwrap_or(u32::MAX);
    let soak = if canaries == 0 { Duration::ZERO } else { args.fleet.soak() };
    args.fleet.batching.pause.unwrap_or_default().saturating_mul(pauses).saturating_add(soak)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

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
            let all: Vec<ServerNumber> = (0..40).map(ServerNumber).collect();
            match (time_to_confirm(&args, &all, &all[..canaries]), expected) {
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

//! `mediactl watch` and `mediactl wait` on several servers: on all of them at the same time.

use std::thread;

use super::members::{Fleet, FleetMember, ServerAnswer};
use super::verdict::{exit_of, found, without_errors};
use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::wait::Awaited;
use crate::cli::commands::wait::WaitArgs;
use crate::cli::commands::watch::WatchArgs;
use crate::cli::commands::watch::watch as watch_one;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::observed::Observed;

/// Watches until no server can be read any more; a server that can't be read stops no other one.
pub fn watch(args: &WatchArgs, fleet: Fleet) -> Result<Exit, CliError> {
    let path = args.path.as_deref().map(input::value_path).transpose()?;
    let ui = fleet.ui;
    // Each error is printed when it comes: the other servers may be watched for days.
    let answers = at_once(fleet, |server, observed| {
        watch_one(observed, path.as_ref(), ui)
            .map_err(|error| error.at(server))
            .inspect_err(|error| ui.error(error))
    });
    let kinds: Vec<_> = answers.into_iter().filter_map(|answer| Some(answer.result.err()?.kind)).collect();
    Ok(exit_of(0, &kinds))
}

/// Waits until every server has what is waited for, each for the whole time.
pub fn wait(args: &WaitArgs, global: &GlobalArgs, fleet: Fleet) -> Result<Exit, CliError> {
    let awaited = Awaited::of(args, global)?;
    let ui = fleet.ui;
    let answers = at_once(fleet, |server, observed| {
        awaited.wait(move || Ok(observed)).map_err(|error| error.at(server))
    });
    let (waited, kinds) = without_errors(answers, ui);
    let missing = waited.iter().filter_map(|(server, missing)| Some((server, missing.as_ref()?)));
    let missing =
        missing.inspect(|(server, missing)| ui.say(&format!("{server}: the time is over: {missing}")));
    let is_missing = missing.count() > 0;
    Ok(found(exit_of(waited.len(), &kinds), is_missing))
}

/// Works on each server in a thread of its own, whatever `--jobs` says: none of them ends soon.
fn at_once<T: Send>(
    fleet: Fleet,
    work: impl Fn(&str, Observed) -> Result<T, CliError> + Sync,
) -> Vec<ServerAnswer<T>> {
    let (work, ui) = (&work, fleet.ui);
    thread::scope(|scope| {
        let start = |member: FleetMember| {
            member.print_warnings_from_now(ui);
            let server = member.name.clone();
            let working = scope.spawn(move || work(&member.name, Observed::of(member.target)));
            (server, working)
        };
        let started: Vec<_> = fleet.members.into_iter().map(start).collect();
        let ended = started.into_iter().map(|(server, working)| ServerAnswer {
            server,
            result: working.join().expect("the thread does not panic"),
        });
        ended.collect()
    })
}

//! `mediactl fleet status`: changes on several servers that are open, and what stands where.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answers::{ServerAnswer, errors, print_errors};
use super::batches::{ServerCount, in_batches};
use super::found::{self, FoundChanges};
use super::journal::Journals;
use super::members::{Fleet, FleetMember, ServerNumber};
use super::open_change::{OpenChange, ServerNow, ServerStates, look};
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::shared::ListFormat;
use crate::cli::context::ContextsFile;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;
use crate::cli::target::Purpose;
use crate::cli::ui::Ui;

/// Prints the unfinished changes of this machine, or those that wait on the servers that are named.
pub fn status(form: ListFormat, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    if global.chosen.names_server() {
        let found = found::on_servers(&mut call.fleet(Purpose::default())?, None)?;
        let FoundChanges { list, silent, others_wait } = found;
        let none = match silent {
            0 => "no change of several servers is unfinished on these servers",
            _ => "no change of several servers is unfinished on the servers that answered",
        };
        let is_none = print(form, &list, none, ui)? && !others_wait;
        return Ok(match (silent, is_none) {
            (1.., _) => Exit::Partly,
            (0, true) => Exit::Done,
            (0, false) => Exit::Different,
        });
    }
    let Journals { unfinished: journals, damaged, lost, under_way } = Journals::read()?;
    under_way.iter().for_each(|id| ui.note(&format!("the change {id} is under way")));
    let damaged: Vec<CliError> =
        damaged.into_iter().map(|(_, error)| error).chain(lost.iter().map(CliError::lost_journal)).collect();
    for line in damaged.iter().flat_map(|error| &error.lines) {
        ui.warning(&format!("{}; {}", line.message, line.hint.as_deref().unwrap_or_default()));
    }
    let mut shown = Vec::new();
    for journal in journals {
        let mut unfinished = Unfinished::open(journal.into(), global, ui)?;
        let states = unfinished.states(ui);
        shown.push((unfinished.change, states));
    }
    let none = if damaged.is_empty() { "no change of several servers is unfinished" } else { "" };
    let is_none = print(form, &shown, none, ui)? && damaged.is_empty();
    Ok(if is_none { Exit::Done } else { Exit::Different })
}

/// Prints changes, or that there is none, and whether there is none.
fn print(
    form: ListFormat,
    shown: &[(OpenChange, ServerStates)],
    none: &str,
    ui: Ui,
) -> Result<bool, CliError> {
    match form {
        ListFormat::Json => {
            let records: Vec<Value> = shown.iter().map(|(change, states)| change.record(states)).collect();
            ui.print_json(&records)?;
        }
        ListFormat::Text if shown.is_empty() && !none.is_empty() => ui.say(none),
        ListFormat::Text => shown.iter().try_for_each(|(change, states)| change.print(states, ui))?,
    }
    Ok(shown.is_empty())
}

/// An unfinished change, and the way to its servers.
pub struct Unfinished {
    pub change: OpenChange,
    fleet: Fleet,
    /// The servers whose contexts are gone.
    missing: Vec<String>,
}

impl Unfinished {
    /// Finds the way to each server of a change.
    pub fn open(change: OpenChange, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        let known = ContextsFile::of_user_or_error()?.load()?;
        let (mut contexts, mut missing) = (Vec::new(), Vec::new());
        for server in &change.head.servers {
            match known.get(&server.name) {
                Some(context) => contexts.push(context.clone()),
                None => missing.push(server.name.clone()),
            }
        }
        Ok(Self { change, fleet: Fleet::open(contexts, global, ui)?, missing })
    }

    /// A change that was found on servers.
    pub fn on(fleet: Fleet, change: OpenChange) -> Self {
        Self { change, fleet, missing: Vec::new() }
    }

    /// Works on the servers as long as it goes on; an answer for each of them, in the order of the change.
    pub fn ask<T: Send>(
        &mut self,
        what: &'static str,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(&mut FleetMember, &OpenChange) -> Result<T, CliError> + Sync,
    ) -> Vec<ServerAnswer<Option<T>>> {
        self.ask_in_batches(what, &[], &|| true, goes_on, work)
    }

    /// The same, one batch after the other, and `between` in between.
    pub fn ask_in_batches<T: Send>(
        &mut self,
        what: &'static str,
        sizes: &[ServerCount],
        between: &dyn Fn() -> bool,
        goes_on: &(dyn Fn() -> bool + Sync),
        work: impl Fn(&mut FleetMember, &OpenChange) -> Result<T, CliError> + Sync,
    ) -> Vec<ServerAnswer<Option<T>>> {
        let Self { change, fleet, missing } = self;
        let numbers: Vec<ServerNumber> = (0..fleet.members.len()).map(ServerNumber).collect();
        let mut found = BTreeMap::new();
        in_batches(&numbers, sizes, between, |batch| {
            let work =
                |_, member: &mut FleetMember| work(member, change).map_err(|error| error.at(&member.name));
            found.extend(fleet.on(batch, what, goes_on, work));
            goes_on()
        });
        let answer = |(at, member): (ServerNumber, &FleetMember)| ServerAnswer {
            server: member.name.clone(),
            result: found.remove(&at).transpose(),
        };
        let mut all: Vec<ServerAnswer<Option<T>>> =
            numbers.into_iter().zip(&fleet.members).map(answer).collect();
        all.extend(missing.iter().map(|server| ServerAnswer {
            server: server.clone(),
            result: Err(CliError::context_gone(server)),
        }));
        all.sort_by_key(|answer| change.head.servers.iter().position(|server| server.name == answer.server));
        all
    }

    /// Describes the present configuration of each server; prints why one is not known.
    pub fn states(&mut self, ui: Ui) -> ServerStates {
        let answers = self.ask("status", &|| true, |member, change| look(member, change));
        print_errors(errors(&answers), ui);
        let state = |answer: ServerAnswer<Option<ServerNow>>| {
            let state = answer.result.map(|now| now.map(ServerNow::in_words).unwrap_or_default());
            (answer.server, state.unwrap_or_else(|error| error.word().to_owned()))
        };
        answers.into_iter().map(state).collect()
    }
}

//! `mediactl fleet status`: changes on several servers that were interrupted, and what stands where.

use serde_json::{Map, Value, json};

use super::answers::{ServerAnswer, errors, print_errors};
use super::journal::{Journal, JournalServer, Journals};
use super::members::{Fleet, FleetMember};
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::shared::ListFormat;
use crate::cli::context::ContextsFile;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::table;
use crate::cli::ui::Ui;
use crate::engine::{Refusal, ServerHealth};
use crate::store::{PendingInfo, Revision};
use mediaconf::syntax::one_line;

/// Prints the unfinished changes.
pub fn status(form: ListFormat, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let Journals { unfinished: journals, damaged } = Journals::read()?;
    let is_none = journals.is_empty() && damaged.is_empty();
    for line in damaged.iter().flat_map(|(_, error)| &error.lines) {
        ui.warning(&format!("{}; {}", line.message, line.hint.as_deref().unwrap_or_default()));
    }
    let mut records = Vec::new();
    for journal in &journals {
        let states = Unfinished::open(journal, global, ui)?.states(ui);
        match form {
            ListFormat::Json => records.push(record(journal, &states)),
            ListFormat::Text => print(journal, &states, ui)?,
        }
    }
    match form {
        ListFormat::Json => ui.print_json(&records)?,
        ListFormat::Text if is_none => ui.say("no change of several servers is unfinished"),
        ListFormat::Text => {}
    }
    Ok(if is_none { Exit::Done } else { Exit::Different })
}

/// Prints a change, and what stands on each server.
pub fn print(journal: &Journal, states: &[(String, String)], ui: Ui) -> Result<(), CliError> {
    let head = &journal.head;
    let message = head.message.as_ref().map_or(String::new(), |message| format!(": {}", one_line(message)));
    ui.say(&format!("{}  {} at {}{message}", journal.id, head.operation, head.at));
    let headings = vec!["SERVER".to_owned(), "NOW".to_owned()];
    let rows = states.iter().map(|(server, state)| vec![server.clone(), state.clone()]);
    ui.print(|out| table::print(std::iter::once(headings).chain(rows).collect(), ui.screen(), out))
}

fn record(journal: &Journal, states: &[(String, String)]) -> Value {
    let head = &journal.head;
    let states: Map<String, Value> =
        states.iter().map(|(server, state)| (server.clone(), state.clone().into())).collect();
    json!({
        "id": journal.id,
        "at": head.at,
        "operation": head.operation,
        "message": head.message,
        "all_or_nothing": head.all_or_nothing,
        "servers": states,
    })
}

/// The servers of an unfinished change.
pub struct Unfinished {
    pub fleet: Fleet,
    servers: Vec<JournalServer>,
    /// Those whose contexts are gone.
    missing: Vec<(String, CliError)>,
}

/// The present configuration of a server.
pub enum ServerNow {
    Before,
    /// The change, which waits to be confirmed if there is a pending one.
    After(Option<PendingInfo>),
    /// Something else.
    Other,
}

impl Unfinished {
    /// Finds the way to each server of a journal.
    pub fn open(journal: &Journal, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        let known = ContextsFile::of_user_or_error()?.load()?;
        let servers = journal.head.servers.clone();
        let (mut contexts, mut missing) = (Vec::new(), Vec::new());
        for server in &servers {
            match known.list.iter().find(|context| context.name == server.name) {
                Some(context) => contexts.push(context.clone()),
                None => missing.push((server.name.clone(), CliError::context_gone(&server.name))),
            }
        }
        Ok(Self { fleet: Fleet::open(contexts, global, ui)?, servers, missing })
    }

    /// The revisions of the texts of a server before and after the change.
    pub fn revisions(servers: &[JournalServer], name: &str) -> Result<[Revision; 2], CliError> {
        let server = servers.iter().find(|server| server.name == name);
        server.and_then(|server| server.revisions).ok_or_else(|| CliError::not_resumable(name))
    }

    /// The results of work on the servers, with those that can't be found, in the order of the journal.
    pub fn with_missing<T>(self, answers: Vec<ServerAnswer<T>>) -> Vec<ServerAnswer<T>> {
        let missing = self.missing.into_iter();
        let missing = missing.map(|(server, error)| ServerAnswer { server, result: Err(error) });
        let mut all: Vec<ServerAnswer<T>> = answers.into_iter().chain(missing).collect();
        all.sort_by_key(|answer| self.servers.iter().position(|server| server.name == answer.server));
        all
    }

    /// Describes the present configuration of each server; prints why one is not known.
    pub fn states(mut self, ui: Ui) -> Vec<(String, String)> {
        let servers = self.servers.clone();
        let look = |member: &mut FleetMember| Ok(look(member, Self::revisions(&servers, &member.name)?)?);
        let answers = self.fleet.ask("status", look);
        let answers = self.with_missing(answers);
        print_errors(errors(&answers), ui);
        let state = |answer: ServerAnswer<ServerNow>| {
            (answer.server, answer.result.map_or_else(|error| error.word().to_owned(), in_words))
        };
        answers.into_iter().map(state).collect()
    }
}

/// Looks at what a server runs.
pub fn look(member: &mut FleetMember, [before, after]: [Revision; 2]) -> Result<ServerNow, Refusal> {
    let ServerHealth { revision, pending, .. } = member.target.service.health()?;
    Ok(match revision {
        Some(runs) if runs == after => ServerNow::After(pending),
        Some(runs) if runs == before => ServerNow::Before,
        _ => ServerNow::Other,
    })
}

fn in_words(found: ServerNow) -> String {
    match found {
        ServerNow::Before => "as before".to_owned(),
        ServerNow::After(None) => "changed".to_owned(),
        ServerNow::After(Some(pending)) => {
            format!("changed, waits to be confirmed: {} s left", pending.seconds_left)
        }
        ServerNow::Other => "changed otherwise since".to_owned(),
    }
}

//! `mediactl status`

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::ListFormat;
use crate::cli::confirmation;
use crate::cli::fleet::answers::{ServerAnswer, StateRow, counted, worst_first};
use crate::cli::render::diagnostics::{composed_error, first_error};
use crate::cli::render::status;
use crate::cli::render::table;
use crate::cli::render::texts::masked_entry;
use crate::cli::target::Target;
use crate::cli::ui::Ui;
use crate::engine::{Status, StatusPart};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::NodeState;
use mediaconf::{Segment, one_line};

/// Show the running, the saved and the pending state of the configuration
///
/// Tells whether a server runs over the file, and where; which values differ between the running and the
/// saved configuration; whether the file has errors; whether a change waits to be confirmed; and the last
/// change.
///
/// As JSON it is an object with `target`, `server` (`pid`, `version`, `addresses`, `started_at`; null without one),
/// `saved`, `differing` (paths), `edited_by_hand`, `errors` (how many the file has; null where the server does not show
/// it), `first_error` (`file`, `line`, `column`, `message`, `text`), `pending` (`id`, `operation`, `by`, `deadline`,
/// `seconds_left`; of a cluster also `canary`, the nodes that it waits for; `is_over` if it cannot be confirmed any
/// more; null if none is pending), `last_change` as `mediactl history` has it, and `last_error`. Of a cluster it has
/// `nodes`, too.
///
/// Of a cluster and of several servers the states are counted, and the worst come first; of more than ten, those that are
/// equal share a row. Of the nodes that run, those that are behind the last change are counted, too. Above the nodes are
/// the alarms of etcd.
///
/// The exit code is 11 if a node or one of several servers is not well, or if etcd has an alarm, whatever is shown;
/// 1 if the running configuration is not saved, if a change waits to be confirmed or was never confirmed, or if the file
/// has errors; otherwise 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl status
  mediactl -x prod status --state failed,gone --nodes 'edge*'")]
pub struct StatusArgs {
    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,

    /// Show only the nodes, or the servers, in these states
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state_word)]
    pub state: Vec<String>,

    /// Show only the nodes, or the servers, with such names
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub nodes: Vec<String>,

    /// Give each node, or server, a row of its own
    #[arg(long)]
    pub all: bool,

    /// Does nothing more: the exit code always says it
    #[arg(long, hide = true)]
    pub exit_code: bool,
}

/// The words for the state of a server, the best first.
const STATES: [&str; 14] = [
    "saved",
    "runs",
    "edited by hand",
    "not saved",
    "file has errors",
    "not offered",
    "not found",
    "invalid",
    "guarded",
    "conflict",
    "too late",
    "not healthy",
    "unknown",
    "not reached",
];

/// A state that is looked for.
fn state_word(text: &str) -> Result<String, String> {
    let of_nodes = NodeState::ALL.iter().chain([&NodeState::Gone]).map(NodeState::to_string);
    let known: Vec<String> = of_nodes.chain(STATES.map(str::to_owned)).collect();
    match known.iter().any(|known| known == text) {
        true => Ok(text.to_owned()),
        false => Err(format!("the states are {}", known.join(", "))),
    }
}

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// The JSON form.
#[derive(Serialize)]
struct StatusRecord<'a> {
    target: &'a str,
    #[serde(flatten)]
    status: &'a Status,
}

impl StatusArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let ui = call.ui;
        let answers = call.ask("status", |server| {
            let status = read(&mut server.target, ui)?;
            Ok((status, server.target.service.name().to_owned()))
        })?;
        let one = answers.one().map(|(target, (status, _))| StatusRecord { target, status });
        let is_bad = |status: &Status| {
            !status.alarms.is_empty() || !runs_on_all(status) || one.is_none() && is_worse(status)
        };
        let is_bad = answers.found().any(|(_, (status, _))| is_bad(status));
        let is_open = answers.found().any(|(_, (status, _))| is_open(status));
        let time = if answers.is_of_many() { status::roughly } else { status::to_the_second };
        // All are counted, whichever are shown.
        let mut rows = match &one {
            Some(one) => status::node_rows(one.status),
            None => answers.list.iter().map(|answer| status_row(answer, time)).collect(),
        };
        let counts = counted(&rows);
        self.choose(&mut rows, one.as_ref())?;
        let is_shown = |name: &str| rows.iter().any(|row| row.name == one_line(name));
        match (one, ui.json) {
            (Some(StatusRecord { target, status }), true) => {
                let mut status = status.clone();
                status.nodes.iter_mut().for_each(|nodes| nodes.retain(|node| is_shown(&node.node)));
                ui.print_json(&StatusRecord { target, status: &status })?;
            }
            (Some(StatusRecord { target, status }), false) => ui.print(|out| {
                status::print(target, status, &counts, out)?;
                status::nodes_table(rows, self.all, ui.width(), out)
            })?,
            // A server that does not answer has a member, or a row, too.
            (None, true) => {
                let record = |ServerAnswer { server, result }: &ServerAnswer<(Status, String)>| {
                    let record = match result {
                        Ok((status, target)) => json!(StatusRecord { target, status }),
                        Err(error) => json!({ "error": error.to_string() }),
                    };
                    (server.clone(), record)
                };
                let shown = answers.list.iter().filter(|answer| is_shown(&answer.server));
                ui.print_json(&shown.map(record).collect::<Map<_, _>>())?;
            }
            (None, false) => ui.print(|out| {
                let headings = ["SERVER", "STATE", "PENDING", "LAST CHANGE"];
                table::print(&headings, worst_first(rows, self.all), ui.width(), out)?;
                writeln!(out, "{counts}")
            })?,
        }
        let code = if is_bad { Exit::Partly } else { Exit::Different };
        Ok(answers.exit_if(is_bad || is_open, code))
    }

    /// Leaves the rows that are asked for. To choose where there is nothing to choose from, and by names that nothing has, is
    /// refused.
    fn choose(&self, rows: &mut Vec<StateRow>, one: Option<&StatusRecord<'_>>) -> Result<(), Error> {
        let is_all = self.nodes.is_empty() && self.state.is_empty();
        if !is_all && one.is_some_and(|one| one.status.nodes.is_none()) {
            let message = "`--state` and `--nodes` choose from nodes or servers, and this is one server";
            return Err(Error::usage(message, "leave them out, or name several servers: `-x a,b`"));
        }
        let is_meant = |row: &StateRow| self.nodes.iter().any(|name| Segment::glob_matches(name, &row.name));
        if !(self.nodes.is_empty() || rows.iter().any(is_meant)) {
            let message = format!("no node or server has a name like `{}`", self.nodes.join(","));
            return Err(Error::new(ErrorKind::NotFound, message).hint("`--all` in its place shows the names"));
        }
        rows.retain(|row| {
            (self.nodes.is_empty() || is_meant(row))
                && (self.state.is_empty() || self.state.contains(&row.state))
        });
        Ok(())
    }
}

fn status_row(answer: &ServerAnswer<(Status, String)>, time: fn(Duration) -> String) -> StateRow {
    let ServerAnswer { server, result } = answer;
    let found = result.as_ref().ok().map(|(status, _)| status);
    let pending = found
        .and_then(|status| status.pending.as_ref())
        .map(|pending| format!("{} by {}, {} left", pending.operation, pending.by, pending.left()));
    let last = found.and_then(|status| status.last_change.as_ref());
    let last = last.map(|last| status::change_in_words(last, time));
    let or_nothing = |words: Option<String>| words.map_or(NOTHING.to_owned(), |words| one_line(&words));
    let nodes = found.map(status::node_rows).unwrap_or_default();
    let worst = nodes.iter().filter(|node| !node.is_well).min_by_key(|node| node.rank);
    let state = match (result, worst) {
        (_, Some(node)) => node.state.clone(),
        (Ok((status, _)), None) => state(status).to_owned(),
        (Err(error), None) => error.word().to_owned(),
    };
    let shown = worst.map_or_else(|| state.clone(), |_| counted(&nodes));
    let is_well = found.is_some_and(|found| !is_open(found) && runs_on_all(found));
    StateRow {
        name: server.clone(),
        rank: STATES.iter().rev().position(|known| *known == state).unwrap_or_default(),
        is_well,
        is_behind: false,
        cells: vec![shown, or_nothing(pending), or_nothing(last)],
        state,
    }
}

fn state(status: &Status) -> &'static str {
    match status {
        Status { errors: Some(1..), .. } => "file has errors",
        Status { edited_by_hand: true, .. } => "edited by hand",
        Status { saved: Some(false), .. } => "not saved",
        Status { saved: Some(true), .. } => "saved",
        _ => "runs",
    }
}

/// The state of a configuration, with the secrets in its last change masked, and with its errors: its own, or those that
/// it has together with what it includes.
fn read(target: &mut Target, ui: Ui) -> Result<Status, Error> {
    let status = target.service.status(StatusPart::All)?;
    let last_change = status.last_change.map(|entry| masked_entry(entry, ui.masker));
    let (mut errors, mut first) = (status.errors, None);
    if let Some(file) = &status.file {
        first = first_error(target.service.name(), file, ui.masker);
        match target.composed(file, file) {
            Ok(None) => {}
            Ok(Some(composed)) => {
                let faults = composed.told_faults();
                errors = Some(faults.len());
                first = faults.first().and_then(|fault| composed_error(&composed, fault, ui.masker));
            }
            // A server elsewhere says what is wrong, but sends no file with errors.
            Err(failure) if failure.status.is_some() && failure.exit() == Exit::Invalid => {
                let faults = failure.faults.get(1..).unwrap_or_default();
                errors = Some(faults.len().max(1));
                faults.first().iter().for_each(|fault| ui.note(&fault.message));
            }
            Err(error) => return Err(error),
        }
    }
    let alarms =
        if status.nodes.is_some() { target.service.status(StatusPart::Alarms)?.alarms } else { Vec::new() };
    let unreachable = target.unreachable.clone();
    // Only the server knows what it runs.
    let saved = status.saved.filter(|_| unreachable.is_none());
    Ok(Status { last_change, errors, first_error: first, unreachable, saved, alarms, ..status })
}

/// True if something is left to do: to save, to confirm or to repair.
fn is_open(status: &Status) -> bool {
    is_worse(status) || status.pending.is_some()
}

/// True if all nodes, where there are some, run what they should.
fn runs_on_all(status: &Status) -> bool {
    status.nodes.iter().flatten().all(|node| confirmation::is_well(node, status))
}

/// True if something is left to save or to repair.
fn is_worse(status: &Status) -> bool {
    status.saved == Some(false) || status.errors.is_some_and(|errors| errors > 0)
}

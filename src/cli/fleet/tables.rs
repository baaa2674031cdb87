//! `mediactl status` and `mediactl history` of several servers: tables with the server in the first column.

use serde_json::{Map, Value, json};

use super::grouped::heading;
use super::members::{Fleet, ServerAnswer};
use super::verdict::{exit_of, found, without_errors};
use crate::cli::args::shared::ListFormat;
use crate::cli::commands::history::Selected;
use crate::cli::commands::history::{HistoryArgs, HistoryCommand};
use crate::cli::commands::status::StatusArgs;
use crate::cli::commands::status::{StatusRecord, is_open, read};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::history::{Listed, row};
use crate::cli::render::masked::write_text;
use crate::cli::render::status::change_in_words;
use crate::cli::render::table;
use crate::cli::render::value_diff::print;
use crate::engine::{ErrorKind, Status};
use mediaconf::syntax::one_line;

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// Prints one row, or one member, for each server; a server that does not answer has one, too.
pub fn status(args: &StatusArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let ui = fleet.ui;
    let answers = fleet.ask("status", |member| {
        let status = read(&mut member.target, ui)?;
        Ok((status, member.target.service.name().to_owned()))
    });
    match args.output {
        ListFormat::Json => {
            let records: Map<String, Value> =
                answers.iter().map(|answer| (answer.server.clone(), status_record(answer))).collect();
            ui.print_json(&records)?;
        }
        ListFormat::Text => {
            let headings = ["SERVER", "STATE", "PENDING", "LAST CHANGE"].map(str::to_owned).to_vec();
            let rows = std::iter::once(headings).chain(answers.iter().map(status_row)).collect();
            ui.print(|out| table::print(rows, ui.screen(), out))?;
        }
    }
    let (states, kinds) = without_errors(answers, ui);
    let is_open = states.iter().any(|(_, (status, _))| is_open(status));
    Ok(found(exit_of(states.len(), &kinds), is_open))
}

fn status_record(answer: &ServerAnswer<(Status, String)>) -> Value {
    match &answer.result {
        Ok((status, target)) => {
            serde_json::to_value(StatusRecord { target, status }).expect("a status has only texts as keys")
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn status_row(ServerAnswer { server, result }: &ServerAnswer<(Status, String)>) -> Vec<String> {
    let [state, pending, last] = match result {
        Err(error) => [in_a_word(error).to_owned(), NOTHING.to_owned(), NOTHING.to_owned()],
        Ok((status, _)) => {
            let pending = status.pending.as_ref().map(|pending| {
                format!("{} by {}, {} s left", pending.operation, pending.by, pending.seconds_left)
            });
            let last = status.last_change.as_ref().map(change_in_words);
            let or_nothing =
                |words: Option<String>| words.map_or(NOTHING.to_owned(), |words| one_line(&words));
            [state(status).to_owned(), or_nothing(pending), or_nothing(last)]
        }
    };
    vec![server.clone(), state, pending, last]
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

/// Why a server did not do what it was asked for, for a narrow column.
pub fn in_a_word(error: &CliError) -> &'static str {
    if let Some(word) = error.word {
        return word;
    }
    match error.kind {
        ErrorKind::Absent => "not found",
        ErrorKind::Denied => "denied",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Guarded => "guarded",
        ErrorKind::Invalid | ErrorKind::Usage => "invalid",
        ErrorKind::Unknown => "unknown",
        ErrorKind::Failed | ErrorKind::Interrupted { .. } => "failed",
    }
}

/// Prints the changes of one server after the other, or an object with a list for each.
pub fn history(args: &HistoryArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let (ui, masker) = (fleet.ui.paged(), fleet.ui.masker());
    if let Some(HistoryCommand::Show { which }) = &args.command {
        let (texts, kinds) =
            without_errors(fleet.ask("read", |member| Ok(member.target.service.kept(*which)?)), ui);
        ui.print(|mut out| {
            texts.iter().enumerate().try_for_each(|(at, (server, text))| {
                writeln!(out, "{}", heading(at, std::slice::from_ref(server)))?;
                write_text(text, masker.as_ref(), &mut out)
            })
        })?;
        return Ok(exit_of(texts.len(), &kinds));
    }
    let wanted = Selected::of(args)?;
    let answers = fleet.ask("read", |member| wanted.read(args, &mut member.target, masker.as_ref()));
    let (histories, kinds) = without_errors(answers, ui);
    let exit = exit_of(histories.len(), &kinds);
    if args.output == ListFormat::Json {
        let list = |listed: &Vec<_>| json!(listed.iter().map(|l: &Listed| &l.entry).collect::<Vec<_>>());
        let lists: Map<String, Value> =
            histories.iter().map(|(server, listed)| (server.clone(), list(listed))).collect();
        ui.print_json(&lists)?;
        return Ok(exit);
    }
    let empty = histories.iter().filter(|(_, listed)| listed.is_empty());
    let empty: Vec<&str> = empty.map(|(server, _)| &**server).collect();
    if !empty.is_empty() {
        ui.say(&format!("{}: {}", empty.join(", "), wanted.nothing_found("the configuration")));
    }
    let all = || histories.iter().flat_map(|(server, listed)| listed.iter().map(move |l| (server, l)));
    let row = |(server, listed): (&String, &Listed)| {
        std::iter::once(server.clone()).chain(row(listed, ui)).collect()
    };
    let mut rows: Vec<Vec<String>> = all().map(row).collect();
    if !args.patch {
        table::fit(&mut rows, ui.screen());
    }
    ui.print_painted(|out| {
        table::aligned(&rows).zip(all()).try_for_each(|(line, (server, listed))| {
            writeln!(out, "{}", ui.sanitized(&line))?;
            let Some([before, after]) = &listed.texts else { return Ok(()) };
            let serial = listed.entry.serial;
            let names = [format!("{server} before #{serial}"), format!("{server} after #{serial}")];
            let names = names.each_ref().map(String::as_str);
            print([before, after], wanted.path.as_ref(), names, masker.clone(), ui, out)
        })
    })?;
    Ok(exit)
}

//! `mediactl blame` of several servers.

use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use super::members::Fleet;
use super::verdict::{exit_of, without_errors};
use crate::cli::args::shared::ListFormat;
use crate::cli::commands::blame::BlameArgs;
use crate::cli::commands::blame::{HAND_EDIT, ValueHistory, lines, never_changed};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::table::{self, GAP};

/// Prints the changes of one server after the other, or an object with a list for each.
pub fn run(args: &BlameArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let (ui, masker) = (fleet.ui.paged(), fleet.ui.masker());
    let path = input::value_path(&args.path)?;
    let answers = fleet
        .ask("read", |member| ValueHistory::at(&path, args.max_count, &mut member.target, masker.as_ref()));
    let (found, kinds) = without_errors(answers, ui);
    let say_of = |is_meant: fn(&ValueHistory) -> bool, words: &str| {
        let meant = found.iter().filter(|(_, found)| is_meant(found));
        let servers: Vec<&str> = meant.map(|(server, _)| &**server).collect();
        (!servers.is_empty()).then(|| format!("{}: {words}", servers.join(", ")))
    };
    if let Some(note) = say_of(|found| found.is_edited, HAND_EDIT) {
        ui.note(&note);
    }
    if args.output == ListFormat::Json {
        let lists: Map<String, Value> =
            found.iter().map(|(server, found)| (server.clone(), json!(found.changes))).collect();
        ui.print_json(&lists)?;
    } else {
        if let Some(words) = say_of(|found| found.changes.is_empty(), &never_changed(&path)) {
            ui.say(&words);
        }
        let beside = found.iter().map(|(server, _)| server.width()).max().unwrap_or_default() + GAP;
        let width = ui.screen().width.map(|width| width.saturating_sub(beside));
        let rows_of = |(server, found): &(String, ValueHistory)| -> Vec<[String; 2]> {
            lines(&found.changes, width, ui).into_iter().map(|line| [server.clone(), line]).collect()
        };
        let rows: Vec<[String; 2]> = found.iter().flat_map(rows_of).collect();
        ui.print(|out| table::aligned(&rows).try_for_each(|line| writeln!(out, "{line}")))?;
    }
    Ok(exit_of(found.len(), &kinds))
}

//! `mediactl history`

use std::io::{self, Write};

use clap::{Subcommand, ValueEnum};
use colored::Color;

use super::error::CliError;
use super::exit::Exit;
use super::options::Global;
use super::read;
use super::target::{self, Purpose};
use super::terminal::one_line;
use super::ui::Ui;
use crate::model::Masker;
use crate::store::{ChangeRef, HistoryEntry};

/// Show what was changed, when, and by whom
///
/// One line a change, the last one first. `@1` is the text before the last change, `@2` the one before
/// that; `mediactl diff @2`, `mediactl history show 2` and `mediactl rollback 2` take these numbers. The
/// number behind `#` is the one that a change keeps, and is taken as `serial:7`. Texts that were not in the
/// sequence of texts of the file have only that one. What was done to the file by hand is a line of its
/// own as soon as the next change is made, or a server looks.
///
/// As JSON it is an array of objects with `number` (null where a text has only its `serial`), `serial`,
/// `at`, `operation`, `by`, `message`, the revisions `before` and `after`, and `aside`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  mediactl history
  mediactl history show 1
  mediactl history -o json"
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    output: Form,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the whole text before a change
    Show {
        /// Which change: counted back from the last one, or `serial:` and its own number
        #[arg(value_name = "N")]
        which: ChangeRef,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Form {
    /// Lines
    #[default]
    Text,
    /// A JSON array
    Json,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let mut target = target::resolve(global, Purpose::Read, ui)?;
    match &args.command {
        Some(Command::Show { which }) => {
            let snapshot = target.kept(*which)?;
            ui.print(|mut out| read::print_text(&snapshot, global.masker(), &mut out))?;
        }
        None => {
            let entries: Vec<HistoryEntry> =
                target.history()?.into_iter().map(|entry| masked(entry, global.masker().as_ref())).collect();
            match args.output {
                Form::Json => ui.print_json(&entries)?,
                Form::Text => ui.print_painted(|mut out| print(&entries, ui, &mut out))?,
            }
            if entries.is_empty() && args.output == Form::Text {
                ui.say(&format!("no change of {} is known", target.name(global)));
            }
        }
    }
    Ok(Exit::Done)
}

/// What people write as a message may hold anything.
pub(super) fn masked(entry: HistoryEntry, masker: Option<&Masker>) -> HistoryEntry {
    let Some(masker) = masker else { return entry };
    let shown = |text: String| masker.prose(&text).into_owned();
    HistoryEntry { by: entry.by.map(shown), message: entry.message.map(shown), ..entry }
}

fn print(entries: &[HistoryEntry], ui: Ui, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    for (row, entry) in rows.iter().zip(entries) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = format!(
            "{}  {}",
            cells.collect::<Vec<_>>().join("  "),
            one_line(entry.message.as_deref().unwrap_or_default())
        );
        let (number, rest) = line.split_once(' ').unwrap_or((&line, ""));
        writeln!(out, "{} {}", ui.paint(number, Color::Yellow), rest.trim_end())?;
    }
    Ok(())
}

fn row(entry: &HistoryEntry) -> [String; 5] {
    [
        entry.number.map_or("-".to_owned(), |number| format!("@{number}")),
        format!("#{}", entry.serial),
        humantime::format_rfc3339_seconds(entry.at).to_string(),
        one_line(entry.by.as_deref().unwrap_or("-")),
        one_line(&entry.operation),
    ]
}

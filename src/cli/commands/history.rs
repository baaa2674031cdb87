//! `mediactl history`

use std::io::{self, Write};

use colored::Color;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::{HistoryArgs, HistoryCommand, ListFormat};
use crate::cli::commands::read;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::sanitize::one_line;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::model::Masker;
use crate::store::HistoryEntry;

/// Runs the command.
pub fn run(args: &HistoryArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut target = target::resolve(global, Purpose::Read, ui)?;
    match &args.command {
        Some(HistoryCommand::Show { which }) => {
            let snapshot = target.kept(*which)?;
            ui.print(|mut out| read::print_text(&snapshot, global.masker(), &mut out))?;
        }
        None => {
            let entries: Vec<HistoryEntry> =
                target.history()?.into_iter().map(|entry| masked(entry, global.masker().as_ref())).collect();
            match args.output {
                ListFormat::Json => ui.print_json(&entries)?,
                ListFormat::Text => ui.print_painted(|mut out| print(&entries, ui, &mut out))?,
            }
            if entries.is_empty() && args.output == ListFormat::Text {
                ui.say(&format!("no change of {} is known", target.name(global)));
            }
        }
    }
    Ok(Exit::Done)
}

/// What people write as a message may hold anything.
pub fn masked(entry: HistoryEntry, masker: Option<&Masker>) -> HistoryEntry {
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

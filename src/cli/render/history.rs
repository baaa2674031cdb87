//! The entries of the history as `history`, `blame` and `status` show them.

use colored::Color;

use crate::cli::render::table::aligned;
use crate::cli::ui::Ui;
use crate::model::Masker;
use crate::store::HistoryEntry;
use crate::syntax::one_line;

/// Masks words that look like a secret in the author and the message of an entry.
pub fn masked(entry: HistoryEntry, masker: Option<&Masker>) -> HistoryEntry {
    let Some(masker) = masker else { return entry };
    let shown = |text: String| masker.prose(&text).into_owned();
    HistoryEntry { by: entry.by.map(shown), message: entry.message.map(shown), ..entry }
}

/// Returns one line for each entry.
pub fn lines(entries: &[HistoryEntry], ui: Ui) -> Vec<String> {
    let rows: Vec<[String; 6]> = entries.iter().map(row).collect();
    let painted = |line: String| match line.split_once(' ') {
        Some((number, rest)) => format!("{} {rest}", ui.paint(number, Color::Yellow)),
        None => line,
    };
    aligned(&rows).map(painted).collect()
}

fn row(entry: &HistoryEntry) -> [String; 6] {
    [
        entry.number.map_or("-".to_owned(), |number| format!("@{number}")),
        format!("#{}", entry.serial),
        humantime::format_rfc3339_seconds(entry.at).to_string(),
        one_line(entry.by.as_deref().unwrap_or("-")),
        one_line(&entry.operation),
        one_line(entry.message.as_deref().unwrap_or_default()),
    ]
}

//! The entries of the history as `history`, `blame` and `status` show them.

use std::sync::Arc;

use crate::cli::render::value_diff::Compared;
use crate::cli::ui::Ui;
use crate::store::HistoryEntry;
use mediaconf::model::Masker;
use mediaconf::syntax::one_line;

/// Masks words that look like a secret in the author and the message of an entry.
pub fn masked(entry: HistoryEntry, masker: Option<&Masker>) -> HistoryEntry {
    let Some(masker) = masker else { return entry };
    entry.shown_by(|text| masker.prose(text).into_owned())
}

/// An entry with what it changed.
pub struct Listed {
    pub entry: HistoryEntry,
    /// The first paths that it changed; empty where that is not known.
    pub paths: String,
    /// The configurations before and after it, where they are shown.
    pub texts: Option<[Arc<Compared>; 2]>,
    /// Whether it changed other places than the one that was asked for.
    pub is_elsewhere: bool,
}

impl Listed {
    /// An entry of which no more is known.
    pub fn of(entry: HistoryEntry) -> Self {
        Self { entry, paths: String::new(), texts: None, is_elsewhere: false }
    }
}

/// The cells of an entry: its numbers, time, author, operation, message and paths.
pub fn row(Listed { entry, paths, .. }: &Listed, ui: Ui) -> [String; 7] {
    [
        entry.number.map_or("-".to_owned(), |number| format!("@{number}")),
        format!("#{}", entry.serial),
        ui.time(entry.at),
        one_line(entry.by.as_deref().unwrap_or("-")),
        one_line(&entry.operation),
        one_line(entry.message.as_deref().unwrap_or_default()),
        one_line(paths),
    ]
}

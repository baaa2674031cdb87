//! Texts with their secrets masked.

use std::io::{self, Write};

use crate::engine::Snapshot;
use crate::store::HistoryEntry;
use mediaconf::{Document, Entry, MaskedText, Masker};

/// Masks the secrets in a piece of a configuration, such as the first words of a directive.
pub fn masked_text(text: &str, masker: &Masker) -> String {
    masker.document(&Document::parse(text.to_owned()))
}

/// Writes the bytes of a configuration, or its text with the secrets masked.
pub fn write_text(snapshot: &Snapshot, masker: Option<&Masker>, out: &mut dyn Write) -> io::Result<()> {
    match masker {
        None => out.write_all(snapshot.bytes()),
        Some(masker) => out.write_all(masker.document(snapshot.document()).as_bytes()),
    }
}

/// Writes one entry of a configuration as it stands in the text, or with the secrets masked.
pub fn write_entry(
    snapshot: &Snapshot,
    entry: Entry<'_>,
    masker: Option<&Masker>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [start, end] = [entry.span().start, entry.span().end].map(|at| at as usize);
    let shown = MaskedText::new(snapshot.document(), masker.cloned(), std::iter::once(start..end).collect());
    writeln!(out, "{}", shown.line(start..end))
}

/// Masks words that look like a secret in the author and the message of an entry.
pub fn masked_entry(entry: HistoryEntry, masker: Option<&Masker>) -> HistoryEntry {
    let Some(masker) = masker else { return entry };
    entry.shown_by(|text| masker.prose(text).into_owned())
}

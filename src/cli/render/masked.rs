//! Texts with their secrets masked.

use std::io::{self, Write};
use std::ops::Range;

use crate::engine::Snapshot;
use mediaconf::model::redact::masked_document;
use mediaconf::model::{Masker, secret_spans};
use mediaconf::syntax::{Document, Entry};

/// A text, and the secrets in some windows of it.
pub struct MaskedText<'d> {
    document: &'d Document,
    secrets: Option<(Masker, Vec<Range<usize>>)>,
}

impl<'d> MaskedText<'d> {
    /// Finds the secrets in `windows` of the text, in any order; without a masker everything is shown.
    pub fn new(document: &'d Document, masker: Option<Masker>, mut windows: Vec<Range<usize>>) -> Self {
        windows.sort_by_key(|window| window.start);
        let secrets = masker.map(|masker| (masker, secret_spans(document, &disjoint(windows))));
        Self { document, secrets }
    }

    /// The secrets in a line, each with its mask.
    pub fn replacements(&self, line: &Range<usize>) -> Vec<(Range<usize>, String)> {
        let Some((masker, spans)) = &self.secrets else { return Vec::new() };
        let first = spans.partition_point(|span| span.end <= line.start);
        let inside = spans[first..].iter().take_while(|span| span.start < line.end);
        let text = self.document.text();
        inside
            .map(|span| {
                (span.start.max(line.start)..span.end.min(line.end), masker.mask(&text[span.clone()]))
            })
            .collect()
    }

    /// A line with its secrets masked.
    pub fn line(&self, line: Range<usize>) -> String {
        let text = self.document.text();
        let mut shown = String::with_capacity(line.len());
        let mut at = line.start;
        for (range, mask) in self.replacements(&line) {
            shown.push_str(&text[at..range.start]);
            shown.push_str(&mask);
            at = range.end;
        }
        shown.push_str(&text[at..line.end]);
        shown
    }
}

/// Masks the secrets in a piece of a configuration, such as the first words of a directive.
pub fn masked_text(text: &str, masker: &Masker) -> String {
    masked_document(&Document::parse(text.to_owned()), masker)
}

/// Writes the bytes of a configuration, or its text with the secrets masked.
pub fn write_text(snapshot: &Snapshot, masker: Option<&Masker>, out: &mut dyn Write) -> io::Result<()> {
    match masker {
        None => out.write_all(snapshot.bytes()),
        Some(masker) => out.write_all(masked_document(snapshot.document(), masker).as_bytes()),
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

fn disjoint(windows: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for window in windows {
        match merged.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => merged.push(window),
        }
    }
    merged
}

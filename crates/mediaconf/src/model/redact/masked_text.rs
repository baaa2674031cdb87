//! Lines of a text with their secrets masked.

use std::ops::Range;

use super::{Masker, secret_spans};
use crate::syntax::Document;

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
        let mut offset = line.start;
        for (range, mask) in self.replacements(&line) {
            shown.push_str(&text[offset..range.start]);
            shown.push_str(&mask);
            offset = range.end;
        }
        shown.push_str(&text[offset..line.end]);
        shown
    }
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

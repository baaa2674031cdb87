//! Lines of a text with its secrets masked.

use std::ops::Range;

use crate::model::{Masker, secret_spans};
use crate::syntax::Document;

/// A text, and what in some windows of it must not be shown.
pub struct MaskedText<'d> {
    document: &'d Document,
    hidden: Option<(Masker, Vec<Range<usize>>)>,
}

impl<'d> MaskedText<'d> {
    /// Prepares `windows` of the text, in any order; without a masker everything is shown.
    pub fn new(document: &'d Document, masker: Option<Masker>, mut windows: Vec<Range<usize>>) -> Self {
        windows.sort_by_key(|window| window.start);
        let hidden = masker.map(|masker| (masker, secret_spans(document, &disjoint(windows))));
        Self { document, hidden }
    }

    /// What in a line is hidden, and what stands in its place.
    pub fn replacements(&self, line: &Range<usize>) -> Vec<(Range<usize>, String)> {
        let Some((masker, spans)) = &self.hidden else { return Vec::new() };
        let first = spans.partition_point(|span| span.end <= line.start);
        let inside = spans[first..].iter().take_while(|span| span.start < line.end);
        let text = self.document.text();
        inside
            .map(|span| {
                (span.start.max(line.start)..span.end.min(line.end), masker.mask(&text[span.clone()]))
            })
            .collect()
    }

    /// A line as it is shown.
    pub fn line(&self, line: Range<usize>) -> String {
        let text = self.document.text();
        let mut shown = String::with_capacity(line.len());
        let mut at = line.start;
        for (range, instead) in self.replacements(&line) {
            shown.push_str(&text[at..range.start]);
            shown.push_str(&instead);
            at = range.end;
        }
        shown.push_str(&text[at..line.end]);
        shown
    }
}

/// A text that is not at hand as a document, such as the beginning of a directive, as it is shown.
pub fn masked_text(text: &str, masker: &Masker) -> String {
    let document = Document::parse(text.to_owned());
    let whole = 0..text.len();
    MaskedText::new(&document, Some(masker.clone()), vec![whole.clone()]).line(whole)
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

//! The unified diff of two configurations, secrets masked.

use std::io::{self, Write};
use std::ops::Range;

use super::masked::MaskedText;
use super::ui::Ui;
use crate::edit::text_diff::{Hunk, Line, hunks_of_splices, hunks_of_texts, printed};
use crate::model::Masker;
use crate::syntax::{Document, Splice};

/// What a diff came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that are only in the new text.
    pub added: usize,
    /// Lines that are only in the old text.
    pub removed: usize,
}

/// Two documents and how they differ.
pub struct TextDiff<'d> {
    old: &'d Document,
    new: &'d Document,
    hunks: Vec<Hunk>,
}

impl<'d> TextDiff<'d> {
    /// The diff of an edit, whose splices are known; of a replacement, where there are none.
    pub fn new(old: &'d Document, new: &'d Document, splices: &[Splice]) -> Self {
        let hunks = match splices {
            [] => hunks_of_texts(old.text(), new.text()),
            splices => hunks_of_splices(old.text(), splices),
        };
        Self { old, new, hunks }
    }

    /// Whether the texts are equal.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// How many lines differ.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for line in self.hunks.iter().flat_map(|hunk| &hunk.lines) {
            match line {
                Line::Added(_) => counts.added += 1,
                Line::Removed(_) => counts.removed += 1,
                Line::Context { .. } => {}
            }
        }
        counts
    }

    /// Prints the diff.
    pub fn print(
        &self,
        names: [&str; 2],
        masker: Option<Masker>,
        ui: Ui,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let old = MaskedText::new(self.old, masker.clone(), self.windows(old_side));
        let new = MaskedText::new(self.new, masker, self.windows(new_side));
        let (old_line, new_line) = (|range| old.line(range), |range| new.line(range));
        for (tag, line) in printed(&self.hunks, names[0], names[1], &old_line, &new_line) {
            writeln!(out, "{}", ui.diff_line(tag, &line))?;
        }
        Ok(())
    }

    fn windows(&self, side: fn(&Line) -> Option<Range<usize>>) -> Vec<Range<usize>> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(side).collect()
    }
}

fn old_side(line: &Line) -> Option<Range<usize>> {
    match line {
        Line::Context { old, .. } | Line::Removed(old) => Some(old.clone()),
        Line::Added(_) => None,
    }
}

fn new_side(line: &Line) -> Option<Range<usize>> {
    match line {
        Line::Added(new) => Some(new.clone()),
        Line::Context { .. } | Line::Removed(_) => None,
    }
}

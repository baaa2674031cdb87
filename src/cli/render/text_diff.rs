//! The unified diff of two configurations, secrets masked.

use std::io::{self, Write};
use std::ops::Range;

use crate::cli::render::masked::MaskedText;
use crate::cli::ui::Ui;
use crate::edit::text_diff::{DiffLine, Hunk, hunks_of_splices, hunks_of_texts, printed};
use crate::model::Masker;
use crate::syntax::{ChangedRun, Document, Splice};

/// What a diff came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that are only in the new text.
    pub added: usize,
    /// Lines that are only in the old text.
    pub removed: usize,
}

impl Counts {
    /// What some hunks come to.
    pub fn of(hunks: &[Hunk]) -> Self {
        let mut counts = Self::default();
        for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
            match line {
                DiffLine::Added(_) => counts.added += 1,
                DiffLine::Removed(_) => counts.removed += 1,
                DiffLine::Context { .. } => {}
            }
        }
        counts
    }
}

/// Two texts and how they differ.
pub struct TextDiff<'d> {
    old: &'d Document,
    new: NewSide<'d>,
    hunks: Vec<Hunk>,
}

/// The text behind the lines that are new.
enum NewSide<'d> {
    Whole(&'d Document),
    /// What an edit touches; all lines that it adds are in these runs.
    Runs(Vec<ChangedRun>),
}

impl NewSide<'_> {
    /// The documents that the text consists of, as far as it matters, and where each starts.
    fn runs(&self) -> Vec<(usize, &Document)> {
        match self {
            Self::Whole(document) => vec![(0, document)],
            Self::Runs(edited) => edited.iter().map(|changed| (changed.start, &changed.document)).collect(),
        }
    }
}

impl<'d> TextDiff<'d> {
    /// The diff of two texts.
    pub fn of_texts(old: &'d Document, new: &'d Document) -> Self {
        Self { old, new: NewSide::Whole(new), hunks: hunks_of_texts(old.text(), new.text()) }
    }

    /// The diff of an edit.
    pub fn of_edit(old: &'d Document, splices: &[Splice]) -> Self {
        let new = NewSide::Runs(old.changed_runs(splices));
        Self { old, new, hunks: hunks_of_splices(old.text(), splices) }
    }

    /// Whether the texts are equal.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// How many lines differ.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.hunks)
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
        let mut added = self.windows(new_side).into_iter().peekable();
        let new: Vec<(usize, MaskedText<'_>)> = self
            .new
            .runs()
            .into_iter()
            .map(|(start, document)| {
                let end = start + document.text().len();
                let inside = std::iter::from_fn(|| added.next_if(|line| line.end <= end));
                let windows = inside.map(|line| line.start - start..line.end - start).collect();
                (start, MaskedText::new(document, masker.clone(), windows))
            })
            .collect();
        let old_line = |line| old.line(line);
        let new_line = |line: Range<usize>| {
            let run = new.partition_point(|(start, _)| *start <= line.start) - 1;
            let (start, text) = &new[run];
            text.line(line.start - start..line.end - start)
        };
        for (tag, line) in printed(&self.hunks, names[0], names[1], &old_line, &new_line) {
            writeln!(out, "{}", ui.diff_line(tag, &line))?;
        }
        Ok(())
    }

    fn windows(&self, side: fn(&DiffLine) -> Option<Range<usize>>) -> Vec<Range<usize>> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(side).collect()
    }
}

fn old_side(line: &DiffLine) -> Option<Range<usize>> {
    match line {
        DiffLine::Context { old, .. } | DiffLine::Removed(old) => Some(old.clone()),
        DiffLine::Added(_) => None,
    }
}

fn new_side(line: &DiffLine) -> Option<Range<usize>> {
    match line {
        DiffLine::Added(new) => Some(new.clone()),
        DiffLine::Context { .. } | DiffLine::Removed(_) => None,
    }
}

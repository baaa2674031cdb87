//! Two edits of which one lies within the other: which of them counts would be a riddle.

use std::collections::HashMap;

use super::assignment::PathEdit;
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::Segment;
use crate::edit::shown_path::shown;

/// The edits without those that lie in, around or at the place of an earlier one.
///
/// Each `[+]` is an entry of its own; `[0]` and `[url="…"]` are looked up one after the other, and
/// so may well find the same.
pub fn without_overlaps(edits: Vec<PathEdit>, faults: &mut Vec<PathFault>) -> Vec<PathEdit> {
    let mut root = PathTree::default();
    let clashes: Vec<Option<usize>> =
        edits.iter().enumerate().map(|(at, edit)| root.enter(&edit.path.segments, at)).collect();
    for (edit, clash) in edits.iter().zip(&clashes) {
        faults.extend(clash.map(|earlier| fault(edit, &edits[earlier])));
    }
    edits.into_iter().zip(clashes).filter(|(_, clash)| clash.is_none()).map(|(edit, _)| edit).collect()
}

/// What is known of one place: the first edit that leads there or through it.
#[derive(Default)]
struct PathTree<'e> {
    first: Option<usize>,
    is_end: bool,
    below: HashMap<&'e Segment, PathTree<'e>>,
}

impl<'e> PathTree<'e> {
    /// Adds an edit, or returns the earlier one that it overlaps.
    fn enter(&mut self, segments: &'e [Segment], edit: usize) -> Option<usize> {
        let first = *self.first.get_or_insert(edit);
        match segments {
            _ if self.is_end => Some(first),
            [] if first != edit => Some(first),
            [] => {
                self.is_end = true;
                None
            }
            [Segment::Append, ..] => None,
            [segment, rest @ ..] => self.below.entry(segment).or_default().enter(rest, edit),
        }
    }
}

fn fault(edit: &PathEdit, earlier: &PathEdit) -> PathFault {
    let misfit = match (edit.path == earlier.path, edit.path.segments.last()) {
        (true, Some(Segment::Index(_))) => Misfit::new("it is given twice")
            .hint("each edit counts the entries anew; to remove several, begin with the last"),
        (true, _) => Misfit::new("it is given twice").hint("give it once"),
        (false, _) => Misfit::new(format!("it overlaps `{}`, which is given too", shown(&earlier.path)))
            .hint("set either the whole or its parts"),
    };
    PathFault::new(&edit.path, misfit)
}

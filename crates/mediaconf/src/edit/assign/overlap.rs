//! Refuses an edit that lies within another one: it would be unclear which of them counts.

use std::collections::HashMap;

use super::assignment::{PathEdit, without_misfits};
use crate::edit::fault::Fault;
use crate::edit::path::Segment;

/// Drops the edits that lie in, around or at the place of an earlier one; each is a fault.
///
/// Each `[+]` is a new element, so two of them do not overlap. `[0]` and `[url="…"]` are looked up one
/// after the other and may find the same entry.
pub fn without_overlaps(edits: Vec<PathEdit>, faults: &mut Vec<Fault>) -> Vec<PathEdit> {
    let mut root = PathTree::default();
    let faults_of_edits = edits.iter().enumerate().map(|(index, edit)| {
        let earlier = root.add(&edit.path.segments, index)?;
        Some(fault(edit, &edits[earlier]))
    });
    let faults_of_edits = faults_of_edits.collect();
    without_misfits(edits, faults_of_edits, faults)
}

/// The places of the edits as a tree: each node knows the first edit that leads to it or through it.
#[derive(Default)]
struct PathTree<'e> {
    first: Option<usize>,
    is_end: bool,
    below: HashMap<&'e Segment, PathTree<'e>>,
}

impl<'e> PathTree<'e> {
    /// Adds an edit, or returns the earlier edit that it overlaps.
    fn add(&mut self, segments: &'e [Segment], edit: usize) -> Option<usize> {
        let first = *self.first.get_or_insert(edit);
        match segments {
            _ if self.is_end => Some(first),
            [] if first != edit => Some(first),
            [] => {
                self.is_end = true;
                None
            }
            [Segment::Append, ..] => None,
            [segment, rest @ ..] => self.below.entry(segment).or_default().add(rest, edit),
        }
    }
}

fn fault(edit: &PathEdit, earlier: &PathEdit) -> Fault {
    match (edit.path == earlier.path, edit.path.segments.last()) {
        (true, Some(Segment::Index(_))) => Fault::of_path("it is given twice")
            .hint("each edit counts the elements anew; to remove several, begin with the last"),
        (true, _) => Fault::of_path("it is given twice").hint("give it once"),
        (false, _) => Fault::of_path(format!("it overlaps `{}`, which is given too", earlier.path.shown()))
            .hint("set either the whole or its parts"),
    }
}

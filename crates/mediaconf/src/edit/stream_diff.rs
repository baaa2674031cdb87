//! The difference between two texts in some of their streams alone.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::surroundings::Surroundings;
use super::text_diff::{Hunk, hunks_of_parts};
use crate::model::shape::group_name;
use crate::model::top_members;
use crate::schema::media::STREAMS;
use crate::syntax::Document;

/// Returns the hunks between the streams of these names, each with its own comments above, in the
/// order of the old text; those that are new come last.
pub fn hunks_of_streams(old: &Document, new: &Document, names: &HashSet<String>) -> Vec<Hunk> {
    let old_lines = lines_of_streams(old, names);
    let new_lines = lines_of_streams(new, names);
    let by_name: HashMap<&str, &Range<usize>> =
        new_lines.iter().map(|(name, lines)| (name.as_str(), lines)).collect();
    let is_old: HashSet<&str> = old_lines.iter().map(|(name, _)| name.as_str()).collect();
    let kept = old_lines.iter().map(|(name, lines)| {
        let now = by_name.get(name.as_str()).map_or(0..0, |lines| (*lines).clone());
        [lines.clone(), now]
    });
    let made = new_lines.iter().filter(|(name, _)| !is_old.contains(name.as_str()));
    let pairs: Vec<[Range<usize>; 2]> = kept.chain(made.map(|(_, lines)| [0..0, lines.clone()])).collect();
    hunks_of_parts(old.text(), new.text(), &pairs)
}

fn lines_of_streams(document: &Document, names: &HashSet<String>) -> Vec<(String, Range<usize>)> {
    let around = Surroundings::new(document);
    let members = top_members(document);
    let streams = members.own_by_key(STREAMS.key()).iter();
    let lines = streams.filter_map(|stream| {
        let name = names.get(&*group_name(*stream).value())?;
        let start = around.own_comments(*stream);
        Some((name.clone(), start..around.next_line(stream.end())))
    });
    lines.collect()
}

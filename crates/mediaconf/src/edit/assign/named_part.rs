//! A configuration that names only some of the streams, lives or plugins that a pattern stands for.

use std::mem;

use serde_json::Value;

use super::assignment::{AssignedValue, Assignment};
use crate::edit::config_lookup::{ConfigLookup, ValueKind};
use crate::edit::path::{Segment, glob_matches};
use crate::schema::{Kind, Schema};

/// A configuration of which a group names some of its blocks alone, so that assignments to all of them are evaluated
/// part by part.
pub struct NamedPart<'c> {
    current: &'c dyn ConfigLookup,
    group: &'static str,
    names: &'c [String],
}

impl<'c> NamedPart<'c> {
    /// Gives parts of at most `most` blocks to `take`, until that gives up. Returns false if it did, or if the
    /// assignments do something else than to set values in more blocks than that, which one pattern stands for.
    pub fn each(
        current: &'c dyn ConfigLookup,
        assignments: &[Assignment],
        most: usize,
        take: &mut dyn FnMut(&NamedPart<'_>) -> bool,
    ) -> bool {
        let Some((kind, glob)) = common_pattern(current.schema(), assignments) else { return false };
        let group = kind.key();
        let each_name = |look: &mut dyn FnMut(&str)| {
            current.each_name(kind, 0..usize::MAX, &mut |name| {
                if glob_matches(glob, name) {
                    look(name)
                }
            });
        };
        let mut count = 0;
        each_name(&mut |_| count += 1);
        let (mut names, mut goes_on) = (Vec::new(), count > most);
        each_name(&mut |name| {
            count -= 1;
            if goes_on {
                names.push(name.to_owned());
            }
            if goes_on && (names.len() == most || count == 0) {
                goes_on = take(&NamedPart { current, group, names: &mem::take(&mut names) });
            }
        });
        goes_on
    }
}

/// The pattern of names that all assignments begin with, if they set values.
fn common_pattern<'a>(schema: &Schema, assignments: &'a [Assignment]) -> Option<(Kind, &'a str)> {
    let pattern = |Assignment { path, value }: &'a Assignment| match &path.segments[..] {
        [Segment::Key(group), Segment::Matching(glob), _, ..] => {
            let sets = !(value.removes() || matches!(value, AssignedValue::Replace(_)));
            schema.kind(group).filter(|_| sets).map(|kind| (kind, glob.as_str()))
        }
        _ => None,
    };
    let first = pattern(assignments.first()?)?;
    assignments.iter().all(|one| pattern(one) == Some(first)).then_some(first)
}

impl ConfigLookup for NamedPart<'_> {
    fn schema(&self) -> &'static Schema {
        self.current.schema()
    }

    fn value(&self, keys: &[&str]) -> Option<Value> {
        self.current.value(keys)
    }

    fn names(&self, keys: &[&str]) -> Vec<String> {
        if keys == [self.group] { self.names.to_vec() } else { self.current.names(keys) }
    }

    fn contains(&self, keys: &[&str]) -> bool {
        self.current.contains(keys)
    }

    fn kind(&self, keys: &[&str]) -> Option<ValueKind> {
        self.current.kind(keys)
    }

    fn block_text(&self, kind: Kind, name: &str) -> Option<&str> {
        self.current.block_text(kind, name)
    }
}

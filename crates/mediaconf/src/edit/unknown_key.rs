//! Keys of paths that the schema does not have.

use std::collections::BTreeSet;

use super::path::Segment;
use super::schema_path::Place;
use super::suggestion::did_you_mean;
use crate::model::near_miss;
use crate::schema::Scope;
use crate::schema::suggest::{is_one_slip, nearest};

/// The length of words that are too short to be near misses in a text.
const SHORT: usize = 3;

/// The first key of a path that the schema does not have. It may be an unknown directive, or a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownKey<'p> {
    /// The key as it was written.
    pub key: &'p str,
    /// Its place in the path.
    pub at: usize,
    /// The scope in which it stands.
    pub scope: Scope,
}

impl<'p> UnknownKey<'p> {
    /// The one of a path that begins at `from`, and goes through lists without brackets.
    pub fn find(from: Place, path: &'p [Segment]) -> Option<Self> {
        let mut above = from;
        for (index, segment) in path.iter().enumerate() {
            let scope = above.list_entry().unwrap_or(above).scope();
            let below = above.through_lists(&path[index..=index]);
            let is_known = below.as_ref().is_ok_and(|place| !place.is_foreign());
            if let (Some(key), Some(scope)) = (segment.name(), scope)
                && scope.by_key(key).is_none()
                && !is_known
            {
                return Some(Self { key, at: index, scope });
            }
            above = below.ok()?;
        }
        None
    }

    /// The known key that it probably misspells.
    pub fn near_miss(self) -> Option<&'static str> {
        let near = near_miss(self.scope, self.key).map(|near| near.key);
        // In a text, a word of three letters may be any other word; a path asks for a known one.
        let keys = || self.scope.rows().map(|row| row.key);
        near.or_else(|| keys().find(|key| key.len() == SHORT && is_one_slip(self.key, key)))
    }

    /// The name among these that it probably misspells. A name that differs in a number at its end is
    /// another name.
    pub fn near_one_of(self, names: &BTreeSet<String>) -> Option<String> {
        let word = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let others = || names.iter().map(String::as_str).filter(|name| word(name) != word(self.key));
        let near = nearest(self.key, others());
        near.or_else(|| others().find(|name| name.len() == SHORT && is_one_slip(self.key, name)))
            .map(str::to_owned)
    }

    /// The known keys that are similar.
    pub fn suggestion(self) -> Option<String> {
        let known: Vec<String> = self.scope.rows().map(|row| row.key.to_owned()).collect();
        did_you_mean(self.key, &known)
    }
}

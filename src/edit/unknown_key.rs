//! Keys of paths that the schema does not have.

use super::path::Segment;
use super::schema_path::Place;
use super::suggestion::did_you_mean;
use crate::model::near_miss;
use crate::model::schema::{Scope, by_key, parameters};
use crate::model::suggest::is_one_slip;

/// The length of words that are too short to be near misses in a text.
const SHORT: usize = 3;

/// The first key of a path that the schema does not have. It may be an unknown directive, or a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownKey<'p> {
    pub key: &'p str,
    /// Its place in the path.
    pub at: usize,
    /// Where it stands.
    pub scope: Scope,
}

impl<'p> UnknownKey<'p> {
    /// The one of a path that begins at `from`, and goes through lists without brackets.
    pub fn of(from: Place, path: &'p [Segment]) -> Option<Self> {
        let mut above = from;
        for (at, segment) in path.iter().enumerate() {
            let scope = above.list_entry().unwrap_or(above).scope();
            if let (Some(key), Some(scope)) = (segment.name(), scope)
                && by_key(scope, key).is_none()
            {
                return Some(Self { key, at, scope });
            }
            above = above.through_lists(&path[at..=at]).ok()?;
        }
        None
    }

    /// The known key of which it is probably a misspelling.
    pub fn near_miss(self) -> Option<&'static str> {
        let near = near_miss(self.scope, self.key).map(|near| near.key);
        // In a text, a word of three letters may be any other word; a path asks for a known one.
        let keys = || parameters(self.scope).map(|row| row.key);
        near.or_else(|| keys().find(|key| key.len() == SHORT && is_one_slip(self.key, key)))
    }

    /// The known keys that are similar.
    pub fn suggestion(self) -> Option<String> {
        let known: Vec<String> = parameters(self.scope).map(|row| row.key.to_owned()).collect();
        did_you_mean(self.key, &known)
    }
}

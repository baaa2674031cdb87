//! The lines of a unified diff in the report of a change.

use std::convert::Infallible;
use std::sync::Arc;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::content_diff::ContentDiff;

/// The lines of a unified diff, from the first `@@` on: those that a server sent, and differences whose lines are made
/// when they are taken, since together they can be larger than both texts.
#[derive(Debug, Clone, Default)]
pub struct DiffLines {
    sent: Vec<String>,
    made: Option<Arc<ContentDiff>>,
}

impl From<ContentDiff> for DiffLines {
    fn from(diff: ContentDiff) -> Self {
        Self { sent: Vec::new(), made: Some(Arc::new(diff)) }
    }
}

impl From<Vec<String>> for DiffLines {
    fn from(sent: Vec<String>) -> Self {
        Self { sent, made: None }
    }
}

impl DiffLines {
    /// True if there is no line.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.made.as_ref().is_none_or(|diff| diff.is_empty())
    }

    /// Gives each line to `take`; the first character says what it is.
    ///
    /// # Errors
    /// The first of `take`.
    pub fn each_line<E>(&self, take: &mut dyn FnMut(String) -> Result<(), E>) -> Result<(), E> {
        self.sent.iter().cloned().try_for_each(&mut *take)?;
        self.made.iter().try_for_each(|diff| diff.each_line(take))
    }

    /// The lines.
    pub fn collected(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let taken: Result<(), Infallible> = self.each_line(&mut |line| {
            lines.push(line);
            Ok(())
        });
        let Ok(()) = taken;
        lines
    }
}

impl Serialize for DiffLines {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        self.each_line(&mut |line| list.serialize_element(&line))?;
        list.end()
    }
}

impl<'de> Deserialize<'de> for DiffLines {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::deserialize(from).map(Self::from)
    }
}

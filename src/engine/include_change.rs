//! The entries of included files, and those that go and come with an `include`.

use std::fmt;

use serde::{Deserialize, Serialize};

use mediaconf::{Kind, Path, Segment, one_line};

/// A stream, live or plugin of an included file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludedEntry {
    pub kind: Kind,
    pub name: String,
    /// The name of the file.
    pub file: String,
    /// The line of its beginning, from 1.
    pub line: usize,
}

impl IncludedEntry {
    /// Names it, and its place.
    pub fn in_words(&self) -> String {
        let path = Path { segments: self.keys().into_iter().map(Segment::Key).collect() };
        format!("`{path}` in `{}`, line {}", one_line(&self.file), self.line)
    }

    /// The keys that lead to it.
    pub fn keys(&self) -> Vec<String> {
        vec![self.kind.key().to_owned(), self.name.clone()]
    }
}

/// The entries that go, and that come, with an `include` that a change removes, adds or points elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludeChange {
    /// The number of removed entries of each kind, in the order of [`Kind::ALL`].
    pub gone: [usize; 3],
    /// The number of new entries of each kind.
    pub come: [usize; 3],
    /// The number of streams that the included files had before.
    pub streams_before: usize,
}

impl IncludeChange {
    pub fn new(gone: &[IncludedEntry], come: &[IncludedEntry], streams_before: usize) -> Option<Self> {
        let count = |entries: &[IncludedEntry]| {
            Kind::ALL.map(|kind| entries.iter().filter(|entry| entry.kind == kind).count())
        };
        let (gone, come) = (count(gone), count(come));
        let is_any = (gone, come) != ([0; 3], [0; 3]);
        is_any.then_some(Self { gone, come, streams_before })
    }

    /// Returns the number of removed streams, and of all streams of included files before.
    pub fn deleted_streams(change: Option<&Self>) -> (usize, usize) {
        change.map_or((0, 0), |change| (change.gone[Kind::Streams.number()], change.streams_before))
    }
}

impl fmt::Display for IncludeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [gone, come] = [self.gone, self.come].map(|counts| counts.iter().sum());
        let entries =
            |count| format!("{count} {} of included files", if count == 1 { "entry" } else { "entries" });
        if gone > 0 {
            write!(f, "no longer included: {}", entries(gone))?;
        }
        match come {
            0 => Ok(()),
            come => write!(f, "{}included now: {}", if gone > 0 { "; " } else { "" }, entries(come)),
        }
    }
}

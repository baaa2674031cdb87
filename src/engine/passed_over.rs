//! The entries of included files that a change or a reader would pass over.

use mediaconf::plumbing::schema::media::{KINDS, STREAMS};
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use mediaconf::plumbing::schema::Kind;
use mediaconf::plumbing::syntax::one_line;

/// The most files that are named.
const MAX_FILES: usize = 10;

/// A stream, live or plugin of an included file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludedEntry {
    pub kind: Kind,
    pub name: String,
    /// The name of the file.
    pub file: String,
}

impl IncludedEntry {
    /// The keys that lead to it.
    pub fn keys(&self) -> Vec<String> {
        vec![self.kind.key().to_owned(), self.name.clone()]
    }
}

/// The entries that go, and that come, with an `include` that a change removes, adds or points elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludeChange {
    /// The number of removed entries of each kind, in the order of [`KINDS`].
    pub gone: [usize; 3],
    /// The number of new entries of each kind.
    pub come: [usize; 3],
    /// The files of the removed entries; not sent over HTTP.
    pub files: Option<PassedOver>,
    /// The number of streams that the included files had before.
    pub streams_before: usize,
}

impl IncludeChange {
    pub fn new(gone: Vec<IncludedEntry>, come: &[IncludedEntry], streams_before: usize) -> Option<Self> {
        let count = |entries: &[IncludedEntry]| {
            KINDS.map(|kind| entries.iter().filter(|entry| entry.kind == kind).count())
        };
        let (gone_of, come) = (count(&gone), count(come));
        let is_any = (gone_of, come) != ([0; 3], [0; 3]);
        is_any.then(|| Self { gone: gone_of, come, files: PassedOver::from_entries(gone), streams_before })
    }

    /// Returns the number of removed streams, and of all streams of included files before.
    pub fn deleted_streams(change: Option<&Self>) -> (usize, usize) {
        change.map_or((0, 0), |change| (change.gone[STREAMS.number()], change.streams_before))
    }
}

impl fmt::Display for IncludeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [gone, come] = [self.gone, self.come].map(|counts| counts.iter().sum());
        let entries =
            |count| format!("{count} {} of included files", if count == 1 { "entry" } else { "entries" });
        match (&self.files, gone) {
            (_, 0) => {}
            (Some(files), _) => write!(f, "no longer included: {files}")?,
            (None, gone) => write!(f, "no longer included: {}", entries(gone))?,
        }
        match come {
            0 => Ok(()),
            come => write!(f, "{}included now: {}", if gone > 0 { "; " } else { "" }, entries(come)),
        }
    }
}

/// The number of entries in each included file; at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver(BTreeMap<String, usize>);

impl PassedOver {
    /// Counts entries; `None` if there are none.
    pub fn from_entries(entries: impl IntoIterator<Item = IncludedEntry>) -> Option<Self> {
        let mut files = BTreeMap::new();
        entries.into_iter().for_each(|entry| *files.entry(entry.file).or_default() += 1);
        if files.is_empty() { None } else { Some(Self(files)) }
    }

    pub fn count(&self) -> usize {
        self.0.values().sum()
    }

    /// One of the files.
    pub fn first_file(&self) -> String {
        self.0.keys().next().map(|file| one_line(file)).unwrap_or_default()
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.count() == 1 { "entry" } else { "entries" };
        write!(f, "{} {noun} of included files (", self.count())?;
        for (index, (file, count)) in self.0.iter().take(MAX_FILES).enumerate() {
            write!(f, "{}{count} in `{}`", if index == 0 { "" } else { ", " }, one_line(file))?;
        }
        match self.0.len().saturating_sub(MAX_FILES) {
            0 => f.write_str(")"),
            more => write!(f, ", and {more} more files)"),
        }
    }
}

//! The entries of included files that a change or a reader would pass over.

use std::collections::BTreeMap;
use std::fmt;

use crate::model::Kind;
use crate::syntax::one_line;

/// So many files are named.
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

/// How many entries of which included files there are; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver(BTreeMap<String, usize>);

impl PassedOver {
    /// Counts entries; `None` if there are none.
    pub fn of(entries: impl IntoIterator<Item = IncludedEntry>) -> Option<Self> {
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
        for (at, (file, count)) in self.0.iter().take(MAX_FILES).enumerate() {
            write!(f, "{}{count} in `{}`", if at == 0 { "" } else { ", " }, one_line(file))?;
        }
        match self.0.len().saturating_sub(MAX_FILES) {
            0 => f.write_str(")"),
            more => write!(f, ", and {more} more files)"),
        }
    }
}

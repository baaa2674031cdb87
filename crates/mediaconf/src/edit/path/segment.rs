//! A path as data, and how it is written.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::edit::fault::Fault;
use crate::schema::json_pointer::{bare_or_quoted, in_quotes};

/// A place in a configuration, or with a [`Segment::Matching`] or [`Segment::EveryEntry`] several.
///
/// Displayed in its canonical form, with quotes only where they are needed, which parses to the
/// same path if the path begins with a name or a glob, as every parsed path does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Path {
    /// The steps from the root, at least one.
    pub segments: Vec<Segment>,
}

impl Path {
    /// Splits the path behind the names that it begins with.
    pub fn split_names(&self) -> (Vec<&str>, &[Segment]) {
        let names: Vec<&str> = self.segments.iter().map_while(Segment::name).collect();
        let below = &self.segments[names.len()..];
        (names, below)
    }

    /// The path of all members of a group.
    pub fn all(group: &str) -> Self {
        Self { segments: vec![Segment::Key(group.to_owned()), Segment::Matching(EVERY.to_owned())] }
    }

    /// The path of the streams, lives or plugins that this one leads into.
    pub fn entry(&self) -> Self {
        Self { segments: self.segments.iter().take(2).cloned().collect() }
    }

    /// The first segment that stands for several places.
    pub fn first_pattern(&self) -> Option<usize> {
        self.segments.iter().position(Segment::is_pattern)
    }

    /// The path with another segment at this place.
    pub fn with_segment(&self, at: usize, segment: Segment) -> Self {
        let mut path = self.clone();
        path.segments[at] = segment;
        path
    }

    /// The path with a name in the place of these segments.
    pub fn with_name(&self, segments: Range<usize>, name: String) -> Self {
        let mut path = self.clone();
        path.segments.splice(segments, [Segment::Key(name)]);
        path
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The field of this name: `streams`, `"cam.1"`.
    Key(String),
    /// All fields whose names match a glob, in which `*` stands for any characters: `*`, `cam*`.
    Matching(String),
    /// The entry of a list at this place, from 0: `[0]`.
    Index(usize),
    /// The entry of a list at this place, counted from its end: `[-1]` is the last.
    FromEnd(usize),
    /// All entries of a list: `[*]`.
    EveryEntry,
    /// A new entry at the end of a list: `[+]`.
    Append,
    /// The entry of a list whose field `key` has this value: `[url="udp://239.0.0.1:1234"]`.
    Find {
        /// The field.
        key: String,
        /// Its value as text.
        value: String,
    },
}

impl Segment {
    /// The name of the field, if it is a single one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Key(name) => Some(name),
            _ => None,
        }
    }

    /// True if it stands for several places.
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Matching(_) | Self::EveryEntry)
    }
}

/// The glob that matches every name.
pub const EVERY: &str = "*";

/// True if a name matches a glob, in which each `*` stands for any characters, also for none.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    if glob == EVERY {
        return true;
    }
    let Some((start, rest)) = glob.split_once('*') else { return glob == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        // The first place leaves the most for the parts behind it.
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

impl TryFrom<String> for Path {
    type Error = Fault;

    fn try_from(text: String) -> Result<Self, Fault> {
        Self::parse(&text)
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.to_string()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.segments.iter().enumerate() {
            let is_field = matches!(segment, Segment::Key(_) | Segment::Matching(_));
            if is_field && place > 0 {
                f.write_str(".")?;
            }
            write!(f, "{segment}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Key(name) => f.write_str(&bare_or_quoted(name)),
            Segment::Matching(glob) => f.write_str(glob),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::FromEnd(back) => write!(f, "[-{back}]"),
            Segment::EveryEntry => f.write_str("[*]"),
            Segment::Append => f.write_str("[+]"),
            Segment::Find { key, value } => write!(f, "[{}={}]", bare_or_quoted(key), in_quotes(value)),
        }
    }
}

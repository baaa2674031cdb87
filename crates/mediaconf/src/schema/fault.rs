//! Faults: what is wrong with a request or a text, each with its place; and the places in JSON, JSON Pointers
//! ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::syntax::{Diagnostics, Word, one_line};

/// The kinds of faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FaultKind {
    /// Not JSON, a repeated key, too deep, not an object.
    NotJson,
    /// The patch needs more memory than a merge may take.
    TooLarge,
    /// A value does not fit its parameter, or a part is missing.
    #[default]
    WrongType,
    /// A member that a patch can't set.
    ReadOnly,
    /// A mask in the place of a secret.
    MaskedValue,
    /// An unknown directive would change its form; refused unless it is accepted.
    FormChange,
    /// A new keyword is similar to a known one; refused unless it is accepted.
    NearMiss,
    /// A path is wrong or ambiguous, or the value that is given for it is wrong.
    Path,
    /// A path is right, and there is no value at it.
    Absent,
    /// A value is not the expected one.
    Unexpected,
}

impl FaultKind {
    /// The kinds of changes that are rarely meant, and are refused unless they are accepted.
    pub const DOUBTS: &[Self] = &[Self::FormChange, Self::NearMiss];
}

/// One fault: a message, its place as far as it is known, and a hint. As JSON it is a member of `errors` of a problem.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of the fault.
    #[serde(skip)]
    pub kind: FaultKind,
    /// Lower case, no full stop; begins with the path where it is a fault of a path.
    pub message: String,
    /// The place in the JSON (RFC 6901).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Pointer>,
    /// The file, where the configuration includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the text, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in the line, from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// In a conflict, the value from which both changes started, secrets masked; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<Value>>,
    /// In a conflict, the value that the other change made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Box<Value>>,
    /// In a conflict, the value that the request asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mine: Option<Box<Value>>,
}

impl std::error::Error for Fault {}

impl Fault {
    /// A fault without a place.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), ..Self::default() }
    }

    /// A fault without a kind and a place.
    pub fn plain(message: impl Into<String>) -> Self {
        Self::new(FaultKind::default(), message)
    }

    /// The same fault in one line: the message names the place, and the values of a conflict.
    #[must_use]
    pub fn in_one_line(self) -> Self {
        Self { hint: self.hint.clone(), ..Self::new(self.kind, self.to_string()) }
    }

    /// A fault at a place of the JSON.
    pub fn at_pointer(kind: FaultKind, pointer: Pointer, message: impl Into<String>) -> Self {
        Self { pointer: Some(pointer), ..Self::new(kind, message) }
    }

    /// A path, or the value given for it, is wrong. The message holds nothing of the value.
    pub fn of_path(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Path, message)
    }

    /// There is no value at a path.
    pub fn absent(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Absent, message)
    }

    /// The same fault with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// True if the path is right and only the value is missing.
    pub fn is_absent(&self) -> bool {
        self.kind == FaultKind::Absent
    }

    /// The path that the message begins with, in backticks; empty if there is none.
    pub fn place(&self) -> &str {
        let place = self.message.split_once(": ").map_or("", |(place, _)| place);
        if place.starts_with('`') && place.ends_with('`') { place } else { "" }
    }

    /// The place in the text in words: the file, the line, the column; `None` if none is known.
    pub fn position(&self) -> Option<String> {
        let file = self.file.as_ref().map(|file| format!("`{}`", one_line(file)));
        let line = self.line.map(|line| format!("line {line}"));
        let column = self.column.map(|column| format!("column {column}"));
        [file, line, column].into_iter().flatten().reduce(|all, place| format!("{all}, {place}"))
    }

    /// Faults in words, the first ones of many.
    pub fn joined<T: ToString>(faults: &[T]) -> String {
        let more = faults.len().checked_sub(Diagnostics::MAX).filter(|more| *more > 0);
        let words = faults.iter().take(Diagnostics::MAX).map(T::to_string);
        words.chain(more.map(|more| format!("and {more} more"))).collect::<Vec<_>>().join("; ")
    }
}

/// The place, the message, and the values of a conflict.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pointer {
            Some(pointer) if *pointer == Pointer::root() => f.write_str("(root): ")?,
            Some(pointer) => write!(f, "`{}`: ", pointer.to_path().shown())?,
            None => {}
        }
        if let Some(place) = self.position() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        if self.theirs.is_none() && self.mine.is_none() {
            return Ok(());
        }
        let [base, theirs, mine] = [&self.base, &self.theirs, &self.mine]
            .map(|value| value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`")));
        write!(f, " (it was {base}, became {theirs}, and was to be {mine})")
    }
}

/// All faults of one request, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Error)]
#[error("{}", Fault::joined(.0))]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// Adds a fault.
    pub fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Returns the value of a result, or keeps its faults.
    pub fn take<T>(&mut self, result: Result<T, Faults>) -> Option<T> {
        result.map_err(|faults| self.0.extend(faults.0)).ok()
    }

    /// Returns `value` if there are no faults.
    pub fn into_result<T>(self, value: T) -> Result<T, Faults> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl Deref for Faults {
    type Target = [Fault];

    fn deref(&self) -> &[Fault] {
        &self.0
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

/// A place in a JSON document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pointer(pub(super) String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// The place that `keys` lead to from the root.
    pub fn from_keys(keys: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        keys.into_iter().fold(Self::root(), |above, key| above.child(key))
    }

    /// The member or element of this place.
    #[must_use]
    pub fn child(&self, key: impl AsRef<str>) -> Self {
        let mut child = Self(String::with_capacity(2 * self.0.len() + 16));
        child.0 += &self.0;
        child.push(key);
        child
    }

    /// Goes on to a member or an element of this place, and returns the length up to which it was.
    pub(super) fn push(&mut self, key: impl AsRef<str>) -> usize {
        let above = self.0.len();
        self.0.push('/');
        self.0 += key.as_ref();
        if memchr::memchr2(b'~', b'/', &self.0.as_bytes()[above + 1..]).is_some() {
            let key = self.0.split_off(above + 1);
            self.0 += &key.replace('~', "~0").replace('/', "~1");
        }
        above
    }

    /// The keys and indices that lead here from the root.
    pub fn keys(&self) -> Vec<String> {
        self.0.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
    }

    /// As RFC 6901 writes it; empty for the whole document.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "(root)" } else { &self.0 })
    }
}

/// A name as paths write it: in quotes only where it needs them.
pub fn bare_or_quoted(name: &str) -> Cow<'_, str> {
    let needs_quotes = name.is_empty() || name.contains('*') || name.contains(ends_bare_name);
    if needs_quotes { Cow::Owned(Word::in_quotes(name)) } else { Cow::Borrowed(name) }
}

/// True if a character ends a bare name. `'` has no meaning of its own, but whoever writes it means a
/// quote.
pub fn ends_bare_name(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | '=' | '"' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_in_one_line() {
        let faults = Faults(["rtmp is a port", "rtsp is a port"].map(Fault::plain).into());
        assert_eq!(faults.to_string(), "rtmp is a port; rtsp is a port");
        let many = Faults(vec![faults[0].clone(); Diagnostics::MAX + 1]);
        assert!(many.to_string().ends_with("; and 1 more"));
    }

    #[test]
    fn keys_survive_being_escaped() {
        let keys = ["a/b", "~", "", "~1", "0"];
        let pointer = Pointer::from_keys(keys);
        assert_eq!(pointer.as_str(), "/a~1b/~0//~01/0");
        assert_eq!(pointer.keys(), keys);
        assert_eq!(Pointer::root().keys(), Vec::<String>::new());
    }
}

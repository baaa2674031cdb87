//! JSON Pointers ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)): the one place that escapes keys.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in a JSON document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// The place that `keys` lead to from the root.
    pub fn from_keys(keys: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        keys.into_iter().fold(Self::root(), |above, key| above.child(key))
    }

    /// The member or element of this place.
    #[must_use]
    pub fn child(&self, key: impl fmt::Display) -> Self {
        let key = key.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{key}", self.0))
    }

    /// The keys and indices that lead here from the root.
    pub fn keys(&self) -> Vec<String> {
        keys_of(&self.0)
    }

    /// The place above, as a path of the command line: `streams.cam1.dvr`.
    pub fn path_above(&self) -> String {
        let keys = self.keys();
        let above = keys.iter().take(keys.len().saturating_sub(1)).map(|key| bare_or_quoted(key));
        above.collect::<Vec<_>>().join(".")
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

/// The keys in the text of a JSON Pointer.
pub fn keys_of(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
}

/// A name as paths write it: in quotes only where it needs them.
pub fn bare_or_quoted(name: &str) -> Cow<'_, str> {
    let needs_quotes = name.is_empty() || name.contains('*') || name.contains(ends_bare_name);
    if needs_quotes { Cow::Owned(in_quotes(name)) } else { Cow::Borrowed(name) }
}

/// A text in the quotes of paths.
pub fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', r#"\""#))
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
    fn keys_survive_being_escaped() {
        let keys = ["a/b", "~", "", "~1", "0"];
        let pointer = Pointer::from_keys(keys);
        assert_eq!(pointer.as_str(), "/a~1b/~0//~01/0");
        assert_eq!(pointer.keys(), keys);
        assert_eq!(Pointer::root().keys(), Vec::<String>::new());
    }
}

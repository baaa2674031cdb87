//! JSON Pointers ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)): the one place that escapes keys.

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

//! The id of a change: the same command can be given again with it, and makes the change once.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::chance::fresh_id;

/// The length of an id that is made at random.
const RANDOM: usize = 8;

/// The longest id, in bytes.
const LONGEST: usize = 64;

/// The id of a change, as its line in the history has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChangeId(String);

impl ChangeId {
    /// An id that no other change has.
    pub fn random() -> Self {
        Self(fresh_id()[..RANDOM].to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChangeId {
    type Err = NotAChangeId;

    fn from_str(text: &str) -> Result<Self, NotAChangeId> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        match begins && text.len() <= LONGEST && text.bytes().all(is_known) {
            true => Ok(Self(text.to_owned())),
            false => Err(NotAChangeId),
        }
    }
}

impl TryFrom<String> for ChangeId {
    type Error = NotAChangeId;

    fn try_from(text: String) -> Result<Self, NotAChangeId> {
        text.parse()
    }
}

impl From<ChangeId> for String {
    fn from(id: ChangeId) -> Self {
        id.0
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is no id of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it takes up to 64 letters, digits, `-`, `_` and `.`, the first one a letter or a digit")]
pub struct NotAChangeId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_plain_word() {
        let longest = "x".repeat(64);
        for text in ["7", "7f3a90c2", "deploy-42", "a_b.c", &longest] {
            assert_eq!(text.parse::<ChangeId>().as_ref().map(ChangeId::as_str), Ok(text));
        }
        for text in ["", "-x", ".x", "a b", "a/b", "ü", "a\n", &format!("{longest}x")] {
            assert_eq!(text.parse::<ChangeId>(), Err(NotAChangeId), "{text}");
        }
        assert!(ChangeId::random().as_str().parse::<ChangeId>().is_ok());
    }
}

//! The name of an owner: who applies a desired state again and again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest name.
const MAX_LENGTH: usize = 100;

/// The name of an owner. It is the name of a file, and a part of a key in etcd.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OwnerName(String);

/// The message about a text that is no [`OwnerName`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the name of an owner is up to 100 letters, digits, `.`, `_` and `-`, and begins with a letter or a digit"
)]
pub struct NotAnOwnerName;

impl OwnerName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for OwnerName {
    type Error = NotAnOwnerName;

    fn try_from(name: String) -> Result<Self, NotAnOwnerName> {
        name.parse()
    }
}

impl From<OwnerName> for String {
    fn from(name: OwnerName) -> Self {
        name.0
    }
}

impl FromStr for OwnerName {
    type Err = NotAnOwnerName;

    fn from_str(name: &str) -> Result<Self, NotAnOwnerName> {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        match begins_well && name.len() <= MAX_LENGTH && name.chars().all(is_fit) {
            true => Ok(Self(name.to_owned())),
            false => Err(NotAnOwnerName),
        }
    }
}

impl fmt::Display for OwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        for name in ["git", "site-7", "a.b_c", "7", &"x".repeat(MAX_LENGTH)] {
            assert_eq!(name.parse::<OwnerName>().map(|name| name.to_string()), Ok(name.to_owned()));
        }
        for name in
            ["", ".", "..", ".git", "-x", "_", "a/b", "../a", "a\0", "a b", "ä", &"x".repeat(MAX_LENGTH + 1)]
        {
            assert_eq!(name.parse::<OwnerName>(), Err(NotAnOwnerName), "{name:?}");
        }
    }
}

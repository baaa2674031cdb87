//! The revision of a text: a hash of its bytes.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

/// Length of a revision as text.
const HEX_DIGITS: usize = 32;

/// The xxh3-128 hash of a text, shown as 32 lower case hex digits.
///
/// It tells texts apart; it does not authenticate them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Revision(u128);

impl Revision {
    pub fn from_text(text: &[u8]) -> Revision {
        Revision(xxh3_128(text))
    }

    /// The revision of the text that `pieces` make, one after the other.
    pub fn of_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Revision {
        let mut hasher = Xxh3Default::new();
        for piece in pieces {
            hasher.update(piece);
        }
        Revision(hasher.digest128())
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Revision {
    type Err = NotARevision;

    fn from_str(text: &str) -> Result<Revision, NotARevision> {
        // `from_str_radix` alone would take a sign and fewer digits.
        if text.len() != HEX_DIGITS || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotARevision);
        }
        let hash = u128::from_str_radix(text, 16).map_err(|_| NotARevision)?;
        Ok(Revision(hash))
    }
}

impl From<Revision> for String {
    fn from(revision: Revision) -> String {
        revision.to_string()
    }
}

impl TryFrom<String> for Revision {
    type Error = NotARevision;

    fn try_from(text: String) -> Result<Revision, NotARevision> {
        text.parse()
    }
}

/// The text is not 32 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a revision has {HEX_DIGITS} hex digits")]
pub struct NotARevision;

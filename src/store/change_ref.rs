//! A reference to a change in the history.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// As many entries of the history as there are.
pub const WHOLE_HISTORY: usize = usize::MAX;

/// A reference to a change in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ChangeRef {
    /// Counted back from the last one, which is 1: `1`, `@1`.
    Back(usize),
    /// By its serial number: `#17`, or `serial:17` where a `#` means something else.
    Serial(u64),
}

impl TryFrom<String> for ChangeRef {
    type Error = NotAChangeRef;

    fn try_from(text: String) -> Result<Self, NotAChangeRef> {
        text.parse()
    }
}

impl From<ChangeRef> for String {
    fn from(change: ChangeRef) -> Self {
        change.in_url()
    }
}

impl FromStr for ChangeRef {
    type Err = NotAChangeRef;

    fn from_str(text: &str) -> Result<Self, NotAChangeRef> {
        let serial = text.strip_prefix('#').or_else(|| text.strip_prefix("serial:"));
        match serial {
            Some(digits) => number(digits).map(Self::Serial),
            None => {
                let number = number(text.strip_prefix('@').unwrap_or(text))?;
                // No history is that long; the lookup reports the number as unknown.
                Ok(Self::Back(usize::try_from(number).unwrap_or(usize::MAX)))
            }
        }
    }
}

fn number(digits: &str) -> Result<u64, NotAChangeRef> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_plain && *number >= 1).ok_or(NotAChangeRef)
}

impl ChangeRef {
    /// The number of entries of the history that have to be read to find it.
    pub fn entries(self) -> usize {
        match self {
            Self::Back(number) => number,
            Self::Serial(_) => WHOLE_HISTORY,
        }
    }

    /// The reference as it is written in a URL.
    pub fn in_url(self) -> String {
        match self {
            Self::Back(number) => number.to_string(),
            Self::Serial(serial) => format!("serial:{serial}"),
        }
    }
}

impl fmt::Display for ChangeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Back(number) => write!(f, "@{number}"),
            Self::Serial(serial) => write!(f, "#{serial}"),
        }
    }
}

/// The text is no reference to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it takes a change of the history, such as 1 for the last one, or `serial:7`")]
pub struct NotAChangeRef;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_in_two_ways() {
        for (text, which) in [
            ("1", ChangeRef::Back(1)),
            ("@12", ChangeRef::Back(12)),
            ("#12", ChangeRef::Serial(12)),
            ("serial:12", ChangeRef::Serial(12)),
        ] {
            assert_eq!(text.parse(), Ok(which), "{text}");
            assert_eq!(which.to_string().parse(), Ok(which));
            assert_eq!(which.in_url().parse(), Ok(which));
        }
        for text in ["", "0", "@", "@0", "#", "#0", "-1", "+1", "1.0", "x", "serial:", "99999999999999999999"]
        {
            assert_eq!(text.parse::<ChangeRef>(), Err(NotAChangeRef), "{text}");
        }
    }
}

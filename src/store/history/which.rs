//! Which change of the history is meant.

use std::fmt;
use std::str::FromStr;

/// A change of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Counted back from the last one, which is 1: `1`, `@1`.
    Back(usize),
    /// By the number that it keeps: `#17`, or `serial:17` where a `#` means something else.
    Serial(u64),
}

impl FromStr for Which {
    type Err = NotAChange;

    fn from_str(text: &str) -> Result<Self, NotAChange> {
        let serial = text.strip_prefix('#').or_else(|| text.strip_prefix("serial:"));
        match serial {
            Some(digits) => number(digits).map(Self::Serial),
            None => {
                let number = number(text.strip_prefix('@').unwrap_or(text))?;
                // No history goes back so far; that it does not is what is told then.
                Ok(Self::Back(usize::try_from(number).unwrap_or(usize::MAX)))
            }
        }
    }
}

fn number(digits: &str) -> Result<u64, NotAChange> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_plain && *number >= 1).ok_or(NotAChange)
}

impl Which {
    /// As it stands in a URL.
    pub fn in_url(self) -> String {
        match self {
            Self::Back(number) => number.to_string(),
            Self::Serial(serial) => format!("serial:{serial}"),
        }
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Back(number) => write!(f, "@{number}"),
            Self::Serial(serial) => write!(f, "#{serial}"),
        }
    }
}

/// The text names no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAChange;

impl fmt::Display for NotAChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it takes a change of the history, such as 1 for the last one, or `serial:7`")
    }
}

impl std::error::Error for NotAChange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_in_two_ways() {
        for (text, which) in [
            ("1", Which::Back(1)),
            ("@12", Which::Back(12)),
            ("#12", Which::Serial(12)),
            ("serial:12", Which::Serial(12)),
        ] {
            assert_eq!(text.parse(), Ok(which), "{text}");
            assert_eq!(which.to_string().parse(), Ok(which));
            assert_eq!(which.in_url().parse(), Ok(which));
        }
        for text in ["", "0", "@", "@0", "#", "#0", "-1", "+1", "1.0", "x", "serial:", "99999999999999999999"]
        {
            assert_eq!(text.parse::<Which>(), Err(NotAChange), "{text}");
        }
    }
}

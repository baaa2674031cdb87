//! The size that the answer of a server may have.

use std::fmt;
use std::str::FromStr;

const KIB: u64 = 1024;

/// The units of sizes. A size is shown in the largest that leaves no rest.
const UNITS: [(&str, u64); 3] = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];

/// The size that the answer of a server may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub struct AnswerSize(u64);

impl AnswerSize {
    pub const DEFAULT: Self = Self(64 * KIB * KIB);

    /// The largest answer with an error status.
    pub(super) const OF_REFUSAL: Self = Self(KIB * KIB);

    /// The largest that can be chosen.
    const LARGEST: Self = Self(16 * KIB * KIB * KIB);

    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The next size to try, as an option takes it.
    pub fn next(self) -> Option<String> {
        let twice = Self(self.0 * 2);
        (twice <= Self::LARGEST).then(|| {
            match UNITS.iter().find(|(_, bytes)| twice.0.is_multiple_of(*bytes)) {
                Some((name, bytes)) => format!("{}{}", twice.0 / bytes, &name[..1]),
                None => twice.0.to_string(),
            }
        })
    }
}

impl FromStr for AnswerSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor =
            UNITS.iter().find(|(name, _)| unit == *name || unit == &name[..1]).map(|(_, bytes)| *bytes);
        let size = match (factor, unit) {
            (None, "") => digits.parse().ok(),
            (None, _) => None,
            // Digits that are too many for a number are too large, too.
            (Some(factor), _) => digits.parse::<u64>().ok().and_then(|count| count.checked_mul(factor)),
        };
        let size = size.map(Self).filter(|size| (Self(1)..=Self::LARGEST).contains(size));
        size.ok_or_else(|| {
            format!("a size is from 1 to `{}` bytes, such as `64M` or `100KiB`", Self::LARGEST.0)
        })
    }
}

impl fmt::Display for AnswerSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes)) {
            Some((name, bytes)) => write!(f, "{} {name}", self.0 / bytes),
            None if self.0 == 1 => f.write_str("1 byte"),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_as_they_are_given() {
        for (given, shown, next) in [
            ("1", "1 byte", Some("2")),
            ("100K", "100 KiB", Some("200K")),
            ("1024MiB", "1 GiB", Some("2G")),
            ("67108864", "64 MiB", Some("128M")),
            ("16G", "16 GiB", None),
        ] {
            let size: AnswerSize = given.parse().expect("it is a size");
            assert_eq!((size.to_string().as_str(), size.next().as_deref()), (shown, next));
        }
    }
}

//! The fingerprint of a certificate: both ends show it, so that people can compare the two.

use std::fmt;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use thiserror::Error;

/// The prefix of a fingerprint.
const PREFIX: &str = "sha256:";

/// The length of a SHA-256 hash, in bytes.
const LENGTH: usize = 32;

/// The SHA-256 hash of a certificate: `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; LENGTH]);

impl Fingerprint {
    /// The fingerprint of a certificate in DER.
    pub fn from_certificate(certificate: &[u8]) -> Self {
        let hash = digest(&SHA256, certificate);
        Self(hash.as_ref().try_into().expect("a SHA-256 hash has 32 bytes"))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text is no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a fingerprint is `sha256:` and 64 hexadecimal digits")]
pub struct NotAFingerprint;

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    /// Parses what this program prints, and what `openssl x509 -fingerprint -sha256` prints behind its
    /// `=`: capitals, with colons between the bytes.
    fn from_str(text: &str) -> Result<Self, NotAFingerprint> {
        let digits: Vec<char> =
            text.strip_prefix(PREFIX).unwrap_or(text).chars().filter(|c| *c != ':').collect();
        let digit = |c: char| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes = digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
        let bytes: Vec<u8> = bytes.collect::<Option<_>>().ok_or(NotAFingerprint)?;
        match digits.len() % 2 {
            0 => bytes.try_into().map(Self).map_err(|_| NotAFingerprint),
            _ => Err(NotAFingerprint),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn it_is_read_as_it_is_written() {
        let fingerprint = Fingerprint::from_certificate(b"");
        assert_eq!(fingerprint.to_string(), EMPTY);
        assert_eq!(EMPTY.parse(), Ok(fingerprint));
        let digits: Vec<String> = EMPTY.as_bytes()[7..]
            .chunks(2)
            .map(|pair| String::from_utf8_lossy(pair).to_uppercase())
            .collect();
        assert_eq!(digits.join(":").parse(), Ok(fingerprint), "as openssl prints it");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "sha256:", "sha256:ab", &EMPTY[..70], &format!("{EMPTY}0"), &format!("{EMPTY}00"), "é"]
        {
            assert_eq!(text.parse::<Fingerprint>(), Err(NotAFingerprint), "{text}");
        }
        assert!(EMPTY.replace('e', "g").parse::<Fingerprint>().is_err());
    }
}

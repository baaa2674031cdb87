//! How requests are sent: with which credentials, how long, and how large an answer may be.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;

use super::tls::TlsTrust;
use crate::error::Error;

/// The longest time for a whole request, hooks of the server included.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(150);

/// The settings of requests.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Login and password; none on a Unix socket, and before a server asks for them.
    pub credentials: Option<Credentials>,
    /// The trusted certificates of servers.
    pub trust: TlsTrust,
    /// The longest time for a whole request, until its answer is parsed.
    pub timeout: Duration,
    /// The size that the answer may have.
    pub max_answer: ByteSize,
    /// The user who became root by sudo. It is sent to a server at a Unix socket, for its history.
    pub sudo_user: Option<String>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        let (credentials, sudo_user, trust) = (None, None, TlsTrust::Platform);
        let (timeout, max_answer) = (DEFAULT_TIMEOUT, ByteSize::DEFAULT);
        Self { credentials, trust, timeout, max_answer, sudo_user }
    }
}

const KIB: u64 = 1024;

/// The units of sizes. A size is shown in the largest that leaves no rest.
const UNITS: [(&str, u64); 3] = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];

/// A number of bytes, as an option takes it: how large an answer or a file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub struct ByteSize(pub u64);

impl ByteSize {
    pub const DEFAULT: Self = Self(64 * KIB * KIB);

    /// The largest answer with an error status.
    pub(super) const OF_REFUSAL: Self = Self(KIB * KIB);

    /// The largest that can be chosen.
    const LARGEST: Self = Self(16 * KIB * KIB * KIB);
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let known = UNITS.iter().find(|(name, _)| unit == *name || unit == &name[..1]);
        let factor = if unit.is_empty() { Some(1) } else { known.map(|(_, bytes)| *bytes) };
        let size =
            digits.parse::<u64>().ok().zip(factor).and_then(|(count, factor)| count.checked_mul(factor));
        let size = size.map(Self).filter(|size| (Self(1)..=Self::LARGEST).contains(size));
        size.ok_or_else(|| {
            format!("a size is from 1 to `{}` bytes, such as `64M` or `100KiB`", Self::LARGEST.0)
        })
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes));
        match (self.0, unit) {
            (1, _) => f.write_str("1 byte"),
            (count, None) => write!(f, "{count} bytes"),
            (count, Some((unit, bytes))) => write!(f, "{} {unit}", count / bytes),
        }
    }
}

/// Replaces a secret in a text.
const HIDDEN: &str = "…";

/// The shortest password that is cut from texts: shorter ones would remove harmless letters.
const MIN_HIDDEN: usize = 3;

/// Login and password of Basic authentication (RFC 7617).
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    login: String,
    password: String,
}

impl Credentials {
    /// Credentials of a login and a password, not encoded.
    ///
    /// # Errors
    /// The login has a colon, which would end it.
    pub fn new(login: String, password: String) -> Result<Self, Error> {
        match login.contains(':') {
            true => Err(Error::usage("a login can't contain a `:`", "a `:` would end the login")),
            false => Ok(Self { login, password }),
        }
    }

    /// The value of `Authorization`.
    pub(super) fn header(&self) -> HeaderValue {
        let mut value = HeaderValue::from_str(&format!("Basic {}", self.encoded()))
            .expect("base64 has only letters that a header may have");
        value.set_sensitive(true);
        value
    }

    fn encoded(&self) -> String {
        BASE64_STANDARD.encode(format!("{}:{}", self.login, self.password))
    }

    /// Removes the password from a text of the server.
    pub(super) fn cut_from(&self, text: &str) -> String {
        let text = text.replace(&self.encoded(), HIDDEN);
        if self.password.len() < MIN_HIDDEN { text } else { text.replace(&self.password, HIDDEN) }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_as_they_are_given() {
        for (given, shown) in [
            ("1", "1 byte"),
            ("100K", "100 KiB"),
            ("1024MiB", "1 GiB"),
            ("67108864", "64 MiB"),
            ("16G", "16 GiB"),
        ] {
            let size: ByteSize = given.parse().expect("it is a size");
            assert_eq!(size.to_string(), shown);
        }
    }

    #[test]
    fn they_are_sent_and_not_shown() {
        let credentials =
            Credentials::new("Aladdin".to_owned(), "open sesame".to_owned()).expect("there is no colon");
        assert_eq!(credentials.header(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let shown = format!("{credentials:?} {:?}", credentials.header());
        assert!(!shown.contains("sesame") && !shown.contains("QWxh"), "{shown}");
        assert_eq!(credentials.cut_from("no `open sesame`, no QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "no `…`, no …");
        assert!(Credentials::new("a:b".to_owned(), "c".to_owned()).is_err());
    }
}

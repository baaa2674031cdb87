//! Login and password, hidden in all output.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;

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
    /// Credentials of a login and a password, not encoded; `None` if the login has a colon, which would
    /// end it.
    pub fn new(login: impl Into<String>, password: impl Into<String>) -> Option<Self> {
        let (login, password) = (login.into(), password.into());
        (!login.contains(':')).then_some(Self { login, password })
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
    use super::Credentials;

    #[test]
    fn they_are_sent_and_not_shown() {
        let credentials = Credentials::new("Aladdin", "open sesame").expect("there is no colon");
        assert_eq!(credentials.header(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let shown = format!("{credentials:?} {:?}", credentials.header());
        assert!(!shown.contains("sesame") && !shown.contains("QWxh"), "{shown}");
        assert_eq!(credentials.cut_from("no `open sesame`, no QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "no `…`, no …");
        assert!(Credentials::new("a:b", "c").is_none());
    }
}

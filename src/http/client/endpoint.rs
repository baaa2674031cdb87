//! The address of a server: a URL with the prefix of the API, or a Unix socket.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use reqwest::Url;
use url::ParseError;

use super::connection::ApiCall;
use crate::error::Error;

/// Why a text is no URL of a server.
const NO_SCHEME: &str = "it does not start with `http://` or `https://`";

/// The host in requests over a Unix socket.
const SOCKET_URL: &str = "http://localhost";

/// The address of a server, without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL, which ends in the prefix of the API.
    url: Url,
    /// The URL as the user gave it, without credentials, or the path of the socket; for messages.
    name: String,
    /// The Unix socket to which requests go.
    pub(super) socket: Option<PathBuf>,
}

/// Login and password from a URL; either may be empty.
pub type UserInfo = (String, String);

impl Endpoint {
    /// Parses the base URL of a server, and the login and password in it. The prefix is appended
    /// unless the path ends in it already.
    pub fn parse(text: &str, prefix: &str) -> Result<(Self, UserInfo), Error> {
        let bad = |why: &str| {
            // A query may hold a secret, and a password may hold what begins one.
            let whole = without_userinfo(text);
            let shown = whole.split(['?', '#']).next().unwrap_or_default();
            let message = format!("`{shown}` is not the URL of a server: {why}");
            Error::usage(message, "write it like `https://media.example`")
        };
        let mut url = Url::parse(text).map_err(|error| match error {
            ParseError::RelativeUrlWithoutBase => bad(NO_SCHEME),
            error => bad(&error.to_string()),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad(NO_SCHEME));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("it has a query or a fragment"));
        }
        let decoded = |text| {
            let text = percent_decode_str(text).decode_utf8().map(Cow::into_owned);
            text.map_err(|_| bad("the login and the password have to be UTF-8"))
        };
        let userinfo = (decoded(url.username())?, decoded(url.password().unwrap_or_default())?);
        url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| bad("it has no host"))?;
        let name = url.as_str().trim_end_matches('/').to_owned();
        url.set_path(&with_prefix(url.path(), prefix));
        Ok((Self { url, name, socket: None }, userinfo))
    }

    /// The endpoint of a Unix socket.
    pub fn socket(path: PathBuf, prefix: &str) -> Self {
        let mut url = Url::parse(SOCKET_URL).expect("it is a URL");
        url.set_path(&with_prefix("", prefix));
        Self { url, name: path.display().to_string(), socket: Some(path) }
    }

    /// True if requests stay on this machine.
    pub fn is_local(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// True if `url` has the same scheme, host and port.
    pub fn is_same_origin(&self, url: &str) -> bool {
        self.socket.is_none() && Url::parse(url).is_ok_and(|other| other.origin() == self.url.origin())
    }

    /// True if requests are encrypted.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The URL of an operation.
    pub(super) fn url(&self, call: &ApiCall<'_>) -> Url {
        let mut url = self.url.clone();
        let (path, argument) = (url.path().trim_end_matches('/'), call.argument.as_deref());
        let path = [Some(path), Some(call.operation.name()), argument];
        url.set_path(&path.into_iter().flatten().collect::<Vec<_>>().join("/"));
        if !call.parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.parameters);
        }
        url
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn with_prefix(path: &str, prefix: &str) -> String {
    let (path, prefix) = (path.trim_end_matches('/'), prefix.trim_matches('/'));
    match format!("{path}/").ends_with(&format!("/{prefix}/")) || prefix.is_empty() {
        true => path.to_owned(),
        false => format!("{path}/{prefix}"),
    }
}

/// Removes possible credentials from a text that may not be a valid URL.
pub fn without_userinfo(text: &str) -> String {
    let Some((before, host)) = text.rsplit_once('@').filter(|at| !at.0.is_empty()) else {
        return text.into();
    };
    before.split_once("://").map_or(host.to_owned(), |(scheme, _)| format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::{ApiCall, Endpoint};
    use crate::http::api::{ApiOperation, DEFAULT_PREFIX};

    fn check(text: &str, name: &str, operation: &str, (login, password): (&str, &str)) {
        let (endpoint, found) = Endpoint::parse(text, DEFAULT_PREFIX).expect(text);
        assert_eq!(endpoint.to_string(), name);
        assert_eq!(endpoint.url(&ApiCall::default()).as_str(), operation);
        assert_eq!(found, (login.to_owned(), password.to_owned()));
        assert!(!format!("{endpoint:?}").contains("s3"), "{endpoint:?}");
    }

    #[test]
    fn the_prefix_is_appended_unless_it_is_there() {
        check("http://h", "http://h", "http://h/media/api/read_config", ("", ""));
        check("http://h:8090/", "http://h:8090", "http://h:8090/media/api/read_config", ("", ""));
        check("https://h/a/", "https://h/a", "https://h/a/media/api/read_config", ("", ""));
        check("http://h/a/media/api/", "http://h/a/media/api", "http://h/a/media/api/read_config", ("", ""));
        check(
            "http://h/multimedia/api",
            "http://h/multimedia/api",
            "http://h/multimedia/api/media/api/read_config",
            ("", ""),
        );
        let (endpoint, _) = Endpoint::parse("http://h/x", "/").expect("it is a URL");
        assert_eq!(endpoint.url(&ApiCall::new(ApiOperation::Save)).as_str(), "http://h/x/save_config");
        let parameters = vec![("message", "a&b ü".into()), ("force", "true".into())];
        let socket = Endpoint::socket("/run/sock".into(), "api/");
        let url = socket.url(&ApiCall { parameters, ..ApiCall::new(ApiOperation::Modify) });
        assert_eq!(url.as_str(), "http://localhost/api/modify_config?message=a%26b+%C3%BC&force=true");
    }

    #[test]
    fn credentials_are_taken_out_and_decoded() {
        let operation = "http://h/media/api/read_config";
        check("http://a:s3@h", "http://h", operation, ("a", "s3"));
        check("http://a%40b:s3%3A%2f%25@h", "http://h", operation, ("a@b", "s3:/%"));
        check("http://a:s3%zz%@h/", "http://h", operation, ("a", "s3%zz%"));
        check("http://a@h", "http://h", operation, ("a", ""));
        check("http://h", "http://h", operation, ("", ""));
    }

    #[test]
    fn what_is_no_url_is_refused_without_its_password() {
        for text in [
            "ftp://a:s3@h",
            "a:s3@h",
            "http://a:s3@h?x",
            "http://a:s3?x@h",
            "http://a:s3#x@h",
            "http://h?token=s3",
            "http://a:s3@",
            "http://a:s3@h:99999",
            "h:80",
            "",
            "http://a:%ff@h",
        ] {
            let error = Endpoint::parse(text, DEFAULT_PREFIX).expect_err(text);
            assert!(!format!("{error:?}").contains("s3"), "{error:?}");
        }
    }

    #[test]
    fn only_loopback_is_local() {
        for (text, local) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9", true),
            ("http://[::1]:5", true),
            ("http://192.168.0.1", false),
            ("http://localhost.example", false),
        ] {
            assert_eq!(Endpoint::parse(text, DEFAULT_PREFIX).expect(text).0.is_local(), local, "{text}");
        }
    }
}

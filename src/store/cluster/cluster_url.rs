//! The URL of a configuration in etcd: `etcd://HOST:PORT,HOST:PORT/PREFIX`.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

use super::keys::RESERVED;

/// The scheme without encryption.
const PLAIN: &str = "etcd://";

/// The scheme with TLS.
const ENCRYPTED: &str = "etcds://";

/// The port of etcd for clients.
const PORT: u16 = 2379;

/// The place of a configuration in etcd, without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterUrl {
    /// The URL of each member, such as `http://10.0.0.1:2379`; at least one.
    pub endpoints: Vec<String>,
    /// The prefix of all keys, such as `/media/prod`.
    pub prefix: String,
    /// As the user gave it, without credentials.
    name: String,
}

/// The reason why a text is not the URL of a configuration in etcd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadClusterUrl {
    /// The text without possible credentials.
    pub shown: String,
    /// The fault of the text.
    pub reason: &'static str,
}

impl ClusterUrl {
    /// True if a text starts as such a URL does.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PLAIN) || text.starts_with(ENCRYPTED)
    }

    /// Parses a URL, and the login and password in it, each of which may be empty.
    pub fn parse(text: &str) -> Result<(Self, (String, String)), BadClusterUrl> {
        let (scheme, rest, protocol) = match (text.strip_prefix(PLAIN), text.strip_prefix(ENCRYPTED)) {
            (Some(rest), _) => (PLAIN, rest, "http"),
            (_, Some(rest)) => (ENCRYPTED, rest, "https"),
            _ => ("", text, ""),
        };
        let (members, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (userinfo, members) = members.rsplit_once('@').unwrap_or(("", members));
        let prefix = path.trim_end_matches('/');
        let name = format!("{scheme}{members}/{prefix}");
        let bad = |reason| BadClusterUrl { shown: name.clone(), reason };
        if protocol.is_empty() {
            return Err(bad("it does not start with `etcd://` or `etcds://`"));
        }
        if prefix.is_empty() || prefix.split('/').any(str::is_empty) {
            return Err(bad("it has no prefix for the keys"));
        }
        if prefix.split('/').any(|part| RESERVED.contains(&part)) {
            return Err(bad(
                "a part of the prefix is the name of a key of mediactl, such as `node` or `text`",
            ));
        }
        if prefix.contains(['?', '#', ' ']) {
            return Err(bad("the prefix has a `?`, a `#` or a blank"));
        }
        let endpoint = |member| endpoint(protocol, member).ok_or_else(|| bad("a member is not HOST:PORT"));
        let endpoints = members.split(',').map(endpoint).collect::<Result<_, _>>()?;
        let (login, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
        let decoded = |word| percent_decode_str(word).decode_utf8().map(std::borrow::Cow::into_owned);
        let credentials = decoded(login).and_then(|login| Ok((login, decoded(password)?)));
        let credentials = credentials.map_err(|_| bad("login and password are not UTF-8"))?;
        Ok((Self { endpoints, prefix: format!("/{prefix}"), name }, credentials))
    }

    /// True if requests are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.name.starts_with(ENCRYPTED)
    }
}

/// The URL of a member; `None` if it is not one.
fn endpoint(protocol: &str, member: &str) -> Option<String> {
    let url = Url::parse(&format!("{protocol}://{member}")).ok()?;
    let is_plain =
        url.path() == "/" && url.query().is_none() && url.username().is_empty() && !member.ends_with('/');
    let host = url.host_str().filter(|host| is_plain && !host.is_empty())?;
    let has_port =
        member.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = if has_port { url.port_or_known_default()? } else { PORT };
    Some(format!("{protocol}://{host}:{port}"))
}

impl fmt::Display for ClusterUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_members_and_a_prefix() {
        let (url, userinfo) =
            ClusterUrl::parse("etcds://olga:p%40ss@10.0.0.1:2379,[::1]:80,media.example/media/prod/")
                .expect("it is a URL");
        assert_eq!(
            url.endpoints,
            ["https://10.0.0.1:2379", "https://[::1]:80", "https://media.example:2379"]
        );
        assert_eq!(url.prefix, "/media/prod");
        assert_eq!(url.to_string(), "etcds://10.0.0.1:2379,[::1]:80,media.example/media/prod");
        assert!(url.is_encrypted());
        assert_eq!(userinfo, ("olga".to_owned(), "p@ss".to_owned()));
    }

    #[test]
    fn what_is_no_url_is_told_without_its_password() {
        for (text, reason) in [
            ("http://h/p", "it does not start with `etcd://` or `etcds://`"),
            ("", "it does not start with `etcd://` or `etcds://`"),
            ("etcd://h", "it has no prefix for the keys"),
            ("etcd://h/", "it has no prefix for the keys"),
            ("etcd://h/a//b", "it has no prefix for the keys"),
            (
                "etcd://h/a/node/b",
                "a part of the prefix is the name of a key of mediactl, such as `node` or `text`",
            ),
            (
                "etcd://h/head",
                "a part of the prefix is the name of a key of mediactl, such as `node` or `text`",
            ),
            ("etcd://h/a?b", "the prefix has a `?`, a `#` or a blank"),
            ("etcd:///a", "a member is not HOST:PORT"),
            ("etcd://h:1,/a", "a member is not HOST:PORT"),
            ("etcd://h:99999/a", "a member is not HOST:PORT"),
            ("etcd://u:%ff@h/a", "login and password are not UTF-8"),
            ("etcd://u:secret@h", "it has no prefix for the keys"),
        ] {
            let error = ClusterUrl::parse(text).expect_err(text);
            assert_eq!(error.reason, reason, "{text}");
            assert!(!error.shown.contains("secret"), "{}", error.shown);
        }
    }
}

//! A configuration in etcd, which many machines share: its URL, and the names of its keys.
//!
//! The keys below the prefix of the URL:
//!
//! | key                          | what it is                                                             |
//! |------------------------------|------------------------------------------------------------------------|
//! | `head`                       | the last change, and which text is the configuration ([`HeadRecord`])   |
//! | `text/9999999999 - SERIAL/ID/CHUNK` | a text, compressed, in chunks that fit into one request; the newest first |
//! | `change/SERIAL`              | the record of each change in the history, as `head` was                 |
//! | `pending`                    | on a lease: there while the last change may still be confirmed          |
//! | `node/NODE`                  | on a lease: what a node runs ([`NodeRecord`](super::NodeRecord))         |
//! | `member/NODE`                | that a node was there; it stays when the node is gone                    |
//!
//! *Invariants.* A change is one transaction that compares the version of `head` with the one that was
//! read, so no lock is held, and a writer that was overtaken knows it ([`ErrorKind::Overtaken`]). The
//! chunks of a text that is too large for one transaction are put before the `head` that names them, under
//! the id of the text, which no other text has. Each transaction may be sent twice, as its compares
//! let it happen once: when a connection breaks, it is sent again, and the id in the record tells whether
//! the first one was carried out.
//!
//! `gateway` speaks to etcd, and knows only keys and values.
//!
//! [`ErrorKind::Overtaken`]: crate::error::ErrorKind::Overtaken

mod commit;
mod gateway;
mod messages;
mod nodes;
mod read;
mod records;

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

pub use gateway::{DEFAULT_REQUEST_TIME, Gateway, GatewaySettings};
pub use messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn, TxnReply};
pub use read::{ClusterStore, Seen};
pub use records::{HeadRecord, MIN_RECORDS, TextRef, Unconfirmed};

use records::LAST_SERIAL;

/// The scheme without encryption.
const PLAIN: &str = "etcd://";

/// The scheme with TLS.
const ENCRYPTED: &str = "etcds://";

/// The port of etcd for clients.
const PORT: u16 = 2379;

/// The names below a prefix. No part of a prefix is one of them, so that no key of one cluster is in a range of another.
const RESERVED: [&str; 6] = ["head", "pending", "text", "change", "node", "member"];

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

impl ClusterUrl {
    /// True if a text starts as such a URL does.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PLAIN) || text.starts_with(ENCRYPTED)
    }

    /// Parses `etcd://HOST:PORT,HOST:PORT/PREFIX`, and the login and password in it, each of which may be empty. The error
    /// says what is wrong, without possible credentials.
    pub fn parse(text: &str) -> Result<(Self, (String, String)), String> {
        let (scheme, rest, protocol) = match (text.strip_prefix(PLAIN), text.strip_prefix(ENCRYPTED)) {
            (Some(rest), _) => (PLAIN, rest, "http"),
            (_, Some(rest)) => (ENCRYPTED, rest, "https"),
            _ => ("", text, ""),
        };
        let (members, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (userinfo, members) = members.rsplit_once('@').unwrap_or(("", members));
        let prefix = path.trim_end_matches('/');
        let name = format!("{scheme}{members}/{prefix}");
        let fault = match () {
            () if protocol.is_empty() => Some("it does not start with `etcd://` or `etcds://`"),
            () if prefix.split('/').any(str::is_empty) => Some("it has no prefix for the keys"),
            () if prefix.split('/').any(|part| RESERVED.contains(&part)) => {
                Some("a part of the prefix is the name of a key of mediactl, such as `node` or `text`")
            }
            () if prefix.contains(['?', '#', ' ']) => Some("the prefix has a `?`, a `#` or a blank"),
            () => None,
        };
        let bad = |fault: &str| format!("`{name}` is not the URL of a configuration in etcd: {fault}");
        if let Some(fault) = fault {
            return Err(bad(fault));
        }
        let endpoints = members.split(',').map(|member| endpoint(protocol, member)).collect();
        let endpoints = Option::ok_or_else(endpoints, || bad("a member is not HOST:PORT"))?;
        let (login, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
        let decoded = |word| percent_decode_str(word).decode_utf8().map(std::borrow::Cow::into_owned);
        let credentials = decoded(login).and_then(|login| Ok((login, decoded(password)?)));
        let credentials = credentials.map_err(|_| bad("login and password are not UTF-8"))?;
        Ok((Self { endpoints, prefix: format!("/{prefix}"), name }, credentials))
    }

    /// True if requests are encrypted.
    fn is_encrypted(&self) -> bool {
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

/// The names of all keys of a configuration.
#[derive(Debug, Clone)]
pub struct Keys {
    /// The prefix of all keys, which ends in a slash.
    pub prefix: String,
    pub head: String,
    pub pending: String,
}

impl Keys {
    /// The keys below a prefix, such as `/media/prod`.
    pub fn below(prefix: &str) -> Self {
        let prefix = format!("{}/", prefix.trim_end_matches('/'));
        Self { head: format!("{prefix}head"), pending: format!("{prefix}pending"), prefix }
    }

    /// The record of a change in the history.
    pub fn change(&self, serial: u64) -> String {
        format!("{}change/{serial:020}", self.prefix)
    }

    /// The serial of a record in the history; `None` for a key that has another form.
    fn serial_of(&self, key: &[u8]) -> Option<u64> {
        let serial = str::from_utf8(key).ok()?.rsplit('/').next()?.parse().ok()?;
        (self.change(serial).as_bytes() == key).then_some(serial)
    }

    /// The records of all changes that are older than that of a serial.
    fn older_changes(&self, serial: u64) -> KeyRange {
        KeyRange::between(&self.change(0), &self.change(serial))
    }

    /// The prefix of all texts of a serial: the newest text comes first.
    fn texts_of(&self, serial: u64) -> String {
        format!("{}text/{:010}/", self.prefix, LAST_SERIAL.saturating_sub(serial))
    }

    /// The prefix of the chunks of a text.
    fn text(&self, text: &TextRef) -> String {
        format!("{}{}/", self.texts_of(text.serial), text.id)
    }

    /// A chunk of it.
    fn chunk(&self, text: &TextRef, number: usize) -> String {
        format!("{}{number:04}", self.text(text))
    }

    /// The chunks of all texts that are older than the one of a serial.
    pub fn older_texts(&self, serial: u64) -> KeyRange {
        KeyRange::between(&self.texts_of(serial.saturating_sub(1)), &format!("{}text0", self.prefix))
    }

    /// The record of a node that lives. Without a name, the prefix of all; so is the next one.
    pub fn node(&self, name: &str) -> String {
        format!("{}node/{name}", self.prefix)
    }

    /// The record of a node that stays when the node is gone.
    pub fn member(&self, name: &str) -> String {
        format!("{}member/{name}", self.prefix)
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
        let reserved = "a part of the prefix is the name of a key of mediactl, such as `node` or `text`";
        for (text, reason) in [
            ("http://h/p", "it does not start with `etcd://` or `etcds://`"),
            ("", "it does not start with `etcd://` or `etcds://`"),
            ("etcd://h", "it has no prefix for the keys"),
            ("etcd://h/", "it has no prefix for the keys"),
            ("etcd://h/a//b", "it has no prefix for the keys"),
            ("etcd://h/a/node/b", reserved),
            ("etcd://h/head", reserved),
            ("etcd://h/a?b", "the prefix has a `?`, a `#` or a blank"),
            ("etcd:///a", "a member is not HOST:PORT"),
            ("etcd://h:1,/a", "a member is not HOST:PORT"),
            ("etcd://h:99999/a", "a member is not HOST:PORT"),
            ("etcd://u:%ff@h/a", "login and password are not UTF-8"),
            ("etcd://u:secret@h", "it has no prefix for the keys"),
        ] {
            let error = ClusterUrl::parse(text).expect_err(text);
            assert!(error.ends_with(reason), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn each_key_has_a_reserved_name_and_keys_sort_as_their_serials_do() {
        let keys = Keys::below("/media/prod/");
        let [head, pending] = [&keys.head, &keys.pending].map(String::clone);
        let nodes = [keys.node("a"), keys.member("a")];
        let all = [head, pending, keys.texts_of(1), keys.change(1)].into_iter().chain(nodes);
        let name = |key: String| key["/media/prod/".len()..].split('/').next().map(str::to_owned);
        let names: Vec<String> = all.filter_map(name).collect();
        assert_eq!(names, RESERVED);
        let contains = |range: KeyRange, key: &str| (&*range.key..&*range.range_end).contains(&key);
        assert!(keys.change(9) < keys.change(10));
        assert_eq!(keys.serial_of(keys.change(9).as_bytes()), Some(9));
        assert_eq!(keys.serial_of(b"/media/prod/change/9"), None);
        assert!(contains(keys.older_changes(10), &keys.change(9)));
        assert!(!contains(keys.older_changes(10), &keys.change(10)));
        let chunk = |serial, number| keys.chunk(&TextRef::example(serial, "ab"), number);
        assert_eq!(chunk(7, 3), "/media/prod/text/9999999992/ab/0003");
        assert!(chunk(7, 9) < chunk(6, 0), "the newest comes first");
        let is_older = |serial, number| contains(keys.older_texts(7), &chunk(serial, number));
        assert!(is_older(6, 9) && is_older(1, 0) && !is_older(7, 0));
    }
}

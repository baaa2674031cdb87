//! The vocabulary of both ends of the API: its routes, in one table by which the server routes and the client sends; the
//! names of headers and parameters; media types; and the fingerprint of a certificate, which both ends show.
//!
//! *The four operations* are `read_config`, `modify_config`, `update_config` and `save_config`. Other
//! programs with an older API have them alone; all other rows are of this API.
//!
//! A new endpoint is a row here, a function in `server`, and its description in `openapi.json`, from which the manual page is
//! made, and which a test compares with what the server takes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::store::Revision;
use mediaconf::{Masker, Schema};

/// The query parameter of `read_config` that adds what is included; the member that marks it has the same name.
pub const WITH_INCLUDES: &str = Schema::WITH_INCLUDES;

/// The parameter of `read_config` that asks for the values that hold.
pub const EFFECTIVE: &str = Schema::EFFECTIVE;

/// The operation of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ApiOperation {
    #[default]
    Read,
    Included,
    /// The figures of the server.
    Runtime,
    /// The state of the configuration.
    Status,
    /// The records of the nodes of a cluster.
    Nodes,
    /// Any change, as data.
    Change,
    Modify,
    Update,
    Save,
    History,
    /// The text before one change of the history.
    Kept,
    /// The difference of two texts.
    Diff,
    /// The changes of one value.
    Blame,
    Rollback,
    /// The faults of a text.
    Check,
    Confirm,
    Cancel,
    OpenApi,
    Metrics,
    Health,
}

/// One row of the table.
#[derive(Debug)]
pub struct Route {
    pub operation: ApiOperation,
    /// The methods; documentation names the first one.
    pub methods: &'static [&'static str],
    /// The path relative to the prefix of the API, or to the root; also the name in messages.
    pub path: &'static str,
    /// True if the path is one of the root of the server, where monitoring looks.
    pub is_at_root: bool,
    /// True if a further segment of the path is a value, such as that of `history/7`.
    pub has_argument: bool,
    /// The body of the request.
    pub body: Body,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// No body; any is ignored.
    None,
    /// A request for a change, as JSON.
    Change,
    /// A JSON merge patch.
    Patch,
    /// The text of a whole configuration.
    Text,
    /// The text of a configuration or of an entry.
    Checked,
}

const GET: &[&str] = &["GET", "HEAD"];
const POST: &[&str] = &["POST"];

/// Every route, in the order of documentation.
pub static ROUTES: &[Route] = &[
    read(ApiOperation::Read, "read_config"),
    read(ApiOperation::Included, "included"),
    read(ApiOperation::Runtime, "runtime"),
    read(ApiOperation::Status, "status"),
    read(ApiOperation::Nodes, "nodes"),
    post(ApiOperation::Change, "change", Body::Change),
    post(ApiOperation::Modify, "modify_config", Body::Patch),
    post(ApiOperation::Update, "update_config", Body::Text),
    post(ApiOperation::Save, "save_config", Body::Text),
    read(ApiOperation::History, "history"),
    Route { has_argument: true, ..read(ApiOperation::Kept, "history") },
    read(ApiOperation::Diff, "diff"),
    read(ApiOperation::Blame, "blame"),
    post(ApiOperation::Rollback, "rollback_config", Body::None),
    post(ApiOperation::Check, "check_config", Body::Checked),
    post(ApiOperation::Confirm, "confirm_config", Body::None),
    post(ApiOperation::Cancel, "cancel_config", Body::None),
    read(ApiOperation::OpenApi, "openapi.json"),
    Route { is_at_root: true, ..read(ApiOperation::Metrics, "metrics") },
    Route { is_at_root: true, ..read(ApiOperation::Health, "healthz") },
];

const fn read(operation: ApiOperation, path: &'static str) -> Route {
    Route { operation, methods: GET, path, is_at_root: false, has_argument: false, body: Body::None }
}

const fn post(operation: ApiOperation, path: &'static str, body: Body) -> Route {
    Route { methods: POST, body, ..read(operation, path) }
}

impl ApiOperation {
    /// The path relative to the prefix.
    pub fn name(self) -> &'static str {
        self.route().path
    }

    pub fn route(self) -> &'static Route {
        ROUTES.iter().find(|route| route.operation == self).expect("every operation has a row")
    }
}

impl Route {
    /// True if the route may change something.
    pub fn is_change(&self) -> bool {
        self.methods == POST && self.body != Body::Checked
    }

    /// The argument in `path`, not decoded, empty without one; `None` if the path belongs to another route.
    pub fn argument_in<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(self.path)?;
        match self.has_argument {
            false => rest.is_empty().then_some(rest),
            true => rest.strip_prefix('/').filter(|argument| !argument.is_empty() && !argument.contains('/')),
        }
    }
}

/// The media type of JSON.
pub const JSON: &str = "application/json";

/// The media type of the text of a configuration.
pub const TEXT: &str = "text/plain; charset=utf-8";

/// The default prefix of all paths; `--api-prefix` of both ends changes it.
pub const DEFAULT_PREFIX: &str = "/media/api";

/// The header of every response with the version of the API. A server without it has the four operations, and nothing else.
pub const API_HEADER: &str = "Mediactl-Api";

/// The version of the API.
pub const API_VERSION: &str = "2";

/// The header with the side effects of a change: `saved-earlier-update; …`.
pub const NOTE_HEADER: &str = "Mediactl-Note";

/// The header with the id of the pending change.
pub const PENDING_HEADER: &str = "Mediactl-Pending";

/// The header in which a command of root tells the server of its file who called it by sudo. The server believes it of root
/// alone, who could write anything into the history anyway.
pub const SUDO_HEADER: &str = "Sudo-User";

/// The query parameter of `read_config` that leaves out streams that are `static`.
pub const SKIP_STREAMS: &str = "skip_streams";

/// The query parameter of `read_config` that adds the figures of the server.
pub const RUNTIME: &str = "runtime";

/// The query parameter for the format of the response, with its value for the text.
pub const FORMAT: &str = "format";
pub const FORMAT_CONF: &str = "conf";

/// The query parameter of `read_config` that selects the configuration, with its value for the file.
pub const SOURCE: &str = "source";
pub const SOURCE_SAVED: &str = "saved";

/// The query parameter of `status` that waits for a change.
pub const WAIT: &str = "wait";

/// The longest time to wait for another status, in seconds.
pub const MAX_WAIT: u64 = 60;

/// The query parameter with the id of the change to confirm or to roll back.
pub const ID: &str = "id";

/// The parameter that accepts what is refused otherwise, and its value for a confirmation while nodes are failed.
pub const ACCEPT: &str = "accept";
pub const FAILED_NODES: &str = "failed-nodes";

/// The answer of `included`: the files of each pattern, in the order in which they are included.
pub type IncludedFiles = BTreeMap<String, Vec<IncludedFile>>;

/// A file that a configuration includes.
#[derive(Debug, Serialize, Deserialize)]
pub struct IncludedFile {
    /// The name in messages.
    pub name: String,
    pub text: String,
}

/// The headers that every response has: what the server is, that nothing keeps the response, and that no browser takes
/// it for another type than it says.
pub fn on_every_response() -> [(&'static str, String); 3] {
    let headers =
        [(API_HEADER, API_VERSION), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")];
    headers.map(|(name, value)| (name, value.to_owned()))
}

/// The revision in an `ETag` of this API; `None` for a tag of another kind. A proxy that compresses makes the tag a weak one.
pub fn revision_in(tag: &str) -> Option<Revision> {
    tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"')?.split_once('-')?.0.parse().ok()
}

/// Masks the secrets that are known by their form in a text that a user wrote, also inside a JSON Pointer: names, URLs and
/// messages may contain them.
pub fn masked_text(text: &str) -> String {
    match Masker::default().prose(&text.replace("~1", "/")) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => text.to_owned(),
    }
}

/// The first `most` characters of a text, and `…` for the rest.
pub fn shortened(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most);
    end.map_or(text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

/// The author of a change that `user` makes as root; `None` if that is not the name of a user, which has at most 32
/// characters on Linux.
pub fn by_sudo(user: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    let is_name = (1..=32).contains(&user.len()) && user.bytes().all(is_plain);
    is_name.then(|| format!("{user} (root by sudo)"))
}

/// The SHA-256 hash of a certificate: `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a certificate in DER.
    pub fn from_certificate(certificate: &[u8]) -> Self {
        let hash = digest(&SHA256, certificate);
        Self(hash.as_ref().try_into().expect("a SHA-256 hash has 32 bytes"))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Fingerprint {
    type Err = &'static str;

    /// Parses what this program prints, and what `openssl x509 -fingerprint -sha256` prints behind its
    /// `=`: capitals, with colons between the bytes.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).replace(':', "");
        let is_hex = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let half = |digits| u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes);
        let halves = is_hex.then(|| digits.split_at(32)).and_then(|(one, other)| half(one).zip(half(other)));
        let bytes = halves.and_then(|(one, other)| [one, other].concat().try_into().ok());
        bytes.map(Self).ok_or("a fingerprint is `sha256:` and 64 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_fingerprint_is_read_as_it_is_written() {
        let fingerprint = Fingerprint::from_certificate(b"");
        assert_eq!(fingerprint.to_string(), EMPTY);
        assert_eq!(EMPTY.parse(), Ok(fingerprint));
        let digits: Vec<String> = EMPTY.as_bytes()[7..]
            .chunks(2)
            .map(|pair| String::from_utf8_lossy(pair).to_uppercase())
            .collect();
        assert_eq!(digits.join(":").parse(), Ok(fingerprint), "as openssl prints it");
        for text in
            ["", "sha256:", "sha256:ab", &EMPTY[..70], &format!("{EMPTY}0"), &format!("{EMPTY}00"), "é"]
        {
            assert!(text.parse::<Fingerprint>().is_err(), "{text}");
        }
        assert!(EMPTY.replace('e', "g").parse::<Fingerprint>().is_err());
    }

    #[test]
    fn the_revision_is_read_behind_a_proxy_that_compresses() {
        let revision = Revision::from_text(b"http 80;\n");
        for tag in ["\"R-0.1.0\"", "W/\"R-0.1.0\"", "\"R-0.1.0-gzip\""] {
            assert_eq!(revision_in(&tag.replace('R', &revision.to_string())), Some(revision), "{tag}");
        }
        assert_eq!(revision_in("\"5\""), None);
    }
}

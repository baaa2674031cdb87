//! The names of headers and query parameters.

use crate::store::Revision;

/// The query parameter of `read_config` that adds what is included; the member that marks it has the same name.
pub use mediaconf::WITH_INCLUDES;

/// The default prefix of all paths; `--api-prefix` of both ends changes it.
pub const DEFAULT_PREFIX: &str = "/media/api";

/// The header of every response with the version of the API. A server without it has the four operations, and nothing else.
pub const API_HEADER: &str = "Mediactl-Api";

/// The version of the API.
pub const API_VERSION: &str = "2";

/// The names of the headers that every response has.
pub const ON_EVERY_RESPONSE: [&str; 3] = [API_HEADER, "Cache-Control", "X-Content-Type-Options"];

/// The header with the number of the line at which an entry begins in its text.
pub const LINE_HEADER: &str = "Mediactl-Line";

/// The header with the side effects of a change: `saved-earlier-update; …`.
pub const NOTE_HEADER: &str = "Mediactl-Note";

/// The header with the paths of a hand edit that a change picked up, percent-encoded.
pub const HAND_EDIT_HEADER: &str = "Mediactl-Hand-Edit";

/// The realm of Basic authentication.
pub const REALM: &str = "media";

/// The query parameter of `read_config` that leaves out streams that are `static`.
pub const SKIP_STREAMS: &str = "skip_streams";

/// The query parameter of `read_config` that adds `runtime`.
pub const RUNTIME: &str = "runtime";

/// The query parameter for the format of the response.
pub const FORMAT: &str = "format";

/// The value of [`FORMAT`] for JSON, the default.
pub const FORMAT_JSON: &str = "json";

/// The value of [`FORMAT`] for the text.
pub const FORMAT_CONF: &str = "conf";

/// The value of [`FORMAT`] for the lines that differ.
pub const FORMAT_DIFF: &str = "diff";

/// The query parameter of `read_config` that selects the configuration.
pub const SOURCE: &str = "source";

/// The value of [`SOURCE`] for the running configuration, the default.
pub const SOURCE_RUNNING: &str = "running";

/// The value of [`SOURCE`] for the file.
pub const SOURCE_SAVED: &str = "saved";

/// The query parameter that says how secrets are shown.
pub const SECRETS: &str = "secrets";

/// The value of [`SECRETS`] for masks.
pub const SECRETS_MASKED: &str = "masked";

/// The value of [`SECRETS`] for the secrets themselves.
pub const SECRETS_SHOWN: &str = "shown";

/// The query parameter of `status` that waits for a change.
pub const WAIT: &str = "wait";

/// The query parameters of `diff` for its two sides.
pub const FROM: &str = "from";
pub const TO: &str = "to";

/// The query parameter with the path of an entry.
pub const PATH: &str = "path";

/// The query parameter with the id of the change to confirm or to roll back.
pub const ID: &str = "id";

/// The header with the id of the pending change.
pub const PENDING_HEADER: &str = "Mediactl-Pending";

/// The revision in an `ETag` of this API; `None` for a tag of another kind. A proxy that compresses makes the tag a weak one.
pub fn revision_in(tag: &str) -> Option<Revision> {
    tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"')?.split_once('-')?.0.parse().ok()
}

/// The headers that every response has: what the server is, that nothing keeps the response, and that no browser takes
/// it for another type than it says.
pub fn on_every_response() -> impl Iterator<Item = (&'static str, String)> {
    ON_EVERY_RESPONSE.into_iter().zip([API_VERSION.to_owned(), "no-store".to_owned(), "nosniff".to_owned()])
}

#[test]
fn the_revision_is_read_behind_a_proxy_that_compresses() {
    let revision = Revision::from_text(b"http 80;\n");
    for tag in ["\"R-0.1.0\"", "W/\"R-0.1.0\"", "\"R-0.1.0-gzip\""] {
        assert_eq!(revision_in(&tag.replace('R', &revision.to_string())), Some(revision), "{tag}");
    }
    assert_eq!(revision_in("\"5\""), None);
}

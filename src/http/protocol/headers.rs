//! Names that both ends of the API use.

pub use crate::engine::{FEATURES, Feature};

/// In front of the operations in a path; `--api-prefix` of both ends changes it.
pub const DEFAULT_PREFIX: &str = "/media/api";

/// Says in every answer that it is one of ours, and what can be asked for: `1; dry-run, …`.
pub const API_HEADER: &str = "Mediactl-Api";

/// The version of the API, in front of the list of features.
pub const API_VERSION: &str = "1";

/// Says what a change did beside what was asked for: `saved-earlier-update; …`.
pub const NOTE_HEADER: &str = "Mediactl-Note";

/// From the gate to the handler: who the peer is.
pub const PEER_HEADER: &str = "Mediactl-Peer";

/// From the gate to the handler: the body was not kept.
pub const UNREAD_HEADER: &str = "Mediactl-Unread";

/// The realm of Basic authentication.
pub const REALM: &str = "media";

/// The query parameter of `read_config` that leaves out streams which are `static`.
pub const SKIP_STREAMS: &str = "skip_streams";

/// The query parameter of `read_config` that adds `runtime`.
pub const RUNTIME: &str = "runtime";

/// The query parameter that asks for another form of the answer.
pub const FORMAT: &str = "format";

/// The value of [`FORMAT`] for JSON, the default.
pub const FORMAT_JSON: &str = "json";

/// The value of [`FORMAT`] for the text.
pub const FORMAT_CONF: &str = "conf";

/// The query parameter of `read_config` that asks for another configuration than the running one.
pub const SOURCE: &str = "source";

/// The value of [`SOURCE`] for what runs, the default.
pub const SOURCE_RUNNING: &str = "running";

/// The value of [`SOURCE`] for the file.
pub const SOURCE_SAVED: &str = "saved";

/// The query parameter of a change that only rehearses it.
pub const DRY_RUN: &str = "dry_run";

/// The query parameter of a change that answers guards and conflicts.
pub const FORCE: &str = "force";

/// The query parameter of a change whose answer does not wait for the reload command.
pub const ASYNC: &str = "async";

/// The query parameter of a change with its reason in the words of who makes it.
pub const MESSAGE: &str = "message";

/// The query parameter of a change that is taken back unless it is confirmed: how many seconds it waits.
pub const CONFIRM: &str = "confirm";

/// The query parameter that says which change is confirmed or taken back.
pub const ID: &str = "id";

/// The query parameter that says which text of the history becomes the configuration.
pub const TO: &str = "to";

/// Says, as long as a change waits to be confirmed, which.
pub const PENDING_HEADER: &str = "Mediactl-Pending";

/// The parameter that answers single guards, by their names.
pub const ACCEPT: &str = "accept";

/// The value of [`API_HEADER`].
pub fn api_value() -> String {
    let words: Vec<&str> = FEATURES.iter().map(|feature| feature.word()).collect();
    format!("{API_VERSION}; {}", words.join(", "))
}

/// Whether an [`API_HEADER`] of this value offers a feature.
pub fn offers(value: &str, feature: Feature) -> bool {
    let words = value.split_once(';').map_or("", |(_, words)| words);
    words.split(',').any(|word| word.trim() == feature.word())
}

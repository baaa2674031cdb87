//! The figures of a running configuration, for `runtime=true`.

use crate::error::Error;
use mediaconf::{DirectiveRole, Entry, Kind, sources, top_members};
use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::engine::{Engine, Snapshot};
use crate::http::server::auth::Role;
use crate::store::{PendingInfo, Revision, clock};

/// The tag of a revision, as the one who asks sees it.
pub type TagOf<'f> = dyn Fn(Revision) -> String + 'f;

/// A time as RFC 3339 writes it.
pub fn timestamp(time: SystemTime) -> String {
    clock::rfc3339(time)
}

/// The running configuration: its tag, whether it is saved, its last and its pending change.
pub fn config(engine: &Engine, pending: Option<PendingInfo>, (role, tag): (Role, &TagOf<'_>)) -> Value {
    let Some(state) = engine.state() else { return Value::Null };
    let saved = engine.read().is_ok_and(|file| file.bytes() == state.running.bytes());
    json!({
        "etag": tag(state.running.revision()),
        "generation": state.generation,
        "saved": saved,
        "included_changed": engine.has_changed_includes(),
        "last_change": state.last_change.map(|change| json!({
            "at": timestamp(change.at),
            "by": change.by,
            "operation": change.operation,
        })),
        "last_error": state.last_error.map(|trouble| told(role, trouble)),
        "pending": pending,
    })
}

/// Returns the text of a failure for this role.
pub fn told(role: Role, error: Error) -> String {
    match role {
        Role::Edit => error.message,
        Role::View => error.brief().to_owned(),
    }
}

/// The number of streams, and of their sources by URL scheme.
pub struct StreamFigures {
    pub total: usize,
    /// Those that are always read.
    pub still: usize,
    /// The empty scheme is that of sources without one.
    pub by_scheme: BTreeMap<String, u64>,
}

impl StreamFigures {
    pub fn from_snapshot(running: &Snapshot) -> Self {
        let members = top_members(running.document());
        let entries = members.own_by_key(Kind::Streams.key());
        let still = entries.iter().filter(|&&entry| Kind::Streams.is_static(entry)).count();
        let mut by_scheme: BTreeMap<String, u64> = BTreeMap::new();
        let keywords = DirectiveRole::Sources.keywords();
        for &stream in entries {
            let is_source = |entry: &Entry<'_>| keywords.contains(&&*entry.keyword());
            for source in sources(stream, stream.children().filter(is_source)) {
                let address = source.positional.value();
                let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
                *by_scheme.entry(scheme.to_owned()).or_default() += 1;
            }
        }
        Self { total: entries.len(), still, by_scheme }
    }

    pub fn on_demand(&self) -> usize {
        self.total - self.still
    }

    pub fn as_json(&self) -> Value {
        let Self { total, still, by_scheme } = self;
        json!({ "total": total, "static": still, "ondemand": self.on_demand(), "by_source_scheme": by_scheme })
    }
}

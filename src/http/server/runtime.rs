//! Figures of the running server, for `runtime=true`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value, json};

use crate::engine::{Engine, PendingChange, Snapshot, hook_output};
use crate::http::protocol::routes::ApiOperation;
use crate::http::server::entity_tag::entity_tag;
use crate::model::setting_view::sources;
use crate::model::shape::only_argument;
use crate::model::top_members;
use crate::model::view::is_static;

/// How long the runtime command may take.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// How long its answer is good for.
pub const COMMAND_LIFE: Duration = Duration::from_secs(1);

/// Counts, and where further figures come from.
pub struct Runtime {
    started: (Instant, SystemTime),
    command: Option<String>,
    requests: Mutex<Requests>,
    addresses: OnceLock<Vec<String>>,
    connections: OnceLock<Box<dyn Fn() -> usize + Send + Sync>>,
    /// What the command printed last, and when; held while it runs, so that it runs once.
    printed: Mutex<Option<(Instant, Result<Value, String>)>>,
}

#[derive(Default)]
struct Requests {
    by_operation: BTreeMap<&'static str, u64>,
    by_status: BTreeMap<u16, u64>,
}

impl Runtime {
    /// Starts to count; `command` prints the media server's own figures as JSON.
    pub fn new(command: Option<String>) -> Self {
        Self {
            started: (Instant::now(), SystemTime::now()),
            command,
            requests: Mutex::default(),
            addresses: OnceLock::new(),
            connections: OnceLock::new(),
            printed: Mutex::default(),
        }
    }

    /// Where the server listens.
    pub fn listens_on(&self, addresses: Vec<String>) {
        // The first ones stay: a server is started once.
        let _ = self.addresses.set(addresses);
    }

    /// Where the number of open connections comes from.
    pub fn watch_connections(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        // The first one stays: a server is started once.
        let _ = self.connections.set(Box::new(count));
    }

    /// Counts a request.
    pub fn count(&self, operation: ApiOperation) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.by_operation.entry(operation.name()).or_default() += 1;
    }

    /// Counts an answer.
    pub fn count_status(&self, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.by_status.entry(status).or_default() += 1;
    }

    /// `json`, which is an object, with a member `runtime`.
    pub fn added_to(&self, json: &[u8], engine: &Engine) -> Arc<Vec<u8>> {
        let mut body = json[..json.len().saturating_sub(1)].to_vec();
        let separator: &[u8] = if body.len() > 1 { b"," } else { b"" };
        body.extend_from_slice(separator);
        body.extend_from_slice(b"\"runtime\":");
        body.extend_from_slice(self.figures(engine).to_string().as_bytes());
        body.extend_from_slice(b"}");
        Arc::new(body)
    }

    fn figures(&self, engine: &Engine) -> Value {
        let running = engine.running();
        let mut figures = json!({
            "server": self.server(),
            "config": config(engine),
            "streams": running.as_deref().map(streams),
            "archives": running.as_deref().map(archives),
        });
        match self.printed() {
            Some(Ok(printed)) => merge(&mut figures, printed),
            Some(Err(error)) => merge(&mut figures, json!({ "errors": [error] })),
            None => {}
        }
        figures
    }

    fn server(&self) -> Value {
        let (clock, time) = self.started;
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let by_status: Map<String, Value> =
            requests.by_status.iter().map(|(status, count)| (status.to_string(), json!(count))).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "addresses": self.addresses.get(),
            "started_at": timestamp(time),
            "uptime_s": clock.elapsed().as_secs(),
            "rss_bytes": resident_bytes(),
            "connections": self.connections.get().map(|count| count()),
            "requests": { "by_operation": requests.by_operation, "by_status": by_status },
        })
    }

    /// What the command prints; its last words, if they are fresh.
    fn printed(&self) -> Option<Result<Value, String>> {
        let command = self.command.as_ref()?;
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = printed.as_ref().filter(|(at, _)| at.elapsed() < COMMAND_LIFE) {
            return Some(value.clone());
        }
        let value = hook_output(command, COMMAND_TIMEOUT)
            .map_err(|failure| format!("the runtime command {failure}"))
            .and_then(|output| {
                serde_json::from_slice::<Value>(&output)
                    .ok()
                    .filter(Value::is_object)
                    .ok_or_else(|| "the runtime command printed no JSON object".to_owned())
            });
        *printed = Some((Instant::now(), value.clone()));
        Some(value)
    }
}

/// RFC 3339.
fn timestamp(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Resident memory of this process; none where the system does not tell.
fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn config(engine: &Engine) -> Value {
    let Some(state) = engine.state() else { return Value::Null };
    let saved = engine.read().is_ok_and(|file| file.bytes() == state.running.bytes());
    json!({
        "etag": entity_tag(state.running.revision()),
        "generation": state.generation,
        "saved": saved,
        "last_change": state.last_change.map(|change| json!({
            "at": timestamp(change.at),
            "by": change.by,
            "operation": change.operation,
        })),
        "last_error": state.last_error,
        "pending": state.pending.as_deref().map(PendingChange::info),
    })
}

fn streams(running: &Snapshot) -> Value {
    let members = top_members(running.document());
    let entries = members.own_by_key("streams");
    let still = entries.iter().filter(|&&entry| is_static(entry)).count();
    let mut schemes: BTreeMap<String, u64> = BTreeMap::new();
    for &stream in entries {
        let inner: Vec<_> =
            stream.children().filter(|entry| matches!(&*entry.keyword(), "url" | "urls" | "input")).collect();
        for source in sources(stream, &inner) {
            let address = source.positional.value();
            let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
            *schemes.entry(scheme.to_owned()).or_default() += 1;
        }
    }
    json!({ "total": entries.len(), "static": still, "ondemand": entries.len() - still, "by_source_scheme": schemes })
}

/// What there is of room where recordings are kept: for each folder that a `dvr` names.
fn archives(running: &Snapshot) -> Value {
    let document = running.document();
    let nested = document.entries().flat_map(|entry| entry.children());
    let recordings = document.entries().chain(nested).filter(|entry| entry.keyword() == "dvr");
    let mut found = Map::new();
    for entry in recordings {
        let root = only_argument(entry).or_else(|| entry.arguments().next()).map(|word| word.value());
        if let Some(root) = root.filter(|root| root.starts_with('/')) {
            found.entry(root.clone().into_owned()).or_insert_with(|| archive(Path::new(&*root)));
        }
    }
    Value::Object(found)
}

fn archive(root: &Path) -> Value {
    match rustix::fs::statvfs(root) {
        Ok(found) => json!({
            "exists": true,
            "total_bytes": found.f_blocks.saturating_mul(found.f_frsize),
            "free_bytes": found.f_bavail.saturating_mul(found.f_frsize),
        }),
        Err(_) => json!({ "exists": false }),
    }
}

/// Objects are merged member by member; anything else takes the place of what was there.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

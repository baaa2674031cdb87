//! The member that `runtime=true` adds to a configuration: counts of requests, the figures of the
//! configuration, and those that the runtime command prints.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::auth::Role;
use super::handler::Handler;
use super::message::entity_tag;
use super::tls::Tls;
use crate::engine::{Engine, Snapshot, hook_output, without_secrets};
use crate::error::{Error, ErrorKind};
use crate::http::api::ApiOperation;
use crate::store::clock::rfc3339;
use mediaconf::{DirectiveRole, Entry, Kind};

/// The longest time for the runtime command.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// The time for which the output of the runtime command is used again.
pub const COMMAND_LIFE: Duration = Duration::from_secs(1);

/// A value that is made again only when it is old: until then all callers get the same one. It is locked while a value is
/// made, so that those who ask then wait for that one.
pub struct Fresh<T> {
    life: Duration,
    /// The last value with the time at which it was asked for.
    last: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Fresh<T> {
    /// Makes values that are used for the time `life`.
    pub fn for_time(life: Duration) -> Self {
        Self { life, last: Mutex::new(None) }
    }

    /// The last value, or a new one.
    pub fn get(&self, now: Instant, make: impl FnOnce() -> T) -> T {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((at, value)) if now.saturating_duration_since(*at) < self.life => value.clone(),
            _ => {
                let value = make();
                // Those that waited meanwhile have an earlier `now`, and take this value.
                *last = Some((Instant::now().max(now), value.clone()));
                value
            }
        }
    }
}

/// The name of the operation of a request that never came to one.
const NO_OPERATION: &str = "none";

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
        let members = running.document().members();
        let entries = members.own_by_key(Kind::Streams.key());
        let still = entries.iter().filter(|&&entry| Kind::Streams.is_static(entry)).count();
        let mut by_scheme: BTreeMap<String, u64> = BTreeMap::new();
        let keywords = DirectiveRole::Sources.keywords();
        for &stream in entries {
            let is_source = |entry: &Entry<'_>| keywords.contains(&&*entry.keyword());
            for source in stream.sources(stream.children().filter(is_source)) {
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
}

/// What is known once the server listens.
pub struct Listening {
    /// The addresses on which it listens.
    pub addresses: Vec<String>,
    /// The number of open connections.
    pub connections: Box<dyn Fn() -> usize + Send + Sync>,
    /// True if no worker has been free for too long.
    pub is_late: Box<dyn Fn() -> bool + Send + Sync>,
    /// The certificate with which it answers.
    pub tls: Option<Arc<Tls>>,
}

/// The counters of a server, and the sources of further figures.
pub struct Runtime {
    clock: Instant,
    /// The time at which the server started.
    pub started_at: SystemTime,
    command: Option<String>,
    /// The number of answers by operation and status. Operations of one name are one.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    listening: OnceLock<Listening>,
    /// The last output of the command.
    printed: Fresh<Result<Value, Error>>,
}

impl Runtime {
    /// Starts to count. `command` prints the figures of the media server as a JSON object.
    pub fn new(command: Option<String>) -> Self {
        Self {
            clock: Instant::now(),
            started_at: SystemTime::now(),
            command,
            requests: Mutex::default(),
            listening: OnceLock::new(),
            printed: Fresh::for_time(COMMAND_LIFE),
        }
    }

    /// Takes what is known once the server listens.
    pub fn listens(&self, listening: Listening) {
        // Called once: a server is started once.
        let _ = self.listening.set(listening);
    }

    /// What is known once the server listens.
    pub fn listening(&self) -> Option<&Listening> {
        self.listening.get()
    }

    /// Counts an answer.
    pub fn count(&self, operation: Option<ApiOperation>, status: u16) {
        let name = operation.map_or(NO_OPERATION, ApiOperation::name);
        *self.requests().entry((name, status)).or_default() += 1;
    }

    /// The counts of answers.
    pub fn requests(&self) -> MutexGuard<'_, BTreeMap<(&'static str, u16), u64>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self) -> Value {
        let listening = self.listening();
        let (mut by_operation, mut by_status) = (BTreeMap::new(), BTreeMap::new());
        for ((operation, status), number) in &*self.requests() {
            *by_operation.entry(*operation).or_insert(0) += number;
            *by_status.entry(status.to_string()).or_insert(0) += number;
        }
        by_operation.remove(NO_OPERATION);
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "addresses": listening.map(|listening| &listening.addresses),
            "started_at": rfc3339(self.started_at),
            "uptime_s": self.clock.elapsed().as_secs(),
            "rss_bytes": resident_bytes(),
            "connections": listening.map(|listening| (listening.connections)()),
            "requests": { "by_operation": by_operation, "by_status": by_status },
        })
    }

    /// The output of the runtime command; the last one while it is fresh.
    fn printed(&self, engine: &Engine) -> Option<Result<Value, Error>> {
        let command = self.command.as_ref()?;
        Some(self.printed.get(Instant::now(), || {
            let output = hook_output(command, &[], COMMAND_TIMEOUT).map_err(|failure| {
                let whole = format!("the runtime command {failure}");
                let whole = without_secrets(&whole, &engine.with_included(&engine.running()));
                Error::new(ErrorKind::EngineFailed, whole)
                    .in_brief(format!("the runtime command {}", failure.reason))
            })?;
            let printed = serde_json::from_slice::<Value>(&output).ok().filter(Value::is_object);
            let none = || Error::new(ErrorKind::EngineFailed, "the runtime command printed no JSON object");
            printed.ok_or_else(none)
        }))
    }
}

impl Handler {
    /// The member `runtime` for this reader.
    pub(super) fn figures(&self, role: Role) -> Value {
        let (engine, runtime) = (&self.engine, self.runtime());
        let mut figures = json!({ "server": runtime.server(), "config": null, "streams": null });
        if let Some(state) = engine.state() {
            let StreamFigures { total, still, by_scheme } = StreamFigures::from_snapshot(&state.running);
            figures["streams"] = json!({
                "total": total, "static": still, "ondemand": total - still, "by_source_scheme": by_scheme
            });
            figures["config"] = json!({
                "etag": entity_tag(self.shown_revision(&state.running, role)),
                "generation": state.generation,
                "saved": engine.read().is_ok_and(|file| file.bytes() == state.running.bytes()),
                "last_change": state.last_change.map(|change| json!({
                    "at": rfc3339(change.at),
                    "by": change.by,
                    "operation": change.operation,
                })),
                "last_error": state.last_error.map(|trouble| told(role, trouble)),
                "pending": self.pending(),
            });
        }
        if let Some(mut node) = self.service.node() {
            if role == Role::View {
                node.why = node.brief.take();
            }
            figures["node"] = json!(node);
        }
        match runtime.printed(engine) {
            Some(Ok(printed)) => merge(&mut figures, printed),
            Some(Err(error)) => merge(&mut figures, json!({ "errors": [told(role, error)] })),
            None => {}
        }
        figures
    }
}

/// Returns the text of a failure for this role.
fn told(role: Role, error: Error) -> String {
    match role {
        Role::Edit => error.message,
        Role::View => error.brief().to_owned(),
    }
}

/// The resident memory of this process; `None` if the system does not show it.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Merges objects member by member; any other value replaces the old one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Hooks;
    use crate::store::file::ConfFile;

    #[test]
    fn a_value_is_made_once_in_its_time() {
        let (fresh, mut made) = (Fresh::for_time(Duration::from_secs(60)), 0);
        let now = Instant::now();
        let mut at = |seconds| {
            fresh.get(now + Duration::from_secs(seconds), || {
                made += 1;
                made
            })
        };
        assert_eq!([0, 30, 130, 131, 191, 0].map(&mut at), [1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn answers_are_counted_by_operation_and_by_status() {
        let runtime = Runtime::new(None);
        for operation in [Some(ApiOperation::History), Some(ApiOperation::Kept), None] {
            runtime.count(operation, 401);
        }
        let expected = json!({ "by_operation": { "history": 2 }, "by_status": { "401": 3 } });
        assert_eq!(runtime.server()["requests"], expected, "both routes have this name");
    }

    #[test]
    fn a_command_that_fails_tells_no_secret_of_an_included_file() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        let put = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("it can be written");
        };
        put("media.conf", "edit_auth admin pa55word;\ninclude more.inc;\n");
        put("more.inc", "stream a { password swordfish; url udp://1; }\n");
        let file = Arc::new(ConfFile::resolve(&path).expect("it can be found"));
        let engine = Engine::new(file, Hooks::default(), |_, _| {}).start(|_| {}).expect("it is valid");
        let runtime = Runtime::new(Some("echo swordfish and pa55word >&2; exit 1".to_owned()));
        let told = runtime.printed(&engine).expect("there is a command");
        let told = told.expect_err("it fails").message;
        assert!(told.contains("<secret:") && told.contains(" and "), "{told}");
        assert!(!told.contains("swordfish") && !told.contains("pa55word"), "{told}");
    }
}

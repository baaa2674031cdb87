//! The member that `runtime=true` adds to a configuration: counts of requests, the figures of the
//! configuration, and those that the runtime command prints.

use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::engine::{ConfigService, Engine, Snapshot, hook_output, without_secrets};
use crate::error::{Error, ErrorKind};
use crate::http::server::auth::Role;
use crate::http::server::figures::{self, StreamFigures, TagOf, timestamp, told};
use crate::http::server::fresh::Fresh;
use crate::http::server::request_counts::RequestCounts;
use crate::http::server::tls::Tls;

/// The longest time for the runtime command.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// The time for which the output of the runtime command is used again.
pub const COMMAND_LIFE: Duration = Duration::from_secs(1);

/// The counters of a server, and the sources of further figures.
pub struct Runtime {
    started: (Instant, SystemTime),
    command: Option<String>,
    pub requests: RequestCounts,
    addresses: OnceLock<Vec<String>>,
    connections: OnceLock<Box<dyn Fn() -> usize + Send + Sync>>,
    lateness: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    tls: OnceLock<Arc<Tls>>,
    /// The last output of the command.
    printed: Fresh<Result<Value, Error>>,
}

impl Runtime {
    /// Starts to count. `command` prints the figures of the media server as a JSON object.
    pub fn new(command: Option<String>) -> Self {
        Self {
            started: (Instant::now(), SystemTime::now()),
            command,
            requests: RequestCounts::default(),
            addresses: OnceLock::new(),
            connections: OnceLock::new(),
            lateness: OnceLock::new(),
            tls: OnceLock::new(),
            printed: Fresh::for_time(COMMAND_LIFE),
        }
    }

    /// Sets the addresses on which the server listens.
    pub fn listens_on(&self, addresses: Vec<String>) {
        // Called once: a server is started once.
        let _ = self.addresses.set(addresses);
    }

    /// Sets the source of the number of open connections.
    pub fn watch_connections(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        // Called once: a server is started once.
        let _ = self.connections.set(Box::new(count));
    }

    /// Sets the certificate with which the server answers.
    pub fn serves_with(&self, tls: Arc<Tls>) {
        // Called once: a server is started once.
        let _ = self.tls.set(tls);
    }

    /// The end of the validity of the certificate of the server; `None` without one.
    pub fn certificate_expiry(&self) -> Option<SystemTime> {
        self.tls.get()?.expiry()
    }

    /// Sets what tells whether the server has been busy for too long.
    pub fn watch_lateness(&self, is_late: impl Fn() -> bool + Send + Sync + 'static) {
        // Called once: a server is started once.
        let _ = self.lateness.set(Box::new(is_late));
    }

    /// True if no worker of the server has been free for too long.
    pub fn is_late(&self) -> bool {
        self.lateness.get().is_some_and(|is_late| is_late())
    }

    /// The time at which the server started.
    pub fn started_at(&self) -> SystemTime {
        self.started.1
    }

    /// The number of open connections, once the server listens.
    pub fn open_connections(&self) -> Option<usize> {
        self.connections.get().map(|count| count())
    }

    /// The member `runtime` for this reader.
    pub fn figures(
        &self,
        (engine, service): (&Engine, &dyn ConfigService),
        reader: (Role, &TagOf<'_>),
    ) -> Value {
        let (role, _) = reader;
        let running = engine.running();
        let mut figures = json!({
            "server": self.server(),
            "config": figures::config(engine, service.pending().ok().flatten(), reader),
            "streams": running.as_deref().map(|running| StreamFigures::from_snapshot(running).as_json()),
        });
        if let Some(mut node) = service.node() {
            if role == Role::View {
                node.why = node.brief.take();
            }
            figures["node"] = json!(node);
        }
        match self.printed(engine, &running) {
            Some(Ok(printed)) => merge(&mut figures, printed),
            Some(Err(error)) => merge(&mut figures, json!({ "errors": [told(role, error)] })),
            None => {}
        }
        figures
    }

    fn server(&self) -> Value {
        let (clock, time) = self.started;
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "addresses": self.addresses.get(),
            "started_at": timestamp(time),
            "uptime_s": clock.elapsed().as_secs(),
            "rss_bytes": resident_bytes(),
            "connections": self.open_connections(),
            "requests": self.requests.as_json(),
        })
    }

    /// The output of the runtime command; the last one while it is fresh.
    fn printed(&self, engine: &Engine, running: &Option<Arc<Snapshot>>) -> Option<Result<Value, Error>> {
        let command = self.command.as_ref()?;
        Some(self.printed.get(|| {
            let output = hook_output(command, &[], COMMAND_TIMEOUT).map_err(|failure| {
                let whole = format!("the runtime command {failure}");
                let whole = without_secrets(&whole, &engine.with_included(running));
                Error::new(ErrorKind::EngineFailed, whole)
                    .in_brief(format!("the runtime command {}", failure.reason))
            })?;
            let printed = serde_json::from_slice::<Value>(&output).ok().filter(Value::is_object);
            printed.ok_or_else(|| {
                Error::new(ErrorKind::EngineFailed, "the runtime command printed no JSON object")
            })
        }))
    }
}

/// The resident memory of this process; `None` if the system does not show it.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
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
        let told = runtime.printed(&engine, &engine.running()).expect("there is a command");
        let told = told.expect_err("it fails").message;
        assert!(told.contains("<secret:") && told.contains(" and "), "{told}");
        assert!(!told.contains("swordfish") && !told.contains("pa55word"), "{told}");
    }
}

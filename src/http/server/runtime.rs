//! The member that `runtime=true` adds to a configuration: the figures of the server and of the configuration, and those that
//! the runtime command prints.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::auth::Role;
use super::handler::Handler;
use super::message::entity_tag;
use crate::engine::{Engine, Snapshot, StatusPart, hook_output, json_without_secrets, without_secrets};
use crate::error::{Error, ErrorKind};
use crate::store::clock::rfc3339;
use mediaconf::Kind;

/// The longest time for the runtime command.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// The time for which the output of the runtime command is used again.
pub const COMMAND_LIFE: Duration = Duration::from_secs(1);

/// The number of streams, and of those that are always read.
pub fn stream_counts(running: &Snapshot) -> [usize; 2] {
    let members = running.document().members();
    let entries = members.own_by_key(Kind::Streams.key());
    [entries.len(), entries.iter().filter(|&&entry| Kind::Streams.is_static(entry)).count()]
}

/// What the runtime command printed: as it is, and with the secrets of the configuration masked.
type Printed = [Value; 2];

/// What is known once the server listens.
pub struct Listening {
    /// The addresses on which it listens.
    pub addresses: Vec<String>,
    /// The number of open connections.
    pub connections: Box<dyn Fn() -> usize + Send + Sync>,
}

/// The sources of the figures of a server.
pub struct Runtime {
    clock: Instant,
    /// The time at which the server started.
    pub started_at: SystemTime,
    command: Option<String>,
    pub listening: OnceLock<Listening>,
    /// The last output of the command, with the time at which it came. It is locked while the command runs, so that other
    /// requests wait for the new output.
    printed: Mutex<Option<(Result<Printed, Error>, Instant)>>,
}

impl Runtime {
    /// `command` prints the figures of the media server as a JSON object.
    pub fn new(command: Option<String>) -> Self {
        let (clock, started_at) = (Instant::now(), SystemTime::now());
        Self { clock, started_at, command, listening: OnceLock::new(), printed: Mutex::default() }
    }

    fn server(&self) -> Value {
        let listening = self.listening.get();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "addresses": listening.map(|listening| &listening.addresses),
            "started_at": rfc3339(self.started_at),
            "uptime_s": self.clock.elapsed().as_secs(),
            "connections": listening.map(|listening| (listening.connections)()),
            "runtime_cmd": self.command.is_some(),
        })
    }

    /// The output of the runtime command; the last one while it is fresh.
    fn printed(&self, engine: &Engine) -> Option<Result<Printed, Error>> {
        let command = self.command.as_ref()?;
        let asked_at = Instant::now();
        let mut last = self.printed.lock();
        let fresh = last.take().filter(|(_, at)| asked_at.saturating_duration_since(*at) < COMMAND_LIFE);
        let (printed, _) = last.insert(fresh.unwrap_or_else(|| (print(command, engine), Instant::now())));
        Some(printed.clone())
    }
}

/// Runs the runtime command.
fn print(command: &str, engine: &Engine) -> Result<Printed, Error> {
    let texts = || engine.with_included(&engine.running());
    let output = hook_output(command, &[], COMMAND_TIMEOUT).map_err(|failure| {
        let whole = without_secrets(&format!("the runtime command {failure}"), &texts());
        Error::new(ErrorKind::EngineFailed, whole).in_brief(format!("the runtime command {}", failure.reason))
    })?;
    let no_object = || Error::new(ErrorKind::EngineFailed, "the runtime command printed no JSON object");
    let printed = serde_json::from_slice(&output).ok().filter(Value::is_object).ok_or_else(no_object)?;
    let masked = json_without_secrets(printed.clone(), &texts());
    Ok([printed, masked])
}

impl Handler {
    /// The member `runtime` for this reader.
    pub(super) fn figures(&self, role: Role, is_masked: bool) -> Value {
        let (engine, runtime) = (&self.engine, &self.settings.runtime);
        let mut figures = json!({ "server": runtime.server(), "config": null, "streams": null });
        if let Some(state) = engine.state() {
            let [total, still] = stream_counts(&state.running);
            figures["streams"] = json!({ "total": total, "static": still, "ondemand": total - still });
            figures["config"] = json!({
                "etag": entity_tag(self.shown_revision(&state.running, role)),
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
        if let Some(mut node) = self.service.status(StatusPart::Server).ok().and_then(|status| status.node) {
            if role == Role::View {
                node.why = node.brief.take();
            }
            figures["node"] = json!(node);
        }
        match runtime.printed(engine) {
            Some(Ok([clear, masked])) => merge(&mut figures, if is_masked { masked } else { clear }),
            Some(Err(error)) => merge(&mut figures, json!({ "errors": [told(role, error)] })),
            None => {}
        }
        figures
    }
}

/// Returns the text of a failure for this role.
fn told(role: Role, error: Error) -> String {
    if role == Role::Edit { error.message } else { error.brief().to_owned() }
}

/// Merges objects member by member; any other value replaces the old one, unless that is an object.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Object(_), _) => {}
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::Hooks;
    use crate::store::file::ConfFile;

    #[test]
    fn a_command_tells_no_secret_of_an_included_file() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        let put = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("it can be written");
        };
        put("media.conf", "edit_auth admin pa55word;\ncluster_key 12345678;\ninclude more.inc;\n");
        put("more.inc", "stream a { password swordfish; url udp://1; }\n");
        let file = Arc::new(ConfFile::resolve(&path).expect("it can be found"));
        let engine = Engine::new(file, Hooks::default(), |_| {}).start(|_, _| {}).expect("it is valid");
        let runtime = Runtime::new(Some("echo swordfish and pa55word >&2; exit 1".to_owned()));
        let told = runtime.printed(&engine).expect("there is a command");
        let told = told.expect_err("it fails").message;
        assert!(told.contains("<secret:") && told.contains(" and "), "{told}");
        assert!(!told.contains("swordfish") && !told.contains("pa55word"), "{told}");

        let said = "echo '{\"is swordfish\": [12345678, \"u:pa55word\", 1234, true]}'";
        let runtime = Runtime::new(Some(said.to_owned()));
        let [clear, masked] = runtime.printed(&engine).expect("there is a command").expect("it prints JSON");
        assert_eq!(clear["is swordfish"][0], 12_345_678);
        let mask = "<secret:000000>";
        assert_eq!(masked, json!({ format!("is {mask}"): [mask, format!("u:{mask}"), 1234, true] }));
    }
}

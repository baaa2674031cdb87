//! The metrics of a server, in the text format of Prometheus, and what else is beside the configuration: `healthz` and
//! `openapi.json`.
//!
//! Labels have few values, none of them from a client or from the configuration: no name, no address, no secret.

use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::handler::Handler;
use super::message::Response;
use super::runtime::stream_counts;
use crate::engine::{Activity, NodeReport, Operation, ServerState, Snapshot, Status, StatusPart};
use crate::http::api::TEXT;
use crate::store::NodeState;

/// The description of the API: an OpenAPI document of version 3.1.
const OPENAPI: &str = include_str!("../openapi.json");

/// The media type of metrics.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Says that the server answers, and nothing else: strangers may ask.
pub fn health() -> Response {
    Response::ok(TEXT, b"ok\n".to_vec())
}

/// The description of the API, with the prefix and the version of this server.
pub fn openapi(handler: &Handler) -> Response {
    let mut document: Value = serde_json::from_str(OPENAPI).expect("it is a file of this program");
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["servers"][0]["url"] = json!(handler.settings.prefix);
    Response::json(&document)
}

/// The metrics as they are now.
pub fn metrics(handler: &Handler) -> Response {
    let mut metrics = Metrics(String::new());
    let started = timestamp(handler.settings.runtime.started_at);
    metrics.one("gauge process_start_time_seconds When the server started.", Some(started));
    let version = [(label("version", env!("CARGO_PKG_VERSION")), 1)];
    metrics.add("gauge mediactl_build_info The version of the server, as a label; always 1.", version);
    let lock_outs = Some(handler.authenticator.lock().lock_outs);
    let line =
        "counter mediactl_lockouts_total Addresses that were locked out after too many wrong passwords.";
    metrics.one(line, lock_outs);
    let [streams, still] = stream_counts(&handler.running());
    let kinds = [("static", still), ("ondemand", streams - still)].map(|(kind, n)| (label("kind", kind), n));
    metrics.add("gauge mediactl_streams Streams of the running configuration by kind.", kinds);
    if let (Some(activity), Some(state)) = (handler.engine.activity(), handler.engine.state()) {
        metrics.configuration(&state, activity, handler.engine.read().ok().as_deref());
    }
    if let Ok(Status { node: Some(node), .. }) = &handler.service.status(StatusPart::Server) {
        metrics.node(node);
    }
    Response::ok(METRICS, metrics.0.into_bytes())
}

/// The text of the metrics.
struct Metrics(String);

impl Metrics {
    fn configuration(&mut self, state: &ServerState, activity: &Activity, file: Option<&Snapshot>) {
        let changes = Operation::ALL.iter().flat_map(|&operation| {
            Activity::RESULTS.map(|result| {
                let labels = [label("operation", operation.name()), label("result", result)].join(",");
                (labels, activity.changes(operation, result))
            })
        });
        self.add("counter mediactl_changes_total Requested changes by operation and result.", changes);
        let is_in_file = |known: &Snapshot| file.is_some_and(|file| file.is_same_text(known));
        let is_saved = u8::from(is_in_file(&state.running));
        self.one("gauge mediactl_saved 1 if the running configuration is in the file.", Some(is_saved));
        let line = "gauge mediactl_edited_by_hand 1 if the file was edited by hand since the server loaded or saved it, or is \
                    gone.";
        self.one(line, Some(u8::from(!is_in_file(&state.saved))));
        let is_pending = u8::from(state.pending.is_some());
        self.one("gauge mediactl_pending 1 if a change has to be confirmed.", Some(is_pending));
        let changed_at = state.last_change.as_ref().map(|change| timestamp(change.at));
        self.one("gauge mediactl_last_change_timestamp_seconds When it was changed last.", changed_at);
        let reload = activity.last_reload();
        let line = "gauge mediactl_last_reload_successful 1 if the last configuration was put into effect: loaded, with the \
                    reload command.";
        self.one(line, Some(u8::from(reload.succeeded)));
        let line = "gauge mediactl_last_reload_timestamp_seconds When that was tried last.";
        self.one(line, Some(timestamp(reload.at)));
    }

    fn node(&mut self, node: &NodeReport) {
        let states = NodeState::ALL.iter().map(|known| {
            let word = known.to_string();
            (label("state", &word), u8::from(word == node.state))
        });
        self.add("gauge mediactl_node_state 1 for the state that the node is in.", states);
        self.one("gauge mediactl_node_serial The change of the cluster that the node runs.", node.serial);
        self.one("gauge mediactl_cluster_serial The last change that the node saw.", node.cluster_serial);
        let line = "gauge mediactl_cluster_last_contact_seconds Time since the node last read the cluster.";
        self.one(line, node.last_contact.map(seconds));
    }

    /// Adds a metric without labels, if it has a value.
    fn one(&mut self, line: &str, value: Option<impl Display>) {
        self.add(line, value.map(|value| (String::new(), value)));
    }

    /// Adds a metric, if it has samples: a line with its kind, name and help, and the labels and the value of each sample.
    fn add<V: Display>(&mut self, line: &str, samples: impl IntoIterator<Item = (String, V)>) {
        let mut words = line.splitn(3, ' ');
        let [kind, name, help] = [(); 3].map(|()| words.next().unwrap_or_default());
        let mut head = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, number) in samples {
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            self.0 += &format!("{head}{name}{labels} {number}\n");
            head.clear();
        }
    }
}

/// Seconds since 1970.
fn timestamp(at: SystemTime) -> f64 {
    seconds(at.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// A label. Its value is a word of this program, in which nothing has to be escaped.
fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{value}\"")
}

/// Seconds, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

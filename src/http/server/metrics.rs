//! The metrics of a server, in the text format of Prometheus, and what else is beside the configuration: `healthz` and
//! `openapi.json`.
//!
//! The server keeps counts; each request renders them. Labels have few values, none of them from a client
//! or from the configuration: no name, no address, no secret.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::handler::{Call, Handler};
use super::message::Response;
use super::runtime::{StreamFigures, resident_bytes};
use crate::engine::{Activity, Count, NodeReport, Operation, ServerState, Snapshot};
use crate::http::api::TEXT;
use crate::store::NodeState;

/// The description of the API: an OpenAPI document of version 3.1.
const OPENAPI: &str = include_str!("../openapi.json");

/// The media type of metrics.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The longest scheme of a URL that is shown.
const MAX_SCHEME: usize = 16;

/// Says whether the server is well, and nothing else: strangers may ask.
pub fn health(handler: &Handler) -> Response {
    match handler.runtime().listening().is_some_and(|listening| (listening.is_late)()) {
        false => Response::ok(TEXT, b"ok\n".to_vec()),
        true => Response { status: 503, ..Response::ok(TEXT, b"late\n".to_vec()) },
    }
}

/// The metrics of the server. They are made of the whole configuration, so clients that need no password
/// for them get those of the last second.
pub fn metrics(handler: &Handler, call: &Call<'_>) -> Response {
    let make = || Arc::new(text(handler).into_bytes());
    let text = if call.by.is_empty() { handler.open_metrics.get(Instant::now(), make) } else { make() };
    Response::ok(METRICS, text)
}

/// The description of the API, with the prefix and the version of this server.
pub fn openapi(handler: &Handler) -> Response {
    let mut document: Value = serde_json::from_str(OPENAPI).expect("it is a file of this program");
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["servers"][0]["url"] = json!(handler.settings.prefix);
    Response::json(&document)
}

/// Kind, name and help of each metric, in the order in which they are written.
const FAMILIES: &str = "\
counter mediactl_requests_total Answers by operation and HTTP status.
counter mediactl_lockouts_total Addresses that were locked out after too many wrong passwords.
gauge mediactl_locked_out_networks Addresses that are locked out now.
counter mediactl_masked_total Configurations that were masked for `view_auth`.
gauge mediactl_connections Open connections, those of local commands included.
gauge process_start_time_seconds When the server started.
gauge process_resident_memory_bytes Resident memory of the server.
gauge mediactl_build_info The version of the server, as a label; always 1.
gauge mediactl_streams Streams of the running configuration by kind.
gauge mediactl_stream_sources Sources of these streams by the scheme of their URL.
counter mediactl_changes_total Requested changes by operation and result.
counter mediactl_reloads_total Configurations that were put into effect since the start: loaded, with the reload command.
gauge mediactl_saved 1 if the running configuration is in the file.
gauge mediactl_edited_by_hand 1 if the file was edited by hand since the server loaded or saved it, or is gone.
gauge mediactl_pending 1 if a change has to be confirmed.
gauge mediactl_generation Counts the running configurations.
gauge mediactl_last_change_timestamp_seconds When it was changed last.
gauge mediactl_last_reload_successful 1 if the last configuration was put into effect: loaded, with the reload command.
gauge mediactl_last_reload_timestamp_seconds When that was tried last.
gauge mediactl_node_state 1 for the state that the node is in.
gauge mediactl_node_serial The change of the cluster that the node runs.
gauge mediactl_cluster_serial The last change that the node saw.
gauge mediactl_cluster_last_contact_seconds Time since the node last read the cluster.
";

/// The metrics as they are now.
fn text(handler: &Handler) -> String {
    let mut metrics = Metrics::default();
    metrics.server(handler);
    if let (Some(activity), Some(state)) = (handler.engine.activity(), handler.engine.state()) {
        metrics.changes(activity);
        metrics.configuration(&state, activity, handler.engine.read().ok().as_deref());
    }
    if let Some(node) = &handler.service.node() {
        metrics.node(node);
    }
    let mut text = String::new();
    for line in FAMILIES.lines() {
        let mut words = line.splitn(3, ' ');
        let [kind, name, help] = [(); 3].map(|()| words.next().unwrap_or_default());
        if let Some(samples) = metrics.0.get(name) {
            text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}");
        }
    }
    text
}

/// The lines of the samples by the name of the metric.
#[derive(Default)]
struct Metrics(HashMap<&'static str, String>);

impl Metrics {
    fn server(&mut self, handler: &Handler) {
        let runtime = handler.runtime();
        let answered = runtime.requests();
        let answered = answered
            .iter()
            .map(|((name, status), number)| (format!("operation=\"{name}\",status=\"{status}\""), *number));
        self.add("mediactl_requests_total", answered);
        let (lock_outs, locked_out) = handler.authenticator().lock_outs(Instant::now());
        self.one("mediactl_lockouts_total", lock_outs);
        self.one("mediactl_locked_out_networks", locked_out);
        self.one("mediactl_masked_total", handler.maskings.load(Ordering::Relaxed));
        let connections = runtime.listening().map_or(0, |listening| (listening.connections)());
        self.one("mediactl_connections", connections);
        self.one("process_start_time_seconds", timestamp(runtime.started_at));
        self.add("process_resident_memory_bytes", resident_bytes().map(|bytes| (String::new(), bytes)));
        self.add("mediactl_build_info", [(label("version", env!("CARGO_PKG_VERSION")), 1)]);
        let figures = StreamFigures::from_snapshot(&handler.running());
        let kinds = [("static", figures.still), ("ondemand", figures.on_demand())];
        self.add("mediactl_streams", kinds.map(|(kind, number)| (label("kind", kind), number)));
        let mut sources = BTreeMap::new();
        for (scheme, number) in &figures.by_scheme {
            *sources.entry(label("scheme", scheme_label(scheme))).or_insert(0) += number;
        }
        self.add("mediactl_stream_sources", sources);
    }

    fn changes(&mut self, activity: &Activity) {
        let counted = |name, value, count| (label(name, value), activity.counted(count));
        for &operation in Operation::ALL {
            let name = label("operation", operation.name());
            let samples = Count::RESULTS.iter().map(|&result| {
                let (label, number) = counted("result", result, Count::Change(operation, result));
                (format!("{name},{label}"), number)
            });
            self.add("mediactl_changes_total", samples);
        }
        let samples = [("failed", false), ("succeeded", true)];
        let samples = samples.map(|(word, succeeded)| counted("result", word, Count::Reload(succeeded)));
        self.add("mediactl_reloads_total", samples);
    }

    fn configuration(&mut self, state: &ServerState, activity: &Activity, file: Option<&Snapshot>) {
        let is_in_file = |known: &Snapshot| file.is_some_and(|file| file.is_same_text(known));
        self.one("mediactl_saved", u8::from(is_in_file(&state.running)));
        self.one("mediactl_edited_by_hand", u8::from(!is_in_file(&state.saved)));
        self.one("mediactl_pending", u8::from(state.pending.is_some()));
        self.one("mediactl_generation", state.generation);
        let change = state.last_change.as_ref().map(|change| (String::new(), timestamp(change.at)));
        self.add("mediactl_last_change_timestamp_seconds", change);
        let reload = activity.last_reload();
        self.one("mediactl_last_reload_successful", u8::from(reload.succeeded));
        self.one("mediactl_last_reload_timestamp_seconds", timestamp(reload.at));
    }

    fn node(&mut self, node: &NodeReport) {
        let states = NodeState::ALL.iter().map(|known| {
            let word = known.to_string();
            (label("state", &word), u8::from(word == node.state))
        });
        self.add("mediactl_node_state", states);
        let plain = String::new;
        self.add("mediactl_node_serial", node.serial.map(|serial| (plain(), serial)));
        self.add("mediactl_cluster_serial", node.cluster_serial.map(|serial| (plain(), serial)));
        let since = node.last_contact.map(|since| (plain(), seconds(since)));
        self.add("mediactl_cluster_last_contact_seconds", since);
    }

    fn one(&mut self, name: &'static str, value: impl Display) {
        self.add(name, [(String::new(), value)]);
    }

    /// Adds samples of a metric: their labels, and a number.
    fn add<V: Display>(&mut self, name: &'static str, samples: impl IntoIterator<Item = (String, V)>) {
        for (labels, number) in samples {
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            *self.0.entry(name).or_default() += &format!("{name}{labels} {number}\n");
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

/// A scheme as the value of a label: the text of a configuration may have anything before `://`.
fn scheme_label(scheme: &str) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    match scheme {
        "" => "none",
        _ if scheme.len() <= MAX_SCHEME && scheme.bytes().all(is_plain) => scheme,
        _ => "other",
    }
}

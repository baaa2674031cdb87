//! The metrics of a server, in the text format of Prometheus, and what else is beside the configuration: `healthz` and
//! `openapi.json`.
//!
//! The server keeps counts; each request renders them. Labels have few values, none of them from a client
//! or from the configuration: no name, no address, no secret.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::handler::{Call, Handler};
use super::message::Response;
use super::runtime::{StreamFigures, resident_bytes};
use crate::engine::{Activity, Count, NodeReport, Operation, ServerState, Snapshot};
use crate::http::api::TEXT;
use crate::store::{NodeState, seconds_until};

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
    let text = if call.by.is_empty() { handler.open_metrics.get(make) } else { make() };
    Response::ok(METRICS, text)
}

/// The description of the API, with the prefix and the version of this server.
pub fn openapi(handler: &Handler) -> Response {
    let mut document: Value = serde_json::from_str(OPENAPI).expect("it is a file of this program");
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["servers"][0]["url"] = json!(handler.settings.prefix);
    Response::json(&document)
}

/// The metrics as they are now.
fn text(handler: &Handler) -> String {
    let mut metrics = Metrics::default();
    metrics.server(handler);
    metrics.streams(&StreamFigures::from_snapshot(&handler.running()));
    if let (Some(activity), Some(state)) = (handler.engine.activity(), handler.engine.state()) {
        metrics.changes(activity);
        metrics.configuration(&state, activity, handler.engine.read().ok().as_deref());
    }
    let node = handler.service.node();
    if let Some(node) = &node {
        metrics.node(node);
    }
    let of_api = handler.runtime().listening().and_then(|listening| listening.tls.as_ref()?.expiry());
    let to_etcd = node.and_then(|node| node.figures.certificate_expiry);
    let ends = [("api", of_api), ("etcd", to_etcd)].into_iter();
    let ends: Vec<_> =
        ends.filter_map(|(of, end)| Some((label("certificate", of), seconds_until(end?)))).collect();
    if !ends.is_empty() {
        let help = "Time until a certificate expires: that of the API, and the one that is shown to etcd.";
        metrics.family("gauge", "mediactl_certificate_expiry_seconds", help, ends);
    }
    metrics.0
}

/// The text for one request.
#[derive(Default)]
struct Metrics(String);

impl Metrics {
    fn server(&mut self, handler: &Handler) {
        let runtime = handler.runtime();
        let help = "Answers by operation and HTTP status.";
        let answered: Vec<_> = (runtime.requests.all().iter())
            .map(|((name, status), number)| (format!("operation=\"{name}\",status=\"{status}\""), *number))
            .collect();
        self.family("counter", "mediactl_requests_total", help, answered);
        let (lock_outs, locked_out) = handler.lock_outs();
        let help = "Addresses that were locked out after too many wrong passwords.";
        self.counter("mediactl_lockouts_total", help, lock_outs);
        self.gauge("mediactl_locked_out_networks", "Addresses that are locked out now.", locked_out);
        let maskings = handler.maskings.load(Ordering::Relaxed);
        self.counter("mediactl_masked_total", "Configurations that were masked for `view_auth`.", maskings);
        let connections = runtime.listening().map_or(0, |listening| (listening.connections)());
        let help = "Open connections, those of local commands included.";
        self.gauge("mediactl_connections", help, connections);
        self.time("process_start_time_seconds", "When the server started.", runtime.started_at);
        if let Some(bytes) = resident_bytes() {
            self.gauge("process_resident_memory_bytes", "Resident memory of the server.", bytes);
        }
        let help = "The version of the server, as a label; always 1.";
        let version = label("version", env!("CARGO_PKG_VERSION"));
        self.family("gauge", "mediactl_build_info", help, [(version, 1)]);
    }

    fn streams(&mut self, figures: &StreamFigures) {
        let kinds = [("static", figures.still), ("ondemand", figures.on_demand())];
        let kinds = kinds.map(|(kind, number)| (label("kind", kind), number));
        self.family("gauge", "mediactl_streams", "Streams of the running configuration by kind.", kinds);
        let mut sources = BTreeMap::new();
        for (scheme, number) in &figures.by_scheme {
            *sources.entry(label("scheme", scheme_label(scheme))).or_insert(0) += number;
        }
        let help = "Sources of these streams by the scheme of their URL.";
        self.family("gauge", "mediactl_stream_sources", help, sources);
    }

    fn changes(&mut self, activity: &Activity) {
        let samples = Operation::ALL.iter().flat_map(|&operation| {
            Count::RESULTS.iter().map(move |&result| {
                let labels = [label("operation", operation.name()), label("result", result)];
                (labels.join(","), activity.counted(Count::Change(operation, result)))
            })
        });
        let help = "Requested changes by operation and result.";
        self.family("counter", "mediactl_changes_total", help, samples);
        let counted = |name, value, count| (label(name, value), activity.counted(count));
        let samples = Count::HAND_EDITS.map(|fate| counted("fate", fate, Count::HandEdit(fate)));
        let help = "Hand edits of the file that a change came upon, by what became of them.";
        self.family("counter", "mediactl_hand_edits_total", help, samples);
        let samples = Count::PENDING_ENDS.map(|end| counted("end", end, Count::PendingEnd(end)));
        let help = "Changes that had to be confirmed, by what became of them.";
        self.family("counter", "mediactl_pending_ended_total", help, samples);
        let samples = [("failed", false), ("succeeded", true)];
        let samples = samples.map(|(word, succeeded)| counted("result", word, Count::Reload(succeeded)));
        let help =
            "Configurations that were put into effect since the start: loaded, with the reload command.";
        self.family("counter", "mediactl_reloads_total", help, samples);
    }

    fn configuration(&mut self, state: &ServerState, activity: &Activity, file: Option<&Snapshot>) {
        let is_in_file = |known: &Snapshot| file.is_some_and(|file| file.is_same_text(known));
        let help = "1 if the running configuration is in the file.";
        self.gauge("mediactl_saved", help, u8::from(is_in_file(&state.running)));
        let help = "1 if the file was edited by hand since the server loaded or saved it, or is gone.";
        self.gauge("mediactl_edited_by_hand", help, u8::from(!is_in_file(&state.saved)));
        let help = "1 if a change has to be confirmed.";
        self.gauge("mediactl_pending", help, u8::from(state.pending.is_some()));
        self.gauge("mediactl_generation", "Counts the running configurations.", state.generation);
        if let Some(change) = &state.last_change {
            self.time("mediactl_last_change_timestamp_seconds", "When it was changed last.", change.at);
        }
        let reload = activity.last_reload();
        let help = "1 if the last configuration was put into effect: loaded, with the reload command.";
        self.gauge("mediactl_last_reload_successful", help, u8::from(reload.succeeded));
        self.time("mediactl_last_reload_timestamp_seconds", "When that was tried last.", reload.at);
    }

    fn node(&mut self, node: &NodeReport) {
        let states = NodeState::ALL.iter().map(|known| {
            let word = known.to_string();
            (label("state", &word), u8::from(word == node.state))
        });
        self.family("gauge", "mediactl_node_state", "1 for the state that the node is in.", states);
        if let Some(serial) = node.serial {
            self.gauge("mediactl_node_serial", "The change of the cluster that the node runs.", serial);
        }
        let figures = &node.figures;
        if let Some(serial) = figures.cluster_serial {
            self.gauge("mediactl_cluster_serial", "The last change that the node saw.", serial);
        }
        if let Some(since) = figures.last_contact {
            let help = "Time since the node last read the cluster.";
            self.gauge("mediactl_cluster_last_contact_seconds", help, seconds(since));
        }
        let help = "1 if a change was not confirmed in time, and nobody has taken it back in the cluster.";
        self.gauge("mediactl_cluster_pending_overdue", help, u8::from(figures.is_overdue));
        let help = "How far the clock of the node is ahead of that of whoever made the last change; 0 up to a second.";
        self.gauge("mediactl_clock_skew_seconds", help, node.skew.unwrap_or_default());
        let help = "1 if another process has the name of the node.";
        self.gauge("mediactl_node_twin", help, u8::from(figures.is_twin));
    }

    fn time(&mut self, name: &str, help: &str, at: SystemTime) {
        self.gauge(name, help, seconds(at.duration_since(UNIX_EPOCH).unwrap_or_default()));
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family("gauge", name, help, [(String::new(), value)]);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family("counter", name, help, [(String::new(), value)]);
    }

    /// Writes a metric with its samples: their labels, and a number.
    fn family<V: Display>(
        &mut self,
        kind: &str,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (String, V)>,
    ) {
        self.0 += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, number) in samples {
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            self.0 += &format!("{name}{labels} {number}\n");
        }
    }
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

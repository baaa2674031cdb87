//! The metrics of a server, in the text format of Prometheus.
//!
//! The server keeps counts; each request renders them. Labels have few values, none of them from a client
//! or from the configuration: no name, no address, no secret.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::engine::{Activity, Count, Engine, NodeReport, Operation, ServerState};
use crate::http::server::context::Context;
use crate::http::server::figures::StreamFigures;
use crate::http::server::runtime::resident_bytes;
use crate::store::{NodeState, seconds_until};

/// The longest scheme of a URL that is shown.
const MAX_SCHEME: usize = 16;

/// The metrics as they are now.
pub fn text(context: &Context) -> String {
    let mut metrics = Metrics::default();
    metrics.server(context);
    metrics.streams(&StreamFigures::from_snapshot(&context.running()));
    if let (Some(activity), Some(state)) = (context.engine.activity(), context.engine.state()) {
        metrics.changes(activity);
        metrics.configuration(&context.engine, &state, activity);
    }
    let node = context.service.node();
    if let Some(node) = &node {
        metrics.node(node);
    }
    let to_etcd = node.and_then(|node| node.figures.certificate_expiry);
    metrics.certificates(context.runtime.certificate_expiry(), to_etcd);
    metrics.0
}

/// The text for one request.
#[derive(Default)]
struct Metrics(String);

/// The two kinds of metrics.
#[derive(Clone, Copy)]
enum MetricType {
    Counter,
    Gauge,
}

impl Metrics {
    fn server(&mut self, context: &Context) {
        let runtime = &context.runtime;
        let requests = runtime.requests.all();
        let statuses: Vec<String> = requests.keys().map(|(_, status)| status.to_string()).collect();
        let answered = requests.iter().zip(&statuses);
        self.family(
            MetricType::Counter,
            "mediactl_requests_total",
            "Answers by operation and HTTP status.",
            ["operation", "status"],
            answered.map(|(((operation, _), number), status)| ([*operation, status], number)),
        );
        let (lock_outs, locked_out) = context.authenticator.lock_outs();
        self.counter(
            "mediactl_lockouts_total",
            "Addresses that were locked out after too many wrong passwords.",
            [],
            [([], lock_outs)],
        );
        self.gauge("mediactl_locked_out_networks", "Addresses that are locked out now.", locked_out);
        self.counter(
            "mediactl_masked_total",
            "Configurations that were masked for `view_auth`.",
            [],
            [([], context.maskings.load(Ordering::Relaxed))],
        );
        let connections = runtime.open_connections().unwrap_or_default();
        let help = "Open connections, those of local commands included.";
        self.gauge("mediactl_connections", help, connections);
        self.time("process_start_time_seconds", "When the server started.", runtime.started_at());
        if let Some(bytes) = resident_bytes() {
            self.gauge("process_resident_memory_bytes", "Resident memory of the server.", bytes);
        }
        let help = "The version of the server, as a label; always 1.";
        let version = [([env!("CARGO_PKG_VERSION")], 1)];
        self.family(MetricType::Gauge, "mediactl_build_info", help, ["version"], version);
    }

    fn streams(&mut self, figures: &StreamFigures) {
        let kinds = [(["static"], figures.still), (["ondemand"], figures.on_demand())];
        let help = "Streams of the running configuration by kind.";
        self.family(MetricType::Gauge, "mediactl_streams", help, ["kind"], kinds);
        let mut sources = BTreeMap::new();
        for (scheme, number) in &figures.by_scheme {
            *sources.entry([scheme_label(scheme)]).or_insert(0) += number;
        }
        let help = "Sources of these streams by the scheme of their URL.";
        self.family(MetricType::Gauge, "mediactl_stream_sources", help, ["scheme"], sources);
    }

    fn changes(&mut self, activity: &Activity) {
        let samples = Operation::ALL.iter().flat_map(|&operation| {
            let counted = move |result| activity.counted(Count::Change(operation, result));
            Count::RESULTS.iter().map(move |&result| ([operation.name(), result], counted(result)))
        });
        let help = "Requested changes by operation and result.";
        self.counter("mediactl_changes_total", help, ["operation", "result"], samples);
        let samples = Count::HAND_EDITS.iter().map(|&fate| ([fate], activity.counted(Count::HandEdit(fate))));
        let help = "Hand edits of the file that a change came upon, by what became of them.";
        self.counter("mediactl_hand_edits_total", help, ["fate"], samples);
        let samples =
            Count::PENDING_ENDS.iter().map(|&end| ([end], activity.counted(Count::PendingEnd(end))));
        let help = "Changes that had to be confirmed, by what became of them.";
        self.counter("mediactl_pending_ended_total", help, ["end"], samples);
        let samples = [("failed", false), ("succeeded", true)]
            .map(|(word, succeeded)| ([word], activity.counted(Count::Reload(succeeded))));
        let help =
            "Configurations that were put into effect since the start: loaded, with the reload command.";
        self.counter("mediactl_reloads_total", help, ["result"], samples);
    }

    fn configuration(&mut self, engine: &Engine, state: &ServerState, activity: &Activity) {
        let file = engine.read().ok();
        let is = |known: &crate::engine::Snapshot| file.as_ref().is_some_and(|file| file.is_same_text(known));
        let (is_saved, is_edited) = (is(&state.running), !is(&state.saved));
        self.gauge("mediactl_saved", "1 if the running configuration is in the file.", u8::from(is_saved));
        let help = "1 if the file was edited by hand since the server loaded or saved it, or is gone.";
        self.gauge("mediactl_edited_by_hand", help, u8::from(is_edited));
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
        let states = NodeState::ALL.iter().map(|known| known.to_string());
        let states: Vec<String> = states.collect();
        let states = states.iter().map(|word| ([word.as_str()], u8::from(*word == node.state)));
        let help = "1 for the state that the node is in.";
        self.family(MetricType::Gauge, "mediactl_node_state", help, ["state"], states);
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
        self.gauge(
            "mediactl_node_twin",
            "1 if another process has the name of the node.",
            u8::from(figures.is_twin),
        );
    }

    fn certificates(&mut self, of_api: Option<SystemTime>, to_etcd: Option<SystemTime>) {
        let known = [("api", of_api), ("etcd", to_etcd)];
        let known = known.into_iter().filter_map(|(of, end)| Some(([of], seconds_until(end?))));
        let known: Vec<_> = known.collect();
        if !known.is_empty() {
            let help =
                "Time until a certificate expires: that of the API, and the one that is shown to etcd.";
            self.family(
                MetricType::Gauge,
                "mediactl_certificate_expiry_seconds",
                help,
                ["certificate"],
                known,
            );
        }
    }

    fn time(&mut self, name: &str, help: &str, at: SystemTime) {
        self.gauge(name, help, seconds(at.duration_since(UNIX_EPOCH).unwrap_or_default()));
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(MetricType::Gauge, name, help, [], [([], value)]);
    }

    fn counter<'v, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: [&str; N],
        samples: impl IntoIterator<Item = ([&'v str; N], u64)>,
    ) {
        self.family(MetricType::Counter, name, help, labels, samples);
    }

    /// Writes a metric with its samples: the values of its labels, and a number. Values and help are words of this
    /// program, in which nothing has to be escaped.
    fn family<'v, const N: usize, V: Display>(
        &mut self,
        kind: MetricType,
        name: &str,
        help: &str,
        labels: [&str; N],
        samples: impl IntoIterator<Item = ([&'v str; N], V)>,
    ) {
        let kind = match kind {
            MetricType::Counter => "counter",
            MetricType::Gauge => "gauge",
        };
        self.0 += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (values, number) in samples {
            let pairs: Vec<String> =
                labels.iter().zip(values).map(|(label, value)| format!("{label}=\"{value}\"")).collect();
            let pairs = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
            self.0 += &format!("{name}{pairs} {number}\n");
        }
    }
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

//! The metrics of a server, in the text format of Prometheus.
//!
//! The server keeps counts; each request renders them. Labels have few values, none of them from a client
//! or from the configuration: no name, no address, no secret.

use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::core::Collector;
use prometheus::{GaugeVec, IntCounterVec, IntGaugeVec, Opts, Registry, Result, TextEncoder};

use crate::engine::{Activity, ChangeResult, Engine, HandEdit, Loops, Operation, PendingEnd, ServerState};
use crate::http::server::context::Context;
use crate::http::server::figures::StreamFigures;
use crate::http::server::runtime::resident_bytes;

/// The longest scheme of a URL that is shown.
const MAX_SCHEME: usize = 16;

/// The metrics as they are now.
///
/// # Errors
/// A name that is no name of a metric, or one that is there twice.
pub fn text(context: &Context) -> Result<String> {
    let metrics = Metrics(Registry::new());
    metrics.server(context)?;
    metrics.streams(&StreamFigures::from_snapshot(&context.running()))?;
    if let (Some(activity), Some(state)) = (context.engine.activity(), context.engine.state()) {
        metrics.changes(activity)?;
        metrics.configuration(&context.engine, &state, activity)?;
    }
    TextEncoder::new().encode_to_string(&metrics.0.gather())
}

/// The metrics for one request.
struct Metrics(Registry);

/// A sample: the values of its labels, and its number.
type Sample<const N: usize> = ([&'static str; N], u64);

impl Metrics {
    fn server(&self, context: &Context) -> Result<()> {
        let runtime = &context.runtime;
        let requests = runtime.requests.all();
        let statuses: Vec<String> = requests.keys().map(|(_, status)| status.to_string()).collect();
        let answered = family("mediactl_requests_total", "Answers by operation and HTTP status.");
        let answered = IntCounterVec::new(answered, &["operation", "status"])?;
        for (((operation, _), number), status) in requests.iter().zip(&statuses) {
            answered.with_label_values(&[*operation, status]).inc_by(*number);
        }
        self.add(answered)?;
        let (lock_outs, locked_out) = context.authenticator.lock_outs();
        self.counter(
            "mediactl_lockouts_total",
            "Networks that were locked out after too many wrong passwords.",
            [],
            [([], lock_outs)],
        )?;
        self.gauge("mediactl_locked_out_networks", "Networks that are locked out now.", locked_out as u64)?;
        self.counter(
            "mediactl_masked_total",
            "Forms of a configuration that were made for `view_auth`.",
            [],
            [([], context.maskings.load(Ordering::Relaxed))],
        )?;
        let connections = runtime.open_connections().unwrap_or_default() as u64;
        self.gauge(
            "mediactl_connections",
            "Open connections, those of local commands included.",
            connections,
        )?;
        let ages = "How long the threads of a loop have been at their present turn, the longest of them; 0 while they wait.";
        let ages = GaugeVec::new(family("mediactl_loop_age_seconds", ages), &["loop"])?;
        for (name, age) in runtime.loops().map(Loops::ages).unwrap_or_default() {
            ages.with_label_values(&[name]).set((age.as_secs_f64() * 1000.0).round() / 1000.0);
        }
        self.add(ages)?;
        self.time("process_start_time_seconds", "When the server started.", runtime.started_at())?;
        if let Some(bytes) = resident_bytes() {
            self.gauge("process_resident_memory_bytes", "Resident memory of the server.", bytes)?;
        }
        let version = family("mediactl_build_info", "The version of the server, as a label; always 1.");
        let version = version.const_label("version", env!("CARGO_PKG_VERSION"));
        let info = IntGaugeVec::new(version, &[])?;
        info.with_label_values::<&str>(&[]).set(1);
        self.add(info)
    }

    fn streams(&self, figures: &StreamFigures) -> Result<()> {
        let streams = family("mediactl_streams", "Streams of the running configuration by kind.");
        let streams = IntGaugeVec::new(streams, &["kind"])?;
        for (kind, number) in [("static", figures.still), ("ondemand", figures.on_demand())] {
            streams.with_label_values(&[kind]).set(number as i64);
        }
        self.add(streams)?;
        let sources =
            family("mediactl_stream_sources", "Sources of these streams by the scheme of their URL.");
        let sources = IntGaugeVec::new(sources, &["scheme"])?;
        for (scheme, number) in &figures.by_scheme {
            sources.with_label_values(&[scheme_label(scheme)]).add(*number as i64);
        }
        self.add(sources)
    }

    fn changes(&self, activity: &Activity) -> Result<()> {
        let samples = Operation::ALL.iter().flat_map(|&operation| {
            ChangeResult::ALL
                .iter()
                .map(move |&result| ([operation.name(), result.word()], activity.changes(operation, result)))
        });
        let help = "Requested changes by operation and result.";
        self.counter("mediactl_changes_total", help, ["operation", "result"], samples)?;
        let samples = HandEdit::ALL.iter().map(|&fate| ([fate.word()], activity.hand_edits(fate)));
        let help = "Hand edits of the file that a change came upon, by what became of them.";
        self.counter("mediactl_hand_edits_total", help, ["fate"], samples)?;
        let samples = PendingEnd::ALL.iter().map(|&end| ([end.word()], activity.pending_ends(end)));
        let help = "Changes that had to be confirmed, by what became of them.";
        self.counter("mediactl_pending_ended_total", help, ["end"], samples)?;
        let samples =
            [("failed", false), ("succeeded", true)].map(|(word, which)| ([word], activity.reloads(which)));
        let help =
            "Configurations that were put into effect since the start: loaded, with the reload command.";
        self.counter("mediactl_reloads_total", help, ["result"], samples)
    }

    fn configuration(&self, engine: &Engine, state: &ServerState, activity: &Activity) -> Result<()> {
        let file = engine.read().ok();
        let is = |known: &crate::engine::Snapshot| file.as_ref().is_some_and(|file| file.is_same_text(known));
        let (is_saved, is_edited) = (is(&state.running), !is(&state.saved));
        self.gauge("mediactl_saved", "1 if the running configuration is in the file.", is_saved.into())?;
        let help = "1 if the file was edited by hand since the server loaded or saved it, or is gone.";
        self.gauge("mediactl_edited_by_hand", help, is_edited.into())?;
        let help = "1 if a change has to be confirmed.";
        self.gauge("mediactl_pending", help, state.pending.is_some().into())?;
        self.gauge("mediactl_generation", "Counts the running configurations.", state.generation)?;
        if let Some(change) = &state.last_change {
            self.time("mediactl_last_change_timestamp_seconds", "When it was changed last.", change.at)?;
        }
        let reload = activity.last_reload();
        let help = "1 if the last configuration was put into effect: loaded, with the reload command.";
        self.gauge("mediactl_last_reload_successful", help, reload.succeeded.into())?;
        self.time("mediactl_last_reload_timestamp_seconds", "When that was tried last.", reload.at)
    }

    fn counter<const N: usize>(
        &self,
        name: &str,
        help: &str,
        labels: [&str; N],
        samples: impl IntoIterator<Item = Sample<N>>,
    ) -> Result<()> {
        let counter = IntCounterVec::new(family(name, help), &labels)?;
        for (values, number) in samples {
            counter.with_label_values(&values).inc_by(number);
        }
        self.add(counter)
    }

    fn gauge(&self, name: &str, help: &str, value: u64) -> Result<()> {
        let gauge = IntGaugeVec::new(family(name, help), &[])?;
        gauge.with_label_values::<&str>(&[]).set(value as i64);
        self.add(gauge)
    }

    fn time(&self, name: &str, help: &str, at: SystemTime) -> Result<()> {
        let gauge = GaugeVec::new(family(name, help), &[])?;
        let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        gauge.with_label_values::<&str>(&[]).set((seconds * 1000.0).round() / 1000.0);
        self.add(gauge)
    }

    fn add(&self, metric: impl Collector + 'static) -> Result<()> {
        self.0.register(Box::new(metric))
    }
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

fn family(name: &str, help: &str) -> Opts {
    Opts::new(name, help)
}

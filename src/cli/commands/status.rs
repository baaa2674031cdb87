//! `mediactl status`

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::Value;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::args::status::StatusArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote::{Remote, Source, View};
use crate::cli::render::history::masked;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::edit::json_diff;
use crate::edit::path::{Path, Segment};
use crate::engine::Content;
use crate::engine::{Engine, PendingInfo, is_edited_since};
use crate::model::Masker;
use crate::model::redact::masked_json;
use crate::store::HistoryEntry;
use crate::syntax::one_line;

/// So many paths are named in the text.
const MOST_PATHS: usize = 20;

/// What is known; the JSON form.
#[derive(Debug, Serialize)]
struct Status {
    /// What messages call the target.
    target: String,
    /// The server, if there is one.
    server: Option<Server>,
    /// Whether what runs is what is saved; null where the server does not tell.
    saved: Option<bool>,
    /// The paths whose values differ between the two; empty where only comments or spacing do.
    differing: Vec<String>,
    /// Whether the file was changed by hand since the last change that is in the history.
    edited_by_hand: bool,
    /// How many errors the file has; null where the server does not show it.
    errors: Option<usize>,
    /// The change that waits to be confirmed.
    pending: Option<PendingInfo>,
    /// The last change that is in the history.
    last_change: Option<HistoryEntry>,
    /// What went wrong after an answer was given.
    last_error: Option<String>,
}

#[derive(Debug, Serialize)]
struct Server {
    pid: Option<u64>,
    version: Option<String>,
    /// Where it listens.
    addresses: Vec<String>,
    started_at: Option<String>,
}

/// Runs the command.
pub fn run(args: &StatusArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let target = target::resolve(global, Purpose::Read, ui)?;
    let name = target.name(global);
    let mut status = match target {
        Target::Local(engine) => of_file(&engine, name)?,
        Target::Remote(mut server) => of_server(&mut server, name)?,
    };
    status.last_change = status.last_change.map(|entry| masked(entry, ui.masker().as_ref()));
    match args.output {
        ListFormat::Json => ui.print_json(&status)?,
        ListFormat::Text => ui.print(|mut out| print(&status, &mut out))?,
    }
    let has_errors = status.errors.is_some_and(|errors| errors > 0);
    let is_open = status.saved == Some(false) || status.pending.is_some() || has_errors;
    Ok(if is_open { Exit::Different } else { Exit::Done })
}

/// Without a server what is in the file is all there is.
fn of_file(engine: &Engine, target: String) -> Result<Status, CliError> {
    let file = engine.read()?;
    let entries = engine.history()?;
    let pending = engine.stored_pending()?;
    Ok(Status {
        target,
        server: None,
        saved: Some(true),
        differing: Vec::new(),
        edited_by_hand: is_edited_since(&entries, &file),
        errors: Some(file.diagnostics().errors()),
        pending,
        last_change: entries.into_iter().next(),
        last_error: None,
    })
}

fn of_server(server: &mut Remote, target: String) -> Result<Status, CliError> {
    let whole = server.read(View { source: Source::Running, skip_streams: true, runtime: true })?;
    let (figures, config) = (&whole["runtime"]["server"], &whole["runtime"]["config"]);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let addresses = figures["addresses"].as_array().into_iter().flatten().filter_map(text);
    let is_ours = figures.is_object();
    let [running, saved] = match is_ours {
        true => [Some(server.fetch(Source::Running)?.content), Some(server.fetch(Source::Saved)?.content)],
        false => [None, None],
    };
    let entries = if is_ours { server.history()? } else { Vec::new() };
    let file = match &saved {
        Some(Content::Text(file)) => Some(file),
        _ => None,
    };
    let edited_by_hand = file.is_some_and(|file| is_edited_since(&entries, file));
    let errors = file.map(|file| file.diagnostics().errors());
    Ok(Status {
        target,
        server: Some(Server {
            pid: figures["pid"].as_u64(),
            version: text(&figures["version"]),
            addresses: addresses.collect(),
            started_at: text(&figures["started_at"]),
        }),
        saved: config["saved"].as_bool(),
        differing: running.zip(saved).map(|(running, saved)| differing(&running, &saved)).unwrap_or_default(),
        edited_by_hand,
        errors,
        pending: serde_json::from_value(config["pending"].clone()).ok(),
        last_change: entries.into_iter().next(),
        last_error: text(&config["last_error"]),
    })
}

/// The paths of the values that differ.
fn differing(running: &Content, saved: &Content) -> Vec<String> {
    let mut paths = Vec::new();
    let is_valid = |content: &Content| match content {
        Content::Text(snapshot) => snapshot.is_valid(),
        Content::Json(_) => true,
    };
    if is_valid(running) && is_valid(saved) {
        let patch = Value::Object(json_diff::diff(&running.to_json(), &saved.to_json()));
        collect(&masked_json(&patch, &Masker::default()), &mut Vec::new(), &mut paths);
    }
    paths
}

fn collect(patch: &Value, at: &mut Vec<Segment>, paths: &mut Vec<String>) {
    match patch {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                at.push(Segment::Key(key.clone()));
                collect(value, at, paths);
                at.pop();
            }
        }
        _ if at.is_empty() => {}
        _ => paths.push(Path { segments: at.clone() }.to_string()),
    }
}

fn print(status: &Status, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "configuration: {}", status.target)?;
    match &status.server {
        None => writeln!(out, "server:        none runs over it")?,
        Some(server) => writeln!(out, "server:        {}", in_words(server))?,
    }
    match (status.saved, &status.server) {
        (_, None) => {}
        (None, _) => writeln!(out, "saved:         the server does not tell")?,
        (Some(true), _) => writeln!(out, "saved:         yes, it runs what is in the file")?,
        (Some(false), _) => {
            writeln!(out, "saved:         no, it runs something else than what is in the file")?
        }
    }
    if status.saved == Some(false) {
        print_paths(&status.differing, out)?;
    }
    if status.edited_by_hand {
        writeln!(out, "by hand:       the file was edited since the last change")?;
    }
    match status.errors {
        None | Some(0) => {}
        Some(1) => writeln!(out, "errors:        the file has an error; `mediactl check` shows it")?,
        Some(count) => {
            writeln!(out, "errors:        the file has {count} errors; `mediactl check` shows them")?
        }
    }
    if let Some(pending) = &status.pending {
        let PendingInfo { operation, by, seconds_left, .. } = pending;
        let by = one_line(by);
        writeln!(out, "pending:       {operation} by {by} waits to be confirmed, for {seconds_left} s")?;
    }
    if let Some(last) = &status.last_change {
        let ago = SystemTime::now().duration_since(last.at).unwrap_or_default();
        let ago = humantime::format_duration(Duration::from_secs(ago.as_secs()));
        let by = last.by.as_deref().map_or("somebody", |by| by);
        let message = last.message.as_deref().map_or(String::new(), |message| format!(": {message}"));
        let line = format!("{} by {by}, {ago} ago{message}", last.operation);
        writeln!(out, "last change:   {}", one_line(&line))?;
    }
    if let Some(error) = &status.last_error {
        writeln!(out, "last error:    {}", one_line(error))?;
    }
    Ok(())
}

fn in_words(server: &Server) -> String {
    let mut words = Vec::new();
    words.extend(server.pid.map(|pid| format!("process {pid}")));
    words.extend(server.version.as_ref().map(|version| format!("mediactl {version}")));
    words.extend((!server.addresses.is_empty()).then(|| server.addresses.join(", ")));
    if words.is_empty() { "does not tell".to_owned() } else { one_line(&words.join(", ")) }
}

fn print_paths(paths: &[String], out: &mut impl Write) -> io::Result<()> {
    for path in paths.iter().take(MOST_PATHS) {
        writeln!(out, "               {}", one_line(path))?;
    }
    match paths.len() {
        0 => writeln!(out, "               (no value differs, only comments or spacing)"),
        count if count > MOST_PATHS => writeln!(out, "               and {} more", count - MOST_PATHS),
        _ => Ok(()),
    }
}

//! `mediactl diff --across`: in which values servers differ from each other.

use serde::Serialize;
use serde_json::Value;

use super::members::Fleet;
use super::verdict::{exit_of, found, without_errors};
use crate::cli::commands::diff::DiffArgs;
use crate::cli::commands::diff::NamedContent;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::table;
use mediaconf::edit::json_diff::{Drift, drift};
use mediaconf::edit::path::{Path, Segment};
use mediaconf::model::Masker;
use mediaconf::model::redact::{masked_below, masked_keys};

/// A place at which servers differ, for programs.
#[derive(Serialize)]
struct DriftRecord {
    path: String,
    values: Vec<DriftedValue>,
}

#[derive(Serialize)]
struct DriftedValue {
    /// `null` for none.
    value: Option<Value>,
    servers: Vec<String>,
}

/// Prints each value that differs, with the servers that have it.
pub fn run(args: &DiffArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let ui = fleet.ui.paged();
    let source = args.first.as_deref();
    let is_fit = source.is_none_or(|source| ["running", "saved"].contains(&source));
    if !is_fit || !args.conditions.is_empty() {
        let hint = "write `diff --across`, `diff --across running` or `diff --across saved`";
        return Err(CliError::usage("`--across` compares whole configurations of servers", hint));
    }
    let answers = fleet.ask("read", |member| NamedContent::of_target(source, &mut member.target)?.to_json());
    let (views, kinds) = without_errors(answers, ui);
    let (servers, views): (Vec<String>, Vec<Value>) = views.into_iter().unzip();
    let masker = if args.json { ui.value_masker() } else { ui.masker() };
    let records: Vec<DriftRecord> =
        drift(&views).into_iter().map(|drift| record(drift, &servers, masker.as_ref())).collect();
    let exit = found(exit_of(servers.len(), &kinds), !records.is_empty());
    if args.json {
        ui.print_json(&records)?;
    } else if records.is_empty() {
        ui.say(&format!("{} servers have the same values", servers.len()));
    } else {
        let headings = ["PATH", "VALUE", "SERVERS"].map(str::to_owned).to_vec();
        let rows = records.iter().flat_map(rows);
        ui.print(|out| table::print(std::iter::once(headings).chain(rows).collect(), ui.screen(), out))?;
    }
    Ok(exit)
}

fn record(drift: Drift, servers: &[String], masker: Option<&Masker>) -> DriftRecord {
    let keys: Vec<&str> = drift.keys.iter().map(String::as_str).collect();
    let shown_keys = match masker {
        Some(masker) => masked_keys(&keys, masker),
        None => drift.keys.clone(),
    };
    let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
    let path = Path { segments: shown_keys.into_iter().map(segment).collect() }.to_string();
    let shown = |value: Value| match masker {
        Some(masker) => masked_below(&keys, &value, masker),
        None => value,
    };
    let values = drift.values.into_iter().map(|(value, who)| DriftedValue {
        value: value.map(shown),
        servers: who.into_iter().map(|number| servers[number].clone()).collect(),
    });
    DriftRecord { path, values: values.collect() }
}

/// One row for each value; the path stands in the first one.
fn rows(record: &DriftRecord) -> impl Iterator<Item = Vec<String>> + '_ {
    record.values.iter().enumerate().map(|(at, DriftedValue { value, servers })| {
        let path = if at == 0 { record.path.clone() } else { String::new() };
        let value = value.as_ref().map_or("-".to_owned(), ToString::to_string);
        vec![path, value, servers.join(", ")]
    })
}

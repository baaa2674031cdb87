//! Configurations as they are shown, whole or in part, with their secrets masked; and the difference of two: as the lines of a
//! diff, or as one line for each entry (`~ cam1 prepush 5 → 2`, `- cam9`, `+ hall`) and a last line that counts them.

use std::io::{self, Write};
use std::sync::Arc;

use colored::Color;
use serde_json::Value;

use crate::cli::args::changing::ChangeFormat;
use crate::cli::render::grouped;
use crate::cli::ui::Ui;
use crate::engine::{Snapshot, changed, diff_lines, value_diff_lines};
use crate::http::api::shortened;
use crate::store::HistoryEntry;
use mediaconf::{ChangedValue, Entry, Kind, MaskedText, Masker, Path, Pointer, Segment, one_line};

/// The number of paths that are named.
const NAMED: usize = 2;

/// The lines of a change of up to this many entries are shown without a summary.
const WITHOUT_SUMMARY: usize = 3;

/// Writes the bytes of a configuration, or its text with the secrets masked.
pub fn write_text(snapshot: &Snapshot, masker: Masker, out: &mut dyn Write) -> io::Result<()> {
    match masker {
        Masker::Off => out.write_all(snapshot.bytes()),
        _ => out.write_all(masker.document(snapshot.document()).as_bytes()),
    }
}

/// Writes one entry of a configuration as it stands in the text, or with the secrets masked.
pub fn write_entry(
    snapshot: &Snapshot,
    entry: Entry<'_>,
    masker: Masker,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [start, end] = [entry.span().start, entry.span().end].map(|at| at as usize);
    let windows = std::iter::once(start..end).collect();
    let [shown] = MaskedText::new([snapshot.document()], masker, [windows]);
    writeln!(out, "{}", shown.line(start..end))
}

/// Masks words that look like a secret in the author and the message of an entry of the history.
pub fn masked_entry(entry: HistoryEntry, masker: Masker) -> HistoryEntry {
    entry.shown_by(|text| masker.prose(text).into_owned())
}

/// Prints the lines of a unified diff; `names` are those of the old and the new side.
pub fn print_diff(diff: &[String], names: [&str; 2], ui: Ui, out: &mut dyn Write) -> io::Result<()> {
    if !diff.is_empty() {
        let [old, new] = names.map(|name| ui.sanitized(name));
        writeln!(out, "--- {old}\n+++ {new}")?;
    }
    diff.iter().try_for_each(|line| print_line(line, ui, out))
}

/// Prints a change in this form. On a terminal the lines of more than a few entries stand below their summary.
pub fn print_change(
    form: ChangeFormat,
    (diff, values): (&[String], Option<&[ChangedValue]>),
    names: [&str; 2],
    ui: Ui,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_summary = form == ChangeFormat::Summary;
    let wanted = values.filter(|_| is_summary || ui.terminal_out);
    let lines = wanted.map_or_else(Vec::new, |values| summary(values, ui.masker));
    if is_summary || lines.len() > 1 + WITHOUT_SUMMARY {
        lines.iter().try_for_each(|line| print_line(line, ui, out))?;
        if is_summary {
            return Ok(());
        }
        writeln!(out)?;
    }
    print_diff(diff, names, ui, out)
}

/// Prints a line in the colour of its sign.
fn print_line(line: &str, ui: Ui, out: &mut dyn Write) -> io::Result<()> {
    let shown = ui.sanitized(line);
    let painted = match line.as_bytes().first() {
        Some(b'-') => ui.paint(&shown, Color::Red),
        Some(b'+') => ui.paint(&shown, Color::Green),
        Some(b'@') => ui.paint(&shown, Color::Cyan),
        _ => shown,
    };
    out.write_all(painted.as_bytes())?;
    out.write_all(b"\n")
}

/// Prints the difference of two configurations, or of their values at `path`.
pub fn print_difference(
    [old, new]: [&Arc<Snapshot>; 2],
    path: Option<&Path>,
    names: [&str; 2],
    ui: Ui,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown = |side, path| value(side, path, ui.masker).unwrap_or_default();
    let differing = path.map_or_else(
        || diff_lines([old, new], ui.masker),
        |path| value_diff_lines(&shown(old, path), &shown(new, path)),
    );
    print_diff(&differing, names, ui, out)
}

/// The value at a path; `None` if there is none, or the configuration has errors.
fn value(text: &Arc<Snapshot>, path: &Path, masker: Masker) -> Option<Value> {
    if text.is_valid() { text.masked(masker).config().select(path).ok()?.into_present() } else { None }
}

/// True if two configurations differ, at `path` if there is one.
pub fn differ(old: &Arc<Snapshot>, new: &Arc<Snapshot>, path: Option<&Path>) -> bool {
    match path {
        Some(path) => value(old, path, Masker::Off) != value(new, path, Masker::Off),
        None => !old.is_same_text(new),
    }
}

/// The paths of the first values that differ, and how many more there are; empty if a configuration has errors.
pub fn first_paths([old, new]: [&Snapshot; 2], masker: Masker) -> String {
    let changed = changed(old, new).unwrap_or_default();
    paths_and_more(changed.iter().map(|value| value.masked_path(masker)), changed.len())
}

/// The first of some paths, and how many more there are.
pub fn paths_and_more(paths: impl Iterator<Item = String>, count: usize) -> String {
    let more = (count > NAMED).then(|| format!("{} more", count - NAMED));
    paths.take(NAMED).chain(more).collect::<Vec<_>>().join(", ")
}

/// The number of characters of a value that are shown.
const LONGEST: usize = 60;

/// One line an entry, then the counts.
fn summary(values: &[ChangedValue], masker: Masker) -> Vec<String> {
    let mut counts = [('~', 0, "changed"), ('+', 0, "added"), ('-', 0, "removed")];
    let entries = grouped(values, |value| Some(&value.keys[..depth(value)]));
    let mut lines: Vec<String> = entries.iter().map(|entry| entry_line(entry, masker)).collect();
    for count in &mut counts {
        count.1 = lines.iter().filter(|line| line.starts_with(count.0)).count();
    }
    lines.push(counts.map(|(_, count, what)| format!("{count} {what}")).join(", "));
    lines
}

/// The number of keys that name the entry: a block has the key of its kind and its name.
fn depth(value: &ChangedValue) -> usize {
    if Kind::ALL.iter().any(|kind| kind.key() == value.keys[0]) { 2 } else { 1 }
}

/// The line of one entry.
fn entry_line(values: &[&ChangedValue], masker: Masker) -> String {
    let (depth, mut words, mut sign) = (depth(values[0]), Vec::new(), '~');
    let mut name = String::new();
    for value in values {
        let ChangedValue { keys, before, after } = &(*value).clone().masked(masker);
        // A stream is named alone, as almost all blocks are streams.
        let path = Pointer::from_keys(keys).to_path().segments;
        name = shown_path(if keys[0] == Kind::Streams.key() { &path[1..depth] } else { &path[..depth] });
        let whole = keys.len() == depth;
        match (before, after) {
            (None, Some(after)) if whole => {
                sign = '+';
                words.extend((depth == 1).then(|| shown_value(Some(after))));
            }
            (Some(_), None) if whole => sign = '-',
            _ => {
                let member = if whole { String::new() } else { format!("{} ", shown_path(&path[depth..])) };
                words.push(format!(
                    "{member}{} → {}",
                    shown_value(before.as_ref()),
                    shown_value(after.as_ref())
                ));
            }
        }
    }
    format!("{sign} {name} {}", words.join(", ")).trim_end().to_owned()
}

fn shown_path(segments: &[Segment]) -> String {
    one_line(&Path { segments: segments.to_vec() }.to_string())
}

/// A value on one line; a long one is cut.
fn shown_value(value: Option<&Value>) -> String {
    let text = match value {
        None => "none".to_owned(),
        Some(Value::String(text)) if !text.is_empty() && !text.contains(char::is_whitespace) => text.clone(),
        Some(value) => value.to_string(),
    };
    shortened(&one_line(&text), LONGEST)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_entry_has_a_line_and_the_last_one_counts() {
        let value = |keys: &str, before: Value, after: Value| ChangedValue {
            keys: keys.split(' ').map(str::to_owned).collect(),
            before: Some(before).filter(|value| !value.is_null()),
            after: Some(after).filter(|value| !value.is_null()),
        };
        let values = [
            value("rtmp", json!(1935), json!(1936)),
            value("http", Value::Null, json!(80)),
            value("edit_auth password", json!("old"), json!("new")),
            value("streams cam1 prepush", json!(5), json!(2)),
            value("streams cam1 title", Value::Null, json!("Hall 1")),
            value("streams cam1 urls 0 url", json!("udp://1"), json!("udp://2")),
            value("streams cam9", json!({"name": "cam9"}), Value::Null),
            value("streams a.b", Value::Null, json!({"name": "a.b"})),
            value("lives studio", Value::Null, json!({"name": "studio"})),
        ];
        let expected = "~ rtmp 1935 → 1936\n\
                        + http 80\n\
                        ~ edit_auth password old → new\n\
                        ~ cam1 prepush 5 → 2, title none → \"Hall 1\", urls[0].url udp://1 → udp://2\n\
                        - cam9\n\
                        + \"a.b\"\n\
                        + lives.studio\n\
                        3 changed, 3 added, 1 removed";
        assert_eq!(summary(&values, Masker::Off).join("\n"), expected);
        let masked = &summary(&values[2..3], Masker::default())[0];
        assert!(masked.starts_with("~ edit_auth password <secret") && !masked.contains("old"), "{masked}");
        assert_eq!(summary(&[], Masker::Off), ["0 changed, 0 added, 0 removed"]);
    }
}

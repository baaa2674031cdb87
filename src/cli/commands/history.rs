//! `mediactl history` and `mediactl blame`

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::SystemTime;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::{ListFormat, number};
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::names::in_ranges;
use crate::cli::input;
use crate::cli::local;
use crate::cli::render::texts::{differ, masked_entry, paths_and_more, print_difference, write_text};
use crate::cli::render::{grouped, table};
use crate::cli::target::Target;
use crate::cli::ui::Ui;
use crate::engine::{
    Blamed, ConfigSource, Snapshot, ValueHistory, add_hand_edit, is_edited_since, not_there, value_history,
};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeId, ChangeRef, HistoryEntry, WHOLE_HISTORY};
use mediaconf::{Masker, Path, one_line};

/// Show what was changed, when, and by whom
///
/// Shows one line for each change, the last one first: when it was made (in the zone of this machine, without the date
/// if it was today, on a terminal), by whom, and the first paths that it changed. The number in front is that of the
/// change, and never changes: `mediactl history show 5` prints the text before change 5, `mediactl diff change:5`
/// compares it, and `mediactl rollback 5` goes back to it. `last` is the newest change. A hand edit of the file gets
/// its own entry with the next change, or when a server reads the file. If a reload command fails for the new text, and
/// then for the old one, that is an entry, too.
///
/// As JSON it is an array of objects with `number`, `at`, `operation`, `by`, `message`, `id` (`undoes` has those of
/// the changes that it undid), the revisions `before` and `after`, and `unsaved`. An entry has `paths`: the `first` changed
/// paths, and their `count`; not of texts over 1 MiB, nor of changes by version 0.1.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  mediactl history
  mediactl history -p -n 5 streams.cam1
  mediactl history --since yesterday
  mediactl history show last
  mediactl -x 'edge-*' history --change 7f3a90c2"
)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,

    /// Show only the changes of the value at this path, and with --patch how the values there differ, as JSON
    pub path: Option<String>,

    /// Show what each change did, as a diff
    #[arg(short, long)]
    pub patch: bool,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N", value_parser = number(1..=WHOLE_HISTORY))]
    pub max_count: Option<usize>,

    /// Show the changes since then: a date (`2026-11-22`, `2026-11-22 15:04`), or how long ago (`2h`, `3 days`)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,

    /// Show only the change with this id, and what took it back; of several servers, on each that has it
    #[arg(long, value_name = "ID")]
    pub change: Option<ChangeId>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show the whole text from before a change
    Show {
        /// Which change: its number, or `last`
        #[arg(value_name = "N")]
        which: ChangeRef,

        /// How to print it; the JSON is that of `read`
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
}

impl HistoryArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let call = call.paged();
        let ui = call.ui;
        if let Some(HistoryCommand::Show { which, .. }) = &self.command {
            return show_text_before(*which, call);
        }
        if self.patch && ui.json {
            return Err(Error::usage("JSON has no diffs", "leave out `--patch`, or `-o json`"));
        }
        let path = self.path.as_deref().map(input::value_path).transpose()?;
        let since = self.since.as_deref().map(local::parse).transpose()?;
        let answers = call.ask("read", |server| self.read(path.as_ref(), since, server, ui))?;
        let is_nowhere = answers.list.iter().all(|answer| answer.result.as_ref().is_ok_and(Vec::is_empty));
        if let (Some(change), true, None, None) = (&self.change, is_nowhere, &path, since) {
            return Err(Error::no_such_change(change, answers.list.len()));
        }
        if ui.json {
            ui.print_json(&answers.json(|found| found.iter().map(|listed| json!(listed.entry)).collect()))?;
            return Ok(answers.exit());
        }
        let name = answers.one().map_or("the configuration", |(name, _)| name);
        let nothing = |found: &Vec<_>| found.is_empty().then(|| self.nothing_of(name, path.as_ref()));
        answers.once(nothing).iter().for_each(|text| ui.say(text));
        let found = answers.found();
        let all: Vec<(&str, &Listed)> =
            found.flat_map(|(server, found)| found.iter().map(move |listed| (server, listed))).collect();
        let row = |(server, Listed { entry, .. }): &(&str, &Listed)| {
            let [number, time, by] = head(entry, ui);
            // By it the same change is known on each server.
            let id = answers.one().is_none().then(|| entry.id.clone().unwrap_or("-".to_owned()));
            let paths = entry.paths.iter().map(|all| paths_and_more(all.first.iter().cloned(), all.count));
            let end = [entry.message.clone().unwrap_or_default(), paths.collect()];
            let cells = [number, time, by, one_line(&entry.operation)].into_iter().chain(id);
            answers.row(server, cells.chain(end.map(|text| one_line(&text))))
        };
        let mut rows: Vec<Vec<String>> = all.iter().map(row).collect();
        match answers.one() {
            // Above a diff there is room for a whole message.
            _ if self.patch => {}
            Some(_) => table::fit(&mut rows, ui.width()),
            None => rows = by_change(&all, rows, ui.width()),
        }
        if all.is_empty() {
            return Ok(answers.exit());
        }
        ui.print_painted(|out| {
            for (at, line) in table::aligned(&rows).enumerate() {
                writeln!(out, "{}", ui.sanitized(&line))?;
                let Some((server, listed)) = all.get(at).filter(|_| self.patch) else { continue };
                let Some(texts) = &listed.texts else { continue };
                let what = match listed.entry.number {
                    0 => "the hand edit".to_owned(),
                    number => format!("change {number}"),
                };
                let names = ["before", "after"].map(|side| format!("{server} {side} {what}"));
                let names = names.each_ref().map(String::as_str);
                print_difference(texts.each_ref(), path.as_ref(), names, ui, out)?;
            }
            Ok(())
        })?;
        Ok(answers.exit())
    }

    /// Says that no change was found.
    fn nothing_of(&self, name: &str, path: Option<&Path>) -> String {
        let what = path.map_or_else(|| name.to_owned(), |path| format!("`{path}`"));
        let how =
            self.change.as_ref().map_or("never changed".to_owned(), |id| format!("not changed by `{id}`"));
        let when = if self.since.is_some() { "since then" } else { "in the recorded history" };
        format!("{what} was {how} {when}")
    }

    /// Reads the entries; where people look at them, also what each changed, as far as the texts are kept.
    fn read(
        &self,
        path: Option<&Path>,
        since: Option<SystemTime>,
        server: &mut FleetMember,
        ui: Ui,
    ) -> Result<Vec<Listed>, Error> {
        let (most, masker) = (self.max_count.unwrap_or(WHOLE_HISTORY), ui.masker);
        let is_filtered = path.is_some() || since.is_some() || self.change.is_some();
        let mut entries = server.target.service.history(if is_filtered { WHOLE_HISTORY } else { most })?;
        let compares = self.patch || path.is_some();
        let (mut after, mut edited) = (None, None);
        if compares {
            let now = server.target.read_text(Some(ConfigSource::Saved));
            after = unless_damaged(now, "the configuration", server).ok().flatten();
            let service = &*server.target.service;
            edited = after.as_ref().and_then(|now| add_hand_edit(service, &mut entries, now));
            // It is not known where it was edited by hand since.
            after = after.filter(|now| !is_edited_since(&entries, now));
        }
        let mut found = Vec::new();
        let is_recent =
            |entry: &HistoryEntry| since.is_none_or(|since| entry.is_unknown() || entry.at >= since);
        for entry in entries.into_iter().filter(is_recent) {
            if found.len() == most {
                break;
            }
            let before = match entry.before.is_some() && compares && !entry.is_aside {
                true if entry.number == 0 => edited.take(),
                true => {
                    let text = server.target.service.text_before(ChangeRef::Number(entry.number));
                    unless_damaged(text, &format!("the text before change {}", entry.number), server)?
                }
                false => None,
            };
            let both = before.clone().zip(after.clone()).map(|(before, after)| [before, after]);
            let is_there = path.is_none_or(|path| {
                entry.is_unknown() || both.as_ref().is_some_and(|[old, new]| differ(old, new, Some(path)))
            });
            if !entry.is_aside {
                after = before;
            }
            if is_there && self.change.as_ref().is_none_or(|id| entry.concerns(id.as_str())) {
                let texts = both.filter(|_| self.patch);
                found.push(Listed { entry: masked_entry(entry, masker), texts });
            }
        }
        if found.is_empty() {
            let path = path.filter(|_| since.is_none() && self.change.is_none());
            refuse_absent(path, &mut server.target, masker)?;
        }
        Ok(found)
    }
}

/// Shows the whole text from before a change.
fn show_text_before(which: ChangeRef, call: Invocation<'_>) -> Result<Exit, Error> {
    let Invocation { ui: Ui { masker, json, .. }, .. } = call;
    let texts = call.ask("read", |server| server.target.service.text_before(which))?;
    let texts = texts.then(|_, text| {
        let name = format!("the text before change {which}");
        if json { Error::refuse_broken(&name, &text).map(|()| text) } else { Ok(text) }
    })?;
    let values = |text: &Arc<Snapshot>| text.masked(masker).config().to_json();
    texts.show(values, |text, out| write_text(text, masker, out))
}

/// A text that was read; `None` if it is not kept, which hides what its change did, or is damaged, which is said.
fn unless_damaged(
    read: Result<Arc<Snapshot>, Error>,
    what: &str,
    server: &FleetMember,
) -> Result<Option<Arc<Snapshot>>, Error> {
    match read {
        Err(refusal) if refusal.is_not_kept() => Ok(None),
        Err(refusal) if [ErrorKind::Failed, ErrorKind::Denied].contains(&refusal.kind) => {
            server.note(&format!("{what} can't be shown: {refusal}"));
            Ok(None)
        }
        read => read.map(Some),
    }
}

/// Refuses to find nothing in the history of a configuration that is not there, or in the whole history of a path that leads
/// nowhere now, or into an included file.
fn refuse_absent(path: Option<&Path>, target: &mut Target, masker: Masker) -> Result<(), Error> {
    let text = match target.read_text(Some(ConfigSource::Saved)) {
        Err(refusal) if refusal.kind == ErrorKind::NoConfiguration => return Err(refusal),
        text => text.ok().filter(|text| text.is_valid()),
    };
    let (Some(path), Some(text)) = (path, text) else { return Ok(()) };
    if let Some(composed) = target.composed(&text, &text)? {
        composed.refuse_entry(path).map_err(not_there)?;
    }
    text.masked(masker).config().select(path).map(drop).map_err(not_there)
}

/// The number of a change, its time and its author. A hand edit that no change has recorded has no number yet.
fn head(entry: &HistoryEntry, ui: Ui) -> [String; 3] {
    let [number, time] = match entry.number {
        0 => ["-", "-"].map(str::to_owned),
        number if entry.is_unknown() => [number.to_string(), "-".to_owned()],
        number => [number.to_string(), ui.time(entry.at)],
    };
    [number, time, one_line(entry.by.as_deref().unwrap_or("-"))]
}

/// The column of the id in the history of several servers.
const ID: usize = 5;

/// One row for each change of several servers, the newest first, with the servers that have it; what differs on them is `…`.
/// The ids are whole.
fn by_change(all: &[(&str, &Listed)], rows: Vec<Vec<String>>, width: usize) -> Vec<Vec<String>> {
    let key = |((_, Listed { entry, .. }), _): &((&str, &Listed), _)| {
        entry.id.clone().map(|id| (id, entry.operation.clone()))
    };
    let mut groups = grouped(all.iter().copied().zip(rows), key);
    groups.sort_by_key(|same| Reverse(same.iter().map(|((_, listed), _)| listed.entry.at).max()));
    let one = |same: Vec<((&str, &Listed), Vec<String>)>| {
        let mut row = same[0].1.clone();
        for (column, cell) in row.iter_mut().enumerate().filter(|(column, _)| *column != 2) {
            if same.iter().any(|(_, other)| other[column] != *cell) {
                "…".clone_into(cell);
            }
        }
        let mut servers: Vec<&str> = same.iter().map(|((server, _), _)| *server).collect();
        servers.dedup();
        row[0] = in_ranges(&servers);
        (row.remove(ID), row)
    };
    let (ids, mut rows): (Vec<String>, Vec<_>) = groups.into_iter().map(one).unzip();
    let widest = ids.iter().map(String::len).max().unwrap_or_default();
    table::fit(&mut rows, width.saturating_sub(widest + 2));
    rows.iter_mut().zip(ids).for_each(|(row, id)| row.insert(ID, id));
    rows
}

/// An entry with its changes.
struct Listed {
    entry: HistoryEntry,
    /// The configurations before and after it, where they are shown.
    texts: Option<[Arc<Snapshot>; 2]>,
}

/// Show which changes set a value
///
/// Shows one line for each change of the value, the last one first: when, by whom, the old and the new
/// value. Only changes whose texts are still in the history are found.
///
/// As JSON the output is an array of the entries that `mediactl history` shows, with `from` and `to`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl blame streams.cam1.prepush
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct BlameArgs {
    /// Which value, such as `streams.cam1.prepush`
    pub path: String,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N", value_parser = number(1..=WHOLE_HISTORY))]
    pub max_count: Option<usize>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

/// Said where a hand edit is not in the history yet.
const HAND_EDIT: &str =
    "the file was edited by hand since the last change; that edit is not in the history yet";

impl BlameArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let (call, path) = (call.paged(), input::value_path(&self.path)?);
        let (ui, masker) = (call.ui, call.ui.masker);
        let answers = call.ask("read", |server| {
            let target = &server.target;
            let refuse = |now: &Arc<Snapshot>| match target.composed(now, now) {
                Ok(Some(composed)) => composed.refuse_entry(&path).map_err(not_there),
                _ => Ok(()),
            };
            let found = value_history(&*target.service, &path, self.max_count, masker, &|| false, &refuse)?;
            let shown = |blamed: Blamed| Blamed { entry: masked_entry(blamed.entry, masker), ..blamed };
            Ok(ValueHistory { changes: found.changes.into_iter().map(shown).collect(), ..found })
        })?;
        let is_shown = |found: &ValueHistory| found.changes.first().is_some_and(|one| one.entry.number == 0);
        let edited =
            |found: &ValueHistory| (found.is_edited && !is_shown(found)).then(|| HAND_EDIT.to_owned());
        answers.once(edited).iter().for_each(|text| ui.note(text));
        if ui.json {
            ui.print_json(&answers.json(|found| json!(found.changes)))?;
            return Ok(answers.exit());
        }
        let none = |found: &ValueHistory| match (&found.changes[..], found.is_cut) {
            ([], true) => Some(format!(
                "no change of `{path}` is known: a text of the history is not kept, or has errors"
            )),
            ([], false) => Some(format!("`{path}` was never changed in the recorded history")),
            _ => None,
        };
        answers.once(none).iter().for_each(|text| ui.say(text));
        let row = |(server, Blamed { entry, from, to }): (&str, &Blamed)| {
            let change = format!("{}: {}", one_line(&entry.operation), in_words(from.as_ref(), to.as_ref()));
            answers.row(server, head(entry, ui).into_iter().chain([change]))
        };
        let found = answers.found();
        let all = found.flat_map(|(server, found)| found.changes.iter().map(move |blamed| (server, blamed)));
        let rows = all.map(row).collect();
        ui.print(|out| table::print_whole_last(rows, ui.width(), out))?;
        Ok(answers.exit())
    }
}

/// What a change made of a value, or of the members of an object.
fn in_words(from: Option<&Value>, to: Option<&Value>) -> String {
    let word =
        |value: Option<&Value>| value.map_or("nothing".to_owned(), |value| one_line(&value.to_string()));
    let (Some(Value::Object(from)), Some(Value::Object(to))) = (from, to) else {
        return format!("{} → {}", word(from), word(to));
    };
    let keys = from.keys().chain(to.keys().filter(|key| !from.contains_key(*key)));
    let member = |key: &String| format!("{}: {} → {}", one_line(key), word(from.get(key)), word(to.get(key)));
    keys.map(member).collect::<Vec<_>>().join(", ")
}

//! `mediactl history` and `mediactl blame`

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use clap::Subcommand;
use clap::builder::RangedU64ValueParser;
use colored::Color;
use serde_json::{Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::ListFormat;
use crate::cli::fleet::answers::rows as grouped_rows;
use crate::cli::input;
use crate::cli::local;
use crate::cli::render::table::{self, wrapped};
use crate::cli::render::texts::{
    differ, first_paths, masked_entry, paths_and_more, print_difference, write_text,
};
use crate::cli::target::Target;
use crate::cli::ui::Ui;
use crate::engine::{
    Blamed, ConfigSource, Snapshot, ValueHistory, is_edited_since, not_there, value_history,
};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeId, ChangeRef, HistoryEntry, WHOLE_HISTORY};
use mediaconf::{Masker, Path, one_line};

/// Show what was changed, when, and by whom
///
/// Shows one line for each change, the last one first: when it was made (in the zone of this machine, without the date if it was today, on a terminal), by whom, and
/// the first paths that it changed. `@1` is the text before the last change, `@2` the
/// text before that; `mediactl diff @2`, `mediactl history show 2` and `mediactl rollback 2` take these
/// numbers, which grow with each new change. The number behind `#` never changes; write it as `serial:7`.
/// An entry with only a `#` holds a text that is kept aside, such as a running configuration that was
/// unsaved when its server ended. A hand edit of the file gets its own entry as soon as the next change is
/// made, or a server reads the file.
///
/// As JSON it is an array of objects with `number` (null where a text has only its `serial`), `serial`,
/// `at`, `operation`, `by`, `message`, `id` (`undoes` is the id of a change that it took back), the revisions `before` and `after`, and `aside`. Over a server or a cluster an
/// entry has `paths`, too: the `first` changed paths, and their `count`.
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
  mediactl history show 1
  mediactl history -o json
  mediactl -x 'edge-*' history --change 7f3a90c2"
)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,

    /// Show only the changes of the value at this path, and with --patch only their difference there
    #[arg(value_name = "PATH")]
    pub path: Option<String>,

    /// Show what each change did, as a diff
    #[arg(short, long)]
    pub patch: bool,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
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
        /// Which change: counted back from the last one, or `serial:` and its `#` number
        #[arg(value_name = "N")]
        which: ChangeRef,
    },
}

/// The number of bytes of kept texts that are read to name the first changed paths; the oldest entries go
/// without.
const TEXTS_FOR_PATHS: usize = 16 * 1024 * 1024;

impl HistoryArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let (call, masker) = (call.paged(), call.ui.masker());
        let ui = call.ui;
        let wanted = Selected::from_args(self, ui)?;
        if let Some(HistoryCommand::Show { which }) = &self.command {
            let texts = call.ask("read", |server| server.target.service.kept(*which))?;
            texts.print(|text, out| write_text(text, masker.as_ref(), out))?;
            return Ok(texts.exit());
        }
        let answers = call.ask("read", |server| wanted.read(&mut server.target))?;
        let is_nowhere = answers.list.iter().all(|answer| answer.result.as_ref().is_ok_and(Vec::is_empty));
        if let Some(change) =
            self.change.as_ref().filter(|_| is_nowhere && wanted.path.is_none() && wanted.since.is_none())
        {
            return Err(Error::no_such_change(change, answers.list.len()));
        }
        if self.output == ListFormat::Json {
            // An entry has no member for what can't be read beside it.
            let damaged =
                answers.found().flat_map(|(_, found)| found.iter().flat_map(|listed| &listed.damaged));
            damaged.collect::<BTreeSet<_>>().into_iter().for_each(|why| ui.warning(why));
            answers.print_json(|found| found.iter().map(|listed| json!(listed.entry)).collect())?;
            return Ok(answers.exit());
        }
        let name = answers.one().map_or("the configuration", |(name, _)| name);
        let nothing = || {
            let what = wanted.path.as_ref().map_or_else(|| name.to_owned(), |path| format!("`{path}`"));
            let when = if wanted.since.is_some() { "since then" } else { "in the recorded history" };
            match &self.change {
                Some(change) => format!("{what} was not changed by `{change}` {when}"),
                None => format!("{what} was never changed {when}"),
            }
        };
        answers.once(|found| found.is_empty().then(nothing)).iter().for_each(|text| ui.say(text));
        let all: Vec<(&str, &Listed)> = answers
            .found()
            .flat_map(|(server, found)| found.iter().map(move |listed| (server, listed)))
            .collect();
        let with_server = |(server, listed): &(&str, &Listed)| {
            let mut cells = row(listed, ui).to_vec();
            if answers.one().is_none() {
                // By it the same change is known on each server.
                cells.insert(cells.len() - 2, listed.entry.id.clone().unwrap_or_else(|| "-".to_owned()));
            }
            answers.row(server, cells)
        };
        let mut rows: Vec<Vec<String>> = all.iter().map(with_server).collect();
        // Above a diff there is room for a whole message.
        if !self.patch {
            if answers.is_of_many() {
                rows = grouped_rows(rows);
            }
            table::fit(&mut rows, ui.width());
        }
        let print_all = |out: &mut dyn Write| {
            table::aligned(&rows).enumerate().try_for_each(|(at, line)| {
                let line = ui.sanitized(&line);
                // A line of one server begins with a number.
                match line.split_once(' ').filter(|_| answers.one().is_some()) {
                    Some((number, rest)) => writeln!(out, "{} {rest}", ui.paint(number, Color::Yellow))?,
                    None => writeln!(out, "{line}")?,
                }
                let (server, listed) = &all[at];
                listed.damaged.iter().try_for_each(|why| writeln!(out, "{}", ui.sanitized(why)))?;
                let serial = listed.entry.serial;
                let names = [format!("{server} before #{serial}"), format!("{server} after #{serial}")];
                let names = names.each_ref().map(String::as_str);
                if let Some([before, after]) = &listed.texts {
                    print_difference([before, after], wanted.path.as_ref(), names, masker.clone(), ui, out)?;
                }
                Ok(())
            })
        };
        if !all.is_empty() {
            ui.print_painted(print_all)?;
        }
        Ok(answers.exit())
    }
}

/// A state of the configuration: its text as far as it is kept, or why it can't be read.
type State = Result<Option<Arc<Snapshot>>, String>;

/// The state that was read; a text that is damaged is no error.
fn state(read: Result<Option<Arc<Snapshot>>, Error>, what: &str) -> Result<State, Error> {
    match read {
        Err(refusal) if [ErrorKind::Failed, ErrorKind::Denied].contains(&refusal.kind) => {
            Ok(Err(format!("{what} can't be shown: {refusal}")))
        }
        read => read.map(Ok),
    }
}

/// An entry with its changes.
struct Listed {
    entry: HistoryEntry,
    /// The first paths that it changed; empty where that is not known.
    paths: String,
    /// The configurations before and after it, where they are shown.
    texts: Option<[Arc<Snapshot>; 2]>,
    /// What can't be read of the states before and after it.
    damaged: Vec<String>,
    /// True if it changed other places than the one that was asked for.
    is_elsewhere: bool,
}

impl Listed {
    /// An entry without further data.
    fn from_entry(entry: HistoryEntry) -> Self {
        Self { entry, paths: String::new(), texts: None, damaged: Vec::new(), is_elsewhere: false }
    }
}

/// The cells of an entry: its numbers, time, author, operation, message and paths.
fn row(Listed { entry, paths, .. }: &Listed, ui: Ui) -> [String; 7] {
    [
        entry.number.map_or("-".to_owned(), |number| format!("@{number}")),
        if entry.serial == 0 { "-".to_owned() } else { format!("#{}", entry.serial) },
        if entry.is_unknown() { "-".to_owned() } else { ui.time(entry.at) },
        one_line(entry.by.as_deref().unwrap_or("-")),
        one_line(&entry.operation),
        one_line(entry.message.as_deref().unwrap_or_default()),
        one_line(paths),
    ]
}

/// The entries that are shown.
struct Selected<'a> {
    args: &'a HistoryArgs,
    path: Option<Path>,
    since: Option<SystemTime>,
    most: usize,
    masker: Option<Masker>,
}

impl<'a> Selected<'a> {
    /// Reads the arguments.
    fn from_args(args: &'a HistoryArgs, ui: Ui) -> Result<Self, Error> {
        if args.patch && args.output == ListFormat::Json {
            return Err(Error::usage("JSON has no diffs", "leave out `--patch`, or `-o json`"));
        }
        let path = |text: &String| match text.parse::<ChangeRef>() {
            Ok(_) if text.starts_with(['#', '@']) => Err(Error::usage(
                format!("`{text}` is a change, and a path is expected here"),
                format!("`mediactl history show '{text}'` shows the text before it"),
            )),
            _ => input::value_path(text),
        };
        Ok(Self {
            args,
            path: args.path.as_ref().map(path).transpose()?,
            since: args.since.as_deref().map(local::parse).transpose()?,
            most: args.max_count.unwrap_or(WHOLE_HISTORY),
            masker: ui.masker(),
        })
    }

    /// Reads the entries; where people look at them, also what each changed.
    fn read(&self, target: &mut Target) -> Result<Vec<Listed>, Error> {
        let args = self.args;
        let is_filtered = self.path.is_some() || self.since.is_some() || args.change.is_some();
        let entries = target.service.history(if is_filtered { WHOLE_HISTORY } else { self.most })?;
        let is_recent =
            |entry: &HistoryEntry| self.since.is_none_or(|since| entry.is_unknown() || entry.at >= since);
        let needs_texts = args.output == ListFormat::Text || args.patch || self.path.is_some();
        let found = match needs_texts {
            true => {
                let now = now(&entries, target)?;
                self.with_texts(entries.into_iter().filter(is_recent), now, target)?
            }
            false => {
                let meant = entries.into_iter().filter(|entry| is_recent(entry) && self.is_about(entry));
                meant.take(self.most).map(Listed::from_entry).collect()
            }
        };
        if found.is_empty() {
            self.refuse_absent(target)?;
        }
        let masked =
            |listed: Listed| Listed { entry: masked_entry(listed.entry, self.masker.as_ref()), ..listed };
        Ok(found.into_iter().map(masked).collect())
    }

    /// Refuses to find nothing in the history of a configuration that is not there, or of an entry of an included file.
    fn refuse_absent(&self, target: &mut Target) -> Result<(), Error> {
        let text = match target.read_text(Some(ConfigSource::Saved)) {
            Err(refusal) if refusal.kind == ErrorKind::NoConfiguration => return Err(refusal),
            text => text.ok().filter(|text| text.is_valid()),
        };
        if let (Some(path), Some(text)) = (&self.path, text)
            && let Some(composed) = target.composed(&text, Some(ConfigSource::Saved))?
        {
            composed.refuse_entry(path).map_err(not_there)?;
        }
        Ok(())
    }

    /// True if an entry is of the change that was asked for, or undoes it.
    fn is_about(&self, entry: &HistoryEntry) -> bool {
        let is_about =
            |id: &ChangeId| entry.is_of(id.as_str()) || entry.undoes.as_deref() == Some(id.as_str());
        self.args.change.as_ref().is_none_or(is_about)
    }

    /// The entries with what each of them changed, as far as the texts are kept.
    fn with_texts(
        &self,
        entries: impl Iterator<Item = HistoryEntry>,
        mut after: State,
        target: &Target,
    ) -> Result<Vec<Listed>, Error> {
        let (mut found, mut left) = (Vec::new(), TEXTS_FOR_PATHS);
        let is_limited = !self.args.patch && self.path.is_none();
        for entry in entries {
            if found.len() == self.most {
                break;
            }
            let is_about = self.is_about(&entry);
            if let Some(paths) = entry.paths.as_ref().filter(|_| is_limited) {
                let paths = paths_and_more(paths.first.iter().cloned(), paths.count);
                found.extend(is_about.then(|| Listed { paths, ..Listed::from_entry(entry) }));
                // Its text was not read, and the one before it can't be compared with that.
                after = Ok(None);
                continue;
            }
            let (reads, is_aside, serial) = (entry.before.is_some(), entry.is_aside, entry.serial);
            let before = match reads && !is_aside && !(is_limited && left == 0) {
                true => {
                    let text = match target.service.kept(ChangeRef::Serial(serial)) {
                        // It hides what its change did.
                        Err(refusal) if refusal.is_not_kept() => Ok(None),
                        text => text.map(Some),
                    };
                    state(text, &format!("the text before #{serial}"))?
                }
                false => Ok(None),
            };
            left = left.saturating_sub(before.iter().flatten().map(|text| text.bytes().len()).sum());
            let listed = self.listed(entry, [&before, &after]);
            if !is_aside {
                after = before;
            }
            if is_about && !listed.is_elsewhere {
                found.push(listed);
            }
        }
        Ok(found)
    }

    /// An entry with what it changed, as far as the states before and after it are known.
    fn listed(&self, entry: HistoryEntry, states: [&State; 2]) -> Listed {
        let path = self.path.as_ref();
        if entry.is_unknown() {
            // Whatever it changed.
            return Listed::from_entry(entry);
        }
        let damaged = states.into_iter().filter_map(|state| state.as_ref().err().cloned()).collect();
        let listed = Listed { damaged, ..Listed::from_entry(entry) };
        let [Ok(Some(old)), Ok(Some(new))] = states else {
            return Listed { is_elsewhere: path.is_some() && listed.damaged.is_empty(), ..listed };
        };
        Listed {
            is_elsewhere: path.is_some_and(|path| !differ(old, new, Some(path))),
            paths: first_paths([old, new], &self.masker.clone().unwrap_or_default()),
            texts: self.args.patch.then(|| [old.clone(), new.clone()]),
            ..listed
        }
    }
}

/// The state of now; its text is not known where it was edited by hand since.
fn now(entries: &[HistoryEntry], target: &mut Target) -> Result<State, Error> {
    match target.read_text(Some(ConfigSource::Saved)) {
        Err(refusal) if refusal.kind == ErrorKind::Denied => state(Err(refusal), "the configuration"),
        now => Ok(Ok(now.ok().filter(|now| !is_edited_since(entries, now)))),
    }
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
  mediactl blame streams.cam1.prepush -n 1
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct BlameArgs {
    /// Which value, such as `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    pub path: String,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N")]
    pub max_count: Option<usize>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

/// Stands in front of a line that continues another one.
const INDENT: &str = "    ";

/// Said where a hand edit is not in the history yet.
const HAND_EDIT: &str = "the file was edited by hand since the last change; the next change found that edit, and \
                             `mediactl blame` shows it from then on";

impl BlameArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let (call, masker) = (call.paged(), call.ui.masker());
        let ui = call.ui;
        let path = input::value_path(&self.path)?;
        let answers = call.ask("read", |server| {
            let found =
                value_history(&*server.target.service, &path, self.max_count, masker.as_ref(), &|| false)?;
            let changes = found.changes.into_iter();
            let changes = changes
                .map(|blamed| Blamed { entry: masked_entry(blamed.entry, masker.as_ref()), ..blamed })
                .collect();
            Ok::<_, Error>(ValueHistory { changes, ..found })
        })?;
        let edited = |found: &ValueHistory| found.is_edited.then(|| HAND_EDIT.to_owned());
        answers.once(edited).iter().for_each(|text| ui.note(text));
        if self.output == ListFormat::Json {
            answers.print_json(|found| json!(found.changes))?;
            return Ok(answers.exit());
        }
        let none = |found: &ValueHistory| match found.is_cut {
            true => {
                format!("no change of `{path}` is known: a text of the history is not kept, or has errors")
            }
            false => format!("`{path}` was never changed in the recorded history"),
        };
        answers
            .once(|found| found.changes.is_empty().then(|| none(found)))
            .iter()
            .for_each(|text| ui.say(text));
        let width = ui.width().saturating_sub(answers.width_of_names());
        let rows: Vec<Vec<String>> = answers
            .found()
            .flat_map(|(server, found)| {
                lines(&found.changes, width, ui).into_iter().map(|line| answers.row(server, [line]))
            })
            .collect();
        if !rows.is_empty() {
            ui.print(|out| table::aligned(&rows).try_for_each(|line| writeln!(out, "{line}")))?;
        }
        Ok(answers.exit())
    }
}

/// Each change in one line, or in as many as fit a width; what continues one is indented.
fn lines(changes: &[Blamed], width: usize, ui: Ui) -> Vec<String> {
    let broken = |blamed| {
        let lines = wrapped(&line(blamed, ui), width.saturating_sub(INDENT.len())).into_iter().enumerate();
        lines.map(|(at, line)| if at == 0 { line } else { format!("{INDENT}{line}") })
    };
    changes.iter().flat_map(broken).collect()
}

/// A change in one line.
fn line(Blamed { entry, from, to }: &Blamed, ui: Ui) -> String {
    let word = |value: &Option<Value>| {
        value.as_ref().map_or("nothing".to_owned(), |value| one_line(&value.to_string()))
    };
    let at = ui.time(entry.at);
    let by = one_line(entry.by.as_deref().unwrap_or("-"));
    let operation = one_line(&entry.operation);
    let number = entry.number.unwrap_or_default();
    let change = match (from, to) {
        (Some(Value::Object(from)), Some(Value::Object(to))) => {
            let keys = from.keys().chain(to.keys().filter(|key| !from.contains_key(*key)));
            let member = |key: &String| {
                let [from, to] = [from, to].map(|members| word(&members.get(key).cloned()));
                format!("{}: {from} → {to}", one_line(key))
            };
            keys.map(member).collect::<Vec<_>>().join(", ")
        }
        (from, to) => format!("{} → {}", word(from), word(to)),
    };
    format!("@{number}  {at}  {by}  {operation}: {change}")
}

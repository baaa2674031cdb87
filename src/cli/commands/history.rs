//! `mediactl history`

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use clap::Subcommand;
use clap::builder::RangedU64ValueParser;
use colored::Color;
use serde_json::json;

use crate::cli::args::shared::ListFormat;
use crate::cli::fleet::answers::rows as grouped_rows;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::local_time;
use crate::cli::render::table;
use crate::cli::render::texts::{
    differ, first_paths, masked_entry, paths_and_more, print_difference, write_text,
};
use crate::cli::target::Target;
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, Snapshot, is_edited_since, not_there};
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

pub fn run(args: &HistoryArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let (call, masker) = (call.paged(), call.ui.masker());
    let ui = call.ui;
    let wanted = Selected::from_args(args)?;
    if let Some(HistoryCommand::Show { which }) = &args.command {
        let texts = call.ask("read", |server| server.target.service.kept(*which))?;
        texts.print(|text, out| write_text(text, masker.as_ref(), out))?;
        return Ok(texts.exit());
    }
    let answers = call.ask("read", |server| wanted.read(args, &mut server.target, masker.as_ref()))?;
    let is_nowhere = answers.list.iter().all(|answer| answer.result.as_ref().is_ok_and(Vec::is_empty));
    if let Some(change) = args.change.as_ref().filter(|_| is_nowhere && wanted.is_whole()) {
        return Err(Error::no_such_change(change, answers.list.len()));
    }
    if args.output == ListFormat::Json {
        // An entry has no member for what can't be read beside it.
        let damaged = answers.found().flat_map(|(_, found)| found.iter().flat_map(|listed| &listed.damaged));
        damaged.collect::<BTreeSet<_>>().into_iter().for_each(|why| ui.warning(why));
        answers.print_json(|found| found.iter().map(|listed| json!(listed.entry)).collect())?;
        return Ok(answers.exit());
    }
    let name = answers.one().map_or("the configuration", |(name, _)| name);
    let nothing = |found: &Vec<_>| found.is_empty().then(|| wanted.nothing_found(name));
    answers.once(nothing).iter().for_each(|text| ui.say(text));
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
    if !args.patch {
        if answers.is_of_many() {
            rows = grouped_rows(rows);
        }
        table::fit(&mut rows, ui.screen());
    }
    let print_all = |out: &mut dyn Write| {
        table::aligned(&rows).enumerate().try_for_each(|(at, line)| {
            writeln!(out, "{}", painted(&ui.sanitized(&line), answers.one().is_some(), ui))?;
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

/// A line whose number is coloured, where it begins with one.
fn painted(line: &str, has_number: bool, ui: Ui) -> String {
    match line.split_once(' ').filter(|_| has_number) {
        Some((number, rest)) => format!("{} {rest}", ui.paint(number, Color::Yellow)),
        None => line.to_owned(),
    }
}

/// A state of the configuration, as far as it is kept and can be read.
#[derive(Default)]
struct KnownState {
    text: Option<Arc<Snapshot>>,
    /// What can't be read of it.
    damaged: Option<String>,
}

impl KnownState {
    /// The size of its text.
    fn size(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.bytes().len())
    }

    /// What was read, unless it is damaged, which is noted.
    fn undamaged<T>(&mut self, read: Result<T, Error>, what: &str) -> Result<Option<T>, Error> {
        match read {
            Ok(found) => Ok(Some(found)),
            Err(refusal) if [ErrorKind::Failed, ErrorKind::Denied].contains(&refusal.kind) => {
                self.damaged = Some(format!("{what} can't be shown: {refusal}"));
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }
}

/// Parses the path of a value.
fn path(text: &str) -> Result<Path, Error> {
    match text.parse::<ChangeRef>() {
        Ok(_) if text.starts_with(['#', '@']) => Err(Error::usage(
            format!("`{text}` is a change, and a path is expected here"),
            format!("`mediactl history show '{text}'` shows the text before it"),
        )),
        _ => input::value_path(text),
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
struct Selected {
    path: Option<Path>,
    since: Option<SystemTime>,
    change: Option<ChangeId>,
    most: usize,
}

impl Selected {
    /// Reads the arguments.
    fn from_args(args: &HistoryArgs) -> Result<Self, Error> {
        if args.patch && args.output == ListFormat::Json {
            return Err(Error::usage("JSON has no diffs", "leave out `--patch`, or `-o json`"));
        }
        Ok(Self {
            path: args.path.as_deref().map(path).transpose()?,
            since: args.since.as_deref().map(local_time::parse).transpose()?,
            change: args.change.clone(),
            most: args.max_count.unwrap_or(WHOLE_HISTORY),
        })
    }

    /// Says that there is no such entry in the history of a server.
    fn nothing_found(&self, name: &str) -> String {
        let what = match &self.path {
            Some(path) => format!("`{path}`"),
            None => name.to_owned(),
        };
        let when = if self.since.is_some() { "since then" } else { "in the recorded history" };
        match &self.change {
            Some(change) => format!("{what} was not changed by `{change}` {when}"),
            None => format!("{what} was never changed {when}"),
        }
    }

    /// True if neither a path nor a time leaves entries out.
    fn is_whole(&self) -> bool {
        self.path.is_none() && self.since.is_none()
    }

    /// Reads the entries; where people look at them, also what each changed.
    fn read(
        &self,
        args: &HistoryArgs,
        target: &mut Target,
        masker: Option<&Masker>,
    ) -> Result<Vec<Listed>, Error> {
        let is_filtered = self.path.is_some() || self.since.is_some() || self.change.is_some();
        let entries = target.service.history(if is_filtered { WHOLE_HISTORY } else { self.most })?;
        let needs_texts = args.output == ListFormat::Text || args.patch || self.path.is_some();
        let found = match needs_texts {
            true => self.with_texts(entries, target, args.patch, &masker.cloned().unwrap_or_default())?,
            false => self.alone(entries),
        };
        if found.is_empty() {
            self.refuse_absent(target)?;
        }
        let masked = |listed: Listed| Listed { entry: masked_entry(listed.entry, masker), ..listed };
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

    /// The state of now; its text is not known where it was edited by hand since.
    fn now(&self, entries: &[HistoryEntry], target: &mut Target) -> Result<KnownState, Error> {
        let mut state = KnownState::default();
        let now = match target.read_text(Some(ConfigSource::Saved)) {
            Err(refusal) if refusal.kind == ErrorKind::Denied => {
                state.undamaged(Err(refusal), "the configuration")?
            }
            now => now.ok(),
        };
        let Some(text) = now.filter(|now| !is_edited_since(entries, now)) else { return Ok(state) };
        state.text = Some(text);
        Ok(state)
    }

    /// The state before a change, as far as the history keeps it.
    fn before(&self, entry: &HistoryEntry, target: &Target) -> Result<KnownState, Error> {
        let (change, mut state) = (ChangeRef::Serial(entry.serial), KnownState::default());
        let text = match target.service.kept(change) {
            // It hides what its change did.
            Err(refusal) if refusal.is_not_kept() => None,
            text => state.undamaged(text, &format!("the text before #{}", entry.serial))?,
        };
        Ok(KnownState { text, ..state })
    }

    /// An entry with what it changed, as far as the states before and after it are known.
    fn listed(
        &self,
        entry: HistoryEntry,
        [before, after]: [&KnownState; 2],
        keeps_texts: bool,
        masker: &Masker,
    ) -> Listed {
        let path = self.path.as_ref();
        if entry.is_unknown() {
            // Whatever it changed.
            return Listed::from_entry(entry);
        }
        let damaged = [before, after].into_iter().filter_map(|state| state.damaged.clone()).collect();
        let listed = Listed { damaged, ..Listed::from_entry(entry) };
        let Some((old, new)) = before.text.clone().zip(after.text.clone()) else {
            return Listed { is_elsewhere: path.is_some() && listed.damaged.is_empty(), ..listed };
        };
        Listed {
            is_elsewhere: path.is_some_and(|path| !differ(&old, &new, Some(path))),
            paths: first_paths([&old, &new], masker),
            texts: keeps_texts.then_some([old, new]),
            ..listed
        }
    }

    fn is_recent(&self, entry: &HistoryEntry) -> bool {
        self.since.is_none_or(|since| entry.is_unknown() || entry.at >= since)
    }

    /// True if an entry is of the change that was asked for, or undoes it.
    fn is_about(&self, entry: &HistoryEntry) -> bool {
        let is_about =
            |id: &ChangeId| entry.is_of(id.as_str()) || entry.undoes.as_deref() == Some(id.as_str());
        self.change.as_ref().is_none_or(is_about)
    }

    fn alone(&self, entries: Vec<HistoryEntry>) -> Vec<Listed> {
        let meant = entries.into_iter().filter(|entry| self.is_recent(entry) && self.is_about(entry));
        meant.take(self.most).map(Listed::from_entry).collect()
    }

    /// The entries with what each of them changed, as far as the texts are kept.
    fn with_texts(
        &self,
        entries: Vec<HistoryEntry>,
        target: &mut Target,
        keeps_texts: bool,
        masker: &Masker,
    ) -> Result<Vec<Listed>, Error> {
        let mut after = self.now(&entries, target)?;
        let (mut found, mut left) = (Vec::new(), TEXTS_FOR_PATHS);
        let is_limited = !keeps_texts && self.path.is_none();
        for entry in entries.into_iter().filter(|entry| self.is_recent(entry)) {
            if found.len() == self.most {
                break;
            }
            let is_about = self.is_about(&entry);
            let known = entry.paths.as_ref().filter(|_| is_limited);
            if let Some(paths) = known {
                let paths = paths_and_more(paths.first.iter().cloned(), paths.count);
                found.extend(is_about.then(|| Listed { paths, ..Listed::from_entry(entry) }));
                // Its text was not read, and the one before it can't be compared with that.
                after = KnownState::default();
                continue;
            }
            let reads = !entry.is_aside && entry.before.is_some() && !(is_limited && left == 0);
            let before = match reads {
                true => self.before(&entry, target)?,
                false => KnownState::default(),
            };
            left = left.saturating_sub(before.size());
            let is_aside = entry.is_aside;
            let listed = self.listed(entry, [&before, &after], keeps_texts, masker);
            if !is_aside {
                after = before;
            }
            if is_about && !listed.is_elsewhere {
                found.push(listed);
            }
        }
        Ok(found)
    }
}

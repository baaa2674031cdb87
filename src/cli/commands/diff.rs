//! `mediactl diff`

use std::collections::{BTreeSet, HashSet};
use std::path::Path as FilePath;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::cli::args::Invocation;
use crate::cli::context;
use crate::cli::fleet::answers::{print_diffs, print_table};
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::names::in_ranges;
use crate::cli::input::{self, STDIN, is_url};
use crate::cli::render::report::all_lack;
use crate::cli::render::table;
use crate::cli::render::texts::{changed, first_paths, print_diff};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, Guard, Snapshot, added_and_removed, diff_lines};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeRef, NotAChangeRef};
use mediaconf::{ChangedValue, Condition, Config, Edit, Kind, Masker, Path, Schema, Segment};

/// Show how two configurations differ
///
/// Each side is a file, `-` for standard input, the URL of a server, `saved` for the configuration
/// file, `running` for the configuration that a server runs, or `@N` for the text before the N-th last
/// change. `@N` alone is compared with the file. Any other A alone is the new side: it is compared with what
/// `mediactl read` shows. If a server gives no text, the values of both sides are compared.
///
/// --where compares only those streams that meet the condition on either side: `PATH=VALUE`, `PATH!=VALUE`,
/// `PATH~TEXT` (contains), `PATH=~REGEX`, `PATH exists` or `PATH missing`, where PATH begins below the stream, such
/// as `urls.url~10.0.3.`. If no stream meets the conditions, the exit code is 7.
///
/// Of several servers (`-x 'edge-*'`, `--group`) the two sides of each are compared, and equal differences are shown
/// once. With --across the servers are compared with each other.
///
/// The exit code is 0 if the two are the same and 1 if they differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl diff old.conf new.conf
  mediactl diff new.conf
  mediactl diff @1
  mediactl diff @1 --where 'urls.url~10.0.3.'
  mediactl diff --json saved new.conf | mediactl modify -f -")]
pub struct DiffArgs {
    /// The first configuration [default: running]
    #[arg(value_name = "A")]
    pub first: Option<String>,

    /// The second configuration [default: saved]
    #[arg(value_name = "B")]
    pub second: Option<String>,

    /// Compare only the streams that meet this condition; if it is given several times, all of them
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Accept a key in --where that no entry has and that looks misspelt
    #[arg(long, value_name = "NAME", requires = "conditions", value_parser = ["near-miss"])]
    pub accept: Option<String>,

    /// Show which values differ between several servers, grouped by equal values; A says which
    /// configuration: `running` or `saved`
    #[arg(long, conflicts_with = "second")]
    pub across: bool,

    /// Print the JSON patch (RFC 7396) that turns A into B
    #[arg(long)]
    pub json: bool,
}

/// The argument for the running configuration.
const RUNNING: &str = "running";

/// The argument for the configuration file.
const SAVED: &str = "saved";

/// The hint where nothing runs.
const OTHER_SIDES: &str =
    "`mediactl diff FILE` compares with a file, `mediactl diff @1` with the text before the last change";

impl DiffArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let call = call.paged();
        if self.across {
            return self.across(call);
        }
        let Invocation { global, ui, .. } = call;
        let sides = self.sides()?;
        let conditions = input::conditions(&self.conditions, self.accept.is_some())?;
        if context::several_chosen(global) {
            return self.on_servers(sides, &conditions, call);
        }
        let mut target: Option<Target> = None;
        let mut load = |argument: Option<&str>| match argument {
            Some(url) if is_url(url) => Side::read(&mut target::at_argument(url, global, ui)?, None),
            Some(file) if !is_of_target(argument) => Side::of_file(file),
            _ => {
                let found = match target.take() {
                    Some(target) => target,
                    None => target::resolve(global, Purpose::default(), ui)?,
                };
                Side::of_target(argument, target.insert(found))
            }
        };
        let compared = Compared::new([load(sides[0])?, load(sides[1])?], &conditions, self.json)?;
        compared.notes.iter().for_each(|note| ui.note(note));
        let differs = match &compared.patch {
            Some(patch) => {
                note_guards(&compared.sides[0].values()?.to_json(), patch, ui);
                ui.print_json(&shown_patch(patch, ui))?;
                !patch.is_empty()
            }
            None => compared.print(ui)?,
        };
        Ok(if differs { Exit::Different } else { Exit::Done })
    }

    /// The arguments for the two sides; `None` is the configuration that `mediactl read` shows.
    fn sides(&self) -> Result<[Option<&str>; 2], Error> {
        let sides = match (self.first.as_deref(), self.second.as_deref()) {
            (None, _) => [Some(RUNNING), Some(SAVED)],
            (Some(only), None) if is_change_ref(only) => [Some(only), Some(SAVED)],
            (Some(only), None) => [None, Some(only)],
            (Some(first), Some(second)) => [Some(first), Some(second)],
        };
        if sides == [Some(STDIN), Some(STDIN)] {
            return Err(Error::usage("standard input can't be both sides", "give a file for one of them"));
        }
        Ok(sides)
    }

    /// Prints equal differences of servers once, and a table of all servers; or an object with the patch of each.
    fn on_servers(
        &self,
        sides: [Option<&str>; 2],
        conditions: &[Condition],
        call: Invocation<'_>,
    ) -> Result<Exit, Error> {
        let (ui, masker) = (call.ui, call.ui.masker());
        // What is the same for all is read once.
        let given = |argument: Option<&str>| match argument {
            Some(url) if is_url(url) => {
                let message = "several servers are not compared with another server";
                Err(Error::usage(message, "use `diff --across`"))
            }
            Some(file) if !is_of_target(argument) => Side::of_file(file).map(Some),
            _ => Ok(None),
        };
        let given = [given(sides[0])?, given(sides[1])?];
        let answers = call.ask("compare", |server| {
            let mut side = |at: usize| match &given[at] {
                Some(side) => Ok(side.clone()),
                None => Side::of_target(sides[at], &mut server.target),
            };
            Compared::new([side(0)?, side(1)?], conditions, self.json)
        })?;
        answers.once(|compared| compared.notes.clone()).iter().for_each(|note| ui.note(note));
        if self.json {
            answers
                .print_json(|compared| json!(compared.patch.as_ref().map(|patch| shown_patch(patch, ui))))?;
            let has_changes =
                |compared: &Compared| compared.patch.as_ref().is_some_and(|patch| !patch.is_empty());
            let is_different = answers.found().any(|(_, compared)| has_changes(compared));
            return Ok(answers.exit_if(is_different, Exit::Different));
        }
        let (mut diffs, mut rows, mut is_different) = (Vec::new(), Vec::new(), false);
        for (server, compared) in answers.found() {
            let diff = compared.diff(masker.as_ref());
            is_different |= !diff.is_empty();
            let [old, new] = compared.sides.each_ref().map(|side| &*side.text);
            let [added, removed] = added_and_removed(&diff);
            let (differs, lines) = match diff.is_empty() {
                true => ("no", "-".to_owned()),
                false => ("yes", format!("+{added} -{removed}")),
            };
            let paths = first_paths([old, new], &masker.clone().unwrap_or_default());
            rows.push(answers.row(server, [differs.to_owned(), lines, paths]));
            diffs.push((server, (diff, changed(old, new))));
        }
        print_diffs(diffs, sides.map(|side| side.unwrap_or("the server")), ui)?;
        print_table(&["SERVER", "DIFFERS", "LINES", "PATHS"], rows, ui)?;
        Ok(answers.exit_if(is_different, Exit::Different))
    }

    /// Prints each value in which servers differ, with the servers that have it.
    fn across(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if !context::several_chosen(call.global) {
            let hint = "name them with `-x a,b` or `--group`";
            return Err(Error::usage("`--across` compares several servers", hint));
        }
        let (ui, source) = (call.ui, self.first.as_deref());
        let is_fit = source.is_none_or(|source| [RUNNING, SAVED].contains(&source));
        if !is_fit || !self.conditions.is_empty() {
            let hint = "write `diff --across`, `diff --across running` or `diff --across saved`";
            return Err(Error::usage("`--across` compares whole configurations of servers", hint));
        }
        let read =
            |server: &mut FleetMember| Ok(Side::of_target(source, &mut server.target)?.values()?.to_json());
        let answers = call.ask("read", read)?;
        let (servers, views): (Vec<&str>, Vec<Value>) =
            answers.found().map(|(server, view)| (server, view.clone())).unzip();
        let masker = if self.json { ui.value_masker() } else { ui.masker() };
        let mut rows = vec![["PATH", "VALUE", "SERVERS"].map(str::to_owned).to_vec()];
        let mut records = Vec::new();
        for drift in ChangedValue::drift(&views) {
            let keys: Vec<&str> = drift.keys.iter().map(String::as_str).collect();
            let shown_keys = masker.as_ref().map_or_else(|| drift.keys.clone(), |masker| masker.keys(&keys));
            let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
            let path = Path { segments: shown_keys.into_iter().map(segment).collect() }.to_string();
            let mut values = Vec::new();
            for (value, who) in drift.values {
                let value = match (&masker, value) {
                    (Some(masker), Some(value)) => Some(masker.json_below(&keys, &value)),
                    (_, value) => value,
                };
                let servers: Vec<&str> = who.into_iter().map(|number| servers[number]).collect();
                // The path stands in the first row.
                let cell = if values.is_empty() { path.clone() } else { String::new() };
                let shown = value.as_ref().map_or("-".to_owned(), ToString::to_string);
                rows.push(vec![cell, shown, in_ranges(&servers)]);
                values.push(json!({"value": value, "servers": servers}));
            }
            records.push(json!({"path": path, "values": values}));
        }
        if self.json {
            ui.print_json(&records)?;
        } else if records.is_empty() {
            ui.say(&format!("{} servers have the same values", servers.len()));
        } else {
            ui.print(|out| table::print(rows, ui.width(), out))?;
        }
        Ok(answers.exit_if(!records.is_empty(), Exit::Different))
    }
}

/// True if an argument is `@N` or `serial:N`.
fn is_change_ref(argument: &str) -> bool {
    let digits = argument.strip_prefix('@').or_else(|| argument.strip_prefix("serial:"));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True if an argument names a configuration of the target.
fn is_of_target(argument: Option<&str>) -> bool {
    argument.is_none_or(|argument| [RUNNING, SAVED].contains(&argument) || is_change_ref(argument))
}

/// One of the two configurations.
#[derive(Clone)]
struct Side {
    name: String,
    text: Arc<Snapshot>,
}

impl Side {
    /// Loads a configuration of the target; without an argument, the one that `mediactl read` shows.
    fn of_target(argument: Option<&str>, target: &mut Target) -> Result<Self, Error> {
        match argument {
            Some(RUNNING) => Self::read(target, Some(ConfigSource::Running)),
            Some(SAVED) => Self::read(target, Some(ConfigSource::Saved)),
            None => Self::read(target, None),
            Some(change) => {
                let change_ref: ChangeRef = change.parse().map_err(|error: NotAChangeRef| {
                    Error::usage(format!("`{change}`: {error}"), "`mediactl history` shows them")
                })?;
                let name = format!("{} ({change})", target.service.name());
                Ok(Self { name, text: target.service.kept(change_ref)? })
            }
        }
    }

    fn read(target: &mut Target, source: Option<ConfigSource>) -> Result<Self, Error> {
        let text = target.service.read(source).map_err(|error| match error.kind {
            // Whoever looks gets no advice to change something.
            ErrorKind::NoServer | ErrorKind::NodesRunIt => error.hint(OTHER_SIDES),
            _ => error,
        })?;
        let name = target.service.name();
        let name = match source {
            Some(ConfigSource::Saved) if target.is_server => format!("{name} ({SAVED})"),
            _ => name.to_owned(),
        };
        Ok(Self { name, text })
    }

    /// Loads a file, or standard input.
    fn of_file(file: &str) -> Result<Self, Error> {
        let file = FilePath::new(file);
        Ok(Self { name: input::name(file), text: input::snapshot(file)? })
    }

    /// The values of the configuration; a text with errors has none.
    fn values(&self) -> Result<Config<'_>, Error> {
        match self.text.is_valid() {
            true => Ok(self.text.config()),
            false => Err(Error::broken_text(&self.name, self.text.clone())),
        }
    }
}

/// Two configurations that are compared.
struct Compared {
    sides: [Side; 2],
    /// The streams that meet all conditions on one side at least; none without conditions: the whole is compared.
    streams: Option<HashSet<String>>,
    /// The notes on keys in the conditions that no stream has on either side.
    notes: Vec<String>,
    /// The patch that turns one into the other, where it is asked for.
    patch: Option<Map<String, Value>>,
}

impl Compared {
    fn new(sides: [Side; 2], conditions: &[Condition], is_patch: bool) -> Result<Self, Error> {
        let (streams, notes) = match conditions {
            [] => (None, Vec::new()),
            _ => selected(&sides, conditions).map(|(names, notes)| (Some(names), notes))?,
        };
        let mut patch = match is_patch {
            true => Some(sides[0].values()?.patch_to(&sides[1].values()?)),
            false => None,
        };
        if let (Some(patch), Some(names)) = (&mut patch, &streams) {
            // What it says of these streams alone.
            patch.retain(|key, _| key == Kind::Streams.key());
            patch.values_mut().filter_map(Value::as_object_mut).for_each(|streams| {
                streams.retain(|name, _| names.contains(name));
            });
            patch.retain(|_, streams| streams.as_object().is_none_or(|streams| !streams.is_empty()));
        }
        Ok(Self { sides, streams, notes, patch })
    }

    /// The difference, of the streams that are compared.
    fn diff(&self, masker: Option<&Masker>) -> Vec<String> {
        diff_lines(self.sides.each_ref().map(|side| &*side.text), self.streams.as_ref(), masker)
    }

    /// Prints the unified diff; returns whether there is a difference.
    fn print(&self, ui: Ui) -> Result<bool, Error> {
        let [old, new] = &self.sides;
        let of_values = [old, new].into_iter().find(|side| side.text.is_of_values());
        if let Some(side) = of_values {
            ui.note(&format!("`{}` does not show its text, so the diff compares its values", side.name));
            old.values()?;
            new.values()?;
        }
        let diff = self.diff(ui.masker().as_ref());
        let differs = !diff.is_empty();
        ui.print_painted(|out| print_diff(&diff, [&old.name, &new.name], ui, out))?;
        if of_values.is_some() || self.streams.is_some() {
            return Ok(differs);
        }
        let are_other_bytes = old.text.bytes() != new.text.bytes();
        if !differs && are_other_bytes {
            ui.warning("the two differ in bytes that are not UTF-8");
        }
        Ok(are_other_bytes)
    }
}

/// The names of the streams that meet conditions, and notes about keys that no stream has.
fn selected(
    [old, new]: &[Side; 2],
    conditions: &[Condition],
) -> Result<(HashSet<String>, Vec<String>), Error> {
    let every = Path::all(Kind::Streams.key());
    let sides = [old.values()?, new.values()?];
    let (mut names, mut absence) = (HashSet::new(), None);
    for whole in &sides {
        let name = |(path, _): (Path, Value)| path.segments.last().and_then(Segment::name).map(str::to_owned);
        match whole.select_where(whole, &every, conditions) {
            Ok(found) => names.extend(found.into_places().into_iter().filter_map(name)),
            Err(fault) if fault.is_absent() => absence = Some(fault),
            Err(fault) => return Err(Error::from(fault)),
        }
    }
    if let Some(absence) = absence.filter(|_| names.is_empty()) {
        return Err(Error::from(absence));
    }
    let [old, new] = sides.each_ref().map(|whole| whole.keys_that_all_lack(conditions, &[&every]));
    Ok((names, old.intersection(&new).map(|key| all_lack(key)).collect()))
}

/// Names the guards to accept for the patch, because the user wants the other configuration exactly as
/// it is.
fn note_guards(old: &Value, patch: &Map<String, Value>, ui: Ui) {
    let Ok(reduced) = Schema::normalize(Value::Object(patch.clone())) else { return };
    let guards =
        Edit::doubts_in_json(old, &reduced).0.into_iter().filter_map(|fault| Guard::of_fault(fault.kind));
    let names: BTreeSet<&str> = guards.filter_map(|guard| guard.name()).collect();
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        ui.note(&format!("this patch needs `mediactl modify --accept {}`", names.join(",")));
    }
}

/// A patch as users see it: it was computed from the real values, and is masked afterwards.
fn shown_patch(patch: &Map<String, Value>, ui: Ui) -> Value {
    let patch = Value::Object(patch.clone());
    ui.value_masker().map_or(patch.clone(), |masker| masker.json(&patch))
}

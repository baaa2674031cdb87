//! `mediactl diff`

use std::collections::{BTreeSet, HashSet};
use std::path::Path as FilePath;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::context;
use crate::cli::fleet::answers::{print_diffs, print_table};
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::names::in_ranges;
use crate::cli::input::{self, STDIN, is_url};
use crate::cli::invocation::Invocation;
use crate::cli::render::report::all_lack;
use crate::cli::render::table;
use crate::cli::render::texts::{changed, first_paths, print_diff};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, Guard, Snapshot, added_and_removed, diff_lines};
use crate::error::{Error, Exit};
use crate::store::{ChangeRef, NotAChangeRef};
use mediaconf::{
    Condition, Config, Drift, Kind, Masker, Path, Segment, diff as patch_from, doubts_in_json, normalize,
};

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

pub fn run(args: &DiffArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let call = call.paged();
    if args.across {
        return across(args, call);
    }
    let sides = sides(args)?;
    let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
    let compare = |old, new| ComparedSides::new([old, new], &conditions, args.json);
    if context::several_chosen(call.global) {
        return on_servers(sides, compare, call);
    }
    let mut target = SidesTarget { call, found: None };
    let [old, new] = sides.map(|side| target.load(side));
    let compared = compare(old?, new?)?;
    compared.notes.iter().for_each(|note| call.ui.note(note));
    let differs = match &compared.patch {
        Some(patch) => print_patch(&compared, patch, call.ui)?,
        None => print_compared(&compared, call.ui)?,
    };
    Ok(if differs { Exit::Different } else { Exit::Done })
}

/// Prints equal differences of servers once, and a table of all servers; or an object with the patch of each.
fn on_servers(
    sides: [Option<&str>; 2],
    compare: impl Fn(NamedContent, NamedContent) -> Result<ComparedSides, Error> + Sync,
    call: Invocation<'_>,
) -> Result<Exit, Error> {
    let (ui, masker) = (call.ui, call.ui.masker());
    // What is the same for all is read once.
    let [given_old, given_new] = sides.map(given);
    let given = [given_old?, given_new?];
    let answers = call.ask("compare", |server| {
        let mut side = |at: usize| match &given[at] {
            Some(content) => Ok(content.clone()),
            None => NamedContent::of_target(sides[at], &mut server.target),
        };
        compare(side(0)?, side(1)?)
    })?;
    answers.once(|compared| compared.notes.clone()).iter().for_each(|note| ui.note(note));
    let patches = || answers.found().filter_map(|(_, compared)| compared.patch.as_ref());
    if patches().next().is_some() {
        answers.print_json(|compared| {
            compared.patch.as_ref().map_or(Value::Null, |patch| shown_patch(patch, ui))
        })?;
        let is_different = answers
            .found()
            .any(|(_, compared)| compared.patch.as_ref().is_some_and(|patch| !patch.is_empty()));
        return Ok(answers.exit_if(is_different, Exit::Different));
    }
    let (mut diffs, mut rows, mut is_different) = (Vec::new(), Vec::new(), false);
    let names = sides.map(|side| side.unwrap_or("the server"));
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
    print_diffs(diffs, names, ui)?;
    print_table(&["SERVER", "DIFFERS", "LINES", "PATHS"], rows, ui)?;
    Ok(answers.exit_if(is_different, Exit::Different))
}

/// The configuration that an argument names, if it is not one of a server.
fn given(argument: Option<&str>) -> Result<Option<NamedContent>, Error> {
    match argument {
        Some(url) if is_url(url) => {
            Err(Error::usage("several servers are not compared with another server", "use `diff --across`"))
        }
        Some(file) if !NamedContent::is_of_target(argument) => NamedContent::of_file(file).map(Some),
        _ => Ok(None),
    }
}

/// Prints each value in which servers differ, with the servers that have it.
fn across(args: &DiffArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    if !context::several_chosen(call.global) {
        return Err(Error::usage(
            "`--across` compares several servers",
            "name them with `-x a,b` or `--group`",
        ));
    }
    let (ui, source) = (call.ui, args.first.as_deref());
    let is_fit = source.is_none_or(|source| [RUNNING, SAVED].contains(&source));
    if !is_fit || !args.conditions.is_empty() {
        let hint = "write `diff --across`, `diff --across running` or `diff --across saved`";
        return Err(Error::usage("`--across` compares whole configurations of servers", hint));
    }
    let read = |server: &mut FleetMember| NamedContent::of_target(source, &mut server.target)?.to_json();
    let answers = call.ask("read", read)?;
    let (servers, views): (Vec<String>, Vec<Value>) =
        answers.found().map(|(server, view)| (server.to_owned(), view.clone())).unzip();
    let masker = if args.json { ui.value_masker() } else { ui.masker() };
    let record = |drift| drift_record(drift, &servers, masker.as_ref());
    let records: Vec<DriftRecord> = Drift::between(&views).into_iter().map(record).collect();
    if args.json {
        ui.print_json(&records)?;
    } else if records.is_empty() {
        ui.say(&format!("{} servers have the same values", servers.len()));
    } else {
        let headings = ["PATH", "VALUE", "SERVERS"].map(str::to_owned).to_vec();
        let rows = std::iter::once(headings).chain(records.iter().flat_map(drift_rows)).collect();
        ui.print(|out| table::print(rows, ui.screen(), out))?;
    }
    Ok(answers.exit_if(!records.is_empty(), Exit::Different))
}

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

fn drift_record(drift: Drift, servers: &[String], masker: Option<&Masker>) -> DriftRecord {
    let keys: Vec<&str> = drift.keys.iter().map(String::as_str).collect();
    let shown_keys = match masker {
        Some(masker) => masker.keys(&keys),
        None => drift.keys.clone(),
    };
    let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
    let path = Path { segments: shown_keys.into_iter().map(segment).collect() }.to_string();
    let shown = |value: Value| match masker {
        Some(masker) => masker.json_below(&keys, &value),
        None => value,
    };
    let values = drift.values.into_iter().map(|(value, who)| DriftedValue {
        value: value.map(shown),
        servers: who.into_iter().map(|number| servers[number].clone()).collect(),
    });
    DriftRecord { path, values: values.collect() }
}

/// One row for each value; the path stands in the first one.
fn drift_rows(record: &DriftRecord) -> impl Iterator<Item = Vec<String>> + '_ {
    record.values.iter().enumerate().map(|(index, DriftedValue { value, servers })| {
        let path = if index == 0 { record.path.clone() } else { String::new() };
        let value = value.as_ref().map_or("-".to_owned(), ToString::to_string);
        vec![path, value, in_ranges(servers)]
    })
}

/// The arguments for the two sides; `None` is the configuration that `mediactl read` shows.
fn sides(args: &DiffArgs) -> Result<[Option<&str>; 2], Error> {
    let sides = match (args.first.as_deref(), args.second.as_deref()) {
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

/// True if an argument is `@N` or `serial:N`.
fn is_change_ref(argument: &str) -> bool {
    let digits = argument.strip_prefix('@').or_else(|| argument.strip_prefix("serial:"));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn change_ref(argument: &str) -> Result<ChangeRef, Error> {
    argument.parse().map_err(|error: NotAChangeRef| {
        Error::usage(format!("`{argument}`: {error}"), "`mediactl history` shows them")
    })
}

/// The target, once one of the two sides is a configuration of it.
struct SidesTarget<'c> {
    call: Invocation<'c>,
    found: Option<Target>,
}

impl SidesTarget<'_> {
    fn resolved(&mut self) -> Result<&mut Target, Error> {
        let Invocation { global, ui, .. } = self.call;
        let target = match self.found.take() {
            Some(target) => target,
            None => target::resolve(global, Purpose::default(), ui)?,
        };
        Ok(self.found.insert(target))
    }

    /// Loads the configuration that an argument names; without one, the configuration that `mediactl read` shows.
    fn load(&mut self, argument: Option<&str>) -> Result<NamedContent, Error> {
        let Invocation { global, ui, .. } = self.call;
        match argument {
            Some(url) if is_url(url) => NamedContent::read(&mut target::at_argument(url, global, ui)?, None),
            Some(file) if !NamedContent::is_of_target(argument) => NamedContent::of_file(file),
            _ => NamedContent::of_target(argument, self.resolved()?),
        }
    }
}

/// The warning about two texts with the same lines.
const BYTES_DIFFER: &str = "the two differ in bytes that are not UTF-8";

/// One of the two configurations.
#[derive(Clone)]
struct NamedContent {
    name: String,
    text: Arc<Snapshot>,
}

impl NamedContent {
    /// True if an argument names a configuration of the target.
    fn is_of_target(argument: Option<&str>) -> bool {
        argument.is_none_or(|argument| [RUNNING, SAVED].contains(&argument) || is_change_ref(argument))
    }

    /// Loads a configuration of the target.
    fn of_target(argument: Option<&str>, target: &mut Target) -> Result<Self, Error> {
        match argument {
            Some(RUNNING) => Self::read(target, Some(ConfigSource::Running)),
            Some(SAVED) => Self::read(target, Some(ConfigSource::Saved)),
            Some(change) => Self::before_change(change, target),
            None => Self::read(target, None),
        }
    }

    fn read(target: &mut Target, source: Option<ConfigSource>) -> Result<Self, Error> {
        let text = target.service.read(source).map_err(Error::of_side)?;
        let name = target.service.name();
        let name = match source {
            Some(ConfigSource::Saved) if target.is_server => format!("{name} ({SAVED})"),
            _ => name.to_owned(),
        };
        Ok(Self { name, text })
    }

    fn before_change(change: &str, target: &mut Target) -> Result<Self, Error> {
        let change_ref = change_ref(change)?;
        let name = format!("{} ({change})", target.service.name());
        Ok(Self { name, text: target.service.kept(change_ref)? })
    }

    /// Loads a file, or standard input.
    fn of_file(file: &str) -> Result<Self, Error> {
        let name = if file == STDIN { "<stdin>" } else { file };
        Ok(Self { name: name.to_owned(), text: input::snapshot(FilePath::new(file))? })
    }

    /// The configuration as JSON; a text with errors has none.
    fn to_json(&self) -> Result<Value, Error> {
        self.refuse_broken().map(|()| self.text.config().to_json())
    }

    fn refuse_broken(&self) -> Result<(), Error> {
        match self.text.is_valid() {
            true => Ok(()),
            false => Err(Error::broken_text(&self.name, self.text.clone())),
        }
    }
}

/// Two configurations that are compared.
struct ComparedSides {
    sides: [NamedContent; 2],
    /// The streams that meet all conditions on one side at least; none without conditions: the whole is compared.
    streams: Option<HashSet<String>>,
    /// The notes on keys in the conditions that no stream has on either side.
    notes: Vec<String>,
    /// The patch that turns one into the other, where it is asked for.
    patch: Option<Map<String, Value>>,
}

impl ComparedSides {
    fn new(sides: [NamedContent; 2], conditions: &[Condition], is_patch: bool) -> Result<Self, Error> {
        let (streams, notes) = match conditions {
            [] => (None, Vec::new()),
            _ => selected(&sides, conditions).map(|(names, notes)| (Some(names), notes))?,
        };
        let patch = is_patch.then(|| patch_between(&sides, streams.as_ref())).transpose()?;
        Ok(Self { sides, streams, notes, patch })
    }

    /// The difference, of the streams that are compared.
    fn diff(&self, masker: Option<&Masker>) -> Vec<String> {
        let texts = self.sides.each_ref().map(|side| &*side.text);
        diff_lines(texts, self.streams.as_ref(), masker)
    }
}

/// The names of the streams that meet conditions, and notes about keys that no stream has.
fn selected(
    sides: &[NamedContent; 2],
    conditions: &[Condition],
) -> Result<(HashSet<String>, Vec<String>), Error> {
    let every = Path::all(Kind::Streams.key());
    let sides = [sides[0].to_json()?, sides[1].to_json()?];
    let sides = sides.each_ref().map(Config::from);
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

/// The patch that turns one configuration into the other.
fn patch_between(
    [old, new]: &[NamedContent; 2],
    streams: Option<&HashSet<String>>,
) -> Result<Map<String, Value>, Error> {
    let mut patch = patch_from(&Config::from(&old.to_json()?), &Config::from(&new.to_json()?));
    if let Some(names) = streams {
        keep_streams(&mut patch, names);
    }
    Ok(patch)
}

/// Leaves only what a patch says of these streams.
fn keep_streams(patch: &mut Map<String, Value>, names: &HashSet<String>) {
    patch.retain(|key, _| key == Kind::Streams.key());
    patch.values_mut().filter_map(Value::as_object_mut).for_each(|streams| {
        streams.retain(|name, _| names.contains(name));
    });
    patch.retain(|_, streams| streams.as_object().is_none_or(|streams| !streams.is_empty()));
}

/// Prints the unified diff; returns whether there is a difference.
fn print_compared(compared: &ComparedSides, ui: Ui) -> Result<bool, Error> {
    let [old, new] = &compared.sides;
    let of_values = [old, new].into_iter().find(|side| side.text.is_of_values());
    if let Some(side) = of_values {
        ui.note(&format!("`{}` does not show its text, so the diff compares its values", side.name));
        old.refuse_broken()?;
        new.refuse_broken()?;
    }
    let diff = compared.diff(ui.masker().as_ref());
    let differs = !diff.is_empty();
    ui.print_painted(|out| print_diff(&diff, [&old.name, &new.name], ui, out))?;
    if of_values.is_some() || compared.streams.is_some() {
        return Ok(differs);
    }
    let (old, new) = (old.text.bytes(), new.text.bytes());
    if !differs && old != new {
        ui.warning(BYTES_DIFFER);
    }
    Ok(old != new)
}

/// Names the guards to accept for the patch, because the user wants the other configuration exactly as
/// it is.
fn note_guards(old: &Value, patch: &Map<String, Value>, ui: Ui) {
    let Ok(reduced) = normalize(Value::Object(patch.clone())) else { return };
    let guards = doubts_in_json(old, &reduced).0.into_iter().filter_map(|fault| Guard::of_fault(fault.kind));
    let names: BTreeSet<&str> = guards.filter_map(|guard| guard.name()).collect();
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        ui.note(&format!("this patch needs `mediactl modify --accept {}`", names.join(",")));
    }
}

/// Prints a patch; returns whether there is a difference.
fn print_patch(compared: &ComparedSides, patch: &Map<String, Value>, ui: Ui) -> Result<bool, Error> {
    note_guards(&compared.sides[0].to_json()?, patch, ui);
    ui.print_json(&shown_patch(patch, ui))?;
    Ok(!patch.is_empty())
}

/// A patch as users see it: it was computed from the real values, and is masked afterwards.
fn shown_patch(patch: &Map<String, Value>, ui: Ui) -> Value {
    let patch = Value::Object(patch.clone());
    ui.value_masker().map_or(patch.clone(), |masker| masker.json(&patch))
}

//! `mediactl diff`

use std::collections::{BTreeSet, HashSet};
use std::path::Path as FilePath;

use serde_json::{Map, Value};

use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, STDIN, is_url};
use crate::cli::invocation::Invocation;
use crate::cli::render::diff;
use crate::cli::render::notes::all_lack;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{Content, ContentDiff, Guard, ReadForm, ReadQuery, Source};
use crate::store::{ChangeRef, NotAChangeRef};
use mediaconf::edit::condition::{Condition, keys_that_all_lack};
use mediaconf::edit::expansion::{Expansion, no_entry};
use mediaconf::edit::misfit::PathFault;
use mediaconf::edit::normalize::normalize;
use mediaconf::edit::path::{Path, Segment};
use mediaconf::edit::{guarded, json_diff};
use mediaconf::model::redact::masked_json;
use mediaconf::model::{Kind, Masker};

/// Show how two configurations differ
///
/// Each side is a file, `-` for standard input, the URL of a server, `saved` for the configuration
/// file, `running` for the configuration that a server runs, or `@N` for the text before the N-th last
/// change. `@N` alone is compared with the file. Any other A alone is the new side: it is compared with what
/// `mediactl read` shows. If a server gives no text, both sides are compared as JSON.
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

pub fn run(args: &DiffArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    let ui = ui.paged();
    if args.across {
        return Err(CliError::usage(
            "`--across` compares several servers",
            "name them with `-x a,b` or `--group`",
        ));
    }
    let sides = sides(args)?;
    let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
    let [old, new] = sides.map(|side| NamedContent::load(side, global, ui));
    let (old, new) = (old?, new?);
    let selected = SelectedStreams::of(&conditions, &old, &new)?;
    selected.notes.iter().for_each(|note| ui.note(note));
    let streams = selected.names.as_ref();
    let differs =
        if args.json { print_patch(&old, &new, streams, ui)? } else { print_diff(&old, &new, streams, ui)? };
    Ok(if differs { Exit::Different } else { Exit::Done })
}

/// The arguments for the two sides; `None` is the configuration that `mediactl read` shows.
pub fn sides(args: &DiffArgs) -> Result<[Option<&str>; 2], CliError> {
    let sides = match (args.first.as_deref(), args.second.as_deref()) {
        (None, _) => [Some(RUNNING), Some(SAVED)],
        (Some(only), None) if is_change_ref(only) => [Some(only), Some(SAVED)],
        (Some(only), None) => [None, Some(only)],
        (Some(first), Some(second)) => [Some(first), Some(second)],
    };
    if sides == [Some(STDIN), Some(STDIN)] {
        return Err(CliError::usage("standard input can't be both sides", "give a file for one of them"));
    }
    Ok(sides)
}

/// Whether an argument is `@N` or `serial:N`.
fn is_change_ref(argument: &str) -> bool {
    let digits = argument.strip_prefix('@').or_else(|| argument.strip_prefix("serial:"));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// One of the two configurations.
#[derive(Clone)]
pub struct NamedContent {
    pub name: String,
    pub content: Content,
}

impl NamedContent {
    /// Loads the configuration that an argument names; without one, the configuration that `mediactl read` shows.
    fn load(argument: Option<&str>, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        match argument {
            Some(url) if is_url(url) => Self::read(&mut target::at_argument(url, global, ui)?, None),
            Some(file) if !Self::is_of_target(argument) => Self::of_file(file),
            _ => Self::of_target(argument, &mut target::resolve(global, Purpose::default(), ui)?),
        }
    }

    /// Whether an argument names a configuration of the target.
    pub fn is_of_target(argument: Option<&str>) -> bool {
        argument.is_none_or(|argument| [RUNNING, SAVED].contains(&argument) || is_change_ref(argument))
    }

    /// Loads a configuration of the target.
    pub fn of_target(argument: Option<&str>, target: &mut Target) -> Result<Self, CliError> {
        match argument {
            Some(RUNNING) => Self::read(target, Some(Source::Running)),
            Some(SAVED) => Self::read(target, Some(Source::Saved)),
            Some(change) => Self::before_change(change, target),
            None => Self::read(target, None),
        }
    }

    fn read(target: &mut Target, source: Option<Source>) -> Result<Self, CliError> {
        let query = ReadQuery { source, form: ReadForm::TextOrJson };
        let reading = target.service.read(&query).map_err(CliError::of_side)?;
        let name = target.service.name();
        let name = match reading.source {
            Source::Saved if target.is_server => format!("{name} ({SAVED})"),
            Source::Saved | Source::Running => name.to_owned(),
        };
        Ok(Self { name, content: reading.content })
    }

    fn before_change(change: &str, target: &mut Target) -> Result<Self, CliError> {
        let change_ref: ChangeRef = change.parse().map_err(|error: NotAChangeRef| {
            CliError::usage(format!("`{change}`: {error}"), "`mediactl history` shows them")
        })?;
        let name = format!("{} ({change})", target.service.name());
        Ok(Self { name, content: Content::Text(target.service.kept(change_ref)?) })
    }

    /// Loads a file, or standard input.
    pub fn of_file(file: &str) -> Result<Self, CliError> {
        let name = if file == STDIN { "<stdin>" } else { file };
        Ok(Self { name: name.to_owned(), content: Content::Text(input::snapshot(FilePath::new(file))?) })
    }

    /// The configuration as JSON; a text with errors has none.
    pub fn to_json(&self) -> Result<Value, CliError> {
        match &self.content {
            Content::Text(snapshot) if !snapshot.is_valid() => {
                Err(CliError::broken_text(&self.name, snapshot.clone()))
            }
            content => Ok(content.to_json()),
        }
    }
}

/// The streams that are compared.
#[derive(Default)]
pub struct SelectedStreams {
    /// Those that meet all conditions on one side at least; none without conditions: the whole is compared.
    pub names: Option<HashSet<String>>,
    /// What is said of keys in the conditions that no stream has on either side.
    pub notes: Vec<String>,
}

impl SelectedStreams {
    pub fn of(conditions: &[Condition], old: &NamedContent, new: &NamedContent) -> Result<Self, CliError> {
        if conditions.is_empty() {
            return Ok(Self::default());
        }
        let every = Path::all(Kind::Stream.key());
        let sides = [old.to_json()?, new.to_json()?];
        let mut names = HashSet::new();
        for whole in &sides {
            let expansion = Expansion { current: whole, conditions, own_only: false };
            let found = expansion
                .of(&every)
                .map_err(|misfit| CliError::bad_selection(PathFault::new(&every, misfit)))?;
            let name = |path: &Path| path.segments.last().and_then(Segment::name).map(str::to_owned);
            names.extend(found.paths.iter().filter_map(name));
        }
        if names.is_empty() {
            return Err(CliError::bad_selection(PathFault::new(&every, no_entry())));
        }
        let [old, new] = sides.map(|whole| keys_that_all_lack(conditions, &whole, &[&every]));
        Ok(Self { names: Some(names), notes: old.intersection(&new).map(|key| all_lack(key)).collect() })
    }
}

/// Prints the unified diff; returns whether there is a difference.
fn print_diff(
    old: &NamedContent,
    new: &NamedContent,
    streams: Option<&HashSet<String>>,
    ui: Ui,
) -> Result<bool, CliError> {
    if let Some(side) = [old, new].into_iter().find(|side| matches!(side.content, Content::Json(_))) {
        ui.note(&format!("`{}` does not show the text, so the diff compares the JSON", side.name));
        old.to_json()?;
        new.to_json()?;
    }
    let diff = diff_between(&old.content, &new.content, streams, ui.masker());
    ui.print_painted(|out| diff::print(&diff.printed(), [&old.name, &new.name], ui, out))?;
    let (Content::Text(old), Content::Text(new), None) = (&old.content, &new.content, streams) else {
        return Ok(!diff.is_empty());
    };
    let (old, new) = (old.bytes(), new.bytes());
    if diff.is_empty() && old != new {
        ui.warning("the two differ in bytes that are not UTF-8");
    }
    Ok(old != new)
}

/// The difference of two configurations, or of their streams of these names.
pub fn diff_between<'c>(
    old: &'c Content,
    new: &'c Content,
    streams: Option<&HashSet<String>>,
    masker: Option<Masker>,
) -> ContentDiff<'c> {
    match streams {
        Some(names) => ContentDiff::of_streams(old, new, names, masker),
        None => ContentDiff::between(old, new, masker),
    }
}

/// Names the guards to accept for the patch, because the user wants the other configuration exactly as
/// it is.
fn note_guards(old: &Value, patch: &Map<String, Value>, ui: Ui) {
    let Ok(reduced) = normalize(Value::Object(patch.clone())) else { return };
    let guards =
        guarded::in_json(old, &reduced).0.into_iter().filter_map(|fault| Guard::of_fault(fault.kind));
    let names: BTreeSet<&str> = guards.filter_map(|guard| guard.name()).collect();
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        ui.note(&format!("this patch needs `mediactl modify --accept {}`", names.join(",")));
    }
}

/// Prints the patch; returns whether there is a difference. It is computed from the real values, and
/// masked afterwards.
fn print_patch(
    old: &NamedContent,
    new: &NamedContent,
    streams: Option<&HashSet<String>>,
    ui: Ui,
) -> Result<bool, CliError> {
    let patch = patch_between(old, new, streams)?;
    let different = !patch.is_empty();
    note_guards(&old.to_json()?, &patch, ui);
    let shown = match ui.value_masker() {
        Some(masker) => masked_json(&Value::Object(patch), &masker),
        None => Value::Object(patch),
    };
    ui.print_json(&shown)?;
    Ok(different)
}

/// The patch that turns one configuration into the other.
pub fn patch_between(
    old: &NamedContent,
    new: &NamedContent,
    streams: Option<&HashSet<String>>,
) -> Result<Map<String, Value>, CliError> {
    let mut patch = json_diff::diff(&old.to_json()?, &new.to_json()?);
    if let Some(names) = streams {
        patch.retain(|key, _| key == Kind::Stream.key());
        patch.values_mut().filter_map(Value::as_object_mut).for_each(|streams| {
            streams.retain(|name, _| names.contains(name));
        });
        patch.retain(|_, streams| streams.as_object().is_none_or(|streams| !streams.is_empty()));
    }
    Ok(patch)
}

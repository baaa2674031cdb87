//! `mediactl diff`

use std::path::Path as FilePath;
use std::sync::Arc;

use serde_json::Value;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeFormat;
use crate::cli::context::{self, Contexts};
use crate::cli::credentials::RemoteHost;
use crate::cli::fleet::answers::{Answers, print_diffs, print_table};
use crate::cli::input::{self, STDIN, is_url};
use crate::cli::render::texts::{first_paths, print_change};
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, Snapshot, added_and_removed, changed, diff_lines};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeRef, LAST};
use mediaconf::{ChangedValue, Config};

/// Show how two configurations differ
///
/// Each side is a file, the name of a context if there is no file of that name, `-` for standard input, the URL of a server, `saved`
/// for the configuration file, `running` for the configuration that a server runs, or `change:N` for the text before change N
/// (`change:last` is the newest). `change:N` alone is compared with the file. Any other A alone is the new side: it is compared with what
/// `mediactl read` shows. If a server gives no text, the values of both sides are compared.
///
/// Of several servers (`-x 'edge-*'`, `--group`) the two sides of each are compared, and equal differences are shown
/// once.
///
/// The exit code is 0 if the two are the same and 1 if they differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl diff old.conf new.conf
  mediactl diff edge-01 edge-02
  mediactl diff change:last
  mediactl -x prod diff --node edge1 --node edge2
  mediactl diff --json saved new.conf | mediactl modify -f -")]
pub struct DiffArgs {
    /// The first configuration [default: running]
    #[arg(value_name = "A")]
    pub first: Option<String>,

    /// The second configuration [default: saved]
    #[arg(value_name = "B")]
    pub second: Option<String>,

    /// Compare what this node of the cluster runs; given twice, A and B are nodes
    #[arg(long, value_name = "NAME")]
    pub node: Vec<String>,

    /// How to print it; as JSON it is the patch (RFC 7396) that turns A into B
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ChangeFormat,

    /// The same as `-o json`
    #[arg(hide_short_help = true, long, conflicts_with = "output")]
    pub json: bool,
}

/// The argument for the running configuration.
pub const RUNNING: &str = "running";

/// The argument for the configuration file.
pub const SAVED: &str = "saved";

/// What an argument for the text of a node begins with.
const NODE: &str = "node:";

/// The hint where nothing runs.
const OTHER_SIDES: &str = "`mediactl diff FILE` compares with a file, `mediactl diff change:last` with the text before the last change";

impl DiffArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let call = call.paged();
        let ui = call.ui;
        let nodes = self.node.iter().map(|name| format!("{NODE}{name}"));
        let given: Vec<String> =
            [&self.first, &self.second].into_iter().flatten().cloned().chain(nodes).collect();
        let sides = Self::sides(&given)?;
        let form = if self.json { ChangeFormat::Json } else { self.output };
        let is_patch = form == ChangeFormat::Json;
        let compared = |sides| Comparison::new(sides, form, ui);
        // What is the same for all servers is read once.
        let given = [Side::of_argument(sides[0], call)?, Side::of_argument(sides[1], call)?];
        let answers = match given {
            [Some(old), Some(new)] => Answers::of_one(String::new(), compared([old, new])?, ui),
            given => call.ask("compare", |server| {
                let mut side = |at: usize| match &given[at] {
                    Some(side) => Ok(side.clone()),
                    None => Side::of_target(sides[at], &mut server.target),
                };
                compared([side(0)?, side(1)?])
            })?,
        };
        answers.once(|compared| compared.notes.clone()).iter().for_each(|note| ui.note(note));
        if is_patch {
            ui.print_json(&answers.json(|compared| compared.patch.clone()))?;
        } else if let Some((_, Comparison { sides: [old, new], diff, values, .. })) = answers.one() {
            let (differing, names) = ((&**diff, values.as_deref()), [&*old.name, &*new.name]);
            ui.print_painted(|out| print_change(form, differing, names, ui, out))?;
        } else {
            // Equal differences of servers are shown once, above a table of all servers.
            let (mut diffs, mut rows) = (Vec::new(), Vec::new());
            for (server, Comparison { sides, diff, .. }) in answers.found() {
                let [old, new] = sides.each_ref().map(|side| &*side.text);
                let [added, removed] = added_and_removed(diff);
                let (differs, lines) = match diff.is_empty() {
                    true => ("no", "-".to_owned()),
                    false => ("yes", format!("+{added} -{removed}")),
                };
                let paths = first_paths([old, new], ui.masker);
                rows.push(answers.row(server, [differs.to_owned(), lines, paths]));
                diffs.push((server, (diff.clone(), changed(old, new))));
            }
            print_diffs(diffs, sides.map(|side| side.unwrap_or("the server")), form, ui)?;
            print_table(&["SERVER", "DIFFERS", "LINES", "PATHS"], rows, ui)?;
        }
        let differs = answers.found().any(|(_, compared)| compared.differs);
        Ok(answers.exit_if(differs, Exit::Different))
    }

    /// The arguments for the two sides; `None` is the configuration that `mediactl read` shows.
    fn sides(given: &[String]) -> Result<[Option<&str>; 2], Error> {
        if given.len() > 2 {
            return Err(Error::usage("only two sides are compared", "leave out a file or a `--node`"));
        }
        match (given.first().map(String::as_str), given.get(1).map(String::as_str)) {
            (Some(STDIN), Some(STDIN)) => {
                Err(Error::usage("standard input can't be both sides", "give a file for one of them"))
            }
            (None, _) => Ok([Some(RUNNING), Some(SAVED)]),
            (Some(only), None) if is_change_ref(only) => Ok([Some(only), Some(SAVED)]),
            (Some(only), None) => Ok([None, Some(only)]),
            both => Ok([both.0, both.1]),
        }
    }
}

/// True if an argument is `change:N`; or an earlier form of it, which is refused with the new one.
fn is_change_ref(argument: &str) -> bool {
    let rest = ["change:", "serial:", "@"].iter().find_map(|prefix| argument.strip_prefix(prefix));
    rest.is_some_and(|rest| rest == LAST || rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// One of the two configurations.
#[derive(Clone)]
struct Side {
    name: String,
    /// What has to be said about it.
    note: Option<String>,
    text: Arc<Snapshot>,
}

impl Side {
    /// Loads a configuration that is no matter of the target; `None` for one that is.
    fn of_argument(argument: Option<&str>, call: Invocation<'_>) -> Result<Option<Self>, Error> {
        let Invocation { global, ui, .. } = call;
        let is_of_target =
            |name: &&str| [RUNNING, SAVED].contains(name) || name.starts_with(NODE) || is_change_ref(name);
        let Some(name) = argument.filter(|name| !is_of_target(name)) else { return Ok(None) };
        if is_url(name) {
            if context::several_chosen(global) {
                let message = "several servers are not compared with another server";
                let hint = "compare with a file: `mediactl --url URL read -o conf > FILE`";
                return Err(Error::usage(message, hint));
            }
            return Self::read(&mut target::at_argument(name, global, ui)?, None).map(Some);
        }
        let file = FilePath::new(name);
        let is_file = name == STDIN || file.exists();
        let context = if is_file { None } else { Contexts::known(global)?.get(name).cloned() };
        let Some(context) = context else {
            return Ok(Some(Self { name: input::name(file), text: input::snapshot(file)?, note: None }));
        };
        let mut server = target::at_member(context, global, Box::new(RemoteHost(ui)))?;
        Self::read(&mut server, None).map(Some)
    }

    /// Loads a configuration of the target; without an argument, the one that `mediactl read` shows.
    fn of_target(argument: Option<&str>, target: &mut Target) -> Result<Self, Error> {
        match argument {
            Some(RUNNING) => Self::read(target, Some(ConfigSource::Running)),
            Some(SAVED) => Self::read(target, Some(ConfigSource::Saved)),
            None => Self::read(target, None),
            Some(node) if node.starts_with(NODE) => {
                let node = &node[NODE.len()..];
                let (text, note) = target.node_text(node)?;
                Ok(Self { name: format!("{node} of {}", target.service.name()), text, note })
            }
            Some(change) => {
                let change_ref: ChangeRef = change.parse().map_err(|error: &str| {
                    Error::usage(format!("`{change}`: {error}"), "`mediactl history` shows them")
                })?;
                let name = format!("{} ({change})", target.service.name());
                Ok(Self { name, text: target.service.text_before(change_ref)?, note: None })
            }
        }
    }

    fn read(target: &mut Target, source: Option<ConfigSource>) -> Result<Self, Error> {
        let text = target.service.read(source).map_err(|error| match error.kind {
            // Whoever looks gets no advice to change something.
            ErrorKind::NoServer | ErrorKind::NodesRunIt => error.hint(OTHER_SIDES),
            _ => error,
        })?;
        let is_saved = source == Some(ConfigSource::Saved) && target.is_server;
        let saved = if is_saved { format!(" ({SAVED})") } else { String::new() };
        Ok(Self { name: format!("{}{saved}", target.service.name()), text, note: None })
    }

    /// The values of the configuration; a text with errors has none.
    fn values(&self) -> Result<Config<'_>, Error> {
        Error::refuse_broken(&self.name, &self.text).map(|()| self.text.config())
    }
}

/// Two configurations that are compared.
struct Comparison {
    sides: [Side; 2],
    /// The lines of the difference; none where a patch is asked for.
    diff: Vec<String>,
    /// The values that differ, where a summary shows them.
    values: Option<Vec<ChangedValue>>,
    /// The patch that turns one into the other, with its secrets masked.
    patch: Value,
    differs: bool,
    notes: Vec<String>,
}

impl Comparison {
    fn new(sides: [Side; 2], form: ChangeFormat, ui: Ui) -> Result<Self, Error> {
        let mut notes: Vec<String> = sides.iter().filter_map(|side| side.note.clone()).collect();
        let [old, new] = &sides;
        let is_of_values = sides.iter().find(|side| side.text.is_of_values);
        if form == ChangeFormat::Json {
            let patch = old.values()?.patch_to(&new.values()?);
            let (differs, patch) = (!patch.is_empty(), ui.value_masker().json(&Value::Object(patch)));
            return Ok(Self { sides, diff: Vec::new(), values: None, patch, differs, notes });
        }
        if let Some(side) = is_of_values {
            notes.push(format!("`{}` does not show its text, so the diff compares its values", side.name));
        }
        if is_of_values.is_some() || form == ChangeFormat::Summary {
            old.values()?;
            new.values()?;
        }
        let diff = diff_lines([&old.text, &new.text], ui.masker);
        let differs = !diff.is_empty() || is_of_values.is_none() && !old.text.is_same_text(&new.text);
        if differs && diff.is_empty() {
            notes.push("the texts differ in bytes that are not UTF-8".to_owned());
        }
        let is_shown = form == ChangeFormat::Summary || ui.terminal_out;
        let values = if is_shown { changed(&old.text, &new.text) } else { None };
        Ok(Self { sides, diff, values, patch: Value::Null, differs, notes })
    }
}

//! `mediactl read`

use crate::error::{Error, Exit};
use mediaconf::{
    Condition, Config, Diagnostics, Kind, Lens, Masker, Path, Schema, Segment, Selection, WITH_INCLUDES,
    each_set_line, set_lines, top_members,
};
use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer as _};
use serde_json::ser::Formatter;
use serde_json::{Map, Serializer, Value, json};

use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::diagnostics;
use crate::cli::render::group_table::{self, GroupTables};
use crate::cli::render::report::all_lack;
use crate::cli::render::table::Screen;
use crate::cli::render::texts::{write_entry, write_text};
use crate::cli::target::Target;
use crate::cli::ui::{Ui, output};
use crate::engine::{Composed, ConfigSource, IncludedEntry, Snapshot};
use crate::http::api::RUNTIME;

/// Show the configuration, or single values of it
///
/// Without a PATH the whole configuration is shown. With several PATHs each value is one line of JSON, in
/// the order of the PATHs. A PATH with a `*` gives one object that maps each path to its value. If nothing
/// is at a PATH, the exit code is 7.
///
/// In a PATH, `*` stands for any characters of a name (`streams.*`, `streams.cam*`), unless the name is in
/// double quotes. `[*]` stands for every element of a list, `[-1]` for the last one. A name behind a list is
/// looked for in each element: `streams.cam1.urls.url` gives a list.
///
/// --where shows only those streams, lives or plugins of the PATH that meet the condition: `PATH=VALUE`,
/// `PATH!=VALUE`, `PATH~TEXT` (contains), `PATH=~REGEX`, `PATH exists` or `PATH missing`. This PATH begins below
/// the entry and goes through lists: `urls.url~10.0.3.` holds if any source has that text. If no entry meets
/// the conditions, the exit code is 7.
///
/// Passwords and keys are masked on a terminal, and in a table always, unless --show-secrets is given. Of other
/// forms a pipe or a file gets the real ones, unless `--mask` is given or MEDIACTL_MASK is 1. On a terminal a long output goes through a pager, as git's does: MEDIACTL_PAGER, PAGER, or `less`; `cat`
/// is none.
///
/// A table fits the terminal: the credentials and the query of a URL are cut first, then the middle. A pager repeats the headings. Without a
/// PATH it is of all streams, lives and plugins; a PATH is `streams`, `lives`, `plugins`, or names such as
/// `streams.cam*`. With --columns or --sort it is one table. They take the headings, and paths of values below an entry, such as
/// `title` or `dvr.root`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl read streams.cam1
  mediactl read -r 'streams.cam1.urls[0].url'
  mediactl read 'streams.*.auth.url'
  mediactl read 'streams.cam*.urls[*].url'
  mediactl read 'streams.*.title' --where 'urls.url~10.0.3.'
  mediactl read -o table
  mediactl read -o table lives
  mediactl read -o table --columns name,title,prepush --sort=-prepush")]
pub struct ReadArgs {
    /// What to show, such as `streams.cam1.prepush`; `*` stands for every name [default: everything, with
    /// --where all streams]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Show only the entries that meet this condition; if it is given several times, all of them
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Accept a key in --where that no entry has and that looks misspelt
    #[arg(long, value_name = "NAME", requires = "conditions", value_parser = ["near-miss"])]
    pub accept: Option<String>,

    /// Show the saved file, even if a server runs another configuration
    #[arg(long)]
    pub saved: bool,

    /// Show what the included files add, too; this is for looking only and can't be written back
    #[arg(long)]
    pub with_includes: bool,

    /// Leave out static streams
    #[arg(long)]
    pub skip_streams: bool,

    /// Add the figures of the server, as `runtime`
    #[arg(long)]
    pub runtime: bool,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ReadFormat,

    /// The columns of the table, separated by commas [default: those of the group]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub columns: Vec<String>,

    /// Sort the table by this column; with a `-` in front in descending order
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,

    /// Print a string at a PATH as it is, without quotes
    #[arg(short, long)]
    pub raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReadFormat {
    /// JSON, indented
    #[default]
    Json,
    /// JSON on one line
    Compact,
    /// The text of the file, or of the entries at PATH
    Conf,
    /// One line for each value, as `modify --set` takes it
    Set,
    /// One line for each stream, live and plugin, with the authorization that applies to it
    Table,
}

pub fn run(args: &ReadArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let call = call.paged();
    let ui = call.ui;
    let wanted = Wanted::from_args(args)?;
    let answers = call.ask("read", |server| Shown::read(args, &wanted, server, ui))?;
    // A table is for people, wherever it goes; other forms are for programs, too.
    let masker = if args.output == ReadFormat::Table { ui.masker() } else { ui.value_masker() };
    let masker = masker.as_ref();
    if let Some((_, shown)) = answers.one() {
        let mut out = ui.results()?;
        shown.print(args, &wanted, masker, ui.screen(), &mut out)?;
        shown.keys_lacked(args, &wanted).iter().for_each(|note| ui.note(note));
        output(out.flush())?;
        return Ok(answers.exit());
    }
    answers.once(|shown| shown.keys_lacked(args, &wanted)).iter().for_each(|note| ui.note(note));
    match args.output {
        ReadFormat::Table => {
            let mut tables = GroupTables::new(&args.columns, args.sort.as_deref());
            let read = answers.then(|server, shown| {
                shown.look(args, masker, |current| wanted.add_tables(current, Some(server), &mut tables))
            })?;
            let tables = tables.some(wanted.paths.is_empty())?;
            ui.print(|out| group_table::print(tables, ui.screen(), out))?;
            Ok(read.exit())
        }
        ReadFormat::Json | ReadFormat::Compact if !args.raw => {
            let value =
                |_: &str, shown: Shown| shown.look(args, masker, |current| shown.value(&wanted, current));
            let values = answers.then(value)?;
            let all: Map<String, Value> =
                values.found().map(|(server, value)| (server.to_owned(), value.clone())).collect();
            ui.print(|mut out| print_json(args.output, &all, &mut out))?;
            Ok(values.exit())
        }
        _ => {
            let texts = answers.then(|_, shown| {
                let mut text = Vec::new();
                shown.print(args, &wanted, masker, ui.screen(), &mut text).map(|()| text)
            })?;
            texts.print(|text, out| out.write_all(text))?;
            Ok(texts.exit())
        }
    }
}

/// A configuration that is shown.
struct Shown {
    text: Arc<Snapshot>,
    /// The figures of the server, where they are shown, too.
    figures: Option<Value>,
    /// The files whose contents are shown, too.
    included: Vec<String>,
}

impl Shown {
    /// Reads the requested configuration, with what it includes if that is shown, too.
    fn read(args: &ReadArgs, wanted: &Wanted, server: &mut FleetMember, ui: Ui) -> Result<Self, Error> {
        let follows = (args.with_includes || args.output == ReadFormat::Table) && !args.runtime;
        let source = args.saved.then_some(ConfigSource::Saved);
        let figures = args.runtime.then(|| server.target.service.figures()).transpose()?;
        let figures = figures.filter(|figures| !figures.is_null());
        let mut text = match args.output {
            ReadFormat::Conf => server.target.read_text(source)?,
            _ => server.target.service.read(source)?,
        };
        let lost_line_ends = text.has_lost_line_ends();
        let composed = if follows { server.target.composed(&text, source)? } else { None };
        if let Some(beside) = included_beside(args, wanted, &text, &mut server.target) {
            beside.notes.iter().for_each(|note| server.note(&server.named(note)));
            text = beside.shown.unwrap_or(text);
        }
        if lost_line_ends {
            let note = "the text has lost its line ends: directives stand in a comment (`mediactl check`)";
            server.note(&server.named(note));
        }
        if lacks_includes(args, &text, composed.as_ref()) {
            server.note(&format!("`{}` does not send the files that it includes", server.name));
        }
        let mut included = Vec::new();
        if let Some(composed) = composed {
            let composed = match composed.is_valid() || server.is_alone() {
                true => diagnostics::valid(composed, ui)?,
                false => {
                    let errors = composed.diagnostics().iter().map(Diagnostics::errors).sum();
                    return Err(Error::broken_includes(&server.name, errors));
                }
            };
            included = composed.files[1..].iter().map(|file| file.name.clone()).collect();
            text = composed.text;
        }
        // In the thread of its server; one alone begins to print while its text is checked.
        match server.is_alone() || args.output == ReadFormat::Conf || text.is_valid() {
            true => Ok(Self { text, figures, included }),
            false => Err(Error::bad_config(text)),
        }
    }

    /// Looks into it; a text with errors has no values.
    fn look<R>(
        &self,
        args: &ReadArgs,
        masker: Option<&Masker>,
        work: impl FnOnce(ShownValues<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if !self.text.is_valid() {
            return Err(Error::bad_config(self.text.clone()));
        }
        let masked = masker.map(|masker| self.text.masked(masker));
        let [own, shown] = [&*self.text, masked.as_ref().unwrap_or(&self.text)]
            .map(|text| Config::from_members(text.members(), lens(args)));
        let Some(figures) = &self.figures else { return work(ShownValues { shown: &shown, own: &own }) };
        let with_figures = |config: &Config<'_>, masker: Option<&Masker>| {
            let mut whole = config.to_json();
            let figures = json!({ RUNTIME: figures });
            let mut figures = masker.map_or_else(|| figures.clone(), |masker| masker.json(&figures));
            whole[RUNTIME] = figures[RUNTIME].take();
            whole
        };
        let (own, shown) = (with_figures(&own, None), with_figures(&shown, masker));
        work(ShownValues { shown: &Config::from(&shown), own: &Config::from(&own) })
    }

    /// Returns a note for each key in the conditions that no entry has.
    fn keys_lacked(&self, args: &ReadArgs, wanted: &Wanted) -> Vec<String> {
        if wanted.conditions.is_empty() || args.output == ReadFormat::Conf {
            return Vec::new();
        }
        let paths: Vec<&Path> = wanted.paths.iter().collect();
        let lacked = |values: ShownValues<'_>| {
            Ok(values.own.keys_that_all_lack(&wanted.conditions, &paths).into_iter().map(all_lack).collect())
        };
        self.look(args, None, lacked).unwrap_or_default()
    }

    /// Prints it in the form that is asked for.
    fn print(
        &self,
        args: &ReadArgs,
        wanted: &Wanted,
        masker: Option<&Masker>,
        screen: Screen,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let is_whole =
            wanted.paths.is_empty() && self.included.is_empty() && masker.is_none() && self.figures.is_none();
        match (&self.text, args.output) {
            (snapshot, ReadFormat::Conf) => print_conf(wanted, snapshot, masker, out),
            // Piece by piece, without a tree of values.
            (snapshot, form @ (ReadFormat::Json | ReadFormat::Compact)) if is_whole => {
                let config = Config::from_members(top_members(snapshot.document()), lens(args));
                let view = config.view();
                match form {
                    _ if !snapshot.is_valid() => Err(Error::bad_config(snapshot.clone())),
                    ReadFormat::Compact => output(
                        serde_json::to_writer(&mut *out, &view)
                            .map_err(io::Error::from)
                            .and_then(|()| writeln!(out)),
                    ),
                    _ => output(print_json(form, &view, out)),
                }
            }
            (_, ReadFormat::Table) => {
                let mut tables = GroupTables::new(&args.columns, args.sort.as_deref());
                self.look(args, masker, |current| wanted.add_tables(current, None, &mut tables))?;
                output(group_table::print(tables.some(wanted.paths.is_empty())?, screen, out))
            }
            _ if !wanted.paths.is_empty() => {
                self.look(args, masker, |current| print_values(args, wanted, current, out))
            }
            (_, ReadFormat::Set) => self.look(args, masker, |current| {
                output(each_set_line(current.shown, &mut |(path, value)| writeln!(out, "{path}={value}")))
            }),
            (_, form) => {
                let whole = self.look(args, masker, |current| self.value(wanted, current))?;
                output(print_json(form, &whole, out))
            }
        }
    }

    /// The whole configuration, the value at the path, or a list of those at the paths.
    fn value(&self, wanted: &Wanted, current: ShownValues<'_>) -> Result<Value, Error> {
        let mut values =
            wanted.paths.iter().map(|path| wanted.select(path, current).map(Selection::into_value));
        match wanted.paths.len() {
            0 => {
                let mut whole = current.shown.value(&[]).unwrap_or_default();
                if let (false, Some(members)) = (self.included.is_empty(), whole.as_object_mut()) {
                    // Sent back, this would write the included files into the configuration: it is
                    // refused.
                    members.insert(WITH_INCLUDES.to_owned(), self.included.clone().into());
                }
                Ok(whole)
            }
            1 => values.next().expect("there is a path"),
            _ => Ok(Value::Array(values.collect::<Result<_, _>>()?)),
        }
    }
}

/// The values of a configuration as they are shown, and as they are.
#[derive(Clone, Copy)]
struct ShownValues<'c> {
    shown: &'c Config<'c>,
    own: &'c Config<'c>,
}

fn lens(args: &ReadArgs) -> Lens {
    Lens { skip_static_streams: args.skip_streams, ..Lens::default() }
}

/// The values of included files at the requested paths, where the files are not shown as a whole.
struct IncludedBeside {
    /// The configuration with what it includes, if a path leads there.
    shown: Option<Arc<Snapshot>>,
    notes: Vec<String>,
}

/// Looks whether the arguments ask for entries of included files. Most configurations include nothing.
fn included_beside(
    args: &ReadArgs,
    wanted: &Wanted,
    text: &Arc<Snapshot>,
    target: &mut Target,
) -> Option<IncludedBeside> {
    let is_followed = args.with_includes || args.output == ReadFormat::Table;
    let is_text = args.output == ReadFormat::Conf && wanted.paths.is_empty();
    if is_followed || args.runtime || is_text || text.includes().is_empty() {
        return None;
    }
    match target.composed(text, args.saved.then_some(ConfigSource::Saved)) {
        Ok(composed) => composed.map(|composed| wanted.beside(&composed)),
        Err(error) => Some(IncludedBeside {
            shown: None,
            notes: vec![format!("what is included is not shown: {error}")],
        }),
    }
}

/// True if files that are to be shown are missing: the JSON of a configuration does not tell all that it
/// includes.
fn lacks_includes(args: &ReadArgs, text: &Snapshot, composed: Option<&Composed>) -> bool {
    let may_include = text.is_of_values() || (text.is_valid() && !text.includes().is_empty());
    args.with_includes && composed.is_none() && may_include
}

/// The values to show: those at the paths, in the entries that meet the conditions.
struct Wanted {
    paths: Vec<Path>,
    conditions: Vec<Condition>,
}

impl Wanted {
    /// Reads the arguments.
    fn from_args(args: &ReadArgs) -> Result<Self, Error> {
        let mut paths =
            args.paths.iter().map(|path| input::value_path(path)).collect::<Result<Vec<_>, _>>()?;
        let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
        refuse_unfit_output(args)?;
        if paths.is_empty() && !conditions.is_empty() {
            paths.push(Path::all(Kind::Streams.key()));
        }
        Ok(Self { paths, conditions })
    }

    /// Returns the values at the paths in included files, or a note that they are not shown.
    fn beside(&self, composed: &Composed) -> IncludedBeside {
        let is_shown = composed.is_valid();
        let places = self.paths.iter().filter(|path| path.first_pattern().is_none());
        let mut notes: Vec<String> = places.filter_map(|path| composed.included_place(path)).collect();
        let of_patterns =
            self.paths.iter().any(|path| path.first_pattern().is_some()) || !self.conditions.is_empty();
        let matched = composed.first_included(&|current| {
            self.paths.iter().flat_map(|path| current.blocks_at(path, &self.conditions)).collect()
        });
        if let Some(first) = matched.filter(|_| of_patterns) {
            let shown = if is_shown { "shown, too" } else { "not shown" };
            notes.push(format!("entries of included files are {shown}: {}", first.in_words()));
        }
        let is_shown_beside = is_shown && !notes.is_empty();
        if notes.is_empty() {
            let is_whole = |entry: &IncludedEntry| {
                let is_group = |path: &Path| matches!(&path.segments[..], [Segment::Key(group)] if group == entry.kind.key());
                self.paths.is_empty() || self.paths.iter().any(is_group)
            };
            let advice = if is_shown { "; `--with-includes` shows them" } else { "" };
            let hidden = composed.included_entries().iter().any(is_whole);
            notes.extend(hidden.then(|| format!("entries of included files are not shown{advice}")));
        }
        if !(is_shown || notes.is_empty()) {
            notes.push("the files that are included have errors, which `mediactl check` shows".to_owned());
        }
        IncludedBeside { shown: is_shown_beside.then(|| composed.text.clone()), notes }
    }

    /// Adds the tables of a configuration: those of the groups at the paths, or of all groups. Streams are shown even if
    /// there are none.
    fn add_tables(
        &self,
        current: ShownValues<'_>,
        server: Option<&str>,
        tables: &mut GroupTables<'_>,
    ) -> Result<(), Error> {
        let groups = match &self.paths[..] {
            [] => {
                let all = Kind::ALL.map(|kind| (kind, current.shown.names(&[kind.key()])));
                let is_shown =
                    |(kind, names): &(Kind, Vec<String>)| *kind == Kind::Streams || !names.is_empty();
                all.into_iter().filter(is_shown).collect()
            }
            paths => {
                paths.iter().map(|path| table_group(self, path, current)).collect::<Result<Vec<_>, _>>()?
            }
        };
        groups.iter().for_each(|(kind, names)| tables.add(*kind, names, current.shown, server));
        Ok(())
    }

    /// Writes the values at one of the paths as one object from paths to values, where it stands for many. They are written
    /// as they are found, since the values take more memory than their text. Returns the value of a path to one place.
    fn write_each<F: Formatter>(
        &self,
        path: &Path,
        current: ShownValues<'_>,
        mut json: Serializer<&mut Vec<u8>, F>,
    ) -> Result<Option<Value>, Error> {
        let mut object = json.serialize_map(None).expect("a vector takes everything");
        let one = current.shown.select_each(current.own, path, &self.conditions, &mut |path, value| {
            object.serialize_entry(&path.to_string(), &value).expect("a vector takes everything");
        });
        object.end().expect("a vector takes everything");
        one.map_err(Error::from)
    }

    /// Returns the value at one of the paths.
    fn select(&self, path: &Path, current: ShownValues<'_>) -> Result<Selection, Error> {
        current.shown.select_where(current.own, path, &self.conditions).map_err(Error::from)
    }
}

fn refuse_unfit_output(args: &ReadArgs) -> Result<(), Error> {
    if args.output != ReadFormat::Table && !(args.columns.is_empty() && args.sort.is_none()) {
        return Err(Error::usage("`--columns` and `--sort` are for tables", "add `-o table`"));
    }
    let is_json = matches!(args.output, ReadFormat::Json | ReadFormat::Compact);
    let is_text = args.output == ReadFormat::Conf;
    match [("--runtime", args.runtime && !is_json), ("--skip-streams", args.skip_streams && is_text)] {
        [(name, true), _] | [_, (name, true)] => {
            Err(Error::usage(format!("`{name}` cannot be combined with this output"), "use `-o json`"))
        }
        _ => Ok(()),
    }
}

/// Prints the text of a configuration, or of the entries at the paths.
fn print_conf(
    wanted: &Wanted,
    snapshot: &Arc<Snapshot>,
    masker: Option<&Masker>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if wanted.paths.is_empty() {
        return output(write_text(snapshot, masker, out));
    }
    if !snapshot.is_valid() {
        return Err(Error::bad_config(snapshot.clone()));
    }
    let config = snapshot.config();
    for path in &wanted.paths {
        let is_group = path.segments.len() == 1
            && path.segments[0].name().and_then(|key| Schema::media().kind(key)).is_some();
        let all = path.segments[0].name().filter(|_| is_group).map(Path::all);
        let path = all.as_ref().unwrap_or(path);
        let found = wanted.select(path, ShownValues { shown: &config, own: &config })?.into_places();
        for (path, value) in found {
            let entry = config.entry_at(&path.segments).filter(|_| !value.is_array());
            let entry = entry.ok_or_else(|| {
                let message = format!("`{path}` has no entry of its own in the text");
                Error::usage(message, "leave out `-o conf`, or name the block around it")
            })?;
            output(write_entry(snapshot, entry, masker, out))?;
        }
    }
    Ok(())
}

/// The group that a path leads to, with the names of its entries.
fn table_group(wanted: &Wanted, path: &Path, current: ShownValues<'_>) -> Result<(Kind, Vec<String>), Error> {
    let kind = path.segments.first().and_then(Segment::name).and_then(|key| Schema::media().kind(key));
    let (Some(kind), 1..=2) = (kind, path.segments.len()) else {
        let hint = "a table is of `streams`, `lives` or `plugins`, or of names such as `streams.cam*`";
        return Err(Error::usage(format!("there is no table of `{path}`"), hint));
    };
    let path = if path.segments.len() == 1 { &Path::all(kind.key()) } else { path };
    let name = |path: &Path| path.segments.last().and_then(Segment::name).map(str::to_owned);
    let found = wanted.select(path, current)?.into_places();
    Ok((kind, found.iter().filter_map(|(path, _)| name(path)).collect()))
}

fn print_values(
    args: &ReadArgs,
    wanted: &Wanted,
    current: ShownValues<'_>,
    out: &mut impl Write,
) -> Result<(), Error> {
    for path in &wanted.paths {
        if args.output == ReadFormat::Set {
            let found = wanted.select(path, current)?.into_places();
            let mut found = found.iter();
            output(found.try_for_each(|(path, value)| print_set_lines(value, &path.segments, out)))?;
            continue;
        }
        let form = if wanted.paths.len() > 1 { ReadFormat::Compact } else { args.output };
        let mut text = Vec::new();
        let one = match form {
            ReadFormat::Compact => wanted.write_each(path, current, Serializer::new(&mut text))?,
            _ => wanted.write_each(path, current, Serializer::pretty(&mut text))?,
        };
        output(match one {
            Some(Value::String(text)) if args.raw => writeln!(out, "{text}"),
            Some(value) => print_json(form, &value, out),
            None => out.write_all(&text).and_then(|()| writeln!(out)),
        })?;
    }
    Ok(())
}

/// Prints a value as JSON, indented or on one line.
fn print_json(form: ReadFormat, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    match form {
        ReadFormat::Compact => serde_json::to_writer(&mut *out, value)?,
        _ => serde_json::to_writer_pretty(&mut *out, value)?,
    }
    writeln!(out)
}

fn print_set_lines(value: &Value, at: &[Segment], out: &mut impl Write) -> io::Result<()> {
    set_lines(value, at).iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}"))
}

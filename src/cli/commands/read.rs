//! `mediactl read`

use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::changing::given_of;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::render::diagnostics;
use crate::cli::render::group_table::{self, GroupTables};
use crate::cli::render::report::all_lack;
use crate::cli::render::texts::{write_entry, write_text};
use crate::cli::ui::{Ui, output};
use crate::engine::{Composed, ConfigSource, IncludedEntry, Snapshot};
use crate::error::{Error, Exit};
use crate::http::api::RUNTIME;
use mediaconf::{Condition, Config, Diagnostics, Kind, Masker, Path, Schema, Segment, Selection};

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

impl ReadArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let call = call.paged();
        let ui = call.ui;
        let wanted = Wanted::from_args(self, ui)?;
        let answers = call.ask("read", |server| wanted.read(server))?;
        if let Some((_, shown)) = answers.one() {
            ui.results(|mut out| wanted.print(shown, &mut out))?;
            wanted.keys_lacked(shown).iter().for_each(|note| ui.note(note));
            return Ok(answers.exit());
        }
        answers.once(|shown| wanted.keys_lacked(shown)).iter().for_each(|note| ui.note(note));
        match self.output {
            ReadFormat::Table => {
                let mut tables = GroupTables::new(&self.columns, self.sort.as_deref());
                let read = answers.then(|server, shown| {
                    wanted.look(&shown, |values| wanted.add_tables(values, Some(server), &mut tables))
                })?;
                let tables = tables.some(wanted.paths.is_empty())?;
                ui.print(|out| group_table::print(tables, ui.width(), out))?;
                Ok(read.exit())
            }
            ReadFormat::Json | ReadFormat::Compact if !self.raw => {
                let read = answers
                    .then(|_, shown| wanted.look(&shown, |values| wanted.value(&shown.included, values)))?;
                let all: Map<String, Value> =
                    read.found().map(|(server, value)| (server.to_owned(), value.clone())).collect();
                ui.print(|mut out| print_json(self.output, &all, &mut out))?;
                Ok(read.exit())
            }
            _ => {
                let texts = answers.then(|_, shown| {
                    let mut text = Vec::new();
                    wanted.print(&shown, &mut text).map(|()| text)
                })?;
                texts.print(|text, out| out.write_all(text))?;
                Ok(texts.exit())
            }
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

/// The values of a configuration as they are shown, and as they are.
#[derive(Clone, Copy)]
struct Values<'c> {
    shown: &'c Config<'c>,
    own: &'c Config<'c>,
}

/// The values to show: those at the paths, in the entries that meet the conditions.
struct Wanted<'a> {
    args: &'a ReadArgs,
    paths: Vec<Path>,
    conditions: Vec<Condition>,
    masker: Option<Masker>,
    ui: Ui,
}

impl<'a> Wanted<'a> {
    fn from_args(args: &'a ReadArgs, ui: Ui) -> Result<Self, Error> {
        let mut paths =
            args.paths.iter().map(|path| input::value_path(path)).collect::<Result<Vec<_>, _>>()?;
        let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
        if args.output != ReadFormat::Table && !(args.columns.is_empty() && args.sort.is_none()) {
            return Err(Error::usage("`--columns` and `--sort` are for tables", "add `-o table`"));
        }
        let is_json = matches!(args.output, ReadFormat::Json | ReadFormat::Compact);
        let skips_in_text = args.skip_streams && args.output == ReadFormat::Conf;
        let unfit = [("--runtime", args.runtime && !is_json), ("--skip-streams", skips_in_text)];
        if let Some(option) = given_of(unfit) {
            let message = format!("`{option}` cannot be combined with this output");
            return Err(Error::usage(message, "use `-o json`"));
        }
        if paths.is_empty() && !conditions.is_empty() {
            paths.push(Path::all(Kind::Streams.key()));
        }
        // A table is for people, wherever it goes; other forms are for programs, too.
        let masker = if args.output == ReadFormat::Table { ui.masker() } else { ui.value_masker() };
        Ok(Self { args, paths, conditions, masker, ui })
    }

    /// Reads a configuration, with what it includes if that is shown, too.
    fn read(&self, server: &mut FleetMember) -> Result<Shown, Error> {
        let (args, source) = (self.args, self.args.saved.then_some(ConfigSource::Saved));
        let is_text = args.output == ReadFormat::Conf;
        let figures = args.runtime.then(|| server.target.service.figures()).transpose()?;
        let figures = figures.filter(|figures| !figures.is_null());
        let mut text = match is_text {
            true => server.target.read_text(source)?,
            false => server.target.service.read(source)?,
        };
        if text.has_lost_line_ends() {
            let note = "the text has lost its line ends: directives stand in a comment (`mediactl check`)";
            server.note(&server.named(note));
        }
        let with_all = args.with_includes || args.output == ReadFormat::Table;
        let is_beside = !(text.includes().is_empty() || is_text && self.paths.is_empty());
        let composed = match !args.runtime && (with_all || is_beside) {
            true => server.target.composed(&text, source),
            false => Ok(None),
        };
        let mut included = Vec::new();
        match composed {
            Err(error) if !with_all => {
                server.note(&server.named(&format!("what is included is not shown: {error}")));
            }
            Ok(Some(composed)) if !with_all => {
                let (notes, is_shown) = self.beside(&composed);
                notes.iter().for_each(|note| server.note(&server.named(note)));
                text = if is_shown { composed.text } else { text };
            }
            composed => match composed? {
                Some(composed) if !composed.is_valid() && !server.is_alone() => {
                    let errors = composed.diagnostics().iter().map(Diagnostics::errors).sum();
                    return Err(Error::broken_includes(&server.name, errors));
                }
                Some(composed) => {
                    let composed = diagnostics::valid(composed, self.ui)?;
                    included = composed.files[1..].iter().map(|file| file.name.clone()).collect();
                    text = composed.text;
                }
                // What a server without a text includes is not known.
                None if args.with_includes
                    && (text.is_of_values() || text.is_valid() && !text.includes().is_empty()) =>
                {
                    server.note(&format!("`{}` does not send the files that it includes", server.name));
                }
                None => {}
            },
        }
        // In the thread of its server; one alone begins to print while its text is checked.
        match server.is_alone() || is_text || text.is_valid() {
            true => Ok(Shown { text, figures, included }),
            false => Err(Error::bad_config(text)),
        }
    }

    /// Returns notes about the paths in included files, where the files are not shown as a whole; true if what they include
    /// is shown because a path leads there.
    fn beside(&self, composed: &Composed) -> (Vec<String>, bool) {
        let is_valid = composed.is_valid();
        let is_pattern = |path: &Path| path.first_pattern().is_some();
        let places = self.paths.iter().filter(|path| !is_pattern(path));
        let mut notes: Vec<String> = places.filter_map(|path| composed.included_place(path)).collect();
        let matched = composed.first_included(&|current| {
            self.paths.iter().flat_map(|path| current.blocks_at(path, &self.conditions)).collect()
        });
        let of_patterns = self.paths.iter().any(is_pattern) || !self.conditions.is_empty();
        if let Some(first) = matched.filter(|_| of_patterns) {
            let shown = if is_valid { "shown, too" } else { "not shown" };
            notes.push(format!("entries of included files are {shown}: {}", first.in_words()));
        }
        let is_shown = is_valid && !notes.is_empty();
        let is_whole = |entry: &IncludedEntry| {
            let is_group = |path: &Path| matches!(&path.segments[..], [Segment::Key(group)] if group == entry.kind.key());
            self.paths.is_empty() || self.paths.iter().any(is_group)
        };
        if notes.is_empty() && composed.included_entries().iter().any(is_whole) {
            let advice = if is_valid { "; `--with-includes` shows them" } else { "" };
            notes.push(format!("entries of included files are not shown{advice}"));
        }
        if !(is_valid || notes.is_empty()) {
            notes.push("the files that are included have errors, which `mediactl check` shows".to_owned());
        }
        (notes, is_shown)
    }

    /// Looks into a configuration; a text with errors has no values.
    fn look<R>(
        &self,
        Shown { text, figures, .. }: &Shown,
        work: impl FnOnce(Values<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if !text.is_valid() {
            return Err(Error::bad_config(text.clone()));
        }
        let masked = self.masker.as_ref().map(|masker| text.masked(masker));
        let [own, shown] = [&**text, masked.as_ref().unwrap_or(text)]
            .map(|text| text.config().skipping_static(self.args.skip_streams));
        let Some(figures) = figures else { return work(Values { shown: &shown, own: &own }) };
        let with_figures = |config: &Config<'_>, masker: Option<&Masker>| {
            let mut whole = config.to_json();
            let figures = json!({ RUNTIME: figures });
            let mut figures = masker.map_or_else(|| figures.clone(), |masker| masker.json(&figures));
            whole[RUNTIME] = figures[RUNTIME].take();
            whole
        };
        let (own, shown) = (with_figures(&own, None), with_figures(&shown, self.masker.as_ref()));
        work(Values { shown: &Config::from(&shown), own: &Config::from(&own) })
    }

    /// Returns a note for each key in the conditions that no entry has.
    fn keys_lacked(&self, shown: &Shown) -> Vec<String> {
        if self.conditions.is_empty() || self.args.output == ReadFormat::Conf {
            return Vec::new();
        }
        let paths: Vec<&Path> = self.paths.iter().collect();
        let lacked = |values: Values<'_>| {
            Ok(values.own.keys_that_all_lack(&self.conditions, &paths).into_iter().map(all_lack).collect())
        };
        self.look(shown, lacked).unwrap_or_default()
    }

    /// Prints a configuration in the form that is asked for.
    fn print(&self, shown: &Shown, out: &mut impl Write) -> Result<(), Error> {
        let is_as_it_is = self.masker.is_none() && shown.included.is_empty() && shown.figures.is_none();
        match self.args.output {
            ReadFormat::Conf => self.print_conf(&shown.text, out),
            // Piece by piece, without a tree of values.
            form @ (ReadFormat::Json | ReadFormat::Compact)
                if self.paths.is_empty() && is_as_it_is && shown.text.is_valid() =>
            {
                let config = shown.text.config().skipping_static(self.args.skip_streams);
                output(print_json(form, &config, out))
            }
            ReadFormat::Table => {
                let mut tables = GroupTables::new(&self.args.columns, self.args.sort.as_deref());
                self.look(shown, |values| self.add_tables(values, None, &mut tables))?;
                output(group_table::print(tables.some(self.paths.is_empty())?, self.ui.width(), out))
            }
            form => self.look(shown, |values| match form {
                _ if !self.paths.is_empty() => self.print_values(values, out),
                ReadFormat::Set => {
                    let lines = Path::set_lines(&values.shown.to_json(), &[]);
                    output(lines.iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}")))
                }
                _ => output(print_json(form, &self.value(&shown.included, values)?, out)),
            }),
        }
    }

    /// The whole configuration, the value at the path, or a list of those at the paths.
    fn value(&self, included: &[String], values: Values<'_>) -> Result<Value, Error> {
        let mut found = self.paths.iter().map(|path| self.select(path, values).map(Selection::into_value));
        match self.paths.len() {
            0 => {
                let mut whole = values.shown.value(&[]).unwrap_or_default();
                if let (false, Some(members)) = (included.is_empty(), whole.as_object_mut()) {
                    // Sent back, this would write the included files into the configuration: it is
                    // refused.
                    members.insert(Schema::WITH_INCLUDES.to_owned(), included.into());
                }
                Ok(whole)
            }
            1 => found.next().expect("there is a path"),
            _ => Ok(Value::Array(found.collect::<Result<_, _>>()?)),
        }
    }

    /// Returns the value at one of the paths.
    fn select(&self, path: &Path, values: Values<'_>) -> Result<Selection, Error> {
        values.shown.select_where(values.own, path, &self.conditions).map_err(Error::from)
    }

    /// Adds the tables of a configuration: those of the groups at the paths, or of all groups. Streams are shown even if
    /// there are none.
    fn add_tables(
        &self,
        values: Values<'_>,
        server: Option<&str>,
        tables: &mut GroupTables<'_>,
    ) -> Result<(), Error> {
        if self.paths.is_empty() {
            for kind in Kind::ALL {
                let names = values.shown.names(&[kind.key()]);
                if kind == Kind::Streams || !names.is_empty() {
                    tables.add(kind, &names, values.shown, server);
                }
            }
        }
        for path in &self.paths {
            let (Some(kind), 1..=2) = (path.kind(), path.segments.len()) else {
                let hint =
                    "a table is of `streams`, `lives` or `plugins`, or of names such as `streams.cam*`";
                return Err(Error::usage(format!("there is no table of `{path}`"), hint));
            };
            let path = if path.segments.len() == 1 { &Path::all(kind.key()) } else { path };
            let found = self.select(path, values)?.into_places();
            let name = |path: &Path| path.segments.last().and_then(Segment::name).map(str::to_owned);
            let names: Vec<String> = found.iter().filter_map(|(path, _)| name(path)).collect();
            tables.add(kind, &names, values.shown, server);
        }
        Ok(())
    }

    /// Prints the text of a configuration, or of the entries at the paths.
    fn print_conf(&self, text: &Arc<Snapshot>, out: &mut impl Write) -> Result<(), Error> {
        let masker = self.masker.as_ref();
        if self.paths.is_empty() {
            return output(write_text(text, masker, out));
        }
        if !text.is_valid() {
            return Err(Error::bad_config(text.clone()));
        }
        let config = text.config();
        for path in &self.paths {
            let group = path.segments[0].name().filter(|_| path.segments.len() == 1);
            let all = group.filter(|key| Schema::media().kind(key).is_some()).map(Path::all);
            let path = all.as_ref().unwrap_or(path);
            for (path, value) in self.select(path, Values { shown: &config, own: &config })?.into_places() {
                let entry = config.entry_at(&path.segments).filter(|_| !value.is_array());
                let entry = entry.ok_or_else(|| {
                    let message = format!("`{path}` has no entry of its own in the text");
                    Error::usage(message, "leave out `-o conf`, or name the block around it")
                })?;
                output(write_entry(text, entry, masker, out))?;
            }
        }
        Ok(())
    }

    fn print_values(&self, values: Values<'_>, out: &mut impl Write) -> Result<(), Error> {
        for path in &self.paths {
            if self.args.output == ReadFormat::Set {
                for (path, value) in self.select(path, values)?.into_places() {
                    let mut lines = Path::set_lines(&value, &path.segments).into_iter();
                    output(lines.try_for_each(|(path, value)| writeln!(out, "{path}={value}")))?;
                }
                continue;
            }
            let form = if self.paths.len() > 1 { ReadFormat::Compact } else { self.args.output };
            output(match self.select(path, values)?.into_value() {
                Value::String(text) if self.args.raw => writeln!(out, "{text}"),
                value => print_json(form, &value, out),
            })?;
        }
        Ok(())
    }
}

/// Prints a value as JSON, indented or on one line.
fn print_json(form: ReadFormat, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    match form {
        ReadFormat::Compact => serde_json::to_writer(&mut *out, value)?,
        _ => serde_json::to_writer_pretty(&mut *out, value)?,
    }
    writeln!(out)
}

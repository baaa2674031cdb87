//! `mediactl read`

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::args::Invocation;
use crate::cli::fleet::answers::Answers;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::render::diagnostics;
use crate::cli::render::group_table::GroupTable;
use crate::cli::render::table;
use crate::cli::render::texts::{write_entry, write_text};
use crate::cli::ui::{Ui, output};
use crate::engine::{Composed, ConfigSource, Snapshot, StatusPart, json_without_secrets};
use crate::error::{Error, Exit};
use crate::http::api::RUNTIME;
use mediaconf::{Condition, Config, Diagnostics, Kind, Masker, Path, Schema, Segment, Selection};

/// Show the configuration, or single values of it
///
/// Without a PATH the whole configuration is shown, and of one PATH its value. Several PATHs, a PATH with a `*`, and
/// --where give one document with each value at its place, which `mediactl modify -f -` takes as it takes the whole. A
/// PATH into a list (`streams.*.urls[*].url`) gives each path with its value, which is no patch. If nothing is at a
/// PATH, the exit code is 7.
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
/// Passwords and keys are masked on a terminal, and in a table always, unless --show-secrets is given. Of other forms a
/// pipe or a file gets the real ones, unless `--mask` is given or MEDIACTL_MASK is 1. On a terminal a long output goes
/// through a pager: MEDIACTL_PAGER, PAGER, or `less`; PAGER=cat switches it off.
///
/// A table fits the terminal: the credentials and the query of a URL are cut first, then the middle. Columns for which
/// there is no room are named below it. Without a PATH it is of all streams, lives and plugins, and with --columns of
/// the streams; a PATH is `streams`, `lives`, `plugins`, or names such as `streams.cam*`. The columns are the headings,
/// and paths of values below an entry, such as `title` or `dvr.root`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl read streams.cam1
  mediactl read -r 'streams.cam1.urls[0].url'
  mediactl read 'streams.cam*.urls[*].url'
  mediactl read 'streams.*.title' --where 'urls.url~10.0.3.'
  mediactl read -o table lives
  mediactl read -o table --columns name,title,prepush
  mediactl read -o table --effective --where 'prepush=5'")]
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

    /// Show what this node of the cluster runs, as its record there says: without what files on its machine add
    #[arg(long, value_name = "NAME", conflicts_with_all = ["saved", "runtime"])]
    pub node: Option<String>,

    /// Show what the included files add, too; this is for looking only and can't be written back
    #[arg(long)]
    pub with_includes: bool,

    /// Show the effective values of each stream, with those from its template and from the top level
    ///
    /// --where tests these values, too, and a table says where each comes from. The output can't be written back.
    #[arg(long)]
    pub effective: bool,

    /// Leave out static streams, unless a path names one
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

    /// Print a string at a PATH as it is, without quotes; several PATHs give one line each
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
        let wanted = Wanted::from_args(self, call.ui)?;
        let answers = call.ask("read", |server| wanted.read(server))?;
        if self.output == ReadFormat::Table {
            return wanted.print_tables(answers);
        }
        if let Some((_, shown)) = answers.one() {
            call.ui.results(|mut out| wanted.print(shown, &mut out))?;
            return Ok(answers.exit());
        }
        if self.output.is_json() && !self.raw {
            let read = answers.then(|_, shown| wanted.look(&shown, |values| wanted.value(&shown, values)))?;
            let all = read.json(Value::clone);
            call.ui.print(|mut out| print_json(self.output, &all, &mut out))?;
            return Ok(read.exit());
        }
        let texts = answers.then(|_, shown| {
            let mut text = Vec::new();
            wanted.print(&shown, &mut text).map(|()| text)
        })?;
        texts.print(|text, out| out.write_all(text))?;
        Ok(texts.exit())
    }
}

impl ReadFormat {
    fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Compact)
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
type Values<'c> = [&'c Config<'c>; 2];

/// The values to show: those at the paths, in the entries that meet the conditions.
struct Wanted<'a> {
    args: &'a ReadArgs,
    paths: Vec<Path>,
    conditions: Vec<Condition>,
    masker: Masker,
    ui: Ui,
}

impl<'a> Wanted<'a> {
    fn from_args(args: &'a ReadArgs, ui: Ui) -> Result<Self, Error> {
        let mut paths =
            args.paths.iter().map(|path| input::value_path(path)).collect::<Result<Vec<_>, _>>()?;
        let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
        let is_table = args.output == ReadFormat::Table;
        if !(is_table || args.columns.is_empty()) {
            return Err(Error::usage("`--columns` is for tables", "add `-o table`"));
        }
        let is_text = matches!(args.output, ReadFormat::Conf | ReadFormat::Set);
        let unfit = [
            ("--runtime", args.runtime && !args.output.is_json()),
            ("--skip-streams", args.skip_streams && args.output == ReadFormat::Conf),
            ("--effective", args.effective && is_text),
        ];
        if let Some((option, _)) = unfit.iter().find(|(_, is_given)| *is_given) {
            let message = format!("`{option}` cannot be combined with this output");
            return Err(Error::usage(message, "use `-o json`"));
        }
        if paths.is_empty() && !conditions.is_empty() {
            paths.push(Path::of([Kind::Streams.key()]).child(Segment::every()));
        }
        // A table is for people, wherever it goes; other forms are for programs, too.
        let masker = if is_table { ui.masker } else { ui.value_masker() };
        Ok(Self { args, paths, conditions, masker, ui })
    }

    /// Reads a configuration, with what it includes if that is shown, too.
    fn read(&self, server: &mut FleetMember) -> Result<Shown, Error> {
        let (args, source) = (self.args, self.args.saved.then_some(ConfigSource::Saved));
        let is_text = args.output == ReadFormat::Conf;
        if args.runtime && !server.target.is_server {
            // Where no server runs, that is refused.
            server.target.service.read(Some(ConfigSource::Running))?;
        }
        let status = args.runtime.then(|| server.target.service.status(StatusPart::Server)).transpose()?;
        let figures = status.map(|status| status.figures).filter(|figures| !figures.is_null());
        let mut text = match &args.node {
            Some(node) => {
                let (text, note) = server.target.node_text(node)?;
                note.iter().for_each(|note| server.note(note));
                text
            }
            None if is_text => server.target.read_text(source)?,
            None => server.target.service.read(source)?,
        };
        if text.has_lost_line_ends() {
            server.note("the text has lost its line ends: directives stand in a comment (`mediactl check`)");
        }
        let with_all = args.with_includes || args.output == ReadFormat::Table;
        let is_beside = !(text.includes().is_empty() || is_text && self.paths.is_empty());
        let mut included = Vec::new();
        let composed = match !args.runtime && (with_all || is_beside) {
            true => self.composed(&text, server, with_all),
            false => Ok(None),
        };
        match composed {
            Err(error) if with_all => return Err(error),
            Err(error) => server.note(&format!("what is included is not shown: {error}")),
            Ok(Some(composed)) if with_all => {
                included = composed.files[1..].iter().map(|file| file.name.clone()).collect();
                text = composed.text;
            }
            Ok(Some(composed)) => {
                // Entries of included files that the paths lead to are shown.
                let refusals = self.paths.iter().filter_map(|path| composed.refuse_entry(path).err());
                let notes: Vec<String> = refusals.map(|refusal| refusal.message).collect();
                notes.iter().for_each(|note| server.note(note));
                if !notes.is_empty() {
                    text = composed.text;
                } else if Kind::ALL.iter().any(|kind| self.shows_many(*kind) && composed.includes_any(*kind))
                {
                    server.note("entries of included files are not shown; `--with-includes` shows them");
                }
            }
            // What a server without a text includes is not known.
            Ok(None) => {
                let has_more = text.is_of_values || text.is_valid() && !text.includes().is_empty();
                if args.with_includes && has_more {
                    server.note("the server does not send the files that it includes");
                }
            }
        }
        // In the thread of its server; one alone begins to print while its text is checked.
        if !(server.is_only_server() || is_text) {
            text.refuse_errors()?;
        }
        Ok(Shown { text, figures, included })
    }

    /// The configuration with what it includes. Errors that they have together refuse it; they are shown where it is shown
    /// alone.
    fn composed(
        &self,
        text: &Arc<Snapshot>,
        server: &FleetMember,
        with_all: bool,
    ) -> Result<Option<Composed>, Error> {
        let composed = server.target.composed(text, text)?;
        let errors = |composed: &Composed| composed.diagnostics().iter().map(Diagnostics::errors).sum();
        match composed {
            Some(composed) if with_all && server.is_only_server() => {
                diagnostics::valid(composed, self.ui).map(Some)
            }
            Some(broken) if !broken.is_valid() => Err(Error::broken_includes(&server.name, errors(&broken))),
            composed => Ok(composed),
        }
    }

    /// True if several entries of a kind are shown.
    fn shows_many(&self, kind: Kind) -> bool {
        let is_many = |path: &Path| {
            path.segments.first().and_then(Segment::name) == Some(kind.key())
                && (path.segments.len() == 1 || path.first_pattern().is_some())
        };
        self.paths.is_empty() || self.paths.iter().any(is_many)
    }

    /// Looks into a configuration; a text with errors has no values.
    fn look<R>(
        &self,
        Shown { text, figures, .. }: &Shown,
        work: impl FnOnce(Values<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        text.refuse_errors()?;
        // A stream that is named is asked for.
        let is_named = |path: &Path| path.kind() == Some(Kind::Streams) && path.names().len() > 1;
        let skips = self.args.skip_streams && !self.paths.iter().any(is_named);
        let own = text.config().skipping_static(skips);
        if let Some(figures) = figures {
            let mut own = own.to_json();
            own[RUNTIME] = figures.clone();
            let mut shown = self.masker.json(&own);
            if self.masker != Masker::Off {
                shown[RUNTIME] = json_without_secrets(shown[RUNTIME].take(), [text]);
            }
            return work([&Config::from(&shown), &Config::from(&own)]);
        }
        let masked = text.masked(self.masker);
        let shown = masked.config().skipping_static(skips);
        match self.args.effective {
            true => work([&Config::from(&shown.effective()), &Config::from(&own.effective())]),
            false => work([&shown, &own]),
        }
    }

    /// Prints a configuration as JSON, as text, or as lines for `--set`.
    fn print(&self, shown: &Shown, out: &mut impl Write) -> Result<(), Error> {
        let form = self.args.output;
        let is_as_it_is = !self.args.effective
            && self.masker == Masker::Off
            && shown.included.is_empty()
            && shown.figures.is_none();
        let write_lines = |lines: Vec<(String, String)>, out: &mut dyn Write| {
            output(lines.iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}")))
        };
        if form == ReadFormat::Conf {
            return self.print_conf(&shown.text, out);
        }
        self.look(shown, |values| match form {
            // Piece by piece, without a tree of values.
            ReadFormat::Json | ReadFormat::Compact if self.paths.is_empty() && is_as_it_is => {
                output(print_json(form, values[1], out))
            }
            // One entry at a time: all lines of a large configuration take much memory.
            ReadFormat::Set if self.paths.is_empty() => {
                let (config, write) = (&values[0], |value: Value| Path::set_lines(&value, &[]));
                config.names(&[]).iter().try_for_each(|key| match Schema::kind(key) {
                    Some(_) => config.names(&[key]).iter().try_for_each(|name| {
                        let value = config.value(&[key, name]);
                        write_lines(write(json!({ (key): { (name): value } })), out)
                    }),
                    None => write_lines(write(json!({ (key): config.value(&[key]) })), out),
                })
            }
            ReadFormat::Set => self.paths.iter().try_for_each(|path| {
                let found = self.select(path, values)?.into_places();
                let lines = found.iter().flat_map(|(path, value)| Path::set_lines(value, &path.segments));
                write_lines(lines.collect(), out)
            }),
            _ if self.args.raw && !self.paths.is_empty() => self.paths.iter().try_for_each(|path| {
                let form = if self.paths.len() > 1 { ReadFormat::Compact } else { form };
                output(match self.select(path, values)?.into_value() {
                    Value::String(text) => writeln!(out, "{text}"),
                    value => print_json(form, &value, out),
                })
            }),
            _ => output(print_json(form, &self.value(shown, values)?, out)),
        })
    }

    /// Returns what is shown as JSON: the whole, the value at the only path, or one document of all that is selected.
    fn value(&self, shown: &Shown, values: Values<'_>) -> Result<Value, Error> {
        let effective = self.args.effective;
        match &self.paths[..] {
            [] => {
                let mut whole = values[0].value(&[]).unwrap_or_default();
                // Sent back, what is shown of included files would go into the configuration: this refuses it.
                if !shown.included.is_empty() {
                    whole[Schema::WITH_INCLUDES] = json!(shown.included);
                }
                Ok(whole)
            }
            [one] if self.conditions.is_empty() && !(effective && one.first_pattern().is_some()) => {
                self.select(one, values).map(Selection::into_value)
            }
            all => {
                let found = all.iter().map(|path| self.select(path, values)).collect::<Result<Vec<_>, _>>();
                let mut document = found.map(Selection::into_document)?;
                if effective {
                    document[Schema::EFFECTIVE] = true.into();
                }
                Ok(document)
            }
        }
    }

    /// Returns the value at one of the paths.
    fn select(&self, path: &Path, [shown, own]: Values<'_>) -> Result<Selection, Error> {
        shown.select_where(own, path, &self.conditions).map_err(Error::from)
    }

    /// Prints the tables of the groups at the paths, or of all groups; with columns that are given, of the streams.
    fn print_tables(&self, answers: Answers<Shown>) -> Result<Exit, Error> {
        let (columns, ui) = (&self.args.columns, self.ui);
        let mut kinds = Vec::new();
        for path in &self.paths {
            let (Some(kind), 1..=2) = (path.kind(), path.segments.len()) else {
                let hint =
                    "a table is of `streams`, `lives` or `plugins`, or of names such as `streams.cam*`";
                return Err(Error::usage(format!("there is no table of `{path}`"), hint));
            };
            kinds.extend((!kinds.contains(&kind)).then_some(kind));
        }
        if self.paths.is_empty() {
            kinds.extend(Kind::ALL.into_iter().filter(|kind| columns.is_empty() || *kind == Kind::Streams));
        }
        let tables = kinds.into_iter().map(|kind| GroupTable::new(kind, columns));
        let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
        let is_one = answers.one().is_some();
        let read = answers.then(|server, shown| {
            let server = (!is_one).then_some(server);
            self.look(&shown, |values| self.add_rows(values, &shown.text, server, &mut tables))
        })?;
        let tables = tables.into_iter().map(GroupTable::parts).collect::<Result<Vec<_>, _>>()?;
        ui.print(|out| {
            for (at, (headings, rows)) in tables.into_iter().enumerate() {
                // Of all groups, those without entries are left out, but for the streams.
                if at > 0 && self.paths.is_empty() && rows.is_empty() {
                    continue;
                }
                out.write_all(if at > 0 { b"\n" } else { b"" })?;
                table::print(&headings, rows, ui.width(), out)?;
            }
            Ok(())
        })?;
        Ok(read.exit())
    }

    /// Adds the entries of a configuration to their tables.
    fn add_rows(
        &self,
        values: Values<'_>,
        text: &Snapshot,
        server: Option<&str>,
        tables: &mut [GroupTable],
    ) -> Result<(), Error> {
        // As JSON, in which a template is looked up at once.
        let plain = self.args.effective.then(|| text.config().to_json());
        let origins = plain.as_ref().map(Config::from);
        for table in tables {
            let kind = table.kind;
            let all = values[0].names(&[kind.key()]);
            let mut names = if self.paths.is_empty() { all.clone() } else { Vec::new() };
            for path in self.paths.iter().filter(|path| path.kind() == Some(kind)) {
                // The values of all blocks at once would take several times the memory of the text.
                if path.segments.len() == 1 && self.conditions.is_empty() && !all.is_empty() {
                    names.extend_from_slice(&all);
                    continue;
                }
                let found = self.select(&whole_group(path), values)?.into_places();
                names.extend(
                    found.iter().filter_map(|(path, _)| path.segments.last()?.name()).map(str::to_owned),
                );
            }
            table.add(&names, values[0], origins.as_ref(), server);
        }
        Ok(())
    }

    /// Prints the text of a configuration, or of the entries at the paths.
    fn print_conf(&self, text: &Arc<Snapshot>, out: &mut impl Write) -> Result<(), Error> {
        if self.paths.is_empty() {
            return output(write_text(text, self.masker, out));
        }
        text.refuse_errors()?;
        let config = text.config();
        for path in &self.paths {
            for (path, value) in self.select(&whole_group(path), [&config; 2])?.into_places() {
                let entry = config.entry_at(&path.segments).filter(|_| !value.is_array());
                let entry = entry.ok_or_else(|| {
                    let message = format!("`{path}` has no entry of its own in the text");
                    Error::usage(message, "leave out `-o conf`, or name the block around it")
                })?;
                output(write_entry(text, entry, self.masker, out))?;
            }
        }
        Ok(())
    }
}

/// The path of all entries of a group for the path of the group; any other path as it is.
fn whole_group(path: &Path) -> Cow<'_, Path> {
    match path.kind().filter(|_| path.segments.len() == 1) {
        Some(kind) => Cow::Owned(Path::of([kind.key()]).child(Segment::every())),
        None => Cow::Borrowed(path),
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

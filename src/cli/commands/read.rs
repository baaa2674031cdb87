//! `mediactl read`

use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::diagnostics;
use crate::cli::render::group_table::{self, Column, SortOrder};
use crate::cli::render::masked::{write_entry, write_text};
use crate::cli::render::notes::all_lack;
use crate::cli::render::table::Screen;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::{Output, Ui, output};
use crate::engine::{
    Composed, Content, EngineError, IncludedEntry, PassedOver, ReadForm, ReadQuery, ServiceError, Snapshot,
    Source,
};
use mediaconf::edit::condition::{Condition, keys_that_all_lack};
use mediaconf::edit::config_lookup::{Current, LocalView, MaskedLookup};
use mediaconf::edit::path::{Path, Segment};
use mediaconf::edit::place_in_text::entry_at;
use mediaconf::edit::select::{Selection, entries_at, select_where};
use mediaconf::edit::set_lines::set_lines;
use mediaconf::model::schema::WITH_INCLUDES;
use mediaconf::model::{Kind, Lens, Masker, View, top_members, write_compact};
use mediaconf::syntax::one_line;

/// Show the configuration, or single values of it
///
/// Without a PATH the whole configuration is shown. With several PATHs each value is one line of JSON, in
/// the order of the PATHs. A PATH with a `*` gives one object that maps each path to its value. If nothing
/// is at a PATH, the exit code is 7.
///
/// In a PATH, `*` stands for any characters of a name (`streams.*`, `streams.cam*`), unless the name is in
/// double quotes. `[*]` stands for every entry of a list, `[-1]` for the last one. A name behind a list is
/// looked for in every entry: `streams.cam1.urls.url` gives a list.
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

/// The directive that includes files, as JSON shows it, too.
const INCLUDE: &str = "include";

pub fn run(args: &ReadArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    let ui = ui.paged();
    let mut wanted = Wanted::of(args)?;
    let mut target = target::resolve(global, Purpose::default(), ui)?;
    let (mut content, composed) = read(args, &mut target)?;
    if let Some(beside) = included_beside(args, &wanted, &content, &mut target)? {
        beside.notes.iter().for_each(|note| ui.note(note));
        content = beside.shown.map_or(content, Content::Text);
    }
    if lacks_includes(args, &content, composed.as_ref()) {
        ui.note(&no_includes(target.service.name()));
    }
    if let Some(composed) = composed {
        let composed = diagnostics::valid(composed, ui)?;
        wanted.included = included_names(&composed);
        content = Content::Text(composed.text);
    }
    let masker = masker(args, ui);
    let mut out = ui.results()?;
    match content {
        Content::Text(snapshot) if args.output == ReadFormat::Conf => {
            print_conf(&wanted, &snapshot, masker.as_ref(), &mut out)?;
        }
        Content::Text(snapshot) => print_text_as_json(args, &wanted, &snapshot, ui, &mut out)?,
        Content::Json(whole) => {
            let whole = without_static_streams(whole, args.skip_streams);
            print(args, &wanted, &MaskedLookup { current: &whole, masker: masker.as_ref() }, ui, &mut out)?;
            wanted.keys_lacked(&whole).for_each(|note| ui.note(&note));
        }
    }
    output(out.flush())?;
    Ok(Exit::Done)
}

/// The masker for what is shown: a table is for people, wherever it goes; other forms are for programs, too.
pub fn masker(args: &ReadArgs, ui: Ui) -> Option<Masker> {
    if args.output == ReadFormat::Table { ui.masker() } else { ui.value_masker() }
}

/// Reads what the arguments ask for, with what it includes where that is shown, too.
pub fn read(args: &ReadArgs, target: &mut Target) -> Result<(Content, Option<Composed>), ServiceError> {
    let follows = (args.with_includes || args.output == ReadFormat::Table) && !args.runtime;
    let query = ReadQuery {
        source: args.saved.then_some(Source::Saved),
        form: match args.output {
            ReadFormat::Conf => ReadForm::Text,
            _ if follows => ReadForm::TextOrJson,
            _ => ReadForm::Json { skip_static: args.skip_streams, runtime: args.runtime },
        },
    };
    let content = target.service.read(&query)?.content;
    let composed = match &content {
        Content::Text(text) if follows => target.composed(text, query.source)?,
        _ => None,
    };
    Ok((content, composed))
}

/// What included files have of what is asked for, where they are not shown as a whole.
pub struct IncludedBeside {
    /// The configuration with what it includes, if a path leads there.
    pub shown: Option<Arc<Snapshot>>,
    pub notes: Vec<String>,
}

/// Looks whether the arguments ask for entries of included files. Most configurations include nothing.
pub fn included_beside(
    args: &ReadArgs,
    wanted: &Wanted,
    content: &Content,
    target: &mut Target,
) -> Result<Option<IncludedBeside>, ServiceError> {
    let is_followed = args.with_includes || args.output == ReadFormat::Table;
    let is_text = args.output == ReadFormat::Conf && wanted.paths.is_empty();
    if is_followed || args.runtime || is_text {
        return Ok(None);
    }
    let source = args.saved.then_some(Source::Saved);
    let Some(own) = text_that_includes(content, source, target)? else { return Ok(None) };
    Ok(match target.composed(&own, source) {
        Ok(composed) => composed.map(|composed| wanted.beside(&composed)),
        Err(error) => Some(IncludedBeside {
            shown: None,
            notes: vec![format!("what is included is not shown: {error}")],
        }),
    })
}

/// The text of a configuration that includes files; `None` if it includes none, or the server sends no text.
pub fn text_that_includes(
    content: &Content,
    source: Option<Source>,
    target: &mut Target,
) -> Result<Option<Arc<Snapshot>>, ServiceError> {
    let text = match content {
        Content::Text(text) => Some(text.clone()),
        Content::Json(whole) if has_include(whole) => target
            .service
            .read(&ReadQuery { source, form: ReadForm::TextOrJson })?
            .content
            .snapshot()
            .cloned(),
        Content::Json(_) => None,
    };
    Ok(text.filter(|text| !text.includes().is_empty()))
}

/// Whether the JSON of a configuration has an `include`, in any block.
fn has_include(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|members| members.contains_key(INCLUDE) || members.values().any(has_include))
}

/// Whether files that are to be shown are missing: the JSON of a configuration does not tell all that it includes.
pub fn lacks_includes(args: &ReadArgs, content: &Content, composed: Option<&Composed>) -> bool {
    let may_include = || content.snapshot().is_none_or(|text| text.is_valid() && !text.includes().is_empty());
    args.with_includes && composed.is_none() && may_include()
}

/// Said of a server that keeps the included files for itself.
pub fn no_includes(name: &str) -> String {
    format!("`{name}` does not send the files that it includes")
}

/// The names of the files that a configuration includes.
pub fn included_names(composed: &Composed) -> Vec<String> {
    composed.files[1..].iter().map(|file| file.name.clone()).collect()
}

/// The values to show: those at the paths, in the entries that meet the conditions.
pub struct Wanted {
    pub paths: Vec<Path>,
    conditions: Vec<Condition>,
    /// The files whose contents are shown, too.
    included: Vec<String>,
}

impl Wanted {
    /// What is said of each key in the conditions that no entry has.
    pub fn keys_lacked(&self, current: &dyn Current) -> impl Iterator<Item = String> {
        let paths: Vec<&Path> = self.paths.iter().collect();
        keys_that_all_lack(&self.conditions, current, &paths).into_iter().map(all_lack)
    }

    /// What the arguments ask for.
    pub fn of(args: &ReadArgs) -> Result<Self, CliError> {
        let mut paths =
            args.paths.iter().map(|path| input::value_path(path)).collect::<Result<Vec<_>, _>>()?;
        let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
        refuse_unfit_output(args)?;
        if paths.is_empty() && !conditions.is_empty() {
            paths.push(Path::all(Kind::Stream.key()));
        }
        Ok(Self { paths, conditions, included: Vec::new() })
    }

    /// What the paths lead to in included files, or how much of them is not shown.
    fn beside(&self, composed: &Composed) -> IncludedBeside {
        let is_shown = composed.is_valid();
        let places = self.paths.iter().filter(|path| path.first_pattern().is_none());
        let mut notes: Vec<String> =
            places.filter_map(|path| Some(format!("`{path}`: {}", composed.included_place(path)?))).collect();
        let of_patterns =
            self.paths.iter().any(|path| path.first_pattern().is_some()) || !self.conditions.is_empty();
        let matched = composed.included_at(&|current| {
            self.paths.iter().flat_map(|path| entries_at(current, path, &self.conditions)).collect()
        });
        if let Some(matched) = matched.filter(|_| of_patterns) {
            notes.push(format!("{} {matched}", if is_shown { "shown are also" } else { "not shown are" }));
        }
        let is_shown_beside = is_shown && !notes.is_empty();
        if notes.is_empty() {
            let is_whole = |entry: &IncludedEntry| {
                let is_group = |path: &Path| matches!(&path.segments[..], [Segment::Key(group)] if group == entry.kind.key());
                self.paths.is_empty() || self.paths.iter().any(is_group)
            };
            let hidden = PassedOver::of(composed.included_entries().into_iter().filter(is_whole));
            let advice = if is_shown { "; `--with-includes` shows them" } else { "" };
            notes.extend(hidden.map(|hidden| format!("not shown are {hidden}{advice}")));
        }
        if !(is_shown || notes.is_empty()) {
            notes.push("the files that are included have errors, which `mediactl check` shows".to_owned());
        }
        IncludedBeside { shown: is_shown_beside.then(|| composed.text.clone()), notes }
    }

    /// What is at one of the paths.
    pub fn at(&self, path: &Path, current: &MaskedLookup<'_>) -> Result<Selection, CliError> {
        select_where(current, current.current, path, &self.conditions).map_err(CliError::bad_selection)
    }
}

fn refuse_unfit_output(args: &ReadArgs) -> Result<(), CliError> {
    if args.output != ReadFormat::Table && !(args.columns.is_empty() && args.sort.is_none()) {
        return Err(CliError::usage("`--columns` and `--sort` are for tables", "add `-o table`"));
    }
    if args.runtime && args.output == ReadFormat::Conf {
        return Err(CliError::usage("`--runtime` cannot be combined with this output", "use `-o json`"));
    }
    Ok(())
}

/// Leaves the static streams out. A server may not know the parameter that asks for it.
pub fn without_static_streams(mut whole: Value, skip_streams: bool) -> Value {
    let streams = whole.get_mut("streams").and_then(Value::as_object_mut);
    if let Some(streams) = streams.filter(|_| skip_streams) {
        streams.retain(|_, stream| stream["static"] != true);
    }
    whole
}

/// Prints the text of a configuration, or of the entries at the paths.
pub fn print_conf(
    wanted: &Wanted,
    snapshot: &Arc<Snapshot>,
    masker: Option<&Masker>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if wanted.paths.is_empty() {
        return output(write_text(snapshot, masker, out));
    }
    let members = top_members(snapshot.document());
    if !snapshot.is_valid() {
        return Err(EngineError::BadConfig(snapshot.clone()).into());
    }
    let lens = Lens::default();
    let current = LocalView::new(&members, &lens);
    for path in &wanted.paths {
        let is_group = path.segments.len() == 1 && path.segments[0].name().and_then(Kind::of_key).is_some();
        let all = path.segments[0].name().filter(|_| is_group).map(Path::all);
        let path = all.as_ref().unwrap_or(path);
        let found = wanted.at(path, &MaskedLookup { current: &current, masker: None })?.into_places(path);
        for (path, value) in found {
            let entry = entry_at(&members, &path.segments).filter(|_| !value.is_array());
            let entry = entry.ok_or_else(|| {
                let message = format!("`{path}` has no entry of its own in the text");
                CliError::usage(message, "leave out `-o conf`, or name the block around it")
            })?;
            output(write_entry(snapshot, entry, masker, out))?;
        }
    }
    Ok(())
}

/// Prints the JSON of a configuration whose text is known. The JSON is written piece by piece, unless
/// secrets have to be masked.
fn print_text_as_json(
    args: &ReadArgs,
    wanted: &Wanted,
    snapshot: &Arc<Snapshot>,
    ui: Ui,
    out: &mut Output,
) -> Result<(), CliError> {
    let masker = masker(args, ui);
    snapshot.check_in_background();
    let members = top_members(snapshot.document());
    if !snapshot.is_valid() {
        return Err(EngineError::BadConfig(snapshot.clone()).into());
    }
    let lens = Lens { skip_static_streams: args.skip_streams, ..Lens::default() };
    if wanted.paths.is_empty() && wanted.included.is_empty() && masker.is_none() {
        let view = View::new(&members, &lens);
        match args.output {
            ReadFormat::Json => return output(print_json(args.output, &view, out)),
            ReadFormat::Compact => return output(write_compact(&view, out).and_then(|()| writeln!(out))),
            ReadFormat::Conf | ReadFormat::Set | ReadFormat::Table => {}
        }
    }
    let current = LocalView::new(&members, &lens);
    print(args, wanted, &MaskedLookup { current: &current, masker: masker.as_ref() }, ui, out)?;
    wanted.keys_lacked(&current).for_each(|note| ui.note(&note));
    Ok(())
}

/// Prints a configuration in the form that is asked for.
pub fn print(
    args: &ReadArgs,
    wanted: &Wanted,
    current: &MaskedLookup<'_>,
    ui: Ui,
    out: &mut impl Write,
) -> Result<(), CliError> {
    if args.output == ReadFormat::Table {
        return print_tables(args, wanted, current, ui.screen(), out);
    }
    if !wanted.paths.is_empty() {
        return print_values(args, wanted, current, out);
    }
    let mut whole = current.value(&[]).unwrap_or_default();
    if let (false, Some(members)) = (wanted.included.is_empty(), whole.as_object_mut()) {
        // Whoever sends this back would write what is included into the configuration: it is refused.
        members.insert(WITH_INCLUDES.to_owned(), wanted.included.clone().into());
    }
    output(match args.output {
        ReadFormat::Set => print_set_lines(&whole, &[], out),
        form => print_json(form, &whole, out),
    })
}

/// Prints a table for each group, one below the other: those of the paths, or all; where columns are given
/// without a path, the first group that has them.
fn print_tables(
    args: &ReadArgs,
    wanted: &Wanted,
    current: &MaskedLookup<'_>,
    screen: Screen,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let mut shown = 0;
    let groups = table_groups(wanted, current)?;
    for (kind, names) in &groups {
        let Some((columns, order)) = columns(args, *kind, names, current) else { continue };
        if shown > 0 {
            output(writeln!(out))?;
        }
        shown += 1;
        let is_last = wanted.paths.is_empty() && !(args.columns.is_empty() && args.sort.is_none());
        let rows = group_table::rows(*kind, names, &columns, order.as_ref(), current);
        output(group_table::print(Column::headings(&columns), rows, order.as_ref(), screen, out))?;
        if is_last {
            break;
        }
    }
    if shown == 0 {
        return Err(no_such_column(args, groups.iter().map(|(kind, _)| kind)));
    }
    Ok(())
}

/// The error for columns that no group has.
pub fn no_such_column<'k>(args: &ReadArgs, kinds: impl IntoIterator<Item = &'k Kind>) -> CliError {
    let kinds: Vec<Kind> = kinds.into_iter().copied().collect();
    let sorted_by = args.sort.iter().map(|sort| sort.trim_start_matches('-'));
    let asked = args.columns.iter().map(String::as_str).chain(sorted_by);
    // What is wrong with a column in each group; a text that is no path has no advice.
    let hints = |name: &str| -> Option<Vec<Option<String>>> {
        let hint = |kind| Column::named(kind, name).map_or(Some(None), |column| column.unknown_hint(kind));
        kinds.iter().map(|kind| hint(*kind)).collect()
    };
    let mut unknown = asked.filter_map(|name| Some((name, hints(name)?)));
    let (message, hint) = match unknown.next() {
        Some((name, hints)) => {
            (format!("there is no column `{}`", one_line(name)), hints.into_iter().flatten().next())
        }
        None => ("no table has all of these columns".to_owned(), None),
    };
    let mut known: Vec<String> = Vec::new();
    for name in kinds.iter().flat_map(|kind| Column::names(*kind)) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let known = known.join(", ");
    CliError::usage(
        message,
        match hint {
            Some(hint) if hint.ends_with('?') => format!("{hint} Known are {known}"),
            Some(hint) => hint,
            None => format!("known are {known}"),
        },
    )
}

/// The columns and the order of a table; `None` if one of them is not of this group.
pub fn columns(
    args: &ReadArgs,
    kind: Kind,
    names: &[String],
    current: &MaskedLookup<'_>,
) -> Option<(Vec<Column>, Option<SortOrder>)> {
    let column = |name: &str| Column::named(kind, name).filter(|column| column.fits(kind, current, names));
    let columns = match &args.columns[..] {
        [] => Column::default_of(kind),
        given => given.iter().map(|name| column(name)).collect::<Option<_>>()?,
    };
    let Some(sort) = &args.sort else { return Some((columns, None)) };
    let (name, is_descending) = sort.strip_prefix('-').map_or((sort.as_str(), false), |name| (name, true));
    Some((columns, Some(SortOrder { column: column(name)?, is_descending })))
}

/// The groups that tables are made of, with the names of their entries. Streams are shown even if there
/// are none.
pub fn table_groups(
    wanted: &Wanted,
    current: &MaskedLookup<'_>,
) -> Result<Vec<(Kind, Vec<String>)>, CliError> {
    if wanted.paths.is_empty() {
        let all = Kind::ALL.map(|kind| (kind, current.names(&[kind.key()])));
        let is_shown = |(kind, names): &(Kind, Vec<String>)| *kind == Kind::Stream || !names.is_empty();
        return Ok(all.into_iter().filter(is_shown).collect());
    }
    wanted.paths.iter().map(|path| table_group(wanted, path, current)).collect()
}

fn table_group(
    wanted: &Wanted,
    path: &Path,
    current: &MaskedLookup<'_>,
) -> Result<(Kind, Vec<String>), CliError> {
    let kind = path.segments.first().and_then(Segment::name).and_then(Kind::of_key);
    let (Some(kind), 1..=2) = (kind, path.segments.len()) else {
        let hint = "a table is of `streams`, `lives` or `plugins`, or of names such as `streams.cam*`";
        return Err(CliError::usage(format!("there is no table of `{path}`"), hint));
    };
    let path = if path.segments.len() == 1 { &Path::all(kind.key()) } else { path };
    let name = |path: &Path| path.segments.last().and_then(Segment::name).map(str::to_owned);
    let names = match wanted.at(path, current)? {
        Selection::One(_) => name(path).into_iter().collect(),
        Selection::Many(found) => found.iter().filter_map(|(path, _)| name(path)).collect(),
    };
    Ok((kind, names))
}

fn print_values(
    args: &ReadArgs,
    wanted: &Wanted,
    current: &MaskedLookup<'_>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    for path in &wanted.paths {
        let selection = wanted.at(path, current)?;
        if args.output == ReadFormat::Set {
            let found = selection.into_places(path);
            let mut found = found.iter();
            output(found.try_for_each(|(path, value)| print_set_lines(value, &path.segments, out)))?;
            continue;
        }
        let value = selection.into_value();
        output(match &value {
            Value::String(text) if args.raw => writeln!(out, "{text}"),
            value if wanted.paths.len() > 1 => writeln!(out, "{value}"),
            value => print_json(args.output, value, out),
        })?;
    }
    Ok(())
}

/// Prints a value as JSON, indented or on one line.
pub fn print_json(form: ReadFormat, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    match form {
        ReadFormat::Compact => serde_json::to_writer(&mut *out, value)?,
        _ => serde_json::to_writer_pretty(&mut *out, value)?,
    }
    writeln!(out)
}

fn print_set_lines(value: &Value, at: &[Segment], out: &mut impl Write) -> io::Result<()> {
    set_lines(value, at).iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}"))
}

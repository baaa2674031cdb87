//! `mediactl read`

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::error::CliError;
use super::exit::Exit;
use super::masked::MaskedText;
use super::options::Global;
use super::remote::{self, Source};
use super::table;
use super::target::{self, Purpose, Target, misplaced_url};
use super::ui::{OUTPUT_BUFFER, Ui, output};
use crate::edit::current::{Current, LocalView, Shown};
use crate::edit::path::{Path, Segment};
use crate::edit::select::{Selection, select};
use crate::edit::set_lines::set_lines;
use crate::engine::{EngineError, Snapshot};
use crate::model::member::Members;
use crate::model::redact::masked_json;
use crate::model::{Lens, Masker, View, to_json, top_members, write_compact};

/// Show the configuration, or single values of it
///
/// Without a PATH all of it is shown. With several PATHs each value is one line of JSON, in the
/// order in which they are given. A PATH with a `*` gives one object, from path to value. If there
/// is nothing at a PATH, the exit code is 7.
///
/// Passwords and keys are masked on a terminal. A pipe or a file gets the real ones, unless `--mask` is
/// given or MEDIACTL_MASK is 1; a pager reads from a pipe, so `mediactl read --mask | less` is the way.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl read streams.cam1
  mediactl read -r 'streams.cam1.urls[0].url'
  mediactl read 'streams.*.auth.url'
  mediactl read -o table")]
pub struct Args {
    /// What to show, such as `streams.cam1.prepush`; `*` stands for every name [default: everything]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// Show the saved file, even if a server runs another configuration
    #[arg(long)]
    saved: bool,

    /// Leave out the streams that are `static`
    #[arg(long)]
    skip_streams: bool,

    /// Show what the server says of itself, too, as `runtime`
    #[arg(long)]
    runtime: bool,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    output: Form,

    /// Print a string at a PATH as it is, without quotes
    #[arg(short, long)]
    raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Form {
    /// JSON, indented
    #[default]
    Json,
    /// JSON on one line
    Compact,
    /// The text of the file
    Conf,
    /// One line a value, as `modify --set` takes it
    Set,
    /// One line a stream, with the authorization that counts for it
    Table,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let paths = args.paths.iter().map(|path| parse(path)).collect::<Result<Vec<_>, _>>()?;
    if !paths.is_empty() && matches!(args.output, Form::Conf | Form::Table) {
        return Err(CliError::usage(
            "a PATH does not go with this output",
            "leave the PATH out, or use `-o json`",
        ));
    }
    if args.runtime && args.output == Form::Conf {
        return Err(CliError::usage("`--runtime` does not go with this output", "use `-o json`"));
    }
    let target = target::resolve(global, Purpose::Read, ui)?;
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, output(ui.results())?);
    match target {
        Target::Local(_) if args.runtime => return Err(EngineError::NoServer.into()),
        mut target if args.output == Form::Conf => {
            let text = target.text(args.source())?;
            output(print_text(text.as_ref(), global.masker_of_values(ui), &mut out))?;
        }
        Target::Local(engine) => {
            let snapshot = engine.read()?;
            snapshot.look_for_errors_aside();
            let members = top_members(snapshot.document());
            if !snapshot.is_valid() {
                return Err(EngineError::BadConfig(snapshot).into());
            }
            let lens = Lens { skip_static_streams: args.skip_streams, ..Lens::default() };
            print_view(args, &members, &paths, &lens, global.masker_of_values(ui).as_ref(), &mut out)?;
        }
        Target::Remote(mut server) => {
            let whole = server.read(args.view())?;
            let whole = shown(whole, args, global.masker_of_values(ui).as_ref());
            print_value(args, &whole, &paths, &mut out)?;
        }
    }
    output(out.flush())?;
    Ok(Exit::Done)
}

impl Args {
    fn source(&self) -> Source {
        if self.saved { Source::Saved } else { Source::Running }
    }

    fn view(&self) -> remote::View {
        remote::View { source: self.source(), skip_streams: self.skip_streams, runtime: self.runtime }
    }
}

/// What is shown of the answer of a server, which may not know what was to be left out.
fn shown(mut whole: Value, args: &Args, masker: Option<&Masker>) -> Value {
    let streams = whole.get_mut("streams").and_then(Value::as_object_mut);
    if let Some(streams) = streams.filter(|_| args.skip_streams) {
        streams.retain(|_, stream| stream["static"] != true);
    }
    match masker {
        Some(masker) => masked_json(&whole, masker),
        None => whole,
    }
}

pub(super) fn parse(path: &str) -> Result<Path, CliError> {
    if let Some(error) = misplaced_url(path) {
        return Err(error);
    }
    Path::parse(path).map_err(|error| CliError::Path { path: path.to_owned(), error })
}

/// The bytes of a text, or the text with its secrets masked.
pub(super) fn print_text(
    snapshot: &Snapshot,
    masker: Option<Masker>,
    out: &mut impl Write,
) -> io::Result<()> {
    if masker.is_none() {
        return out.write_all(snapshot.bytes());
    }
    let whole = 0..snapshot.document().text().len();
    let masked = MaskedText::new(snapshot.document(), masker, vec![whole.clone()]);
    out.write_all(masked.line(whole).as_bytes())
}

fn print_view(
    args: &Args,
    members: &Members<'_>,
    paths: &[Path],
    lens: &Lens,
    masker: Option<&Masker>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let view = View::new(members, lens);
    if !paths.is_empty() {
        let current = LocalView::new(members, lens);
        return print_values(args, &Shown { current: &current, masker }, paths, out);
    }
    if let Some(masker) = masker {
        return print_value(args, &masked_json(&to_json(&view), masker), paths, out);
    }
    match args.output {
        Form::Table => output(table::print(members, lens, out)),
        Form::Set => output(set_form(&to_json(&view), &[], out)),
        Form::Compact => output(write_compact(&view, out).and_then(|()| writeln!(out))),
        _ => output(json(args, &view, out)),
    }
}

/// The same of a server's answer.
fn print_value(args: &Args, whole: &Value, paths: &[Path], out: &mut impl Write) -> Result<(), CliError> {
    match args.output {
        Form::Table => output(table::print_json(whole, out)),
        Form::Set if paths.is_empty() => output(set_form(whole, &[], out)),
        _ if paths.is_empty() => output(json(args, whole, out)),
        _ => print_values(args, whole, paths, out),
    }
}

fn print_values(
    args: &Args,
    current: &dyn Current,
    paths: &[Path],
    out: &mut impl Write,
) -> Result<(), CliError> {
    for path in paths {
        let selection = select(current, path).map_err(CliError::Select)?;
        if args.output == Form::Set {
            output(set_forms(path, selection, out))?;
            continue;
        }
        let value = selection.into_value();
        output(match &value {
            Value::String(text) if args.raw => writeln!(out, "{text}"),
            value if paths.len() > 1 => writeln!(out, "{value}"),
            value => json(args, value, out),
        })?;
    }
    Ok(())
}

fn json(args: &Args, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    match args.output {
        Form::Compact => serde_json::to_writer(&mut *out, value)?,
        _ => serde_json::to_writer_pretty(&mut *out, value)?,
    }
    writeln!(out)
}

fn set_form(value: &Value, at: &[Segment], out: &mut impl Write) -> io::Result<()> {
    set_lines(value, at).iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}"))
}

fn set_forms(path: &Path, selection: Selection, out: &mut impl Write) -> io::Result<()> {
    match selection {
        Selection::One(value) => set_form(&value, &path.segments, out),
        Selection::Many(found) => {
            found.iter().try_for_each(|(path, value)| set_form(value, &path.segments, out))
        }
    }
}

//! `mediactl read`

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Value;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::read::{ReadArgs, ReadFormat};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::misplaced_url;
use crate::cli::remote::{self, Source};
use crate::cli::render::masked::MaskedText;
use crate::cli::render::table;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::{OUTPUT_BUFFER, Ui, output};
use crate::edit::config_lookup::{Current, LocalView, MaskedLookup};
use crate::edit::path::{Path, Segment};
use crate::edit::select::{Selection, select};
use crate::edit::set_lines::set_lines;
use crate::engine::{EngineError, Snapshot};
use crate::model::member::Members;
use crate::model::redact::masked_json;
use crate::model::{Lens, Masker, View, to_json, top_members, write_compact};

/// Runs the command.
pub fn run(args: &ReadArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let paths = args.paths.iter().map(|path| parse(path)).collect::<Result<Vec<_>, _>>()?;
    if !paths.is_empty() && matches!(args.output, ReadFormat::Conf | ReadFormat::Table) {
        return Err(CliError::usage(
            "a PATH does not go with this output",
            "leave the PATH out, or use `-o json`",
        ));
    }
    if args.runtime && args.output == ReadFormat::Conf {
        return Err(CliError::usage("`--runtime` does not go with this output", "use `-o json`"));
    }
    let target = target::resolve(global, Purpose::Read, ui)?;
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, output(ui.results())?);
    match target {
        Target::Local(_) if args.runtime => return Err(EngineError::NoServer.into()),
        mut target if args.output == ReadFormat::Conf => {
            let text = target.text(args.source())?;
            output(print_text(text.as_ref(), global.value_masker(ui.is_terminal()), &mut out))?;
        }
        Target::Local(engine) => {
            let snapshot = engine.read()?;
            snapshot.look_for_errors_aside();
            let members = top_members(snapshot.document());
            if !snapshot.is_valid() {
                return Err(EngineError::BadConfig(snapshot).into());
            }
            let lens = Lens { skip_static_streams: args.skip_streams, ..Lens::default() };
            print_view(
                args,
                &members,
                &paths,
                &lens,
                global.value_masker(ui.is_terminal()).as_ref(),
                &mut out,
            )?;
        }
        Target::Remote(mut server) => {
            let whole = server.read(args.view())?;
            let whole = shown(whole, args, global.value_masker(ui.is_terminal()).as_ref());
            print_value(args, &whole, &paths, &mut out)?;
        }
    }
    output(out.flush())?;
    Ok(Exit::Done)
}

impl ReadArgs {
    fn source(&self) -> Source {
        if self.saved { Source::Saved } else { Source::Running }
    }

    fn view(&self) -> remote::View {
        remote::View { source: self.source(), skip_streams: self.skip_streams, runtime: self.runtime }
    }
}

/// What is shown of the answer of a server, which may not know what was to be left out.
fn shown(mut whole: Value, args: &ReadArgs, masker: Option<&Masker>) -> Value {
    let streams = whole.get_mut("streams").and_then(Value::as_object_mut);
    if let Some(streams) = streams.filter(|_| args.skip_streams) {
        streams.retain(|_, stream| stream["static"] != true);
    }
    match masker {
        Some(masker) => masked_json(&whole, masker),
        None => whole,
    }
}

pub fn parse(path: &str) -> Result<Path, CliError> {
    if let Some(error) = misplaced_url(path) {
        return Err(error);
    }
    Path::parse(path).map_err(|error| CliError::Path { path: path.to_owned(), error })
}

/// The bytes of a text, or the text with its secrets masked.
pub fn print_text(snapshot: &Snapshot, masker: Option<Masker>, out: &mut impl Write) -> io::Result<()> {
    if masker.is_none() {
        return out.write_all(snapshot.bytes());
    }
    let whole = 0..snapshot.document().text().len();
    let masked = MaskedText::new(snapshot.document(), masker, vec![whole.clone()]);
    out.write_all(masked.line(whole).as_bytes())
}

fn print_view(
    args: &ReadArgs,
    members: &Members<'_>,
    paths: &[Path],
    lens: &Lens,
    masker: Option<&Masker>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let view = View::new(members, lens);
    if !paths.is_empty() {
        let current = LocalView::new(members, lens);
        return print_values(args, &MaskedLookup { current: &current, masker }, paths, out);
    }
    if let Some(masker) = masker {
        return print_value(args, &masked_json(&to_json(&view), masker), paths, out);
    }
    match args.output {
        ReadFormat::Table => output(table::print(members, lens, out)),
        ReadFormat::Set => output(set_form(&to_json(&view), &[], out)),
        ReadFormat::Compact => output(write_compact(&view, out).and_then(|()| writeln!(out))),
        _ => output(json(args, &view, out)),
    }
}

/// The same of a server's answer.
fn print_value(args: &ReadArgs, whole: &Value, paths: &[Path], out: &mut impl Write) -> Result<(), CliError> {
    match args.output {
        ReadFormat::Table => output(table::print_json(whole, out)),
        ReadFormat::Set if paths.is_empty() => output(set_form(whole, &[], out)),
        _ if paths.is_empty() => output(json(args, whole, out)),
        _ => print_values(args, whole, paths, out),
    }
}

fn print_values(
    args: &ReadArgs,
    current: &dyn Current,
    paths: &[Path],
    out: &mut impl Write,
) -> Result<(), CliError> {
    for path in paths {
        let selection = select(current, path).map_err(CliError::Select)?;
        if args.output == ReadFormat::Set {
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

fn json(args: &ReadArgs, value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    match args.output {
        ReadFormat::Compact => serde_json::to_writer(&mut *out, value)?,
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

//! `mediactl read`

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::read::{ReadArgs, ReadFormat};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::masked::write_text;
use crate::cli::render::table;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::{Output, Ui, output};
use crate::edit::config_lookup::{Current, LocalView, MaskedLookup};
use crate::edit::path::{Path, Segment};
use crate::edit::select::{Selection, select};
use crate::edit::set_lines::set_lines;
use crate::engine::{Content, EngineError, ReadForm, ReadQuery, Snapshot, Source};
use crate::model::{Lens, Masker, View, top_members, write_compact};

pub fn run(args: &ReadArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let paths = args.paths.iter().map(|path| input::value_path(path)).collect::<Result<Vec<_>, _>>()?;
    refuse_unfit_output(args)?;
    let query = ReadQuery {
        source: args.saved.then_some(Source::Saved),
        form: match args.output {
            ReadFormat::Conf => ReadForm::Text,
            _ => ReadForm::Json { skip_static: args.skip_streams, runtime: args.runtime },
        },
    };
    let reading = target::resolve(global, Purpose::default(), ui)?.service.read(&query)?;
    let masker = ui.value_masker();
    let mut out = ui.results()?;
    match reading.content {
        Content::Text(snapshot) if args.output == ReadFormat::Conf => {
            output(write_text(&snapshot, masker.as_ref(), &mut out))?;
        }
        Content::Text(snapshot) => print_text_as_json(args, &paths, &snapshot, masker.as_ref(), &mut out)?,
        Content::Json(whole) => {
            let whole = without_static_streams(whole, args.skip_streams);
            print(args, &paths, &MaskedLookup { current: &whole, masker: masker.as_ref() }, &mut out)?;
        }
    }
    output(out.flush())?;
    Ok(Exit::Done)
}

fn refuse_unfit_output(args: &ReadArgs) -> Result<(), CliError> {
    if !args.paths.is_empty() && matches!(args.output, ReadFormat::Conf | ReadFormat::Table) {
        let hint = "leave the PATH out, or use `-o json`";
        return Err(CliError::usage("a PATH cannot be combined with this output", hint));
    }
    if args.runtime && args.output == ReadFormat::Conf {
        return Err(CliError::usage("`--runtime` cannot be combined with this output", "use `-o json`"));
    }
    Ok(())
}

/// Leaves the static streams out. A server may not know the parameter that asks for it.
fn without_static_streams(mut whole: Value, skip_streams: bool) -> Value {
    let streams = whole.get_mut("streams").and_then(Value::as_object_mut);
    if let Some(streams) = streams.filter(|_| skip_streams) {
        streams.retain(|_, stream| stream["static"] != true);
    }
    whole
}

/// Prints the JSON of a configuration whose text is known. The JSON is written piece by piece, unless
/// secrets have to be masked.
fn print_text_as_json(
    args: &ReadArgs,
    paths: &[Path],
    snapshot: &Arc<Snapshot>,
    masker: Option<&Masker>,
    out: &mut Output,
) -> Result<(), CliError> {
    snapshot.check_in_background();
    let members = top_members(snapshot.document());
    if !snapshot.is_valid() {
        return Err(EngineError::BadConfig(snapshot.clone()).into());
    }
    let lens = Lens { skip_static_streams: args.skip_streams, ..Lens::default() };
    if paths.is_empty() && masker.is_none() {
        let view = View::new(&members, &lens);
        match args.output {
            ReadFormat::Json => return output(print_json(args.output, &view, out)),
            ReadFormat::Compact => return output(write_compact(&view, out).and_then(|()| writeln!(out))),
            ReadFormat::Conf | ReadFormat::Set | ReadFormat::Table => {}
        }
    }
    let current = LocalView::new(&members, &lens);
    print(args, paths, &MaskedLookup { current: &current, masker }, out)
}

fn print(args: &ReadArgs, paths: &[Path], current: &dyn Current, out: &mut Output) -> Result<(), CliError> {
    if !paths.is_empty() {
        return print_values(args, paths, current, out);
    }
    if args.output == ReadFormat::Table {
        return output(table::print_streams(current, out));
    }
    let whole = current.value(&[]).unwrap_or_default();
    output(match args.output {
        ReadFormat::Set => print_set_lines(&whole, &[], out),
        form => print_json(form, &whole, out),
    })
}

fn print_values(
    args: &ReadArgs,
    paths: &[Path],
    current: &dyn Current,
    out: &mut Output,
) -> Result<(), CliError> {
    for path in paths {
        let selection = select(current, path).map_err(CliError::bad_selection)?;
        if args.output == ReadFormat::Set {
            let found = match selection {
                Selection::One(value) => vec![(path.clone(), value)],
                Selection::Many(found) => found,
            };
            let mut found = found.iter();
            output(found.try_for_each(|(path, value)| print_set_lines(value, &path.segments, out)))?;
            continue;
        }
        let value = selection.into_value();
        output(match &value {
            Value::String(text) if args.raw => writeln!(out, "{text}"),
            value if paths.len() > 1 => writeln!(out, "{value}"),
            value => print_json(args.output, value, out),
        })?;
    }
    Ok(())
}

fn print_json(form: ReadFormat, value: &impl Serialize, out: &mut Output) -> io::Result<()> {
    match form {
        ReadFormat::Compact => serde_json::to_writer(&mut *out, value)?,
        _ => serde_json::to_writer_pretty(&mut *out, value)?,
    }
    writeln!(out)
}

fn print_set_lines(value: &Value, at: &[Segment], out: &mut Output) -> io::Result<()> {
    set_lines(value, at).iter().try_for_each(|(path, value)| writeln!(out, "{path}={value}"))
}

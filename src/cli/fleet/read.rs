//! `mediactl read` of several servers.

use std::io::Write;

use serde_json::{Map, Value};

use super::members::{Fleet, FleetMember};
use super::verdict::{exit_of, without_errors};
use crate::cli::args::read::{ReadArgs, ReadFormat};
use crate::cli::commands::read::{
    Wanted, columns, no_such_column, print, print_json, table_groups, without_static_streams,
};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::group_table::{self, Column, Rows, SortOrder};
use crate::cli::render::masked::write_text;
use crate::cli::ui::{Ui, output};
use crate::edit::config_lookup::{Current, MaskedLookup};
use crate::engine::{Content, EngineError, ReadForm, ReadQuery, Source};
use crate::model::{Kind, Masker};

/// Prints one object with a member for each server, a table of all, or the output of each below its name.
pub fn run(args: &ReadArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let (ui, wanted) = (fleet.ui.paged(), Wanted::of(args)?);
    let query = ReadQuery {
        source: args.saved.then_some(Source::Saved),
        form: match args.output {
            ReadFormat::Conf => ReadForm::Text,
            _ => ReadForm::Json { skip_static: args.skip_streams, runtime: args.runtime },
        },
    };
    let answers = fleet.ask("read", |member| content(member, &query, args));
    let (contents, mut kinds) = without_errors(answers, ui);
    let masker = ui.value_masker();
    let mut out = ui.results()?;
    let is_json = matches!(args.output, ReadFormat::Json | ReadFormat::Compact) && !args.raw;
    let unfit = match args.output {
        ReadFormat::Table => print_tables(args, &wanted, &contents, masker.as_ref(), ui, &mut out)?,
        _ if is_json => print_object(args, &wanted, &contents, masker.as_ref(), ui, &mut out)?,
        _ => print_each(args, &wanted, &contents, masker.as_ref(), ui, &mut out)?,
    };
    output(out.flush())?;
    kinds.extend(unfit.iter().map(|error| error.kind));
    Ok(exit_of(contents.len() - unfit.len(), &kinds))
}

/// The configurations that were read, with the names of their servers.
type Contents = [(String, Content)];

fn content(member: &mut FleetMember, query: &ReadQuery, args: &ReadArgs) -> Result<Content, CliError> {
    match member.target.service.read(query)?.content {
        Content::Json(whole) => Ok(Content::Json(without_static_streams(whole, args.skip_streams))),
        Content::Text(text) if args.output == ReadFormat::Conf => Ok(Content::Text(text)),
        Content::Text(text) if !text.is_valid() => Err(EngineError::BadConfig(text).into()),
        text => Ok(Content::Json(without_static_streams(text.to_json(), args.skip_streams))),
    }
}

/// Does something with each configuration; the errors are printed and returned.
fn each(
    contents: &Contents,
    ui: Ui,
    mut show: impl FnMut(&str, &Content) -> Result<(), CliError>,
) -> Result<Vec<CliError>, CliError> {
    let mut errors = Vec::new();
    for (server, content) in contents {
        match show(server, content) {
            Err(error) if error.is_closed_output() => return Err(error),
            Err(error) => {
                let error = error.at(server);
                ui.error(&error);
                errors.push(error);
            }
            Ok(()) => {}
        }
    }
    Ok(errors)
}

/// The member of a server: its whole configuration, the value at the path, or a list of those at the paths.
fn print_object(
    args: &ReadArgs,
    wanted: &Wanted,
    contents: &Contents,
    masker: Option<&Masker>,
    ui: Ui,
    out: &mut impl Write,
) -> Result<Vec<CliError>, CliError> {
    let mut servers = Map::new();
    let errors = each(contents, ui, |server, content| {
        let Content::Json(whole) = content else { return Ok(()) };
        let current = MaskedLookup { current: whole, masker };
        let mut values =
            wanted.paths.iter().map(|path| wanted.at(path, &current).map(|found| found.into_value()));
        let value = match wanted.paths.len() {
            0 => current.value(&[]).unwrap_or_default(),
            1 => values.next().expect("there is a path")?,
            _ => Value::Array(values.collect::<Result<_, _>>()?),
        };
        servers.insert(server.to_owned(), value);
        Ok(())
    })?;
    output(print_json(args.output, &servers, out))?;
    Ok(errors)
}

fn print_each(
    args: &ReadArgs,
    wanted: &Wanted,
    contents: &Contents,
    masker: Option<&Masker>,
    ui: Ui,
    out: &mut impl Write,
) -> Result<Vec<CliError>, CliError> {
    let mut is_first = true;
    each(contents, ui, |server, content| {
        let mut text = Vec::new();
        match content {
            Content::Text(snapshot) => output(write_text(snapshot, masker, &mut text))?,
            Content::Json(whole) => {
                print(args, wanted, &MaskedLookup { current: whole, masker }, ui, &mut text)?
            }
        }
        let blank = if std::mem::take(&mut is_first) { "" } else { "\n" };
        output(writeln!(out, "{blank}==> {server} <==").and_then(|()| out.write_all(&text)))
    })
}

/// One table for all servers.
struct FleetTable {
    kind: Kind,
    headings: Vec<String>,
    rows: Rows,
    order: Option<SortOrder>,
}

/// Prints a table for each group, with the server in the first column.
fn print_tables(
    args: &ReadArgs,
    wanted: &Wanted,
    contents: &Contents,
    masker: Option<&Masker>,
    ui: Ui,
    out: &mut impl Write,
) -> Result<Vec<CliError>, CliError> {
    let mut tables: Vec<FleetTable> = Vec::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let errors = each(contents, ui, |server, content| {
        let Content::Json(whole) = content else { return Ok(()) };
        let current = MaskedLookup { current: whole, masker };
        for (kind, names) in table_groups(wanted, &current)? {
            kinds.extend((!kinds.contains(&kind)).then_some(kind));
            let Some((columns, order)) = columns(args, kind, &names, &current) else { continue };
            let rows = group_table::rows(kind, &names, &columns, order.as_ref(), &current);
            let rows = rows.into_iter().map(|(key, row)| (key, with_server(server, row)));
            let at = tables.iter().position(|table| table.kind == kind).unwrap_or_else(|| {
                let headings = with_server("SERVER", Column::headings(&columns));
                tables.push(FleetTable { kind, headings, rows: Rows::new(), order });
                tables.len() - 1
            });
            tables[at].rows.extend(rows);
        }
        Ok(())
    })?;
    if tables.is_empty() && !kinds.is_empty() {
        return Err(no_such_column(args, &kinds));
    }
    let is_one = wanted.paths.is_empty() && !(args.columns.is_empty() && args.sort.is_none());
    tables.truncate(if is_one { 1 } else { usize::MAX });
    for (at, FleetTable { headings, rows, order, .. }) in tables.into_iter().enumerate() {
        if at > 0 {
            output(writeln!(out))?;
        }
        output(group_table::print(headings, rows, order.as_ref(), ui.screen(), out))?;
    }
    Ok(errors)
}

/// A row with the server in the first column.
fn with_server(server: &str, row: Vec<String>) -> Vec<String> {
    std::iter::once(server.to_owned()).chain(row).collect()
}

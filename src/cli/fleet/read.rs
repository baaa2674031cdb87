//! `mediactl read` of several servers.

use std::io::Write;

use serde_json::{Map, Value};

use super::grouped::{GroupedNotes, heading};
use super::members::{Fleet, FleetMember};
use super::verdict::{exit_of, print_errors, without_errors};
use crate::cli::commands::read::{ReadArgs, ReadFormat};
use crate::cli::commands::read::{
    Wanted, columns, included_beside, included_names, lacks_includes, masker, no_includes, no_such_column,
    print, print_conf, print_json, read, table_groups, without_static_streams,
};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::group_table::{self, Column, Rows, SortOrder};
use crate::cli::ui::{Ui, output};
use crate::engine::{Content, EngineError};
use mediaconf::edit::config_lookup::{Current, MaskedLookup};
use mediaconf::model::schema::WITH_INCLUDES;
use mediaconf::model::{Kind, Masker};
use mediaconf::syntax::Diagnostics;

/// Prints one object with a member for each server, a table of all, or the output of each below its name.
pub fn run(args: &ReadArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let (ui, wanted) = (fleet.ui.paged(), Wanted::of(args)?);
    let answers = fleet.ask("read", |member| content(member, args, &wanted));
    let (contents, mut kinds) = without_errors(answers, ui);
    let mut notes = GroupedNotes::default();
    for (server, content) in &contents {
        if let Content::Json(whole) = content {
            wanted.keys_lacked(whole).for_each(|note| notes.add(server, note));
        }
    }
    notes.print(ui);
    let masker = masker(args, ui);
    let reading = FleetReading { args, wanted: &wanted, contents: &contents, masker: masker.as_ref(), ui };
    let mut out = ui.results()?;
    let is_json = matches!(args.output, ReadFormat::Json | ReadFormat::Compact) && !args.raw;
    let unfit = match args.output {
        ReadFormat::Table => reading.print_tables(&mut out)?,
        _ if is_json => reading.print_object(&mut out)?,
        _ => reading.print_each(&mut out)?,
    };
    output(out.flush())?;
    kinds.extend(unfit.iter().map(|(_, error)| error.kind));
    Ok(exit_of(contents.len() - unfit.len(), &kinds))
}

fn content(member: &mut FleetMember, args: &ReadArgs, wanted: &Wanted) -> Result<Content, CliError> {
    let (mut content, composed) = read(args, &mut member.target)?;
    if let Some(beside) = included_beside(args, wanted, &content, &mut member.target)? {
        beside.notes.iter().for_each(|note| member.warn(&format!("{}: {note}", member.name)));
        content = beside.shown.map_or(content, Content::Text);
    }
    if lacks_includes(args, &content, composed.as_ref()) {
        member.warn(&no_includes(&member.name));
    }
    let (content, included) = match composed {
        None => (content, Vec::new()),
        Some(composed) if composed.is_valid() => {
            let included = included_names(&composed);
            (Content::Text(composed.text), included)
        }
        Some(composed) => {
            let errors = composed.diagnostics().iter().map(Diagnostics::errors).sum();
            return Err(CliError::broken_includes(&member.name, errors));
        }
    };
    let mut whole = match content {
        Content::Text(text) if args.output == ReadFormat::Conf => return Ok(Content::Text(text)),
        Content::Text(text) if !text.is_valid() => return Err(EngineError::BadConfig(text).into()),
        Content::Json(whole) => whole,
        text => text.to_json(),
    };
    if let (true, Some(members)) = (args.with_includes && !included.is_empty(), whole.as_object_mut()) {
        members.insert(WITH_INCLUDES.to_owned(), included.into());
    }
    Ok(Content::Json(without_static_streams(whole, args.skip_streams)))
}

/// What was read, and what is to be shown of it.
struct FleetReading<'a> {
    args: &'a ReadArgs,
    wanted: &'a Wanted,
    /// The configurations, with the names of their servers.
    contents: &'a [(String, Content)],
    masker: Option<&'a Masker>,
    ui: Ui,
}

impl<'a> FleetReading<'a> {
    /// Does something with each configuration; the errors are printed and returned.
    fn each(
        &self,
        mut show: impl FnMut(&'a str, &'a Content) -> Result<(), CliError>,
    ) -> Result<Vec<(String, CliError)>, CliError> {
        let mut errors = Vec::new();
        for (server, content) in self.contents {
            match show(server, content) {
                Err(error) if error.is_closed_output() => return Err(error),
                Err(error) => errors.push((server.clone(), error.at(server))),
                Ok(()) => {}
            }
        }
        print_errors(errors.iter().map(|(server, error)| (&**server, error)), self.ui);
        Ok(errors)
    }

    /// The same for each configuration that is known by its values.
    fn each_lookup(
        &self,
        mut show: impl FnMut(&'a str, &MaskedLookup<'_>) -> Result<(), CliError>,
    ) -> Result<Vec<(String, CliError)>, CliError> {
        self.each(|server, content| match content {
            Content::Json(whole) => show(server, &MaskedLookup { current: whole, masker: self.masker }),
            Content::Text(_) => Ok(()),
        })
    }

    /// The member of a server: its whole configuration, the value at the path, or a list of those at the paths.
    fn print_object(&self, out: &mut impl Write) -> Result<Vec<(String, CliError)>, CliError> {
        let (wanted, mut servers) = (self.wanted, Map::new());
        let errors = self.each_lookup(|server, current| {
            let mut values =
                wanted.paths.iter().map(|path| wanted.at(path, current).map(|found| found.into_value()));
            let value = match wanted.paths.len() {
                0 => current.value(&[]).unwrap_or_default(),
                1 => values.next().expect("there is a path")?,
                _ => Value::Array(values.collect::<Result<_, _>>()?),
            };
            servers.insert(server.to_owned(), value);
            Ok(())
        })?;
        output(print_json(self.args.output, &servers, out))?;
        Ok(errors)
    }

    fn print_each(&self, out: &mut impl Write) -> Result<Vec<(String, CliError)>, CliError> {
        let mut shown = 0;
        self.each(|server, content| {
            let mut text = Vec::new();
            match content {
                Content::Text(snapshot) => print_conf(self.wanted, snapshot, self.masker, &mut text)?,
                Content::Json(whole) => {
                    let current = MaskedLookup { current: whole, masker: self.masker };
                    print(self.args, self.wanted, &current, self.ui, &mut text)?;
                }
            }
            let heading = heading(shown, &[server.to_owned()]);
            shown += 1;
            output(writeln!(out, "{heading}").and_then(|()| out.write_all(&text)))
        })
    }

    /// Prints a table for each group, with the server in the first column.
    fn print_tables(&self, out: &mut impl Write) -> Result<Vec<(String, CliError)>, CliError> {
        let (args, wanted) = (self.args, self.wanted);
        let mut tables: Vec<FleetTable> = Vec::new();
        let mut kinds: Vec<Kind> = Vec::new();
        let errors = self.each_lookup(|server, current| {
            for (kind, names) in table_groups(wanted, current)? {
                kinds.extend((!kinds.contains(&kind)).then_some(kind));
                let Some((columns, order)) = columns(args, kind, &names, current) else { continue };
                let rows = group_table::rows(kind, &names, &columns, order.as_ref(), current);
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
            output(group_table::print(headings, rows, order.as_ref(), self.ui.screen(), out))?;
        }
        Ok(errors)
    }
}

/// One table for all servers.
struct FleetTable {
    kind: Kind,
    headings: Vec<String>,
    rows: Rows,
    order: Option<SortOrder>,
}

/// A row with the server in the first column.
fn with_server(server: &str, row: Vec<String>) -> Vec<String> {
    std::iter::once(server.to_owned()).chain(row).collect()
}

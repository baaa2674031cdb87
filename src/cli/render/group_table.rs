//! The tables of streams, lives and plugins: one line for each of them.

use std::cmp::Ordering;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::table;
use crate::error::Error;
use mediaconf::{Config, DirectiveRole, Kind, Path, Schema, Scope, one_line};

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// The text of a cell, of the name of an entry, its values, and the authorization that holds for all.
type CellText = fn(&str, &Value, Option<&str>) -> Option<String>;

/// A column of a table.
struct Column {
    heading: String,
    text: Cell,
}

/// What a cell shows of an entry.
enum Cell {
    Named(CellText),
    /// The value at a path below the entry.
    At(Path),
}

/// The columns of a group that have names of their own; all of them are shown by default.
fn named_columns(kind: Kind) -> &'static [(&'static str, CellText)] {
    const NAME: (&str, CellText) = ("NAME", |name, _, _| Some(one_line(name)));
    // The authorization that holds, be it global.
    const AUTH: (&str, CellText) = ("AUTH", |_, entry, global| {
        let own = authorization(&entry[DirectiveRole::Backend.key(Scope::Stream)]);
        own.or(global.map(str::to_owned))
    });
    const KIND: (&str, CellText) = ("KIND", |_, entry, _| {
        Some(if entry[Schema::STATIC] == true { "stream" } else { "ondemand" }.to_owned())
    });
    const PREPUSH: (&str, CellText) = ("PREPUSH", |_, entry, _| match &entry["prepush"] {
        Value::Number(seconds) => Some(seconds.to_string()),
        Value::Bool(false) => Some("off".to_owned()),
        _ => None,
    });
    const SOURCES: (&str, CellText) = ("SOURCES", |_, entry, _| {
        let sources = entry[DirectiveRole::Sources.key(Scope::Stream)].as_array()?.iter();
        let urls = sources.filter_map(|source| source[Schema::SOURCE_ADDRESS].as_str()).map(one_line);
        Some(urls.collect::<Vec<_>>().join(" "))
    });
    const PUBLISH: (&str, CellText) = ("PUBLISH", |_, entry, _| {
        Some(if entry["publish_enabled"] == false { "no" } else { "yes" }.to_owned())
    });
    const SETTINGS: (&str, CellText) = ("SETTINGS", |_, entry, _| {
        let own =
            entry.as_object()?.iter().filter(|(key, _)| !matches!(key.as_str(), "name" | Schema::POSITION));
        let pairs = own.map(|(key, value)| format!("{}={}", one_line(key), in_words(value)));
        Some(pairs.collect::<Vec<_>>().join(" "))
    });
    match kind {
        Kind::Streams => &[NAME, KIND, AUTH, PREPUSH, SOURCES],
        Kind::Lives => &[NAME, PUBLISH, AUTH],
        _ => &[NAME, SETTINGS],
    }
}

fn in_words(value: &Value) -> String {
    value.as_str().map_or_else(|| one_line(&value.to_string()), one_line)
}

/// The URL of the authorization backend, or `open` where access is free.
fn authorization(auth: &Value) -> Option<String> {
    match &auth["url"] {
        Value::Bool(false) => Some("open".to_owned()),
        Value::String(url) => Some(one_line(url)),
        _ => None,
    }
}

impl Column {
    /// The column with this name: one of the default ones, in any case, or the path of a value below an entry.
    ///
    /// # Errors
    /// `Usage` for a name that is neither, and for a path that no entry of the group can have.
    fn named(kind: Kind, name: &str) -> Result<Self, Error> {
        let heading = name.to_uppercase();
        let known = named_columns(kind).iter().find(|(known, _)| *known == heading);
        let path = Path::parse(name).ok();
        // The members of plugins are free.
        let unknown = path.as_ref().map_or(Some(None), |path| path.unknown_below(kind).filter(|_| kind != Kind::Plugins));
        let text = match (known, path, unknown) {
            (Some((_, text)), ..) => Cell::Named(*text),
            (None, Some(path), None) => Cell::At(path),
            (.., hint) => {
                let names = || format!("known are {}", Self::names(kind).join(", "));
                let message = format!("there is no column `{}`", one_line(name));
                return Err(Error::usage(message, hint.flatten().unwrap_or_else(names)));
            }
        };
        Ok(Self { heading: one_line(&heading), text })
    }

    /// The names that `--columns` and `--sort` take for this group.
    fn names(kind: Kind) -> Vec<String> {
        let named = named_columns(kind).iter().map(|(name, _)| name.to_lowercase());
        named.chain(kind.scope().rows().map(|row| row.key.to_owned())).collect()
    }

    fn text(&self, name: &str, entry: &Value, global: Option<&str>) -> String {
        let found = match &self.text {
            Cell::Named(text) => text(name, entry, global),
            Cell::At(path) => {
                let found = Config::from(entry).select(path).map(|found| found.into_places());
                let values = found.unwrap_or_default();
                Some(values.iter().map(|(_, value)| in_words(value)).collect::<Vec<_>>().join(" "))
            }
        };
        found.filter(|text| !text.is_empty()).unwrap_or(NOTHING.to_owned())
    }
}

/// One table; each row has its sort key.
struct GroupTable {
    kind: Kind,
    headings: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

/// Tables with these columns, one for each group.
pub struct GroupTables<'a> {
    /// Those of the group, if there are none.
    columns: &'a [String],
    /// The column that the rows are sorted by.
    sort: Option<&'a str>,
    is_descending: bool,
    tables: Vec<GroupTable>,
}

impl<'a> GroupTables<'a> {
    /// No table yet.
    pub fn new(columns: &'a [String], sort: Option<&'a str>) -> Self {
        let descending = sort.and_then(|sort| sort.strip_prefix('-'));
        Self { columns, sort: descending.or(sort), is_descending: descending.is_some(), tables: Vec::new() }
    }

    /// Adds entries of a group. Those of several servers share a table, with the server in the first column. Masks are
    /// in `current` already.
    ///
    /// # Errors
    /// `Usage` for a column that the group does not have.
    pub fn add(
        &mut self,
        kind: Kind,
        names: &[String],
        current: &Config<'_>,
        server: Option<&str>,
    ) -> Result<(), Error> {
        let default = || named_columns(kind).iter().map(|(name, _)| (*name).to_owned()).collect();
        let given = if self.columns.is_empty() { default() } else { self.columns.to_vec() };
        let columns = given.iter().map(|name| Column::named(kind, name)).collect::<Result<Vec<_>, _>>()?;
        let order = self.sort.map(|name| Column::named(kind, name)).transpose()?;
        let global =
            current.value(&[DirectiveRole::Backend.key(Scope::Top)]).and_then(|auth| authorization(&auth));
        let global = global.map(|auth| format!("{auth} (global)"));
        let row = |name: &String| {
            let entry = current.value(&[kind.key(), name])?;
            let text = |column: &Column| column.text(name, &entry, global.as_deref());
            let key = order.iter().map(text).collect();
            Some((key, server.map(str::to_owned).into_iter().chain(columns.iter().map(text)).collect()))
        };
        let at = self.tables.iter().position(|table| table.kind == kind).unwrap_or_else(|| {
            let headings = columns.iter().map(|column| column.heading.clone());
            let headings = server.map(|_| "SERVER".to_owned()).into_iter().chain(headings).collect();
            self.tables.push(GroupTable { kind, headings, rows: Vec::new() });
            self.tables.len() - 1
        });
        self.tables[at].rows.extend(names.iter().filter_map(row));
        Ok(())
    }

    /// Prints the tables, sorted, one below the other.
    pub fn print(self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        for (at, GroupTable { headings, mut rows, .. }) in self.tables.into_iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            // Without a column to sort by, all keys are equal.
            rows.sort_by(|(a, _), (b, _)| compare(a, b, self.is_descending));
            let rows = std::iter::once(headings).chain(rows.into_iter().map(|(_, row)| row)).collect();
            table::print(rows, width, out)?;
        }
        Ok(())
    }
}

/// Compares two cells: numbers by their value and before text; nothing is at the end in either direction.
fn compare(a: &str, b: &str, is_descending: bool) -> Ordering {
    let rank = |cell: &str| cell.parse::<i64>().map_or((1, 0), |number| (0, number));
    let ordering = rank(a).cmp(&rank(b)).then_with(|| a.cmp(b));
    let values = if is_descending { ordering.reverse() } else { ordering };
    (a == NOTHING).cmp(&(b == NOTHING)).then(values)
}

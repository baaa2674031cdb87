//! The tables of streams, lives and plugins: one line for each of them.

use std::cmp::Ordering;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::table;
use crate::error::Error;
use mediaconf::{Config, DirectiveRole, Kind, Path, Schema, Scope, Segment, one_line};

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// The text of a cell, of the name of an entry, its values, and the authorization that holds for all.
type CellText = fn(&str, &Value, Option<&str>) -> Option<String>;

/// A column of a table.
#[derive(Clone)]
pub struct Column {
    heading: String,
    text: Cell,
}

/// What a cell shows of an entry.
#[derive(Clone)]
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
    /// The column with this name: one of the default ones, in any case, or the path of a value below
    /// an entry; `None` if it is neither.
    fn named(kind: Kind, name: &str) -> Option<Self> {
        let heading = name.to_uppercase();
        let text = match named_columns(kind).iter().find(|(known, _)| *known == heading) {
            Some((_, text)) => Cell::Named(*text),
            None => Cell::At(Path::parse(name).ok()?),
        };
        Some(Self { heading: one_line(&heading), text })
    }

    /// True if it can show anything of this group: a known value, or one that an entry has.
    fn fits(&self, kind: Kind, current: &Config<'_>, names: &[String]) -> bool {
        let has = |name: &String| {
            let entry = current.value(&[kind.key(), name]);
            entry.is_some_and(|entry| self.values(&entry).is_none_or(|values| !values.is_empty()))
        };
        self.unknown_hint(kind).is_none() || names.iter().any(has)
    }

    /// The values at the path of the column; `None` if it has none, or the path leads nowhere.
    fn values(&self, entry: &Value) -> Option<Vec<Value>> {
        let Cell::At(path) = &self.text else { return None };
        let found = Config::from(entry).select(path).map(|found| found.into_places());
        Some(found.unwrap_or_default().into_iter().map(|(_, value)| value).collect())
    }

    /// Advice, as far as there is any, about a path that the schema does not have in this group.
    fn unknown_hint(&self, kind: Kind) -> Option<Option<String>> {
        let Cell::At(path) = &self.text else { return None };
        let has_glob = || path.segments.iter().any(|one| matches!(one, Segment::Matching(_)));
        path.unknown_below(kind).or_else(|| has_glob().then_some(None))
    }

    /// The names that `--columns` and `--sort` take for this group.
    pub fn names(kind: Kind) -> Vec<String> {
        let named = named_columns(kind).iter().map(|(name, _)| name.to_lowercase());
        named.chain(kind.scope().rows().map(|row| row.key.to_owned())).collect()
    }

    fn text(&self, name: &str, entry: &Value, global: Option<&str>) -> String {
        let found = match &self.text {
            Cell::Named(text) => text(name, entry, global),
            Cell::At(_) => {
                let values = self.values(entry).unwrap_or_default();
                Some(values.iter().map(in_words).collect::<Vec<_>>().join(" "))
            }
        };
        found.filter(|text| !text.is_empty()).unwrap_or(NOTHING.to_owned())
    }
}

/// One table; each row has its sort key.
pub struct GroupTable {
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
    /// The groups of all entries that were added.
    kinds: Vec<Kind>,
    tables: Vec<GroupTable>,
}

impl<'a> GroupTables<'a> {
    /// No table yet.
    pub fn new(columns: &'a [String], sort: Option<&'a str>) -> Self {
        let descending = sort.and_then(|sort| sort.strip_prefix('-'));
        let is_descending = descending.is_some();
        Self { columns, sort: descending.or(sort), is_descending, kinds: Vec::new(), tables: Vec::new() }
    }

    /// Adds the entries of a group that has the columns. Those of several servers share a table, with the server in the
    /// first column. Masks are in `current` already.
    pub fn add(&mut self, kind: Kind, names: &[String], current: &Config<'_>, server: Option<&str>) {
        self.kinds.extend((!self.kinds.contains(&kind)).then_some(kind));
        let column =
            |name: &str| Column::named(kind, name).filter(|column| column.fits(kind, current, names));
        let columns: Option<Vec<Column>> = match self.columns {
            [] => named_columns(kind).iter().map(|(name, _)| column(name)).collect(),
            given => given.iter().map(|name| column(name)).collect(),
        };
        let order = self.sort.map(column);
        let (Some(columns), None | Some(Some(_))) = (columns, &order) else { return };
        let global =
            current.value(&[DirectiveRole::Backend.key(Scope::Top)]).and_then(|auth| authorization(&auth));
        let global = global.map(|auth| format!("{auth} (global)"));
        let row = |name: &String| {
            let entry = current.value(&[kind.key(), name])?;
            let text = |column: &Column| column.text(name, &entry, global.as_deref());
            let key = order.iter().flatten().map(text).collect();
            Some((key, server.map(str::to_owned).into_iter().chain(columns.iter().map(text)).collect()))
        };
        let known = self.tables.iter().position(|table| server.is_some() && table.kind == kind);
        let at = known.unwrap_or_else(|| {
            let headings = columns.iter().map(|column| column.heading.clone());
            let headings = server.map(|_| "SERVER".to_owned()).into_iter().chain(headings).collect();
            self.tables.push(GroupTable { kind, headings, rows: Vec::new() });
            self.tables.len() - 1
        });
        self.tables[at].rows.extend(names.iter().filter_map(row));
    }

    /// The tables, sorted; where columns are given for `any` group, the first one that has them.
    ///
    /// # Errors
    /// `Usage` for columns that no group has.
    pub fn some(mut self, any: bool) -> Result<Vec<GroupTable>, Error> {
        if self.tables.is_empty() && !self.kinds.is_empty() {
            return Err(self.no_such_column());
        }
        let is_one = any && !(self.columns.is_empty() && self.sort.is_none());
        self.tables.truncate(if is_one { 1 } else { usize::MAX });
        if self.sort.is_some() {
            let rows = self.tables.iter_mut().map(|table| &mut table.rows);
            rows.for_each(|rows| rows.sort_by(|(a, _), (b, _)| compare(a, b, self.is_descending)));
        }
        Ok(self.tables)
    }

    /// The error for columns that no group has.
    fn no_such_column(&self) -> Error {
        let mut asked = self.columns.iter().map(String::as_str).chain(self.sort);
        // What is wrong with a column in each group; a text that is no path has no advice.
        let hints = |name: &str| -> Option<Vec<Option<String>>> {
            let hint =
                |kind| Column::named(kind, name).map_or(Some(None), |column| column.unknown_hint(kind));
            self.kinds.iter().map(|kind| hint(*kind)).collect()
        };
        let (message, hint) = match asked.find_map(|name| Some((name, hints(name)?))) {
            Some((name, hints)) => {
                (format!("there is no column `{}`", one_line(name)), hints.into_iter().flatten().next())
            }
            None => ("no table has all of these columns".to_owned(), None),
        };
        let mut known: Vec<String> = Vec::new();
        for name in self.kinds.iter().flat_map(|kind| Column::names(*kind)) {
            known.extend((!known.contains(&name)).then_some(name));
        }
        let known = known.join(", ");
        let hint = match hint {
            Some(hint) if hint.ends_with('?') => format!("{hint} Known are {known}"),
            hint => hint.unwrap_or_else(|| format!("known are {known}")),
        };
        Error::usage(message, hint)
    }
}

/// Compares two cells: numbers by their value and before text; nothing is at the end in either direction.
fn compare(a: &str, b: &str, is_descending: bool) -> Ordering {
    let rank = |cell: &str| cell.parse::<i64>().map_or((1, 0), |number| (0, number));
    let ordering = rank(a).cmp(&rank(b)).then_with(|| a.cmp(b));
    let values = if is_descending { ordering.reverse() } else { ordering };
    (a == NOTHING).cmp(&(b == NOTHING)).then(values)
}

/// Prints tables, one below the other.
pub fn print(tables: Vec<GroupTable>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, GroupTable { headings, rows, .. }) in tables.into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let rows = std::iter::once(headings).chain(rows.into_iter().map(|(_, row)| row)).collect();
        table::print(rows, width, out)?;
    }
    Ok(())
}

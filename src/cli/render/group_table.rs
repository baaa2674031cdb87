//! The tables of streams, lives and plugins: one line for each of them.

use std::cmp::Ordering;
use std::io::{self, Write};

use serde_json::Value;

use crate::cli::render::table::{self, JoinedRow, Screen};
use crate::error::Error;
use mediaconf::{Config, DirectiveRole, Kind, POSITION, Path, SOURCE, STATIC, Scope, Segment, one_line};

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    heading: String,
    cell: Cell,
}

/// The content of a cell.
#[derive(Debug, Clone)]
enum Cell {
    Name,
    /// `stream` or `ondemand`.
    Kind,
    /// The authorization that holds, be it global.
    Auth,
    Prepush,
    /// The URLs of the sources.
    Sources,
    /// True if streams may be published to a live.
    Publish,
    /// All own values.
    Settings,
    /// The value at a path below the entry.
    At(Path),
}

/// The columns of a group that have names of their own; all of them are shown by default.
fn named_columns(kind: Kind) -> &'static [(&'static str, Cell)] {
    const NAME: (&str, Cell) = ("NAME", Cell::Name);
    const AUTH: (&str, Cell) = ("AUTH", Cell::Auth);
    if kind == Kind::Streams {
        &[NAME, ("KIND", Cell::Kind), AUTH, ("PREPUSH", Cell::Prepush), ("SOURCES", Cell::Sources)]
    } else if kind == Kind::Lives {
        &[NAME, ("PUBLISH", Cell::Publish), AUTH]
    } else {
        &[NAME, ("SETTINGS", Cell::Settings)]
    }
}

impl Column {
    /// The columns that a group has by default.
    fn default_of(kind: Kind) -> Vec<Self> {
        let column =
            |(heading, cell): &(&str, Cell)| Self { heading: (*heading).to_owned(), cell: cell.clone() };
        named_columns(kind).iter().map(column).collect()
    }

    /// The column with this name: one of the default ones, in any case, or the path of a value below
    /// an entry; `None` if it is neither.
    pub fn named(kind: Kind, name: &str) -> Option<Self> {
        let heading = name.to_uppercase();
        if let Some((_, cell)) = named_columns(kind).iter().find(|(known, _)| *known == heading) {
            return Some(Self { heading, cell: cell.clone() });
        }
        Path::parse(name).ok().map(|path| Self { heading, cell: Cell::At(path) })
    }

    /// The headings of columns.
    fn headings(columns: &[Self]) -> Vec<String> {
        columns.iter().map(|column| one_line(&column.heading)).collect()
    }

    /// True if it can show anything of this group: a known value, or one that an entry has.
    fn fits(&self, kind: Kind, current: &Config<'_>, names: &[String]) -> bool {
        let Cell::At(path) = &self.cell else { return true };
        let has = |name: &String| {
            let found =
                current.value(&[kind.key(), name]).and_then(|entry| Config::from(&entry).select(path).ok());
            found.is_some_and(|found| !found.into_places().is_empty())
        };
        self.unknown_hint(kind).is_none() || names.iter().any(has)
    }

    /// Advice, as far as there is any, about a path that the schema does not have in this group.
    fn unknown_hint(&self, kind: Kind) -> Option<Option<String>> {
        let Cell::At(path) = &self.cell else { return None };
        let has_glob = || path.segments.iter().any(|one| matches!(one, Segment::Matching(_)));
        path.unknown_below(kind).or_else(|| has_glob().then_some(None))
    }

    /// The names that `--columns` and `--sort` take for this group.
    pub fn names(kind: Kind) -> Vec<String> {
        let named = named_columns(kind).iter().map(|(name, _)| name.to_lowercase());
        named.chain(kind.scope().rows().map(|row| row.key.to_owned())).collect()
    }
}

/// The order of the rows.
#[derive(Debug, Clone)]
struct SortOrder {
    column: Column,
    is_descending: bool,
}

/// A row with its sort key.
type SortedRow = (Box<str>, JoinedRow);

/// One table.
pub struct GroupTable {
    kind: Kind,
    headings: JoinedRow,
    rows: Vec<SortedRow>,
    order: Option<SortOrder>,
}

/// Tables with these columns, one for each group.
pub struct GroupTables<'a> {
    /// Those of the group, if there are none.
    columns: &'a [String],
    sort: Option<&'a str>,
    /// The groups of all entries that were added.
    kinds: Vec<Kind>,
    tables: Vec<GroupTable>,
}

impl<'a> GroupTables<'a> {
    /// No table yet.
    pub fn new(columns: &'a [String], sort: Option<&'a str>) -> Self {
        Self { columns, sort, kinds: Vec::new(), tables: Vec::new() }
    }

    /// Adds the entries of a group that has the columns. Those of several servers share a table, with the server in the
    /// first column.
    pub fn add(&mut self, kind: Kind, names: &[String], current: &Config<'_>, server: Option<&str>) {
        self.kinds.extend((!self.kinds.contains(&kind)).then_some(kind));
        let Some((columns, order)) = self.columns(kind, names, current) else { return };
        let known = self.tables.iter().position(|table| server.is_some() && table.kind == kind);
        let at = known.unwrap_or_else(|| {
            let headings = server.map(|_| "SERVER".to_owned()).into_iter().chain(Column::headings(&columns));
            let headings = JoinedRow::new(headings);
            self.tables.push(GroupTable { kind, headings, rows: Vec::new(), order: order.clone() });
            self.tables.len() - 1
        });
        self.tables[at].rows.extend(rows((kind, names), &columns, order.as_ref(), current, server));
    }

    /// The tables; where columns are given for `any` group, the first one that has them.
    ///
    /// # Errors
    /// `Usage` for columns that no group has.
    pub fn some(mut self, any: bool) -> Result<Vec<GroupTable>, Error> {
        if self.tables.is_empty() && !self.kinds.is_empty() {
            return Err(self.no_such_column());
        }
        let is_one = any && !(self.columns.is_empty() && self.sort.is_none());
        self.tables.truncate(if is_one { 1 } else { usize::MAX });
        Ok(self.tables)
    }

    /// The columns and the order of a table; `None` if one of them is not of this group.
    fn columns(
        &self,
        kind: Kind,
        names: &[String],
        current: &Config<'_>,
    ) -> Option<(Vec<Column>, Option<SortOrder>)> {
        let column =
            |name: &str| Column::named(kind, name).filter(|column| column.fits(kind, current, names));
        let columns = match self.columns {
            [] => Column::default_of(kind),
            given => given.iter().map(|name| column(name)).collect::<Option<_>>()?,
        };
        let Some(sort) = self.sort else { return Some((columns, None)) };
        let (name, is_descending) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
        Some((columns, Some(SortOrder { column: column(name)?, is_descending })))
    }

    /// The error for columns that no group has.
    fn no_such_column(&self) -> Error {
        let kinds = &self.kinds;
        let sorted_by = self.sort.iter().map(|sort| sort.trim_start_matches('-'));
        let asked = self.columns.iter().map(String::as_str).chain(sorted_by);
        // What is wrong with a column in each group; a text that is no path has no advice.
        let hints = |name: &str| -> Option<Vec<Option<String>>> {
            let hint =
                |kind| Column::named(kind, name).map_or(Some(None), |column| column.unknown_hint(kind));
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
        Error::usage(
            message,
            match hint {
                Some(hint) if hint.ends_with('?') => format!("{hint} Known are {known}"),
                Some(hint) => hint,
                None => format!("known are {known}"),
            },
        )
    }
}

/// Makes one row for each of these entries, with the server in front, if there are several. Masks are in `current`
/// already.
fn rows<'r>(
    (kind, names): (Kind, &'r [String]),
    columns: &'r [Column],
    order: Option<&'r SortOrder>,
    current: &'r Config<'r>,
    server: Option<&'r str>,
) -> impl Iterator<Item = SortedRow> + use<'r> {
    let global =
        current.value(&[DirectiveRole::Backend.key(Scope::Top)]).and_then(|auth| authorization(&auth));
    let global = global.map(|auth| format!("{auth} (global)"));
    let row = move |name: &String| {
        let entry = current.value(&[kind.key(), name])?;
        let text = |column: &Column| column.text(name, &entry, global.as_deref());
        let key = order.map(|order| text(&order.column)).unwrap_or_default();
        let server = server.map(str::to_owned).into_iter();
        Some((key.into(), JoinedRow::new(server.chain(columns.iter().map(text)))))
    };
    names.iter().filter_map(row)
}

/// Prints tables, one below the other.
pub fn print(tables: Vec<GroupTable>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    for (at, GroupTable { headings, mut rows, order, .. }) in tables.into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        if let Some(order) = order {
            rows.sort_by(|(a, _), (b, _)| compare(a, b, order.is_descending));
        }
        let rows = std::iter::once(headings).chain(rows.into_iter().map(|(_, row)| row)).collect();
        table::print(rows, screen, out)?;
    }
    Ok(())
}

/// Compares two cells: numbers by their value and before text; nothing is at the end in either direction.
fn compare(a: &str, b: &str, is_descending: bool) -> Ordering {
    let rank = |cell: &str| cell.parse::<i64>().map_or((1, 0), |number| (0, number));
    let ordering = rank(a).cmp(&rank(b)).then_with(|| a.cmp(b));
    let values = if is_descending { ordering.reverse() } else { ordering };
    (a == NOTHING).cmp(&(b == NOTHING)).then(values)
}

impl Column {
    fn text(&self, name: &str, entry: &Value, global: Option<&str>) -> String {
        let found = match &self.cell {
            Cell::Name => Some(one_line(name)),
            Cell::Kind => Some(if entry[STATIC] == true { "stream" } else { "ondemand" }.to_owned()),
            Cell::Auth => {
                authorization(&entry[DirectiveRole::Backend.key(Scope::Stream)]).or(global.map(str::to_owned))
            }
            Cell::Prepush => match &entry["prepush"] {
                Value::Number(seconds) => Some(seconds.to_string()),
                Value::Bool(false) => Some("off".to_owned()),
                _ => None,
            },
            Cell::Sources => sources(entry),
            Cell::Publish => Some(if entry["publish_enabled"] == false { "no" } else { "yes" }.to_owned()),
            Cell::Settings => settings(entry),
            Cell::At(path) => Config::from(entry).select(path).ok().map(|found| {
                let values = found.into_places();
                values.iter().map(|(_, value)| in_words(value)).collect::<Vec<_>>().join(" ")
            }),
        };
        found.filter(|text| !text.is_empty()).unwrap_or(NOTHING.to_owned())
    }
}

fn sources(stream: &Value) -> Option<String> {
    let sources = stream[DirectiveRole::Sources.key(Scope::Stream)].as_array()?.iter();
    let urls: Vec<String> =
        sources.filter_map(|source| source[SOURCE.address].as_str()).map(one_line).collect();
    Some(urls.join(" "))
}

fn settings(plugin: &Value) -> Option<String> {
    let own = plugin.as_object()?.iter().filter(|(key, _)| !matches!(key.as_str(), "name" | POSITION));
    let pairs: Vec<String> =
        own.map(|(key, value)| format!("{}={}", one_line(key), in_words(value))).collect();
    Some(pairs.join(" "))
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        value => one_line(&value.to_string()),
    }
}

/// The URL of the authorization backend, or `open` where access is free.
fn authorization(auth: &Value) -> Option<String> {
    match &auth["url"] {
        Value::Bool(false) => Some("open".to_owned()),
        Value::String(url) => Some(one_line(url)),
        _ => None,
    }
}

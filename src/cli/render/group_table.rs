//! The tables of streams, lives and plugins: one line for each of them.

use serde_json::Value;

use crate::error::Error;
use mediaconf::{Config, DirectiveRole, Kind, Path, Schema, Scope, Segment, ValueSource, one_line};

/// Stands for a value that is not there.
const NOTHING: &str = "-";

/// The text of a cell, of the name of an entry, its values, and the authorization that holds for all.
type CellText = fn(&str, &Value, Option<&str>) -> Option<String>;

/// A column of a table.
struct Column {
    heading: String,
    cell: Cell,
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
        authorization(&entry[DirectiveRole::Backend.key(Scope::Stream)]).or(global.map(str::to_owned))
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
        let urls = sources.filter_map(|source| source[Schema::ADDRESS].as_str()).map(one_line);
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
    /// The column with this name: one of those with a name, in any case, or the path of a value below an entry.
    fn named(kind: Kind, name: &str) -> Result<Self, Error> {
        let heading = name.to_uppercase();
        let cell = match named_columns(kind).iter().find(|(known, _)| *known == heading) {
            Some((_, text)) => Cell::Named(*text),
            None => Cell::At(Path::parse(name).map_err(|_| no_such_column(kind, name, None))?),
        };
        Ok(Self { heading: one_line(&heading), cell })
    }

    /// Where the value of an entry comes from, if it is not its own: `template low`, `global`.
    fn origin(&self, kind: Kind, name: &str, own: &Config<'_>) -> Option<String> {
        let below = match &self.cell {
            Cell::At(path) => path.segments.clone(),
            Cell::Named(_) => vec![Segment::Key(self.heading.to_lowercase())],
        };
        let entry = [kind.key(), name].map(|key| Segment::Key(key.to_owned()));
        let found = own.holds(&Path { segments: [&entry[..], &below].concat() }).ok()??;
        match (found.source, &found.set_at?.segments[..]) {
            (ValueSource::Template, [_, name, ..]) => Some(format!("template {}", one_line(name.name()?))),
            (ValueSource::Global, _) => Some("global".to_owned()),
            _ => None,
        }
    }

    fn text(&self, name: &str, entry: &Value, global: Option<&str>) -> String {
        let found = match &self.cell {
            Cell::Named(text) => text(name, entry, global),
            Cell::At(path) => Config::from(entry).select(path).ok().map(|found| {
                let values = found.into_places().into_iter().map(|(_, value)| in_words(&value));
                values.collect::<Vec<_>>().join(" ")
            }),
        };
        found.filter(|text| !text.is_empty()).unwrap_or(NOTHING.to_owned())
    }
}

/// The table of a group, with the server in the first column where there are several.
pub struct GroupTable {
    pub kind: Kind,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    has_servers: bool,
}

impl GroupTable {
    /// A table with these columns; those of the group, if there are none.
    ///
    /// # Errors
    /// `Usage` for what is no column.
    pub fn new(kind: Kind, columns: &[String]) -> Result<Self, Error> {
        let own = named_columns(kind).iter().filter(|_| columns.is_empty()).map(|(name, _)| *name);
        let names = columns.iter().map(String::as_str).chain(own);
        let columns = names.map(|name| Column::named(kind, name)).collect::<Result<_, _>>()?;
        Ok(Self { kind, columns, rows: Vec::new(), has_servers: false })
    }

    /// Adds entries of the group. Masks are in `current` already.
    ///
    /// `origins` are the values without those of templates and of the top level, if these are in `current`, too: a cell says
    /// where such a value comes from.
    pub fn add(
        &mut self,
        names: &[String],
        current: &Config<'_>,
        origins: Option<&Config<'_>>,
        server: Option<&str>,
    ) {
        let global =
            current.value(&[DirectiveRole::Backend.key(Scope::Top)]).and_then(|auth| authorization(&auth));
        let global = global.map(|auth| format!("{auth} (global)"));
        self.has_servers |= server.is_some();
        for name in names {
            let Some(entry) = current.value(&[self.kind.key(), name]) else { continue };
            let origin = |column: &Column| column.origin(self.kind, name, origins?);
            let text = |column: &Column| {
                let text = column.text(name, &entry, global.as_deref());
                origin(column).map_or_else(|| text.clone(), |origin| format!("{text} ({origin})"))
            };
            let cells = server.map(str::to_owned).into_iter().chain(self.columns.iter().map(text));
            self.rows.push(cells.collect());
        }
    }

    /// The headings, and the rows below them.
    ///
    /// # Errors
    /// `Usage` for a column that is not known, and for which no entry has a value.
    pub fn parts(self) -> Result<(Vec<String>, Vec<Vec<String>>), Error> {
        let offset = usize::from(self.has_servers);
        let is_empty = |at: usize| self.rows.iter().all(|cells| cells[offset + at] == NOTHING);
        for (at, column) in self.columns.iter().enumerate() {
            let Cell::At(path) = &column.cell else { continue };
            // Advice, as far as there is any, about a path that the schema does not have in a group.
            let has_glob = path.segments.iter().any(|one| matches!(one, Segment::Matching(_)));
            let unknown = path.unknown_below(self.kind).or_else(|| has_glob.then_some(None));
            if let Some(hint) = unknown.filter(|_| is_empty(at)) {
                return Err(no_such_column(self.kind, &path.to_string(), hint));
            }
        }
        let headings = self.columns.into_iter().map(|column| column.heading);
        let server = self.has_servers.then(|| "SERVER".to_owned());
        Ok((server.into_iter().chain(headings).collect(), self.rows))
    }
}

fn no_such_column(kind: Kind, name: &str, hint: Option<String>) -> Error {
    let mut known: Vec<String> = named_columns(kind).iter().map(|(name, _)| name.to_lowercase()).collect();
    kind.scope()
        .rows()
        .for_each(|row| known.extend((!known.contains(&row.key.into())).then(|| row.key.into())));
    let known = known.join(", ");
    let hint = match hint {
        Some(hint) if hint.ends_with('?') => format!("{hint} Known are {known}"),
        hint => hint.unwrap_or_else(|| format!("known are {known}")),
    };
    Error::usage(format!("there is no column `{}`", one_line(name)), hint)
}

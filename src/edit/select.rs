//! The values at a path: `mediactl read PATH`.

use std::fmt;

use serde_json::{Map, Value};

use super::config_lookup::Current;
use super::emit::scalar_text;
use super::misfit::Misfit;
use super::path::{Path, Segment};
use super::schema_path::Place;
use super::shown_path::shown;
use super::suggestion::{did_you_mean, keys, with_quoted_name};

/// What a path finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// A path without `*`: its value.
    One(Value),
    /// A path with `*`: each place that it stands for and where something is, in order.
    Many(Vec<(Path, Value)>),
}

impl Selection {
    /// The value, or one object from path to value.
    pub fn into_value(self) -> Value {
        match self {
            Self::One(value) => value,
            Self::Many(found) => Value::Object(Map::from_iter(
                found.into_iter().map(|(path, value)| (path.to_string(), value)),
            )),
        }
    }
}

/// Why a path finds nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectFault {
    /// Whether the path is fine and there is just nothing.
    pub kind: SelectFaultKind,
    /// The path.
    pub path: String,
    /// Lower case, no full stop.
    pub message: String,
    /// Advice, where there is any.
    pub hint: Option<String>,
}

/// The kinds of [`SelectFault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectFaultKind {
    /// Nothing is at the path.
    Absent,
    /// The path names no one place: `[+]`, or an entry that there is twice.
    Unclear,
}

impl fmt::Display for SelectFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, self.message)
    }
}

/// Evaluates `path`.
pub fn select(current: &dyn Current, path: &Path) -> Result<Selection, SelectFault> {
    if !path.segments.contains(&Segment::Every) {
        return one(current, path).map(Selection::One);
    }
    let mut found = Vec::new();
    every(current, path, &mut found)?;
    Ok(Selection::Many(found))
}

fn every(current: &dyn Current, path: &Path, found: &mut Vec<(Path, Value)>) -> Result<(), SelectFault> {
    let Some(at) = path.segments.iter().position(|segment| *segment == Segment::Every) else {
        found.push((path.clone(), one(current, path)?));
        return Ok(());
    };
    for name in names(current, path, at)? {
        let mut path = path.clone();
        path.segments[at] = Segment::Key(name);
        match every(current, &path, found) {
            Err(fault) if fault.kind == SelectFaultKind::Unclear => return Err(fault),
            // What one of many does not have is not missing.
            _ => {}
        }
    }
    Ok(())
}

/// The names for the `*` at segment `at`.
fn names(current: &dyn Current, path: &Path, at: usize) -> Result<Vec<String>, SelectFault> {
    let above = Path { segments: path.segments[..at].to_vec() };
    if let Some(keys) = keys(&above.segments) {
        let names = current.names(&keys);
        if !names.is_empty() || keys.is_empty() {
            return Ok(names);
        }
    }
    let whole = |fault| SelectFault { path: shown(path), ..fault };
    match one(current, &above).map_err(whole)? {
        Value::Object(members) => Ok(members.into_iter().map(|(name, _)| name).collect()),
        _ => Err(absent(path, Misfit::new("`*` stands for the members of an object, and here is none"))),
    }
}

fn one(current: &dyn Current, path: &Path) -> Result<Value, SelectFault> {
    let is_name = |segment: &&Segment| matches!(segment, Segment::Key(_));
    let names = path.segments.iter().take_while(is_name).count();
    let (above, in_list) = path.segments.split_at(names);
    let above = keys(above).expect("it was split in front of what is no name");
    let value = current.value(&above).ok_or_else(|| absent(path, missing(current, path, &above)))?;
    in_list.iter().try_fold(value, |value, segment| entry(value, segment, path))
}

fn entry(value: Value, segment: &Segment, path: &Path) -> Result<Value, SelectFault> {
    match (segment, value) {
        (Segment::Key(key), Value::Object(mut members)) => members
            .swap_remove(key)
            .ok_or_else(|| absent(path, Misfit::new(format!("the entry has no `{key}`")))),
        (Segment::Append, _) => Err(unclear(
            path,
            Misfit::new("`[+]` is a new entry, and can't be read").hint("`[0]` is the first"),
        )),
        (Segment::Index(at), Value::Array(mut entries)) => match *at < entries.len() {
            true => Ok(entries.swap_remove(*at)),
            false => Err(absent(path, out_of_range(entries.len()))),
        },
        (Segment::Find { key, value }, Value::Array(mut entries)) => {
            match find_by(&entries, key, value).map_err(|misfit| unclear(path, misfit))? {
                Some(at) => Ok(entries.swap_remove(at)),
                None => Err(absent(path, Misfit::new("no entry of the list is like this"))),
            }
        }
        (Segment::Key(key), _) => {
            Err(absent(path, Misfit::new(format!("there is no object with a `{key}`"))))
        }
        (segment, _) => Err(absent(path, Misfit::new(format!("there is no list for `{segment}`")))),
    }
}

fn absent(path: &Path, misfit: Misfit) -> SelectFault {
    fault(SelectFaultKind::Absent, path, misfit)
}

fn unclear(path: &Path, misfit: Misfit) -> SelectFault {
    fault(SelectFaultKind::Unclear, path, misfit)
}

fn fault(kind: SelectFaultKind, path: &Path, misfit: Misfit) -> SelectFault {
    SelectFault { kind, path: shown(path), message: misfit.message, hint: misfit.hint }
}

/// What of `keys`, the names that `path` begins with, is missing.
pub(super) fn missing(current: &dyn Current, path: &Path, keys: &[&str]) -> Misfit {
    let at = (0..keys.len()).find(|&at| !current.contains(&keys[..=at])).unwrap_or(keys.len() - 1);
    let (above, key) = (&keys[..at], keys[at]);
    if let Some(quoted) = with_quoted_name(current, path, at) {
        return not_there(above, key).hint(format!("a name with a dot is quoted: `{}`", shown(&quoted)));
    }
    match Place::of(&path.segments[..=at]) {
        Err(misfit) => misfit,
        Ok(Place::Own(_)) => Misfit::absent(format!("`{key}` is not set")),
        Ok(place) => {
            let misfit = match place {
                Place::Block(kind) => Misfit::absent(format!("there is no {} `{key}`", kind.noun())),
                _ => not_there(above, key),
            };
            Misfit { hint: did_you_mean(key, &current.names(above)), ..misfit }
        }
    }
}

fn not_there(above: &[&str], key: &str) -> Misfit {
    Misfit::absent(match above.last() {
        Some(above) => format!("there is no `{key}` in `{above}`"),
        None => format!("there is no `{key}`"),
    })
}

/// The only entry with this member; of several, none is meant more than the others.
pub(super) fn find_by(entries: &[Value], key: &str, value: &str) -> Result<Option<usize>, Misfit> {
    let is_meant = |entry: &Value| entry.get(key).and_then(scalar_text).is_some_and(|text| text == value);
    let mut found = entries.iter().enumerate().filter(|(_, entry)| is_meant(entry)).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(Misfit::new(format!("the entries [{first}] and [{second}] are both like this"))
                .hint("name one by its index"))
        }
        (only, _) => Ok(only),
    }
}

/// The fault of an index behind the end of a list.
pub(super) fn out_of_range(len: usize) -> Misfit {
    let entries = match len {
        0 => "no entries".to_owned(),
        1 => "one entry".to_owned(),
        _ => format!("{len} entries"),
    };
    Misfit::absent(format!("the list has {entries}, counted from 0"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::select;
    use crate::edit::config_lookup::{Current, LocalView};
    use crate::edit::path::Path;
    use crate::model::{Lens, top_members};
    use crate::syntax::Document;

    const TEXT: &str = "
        http 80 { api false; }
        stream b { url udp://3; prepush 5; }
        stream a { url udp://1 priority=1; url udp://2; url udp://2; title x; }
        stream cam.1 { prepush off; }
        ondemand later udp://5;
        file vod { path /srv; }
    ";

    /// On a document and on its JSON: the value, or `PATH: MESSAGE | HINT`.
    fn evaluate(lens: &Lens, path: &str) -> Result<Value, String> {
        let document = Document::parse(TEXT.to_owned());
        let members = top_members(&document);
        let local = LocalView::new(&members, lens);
        let remote = local.value(&[]).expect("the whole is always there");
        let path = Path::parse(path).expect(path);
        let found = select(&local, &path);
        assert_eq!(found, select(&remote, &path), "{path}");
        found.map(super::Selection::into_value).map_err(|fault| {
            let hint = fault.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
            format!("{fault}{hint}")
        })
    }

    #[test]
    fn a_path_finds_its_value() {
        for (path, expected) in [
            ("http", json!([80])),
            ("http[0]", json!(80)),
            ("http_options.80.api", json!(false)),
            ("plugins", json!({})),
            ("file.vod", json!({"path": "/srv"})),
            ("streams.a.urls[0].url", json!("udp://1")),
            ("streams.a.urls[url=udp://1].priority", json!(1)),
            ("streams.a.position", json!(2)),
            ("streams.\"cam.1\".prepush", json!(false)),
            ("streams.later.static", json!(false)),
            ("streams.*.prepush", json!({"streams.b.prepush": 5, "streams.\"cam.1\".prepush": false})),
            ("streams.*.urls[1].url", json!({"streams.a.urls[1].url": "udp://2"})),
            ("streams.a.urls[0].*", {
                json!({"streams.a.urls[0].url": "udp://1", "streams.a.urls[0].priority": 1})
            }),
            ("plugins.*", json!({})),
            ("*.vod.path", json!({"file.vod.path": "/srv"})),
        ] {
            assert_eq!(evaluate(&Lens::default(), path), Ok(expected), "{path}");
        }
    }

    #[test]
    fn what_is_not_there_comes_with_advice() {
        for (path, expected) in [
            ("rtmp", "`rtmp`: `rtmp` is not set"),
            ("stream", {
                "`stream`: `stream` is a keyword of the text, not a key of the JSON | did you mean `streams`?"
            }),
            ("streams.latr", "`streams.latr`: there is no stream `latr` | did you mean `later`?"),
            ("streams.cam.1.prepush", {
                "`streams.cam.1.prepush`: there is no `cam` in `streams` | a name with a dot is quoted: \
                 `streams.\"cam.1\".prepush`"
            }),
            ("streams.a.titel", "`streams.a.titel`: there is no `titel` in `a` | did you mean `title`?"),
            ("flie.vod", "`flie.vod`: there is no `flie` | did you mean `file`?"),
            ("flie.*", "`flie.*`: there is no `flie` | did you mean `file`?"),
            ("http[1]", "`http[1]`: the list has one entry, counted from 0"),
            ("http[+]", "`http[+]`: `[+]` is a new entry, and can't be read | `[0]` is the first"),
            ("streams.a.urls[url=x]", "`streams.a.urls[url=\"x\"]`: no entry of the list is like this"),
            ("streams.a.urls[url=udp://2]", {
                "`streams.a.urls[url=\"udp://2\"]`: the entries [1] and [2] are both like this | \
                 name one by its index"
            }),
            ("streams.a.urls[1].priority", "`streams.a.urls[1].priority`: the entry has no `priority`"),
            ("streams.a.title[0]", "`streams.a.title[0]`: there is no list for `[0]`"),
        ] {
            assert_eq!(evaluate(&Lens::default(), path), Err(expected.to_owned()), "{path}");
        }
    }

    #[test]
    fn the_lens_leaves_out_static_streams() {
        let lens = Lens { skip_static_streams: true, ..Lens::default() };
        assert_eq!(evaluate(&lens, "streams.*.position"), Ok(json!({"streams.later.position": 4})));
        assert!(evaluate(&lens, "streams.a.urls").is_err());
    }
}

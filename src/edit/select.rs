//! The values at a path: `mediactl read PATH`.

use serde_json::{Map, Value};

use super::config_lookup::Current;
use super::emit::scalar_text;
use super::misfit::{Misfit, PathFault};
use super::path::{Path, Segment};
use super::schema_path::Place;
use super::shown_path::shown;
use super::suggestion::{did_you_mean, keys, with_quoted_name};

/// The value at a path, or the values.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// The value at a path without `*`.
    One(Value),
    /// The values at the places that a path with `*` stands for, in order.
    Many(Vec<(Path, Value)>),
}

impl Selection {
    /// Returns the value, or one object from paths to values.
    pub fn into_value(self) -> Value {
        match self {
            Self::One(value) => value,
            Self::Many(found) => Value::Object(Map::from_iter(
                found.into_iter().map(|(path, value)| (path.to_string(), value)),
            )),
        }
    }
}

/// Returns the value at `path`, or the values that it stands for.
///
/// # Errors
/// An absence if no value is at the path; another misfit if the path does not name one place:
/// `[+]`, or an entry that is in the list twice.
pub fn select(current: &dyn Current, path: &Path) -> Result<Selection, PathFault> {
    if !path.segments.contains(&Segment::Every) {
        return one(current, path).map(Selection::One).map_err(|misfit| PathFault::new(path, misfit));
    }
    let mut found = Vec::new();
    every(current, path, &mut found)?;
    Ok(Selection::Many(found))
}

fn every(current: &dyn Current, path: &Path, found: &mut Vec<(Path, Value)>) -> Result<(), PathFault> {
    let fault = |misfit| PathFault::new(path, misfit);
    let Some(at) = path.segments.iter().position(|segment| *segment == Segment::Every) else {
        found.push((path.clone(), one(current, path).map_err(fault)?));
        return Ok(());
    };
    for name in names(current, &path.segments[..at]).map_err(fault)? {
        match every(current, &path.with_name(at..at + 1, name), found) {
            Err(fault) if !fault.is_absent() => return Err(fault),
            // A `*` may pass names without this value.
            _ => {}
        }
    }
    Ok(())
}

/// The names of the members at `above`, for the `*` behind it.
fn names(current: &dyn Current, above: &[Segment]) -> Result<Vec<String>, Misfit> {
    if let Some(keys) = keys(above) {
        let names = current.names(&keys);
        if !names.is_empty() || keys.is_empty() {
            return Ok(names);
        }
    }
    match one(current, &Path { segments: above.to_vec() })? {
        Value::Object(members) => Ok(members.into_iter().map(|(name, _)| name).collect()),
        _ => Err(Misfit::absent("`*` stands for the members of an object, and there is no object here")),
    }
}

fn one(current: &dyn Current, path: &Path) -> Result<Value, Misfit> {
    let (above, in_list) = path.split_names();
    // A path that the schema does not have is an absence, too: a `*` passes over it.
    let absent = || Misfit { is_absent: true, ..missing(current, path, &above) };
    let value = current.value(&above).ok_or_else(absent)?;
    in_list.iter().try_fold(value, entry)
}

fn entry(value: Value, segment: &Segment) -> Result<Value, Misfit> {
    match (segment, value) {
        (Segment::Key(key), Value::Object(mut members)) => {
            members.swap_remove(key).ok_or_else(|| Misfit::absent(format!("the entry has no `{key}`")))
        }
        (Segment::Append, _) => {
            Err(Misfit::new("`[+]` is a new entry, and can't be read").hint("`[0]` is the first"))
        }
        (Segment::Index(at), Value::Array(mut entries)) => match *at < entries.len() {
            true => Ok(entries.swap_remove(*at)),
            false => Err(out_of_range(entries.len())),
        },
        (Segment::Find { key, value }, Value::Array(mut entries)) => match find_by(&entries, key, value)? {
            Some(at) => Ok(entries.swap_remove(at)),
            None => Err(Misfit::absent("no entry of the list matches")),
        },
        (Segment::Key(key), _) => Err(Misfit::absent(format!("there is no object with a `{key}`"))),
        (segment, _) => Err(Misfit::absent(format!("there is no list for `{segment}`"))),
    }
}

/// The misfit of a path that begins with the names `keys`, for the first of them that is missing.
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

/// Returns the place of the only entry with this member; several such entries are ambiguous.
pub(super) fn find_by(entries: &[Value], key: &str, value: &str) -> Result<Option<usize>, Misfit> {
    let is_meant = |entry: &Value| entry.get(key).and_then(scalar_text).is_some_and(|text| text == value);
    let mut found = entries.iter().enumerate().filter(|(_, entry)| is_meant(entry)).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(Misfit::new(format!("the entries [{first}] and [{second}] both match"))
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
            let hint = fault.misfit.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
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
            ("streams.a.urls[url=x]", "`streams.a.urls[url=\"x\"]`: no entry of the list matches"),
            ("streams.a.urls[url=udp://2]", {
                "`streams.a.urls[url=\"udp://2\"]`: the entries [1] and [2] both match | \
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

//! The values at a path: `mediactl read PATH`.

use serde_json::{Map, Value};

use super::condition::Condition;
use super::config_lookup::ConfigLookup;
use super::expansion::Expansion;
use super::fault::{Fault, FaultKind};
use super::path::{EVERY, Path, Segment};
use super::schema_path::Place;
use super::through_lists::{FoundAt, found};
use super::unknown_key::UnknownKey;
use super::value_at::value_at;

/// The value at a path, or the values.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// The value at a path that stands for one place.
    One(FoundAt),
    /// The values at the places that a path stands for, in order.
    Many(Vec<(Path, FoundAt)>),
}

impl Selection {
    /// Returns the value, or one object from paths to values.
    pub fn into_value(self) -> Value {
        match self {
            Self::One(found) => found.into_value(),
            Self::Many(found) => Value::Object(Map::from_iter(
                found.into_iter().map(|(path, found)| (path.to_string(), found.into_value())),
            )),
        }
    }

    /// The same; `None` if a pattern finds nothing.
    pub fn into_present(self) -> Option<Value> {
        match self {
            Self::Many(found) if found.is_empty() => None,
            selection => Some(selection.into_value()),
        }
    }

    /// The values with their places, those in lists one by one; `path` is that of a single one.
    pub fn into_places(self, path: &Path) -> Vec<(Path, Value)> {
        match self {
            Self::One(found) => found.into_places(path),
            Self::Many(found) => {
                found.into_iter().flat_map(|(path, found)| found.into_places(&path)).collect()
            }
        }
    }
}

/// The keys of the streams, lives and plugins that a path leads into, where they meet all conditions.
pub fn entries_at(current: &dyn ConfigLookup, path: &Path, conditions: &[Condition]) -> Vec<Vec<String>> {
    let Ok(selection) = select_where(current, current, path, conditions) else { return Vec::new() };
    let places = selection.into_places(path).into_iter();
    places
        .map(|(path, _)| path.split_names().0.iter().take(2).map(|name| (*name).to_owned()).collect())
        .collect()
}

/// Returns the value at `path`, or the values that it stands for.
///
/// # Errors
/// An absence if no value is at the path, or if a glob other than `*` finds none; another fault if the
/// path does not name one place: `[+]`, or an entry that is in the list twice.
pub fn select(current: &dyn ConfigLookup, path: &Path) -> Result<Selection, Fault> {
    select_where(current, current, path, &[])
}

/// Returns the values of `shown` in those entries that meet all conditions in `real`, where secrets are
/// not masked.
///
/// # Errors
/// Those of [`select`]; an absence if no entry meets the conditions.
pub fn select_where(
    shown: &dyn ConfigLookup,
    real: &dyn ConfigLookup,
    path: &Path,
    conditions: &[Condition],
) -> Result<Selection, Fault> {
    let mut values = Vec::new();
    let one = select_each(shown, real, path, conditions, &mut |path, found| {
        values.push((path.clone(), found));
    })?;
    Ok(one.map_or(Selection::Many(values), Selection::One))
}

/// The same: gives each of the values to `take`, and keeps none; returns the one value of a path that stands for one place.
///
/// # Errors
/// As [`select_where`], also where `take` got some of the values.
pub fn select_each(
    shown: &dyn ConfigLookup,
    real: &dyn ConfigLookup,
    path: &Path,
    conditions: &[Condition],
    take: &mut dyn FnMut(&Path, FoundAt),
) -> Result<Option<FoundAt>, Fault> {
    let (mut has_places, mut has_values, mut unfit) = (false, false, None);
    let mut look = |place: &Path| {
        has_places = true;
        // The one value of a path without patterns is looked for below.
        if place == path {
            return Ok(());
        }
        match found(shown, place) {
            Ok(found) => {
                has_values = true;
                take(place, found);
            }
            // A glob may pass names without this value.
            Err(fault) if fault.is_absent() => {}
            Err(fault) => {
                unfit = Some(fault.clone().at(place));
                return Err(fault);
            }
        }
        Ok(())
    };
    let expanded = Expansion { current: real, conditions, own_only: false }.expand_each(path, &mut look);
    let fault = |fault: Fault| fault.at(path);
    let (whole, absence) = expanded.map_err(|found| unfit.unwrap_or_else(|| fault(found)))?;
    if whole.first_pattern().is_none() {
        if let Some(absence) = absence {
            return Err(fault(absence));
        }
        return found(shown, &whole).map(Some).map_err(fault);
    }
    if has_values {
        return Ok(None);
    }
    if let Some(unknown) = unknown(&whole, has_places) {
        return Err(fault(unknown));
    }
    let may_find_nothing = conditions.is_empty() && whole.segments.iter().all(takes_all);
    match absence {
        // Whatever is above the first glob has to be there.
        Some(absence) if !(may_find_nothing && is_above_found(real, &whole)) => Err(fault(absence)),
        None if !may_find_nothing => Err(fault(Fault::absent("the entries have no such value"))),
        _ => Ok(None),
    }
}

/// The absence of a key behind a pattern that neither the schema nor an entry has.
fn unknown(path: &Path, has_places: bool) -> Option<Fault> {
    let first = path.first_pattern()?;
    if let Err(fault) = Place::Root.through_lists(&path.segments) {
        return Some(Fault { kind: FaultKind::Absent, ..fault });
    }
    let unknown = UnknownKey::find(Place::Root, &path.segments).filter(|unknown| unknown.at > first)?;
    // A block without known settings, such as a plugin, has any keys.
    let is_judged = has_places || unknown.scope.rows().any(|row| !row.keywords.is_empty());
    let absent = || Fault::absent(format!("there is no `{}` in these entries", unknown.key));
    is_judged.then(|| Fault { hint: unknown.suggestion(), ..absent() })
}

/// True if a segment is no pattern, or one that leaves nothing out.
fn takes_all(segment: &Segment) -> bool {
    !matches!(segment, Segment::Matching(glob) if glob != EVERY)
}

fn is_above_found(current: &dyn ConfigLookup, path: &Path) -> bool {
    let at = path.first_pattern().unwrap_or(path.segments.len());
    at == 0 || value_at(current, &Path { segments: path.segments[..at].to_vec() }).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::select;
    use crate::edit::config_lookup::{ConfigLookup, LocalView};
    use crate::edit::path::Path;
    use crate::model::{Lens, top_members};
    use crate::syntax::Document;

    const TEXT: &str = "
        http 80 { api false; }
        stream b { url udp://3; prepush 5; meta { x 1; } meta { y 2; } }
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
            ("streams.*.urls[*].priority", json!({"streams.a.urls[0].priority": 1})),
            ("streams.a.urls[-1].url", json!("udp://2")),
            ("streams.c*.prepush", json!({"streams.\"cam.1\".prepush": false})),
            ("streams.a.urls[0].p*", json!({"streams.a.urls[0].priority": 1})),
            ("plugins.*.x[*]", json!({})),
            ("streams.a.urls.url", json!(["udp://1", "udp://2", "udp://2"])),
            ("streams.a.urls.priority", json!([1])),
            ("streams.a.urls.u*", json!({"streams.a.urls.url": ["udp://1", "udp://2", "udp://2"]})),
            ("streams.*.urls.priority", json!({"streams.a.urls.priority": [1]})),
            ("streams.b*.urls.url", json!({"streams.b.urls.url": ["udp://3"]})),
            ("streams.*.title", json!({"streams.a.title": "x"})),
            ("streams.*.dvr.root", json!({})),
            ("lives.*.publish_enabled", json!({})),
            ("streams.*.meta", json!({"streams.b.meta": [[{"x": 1}], [{"y": 2}]]})),
            ("streams.*.meta.x", json!({"streams.b.meta.x": [1]})),
            ("streams.b.meta.x", json!([1])),
            ("streams.*.dvr", json!({})),
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
            ("streams.x*.prepush", "`streams.x*.prepush`: `x*` matches nothing here"),
            ("streams.c*.title", "`streams.c*.title`: the entries have no such value"),
            ("streams.b.urls[-2]", "`streams.b.urls[-2]`: the list has one element, counted from 0"),
            ("flie.*", "`flie.*`: there is no `flie` | did you mean `file`?"),
            ("http[1]", "`http[1]`: the list has one element, counted from 0"),
            ("http[+]", "`http[+]`: `[+]` is a new element, and can't be read | `[0]` is the first"),
            ("streams.a.urls[url=x]", "`streams.a.urls[url=\"x\"]`: no element of the list matches"),
            ("streams.a.urls[url=udp://2]", {
                "`streams.a.urls[url=\"udp://2\"]`: the elements [1] and [2] both match | \
                 name one by its index"
            }),
            ("streams.a.urls[1].priority", "`streams.a.urls[1].priority`: the entry has no `priority`"),
            ("streams.a.title[0]", "`streams.a.title[0]`: there is no list for `[0]`"),
            ("streams.*.prepsh", {
                "`streams.*.prepsh`: there is no `prepsh` in these entries | did you mean `prepush`?"
            }),
            ("streams.*.nosuchkey", "`streams.*.nosuchkey`: there is no `nosuchkey` in these entries"),
            ("streams.*.url", {
                "`streams.*.url`: `url` is a keyword of the text, not a key of the JSON | did you mean `urls`?"
            }),
            ("streams.*.urls.ulr", {
                "`streams.*.urls.ulr`: there is no `ulr` in these entries | did you mean `url`?"
            }),
            ("streams.a.urls.ulr", {
                "`streams.a.urls.ulr`: no element of the list has `ulr` | did you mean `url`?"
            }),
            ("streams.\"cam.1\".urls.url", "`streams.\"cam.1\".urls.url`: no element of the list has `url`"),
            ("streams.*.urls.bitrate", "`streams.*.urls.bitrate`: there is no `bitrate` in these entries"),
            ("streams.a.urls.bitrate", "`streams.a.urls.bitrate`: no element of the list has `bitrate`"),
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

//! Reads a configuration: the value at a path, or the values that a path with patterns stands for.
//!
//! Where values are read, a name behind a list means that member of each of its entries: `urls.url` is the URL of every
//! source. Of a text, only the stream, live, plugin or member of the top level that a path leads into becomes JSON, and
//! a pattern goes from one to the next.

use serde_json::{Map, Value};

use super::condition::Condition;
use super::config_lookup::ConfigLookup;
use super::here::{FoundAt, Here, absent};
use super::path::{EVERY, Path, Segment, glob_matches};
use super::schema_path::Place;
use super::suggestion::{UnknownKey, in_a_group};
use crate::schema::Schema;
use crate::schema::fault::{Fault, FaultKind};

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

/// The number of names that lead to the stream, live, plugin or member of the top level that a path leads into.
fn member_depth(path: &Path) -> usize {
    let (names, _) = path.split_names();
    let is_in_group = names.first().is_some_and(|key| Schema::media().kind(key).is_some());
    names.len().min(if is_in_group { 2 } else { 1 })
}

/// Calls `look` with what a path without patterns leads to.
fn look_at<T>(
    current: &dyn ConfigLookup,
    path: &Path,
    look: impl FnOnce(&Here<'_>) -> T,
) -> Result<T, Fault> {
    let (names, _) = path.split_names();
    let (value, depth) = match current.value(&names) {
        Some(value) => (value, names.len()),
        // The names may go through a list.
        None => {
            let depth = member_depth(path);
            (current.value(&names[..depth]).ok_or_else(|| absent(current, path, &names))?, depth)
        }
    };
    Here::new(path.first(depth), &value).follow(current, path).map(|here| look(&here))
}

/// Returns the value, or the values, at a path without patterns.
///
/// # Errors
/// An absence if no value is there; another fault if the path does not name one place: `[+]`, or an
/// entry that is in the list twice.
pub fn found(current: &dyn ConfigLookup, path: &Path) -> Result<FoundAt, Fault> {
    look_at(current, path, |here| here.to_found())
}

/// The same as one value.
pub fn value_at(current: &dyn ConfigLookup, path: &Path) -> Result<Value, Fault> {
    found(current, path).map(FoundAt::into_value)
}

/// Returns the names of the object at a path, or of the objects in a list, each once; `None` if no object
/// is.
///
/// # Errors
/// Those of [`found`].
pub fn names(current: &dyn ConfigLookup, path: &Path) -> Result<Option<Vec<String>>, Fault> {
    look_at(current, path, |here| here.names())
}

/// The settings with which paths are expanded: to one place for each name that a glob matches and for each entry of a list
/// at `[*]`, and of those only the ones in entries that meet all conditions of `--where`.
pub struct Expansion<'c> {
    /// The configuration.
    pub current: &'c dyn ConfigLookup,
    /// The same, where secrets are not masked.
    pub real: &'c dyn ConfigLookup,
    /// The conditions that the selected entries meet.
    pub conditions: &'c [Condition],
    /// True if a glob passes over members that can't be set, such as `position`.
    pub own_only: bool,
}

/// The places that a path stands for.
#[derive(Debug)]
pub struct Expanded {
    /// The places, without patterns, in order. They need not have values.
    pub paths: Vec<Path>,
    /// The reason why there are fewer places than the path has room for; `None` if there is no such
    /// reason.
    pub absence: Option<Fault>,
}

/// What is done with a place that is found: its path, and the values that the first segments of it lead to, where they
/// are known.
type Take<'t> = &'t mut dyn FnMut(&Path, Option<&Here<'_>>) -> Result<(), Fault>;

impl<'c> Expansion<'c> {
    /// The expansion of paths to values that are read.
    pub fn new(current: &'c dyn ConfigLookup, conditions: &'c [Condition]) -> Self {
        Self { current, real: current, conditions, own_only: false }
    }

    /// Expands a path.
    ///
    /// # Errors
    /// Faults that are no absences, such as a keyword that is no key.
    pub fn expand_path(&self, path: &Path) -> Result<Expanded, Fault> {
        let mut paths = Vec::new();
        let mut take = |path: &Path, _: Option<&Here<'_>>| {
            paths.push(path.clone());
            Ok(())
        };
        let (_, absence) = self.expand_each(path, &mut take)?;
        Ok(Expanded { paths, absence })
    }

    /// Gives each place to `take`, and keeps none; returns the path as it is taken, where `streams` means `streams.*` with
    /// conditions, and why there are fewer places than it has room for.
    fn expand_each(&self, path: &Path, take: Take<'_>) -> Result<(Path, Option<Fault>), Fault> {
        let mut whole = path.clone();
        let mut entry_depth = None;
        if !self.conditions.is_empty() {
            let kind = path.segments[0].name().and_then(|key| Schema::media().kind(key));
            if kind.is_some() && path.segments.len() == 1 {
                whole = path.child(Segment::Matching(EVERY.to_owned()));
            }
            entry_depth = if kind.is_some() { Some(2) } else { whole.first_pattern().map(|at| at + 1) };
            if entry_depth.is_none() {
                return Err(Fault::of_path("`--where` selects among entries, and this is one value")
                    .hint("use it with a path into streams, lives or plugins, or with `*`"));
            }
            if let Some(kind) = kind {
                self.conditions.iter().try_for_each(|one| one.refuse_near_miss(self.real, kind))?;
            }
        }
        let mut walk = Walk { expansion: self, entry_depth, take, is_any: false, absence: None };
        walk.go(&mut whole, 0, None)?;
        let none = (entry_depth.is_some() && !walk.is_any).then(no_entry);
        Ok((whole, walk.absence.or(none)))
    }

    /// True if an entry is there and meets all conditions.
    fn is_selected(&self, entry: &Path) -> Result<bool, Fault> {
        let Ok(value) = value_at(self.real, entry) else { return Ok(false) };
        let place = Place::resolve(&entry.segments).unwrap_or(Place::Foreign);
        for condition in self.conditions {
            if !condition.holds(&value, place)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The names that a glob below `above` matches.
    fn matching(&self, names: Vec<String>, above: &Path, glob: &str) -> Result<Vec<Segment>, Fault> {
        let place = Place::Root.through_lists(&above.segments);
        let place = if self.own_only { Some(place?) } else { place.ok() };
        let is_own = |name: &str| !(self.own_only && place.is_some_and(|place| place.derives(name)));
        let found = names.into_iter().filter(|name| glob_matches(glob, name) && is_own(name));
        let found: Vec<Segment> = found.map(Segment::Key).collect();
        // A group without names is fine; another place without names may be a slip.
        let may_be_empty = glob == EVERY && matches!(place, Some(Place::Group(_)));
        if !found.is_empty() || may_be_empty {
            return Ok(found);
        }
        let fault = Fault::absent(format!("`{glob}` matches nothing here"));
        let whole = in_a_group(self.current, &above.child(Segment::Matching(glob.to_owned())));
        Err(match whole.filter(|_| above.segments.is_empty()) {
            Some(whole) => fault.hint(format!("did you mean `{}`?", whole.shown())),
            None => fault,
        })
    }
}

/// One walk over the places of a path.
struct Walk<'w> {
    expansion: &'w Expansion<'w>,
    /// The number of segments that lead to the entries which conditions are about.
    entry_depth: Option<usize>,
    take: Take<'w>,
    is_any: bool,
    absence: Option<Fault>,
}

impl Walk<'_> {
    /// Takes the places of a path, of which a pattern was the last of the first `from` segments.
    fn go(&mut self, path: &mut Path, from: usize, here: Option<&Here<'_>>) -> Result<(), Fault> {
        let pattern = path.first_pattern();
        if let Some(depth) = self.entry_depth
            && from <= depth
            && pattern.is_none_or(|at| at >= depth)
            && !self.expansion.is_selected(&path.first(depth))?
        {
            return Ok(());
        }
        let Some(at) = pattern else {
            self.is_any = true;
            return (self.take)(path, here);
        };
        match self.branch(path, at, here) {
            Err(fault) if fault.is_absent() => {
                self.absence.get_or_insert(fault);
                Ok(())
            }
            result => result,
        }
    }

    /// Puts each segment in the place of the pattern that it stands for, and the pattern back.
    fn branch(&mut self, path: &mut Path, at: usize, here: Option<&Here<'_>>) -> Result<(), Fault> {
        let Expansion { current, .. } = self.expansion;
        let (above, pattern) = (path.first(at), path.segments[at].clone());
        let (names, _) = above.split_names();
        let is_group = |key: &&str| Schema::media().kind(key).is_some();
        let has_names = at == 0 || names.first().is_some_and(is_group) && at == 1 && current.contains(&names);
        let member;
        let here = match here {
            _ if has_names => None,
            Some(here) => Some(here.follow(*current, &above)?),
            None => {
                let depth = member_depth(&above);
                member = current.value(&names[..depth]).ok_or_else(|| absent(*current, &above, &names))?;
                Some(Here::new(above.first(depth), &member).follow(*current, &above)?)
            }
        };
        let found = match (&pattern, &here) {
            (Segment::Matching(glob), here) => {
                let names = here.as_ref().map_or_else(|| Some(current.names(&names)), Here::names);
                let none = "`*` stands for the members of an object, and there is no object here";
                self.expansion.matching(names.ok_or_else(|| Fault::absent(none))?, &above, glob)?
            }
            (_, Some(Here { values, .. })) if let [(_, Value::Array(entries))] = &values[..] => {
                if entries.is_empty() {
                    return Err(Fault::absent("the list has no elements"));
                }
                (0..entries.len()).map(Segment::Index).collect()
            }
            _ => {
                let none = "`[*]` stands for the elements of a list, and there is no list here";
                return Err(Fault::absent(none));
            }
        };
        let gone = found.into_iter().try_for_each(|segment| {
            let next = here.as_ref().map(|here| here.step(&segment));
            path.segments[at] = segment;
            self.go(path, at + 1, next.as_ref())
        });
        path.segments[at] = pattern;
        gone
    }
}

/// The absence of entries that meet the conditions.
pub fn no_entry() -> Fault {
    Fault::absent("no entry meets the condition of `--where`")
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
    let mut look = |place: &Path, here: Option<&Here<'_>>| {
        has_places = true;
        // The one value of a path without patterns is looked for below.
        if place == path {
            return Ok(());
        }
        let value = match here {
            Some(here) => here.follow(shown, place).map(|here| here.to_found()),
            None => found(shown, place),
        };
        match value {
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
    let expansion = Expansion { current: shown, real, conditions, own_only: false };
    let expanded = expansion.expand_each(path, &mut look);
    let fault = |fault: Fault| fault.at(path);
    let (whole, absence) = expanded.map_err(|found| unfit.unwrap_or_else(|| fault(found)))?;
    if whole.first_pattern().is_none() {
        return match absence {
            Some(absence) => Err(fault(absence)),
            None => found(shown, &whole).map(Some).map_err(fault),
        };
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
    at == 0 || value_at(current, &path.first(at)).is_ok()
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

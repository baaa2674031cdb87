//! Reads a configuration: the value at a path, or the values that a path with patterns stands for.
//!
//! Where values are read, a name behind a list means that member of each of its entries: `urls.url` is the URL of every
//! source. Of a text, only the stream, live, plugin or member of the top level that a path leads into becomes JSON, and
//! a pattern goes from one to the next.

use std::mem;

use serde_json::Value;

use crate::query::{Condition, Config, Found, Path, Segment, UnknownKey, keys};
use crate::schema::{Fault, FaultKind, Kind, Object, Place, Schema, did_you_mean};

/// The value at a path, or the values at the places that it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    found: Vec<(Path, Found<Value>)>,
    /// True if the path has a pattern.
    is_many: bool,
}

impl Selection {
    /// Returns the value; of a pattern, all values as one document.
    pub fn into_value(self) -> Value {
        if self.is_many {
            return Self::into_document([self]);
        }
        self.found.into_iter().next().map(|(_, found)| found.into_value()).unwrap_or_default()
    }

    /// Returns all values as one document, each at its place, which is a patch. Those of a path into a list, which have no
    /// place in a patch, stand below their paths.
    pub fn into_document(selections: impl IntoIterator<Item = Self>) -> Value {
        let mut whole = Value::Object(Object::new());
        for Self { found, .. } in selections {
            let is_flat = found.iter().any(|(at, one)| one.goes_through_list || keys(&at.segments).is_none());
            for (path, one) in found {
                let value = match keys(&path.segments).filter(|_| !is_flat) {
                    Some(keys) => keys.iter().fold(&mut whole, |here, key| &mut here[*key]),
                    None => &mut whole[path.to_string()],
                };
                *value = one.into_value();
            }
        }
        whole
    }

    /// The same; `None` if a pattern finds nothing.
    pub fn into_present(self) -> Option<Value> {
        (!self.found.is_empty()).then(|| self.into_value())
    }

    /// The values with their places, those in lists one by one.
    pub fn into_places(self) -> Vec<(Path, Value)> {
        self.found.into_iter().flat_map(|(_, found)| found.values).collect()
    }
}

impl Config<'_> {
    /// Returns the value at `path`, or the values that it stands for.
    ///
    /// # Errors
    /// An absence if no value is at the path, or if a glob other than `*` finds none; another fault if the
    /// path does not name one place: `[+]`, or an entry that is in the list twice.
    pub fn select(&self, path: &Path) -> Result<Selection, Fault> {
        self.select_where(self, path, &[])
    }

    /// Returns the values in those entries that meet all conditions in `real`, where secrets are not masked.
    ///
    /// # Errors
    /// Those of [`Config::select`]; an absence if no entry meets the conditions.
    pub fn select_where(
        &self,
        real: &Config<'_>,
        path: &Path,
        conditions: &[Condition],
    ) -> Result<Selection, Fault> {
        Expansion { current: self, real, conditions, own_only: false }.select(path)
    }

    /// The path with a dotted name quoted, if that finds something: `streams."cam.1"` for
    /// `streams.cam.1`. The name begins at segment `at`, and all segments before it are names.
    pub(crate) fn with_quoted_name(&self, path: &Path, at: usize) -> Option<Path> {
        let names = path.names();
        (at + 2..=names.len()).rev().find_map(|end| {
            let name = names[at..end].join(".");
            let is_there = self.contains(&[&names[..at], &[&name]].concat());
            let mut quoted = path.clone();
            quoted.segments.splice(at..end, [Segment::Key(name)]);
            is_there.then_some(quoted)
        })
    }

    /// Returns the path below the group that has what it begins with, if one has: `streams.cam9` for `cam9`.
    pub(crate) fn in_a_group(&self, path: &Path) -> Option<Path> {
        let first = path.segments.first()?;
        Kind::ALL.iter().find_map(|kind| {
            let group = Segment::Key(kind.key().to_owned());
            let whole = Path { segments: [&[group], &path.segments[..]].concat() };
            let is_there = self.names(&[kind.key()]).iter().any(|name| first.matches(name));
            if is_there { Some(whole) } else { self.with_quoted_name(&whole, 1) }
        })
    }

    /// The fault of a path that begins with the names `keys`, for the first of them that is missing.
    pub(crate) fn missing(&self, path: &Path, keys: &[&str]) -> Fault {
        let index = (0..keys.len()).find(|&index| !self.contains(&keys[..=index])).unwrap_or(keys.len() - 1);
        let (above, key) = (&keys[..index], keys[index]);
        let list = self.value(above).filter(|_| index == 1 && Schema::has_named_blocks(above[0]));
        if let Some((name, second)) = list.as_ref().and_then(repeated_name) {
            let hint =
                format!("`rm '{}[{second}]'` removes the second; `edit` without a path shows both", above[0]);
            return Fault::absent(format!("the {} `{name}` is defined twice", above[0])).hint(hint);
        }
        let place = Place::resolve(&path.segments[..=index]);
        let fault = Fault::absent(match (&place, above.last()) {
            (Ok(Place::Own(_)), _) => format!("`{key}` is not set"),
            (Ok(Place::Block(kind)), _) => format!("there is no {} `{key}`", kind.noun()),
            (_, Some(above)) => format!("there is no `{key}` in `{above}`"),
            (_, None) => format!("there is no `{key}`"),
        });
        if let Some(quoted) = self.with_quoted_name(path, index) {
            return fault.hint(format!("a name with a dot is quoted: `{}`", quoted.shown()));
        }
        let whole = if index == 0 { self.in_a_group(path) } else { None };
        match (place, whole) {
            (_, Some(whole)) => fault.hint(format!("did you mean `{}`?", whole.shown())),
            (Err(fault), _) => fault,
            (Ok(Place::Own(_)), _) => fault,
            _ => Fault { hint: did_you_mean(key, self.names(above).iter().map(String::as_str)), ..fault },
        }
    }
}

/// The name that two blocks in the list of all blocks of a keyword have, and the place of the second.
fn repeated_name(blocks: &Value) -> Option<(&str, usize)> {
    let names: Vec<&Value> = blocks.as_array()?.iter().map(|block| &block[0]).collect();
    let second = (1..names.len()).find(|&at| names[..at].contains(&names[at]))?;
    Some((names[second].as_str()?, second))
}

/// The settings with which paths are expanded: to one place for each name that a glob matches and for each entry of a list
/// at `[*]`, and of those only the ones in entries that meet all conditions of `--where`.
pub struct Expansion<'c> {
    /// The configuration.
    pub current: &'c Config<'c>,
    /// The same, where secrets are not masked.
    pub real: &'c Config<'c>,
    /// The conditions that the selected entries meet.
    pub conditions: &'c [Condition],
    /// True if a glob passes over members that can't be set, such as `position`.
    pub own_only: bool,
}

impl Expansion<'_> {
    /// The values at a path.
    ///
    /// # Errors
    /// As those of [`Config::select`].
    pub fn select(&self, path: &Path) -> Result<Selection, Fault> {
        let whole = self.whole(path);
        let (places, absence) = self.places(path)?;
        if whole.first_pattern().is_none() {
            let one =
                absence.map_or_else(|| self.current.found(&whole).map_err(|fault| fault.at(path)), Err)?;
            return Ok(Selection { found: vec![(path.clone(), one)], is_many: false });
        }
        // A glob may pass names without this value.
        let found = places.iter().filter_map(|place| {
            let found = self.current.if_found(place).map_err(|fault| fault.at(place)).transpose()?;
            Some(found.map(|one| (place.clone(), one)))
        });
        let selection = Selection { found: found.collect::<Result<_, Fault>>()?, is_many: true };
        if !selection.found.is_empty() {
            return Ok(selection);
        }
        if let Some(unknown) = unknown(&whole, !places.is_empty()) {
            return Err(unknown.at(path));
        }
        // Patterns that leave nothing out may find nothing, if what is above the first of them is there.
        let leaves_out = |segment: &Segment| segment.is_pattern() && !segment.takes_all();
        let at = whole.first_pattern().unwrap_or_default();
        let is_there = || at == 0 || self.real.found(&whole.first(at)).is_ok();
        let is_fine = self.conditions.is_empty() && !whole.segments.iter().any(leaves_out);
        match is_fine && (absence.is_none() || is_there()) {
            true => Ok(selection),
            false => Err(absence.unwrap_or_else(|| Fault::absent("the entries have no such value").at(path))),
        }
    }

    /// The path as it is taken: with conditions, `streams` means `streams.*`.
    fn whole(&self, path: &Path) -> Path {
        let is_group = path.kind().is_some() && path.segments.len() == 1;
        if is_group && !self.conditions.is_empty() { path.child(Segment::every()) } else { path.clone() }
    }

    /// The number of segments that lead to the entries which the conditions are about; 0 without conditions.
    fn depth(&self, whole: &Path) -> Result<usize, Fault> {
        match (whole.kind(), whole.first_pattern()) {
            _ if self.conditions.is_empty() => Ok(0),
            (Some(kind), _) => {
                self.conditions.iter().try_for_each(|one| one.refuse_near_miss(kind)).map(|()| 2)
            }
            (None, Some(at)) => Ok(at + 1),
            (None, None) => Err(Fault::of_path("`--where` selects among entries, and this is one value")
                .hint("use it with a path into streams, lives or plugins, or with `*`")),
        }
    }

    /// The places, without patterns, in order, which need not have values; and why there are fewer than the path has room
    /// for, if there is a reason.
    ///
    /// # Errors
    /// Faults that are no absences, such as a keyword that is no key.
    pub fn places(&self, path: &Path) -> Result<(Vec<Path>, Option<Fault>), Fault> {
        let (whole, at_path) = (self.whole(path), |fault: Fault| fault.at(path));
        let depth = self.depth(&whole).map_err(at_path)?;
        let (mut places, mut absence) = (vec![Path { segments: Vec::new() }], None);
        for (at, segment) in whole.segments.iter().enumerate() {
            let above = if segment.is_pattern() { mem::take(&mut places) } else { Vec::new() };
            places.iter_mut().for_each(|place| place.segments.push(segment.clone()));
            for place in above {
                match self.meant(&place, segment) {
                    Ok(meant) => places.extend(meant.into_iter().map(|one| place.child(one))),
                    Err(fault) if fault.is_absent() => drop(absence.get_or_insert(fault)),
                    Err(fault) => return Err(at_path(fault)),
                }
            }
            if at + 1 == depth {
                let selected = places.into_iter().map(|place| Ok(self.is_selected(&place)?.then_some(place)));
                places = selected.filter_map(Result::transpose).collect::<Result<_, _>>().map_err(at_path)?;
                if places.is_empty() {
                    absence.get_or_insert_with(|| Fault::absent("no entry meets the condition of `--where`"));
                }
            }
        }
        Ok((places, absence.map(at_path)))
    }

    /// True if an entry is there and meets all conditions.
    fn is_selected(&self, entry: &Path) -> Result<bool, Fault> {
        let Ok(value) = self.real.value_at(entry) else { return Ok(false) };
        let place = Place::resolve(&entry.segments).unwrap_or(Place::Foreign);
        self.conditions.iter().try_fold(true, |holds, one| Ok(holds && one.holds(&value, place)?))
    }

    /// The segments that a pattern stands for below `above`.
    fn meant(&self, above: &Path, pattern: &Segment) -> Result<Vec<Segment>, Fault> {
        if *pattern == Segment::EveryEntry {
            return match self.current.value_at(above)? {
                Value::Array(entries) if entries.is_empty() => Err(Fault::absent("the list has no elements")),
                Value::Array(entries) => Ok((0..entries.len()).map(Segment::Index).collect()),
                _ => Err(Fault::absent("`[*]` stands for the elements of a list, and there is no list here")),
            };
        }
        let names = self.current.names_at(above)?;
        let place = Place::Root.through_lists(&above.segments);
        let place = if self.own_only { Some(place?) } else { place.ok() };
        let hides = |name: &str| self.own_only && place.is_some_and(|place| place.derived(name).is_some());
        let found = names.into_iter().filter(|name| pattern.matches(name) && !hides(name));
        let found: Vec<Segment> = found.map(Segment::Key).collect();
        // A group without names is fine; another place without names may be a slip.
        if !found.is_empty() || pattern.takes_all() && matches!(place, Some(Place::Group(_))) {
            return Ok(found);
        }
        let whole = above.segments.is_empty().then(|| self.current.in_a_group(&above.child(pattern.clone())));
        let hint = whole.flatten().map(|whole| format!("did you mean `{}`?", whole.shown()));
        Err(Fault { hint, ..Fault::absent(format!("`{pattern}` matches nothing here")) })
    }
}

/// The absence of a key behind a pattern that neither the schema nor an entry has.
fn unknown(path: &Path, has_places: bool) -> Option<Fault> {
    if let Err(fault) = Place::Root.through_lists(&path.segments) {
        return Some(Fault { kind: FaultKind::Absent, ..fault });
    }
    let first = path.first_pattern()?;
    let unknown = UnknownKey::find(Place::Root, &path.segments).filter(|unknown| unknown.at > first)?;
    // A block without known settings, such as a plugin, has any keys.
    let is_judged = has_places || unknown.scope.rows().any(|row| !row.keywords.is_empty());
    let absent = || Fault::absent(format!("there is no `{}` in these entries", unknown.key));
    is_judged.then(|| Fault { hint: unknown.suggestion(), ..absent() })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::config::Config;
    use super::super::path::Path;
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
    fn evaluate(skips_static: bool, path: &str) -> Result<Value, String> {
        let document = Document::parse(TEXT.to_owned());
        let local = Config::new(&document).skipping_static(skips_static);
        let remote = local.to_json();
        let path = Path::parse(path).expect(path);
        let found = local.select(&path);
        assert_eq!(found, Config::from(&remote).select(&path), "{path}");
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
            ("streams.*.prepush", json!({"streams": {"b": {"prepush": 5}, "cam.1": {"prepush": false}}})),
            ("streams.*.urls[1].url", json!({"streams.a.urls[1].url": "udp://2"})),
            ("streams.a.urls[0].*", {
                json!({"streams.a.urls[0].url": "udp://1", "streams.a.urls[0].priority": 1})
            }),
            ("plugins.*", json!({})),
            ("*.vod.path", json!({"file": {"vod": {"path": "/srv"}}})),
            ("streams.*.urls[*].priority", json!({"streams.a.urls[0].priority": 1})),
            ("streams.a.urls[-1].url", json!("udp://2")),
            ("streams.c*.prepush", json!({"streams": {"cam.1": {"prepush": false}}})),
            ("streams.a.urls[0].p*", json!({"streams.a.urls[0].priority": 1})),
            ("plugins.*.x[*]", json!({})),
            ("streams.a.urls.url", json!(["udp://1", "udp://2", "udp://2"])),
            ("streams.a.urls.priority", json!([1])),
            ("streams.a.urls.u*", json!({"streams.a.urls.url": ["udp://1", "udp://2", "udp://2"]})),
            ("streams.*.urls.priority", json!({"streams.a.urls.priority": [1]})),
            ("streams.b*.urls.url", json!({"streams.b.urls.url": ["udp://3"]})),
            ("streams.*.title", json!({"streams": {"a": {"title": "x"}}})),
            ("streams.*.dvr.root", json!({})),
            ("lives.*.publish_enabled", json!({})),
            ("streams.*.meta", json!({"streams": {"b": {"meta": [[{"x": 1}], [{"y": 2}]]}}})),
            ("streams.*.meta.x", json!({"streams.b.meta.x": [1]})),
            ("streams.b.meta.x", json!([1])),
            ("streams.*.dvr", json!({})),
        ] {
            assert_eq!(evaluate(false, path), Ok(expected), "{path}");
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
                "`streams.cam.1.prepush`: there is no stream `cam` | a name with a dot is quoted: \
                 `streams.\"cam.1\".prepush`"
            }),
            ("streams.a.titel", "`streams.a.titel`: there is no `titel` in `a` | did you mean `title`?"),
            ("flie.vod", "`flie.vod`: there is no `flie` | did you mean `file`?"),
            ("streams.x*.prepush", "`streams.x*.prepush`: `x*` matches nothing here"),
            ("streams.c*.title", "`streams.c*.title`: the entries have no such value"),
            (
                "streams.b.urls[-2]",
                "`streams.b.urls[-2]`: there is no such element: the list has 1, counted from 0",
            ),
            ("flie.*", "`flie.*`: there is no `flie` | did you mean `file`?"),
            ("http[1]", "`http[1]`: there is no such element: the list has 1, counted from 0"),
            ("http[+]", "`http[+]`: `[+]` is a new element, and can't be read | `[0]` is the first"),
            ("streams.a.urls[url=x]", "`streams.a.urls[url=\"x\"]`: no element of the list matches"),
            ("streams.a.urls[url=udp://2]", {
                "`streams.a.urls[url=\"udp://2\"]`: the elements [1] and [2] both match | \
                 name one by its index"
            }),
            ("streams.a.urls[1].priority", "`streams.a.urls[1].priority`: the entry has no `priority`"),
            ("streams.a.title[0]", "`streams.a.title[0]`: a plain value has no `[0]`"),
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
            assert_eq!(evaluate(false, path), Err(expected.to_owned()), "{path}");
        }
    }

    #[test]
    fn the_lens_leaves_out_static_streams() {
        assert_eq!(evaluate(true, "streams.*.position"), Ok(json!({"streams": {"later": {"position": 4}}})));
        assert!(evaluate(true, "streams.a.urls").is_err());
    }
}

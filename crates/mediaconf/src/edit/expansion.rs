//! Finds the places that a path stands for: one for each name that a glob matches, one for each entry of
//! a list at `[*]`, and of those only the ones in entries that meet all conditions of `--where`.

use serde_json::Value;

use super::condition::Condition;
use super::config_lookup::ConfigLookup;
use super::fault::Fault;
use super::path::{EVERY, Path, Segment, glob_matches};
use super::schema_path::Place;
use super::suggestion::{in_a_group, keys};
use super::through_lists::names;
use super::value_at::value_at;

/// The settings with which paths are expanded.
pub struct Expansion<'c> {
    /// The configuration, secrets included.
    pub current: &'c dyn ConfigLookup,
    /// The conditions that the selected entries meet.
    pub conditions: &'c [Condition],
    /// True if a glob passes over members that can't be set, such as `position`.
    pub own_only: bool,
}

/// The places that a path stands for.
#[derive(Debug)]
pub struct Expanded {
    /// The path as it is taken: with conditions, `streams` means `streams.*`.
    pub path: Path,
    /// The places, without patterns, in order. They need not have values.
    pub paths: Vec<Path>,
    /// The reason why there are fewer places than the path has room for; `None` if there is no such
    /// reason.
    pub absence: Option<Fault>,
}

/// What is done with the places that are found.
struct Places<'t> {
    take: &'t mut dyn FnMut(&Path) -> Result<(), Fault>,
    is_any: bool,
    absence: Option<Fault>,
}

impl Expansion<'_> {
    /// Expands a path.
    ///
    /// # Errors
    /// Faults that are no absences, such as a keyword that is no key.
    pub fn expand_path(&self, path: &Path) -> Result<Expanded, Fault> {
        let mut paths = Vec::new();
        let mut take = |path: &Path| {
            paths.push(path.clone());
            Ok(())
        };
        let (path, absence) = self.expand_each(path, &mut take)?;
        Ok(Expanded { path, paths, absence })
    }

    /// Gives each place that a path stands for to `take`, and keeps none; returns the path as it is taken, and why there
    /// are fewer places than it has room for.
    ///
    /// # Errors
    /// As [`Self::expand_path`], and the first of `take`.
    pub fn expand_each(
        &self,
        path: &Path,
        take: &mut dyn FnMut(&Path) -> Result<(), Fault>,
    ) -> Result<(Path, Option<Fault>), Fault> {
        let mut into = Places { take, is_any: false, absence: None };
        let mut whole = path.clone();
        if self.conditions.is_empty() {
            self.expand(&mut whole, None, &mut into)?;
            return Ok((whole, into.absence));
        }
        if let ([_], Ok(Place::Group(_))) = (&path.segments[..], Place::resolve(&path.segments)) {
            whole.segments.push(Segment::Matching(EVERY.to_owned()));
        }
        let depth = entry_depth(&whole)?;
        if let Ok(Place::Group(kind)) = Place::resolve(&whole.segments[..1]) {
            self.conditions.iter().try_for_each(|one| one.refuse_near_miss(self.current, kind))?;
        }
        self.expand(&mut whole, Some(depth), &mut into)?;
        let none = (!into.is_any).then(no_entry);
        Ok((whole, into.absence.or(none)))
    }

    /// Replaces the first pattern of `path` by each name in turn, and puts it back; the entry in the first `unchecked`
    /// segments still has to meet the conditions.
    fn expand(&self, path: &mut Path, unchecked: Option<usize>, into: &mut Places<'_>) -> Result<(), Fault> {
        let pattern = path.first_pattern();
        let ready = unchecked.filter(|&depth| pattern.is_none_or(|at| at >= depth));
        if let Some(depth) = ready
            && !self.is_selected(&path.segments[..depth])?
        {
            return Ok(());
        }
        let unchecked = unchecked.filter(|_| ready.is_none());
        let Some(at) = pattern else {
            into.is_any = true;
            return (into.take)(path);
        };
        match self.segments(&path.segments[..at], &path.segments[at]) {
            Err(fault) if fault.is_absent() => {
                into.absence.get_or_insert(fault);
                Ok(())
            }
            Err(fault) => Err(fault),
            Ok(segments) => {
                let pattern = path.segments[at].clone();
                let expanded = segments.into_iter().try_for_each(|segment| {
                    path.segments[at] = segment;
                    self.expand(path, unchecked, into)
                });
                path.segments[at] = pattern;
                expanded
            }
        }
    }

    fn is_selected(&self, entry: &[Segment]) -> Result<bool, Fault> {
        let is_there = match keys(entry) {
            Some(keys) => self.current.contains(&keys),
            None => value_at(self.current, &Path { segments: entry.to_vec() }).is_ok(),
        };
        if !is_there {
            return Ok(false);
        }
        for condition in self.conditions {
            if !condition.holds(self.current, entry)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The segments that a pattern below `above` stands for.
    fn segments(&self, above: &[Segment], pattern: &Segment) -> Result<Vec<Segment>, Fault> {
        let place = Place::Root.through_lists(above);
        let place = if self.own_only { Some(place?) } else { place.ok() };
        match pattern {
            Segment::Matching(glob) => {
                let is_own =
                    |name: &String| !(self.own_only && place.is_some_and(|place| place.derives(name)));
                let names = self.names(above)?.into_iter();
                let found: Vec<Segment> =
                    names.filter(|name| glob_matches(glob, name) && is_own(name)).map(Segment::Key).collect();
                // A group without names is fine; another place without names may be a slip.
                let may_be_empty = glob == EVERY && matches!(place, Some(Place::Group(_)));
                match found.is_empty() && !may_be_empty {
                    true => Err(self.matches_nothing(above, pattern, glob)),
                    false => Ok(found),
                }
            }
            _ => match value_at(self.current, &Path { segments: above.to_vec() })? {
                Value::Array(entries) if entries.is_empty() => Err(Fault::absent("the list has no elements")),
                Value::Array(entries) => Ok((0..entries.len()).map(Segment::Index).collect()),
                _ => Err(Fault::absent("`[*]` stands for the elements of a list, and there is no list here")),
            },
        }
    }

    fn matches_nothing(&self, above: &[Segment], pattern: &Segment, glob: &str) -> Fault {
        let fault = Fault::absent(format!("`{glob}` matches nothing here"));
        let path = Path { segments: vec![pattern.clone()] };
        match in_a_group(self.current, &path).filter(|_| above.is_empty()) {
            Some(whole) => fault.hint(format!("did you mean `{}`?", whole.shown())),
            None => fault,
        }
    }

    /// The names of the members at `above`, for the glob behind it.
    fn names(&self, above: &[Segment]) -> Result<Vec<String>, Fault> {
        if let Some(keys) = keys(above) {
            let names = self.current.names(&keys);
            if !names.is_empty() || keys.is_empty() {
                return Ok(names);
            }
        }
        let names = names(self.current, &Path { segments: above.to_vec() })?;
        names.ok_or_else(|| {
            Fault::absent("`*` stands for the members of an object, and there is no object here")
        })
    }
}

/// The absence of entries that meet the conditions.
pub fn no_entry() -> Fault {
    Fault::absent("no entry meets the condition of `--where`")
}

/// Returns the number of segments that lead to the entry that conditions are about: a stream, live or
/// plugin, elsewhere whatever the first pattern stands for.
fn entry_depth(path: &Path) -> Result<usize, Fault> {
    let is_in_group = matches!(Place::resolve(&path.segments[..1]), Ok(Place::Group(_)));
    match path.first_pattern() {
        _ if is_in_group => Ok(2),
        Some(at) => Ok(at + 1),
        None => Err(Fault::of_path("`--where` selects among entries, and this is one value")
            .hint("use it with a path into streams, lives or plugins, or with `*`")),
    }
}

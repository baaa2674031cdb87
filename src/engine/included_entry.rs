//! Entries that stand in included files: a change of one is refused, and says in which file it is.

use crate::error::Error;
use mediaconf::{
    Config, Fault, Faults, Kind, Path, Request, Schema, Segment, WITH_INCLUDES, group_name, one_line,
    top_members,
};
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::change::ChangeOptions;
use super::composed::Composed;
use super::include_change::{IncludeChange, IncludedEntry};
use super::local::Engine;
use super::outcome::OutcomeNote;
use super::snapshot::Snapshot;
use super::transaction::Transaction;

impl Transaction<'_> {
    /// Refuses a change whose entry stands in an included file; the note says that it also matches such entries.
    pub(super) fn refuse_included(
        &self,
        request: &Request,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<Option<OutcomeNote>, Error> {
        let engine = self.engine;
        let Some(composed) = engine.composed(text, engine.followed()) else { return Ok(None) };
        composed.refuse_change(request, patch, self.options)
    }

    /// Refuses another text of an entry that stands in an included file.
    pub(super) fn refuse_included_entry(&self, text: &Arc<Snapshot>, path: &Path) -> Result<(), Error> {
        let composed = self.engine.composed(text, self.engine.followed());
        composed.map_or(Ok(()), |composed| composed.refuse_entry(path))
    }
}

impl Engine {
    /// The entries of included files that go and come with a new text; `None` if both texts include the
    /// same.
    pub(super) fn include_change(
        &self,
        before: &Arc<Snapshot>,
        after: &Arc<Snapshot>,
    ) -> Option<IncludeChange> {
        if before.includes_as(after) {
            return None;
        }
        let sides = [before, after].map(|text| {
            let composed = self.composed(text, self.followed());
            let included = composed.map(|composed| composed.included_entries()).unwrap_or_default();
            let members = text.members();
            let own = Kind::ALL.into_iter().flat_map(|kind| {
                members
                    .own_by_key(kind.key())
                    .iter()
                    .map(move |entry| (kind.key(), group_name(*entry).value().into_owned()))
            });
            let keys: HashSet<_> =
                included.iter().map(|entry| (entry.kind.key(), entry.name.clone())).chain(own).collect();
            (included, keys)
        });
        let [(old, old_keys), (new, new_keys)] = sides;
        let streams_before = old.iter().filter(|entry| entry.kind == Kind::Streams).count();
        let is_new_in = |keys: &HashSet<(&str, String)>, entry: &IncludedEntry| {
            !keys.contains(&(entry.kind.key(), entry.name.clone()))
        };
        let gone: Vec<_> = old.into_iter().filter(|entry| is_new_in(&new_keys, entry)).collect();
        let come: Vec<_> = new.into_iter().filter(|entry| is_new_in(&old_keys, entry)).collect();
        IncludeChange::new(&gone, &come, streams_before)
    }
}

impl Composed {
    /// Refuses a change whose entry is not in the configuration itself, but in a file that it includes: made here,
    /// it would be there twice. The note says that it matches such entries, too; where it matches no others, it is
    /// refused.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_change(
        &self,
        request: &Request,
        patch: Option<&Value>,
        options: &ChangeOptions,
    ) -> Result<Option<OutcomeNote>, Error> {
        // This text alone can't show what is expected of an entry of an included file.
        let expected = request.expectations.iter().filter_map(|expectation| place_of(&expectation.path));
        let beside = request.beside();
        let beside = beside.as_ref().and_then(place_of);
        let places = changed_places(request, patch).into_iter().chain(expected).chain(beside).collect();
        let faults = if options.force { Vec::new() } else { self.faults_at(places) };
        Faults(faults).into_result(())?;
        match (self.first_matched(request, patch), patch) {
            (Some(found), None) => Err(found.fault(self.is_here).into()),
            (found, _) => Ok(found.map(|found| OutcomeNote::AlsoIncluded(found.in_words()))),
        }
    }

    /// The first entry of an included file that a request with patterns or conditions matches, too, or that stands in a
    /// group which it removes.
    fn first_matched(&self, request: &Request, patch: Option<&Value>) -> Option<IncludedEntry> {
        let is_whole = |keys: &Vec<&str>| matches!(keys[..], [key] if is_group(key));
        if !request.stands_for_many() && !changed_places(request, patch).iter().any(is_whole) {
            return None;
        }
        self.first_included(&|current| match request.evaluate(current) {
            Ok(evaluated) => {
                let places = changed_places(request, Some(&evaluated.patch)).into_iter();
                places.flat_map(|keys| entries_below(current, &keys)).collect()
            }
            // One of the paths may lead nowhere in this text alone.
            Err(_) => {
                let paths = request.paths().into_iter().map(|path| path.first(2));
                paths.flat_map(|path| current.blocks_at(&path, request.conditions())).collect()
            }
        })
    }

    /// The first entry of an included file among those that `matched` finds, by their keys.
    pub fn first_included(&self, matched: &dyn Fn(&Config<'_>) -> Vec<Vec<String>>) -> Option<IncludedEntry> {
        let keys: HashSet<Vec<String>> = matched(&self.text.config()).into_iter().collect();
        self.included_entries().into_iter().find(|entry| keys.contains(&entry.keys()))
    }

    /// The streams, lives and plugins of included files.
    pub fn included_entries(&self) -> Vec<IncludedEntry> {
        let members = top_members(self.text.document());
        let in_group = |kind: Kind| members.own_by_key(kind.key()).iter().map(move |entry| (kind, *entry));
        let entries = Kind::ALL.into_iter().flat_map(in_group);
        let included = entries.filter_map(|(kind, entry)| {
            let (file, line) = self.included_line(entry.span().start)?;
            Some(IncludedEntry {
                kind,
                name: group_name(entry).value().into_owned(),
                file: file.to_owned(),
                line,
            })
        });
        included.collect()
    }

    /// Refuses to work on an entry that is not in the configuration itself, but in a file that it includes.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_entry(&self, path: &Path) -> Result<(), Error> {
        let faults = self.faults_at(place_of(path).into_iter().collect());
        Ok(Faults(faults).into_result(())?)
    }

    /// Describes the place of the entry that a path leads into, if that is in an included file alone.
    pub fn included_place(&self, path: &Path) -> Option<String> {
        let faults = self.faults_at(place_of(path).into_iter().collect());
        faults.first().map(|fault| fault.message.clone())
    }

    fn faults_at(&self, places: Vec<Vec<&str>>) -> Vec<Fault> {
        let own = self.files[0].text.config();
        let not_own = places.into_iter().filter(|keys| !own.contains(keys));
        let whole = self.text.config();
        let faults = not_own.filter_map(|keys| {
            let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
            let is_there = whole.contains(&keys);
            let entry = whole.entry_at(&segments).filter(|_| is_there)?;
            let (file, line) = self.included_line(entry.span().start)?;
            Some(stands_in(file, line, self.is_here).at(&Path { segments }))
        });
        faults.collect()
    }
}

impl IncludedEntry {
    fn fault(&self, is_here: bool) -> Fault {
        let segments = self.keys().into_iter().map(Segment::Key).collect();
        stands_in(&self.file, self.line, is_here).at(&Path { segments })
    }
}

fn stands_in(file: &str, line: usize, is_here: bool) -> Fault {
    let file = one_line(file);
    let fault = Fault::absent(format!("it stands in `{file}`, line {line}, which is included"));
    fault.hint(match is_here {
        true => format!("name that file: `--conf {file}`"),
        false => "change that file itself, where the server runs: `--conf` names it there".to_owned(),
    })
}

/// The members of the top level, and the streams, lives and plugins, that a change is about.
fn changed_places<'r>(request: &'r Request, patch: Option<&'r Value>) -> Vec<Vec<&'r str>> {
    if let Some(patch) = patch.and_then(Value::as_object) {
        if patch.contains_key(WITH_INCLUDES) {
            // It is refused as a whole.
            return Vec::new();
        }
        let places =
            patch.iter().flat_map(|(key, value)| match value.as_object().filter(|_| is_group(key)) {
                Some(members) => members.keys().map(|name| vec![key.as_str(), name.as_str()]).collect(),
                None => vec![vec![key.as_str()]],
            });
        return places.collect();
    }
    request.paths().into_iter().filter_map(place_of).collect()
}

/// The place itself; for a group, the places of its entries.
fn entries_below(current: &Config<'_>, keys: &[&str]) -> Vec<Vec<String>> {
    match keys {
        [group] if is_group(group) => {
            current.names(keys).into_iter().map(|name| vec![(*group).to_owned(), name]).collect()
        }
        keys => vec![keys.iter().map(|key| (*key).to_owned()).collect()],
    }
}

/// The member of the top level, or the stream, live or plugin, that a path leads into.
fn place_of(path: &Path) -> Option<Vec<&str>> {
    let mut names = path.split_names().0;
    let depth = if is_group(names.first()?) { 2 } else { 1 };
    names.truncate(depth);
    Some(names)
}

fn is_group(key: &str) -> bool {
    Schema::media().kind(key).is_some()
}

//! Entries that stand in included files: a change of one is refused, and says in which file it is.

use mediaconf::plumbing::schema::media::{KINDS, STREAMS};
use mediaconf::plumbing::schema::{Kind, Schema, WITH_INCLUDES};
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::composed::{Composed, SearchedText};
use super::local::Engine;
use super::options::ChangeOptions;
use super::outcome::OutcomeNote;
use super::passed_over::{IncludeChange, IncludedEntry, PassedOver};
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::snapshot::Snapshot;
use super::transaction::Transaction;
use mediaconf::plumbing::edit::{
    ChangeRequest, ConfigLookup, Fault, Faults, Path, Segment, entries_at, entry_at,
};
use mediaconf::plumbing::model::{group_name, top_members};
use mediaconf::plumbing::syntax::one_line;

impl Transaction<'_> {
    /// Refuses a change whose entry stands in an included file, or that also matches such entries, unless
    /// these are to be left alone: the note counts them.
    pub(super) fn refuse_included(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<Option<OutcomeNote>, Refusal> {
        let engine = self.engine;
        let Some(composed) = engine.composed(text, engine.followed()) else { return Ok(None) };
        composed.refuse_change(request, patch, self.options)
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
            let own = KINDS.into_iter().flat_map(|kind| {
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
        let streams_before = old.iter().filter(|entry| entry.kind == STREAMS).count();
        let is_new_in = |keys: &HashSet<(&str, String)>, entry: &IncludedEntry| {
            !keys.contains(&(entry.kind.key(), entry.name.clone()))
        };
        let gone = old.into_iter().filter(|entry| is_new_in(&new_keys, entry)).collect();
        let come: Vec<_> = new.into_iter().filter(|entry| is_new_in(&old_keys, entry)).collect();
        IncludeChange::new(gone, &come, streams_before)
    }
}

impl Composed {
    /// Refuses a change whose entry is not in the configuration itself, but in a file that it includes: made here,
    /// it would be there twice. The same of one that matches such entries, too, unless the note is enough.
    ///
    /// # Errors
    /// `BadAssignments`, `PassedOver`.
    pub fn refuse_change(
        &self,
        request: &ChangeRequest,
        patch: Option<&Value>,
        options: &ChangeOptions,
    ) -> Result<Option<OutcomeNote>, Refusal> {
        // This text alone can't show what is expected of an entry of an included file.
        let expected = request.expectations.iter().filter_map(|expectation| place_of(&expectation.path));
        let beside = request.beside();
        let beside = beside.as_ref().and_then(place_of);
        let places = changed_places(request, patch).into_iter().chain(expected).chain(beside).collect();
        let faults = if options.force { Vec::new() } else { self.faults_at(places) };
        Faults(faults).into_result(())?;
        match self.passed_over(request, patch) {
            Some(passed) if options.force || options.skip_included => {
                Ok(Some(OutcomeNote::SkippedIncluded(passed)))
            }
            Some(passed) => {
                let refusal =
                    Refusal::new(RefusalKind::PassedOver, format!("the change also matches {passed}"));
                let file = passed.first_file();
                Err(refusal.hint(format!(
                    "`--skip-included` leaves them alone; `--conf {file}` changes those of that file"
                )))
            }
            None => Ok(None),
        }
    }

    /// The entries of included files that a request with patterns or conditions matches, too, or that stand in
    /// a group which it removes.
    fn passed_over(&self, request: &ChangeRequest, patch: Option<&Value>) -> Option<PassedOver> {
        let is_whole = |keys: &Vec<&str>| matches!(keys[..], [key] if is_group(key));
        if !request.stands_for_many() && !changed_places(request, patch).iter().any(is_whole) {
            return None;
        }
        self.included_at(&|current| match request.evaluate(current) {
            Ok(evaluated) => {
                let places = changed_places(request, Some(&evaluated.patch)).into_iter();
                places.flat_map(|keys| entries_below(current, &keys)).collect()
            }
            // One of the paths may lead nowhere in this text alone.
            Err(_) => {
                let paths = request.paths().into_iter().map(Path::entry);
                paths.flat_map(|path| entries_at(current, &path, request.conditions())).collect()
            }
        })
    }

    /// The entries of included files among those that `matched` finds, by their keys, in each text.
    pub fn included_at(&self, matched: &dyn Fn(&dyn ConfigLookup) -> Vec<Vec<String>>) -> Option<PassedOver> {
        let keys_in = |text: &SearchedText<'_>| {
            let config = text.snapshot().config();
            matched(&config.lookup())
        };
        let keys: HashSet<Vec<String>> = self.searched().iter().flat_map(keys_in).collect();
        PassedOver::from_entries(
            self.included_entries().into_iter().filter(|entry| keys.contains(&entry.keys())),
        )
    }

    /// The streams, lives and plugins of included files.
    pub fn included_entries(&self) -> Vec<IncludedEntry> {
        let of_text = |text: &SearchedText<'_>| -> Vec<IncludedEntry> {
            let members = top_members(text.snapshot().document());
            let in_group =
                |kind: Kind| members.own_by_key(kind.key()).iter().map(move |entry| (kind, *entry));
            let entries = KINDS.into_iter().flat_map(in_group);
            let included = entries.filter_map(|(kind, entry)| {
                let file = text.place(entry.span().start)?.0.to_owned();
                Some(IncludedEntry { kind, name: group_name(entry).value().into_owned(), file })
            });
            included.collect()
        };
        self.searched().iter().filter(|text| !text.is_part_of_whole()).flat_map(of_text).collect()
    }

    /// Refuses to work on an entry that is not in the configuration itself, but in a file that it includes.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_entry(&self, path: &Path) -> Result<(), Refusal> {
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
        let own = own.lookup();
        let not_own = places.into_iter().filter(|keys| !own.contains(keys));
        let searched = self.searched();
        let all: Vec<_> = searched.iter().map(|text| (text, text.snapshot().config())).collect();
        let faults = not_own.filter_map(|keys| {
            let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
            let (file, line) = all.iter().find_map(|(text, config)| {
                let is_there = config.lookup().contains(&keys);
                let entry = entry_at(config.members(), &segments).filter(|_| is_there)?;
                text.place(entry.span().start)
            })?;
            let file = one_line(file);
            let fault = Fault::absent(format!("it stands in `{file}`, line {line}, which is included"));
            let hint = format!("name that file: `--conf {file}`");
            Some(fault.hint(hint).at(&Path { segments }))
        });
        faults.collect()
    }
}

/// The members of the top level, and the streams, lives and plugins, that a change is about.
fn changed_places<'r>(request: &'r ChangeRequest, patch: Option<&'r Value>) -> Vec<Vec<&'r str>> {
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
fn entries_below(current: &dyn ConfigLookup, keys: &[&str]) -> Vec<Vec<String>> {
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

//! Entries that stand in included files: a change of one is refused, and says in which file it is.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::composed::Composed;
use super::error::EngineError;
use super::options::ChangeOptions;
use super::outcome::OutcomeNote;
use super::passed_over::{IncludedEntry, PassedOver};
use super::snapshot::Snapshot;
use super::transaction::Transaction;
use crate::edit::config_lookup::{Current, LocalView};
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::{Path, Segment};
use crate::edit::place_in_text::entry_at;
use crate::edit::request::ChangeRequest;
use crate::model::schema::{Scope, WITH_INCLUDES, by_key};
use crate::model::shape::group_name;
use crate::model::{Kind, Lens, Shape, top_members};
use crate::syntax::one_line;

impl Transaction<'_> {
    /// Refuses a change whose entry stands in an included file, or that also matches such entries, unless these
    /// are to be left alone: the note tells of them.
    pub(super) fn refuse_included(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<Option<OutcomeNote>, EngineError> {
        let engine = self.engine;
        let Some(composed) = engine.composed(text, engine.followed()) else { return Ok(None) };
        composed.refuse_change(request, text, patch, self.options)
    }
}

impl Composed {
    /// Refuses a change whose entry is not in `text`, but in a file that it includes: made here, it would be
    /// there twice. The same of one that matches such entries, too, unless the note is enough.
    ///
    /// # Errors
    /// `BadAssignments`, `PassedOver`.
    pub fn refuse_change(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
        options: &ChangeOptions,
    ) -> Result<Option<OutcomeNote>, EngineError> {
        // What is expected of an entry of an included file can't be told from this text alone.
        let expected = request.expectations.iter().filter_map(|expectation| place_of(&expectation.path));
        let places = changed_places(request, patch).into_iter().chain(expected).collect();
        let faults = if options.force { Vec::new() } else { self.faults_at(places, text) };
        if !faults.is_empty() {
            return Err(EngineError::BadAssignments(faults));
        }
        match self.passed_over(request, text) {
            Some(passed) if options.force || options.skip_included => {
                Ok(Some(OutcomeNote::SkippedIncluded(passed)))
            }
            Some(passed) => Err(EngineError::PassedOver(passed)),
            None => Ok(None),
        }
    }

    /// The entries of included files that a request with patterns or conditions matches, too.
    fn passed_over(&self, request: &ChangeRequest, text: &Arc<Snapshot>) -> Option<PassedOver> {
        if !request.stands_for_many() || self.text.document().diagnostics().errors() > 0 {
            return None;
        }
        let members = top_members(self.text.document());
        let evaluated = request.evaluate(&LocalView::new(&members, &Lens::default())).ok()?;
        let places = changed_places(request, Some(&evaluated.patch));
        let matched: HashSet<Vec<&str>> = places.into_iter().collect();
        PassedOver::of(
            self.included_entries(text).into_iter().filter(|entry| matched.contains(&entry.keys())),
        )
    }

    /// The streams, lives and plugins that are not in `text`, but in the files that it includes.
    pub fn included_entries(&self, text: &Arc<Snapshot>) -> Vec<IncludedEntry> {
        let (own, all) = (text.members(), top_members(self.text.document()));
        let in_group = |kind: Kind| {
            let own: HashSet<_> =
                own.own_by_key(kind.key()).iter().map(|entry| group_name(*entry).value()).collect();
            let entries = all.own_by_key(kind.key());
            let named =
                entries.iter().map(|entry| (group_name(*entry).value().into_owned(), entry.span().start));
            let included = named.filter(|(name, _)| !own.contains(name.as_str()));
            included
                .map(|(name, at)| IncludedEntry { kind, name, file: self.file_of(at).to_owned() })
                .collect::<Vec<_>>()
        };
        Kind::ALL.into_iter().flat_map(in_group).collect()
    }

    /// Refuses to work on an entry that is not in `text`, but in a file that it includes.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_entry(&self, path: &Path, text: &Arc<Snapshot>) -> Result<(), EngineError> {
        let faults = self.faults_at(place_of(path).into_iter().collect(), text);
        if faults.is_empty() { Ok(()) } else { Err(EngineError::BadAssignments(faults)) }
    }

    /// Where the entry that a path leads into stands, if that is in an included file alone, in words.
    pub fn included_place(&self, path: &Path, text: &Arc<Snapshot>) -> Option<String> {
        let faults = self.faults_at(place_of(path).into_iter().collect(), text);
        faults.first().map(|fault| fault.misfit.to_string())
    }

    fn faults_at(&self, places: Vec<Vec<&str>>, text: &Arc<Snapshot>) -> Vec<PathFault> {
        if self.text.document().diagnostics().errors() > 0 {
            return Vec::new();
        }
        let (own, all, lens) = (text.members(), top_members(self.text.document()), Lens::default());
        let (own, whole) = (LocalView::new(&own, &lens), LocalView::new(&all, &lens));
        let is_included = |keys: &Vec<&str>| !own.contains(keys) && whole.contains(keys);
        let faults = places.into_iter().filter(is_included).filter_map(|keys| {
            let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
            let (file, line) = self.line(entry_at(&all, &segments)?.span().start);
            let file = one_line(file);
            let misfit = Misfit::absent(format!("it stands in `{file}`, line {line}, which is included"));
            let hint = format!("change it there: `--conf {file}`");
            Some(PathFault::new(&Path { segments }, misfit.hint(hint)))
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

/// The member of the top level, or the stream, live or plugin, that a path leads into.
fn place_of(path: &Path) -> Option<Vec<&str>> {
    let mut names = path.split_names().0;
    let depth = if is_group(names.first()?) { 2 } else { 1 };
    names.truncate(depth);
    Some(names)
}

fn is_group(key: &str) -> bool {
    by_key(Scope::Top, key).is_some_and(|row| matches!(row.shape, Shape::Group(_)))
}

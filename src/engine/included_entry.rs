//! Refuses a change of what stands in an included file, and says in which.

use std::sync::Arc;

use serde_json::Value;

use super::composed::Composed;
use super::error::EngineError;
use super::snapshot::Snapshot;
use super::transaction::Transaction;
use crate::edit::config_lookup::{Current, LocalView};
use crate::edit::misfit::{Misfit, PathFault};
use crate::edit::path::{Path, Segment};
use crate::edit::place_in_text::entry_at;
use crate::edit::request::ChangeRequest;
use crate::model::schema::{Scope, WITH_INCLUDES, by_key};
use crate::model::{Lens, Shape, top_members};
use crate::syntax::one_line;

impl Transaction<'_> {
    /// Refuses a change whose entry stands in an included file.
    pub(super) fn refuse_included(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<(), EngineError> {
        let engine = self.engine;
        let composed = (!self.options.force).then(|| engine.composed(text, engine.followed())).flatten();
        composed.map_or(Ok(()), |composed| composed.refuse_change(request, text, patch))
    }
}

impl Composed {
    /// Refuses a change whose entry is not in `text`, but in a file that it includes. Made here, it would be
    /// there twice.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_change(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<(), EngineError> {
        self.refuse(changed_places(request, patch), text)
    }

    /// Refuses to work on an entry that is not in `text`, but in a file that it includes.
    ///
    /// # Errors
    /// `BadAssignments`.
    pub fn refuse_entry(&self, path: &Path, text: &Arc<Snapshot>) -> Result<(), EngineError> {
        self.refuse(place_of(path).into_iter().collect(), text)
    }

    fn refuse(&self, places: Vec<Vec<&str>>, text: &Arc<Snapshot>) -> Result<(), EngineError> {
        if self.text.document().diagnostics().errors() > 0 {
            return Ok(());
        }
        let (own, all, lens) = (text.members(), top_members(self.text.document()), Lens::default());
        let (own, whole) = (LocalView::new(&own, &lens), LocalView::new(&all, &lens));
        let is_included = |keys: &Vec<&str>| !own.contains(keys) && whole.contains(keys);
        let faults: Vec<PathFault> = places
            .into_iter()
            .filter(is_included)
            .filter_map(|keys| {
                let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
                let (file, line) = self.line(entry_at(&all, &segments)?.span().start);
                let file = one_line(file);
                let misfit = Misfit::absent(format!("it stands in `{file}`, line {line}, which is included"));
                let hint = format!("change it there: `--conf {file}`");
                Some(PathFault::new(&Path { segments }, misfit.hint(hint)))
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(EngineError::BadAssignments(faults)) }
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

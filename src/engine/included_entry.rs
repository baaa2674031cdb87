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
use crate::store::Follow;
use crate::syntax::one_line;

impl Transaction<'_> {
    /// Refuses a change whose entry stands in an included file.
    pub(super) fn refuse_included(
        &self,
        request: &ChangeRequest,
        text: &Arc<Snapshot>,
        patch: Option<&Value>,
    ) -> Result<(), EngineError> {
        let follow = if self.state.is_some() { Follow::BELOW } else { Follow::ALL };
        let composed = (!self.options.force).then(|| self.engine.composed(text, follow)).flatten();
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
        if self.text.document().diagnostics().errors() > 0 {
            return Ok(());
        }
        let (own, all, lens) = (text.members(), top_members(self.text.document()), Lens::default());
        let (own, whole) = (LocalView::new(&own, &lens), LocalView::new(&all, &lens));
        let is_included = |keys: &Vec<&str>| !own.contains(keys) && whole.contains(keys);
        let faults: Vec<PathFault> = changed_places(request, patch)
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
    let is_group =
        |key: &str| by_key(Scope::Top, key).is_some_and(|row| matches!(row.shape, Shape::Group(_)));
    let depth = |key: &str| if is_group(key) { 2 } else { 1 };
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
    let names = request.paths().into_iter().map(|path| path.split_names().0);
    let whole = |mut names: Vec<&'r str>| {
        names.truncate(names.first().map_or(0, |first| depth(first)));
        names
    };
    names.map(whole).filter(|names| !names.is_empty()).collect()
}

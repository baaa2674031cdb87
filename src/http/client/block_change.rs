//! Another name for a block, and copies of one, on a server that gives its text: a patch could not keep the
//! comments, so the text is edited here and sent as a whole, for the configuration that was read.

use std::sync::Arc;

use super::change::{refuse_guarded, rehearsed};
use super::replace::replace;
use super::session::Session;
use crate::engine::{
    ChangeOptions, Content, EngineError, Expected, Guard, Outcome, OutcomeNote, Replaced, ServiceError,
    Snapshot,
};
use mediaconf::edit::request::TextRequest;
use mediaconf::model::top_members;

/// Makes the change in a text that was read from the server, or rehearses it.
pub fn change_block(
    session: &mut Session,
    running: &Arc<Snapshot>,
    request: &TextRequest<'_>,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    if !running.is_valid() {
        return Err(EngineError::BadConfig(running.clone()).into());
    }
    let members = top_members(running.document());
    let Some(edit) = request.edit(running.document(), &members).map_err(EngineError::from)? else {
        return Ok(rehearsed(Content::Text(running.clone()), Content::Text(running.clone())));
    };
    options.refused(edit.guarded).into_result(()).map_err(EngineError::from)?;
    let credentials = edit.removes_credentials.then_some(Guard::WouldRemoveCredentials);
    refuse_guarded([credentials], options)?;
    let new = Snapshot::edited(running, &edit.splices);
    let expected = (!options.force).then(|| Expected::OneOf(vec![running.revision()]));
    // To the server, a stream with another name is a stream less.
    let options = ChangeOptions { expected, max_delete: Some(usize::MAX), ..options.clone() };
    let mut outcome = replace(session, Replaced::File, new.bytes(), &options)?;
    outcome.notes.retain(|note| !matches!(note, OutcomeNote::DeletedStreams(_)));
    outcome.notes.extend(edit.notes.into_iter().map(OutcomeNote::Edit));
    Ok(outcome)
}

//! Another name for a block, and copies of one, on a server that gives its text: a patch could not keep the
//! comments, so the text is edited here and sent as a whole, for the configuration that was read.

use std::sync::Arc;

use super::change::{refuse_guarded, refuse_unexpected, rehearsed};
use super::replace::replace;
use super::session::{Session, status};
use crate::edit::request::TextRequest;
use crate::engine::{
    ChangeOptions, Content, EngineError, Expected, Guard, Outcome, OutcomeNote, Replaced, ServiceError,
    Snapshot, Source,
};
use crate::http::protocol::problem::ProblemKind;
use crate::model::top_members;

/// How often the text is edited again because the configuration of the server has changed meanwhile.
const MAX_RETRIES: u32 = 10;

/// Makes the change in the text that the server runs, or rehearses it.
pub fn change_block(
    session: &mut Session,
    mut running: Arc<Snapshot>,
    request: &TextRequest<'_>,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    let mut retries = 0;
    loop {
        match change_text(session, &running, request, options) {
            Err(error) if is_stale(&error) && retries < MAX_RETRIES => {
                retries += 1;
                let Content::Text(now) = session.fetch(Source::Running)?.content else { return Err(error) };
                // If only the file was edited, a retry would not help.
                if now.is_same_text(&running) {
                    return Err(error);
                }
                running = now;
            }
            result => return result,
        }
    }
}

fn is_stale(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Engine(EngineError::Stale))
        || status(error) == Some(ProblemKind::Stale.status())
}

fn change_text(
    session: &mut Session,
    running: &Arc<Snapshot>,
    request: &TextRequest<'_>,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    refuse_unexpected(&Content::Text(running.clone()), options)?;
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

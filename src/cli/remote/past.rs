//! The history of a server, the way back, and what is decided on a change that waits.

use std::sync::Arc;

use super::change::{outcome, refuse_guarded};
use super::replace::guards;
use super::{Fetched, Remote, Source};
use crate::cli::error::CliError;
use crate::engine::Content;
use crate::engine::{ChangeOptions, EngineError, Outcome, OutcomeNote, Snapshot, find};
use crate::http::client::{Call, ClientError};
use crate::http::protocol::headers::{Feature, ID, TO, offers};
use crate::http::protocol::problem::ProblemKind;
use crate::http::protocol::routes::ApiOperation;
use crate::store::{ChangeRef, HistoryEntry};

/// What becomes of a change that waits to be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It stays.
    Keep,
    /// It goes back.
    TakeBack,
}

impl Remote {
    /// The changes of the file, the last one first.
    pub fn history(&mut self) -> Result<Vec<HistoryEntry>, CliError> {
        self.demand(Feature::History)?;
        let answer = self.send(&Call::of(ApiOperation::History))?;
        let entries = answer.body.and_then(|body| serde_json::from_slice(&body).ok());
        let what = "what is no history";
        entries.ok_or_else(|| self.failed(ClientError::NotOfTheApi { applies: false, what }))
    }

    /// The text before a change.
    pub fn kept(&mut self, which: ChangeRef) -> Result<Arc<Snapshot>, CliError> {
        self.demand(Feature::History)?;
        let argument = which.in_url();
        let answer = self.send(&Call { argument: Some(&argument), ..Call::of(ApiOperation::Kept) })?;
        Ok(Arc::new(Snapshot::of(answer.body.unwrap_or_default())))
    }

    /// The same change by the number that it keeps, whatever is changed meanwhile.
    fn serial(&mut self, which: ChangeRef) -> Result<ChangeRef, CliError> {
        Ok(ChangeRef::Serial(find(&self.history()?, which)?.serial))
    }

    /// The change that waits to be confirmed.
    pub fn pending(&mut self) -> Result<Option<String>, CliError> {
        let answer = self.look()?;
        if !answer.offers(Feature::Confirm) {
            return Err(self.not_offered(Feature::Confirm));
        }
        Ok(answer.pending)
    }

    /// Decides on the change that waits; what else there is to say of it.
    pub fn decide(&mut self, id: &str, decision: Decision) -> Result<Vec<OutcomeNote>, CliError> {
        let operation = match decision {
            Decision::Keep => ApiOperation::Confirm,
            Decision::TakeBack => ApiOperation::Cancel,
        };
        let parameters = vec![(ID, id.into())];
        match self.send(&Call { parameters, applies: true, ..Call::of(operation) }) {
            Err(CliError::Server { error, .. }) if error.status() == Some(ProblemKind::NotFound.status()) => {
                Err(EngineError::NothingPending.into())
            }
            result => Ok(result?.notes.into_iter().map(OutcomeNote::Word).collect()),
        }
    }

    /// Nothing is sent that a server may take for something else.
    fn demand(&mut self, feature: Feature) -> Result<(), CliError> {
        if self.api.is_none() {
            self.api = Some(self.look()?.api.unwrap_or_default());
        }
        match self.api.as_deref().is_some_and(|api| offers(api, feature)) {
            true => Ok(()),
            false => Err(self.not_offered(feature)),
        }
    }
}

/// Makes an earlier text the configuration, or rehearses it.
pub fn roll_back(
    remote: &mut Remote,
    which: ChangeRef,
    request: &ChangeOptions,
) -> Result<Outcome, CliError> {
    let which = remote.serial(which)?;
    let new = remote.kept(which)?;
    let before: Fetched = match remote.fetch(Source::Saved) {
        // Of what ran alone, the file shows nothing; of a file that is gone, what runs is all there is.
        Err(CliError::Server { error, .. }) if error.status() == Some(ProblemKind::NotFound.status()) => {
            remote.fetch(Source::Running)?
        }
        fetched => fetched?,
    };
    refuse_guarded(guards(&before, &new, request), request)?;
    let mut parameters = remote.parameters(request, &before)?;
    parameters.push((TO, which.in_url().into()));
    let applies = !request.dry_run;
    let answer = remote.post(&Call { parameters, applies, ..Call::of(ApiOperation::Rollback) })?;
    let (notes, pending) = (answer.notes, answer.pending);
    Ok(outcome(before.content, Content::Text(new), notes, pending))
}

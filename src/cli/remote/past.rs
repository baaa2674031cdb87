//! The history of a server, the way back, and what is decided on a change that waits.

use std::sync::Arc;

use super::super::content::Content;
use super::super::error::CliError;
use super::change::{Outcome, refuse_guarded};
use super::replace::guards;
use super::{Fetched, Remote, Source};
use crate::engine::{EngineError, Request, Snapshot};
use crate::http::client::{Call, ClientError};
use crate::http::route::Operation;
use crate::http::wire::{Feature, ID, TO};
use crate::store::Entry;

/// The status of a server that has nothing under a path.
const NOT_FOUND: u16 = 404;

impl Remote {
    /// The changes of the file, the last one first.
    pub fn history(&mut self) -> Result<Vec<Entry>, CliError> {
        self.demand(Feature::History)?;
        let answer = self.send(&Call::of(Operation::History))?;
        let entries = answer.body.and_then(|body| serde_json::from_slice(&body).ok());
        let what = "what is no history";
        entries.ok_or_else(|| self.failed(ClientError::NotOfTheApi { applies: false, what }))
    }

    /// The text before a change.
    pub fn kept(&mut self, number: usize) -> Result<Arc<Snapshot>, CliError> {
        self.demand(Feature::History)?;
        let argument = number.to_string();
        let answer = self.send(&Call { argument: Some(&argument), ..Call::of(Operation::Kept) })?;
        Ok(Arc::new(Snapshot::of(answer.body.unwrap_or_default())))
    }

    /// The change that waits to be confirmed.
    pub fn pending(&mut self) -> Result<Option<String>, CliError> {
        let answer = self.look()?;
        if !answer.offers(Feature::Confirm) {
            return Err(self.not_offered(Feature::Confirm));
        }
        Ok(answer.pending)
    }

    /// Keeps the change that waits, or takes it back.
    pub fn decide(&mut self, id: &str, is_kept: bool) -> Result<(), CliError> {
        let operation = if is_kept { Operation::Confirm } else { Operation::Cancel };
        let parameters = vec![(ID, id.into())];
        match self.send(&Call { parameters, applies: true, ..Call::of(operation) }) {
            Err(CliError::Server { error, .. }) if error.status() == Some(NOT_FOUND) => {
                Err(EngineError::NothingPending.into())
            }
            result => result.map(|_| ()),
        }
    }

    /// Nothing is sent that a server may take for something else.
    fn demand(&mut self, feature: Feature) -> Result<(), CliError> {
        match self.look()?.offers(feature) {
            true => Ok(()),
            false => Err(self.not_offered(feature)),
        }
    }
}

/// Makes an earlier text the configuration, or rehearses it.
pub fn roll_back(remote: &mut Remote, number: usize, request: &Request) -> Result<Outcome, CliError> {
    let new = remote.kept(number)?;
    let before: Fetched = match remote.fetch(Source::Saved) {
        // Of what ran alone, the file shows nothing; of a file that is gone, what runs is all there is.
        Err(CliError::Server { error, .. }) if error.status() == Some(NOT_FOUND) => {
            remote.fetch(Source::Running)?
        }
        fetched => fetched?,
    };
    refuse_guarded(guards(&before, &new, request), request)?;
    let mut parameters = remote.parameters(request, &before)?;
    parameters.push((TO, number.to_string().into()));
    let applies = !request.dry_run;
    let answer = remote.post(&Call { parameters, applies, ..Call::of(Operation::Rollback) })?;
    let (notes, pending) = (answer.notes, answer.pending);
    Ok(Outcome { before: before.content, after: Content::Text(new), notes, pending })
}

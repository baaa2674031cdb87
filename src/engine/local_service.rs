//! The engine as a service.

use std::sync::Arc;

use super::blame::is_edited_since;
use super::change::{ChangeOptions, RequestedChange};
use super::change_report::ChangeReport;
use super::composed::Composed;
use super::content::Content;
use super::local::Engine;
use super::new_text::NewText;
use super::outcome::{Outcome, OutcomeNote};
use super::service::{ConfigService, ConfigSource, Decision, ReadForm, ReadQuery, Reading};
use super::snapshot::Snapshot;
use super::status::{ServerHealth, Status, differing, last_change};
use crate::error::Error;
use crate::store::{CanaryStep, CanaryWish, ChangeRef, HistoryEntry, NodeRecord, PendingInfo};

impl ConfigService for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, query: &ReadQuery) -> Result<Reading, Error> {
        let running = self.running();
        if matches!(query.form, ReadForm::Json { runtime: true, .. }) {
            return Err(self.no_server());
        }
        let (source, snapshot) = match (query.source, running) {
            (Some(ConfigSource::Running), None) => return Err(self.no_server()),
            (None | Some(ConfigSource::Running), Some(running)) => (ConfigSource::Running, running),
            (None | Some(ConfigSource::Saved), _) => {
                self.refuse_moved()?;
                (ConfigSource::Saved, Engine::read(self)?)
            }
        };
        let lost_line_ends = snapshot.has_lost_line_ends();
        Ok(Reading { source, content: Content::Text(snapshot), lost_line_ends })
    }

    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Content>, Error> {
        let snapshot = match self.running() {
            Some(running) => running,
            None => Arc::new(Snapshot::from_bytes(self.store.load()?.bytes)),
        };
        let revision = snapshot.revision().to_string();
        let is_known = tag.as_ref() == Some(&revision);
        *tag = Some(revision);
        Ok((!is_known).then_some(Content::Text(snapshot)))
    }

    fn health(&self) -> Result<ServerHealth, Error> {
        let (revision, pending) = (Some(self.present()?.revision()), self.pending_info()?);
        Ok(ServerHealth { revision, pending, trouble: None })
    }

    fn composed(&self, text: &Arc<Snapshot>, _: Option<ConfigSource>) -> Result<Option<Composed>, Error> {
        Ok(Engine::composed(self, text, self.followed()))
    }

    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        let outcome = self.make(&requested, options)?;
        Ok(ChangeReport::new(outcome, requested.into_conditional(), options.told))
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        Engine::history(self, wanted)
    }

    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        Engine::kept(self, change)
    }

    fn pending(&self) -> Result<Option<PendingInfo>, Error> {
        self.pending_info()
    }

    fn decide(&self, decision: Decision, id: Option<&str>, by: &str) -> Result<Vec<OutcomeNote>, Error> {
        let is_run_by_nodes = self.is_run_by_nodes();
        let pending = self.pending_info()?.filter(|pending| !(is_run_by_nodes && pending.is_over));
        let Some(pending) = pending else {
            if is_run_by_nodes {
                // A change whose time is over is rolled back by the first who writes.
                drop(self.writer()?);
            }
            return Err(Error::nothing_pending());
        };
        let id = id.unwrap_or(&pending.id);
        let is_kept = match decision {
            Decision::Keep => self.confirm(id).map(|()| false)?,
            Decision::RollBack => self.cancel(id, by)?.is_hand_edit(),
        };
        Ok(is_kept.then_some(OutcomeNote::KeptHandEdit).into_iter().collect())
    }

    fn canaries(&self, id: &str, wish: &CanaryWish) -> Result<CanaryStep, Error> {
        self.store.canaries(id, wish)
    }

    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        self.store.nodes()
    }

    fn status(&self) -> Result<Status, Error> {
        let file = Engine::read(self)?;
        let entries = Engine::history(self, 1)?;
        let state = self.state();
        let running = state.as_ref().map_or(&file, |state| &state.running);
        Ok(Status {
            server: None,
            unreachable: None,
            node: None,
            saved: Some(running.is_same_text(&file)),
            differing: differing(&Content::Text(running.clone()), &Content::Text(file.clone())),
            edited_by_hand: is_edited_since(&entries, &file) || self.has_changed_includes(),
            errors: Some(file.diagnostics().errors()),
            first_error: None,
            pending: self.pending_info()?,
            last_change: match state.as_ref().and_then(|state| state.last_change.as_ref()) {
                Some(last) => {
                    let made = (last.at, &*last.by, &*last.operation);
                    last_change(entries.into_iter().next(), made, running.revision())
                }
                None => entries.into_iter().next(),
            },
            file: Some(file),
            last_error: state.and_then(|state| state.last_error).map(|error| error.message),
            nodes: self.store.nodes()?,
        })
    }
}

impl Engine {
    /// Makes a change, or rehearses it.
    pub fn make(&self, requested: &RequestedChange<'_>, options: &ChangeOptions) -> Result<Outcome, Error> {
        let new = match requested {
            RequestedChange::Modify(request) => return self.modify(request, options),
            RequestedChange::Update(text) => return self.update(text, options),
            RequestedChange::Rollback(to) => return self.rollback(*to, options),
            RequestedChange::TakeBack(change) => return self.take_back(change, options),
            RequestedChange::Save(text) => NewText::Whole(text.clone()),
            RequestedChange::Format {} => NewText::Formatted,
            RequestedChange::Entries(entries) => NewText::Entries(entries.clone()),
        };
        // Looked for before the lock, which makes the state folder.
        if !new.is_whole() && self.running.is_none() {
            self.store.refuse_missing()?;
        }
        self.save(&new, options)
    }

    /// Returns what a server runs, or the stored text where none runs.
    pub(super) fn present(&self) -> Result<Arc<Snapshot>, Error> {
        self.running().map_or_else(|| Engine::read(self), Ok)
    }
}

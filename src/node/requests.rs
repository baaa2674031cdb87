//! The changes that clients ask a node for: the cluster makes them, and they are answered when this node
//! runs them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::member::Node;
use super::overlays::merged;
use crate::engine::{
    After, CanaryFault, ChangeOptions, ChangeReport, Composed, ConfigService, ConfigSource, Content,
    DEFAULT_LOCK_WAIT, Decision, EngineError, Expected, Feature, NodeReport, Operation, Outcome, OutcomeNote,
    PendingInfo, ReadQuery, Reading, Replaced, ServiceError, Snapshot, Status, Trouble, canary_nodes,
};
use crate::store::{ChangeRef, HistoryEntry, NodeState, Store, StoreError};
use mediaconf::edit::request::ChangeRequest;

/// The message to a client if the node needs too long.
const NOT_YET: &str = "the change is made in the cluster, and this node does not run it yet";

/// What is read is what this node runs and keeps. What is changed is changed in the cluster, but for an `update`.
impl ConfigService for Node {
    fn name(&self) -> &str {
        self.local.name()
    }

    fn read(&self, query: &ReadQuery) -> Result<Reading, ServiceError> {
        ConfigService::read(&self.local, query)
    }

    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Content>, ServiceError> {
        self.local.read_changed(tag)
    }

    fn composed(
        &self,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, ServiceError> {
        ConfigService::composed(&self.local, text, source)
    }

    fn modify(&self, request: &ChangeRequest, options: &ChangeOptions) -> Result<ChangeReport, ServiceError> {
        let made = self.make(options, |options| self.cluster.modify(request, options))?;
        Ok(ChangeReport::new(made, Some(request), options.told))
    }

    fn replace(
        &self,
        target: Replaced,
        text: &[u8],
        options: &ChangeOptions,
    ) -> Result<ChangeReport, ServiceError> {
        match target {
            Replaced::Running if !options.canary.is_empty() => {
                Err(EngineError::Canary(CanaryFault::OneNode).into())
            }
            Replaced::Running => self.local.replace(target, text, options),
            Replaced::File => {
                self.refuse_overlaid()?;
                let made = self.make(options, |options| self.cluster.save(text, options))?;
                Ok(ChangeReport::new(made, None, options.told))
            }
        }
    }

    /// Rolls the cluster back to a text of the history of this node, which is what its clients see.
    fn rollback(&self, to: ChangeRef, options: &ChangeOptions) -> Result<ChangeReport, ServiceError> {
        self.refuse_overlaid()?;
        let kept = self.local.kept(to)?;
        let back =
            |options: &ChangeOptions| self.cluster.replace_as(Operation::Rollback, kept.bytes(), options);
        Ok(ChangeReport::new(self.make(options, back)?, None, options.told))
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, ServiceError> {
        ConfigService::history(&self.local, wanted)
    }

    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, ServiceError> {
        ConfigService::kept(&self.local, change)
    }

    fn pending(&self) -> Result<Option<PendingInfo>, ServiceError> {
        Ok(self.local.pending_info()?.or_else(|| self.standing().pending.clone()))
    }

    fn decide(
        &self,
        decision: Decision,
        id: Option<&str>,
        by: &str,
    ) -> Result<Vec<OutcomeNote>, ServiceError> {
        let local = self.local.pending();
        if local.is_some_and(|local| id.is_none_or(|id| id == local.id)) {
            return self.local.decide(decision, id, by);
        }
        let notes = self.cluster.decide(decision, id, by)?;
        if decision == Decision::RollBack {
            self.wait();
        }
        Ok(notes)
    }

    fn demand(&self, features: &[Feature]) -> Result<(), ServiceError> {
        self.local.demand(features)
    }

    fn node(&self) -> Option<NodeReport> {
        Some(self.described())
    }

    fn status(&self) -> Result<Status, ServiceError> {
        Ok(Status { node: self.node(), pending: ConfigService::pending(self)?, ..self.local.status()? })
    }
}

impl Node {
    /// A whole text that was read here has the values of this node, which are not those of the others.
    fn refuse_overlaid(&self) -> Result<(), EngineError> {
        if self.standing().overlays.is_empty() { Ok(()) } else { Err(EngineError::Overlaid) }
    }

    /// Refuses a change at once while the cluster is away, after a last look.
    fn refuse_away(&self) -> Result<(), EngineError> {
        if self.standing().away.is_some() {
            self.wait();
        }
        match self.standing().away.clone() {
            Some(reason) => Err(StoreError::Unreachable { name: self.texts.name(), reason }.into()),
            None => Ok(()),
        }
    }

    fn make(
        &self,
        options: &ChangeOptions,
        make: impl Fn(&ChangeOptions) -> Result<Outcome, EngineError>,
    ) -> Result<Outcome, EngineError> {
        self.refuse_away()?;
        let options = &self.with_canary(options)?;
        let before = self.local.running();
        let options = ChangeOptions { expected: self.expected(options), ..options.clone() };
        if self.local.hooks().check.is_some() {
            // What this node would refuse is refused before it is made for all.
            let step = ChangeOptions { dry_run: true, for_change: !options.dry_run, ..options.clone() };
            let rehearsed = make(&ChangeOptions { confirm: None, ..step.clone() })?;
            if let Some(text) =
                rehearsed.after().and_then(Content::snapshot).filter(|_| rehearsed.is_change())
            {
                let check =
                    ChangeOptions { force: true, expected: None, confirm: None, canary: Vec::new(), ..step };
                self.local.replace_as(Operation::Save, self.with_overlays(text)?.bytes(), &check)?;
            }
        }
        let made = make(&options)?;
        let is_elsewhere = !options.canary.is_empty() && !options.canary.contains(&self.settings.name.name);
        if options.dry_run || options.reload_later || is_elsewhere {
            self.wake.ask();
            return self.as_here(made);
        }
        let is_over = self.wait();
        let after = self.local.running();
        let mut outcome = match after.clone().filter(|_| made.is_change()) {
            Some(after) => Outcome::new(before.map(Content::Text), After::replaced(after)),
            None => Outcome::new(after.map(Content::Text), After::Unchanged),
        };
        outcome.notes = made.notes;
        outcome.warnings = made.warnings;
        outcome.new_warnings = made.new_warnings;
        outcome.pending = made.pending;
        let standing = self.standing();
        match standing.state {
            _ if !is_over || standing.away.is_some() => outcome.warnings.push(NOT_YET.to_owned()),
            NodeState::Running => {}
            state => {
                let why = standing.why().unwrap_or_else(|| Trouble::new(""));
                return Err(EngineError::NotRunHere { state: state.to_string(), why });
            }
        }
        Ok(outcome)
    }

    /// The options of a change with the names of the nodes that take it first.
    fn with_canary(&self, options: &ChangeOptions) -> Result<ChangeOptions, EngineError> {
        let mut options = options.clone();
        if !options.canary.is_empty() {
            let nodes = self.texts.cluster()?.unwrap_or_default().nodes;
            options.canary = canary_nodes(&options.canary, &nodes).map_err(EngineError::Canary)?;
        }
        Ok(options)
    }

    /// Waits until the node has looked at what there is now; false if that takes too long.
    fn wait(&self) -> bool {
        let longest: Duration = DEFAULT_LOCK_WAIT + 3 * self.local.hooks().timeout;
        self.wake.wait_for(self.wake.ask(), Instant::now() + longest)
    }

    /// The condition on the configuration of the cluster for one on that of this node.
    fn expected(&self, options: &ChangeOptions) -> Option<Expected> {
        let Some(Expected::OneOf(revisions)) = &options.expected else { return options.expected.clone() };
        let running = self.local.running().map(|running| running.revision());
        let runs = self.standing().followed.runs.clone().filter(|runs| running == Some(runs.revision));
        let original = |revision| match &runs {
            Some(runs) if runs.revision == revision => runs.original,
            _ => revision,
        };
        Some(Expected::OneOf(revisions.iter().copied().map(original).collect()))
    }

    /// The outcome of a change in the cluster as it is on this node.
    fn as_here(&self, made: Outcome) -> Result<Outcome, EngineError> {
        if self.standing().overlays.is_empty() {
            return Ok(made);
        }
        let Some(after) = made.after().and_then(Content::snapshot).filter(|_| made.is_change()) else {
            return Ok(made);
        };
        let after = After::replaced(self.with_overlays(after)?);
        let before = self.local.running().map(Content::Text);
        Ok(Outcome { before, after, ..made })
    }

    fn with_overlays(&self, text: &Arc<Snapshot>) -> Result<Arc<Snapshot>, EngineError> {
        let overlays = self.standing().overlays.clone();
        let merged = merged(Snapshot::from_bytes(text.bytes().to_vec()), &overlays);
        merged.map_err(|why| EngineError::NotRunHere {
            state: NodeState::Refused.to_string(),
            why: Trouble::new(why),
        })
    }
}

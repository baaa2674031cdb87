//! The changes that clients ask a node for: the cluster makes them, and they are answered when this node
//! runs them.

use std::sync::Arc;

use super::{Node, failed};
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigService, ConfigSource, DEFAULT_LOCK_WAIT, Decided, Decision,
    Operation, OutcomeNote, RequestedChange, Snapshot, Status, StatusPart, canary_refusal, canary_waves,
    is_edited_since,
};
use crate::error::Error;
use crate::store::{ChangeRef, HistoryEntry, NodeState, PendingInfo, Reverted, Store};

/// The message to a client if the node needs too long.
const NOT_YET: &str = "the change is made in the cluster, and this node does not run it yet";

/// Reads return what this node runs and keeps. Changes are made in the cluster, but for an `update`.
impl ConfigService for Node {
    fn name(&self) -> &str {
        self.local.name()
    }

    fn read(&self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        ConfigService::read(&self.local, source)
    }

    /// An `update` changes this node alone. A rollback takes the cluster back to the text that this node had, which is what
    /// its clients see.
    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        let made = match &requested {
            RequestedChange::Update(_) if !options.canary.is_empty() => {
                return Err(canary_refusal("an update changes this node alone", "leave it out"));
            }
            RequestedChange::Update(_) => return self.local.change(requested, options),
            RequestedChange::Rollback(to) => {
                let text = self.local.text_before(*to)?;
                let words = format!("back to the text that {} had before its change {to}", self.name);
                let message = Some(options.message.clone().unwrap_or(words));
                let options = ChangeOptions { takes_faults: true, message, ..options.clone() };
                let text = text.bytes();
                self.make(&options, |options| self.cluster.replace_as(Operation::Rollback, text, options))?
            }
            RequestedChange::Revert(reverted @ Reverted::Numbers(_)) => {
                let (undone, of) = (self.local.undone(reverted)?, format!(" of {}", self.name));
                self.make(options, |options| self.cluster.undo(reverted, undone.clone(), &of, options))?
            }
            _ => self.make(options, |options| self.cluster.make(&requested, options))?,
        };
        Ok(made.with_parts(options.told))
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        ConfigService::history(&self.local, wanted)
    }

    fn text_before(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        self.local.text_before(change)
    }

    fn pending(&self) -> Result<Option<PendingInfo>, Error> {
        let local = self.local.pending_info()?;
        // That of the cluster was read a while ago.
        let of_cluster = self.standing.lock().pending.clone();
        let of_cluster = of_cluster.map(|pending| (pending.deadline, pending));
        Ok(local.or(of_cluster.map(|(deadline, pending)| pending.until(deadline))))
    }

    fn decide(&self, decision: Decision<'_>, id: Option<&str>, by: &str) -> Result<Decided, Error> {
        let local = self.local.pending();
        if local.is_some_and(|local| id.is_none_or(|id| id == local.info().id)) {
            return self.local.decide(decision, id, by);
        }
        let decided = self.cluster.decide(decision, id, by)?;
        if decision == Decision::RollBack {
            self.wait_for_look();
        }
        Ok(decided)
    }

    fn status(&self, part: StatusPart) -> Result<Status, Error> {
        match part {
            StatusPart::Nodes | StatusPart::Alarms => self.cluster.status(part),
            _ => {
                let (node, pending) = (Some(self.described()), ConfigService::pending(self)?);
                Ok(Status { node, pending, ..self.local.status(part)? })
            }
        }
    }
}

impl Node {
    fn make(
        &self,
        options: &ChangeOptions,
        make: impl Fn(&ChangeOptions) -> Result<ChangeReport, Error>,
    ) -> Result<ChangeReport, Error> {
        // While the cluster is away, a change is refused at once, after a last look.
        if self.standing.lock().away.is_some() {
            self.wait_for_look();
        }
        if let Some(away) = &self.standing.lock().away {
            return Err(away.clone());
        }
        let mut options = options.clone();
        if !options.canary.is_empty() {
            let nodes = self.texts.nodes()?.unwrap_or_default();
            let waves = canary_waves(&options.canary, &nodes)?;
            let [only] = &waves[..] else {
                let hint = "give one; `mediactl --cluster URL` with `--canary` makes several";
                return Err(canary_refusal("a change over HTTP has one wave", hint));
            };
            options.canary.clone_from(only);
        }
        let before = self.local.running();
        let edited = ConfigService::read(&self.local, Some(ConfigSource::Saved))?;
        let is_edited = is_edited_since(&self.local.history(1)?, &edited);
        let mut made = make(&options)?;
        made.notes.extend((is_edited && made.changed).then_some(OutcomeNote::OverwroteHandEdit));
        let is_elsewhere = !options.canary.is_empty() && !options.canary.contains(&self.name);
        if options.dry_run || options.reload_later || is_elsewhere {
            self.wake.ask();
            return Ok(made);
        }
        let is_over = self.wait_for_look();
        let after = self.local.running();
        let outcome = match after.clone().filter(|_| made.changed) {
            Some(after) => ChangeReport::of_change(before, after),
            None => ChangeReport::unchanged(after),
        };
        let ChangeReport { notes, warnings, new_warnings, pending, .. } = made;
        let mut outcome = ChangeReport { notes, warnings, new_warnings, pending, ..outcome };
        let standing = self.standing.lock();
        match standing.state() {
            _ if !is_over || standing.away.is_some() => outcome.warnings.push(NOT_YET.to_owned()),
            NodeState::Running | NodeState::Canary | NodeState::Denied => {}
            state => {
                return Err(Error::not_run_here(state, &standing.why().unwrap_or_else(|| failed(""))));
            }
        }
        Ok(outcome)
    }

    /// Waits until the node has looked at what there is now; false if that takes too long.
    fn wait_for_look(&self) -> bool {
        self.wake.wait_for(self.try_again(), DEFAULT_LOCK_WAIT + 3 * self.local.hooks.timeout)
    }
}

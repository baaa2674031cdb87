//! Commit-confirm: a change that is rolled back unless it is confirmed in time, and the nodes of a cluster that take it
//! first.
//!
//! The record that a rollback needs is durable before the change is made. Then a thread waits. On
//! timeout, running configuration and file are rolled back; where the file was edited meanwhile, the edit
//! stays. A server that was killed meanwhile rolls back when it starts again,
//! before it answers anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::{Aftermath, Engine, LogLevel, NO_USER, RollbackPoint, SERVER_ENDED, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::store::{EXPIRED, HistoryEntry, NodeRecord, NodeState, PendingInfo, PendingRecord, RunBy, Writer};

/// The reason of a rollback that somebody decided.
pub(super) const TAKEN_BACK: &str = "rolled back before it was confirmed";

/// The pause between two attempts to roll back.
const RETRY: Duration = Duration::from_secs(5);

impl Engine {
    /// Arms the automatic rollback of a change that is about to be made. The caller sends to the channel once the change is
    /// made, and drops it if the change fails.
    pub(super) fn arm_rollback(
        &self,
        pending: &PendingChange,
        writer: &dyn Writer,
    ) -> Result<Sender<()>, Error> {
        let text = |snapshot: &Arc<Snapshot>| snapshot.bytes().clone();
        writer.set_pending(&PendingRecord {
            info: pending.info.clone().until(SystemTime::now() + pending.time),
            running: pending.back.ran().map(text).unwrap_or_default(),
            file: pending.back.file.as_ref().map(text),
            written: pending.back.written.as_ref().map(text),
        })?;
        let (made, is_made) = channel();
        if self.running.is_some() {
            let (engine, id) = (self.clone(), pending.info.id.clone());
            let watch = move || is_made.recv().into_iter().for_each(|()| engine.roll_back_in_time(&id));
            let spawned = thread::Builder::new().name("confirm".to_owned()).spawn(watch);
            spawned.map_err(|source| {
                self.forget_pending(Some(writer));
                Error::io("spawn a thread for", self.store.path())(source)
            })?;
        }
        Ok(made)
    }

    /// Waits until a change is decided, and rolls it back when its time is over.
    fn roll_back_in_time(&self, id: &str) {
        let Some(running) = &self.running else { return };
        loop {
            let told = running.times_told();
            let pending = running.state().pending.filter(|pending| pending.info.id == id);
            let Some(left) = pending.map(|pending| pending.left()) else { return };
            if !left.is_zero() {
                running.wait_for_more(told, left);
                continue;
            }
            match self.roll_back_pending(id, NO_USER, "not confirmed in time") {
                Ok(_) => return,
                Err(error) if matches!(error.kind, ErrorKind::NothingPending | ErrorKind::OtherPending) => {
                    return;
                }
                Err(error) => {
                    self.tell(LogLevel::Error, &format!("a change could not be rolled back: {error}"));
                    running.wait_for_more(running.times_told(), RETRY);
                }
            }
        }
    }

    /// Confirms the pending change.
    ///
    /// # Errors
    /// `NothingPending`, `OtherPending`, `TurnTaken`; those of the store, after which the change is still pending.
    pub fn confirm(&self, id: &str) -> Result<(), Error> {
        let _turn = self.take_turn()?;
        let Some(running) = &self.running else {
            let writer = self.writer()?;
            self.refuse_other(id)?;
            return writer.clear_pending();
        };
        if self.pending_with(id)?.left().is_zero() {
            return Err(Error::nothing_pending());
        }
        self.writer()?.clear_pending()?;
        running.exchange(|state| state.pending = None);
        Ok(())
    }

    /// Says which nodes of the cluster are failed, and why; `None` if none is.
    pub(super) fn failed_nodes(&self) -> Result<Option<String>, Error> {
        let nodes = self.store.nodes()?.unwrap_or_default();
        let failed = nodes.iter().filter(|node| node.state == NodeState::Failed);
        let failed: Vec<_> =
            failed.map(|node| format!("{}: {}", node.node, node.why.as_deref().unwrap_or("-"))).collect();
        let noun = if failed.len() == 1 { "a node is" } else { "nodes are" };
        Ok((!failed.is_empty()).then(|| format!("{noun} failed ({})", failed.join("; "))))
    }

    /// Refuses to confirm a change while nodes of the cluster are failed.
    pub(super) fn refuse_failed_nodes(&self) -> Result<(), Error> {
        let Some(failed) = self.failed_nodes()? else { return Ok(()) };
        let hint = "`--accept failed-nodes` (over HTTP `accept=failed-nodes`) confirms the change anyway";
        Err(Error::new(ErrorKind::FailedNodes, format!("{failed}; nothing is confirmed")).hint(hint))
    }

    /// Rolls the pending change back when the server ends; `None` if nothing is pending.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel_any(&self) -> Result<Option<Aftermath>, Error> {
        let roll_back = |id: &str| self.roll_back_pending(id, NO_USER, SERVER_ENDED);
        self.pending().map(|pending| roll_back(&pending.info.id)).transpose()
    }

    fn pending_with(&self, id: &str) -> Result<PendingChange, Error> {
        let pending = self.pending().ok_or_else(Error::nothing_pending)?;
        if pending.info.id == id { Ok(pending) } else { Err(Error::other_pending()) }
    }

    /// Refuses a decision on another change than the one that the store keeps by itself.
    fn refuse_other(&self, id: &str) -> Result<(), Error> {
        match self.store.open_change()?.filter(|open| self.is_run_by_nodes() && !open.is_over) {
            None => Err(Error::nothing_pending()),
            Some(open) if open.id == id => Ok(()),
            Some(_) => Err(Error::other_pending()),
        }
    }

    /// Rolls the pending change back; returns the state of the file.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub(super) fn roll_back_pending(&self, id: &str, by: &str, why: &str) -> Result<Aftermath, Error> {
        let _turn = self.take_turn()?;
        let Some(running) = &self.running else { return self.roll_back_stored(id, (by, why)) };
        let pending = self.pending_with(id)?;
        // From now on it can't be confirmed.
        let over = PendingChange { until: Instant::now(), ..pending.clone() };
        running.exchange(|state| state.pending = Some(over));
        let writer = self.writer()?;
        let rolled_back = self.revert_file(&*writer, &pending.back, (by, why));
        // The running configuration is restored, even if the file could not be.
        let (at, author) = (SystemTime::now(), Some(by.to_owned()));
        let made = HistoryEntry { at, by: author, ..HistoryEntry::new(0, EXPIRED) };
        self.restore_running(&pending.back, rolled_back.is_ok(), Some(made));
        let rolled_back = rolled_back?;
        if rolled_back.0.is_hand_edit() {
            let words = self.describe(&pending.back, &rolled_back);
            self.remember_trouble(Error::new(ErrorKind::EngineFailed, &words));
            self.tell(LogLevel::Warning, &words);
        }
        self.reload_after_rollback(by);
        writer.clear_pending()?;
        running.exchange(|state| state.pending = None);
        Ok(rolled_back.0)
    }

    /// Rolls back the pending change that the store keeps, or that a killed server left.
    fn roll_back_stored(&self, id: &str, because: (&str, &str)) -> Result<Aftermath, Error> {
        let writer = self.writer()?;
        match self.store.run_by() {
            RunBy::Nodes => {
                self.refuse_other(id)?;
                let (by, message) = (because.0, Some(because.1.to_owned()));
                let record = HistoryEntry { message, keep: self.keep, ..HistoryEntry::of(EXPIRED, by) };
                writer.revert(&record)?.then_some(Aftermath::Restored).ok_or_else(Error::nothing_pending)
            }
            RunBy::Nobody => {
                let rolled_back = self.roll_back_left_over(&*writer, because)?;
                rolled_back.map(|(rolled_back, _)| rolled_back.0).ok_or_else(Error::nothing_pending)
            }
            RunBy::Server => Err(Error::nothing_pending()),
        }
    }

    /// Rolls back the change of a server that was killed before the change was confirmed; returns what there is to
    /// say of a hand edit.
    ///
    /// # Errors
    /// Those of the store: the server must not answer anything then.
    pub(super) fn roll_back_at_start(&self) -> Result<Option<Error>, Error> {
        if !self.store.has_pending() {
            return Ok(None);
        }
        let writer = self.writer()?;
        let rolled_back = self.roll_back_left_over(&*writer, (NO_USER, SERVER_ENDED))?;
        Ok(rolled_back.and_then(|((aftermath, _), words)| {
            self.tell(LogLevel::Warning, &words);
            aftermath.is_hand_edit().then(|| Error::new(ErrorKind::EngineFailed, &words))
        }))
    }
}

/// A change that has to be confirmed, in the process that made it.
#[derive(Debug, Clone)]
pub struct PendingChange {
    /// Its deadline is that of `until`.
    pub(super) info: PendingInfo,
    pub(super) back: RollbackPoint,
    /// The time that it waits to be confirmed, once it is made.
    time: Duration,
    /// When it is rolled back. While it is made, that is later.
    until: Instant,
}

impl PendingChange {
    /// A change that is being made, for at most `longest`; then it waits for `time`.
    pub(super) fn new(info: PendingInfo, back: RollbackPoint, [time, longest]: [Duration; 2]) -> Self {
        Self { info, back, time, until: Instant::now() + longest + time }
    }

    /// The description for users. While the change is still being made, it tells of no more time than there is then.
    pub fn info(&self) -> PendingInfo {
        self.info.clone().until(SystemTime::now() + self.left().min(self.time))
    }

    /// Starts the time, once the change is made and loaded.
    pub(super) fn started(self) -> Self {
        Self { until: Instant::now() + self.time, ..self }
    }

    /// The time that is left to confirm the change.
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// The refusal of a change that some nodes are to take first.
pub fn canary_refusal(what: &str, hint: &'static str) -> Error {
    Error::new(ErrorKind::Usage, format!("canary: {what}")).hint(hint)
}

/// The servers or nodes that take a change before the rest, in waves of indexes of `names`. Each wave holds the waves before.
///
/// `given` has names, numbers, and parts such as `10%`. Names that stand together are one wave. A number or a part is one
/// wave, filled up to that number or part of all `names`. Only those that `may_go` fill it: the first of each group of
/// names, then the same part of each group. A wave that adds nobody is left out: `a,1` is one wave.
///
/// # Errors
/// The word that is no name, number or part.
pub fn waves(
    given: &[String],
    names: &[&str],
    may_go: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<usize>>, String> {
    let named = |word: &String| names.iter().position(|name| *name == word.trim());
    let counted = |word: &str| {
        let word = word.trim();
        let part = word.strip_suffix('%');
        let of = part.map_or(names.len(), |_| 100);
        let number = part.unwrap_or(word).parse::<usize>().ok().filter(|number| (1..=of).contains(number));
        number.map(|number| (names.len() * number).div_ceil(of))
    };
    let order = across_groups(names);
    let mut waves: Vec<Vec<usize>> = Vec::new();
    for words in given.chunk_by(|word, next| named(word).is_some() && named(next).is_some()) {
        let before = waves.last().cloned().unwrap_or_default();
        let more: Vec<usize> = match words.iter().map(named).collect::<Option<_>>() {
            Some(these) => these,
            None => {
                let count = counted(&words[0]).ok_or_else(|| words[0].clone())?;
                let others = order.iter().copied().filter(|at| may_go(*at) && !before.contains(at));
                others.take(count.saturating_sub(before.len())).collect()
            }
        };
        let wave: BTreeSet<usize> = before.iter().copied().chain(more).collect();
        if wave.len() > before.len() {
            waves.push(wave.into_iter().collect());
        }
    }
    Ok(waves)
}

/// The order in which servers with these names are chosen. Names that differ in their last number are a group.
fn across_groups(names: &[&str]) -> Vec<usize> {
    let stem = |name: &str| {
        let end = name.trim_end_matches(|c: char| !c.is_ascii_digit()).len();
        let begin = name[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        [&name[..begin], &name[end..]].concat()
    };
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    names.iter().enumerate().for_each(|(at, name)| groups.entry(stem(name)).or_default().push(at));
    let mut order = Vec::new();
    for group in groups.values() {
        order.extend(group.iter().enumerate().map(|(nth, at)| ((nth << 32) / group.len(), *at)));
    }
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

/// The waves of a change over the nodes of a cluster, by their names. A number or a part means nodes that run what they should.
///
/// # Errors
/// `Usage`.
pub fn canary_waves(given: &[String], nodes: &[NodeRecord]) -> Result<Vec<Vec<String>>, Error> {
    let shown = "`mediactl status` shows the nodes; `10%` is a part of all";
    // One that took the change before first has not heard yet that it is kept: while it waits, no other is made.
    let is_healthy = |node: &NodeRecord| matches!(node.state, NodeState::Running | NodeState::Canary);
    let (names, healthy): (Vec<&str>, Vec<bool>) =
        nodes.iter().map(|node| (&*node.node, is_healthy(node))).unzip();
    let found = healthy.iter().filter(|is_healthy| **is_healthy).count();
    for wanted in given.iter().map(|word| word.trim()).filter(|word| !names.contains(word)) {
        match wanted.parse::<usize>() {
            Ok(0) => return Err(canary_refusal("a change begins on one node at least", "leave it out")),
            Ok(wanted) if wanted > found => {
                let what = format!("only {found} nodes run what they should, and {wanted} are wanted");
                return Err(canary_refusal(&what, shown));
            }
            _ => {}
        }
    }
    let waves = waves(given, &names, |at| healthy[at])
        .map_err(|word| canary_refusal(&format!("there is no node `{word}`"), shown))?;
    if waves.is_empty() {
        return Err(canary_refusal(&format!("none of the {} nodes runs what it should", names.len()), shown));
    }
    let named = |wave: Vec<usize>| wave.into_iter().map(|at| names[at].to_owned()).collect();
    Ok(waves.into_iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_it_is_made_it_tells_of_no_more_time_than_there_is_then() {
        let [id, operation, by] = ["7f3a", "modify", "admin"].map(str::to_owned);
        let back = RollbackPoint { id: id.clone(), file: None, server: None, written: None };
        let info = PendingInfo::new(id, operation, by, SystemTime::now());
        let pending = PendingChange::new(info, back, [30, 3600].map(Duration::from_secs));
        assert!(pending.left() > Duration::from_secs(60), "it is not rolled back while it is made");
        assert!(pending.info().seconds_left <= 30);
    }
}

#[cfg(test)]
mod canary_tests {
    use super::*;

    fn words(given: &str) -> Vec<String> {
        given.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_change_begins_on_one_node_at_least() {
        let node =
            |name: &str| NodeRecord { node: name.to_owned(), ..NodeRecord::absent(NodeState::Running) };
        let nodes = [node("a"), node("b"), NodeRecord { state: NodeState::Gone, ..node("c") }];
        for (given, expected) in [
            ("1", "[[\"a\"]]"),
            ("b", "[[\"b\"]]"),
            ("c,100%", "[[\"c\"], [\"a\", \"b\", \"c\"]]"),
            ("100%", "[[\"a\", \"b\"]]"),
            ("0", "canary: a change begins on one node at least"),
            ("a,3", "canary: only 2 nodes run what they should, and 3 are wanted"),
            ("d", "canary: there is no node `d`"),
            ("101%", "canary: there is no node `101%`"),
        ] {
            let found = canary_waves(&words(given), &nodes);
            let found = found.map_or_else(|error| error.message, |waves| format!("{waves:?}"));
            assert_eq!(found, expected, "{given}");
        }
        assert!(canary_waves(&words("50%"), &nodes[2..]).is_err());
    }

    #[test]
    fn waves_hold_those_before_them_and_are_chosen_across_groups_of_names() {
        let places = ["par-1.eu", "par-2.eu", "par-3.eu", "par-4.eu", "tok1", "tok2", "x"];
        for (given, expected) in [
            ("3", vec![vec![0, 4, 6]]),
            ("4", vec![vec![0, 1, 4, 6]]),
            ("tok2,x,10%,50%,100%", vec![vec![5, 6], vec![0, 4, 5, 6], (0..7).collect()]),
            ("50%,1,x", vec![vec![0, 1, 4, 6]]),
            ("1,1%,2", vec![vec![0], vec![0, 4]]),
        ] {
            assert_eq!(waves(&words(given), &places, |_| true), Ok(expected), "{given}");
        }
        assert_eq!(waves(&words("2,50%"), &places, |at| at < 3), Ok(vec![vec![0, 1], vec![0, 1, 2]]));
        for word in ["0", "8", "0%", "101%", "%", "y", "-1"] {
            assert_eq!(waves(&words(&format!("x,{word}")), &places, |_| true), Err(word.to_owned()));
        }
    }
}

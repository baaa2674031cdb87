//! Taking a text: from the cluster to the file and to the media server.

use std::time::Duration;

use bytes::Bytes;

use super::{Node, RETRY, failed};
use crate::engine::{ChangeOptions, Engine, LogLevel, Operation};
use crate::error::{Error, ErrorKind};
use crate::store::clock::boot_time;
use crate::store::etcd::{ClusterStore, HeadRecord, Seen, TextRef};
use crate::store::file::{ConfFile, FollowedText};
use crate::store::{EXPIRED, NodeState, Revision, Store};
use mediaconf::one_line;

/// The longest time for a request before the first text is there: many nodes may log in at once.
const FIRST_TIME: Duration = Duration::from_secs(60);

/// A text that a node should run.
pub(super) struct WantedText<'s> {
    /// The serial of the configuration.
    pub serial: u64,
    pub text: &'s TextRef,
    /// The id of the unconfirmed change that the node takes before the others.
    first_of: Option<&'s str>,
    /// The last change.
    head: &'s HeadRecord,
    /// True for the text of that, false for the one before.
    is_last: bool,
}

impl<'s> WantedText<'s> {
    /// The text of what was seen that a node should run; `None` if there is none.
    pub(super) fn of(seen: &'s Seen, node: &str, is_last: bool) -> Option<Self> {
        let head = seen.head.as_ref()?;
        match head.unconfirmed.as_ref() {
            Some(change) if !is_last => {
                let serial = head.serial.saturating_sub(1);
                Some(Self { serial, text: change.back.as_ref()?, first_of: None, head, is_last })
            }
            change => {
                let first_of = change.filter(|change| change.goes_first_on(node)).map(|change| &*change.id);
                let (serial, text) = (head.serial, head.text.as_ref()?);
                Some(Self { serial, text, first_of, head, is_last: true })
            }
        }
    }

    /// The note of this text.
    pub(super) fn followed(&self) -> FollowedText {
        FollowedText { serial: self.serial, epoch: self.head.epoch.clone(), revision: self.text.revision }
    }

    /// What the history of the node says of it: the last change as in the cluster, or that the node is back before it. The
    /// operation is for hooks and figures; what the cluster did by itself is a rollback there.
    fn change(&self) -> (Operation, ChangeOptions) {
        let (name, message) = match self.is_last {
            true => (&*self.head.operation, self.head.message.clone()),
            false => (EXPIRED, Some(format!("change {} is not confirmed", self.head.serial))),
        };
        let operation = Operation::of_change(name).filter(|operation| operation.writes());
        // The guards hold for the author of a change; here it is made already.
        let options = ChangeOptions {
            id: self.head.change.as_deref().and_then(|id| id.parse().ok()),
            by: if self.is_last { self.head.author() } else { String::new() },
            message,
            undoes: self.head.undoes.clone().filter(|_| self.is_last),
            command: Some(name.to_owned().into()),
            force: true,
            ..ChangeOptions::default()
        };
        (operation.unwrap_or(Operation::Rollback), options)
    }

    /// The line of the log once the media server has loaded it.
    fn taken_words(&self) -> String {
        let (_, ChangeOptions { by, message, command, .. }) = self.change();
        let by = if by.is_empty() { by } else { format!(" by {by}") };
        let message = message.map_or_else(String::new, |message| format!(": {message}"));
        one_line(&format!("took change {}: {}{by}{message}", self.serial, command.unwrap_or_default()))
    }
}

/// Writes the text of the cluster into a file that is missing, so that a server can start over it.
///
/// # Errors
/// Those of the cluster and of the file; `NoConfiguration` while the cluster has no text.
pub fn first_text(
    node: &str,
    store: &ClusterStore,
    (engine, file): (&Engine, &ConfFile),
) -> Result<(), Error> {
    match file.refuse_missing() {
        Err(error) if error.kind == ErrorKind::NoConfiguration => {}
        found => return found,
    }
    // Who ends asks a busy etcd for a login anew, so it is given more time than a request has.
    let store = &store.with_time(FIRST_TIME);
    let seen = store.seen()?;
    // The node takes a change that is not confirmed only once its way back is noted.
    let wanted = WantedText::of(&seen, node, false).ok_or_else(|| {
        let message = format!("`{}` has no configuration yet", store.path().display());
        Error::new(ErrorKind::NoConfiguration, message).hint("`mediactl --cluster URL save FILE` makes it")
    })?;
    let bytes = store.text_of(wanted.text)?.ok_or_else(|| Error::overtaken(store.name()))?;
    // A starting server has to have a file, even if its includes are faulty.
    let options = ChangeOptions { takes_faults: true, id: None, ..wanted.change().1 };
    engine.replace_as(Operation::Save, &bytes, &options).map(drop)
}

impl Node {
    /// Goes to the text that was seen, unless the node runs it already. What goes wrong on this node is
    /// noted in its standing.
    ///
    /// # Errors
    /// Those of the cluster; `Overtaken` if the text is gone already.
    pub(super) fn go_to(&self, seen: &Seen) -> Result<(), Error> {
        let Some(wanted) = WantedText::of(seen, &self.name, self.runs_last()) else { return Ok(()) };
        let revision = wanted.text.revision;
        self.standing.lock().wanted = Some(wanted.serial);
        // A change that makes no difference here may be unconfirmed, too: its way back is noted as well.
        if wanted.is_last
            && let Err(error) = self.prepare_way_back(seen)
        {
            self.refuse(Some(revision), &error);
            return Ok(());
        }
        if self.needs_nothing(&wanted) {
            return Ok(());
        }
        let taken = match self.texts.text_of(wanted.text) {
            // The cluster answers, so it is not away: what it has can't be taken, until somebody changes it.
            Err(error) if error.kind == ErrorKind::Unusable => Err(error),
            read => self.take(&wanted, read?.ok_or_else(|| Error::overtaken(self.texts.name()))?),
        };
        if let Err(error) = taken {
            self.refuse(Some(revision), &error);
            self.leave_unconfirmed(wanted.head);
        }
        Ok(())
    }

    /// True if the file is not the one that the node wrote.
    pub(super) fn has_drifted(&self) -> bool {
        let runs = self.standing.lock().followed.runs.as_ref().map(|runs| runs.revision);
        runs.is_some_and(|runs| self.local.read().map_or(true, |file| file.revision() != runs))
    }

    /// True if there is nothing to write: the node runs the text, or has not taken it a moment ago.
    fn needs_nothing(&self, wanted: &WantedText<'_>) -> bool {
        let (revision, has_drifted) = (wanted.text.revision, self.has_drifted());
        let mut standing = self.standing.lock();
        let followed = &standing.followed;
        let Some(runs) =
            followed.runs.clone().filter(|runs| runs.revision == revision && followed.takes.is_none())
        else {
            return standing.not_taken.is_some_and(|(text, until)| text == revision && boot_time() < until);
        };
        standing.not_taken = None;
        if has_drifted {
            let why = "the file was edited by hand";
            if standing.state != NodeState::Drifted {
                self.local.tell(LogLevel::Warning, &format!("drift: {why}"));
            }
            standing.turn(NodeState::Drifted, Some(failed(why)));
        } else {
            standing.turn_running(wanted.first_of);
        }
        drop(standing);
        let now = wanted.followed();
        if runs != now {
            // Not even a failure to note it matters: it is the same text.
            let _ = self.note(|followed| followed.runs = Some(now));
        }
        true
    }

    fn take(&self, wanted: &WantedText<'_>, text: Bytes) -> Result<(), Error> {
        let (operation, options) = wanted.change();
        self.load(wanted.followed(), operation, text, options)?;
        let mut standing = self.standing.lock();
        standing.not_taken = None;
        standing.turn_running(wanted.first_of);
        self.local.tell(LogLevel::Note, &wanted.taken_words());
        Ok(())
    }

    /// Writes a text and has the media server load it; notes that before and after. Where the node is killed in between, or
    /// the text of before does not come back, the note stays, and the next look loads a text again.
    pub(super) fn load(
        &self,
        taken: FollowedText,
        operation: Operation,
        text: Bytes,
        options: ChangeOptions,
    ) -> Result<(), Error> {
        let was_cut_short = self.standing.lock().followed.takes.is_some();
        self.note(|followed| followed.takes = Some(taken.clone()))?;
        let is_there = self.local.read().is_ok_and(|file| file.revision() == taken.revision);
        let made = match was_cut_short && is_there {
            true => self.local.reload_again(),
            false => {
                let options = ChangeOptions { even_if_made: true, ..options };
                self.local.replace_as(operation, &text, &options).map(drop)
            }
        };
        let noted = self.note(|followed| match made {
            Ok(()) => (followed.takes, followed.runs) = (None, Some(taken)),
            Err(_) => followed.takes = followed.takes.take().filter(|_| self.has_drifted()),
        });
        made.and(noted)
    }

    /// Does not take a text, which is tried again later; says why, if that is not known.
    pub(super) fn refuse(&self, text: Option<Revision>, why: &Error) {
        let first = |words: &str| one_line(words.lines().next().unwrap_or_default());
        let why = failed(first(&why.message)).in_brief(first(why.brief()));
        let mut standing = self.standing.lock();
        if standing.why.as_ref().is_none_or(|known| known.message != why.message) {
            self.local
                .tell(LogLevel::Error, &format!("the text of the cluster is not used: {}", why.brief()));
        }
        standing.turn(NodeState::Failed, Some(why));
        if let Some(text) = text {
            standing.not_taken = Some((text, boot_time() + RETRY));
        }
    }
}

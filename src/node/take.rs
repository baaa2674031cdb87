//! Taking a text: from the cluster to the file and to the media server.

use bytes::Bytes;

use super::local_text::{LocalText, Noted, wanted};
use super::member::{Node, OnDrift};
use super::not_taken::NotTaken;
use super::runs::Runs;
use crate::engine::{ChangeOptions, LogLevel, Operation, Refusal, Trouble};
use crate::store::boot_time::boot_time;
use crate::store::cluster::Seen;
use crate::store::file::FollowedText;
use crate::store::{ChangeRef, ClusterState, NodeState, Revision, Store, StoreError};
use mediaconf::plumbing::syntax::one_line;

/// The message about a hand edit.
const EDITED: &str = "the file was edited by hand";

/// The author of a reload after a start.
const NO_USER: &str = "";

impl Node {
    /// Makes the media server load the file again, if a node was killed before it knew that it had. A text whose reload
    /// fails is not what the node runs: the one before comes back, as after any reload that fails.
    pub(super) fn finish_what_was_cut_short(&self) -> Result<(), Refusal> {
        let followed = self.standing().followed.clone();
        let Some(taken) = followed.takes else { return Ok(()) };
        let is_written = self.local.read().is_ok_and(|file| file.revision() == taken.revision);
        let runs = match self.local.reload_again(NO_USER) {
            Ok(()) if is_written => Some(taken),
            Ok(()) => followed.runs,
            Err(error) if is_written => {
                self.refuse(taken.revision, &Trouble::from(&error));
                followed.runs.filter(|before| self.is_back_at(before))
            }
            Err(error) => {
                self.local.tell(
                    LogLevel::Error,
                    &format!("the configuration was not loaded again: {}", error.brief()),
                );
                followed.runs
            }
        };
        self.note(|followed| (followed.takes, followed.runs) = (None, runs))
    }

    /// Goes back to the text of the history before the last change, if that is the one that the node ran; true if the
    /// media server runs it.
    fn is_back_at(&self, before: &FollowedText) -> bool {
        let options = ChangeOptions { force: true, ..ChangeOptions::default() };
        let back = || {
            let kept = self.local.kept(ChangeRef::Back(1))?;
            match kept.revision() == before.revision {
                true => self
                    .local
                    .replace_as(Operation::Rollback, kept.shared_bytes().clone(), &options)
                    .map(|_| true),
                false => Ok(false),
            }
        };
        back().unwrap_or_else(|error: Refusal| {
            self.local
                .tell(LogLevel::Error, &format!("the text before was not loaded either: {}", error.brief()));
            false
        })
    }

    /// Goes to the text that was seen, unless the node runs it already. What goes wrong on this node is
    /// noted in its standing.
    ///
    /// # Errors
    /// Those of the cluster; `Overtaken` if the text is gone already.
    pub(super) fn go_to(&self, seen: &Seen) -> Result<(), StoreError> {
        match self.go_to_wanted(seen) {
            // The cluster answers, so it is not away: what it has can't be taken, until somebody changes it.
            Err(error @ StoreError::Damaged { .. }) => {
                self.standing().wanted = seen.head.as_ref().map(|head| head.serial);
                self.tell(&Trouble::from(&Refusal::from(error)));
                Ok(())
            }
            done => done,
        }
    }

    fn go_to_wanted(&self, seen: &Seen) -> Result<(), StoreError> {
        let runs = self.runs_now();
        let Some(wanted) = wanted(seen, &self.settings.name, runs) else { return Ok(()) };
        let has_drifted = self.has_drifted();
        let runs_it =
            self.standing().followed.runs.as_ref().is_some_and(|now| now.revision == wanted.text.revision);
        // A change that makes no difference here may be unconfirmed, too: its way back is noted as well.
        if runs_it
            && runs == Runs::Head
            && let Err(error) = self.prepare_way_back(seen)
        {
            self.refuse(wanted.text.revision, &Trouble::from(&error));
            return Ok(());
        }
        if self.needs_nothing(&wanted, has_drifted) {
            return Ok(());
        }
        let Some(bytes) = self.texts.text_of(wanted.text)? else {
            return Err(StoreError::Overtaken { name: self.texts.name() });
        };
        match if runs == Runs::Head { self.prepare_way_back(seen) } else { Ok(()) } {
            Ok(()) => self.take(&wanted, bytes, runs),
            Err(error) => self.refuse(wanted.text.revision, &Trouble::from(&error)),
        }
        Ok(())
    }

    /// True if the file is not the one that the node wrote.
    pub(super) fn has_drifted(&self) -> bool {
        let Some(runs) = self.standing().followed.runs.as_ref().map(|runs| runs.revision) else {
            return false;
        };
        self.local.read().map_or(true, |file| file.revision() != runs)
    }

    /// True if there is nothing to write: the node runs the text, has not taken it, or is held back.
    fn needs_nothing(&self, wanted: &LocalText<'_>, has_drifted: bool) -> bool {
        let revision = wanted.text.revision;
        let mut standing = self.standing();
        standing.wanted = Some(wanted.serial);
        let runs = standing.followed.runs.clone();
        if let Some(runs) = runs.filter(|runs| runs.revision == revision) {
            standing.not_taken = None;
            let is_found = has_drifted && standing.state != NodeState::Drifted;
            match has_drifted {
                true => standing.turn(NodeState::Drifted, Some(Trouble::new(EDITED))),
                false => standing.turn_running(wanted.first_of),
            }
            drop(standing);
            if is_found {
                self.local.tell(LogLevel::Warning, &format!("drift: {EDITED}"));
            }
            let now = wanted.followed();
            if runs != now {
                // Not even a failure to note it matters: it is the same text.
                let _ = self.note(|followed| followed.runs = Some(now));
            }
            return true;
        }
        if standing.not_taken.as_ref().is_some_and(|not_taken| not_taken.holds(revision, boot_time())) {
            return true;
        }
        if has_drifted && self.settings.on_drift == OnDrift::Keep {
            let is_found = standing.state != NodeState::Drifted;
            let why = format!("{EDITED}, and is kept");
            standing.turn(NodeState::Drifted, Some(Trouble::new(why.clone())));
            drop(standing);
            if is_found {
                self.local.tell(LogLevel::Warning, &format!("drift: {why}"));
            }
            return true;
        }
        false
    }

    fn take(&self, wanted: &LocalText<'_>, text: Bytes, runs: Runs) {
        let Noted { name, operation, by, message, id } = Noted::of(wanted.head, runs);
        let command = Some(name.to_owned().into());
        // The guards hold for the author of a change; here it is made already.
        let options =
            ChangeOptions { id, again: true, force: true, by, message, command, ..ChangeOptions::default() };
        match self.load(wanted.followed(), operation, text, &options) {
            Ok(()) => {
                let mut standing = self.standing();
                standing.not_taken = None;
                standing.turn_running(wanted.first_of);
                drop(standing);
                self.local.tell(LogLevel::Note, &taken_words(wanted, runs));
            }
            Err(error) => self.refuse(wanted.text.revision, &Trouble::from(&error)),
        }
    }

    /// Writes a text and has the media server load it; notes that before and after.
    pub(super) fn load(
        &self,
        taken: FollowedText,
        operation: Operation,
        text: Bytes,
        options: &ChangeOptions,
    ) -> Result<(), Refusal> {
        let is_own = !self.has_drifted();
        let runs = self.standing().followed.runs.clone().filter(|_| is_own);
        let from = runs.map(|runs| ClusterState { serial: runs.serial, revision: runs.revision });
        let options = &ChangeOptions { from, ..options.clone() };
        let made = self
            .note(|followed| followed.takes = Some(taken.clone()))
            .and_then(|()| self.local.replace_as(operation, text, options));
        let is_made = made.is_ok();
        let noted = self.note(|followed| {
            followed.takes = None;
            if is_made {
                followed.runs = Some(taken);
            }
        });
        made.map(drop).and(noted)
    }

    /// Does not take a text, which is tried again later.
    pub(super) fn refuse(&self, text: Revision, why: &Trouble) {
        self.tell(why);
        let mut standing = self.standing();
        let before = standing.not_taken.take();
        standing.not_taken = Some(NotTaken::now(text, before, boot_time()));
    }

    pub(super) fn tell(&self, why: &Trouble) {
        let why = why.map(|why| one_line(why.lines().next().unwrap_or_default()));
        let is_known = self.standing().why.as_ref() == Some(&why);
        if !is_known {
            self.local.tell(LogLevel::Error, &format!("the text of the cluster is not taken: {}", why.brief));
        }
        self.standing().turn(NodeState::Failed, Some(why));
    }
}

/// The line of the log about a text that the media server has loaded.
fn taken_words(wanted: &LocalText<'_>, runs: Runs) -> String {
    let LocalText { serial, head, .. } = wanted;
    match runs {
        Runs::Head => {
            let (operation, by) = (&head.operation, head.author());
            let by = if by.is_empty() { String::new() } else { format!(" by {by}") };
            let first = if wanted.first_of.is_some() { ", before the other nodes" } else { "" };
            one_line(&format!("took change {serial}: {operation}{by}{first}"))
        }
        Runs::Back(_) => format!("took the text of change {serial}: change {} is not confirmed", head.serial),
    }
}

//! Taking a text: from the cluster to the file and to the media server.

use std::sync::Arc;

use super::local_text::{LocalText, operation, wanted};
use super::member::{Node, OnDrift};
use super::overlays::merged;
use crate::engine::{ChangeOptions, Refusal, RefusalKind, Snapshot, Trouble};
use crate::store::cluster::Seen;
use crate::store::file::FollowedText;
use crate::store::{NodeState, Store, StoreError};
use mediaconf::syntax::one_line;

/// The message about a hand edit.
const EDITED: &str = "the file was edited by hand";

/// The author of a reload after a start.
const NO_USER: &str = "";

impl Node {
    /// Makes the media server load the file again, if a node was killed before it knew that it had.
    pub(super) fn finish_what_was_cut_short(&self) -> Result<(), Refusal> {
        let Some(taken) = self.standing().followed.takes.clone() else { return Ok(()) };
        let is_written = self.local.read().is_ok_and(|file| file.revision() == taken.revision);
        if let Err(error) = self.local.reload_again(NO_USER) {
            self.local.tell(&format!("the configuration was not loaded again: {}", error.brief()));
        }
        self.note(|followed| {
            followed.takes = None;
            if is_written {
                followed.runs = Some(taken);
            }
        })
    }

    /// Goes to the text that was seen, unless the node runs it already. What goes wrong on this node is
    /// noted in its standing.
    ///
    /// # Errors
    /// Those of the cluster; `Overtaken` if the text is gone already.
    pub(super) fn go_to(&self, seen: &Seen) -> Result<(), StoreError> {
        let wanted = match wanted(seen, &self.settings.name) {
            None => return Ok(()),
            Some(Ok(wanted)) => wanted,
            Some(Err((source, why))) => {
                self.refuse(source, NodeState::Refused, &Trouble::new(why));
                return Ok(());
            }
        };
        let has_drifted = self.has_drifted();
        if self.needs_nothing(&wanted, has_drifted) {
            return Ok(());
        }
        let Some(bytes) = self.texts.text_of(wanted.text)? else {
            return Err(StoreError::Overtaken { name: self.texts.name() });
        };
        match merged(Snapshot::from_bytes(bytes), &wanted.overlays) {
            Ok(text) => self.take(&wanted, &text),
            Err(why) => self.refuse(wanted.source, NodeState::Refused, &Trouble::new(why)),
        }
        Ok(())
    }

    /// True if the file is not the one that the node wrote.
    fn has_drifted(&self) -> bool {
        let Some(runs) = self.standing().followed.runs.as_ref().map(|runs| runs.revision) else {
            return false;
        };
        self.local.read().map_or(true, |file| file.revision() != runs)
    }

    /// True if there is nothing to write: the node runs the text, has refused it, or is held back.
    fn needs_nothing(&self, wanted: &LocalText<'_>, has_drifted: bool) -> bool {
        let (serial, source) = (wanted.serial, &wanted.source);
        let mut standing = self.standing();
        standing.wanted = Some(serial);
        standing.overlays.clone_from(&wanted.overlays);
        let runs = standing.followed.runs.clone();
        if let Some(runs) = runs.filter(|runs| runs.source == *source) {
            standing.refused = None;
            match has_drifted {
                true => standing.turn(NodeState::Drifted, Some(Trouble::new(EDITED))),
                false => standing.turn(NodeState::Running, None),
            }
            drop(standing);
            if runs.serial != serial {
                // Not even a failure to note it matters: it is the same text.
                let _ = self.note(|followed| followed.runs = Some(FollowedText { serial, ..runs }));
            }
            return true;
        }
        if standing.refused.as_ref() == Some(source) {
            return true;
        }
        if has_drifted && self.settings.on_drift == OnDrift::Keep {
            standing.turn(NodeState::Drifted, Some(Trouble::new(format!("{EDITED}, and is kept"))));
            return true;
        }
        false
    }

    fn take(&self, wanted: &LocalText<'_>, text: &Arc<Snapshot>) {
        let taken = FollowedText {
            serial: wanted.serial,
            source: wanted.source.clone(),
            original: wanted.text.revision,
            revision: text.revision(),
        };
        let head = wanted.head;
        let (by, message) = (head.by.clone(), head.message.clone());
        // The guards hold for the author of a change; here it is made already.
        let options = ChangeOptions { force: true, by, message, ..ChangeOptions::default() };
        let made = self
            .note(|followed| followed.takes = Some(taken.clone()))
            .and_then(|()| self.local.replace_as(operation(head), text.bytes(), &options));
        let is_made = made.is_ok();
        let noted = self.note(|followed| {
            followed.takes = None;
            if is_made {
                followed.runs = Some(taken);
            }
        });
        match made.map(drop).and(noted) {
            Ok(()) => {
                let mut standing = self.standing();
                standing.refused = None;
                standing.turn(NodeState::Running, None);
            }
            Err(error) => match error.kind {
                RefusalKind::RejectedByCheck | RefusalKind::BadNewText | RefusalKind::MaskedValue => {
                    self.refuse(wanted.source.clone(), NodeState::Refused, &Trouble::from(&error));
                }
                RefusalKind::ReloadFailed => {
                    self.refuse(wanted.source.clone(), NodeState::Failed, &Trouble::from(&error));
                }
                // It may pass, so it is tried again.
                _ => self.tell(NodeState::Failed, &Trouble::from(&error)),
            },
        }
    }

    /// Does not take a text, and does not try it again.
    fn refuse(&self, source: String, state: NodeState, why: &Trouble) {
        self.tell(state, why);
        self.standing().refused = Some(source);
    }

    fn tell(&self, state: NodeState, why: &Trouble) {
        let why = why.map(|why| one_line(why.lines().next().unwrap_or_default()));
        let is_known = self.standing().why.as_ref() == Some(&why);
        if !is_known {
            self.local.tell(&format!("the text of the cluster is not taken: {}", why.brief));
        }
        self.standing().turn(state, Some(why));
    }
}

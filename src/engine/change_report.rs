//! The report of a change, made or rehearsed: commands show it, and servers send it.

use mediaconf::{ChangedValue, Config, Effects, Masker, Request};
use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::new_warnings::NewWarning;
use super::outcome::{After, Outcome, OutcomeNote};
use super::snapshot::{Snapshot, added_and_removed, compared, diff_lines};
use crate::store::{ChangeId, PendingInfo, Revision};

/// The parts of a report that are requested: those that cost time and room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportParts {
    /// The lines of the difference.
    pub diff: bool,
    /// The values that differ.
    pub values: bool,
    /// The configuration afterwards as JSON.
    pub configuration: bool,
    /// True if the difference shows secrets.
    pub secrets: bool,
    /// The key of the masks of secrets, so that those of several servers can be compared.
    pub mask_key: Option<u128>,
    /// True if nothing is compared: the configuration afterwards says enough.
    #[serde(skip)]
    pub is_bare: bool,
}

impl ReportParts {
    /// The parts of a report in which secrets are masked so, or shown.
    pub fn masked_by(masker: Option<&Masker>) -> Self {
        Self { secrets: masker.is_none(), mask_key: masker.and_then(Masker::key), ..Self::default() }
    }

    fn masker(&self) -> Option<Masker> {
        (!self.secrets).then(|| self.mask_key.map(Masker::keyed).unwrap_or_default())
    }
}

/// The report of a change that was made, or rehearsed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeReport {
    /// True if something changed.
    pub changed: bool,
    /// The id of the change, if it is in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ChangeId>,
    /// The revision of the text that the change is made of, if there was one and it is known.
    pub before: Option<Revision>,
    /// The revision of the text of the file, where that is another one than `before`.
    pub file: Option<Revision>,
    /// The revision of the text afterwards.
    pub after: Option<Revision>,
    pub lines_added: usize,
    pub lines_removed: usize,
    /// The lines of a unified diff.
    pub diff: Vec<String>,
    /// The values that differ, with their secrets.
    pub values: Vec<ChangedValue>,
    /// The configuration afterwards as JSON, with its secrets.
    pub configuration: Option<Value>,
    /// The configuration afterwards, where it was made in this process.
    #[serde(skip)]
    pub snapshot: Option<Arc<Snapshot>>,
    pub effects: Effects,
    /// True if the account of the API differs.
    pub changes_account: bool,
    /// The login and the password of that account afterwards, if they differ and can be used.
    pub account: Option<[String; 2]>,
    /// The keys in the conditions of the request that no entry had.
    pub keys_lacked: Vec<String>,
    /// Side effects that the user should know.
    pub notes: Vec<OutcomeNote>,
    /// The failures that did not stop the change.
    pub warnings: Vec<String>,
    /// The warnings of `check` that the change brings.
    pub new_warnings: Vec<NewWarning>,
    /// The change, if it still has to be confirmed.
    pub pending: Option<PendingInfo>,
}

impl ChangeReport {
    /// The report of a change; `conditional` is what was asked, if that had conditions.
    pub fn new(mut outcome: Outcome, conditional: Option<Cow<'_, Request>>, parts: ReportParts) -> Self {
        let revision = |text: Option<&Arc<Snapshot>>| text?.known_revision();
        let made_of = revision(outcome.before.as_ref());
        let in_file = outcome.file.as_ref().map(|file| file.revision());
        if let Some(file) = outcome.file.take().filter(|_| outcome.is_change())
            && let Some(after) = outcome.after().cloned()
        {
            // The report has all that goes into the file.
            (outcome.before, outcome.after) = (Some(file), After::Replaced(after));
        }
        let is_compared = outcome.is_change() && !parts.is_bare;
        let diff = is_compared.then(|| diff_of(&outcome, parts.masker().filter(|_| parts.diff))).flatten();
        let (old, new) = (outcome.before.as_ref(), outcome.after());
        let mut report = Self {
            changed: outcome.is_change(),
            before: made_of,
            file: in_file,
            after: revision(new),
            snapshot: new.cloned(),
            effects: if parts.is_bare { Effects::default() } else { outcome.effects() },
            configuration: new.filter(|_| parts.configuration).map(|new| new.config().to_json()),
            ..Self::default()
        };
        if is_compared {
            if let Some(diff) = diff {
                [report.lines_added, report.lines_removed] = added_and_removed(&diff);
                report.diff = if parts.diff { diff } else { Vec::new() };
            }
            if parts.values {
                let values = |old: &Config<'_>, new: &Config<'_>| ChangedValue::between(old, new);
                report.values.extend(compared([old, new].map(|side| side.map(|text| &**text)), values));
            }
            (report.changes_account, report.account) = account(old, new);
        }
        if let (Some(request), Some(old)) = (&conditional, old) {
            let config = old.config();
            let lacked = config.keys_that_all_lack(request.conditions(), &request.paths());
            report.keys_lacked = lacked.into_iter().map(str::to_owned).collect();
        }
        let Outcome { id, notes, warnings, new_warnings, pending, .. } = outcome;
        Self { id, notes, warnings, new_warnings, pending, ..report }
    }

    /// True if the texts differ in lines, or the values where the text is not known.
    pub fn differs(&self) -> bool {
        self.lines_added + self.lines_removed > 0
    }
}

/// The lines of the difference that a change makes; `None` if it changes nothing.
fn diff_of(outcome: &Outcome, masker: Option<Masker>) -> Option<Vec<String>> {
    let nothing = Snapshot::default();
    let before = outcome.before.as_deref();
    match (&outcome.after, before) {
        (After::Edited { after, .. }, Some(before)) => {
            Some(diff_lines([before, after], None, masker.as_ref()))
        }
        (After::Replaced(after), before) => {
            Some(diff_lines([before.unwrap_or(&nothing), after], None, masker.as_ref()))
        }
        (After::Unchanged | After::Edited { .. }, _) => None,
    }
}

/// Returns true if the account of the API differs, and the account afterwards, if it can be used.
fn account(old: Option<&Arc<Snapshot>>, new: Option<&Arc<Snapshot>>) -> (bool, Option<[String; 2]>) {
    let [old, new] = [old, new].map(|text| text.and_then(|text| text.account()));
    (old != new, new.filter(|_| old != new).cloned())
}

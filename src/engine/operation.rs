//! The four operations on one configuration file.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::change::{Change, Next};
use super::error::{Aftermath, EngineError};
use super::guard::{self, Guard};
use super::hook::{self, Hooks, Occasion};
use super::snapshot::Snapshot;
use crate::edit::{self, Edit, Note};
use crate::model::member::Members;
use crate::model::secret::holds_mask;
use crate::model::top_members;
use crate::store::{
    Candidate, ConfFile, Holder, Locked, Old, Outcome, Stamp, StoreError, Warning, is_concatenation,
};

/// How long a writer waits for the one before it.
pub const DEFAULT_LOCK_WAIT: Duration = Duration::from_secs(10);

/// One configuration file and what goes with its changes.
pub struct Engine {
    conf: ConfFile,
    hooks: Hooks,
    lock_wait: Duration,
    on_wait: fn(&Path, &Holder),
}

/// What is asked for beside the change itself.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Do everything but write and reload.
    pub dry_run: bool,
    /// Answer every guard with yes.
    pub force: bool,
    /// The guards that were asked about, and answered with yes.
    pub accepted: Vec<Guard>,
    /// How many streams may be deleted without asking; `None` is the default of the command line.
    pub max_delete: Option<usize>,
    /// Who asks, for hooks.
    pub by: String,
    /// Why, in the words of who asks.
    pub message: Option<String>,
}

/// A text that is ready to be written.
struct Ready {
    next: Next,
    notes: Vec<Note>,
}

impl Engine {
    /// An engine over the file that `path` leads to; the file may be missing.
    pub fn open(path: &Path, hooks: Hooks, on_wait: fn(&Path, &Holder)) -> Result<Self, EngineError> {
        Ok(Self { conf: ConfFile::resolve(path)?, hooks, lock_wait: DEFAULT_LOCK_WAIT, on_wait })
    }

    /// The configuration as it is. Takes no lock and writes nothing.
    pub fn read(&self) -> Result<Snapshot, EngineError> {
        Ok(Snapshot::of(self.conf.load()?.bytes))
    }

    /// Merges the patch that `patch` computes from the configuration as it is, and saves.
    pub fn modify(
        &self,
        request: &Request,
        patch: &mut dyn FnMut(&Members<'_>) -> Result<Value, EngineError>,
    ) -> Result<Change, EngineError> {
        self.change("modify", request, &mut |before| {
            let before = before.expect("a file that can be modified is there");
            let Some(edit) = edit_beside_check(before, patch)? else { return Ok(None) };
            let guards = [
                edit.removes_credentials.then_some(Guard::WouldRemoveCredentials),
                guard::before_deletion(edit.deleted_streams, edit.streams_before, request.max_delete),
            ];
            refuse_guarded(guards, request)?;
            Ok(Some(Ready { next: Next::edited(edit.splices), notes: edit.notes }))
        })
    }

    /// Replaces the file with exactly these bytes; makes it if it is missing.
    pub fn save(&self, request: &Request, text: &[u8]) -> Result<Change, EngineError> {
        self.change("save", request, &mut |before| {
            let after = Snapshot::of(text.to_vec());
            if !after.is_valid() {
                return Err(EngineError::BadText(Box::new(after)).into());
            }
            if holds_mask(after.document().text()) {
                return Err(EngineError::MaskedText.into());
            }
            let document = before.map(Snapshot::document);
            let (deleted, of) =
                document.map_or((0, 0), |before| guard::deleted_streams(before, after.document()));
            let guards = [
                guard::before_replacement(document, after.document()),
                guard::before_deletion(deleted, of, request.max_delete),
            ];
            refuse_guarded(guards, request)?;
            let same = before.is_some_and(|before| before.bytes() == after.bytes());
            Ok((!same).then_some(Ready { next: Next::Replacement(after), notes: Vec::new() }))
        })
    }

    /// Replaces the running configuration only, which a file alone has not.
    pub fn update(&self, _request: &Request, _text: &[u8]) -> Result<Change, EngineError> {
        Err(EngineError::NoServer)
    }

    fn change(
        &self,
        operation: &str,
        request: &Request,
        prepare: Prepare<'_>,
    ) -> Result<Change, EngineError> {
        if request.dry_run && self.hooks.check.is_none() {
            return self.rehearse(operation, prepare);
        }
        self.refuse_missing(operation)?;
        let locked =
            self.conf.lock(self.lock_wait, &mut |holder| (self.on_wait)(self.conf.given(), holder))?;
        let (before, stamp) = load(&locked, operation)?;
        let ready = match prepare(before.as_ref()) {
            Ok(Some(ready)) => ready,
            Ok(None) => return Ok(unchanged(before)),
            Err(refused) => return Err(refused.into_error(before)),
        };
        let pieces = ready.next.pieces(before.as_ref());
        let candidate = self.candidate(&locked, &pieces)?;
        let occasion = candidate.as_ref().map(|candidate| self.occasion(operation, candidate, request));
        if let (Some(command), Some(occasion)) = (&self.hooks.check, occasion) {
            hook::run(command, occasion, self.hooks.timeout).map_err(EngineError::CheckFailed)?;
        }
        let mut warnings = Vec::new();
        if !request.dry_run {
            let old = before.as_ref().zip(stamp.as_ref());
            let old = old.map(|(before, stamp)| Old { text: before.bytes(), stamp });
            warnings = write(&locked, old, &pieces)?;
            if let (Some(command), Some(occasion)) = (&self.hooks.reload, occasion) {
                self.reload(command, occasion, &locked, before.as_ref(), &pieces)?;
            }
        }
        Ok(Change { before, next: Some(ready.next), notes: ready.notes, warnings })
    }

    /// A dry run without a check command needs no lock, and makes no folder.
    fn rehearse(&self, operation: &str, prepare: Prepare<'_>) -> Result<Change, EngineError> {
        let before = match self.conf.load() {
            Ok(loaded) => Some(Snapshot::of(loaded.bytes)),
            Err(StoreError::NotFound { .. }) if operation == "save" => None,
            Err(error) => return Err(error.into()),
        };
        match prepare(before.as_ref()) {
            Ok(None) => Ok(unchanged(before)),
            Ok(Some(Ready { next, notes })) => {
                Ok(Change { before, next: Some(next), notes, warnings: Vec::new() })
            }
            Err(refused) => Err(refused.into_error(before)),
        }
    }

    /// Asked before the lock, which makes a folder.
    fn refuse_missing(&self, operation: &str) -> Result<(), EngineError> {
        let target = self.conf.target();
        match target.try_exists() {
            Ok(false) if operation != "save" => Err(StoreError::NotFound { path: target.to_owned() }.into()),
            _ => Ok(()),
        }
    }

    fn candidate(&self, locked: &Locked<'_>, pieces: &[&[u8]]) -> Result<Option<Candidate>, EngineError> {
        if self.hooks.are_empty() { Ok(None) } else { Ok(Some(locked.candidate(pieces)?)) }
    }

    fn occasion<'a>(
        &'a self,
        operation: &'a str,
        candidate: &'a Candidate,
        request: &'a Request,
    ) -> Occasion<'a> {
        Occasion { operation, file: self.conf.target(), text: candidate.path(), by: &request.by }
    }

    /// Runs the reload command; if it fails, the old text comes back, and it runs once more.
    fn reload(
        &self,
        command: &str,
        occasion: Occasion<'_>,
        locked: &Locked<'_>,
        before: Option<&Snapshot>,
        written: &[&[u8]],
    ) -> Result<(), EngineError> {
        let Err(failure) = hook::run(command, occasion, self.hooks.timeout) else { return Ok(()) };
        let aftermath = match (locked.load()?, before) {
            (_, None) => Aftermath::NothingBefore,
            (Some(found), Some(before)) if is_concatenation(&found.bytes, written) => {
                locked.replace(Some(found.as_old()), &[before.bytes()])?;
                let old = locked.candidate(&[before.bytes()])?;
                // Its failure was reported already; what counts is that it saw the old text again.
                let _ = hook::run(command, Occasion { text: old.path(), ..occasion }, self.hooks.timeout);
                Aftermath::Restored
            }
            _ => Aftermath::ChangedMeanwhile,
        };
        Err(EngineError::ReloadFailed { failure, aftermath })
    }
}

/// The edit of a text without errors. The checks take as long as the edit does, so they run beside
/// it; what was made of a text that turns out to have errors is thrown away.
fn edit_beside_check(
    before: &Snapshot,
    patch: &mut dyn FnMut(&Members<'_>) -> Result<Value, EngineError>,
) -> Result<Option<Edit>, Refused> {
    let document = before.document();
    if document.diagnostics().errors() > 0 {
        return Err(Refused::BadConfig);
    }
    let (edit, is_valid) = std::thread::scope(|scope| {
        let check = std::thread::Builder::new().spawn_scoped(scope, || before.is_valid());
        let members = top_members(document);
        let edit = patch(&members)
            .and_then(|patch| edit::modify_members(document, &members, patch).map_err(EngineError::from));
        let is_valid = check.ok().and_then(|check| check.join().ok()).unwrap_or_else(|| before.is_valid());
        (edit, is_valid)
    });
    if is_valid { Ok(edit?) } else { Err(Refused::BadConfig) }
}

/// Computes what is to be written from what is there; `None` if that is the same.
type Prepare<'a> = &'a mut dyn FnMut(Option<&Snapshot>) -> Result<Option<Ready>, Refused>;

/// A refusal; one of them takes the text that was refused along.
enum Refused {
    BadConfig,
    Other(EngineError),
}

impl From<EngineError> for Refused {
    fn from(error: EngineError) -> Self {
        Self::Other(error)
    }
}

impl Refused {
    fn into_error(self, before: Option<Snapshot>) -> EngineError {
        match (self, before) {
            (Self::BadConfig, Some(before)) => EngineError::BadConfig(Box::new(before)),
            (Self::BadConfig, None) => EngineError::NoServer,
            (Self::Other(error), _) => error,
        }
    }
}

fn refuse_guarded(guards: [Option<Guard>; 2], request: &Request) -> Result<(), EngineError> {
    let mut open = guards.into_iter().flatten().filter(|guard| !request.accepted.contains(guard));
    match open.next() {
        Some(guard) if !request.force => Err(EngineError::Guarded(guard)),
        _ => Ok(()),
    }
}

/// What is there; only `save` may find nothing.
fn load(locked: &Locked<'_>, operation: &str) -> Result<(Option<Snapshot>, Option<Stamp>), EngineError> {
    match locked.load()? {
        Some(loaded) => Ok((Some(Snapshot::of(loaded.bytes)), Some(loaded.stamp))),
        None if operation == "save" => Ok((None, None)),
        None => Err(locked.not_found().into()),
    }
}

fn write(locked: &Locked<'_>, old: Option<Old<'_>>, pieces: &[&[u8]]) -> Result<Vec<Warning>, EngineError> {
    match locked.replace(old, pieces)? {
        Outcome::Unchanged => Ok(Vec::new()),
        Outcome::Written { warnings } => Ok(warnings),
    }
}

fn unchanged(before: Option<Snapshot>) -> Change {
    Change { before, next: None, notes: Vec::new(), warnings: Vec::new() }
}

//! The file of a node that has none yet.

use super::local_text::{Noted, wanted};
use super::runs::{BackReason, Runs};
use crate::engine::{ChangeOptions, Engine, NewText, Refusal};
use crate::store::cluster::ClusterStore;
use crate::store::file::ConfFile;
use crate::store::{Store, StoreError};

/// Writes the text of the cluster into a file that is missing, so that a server can start over it. While the cluster has
/// none, or gives none, `goes_on` is asked; false if it wants to wait no longer.
///
/// # Errors
/// Those that do not pass by themselves.
pub fn first_text(
    node: &str,
    store: &ClusterStore,
    (engine, file): (&Engine, &ConfFile),
    mut goes_on: impl FnMut(&StoreError) -> bool,
) -> Result<bool, Refusal> {
    match file.refuse_missing() {
        Err(StoreError::NotFound { .. }) => {}
        found => return Ok(found.map(|()| true)?),
    }
    loop {
        let error = match try_first_text(node, store, engine) {
            Err(FirstTextError::Cluster(error)) if may_pass(&error) => error,
            Err(FirstTextError::Cluster(error)) => return Err(error.into()),
            Err(FirstTextError::Local(refusal)) => return Err(refusal),
            Ok(()) => return Ok(true),
        };
        if !goes_on(&error) {
            return Ok(false);
        }
    }
}

/// The reason why there is no first text.
enum FirstTextError {
    Cluster(StoreError),
    Local(Refusal),
}

impl From<StoreError> for FirstTextError {
    fn from(error: StoreError) -> Self {
        Self::Cluster(error)
    }
}

/// True if somebody may put it right meanwhile in etcd, or save the first text.
fn may_pass(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Unreachable { .. }
            | StoreError::Remote { .. }
            | StoreError::Refused { .. }
            | StoreError::NotFound { .. }
            | StoreError::Overtaken { .. }
    )
}

fn try_first_text(node: &str, store: &ClusterStore, engine: &Engine) -> Result<(), FirstTextError> {
    let seen = store.seen()?;
    let no_text = || StoreError::NotFound { path: store.path().to_owned() };
    // The node takes a change that is not confirmed only once its way back is noted.
    let is_open = seen.head.as_ref().is_some_and(|head| head.unconfirmed.is_some());
    let runs = if is_open { Runs::Back(BackReason::OthersFirst) } else { Runs::Head };
    let wanted = wanted(&seen, node, runs).ok_or_else(no_text)?;
    let bytes = store.text_of(wanted.text)?.ok_or_else(|| StoreError::Overtaken { name: store.name() })?;
    let Noted { name, by, message, .. } = Noted::of(wanted.head, runs);
    let command = Some(name.to_owned().into());
    // A starting server has to have a file, even if its includes are faulty.
    let options =
        ChangeOptions { force: true, takes_faults: true, by, message, command, ..ChangeOptions::default() };
    let saved = engine.save(&NewText::Whole(bytes), &options);
    saved.map(drop).map_err(FirstTextError::Local)
}

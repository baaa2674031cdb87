//! The file of a node that has none yet.

use super::local_text::{NodeName, wanted};
use super::overlays::merged;
use crate::engine::{ChangeOptions, Engine, NewText, Refusal, Snapshot, Trouble};
use crate::store::cluster::ClusterStore;
use crate::store::file::ConfFile;
use crate::store::{NodeState, Store, StoreError};

/// Writes the text of the cluster into a file that is missing, so that a server can start over it.
///
/// # Errors
/// Those of the cluster; `NotFound`, if there is no text in it either.
pub fn first_text(
    node: &NodeName,
    store: &ClusterStore,
    (engine, file): (&Engine, &ConfFile),
) -> Result<(), Refusal> {
    match file.refuse_missing() {
        Err(StoreError::NotFound { .. }) => {}
        found => return Ok(found?),
    }
    let seen = store.seen_with(node.ranges(store.keys()))?;
    let no_text = || StoreError::NotFound { path: store.path().to_owned() };
    let refused = |why: String| Refusal::not_run_here(NodeState::Refused, &Trouble::new(why));
    let wanted = wanted(&seen, node).ok_or_else(no_text)?.map_err(|(_, why)| refused(why))?;
    let bytes = store.text_of(wanted.text)?.ok_or_else(no_text)?;
    let text = merged(Snapshot::from_bytes(bytes), &wanted.overlays).map_err(refused)?;
    let (by, message) = (wanted.head.by.clone(), wanted.head.message.clone());
    // A starting server has to have a file, even if its includes are faulty.
    let options = ChangeOptions { force: true, takes_faults: true, by, message, ..ChangeOptions::default() };
    engine.save(&NewText::Whole(text.bytes().into()), &options).map(drop)
}

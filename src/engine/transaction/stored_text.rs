//! The text of the store on which a change is computed, with what the store knows of it.

use std::sync::Arc;

use crate::engine::local::Engine;
use crate::engine::operation::Operation;
use crate::engine::running::ServerState;
use crate::engine::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{BaseText, Loaded, PendingInfo, Version, Writer};

/// The stored text.
pub(super) struct StoredText {
    pub snapshot: Arc<Snapshot>,
    pub version: Version,
    /// The change that made it, if the store keeps it until it is confirmed.
    pub open: Option<PendingInfo>,
}

impl StoredText {
    pub fn as_base(&self) -> BaseText<'_> {
        let Self { snapshot, version, .. } = self;
        BaseText { text: snapshot.bytes(), version, revision: snapshot.revision() }
    }
}

/// The state of the server, and the stored text.
pub(super) fn texts(
    engine: &Engine,
    writer: Option<&dyn Writer>,
    operation: Operation,
) -> Result<(Option<ServerState>, Option<StoredText>), Error> {
    let state = engine.state();
    let file = load(engine, writer, operation, state.as_ref())?;
    Ok((state, file))
}

/// The same as no change leaves them half done. Within a change the file differs from what the server
/// knows of it, as it does after a hand edit; so they are looked at again between two changes.
pub(super) fn texts_between_changes(
    engine: &Engine,
    operation: Operation,
) -> Result<(Option<ServerState>, Option<StoredText>), Error> {
    let seen = texts(engine, None, operation);
    match &seen {
        Ok((None, _)) => return seen,
        Ok((Some(state), Some(file))) if file.snapshot.is_same_text(&state.saved) => return seen,
        _ => {}
    }
    let _turn = engine.take_turn()?;
    texts(engine, None, operation)
}

/// Loads the file. Only a local `modify` needs one.
fn load(
    engine: &Engine,
    writer: Option<&dyn Writer>,
    operation: Operation,
    state: Option<&ServerState>,
) -> Result<Option<StoredText>, Error> {
    let loaded = match writer.map_or_else(|| engine.store.load(), Writer::load) {
        Ok(loaded) => loaded,
        Err(error)
            if error.kind == ErrorKind::NoConfiguration
                && (operation != Operation::Modify || state.is_some()) =>
        {
            return Ok(None);
        }
        Err(_) if operation == Operation::Update => return Ok(None),
        Err(error) => return Err(error),
    };
    let saved = state.map(|state| &state.saved).filter(|saved| saved.bytes() == loaded.bytes);
    let snapshot = saved.cloned().unwrap_or_else(|| Arc::new(Snapshot::from_bytes(loaded.bytes)));
    let Loaded { version, open, .. } = loaded;
    Ok(Some(StoredText { snapshot, version, open }))
}

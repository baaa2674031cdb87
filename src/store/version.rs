//! A text with the version under which a store knows it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::pending::PendingInfo;
use super::revision::Revision;

/// The version of a loaded text; only the store that made it looks inside.
#[derive(Clone)]
pub struct Version(Arc<dyn Any + Send + Sync>);

/// A text and its version.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text, byte for byte.
    pub bytes: Bytes,
    pub version: Version,
    /// The change that made it, if that has to be confirmed and the store sees to it.
    pub open: Option<PendingInfo>,
}

/// The text that a change was computed on, borrowed from its owner.
#[derive(Clone, Copy, Debug)]
pub struct BaseText<'a> {
    pub text: &'a [u8],
    pub version: &'a Version,
    pub revision: Revision,
}

impl Version {
    /// Wraps the data by which a store recognises a text.
    pub fn new(known: impl Any + Send + Sync) -> Self {
        Self(Arc::new(known))
    }

    /// Returns the wrapped data; `None` if another store made the version.
    pub fn known<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Version(…)")
    }
}

impl Loaded {
    /// The revision of the text; hashes the text at each call.
    pub fn revision(&self) -> Revision {
        Revision::from_text(&self.bytes)
    }

    /// The text as the base of a change; hashes the text at each call.
    pub fn as_base(&self) -> BaseText<'_> {
        BaseText { text: &self.bytes, version: &self.version, revision: self.revision() }
    }
}

/// True if `pieces` make `text`. Most pieces are parts of the old text itself, whose equality shows
/// without reading them.
pub fn is_concatenation(text: &[u8], pieces: &[&[u8]]) -> bool {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    if length != text.len() {
        return false;
    }
    let mut rest = text;
    pieces.iter().all(|piece| {
        let (here, after) = rest.split_at(piece.len());
        rest = after;
        std::ptr::eq(here, *piece) || here == *piece
    })
}

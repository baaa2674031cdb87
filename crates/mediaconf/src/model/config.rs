//! The values of a configuration.

use serde_json::Value;

use super::view::{Lens, View, to_json, top_members};
use crate::schema::members::Members;
use crate::syntax::Document;

/// The values of a document: what its directives say, as one configuration.
///
/// It is meaningful only for a document without errors.
pub struct Config<'d> {
    members: Members<'d>,
    lens: Lens,
}

impl<'d> Config<'d> {
    /// The values of `document`, all of them.
    pub fn new(document: &'d Document) -> Self {
        Self::from_members(top_members(document), Lens::default())
    }

    /// The values that `document` itself holds: without names, positions and other derived members.
    pub fn own(document: &'d Document) -> Self {
        Self::from_members(top_members(document), Lens::own())
    }

    /// The values that `lens` shows, of a document whose top-level members are known.
    pub fn from_members(members: Members<'d>, lens: Lens) -> Self {
        Self { members, lens }
    }

    /// Returns the top-level members.
    pub fn members(&self) -> &Members<'d> {
        &self.members
    }

    /// Returns the lens through which the values are seen.
    pub(crate) fn lens(&self) -> &Lens {
        &self.lens
    }

    /// Returns the values for a serializer, which writes them piece by piece.
    pub fn view(&self) -> View<'_, 'd> {
        View::new(&self.members, &self.lens)
    }

    /// Returns all values as JSON.
    pub fn to_json(&self) -> Value {
        to_json(&self.view())
    }
}

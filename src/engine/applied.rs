//! The record of what an owner applies (`apply --owner`), around the change that applies it.
//!
//! Before the change, the new state is recorded beside those that may be in effect, so that a writer that is
//! killed forgets none; when the change is certain to stay, the new state is recorded alone. After a change
//! that may still be rolled back they all stay recorded, until the owner applies again.

use std::slice;

use serde_json::Value;

use crate::store::{OwnerName, StoreError, Writer};

/// The state that an owner applies, and those that it applied before.
pub(super) struct Applied {
    pub owner: OwnerName,
    /// The states that are recorded: the last one, and those before it that may still be in effect.
    pub recorded: Vec<Value>,
    /// The state that is applied.
    pub state: Value,
}

impl Applied {
    /// Records that the state may be in effect from here on.
    pub fn begin(&mut self, writer: &dyn Writer) -> Result<(), StoreError> {
        if self.recorded.contains(&self.state) {
            return Ok(());
        }
        let states = [self.recorded.as_slice(), slice::from_ref(&self.state)].concat();
        writer.set_applied(&self.owner, &self.recorded, &states)?;
        self.recorded = states;
        Ok(())
    }

    /// Records that the state is in effect, and no other one.
    pub fn settle(&self, writer: &dyn Writer) -> Result<(), StoreError> {
        let settled = slice::from_ref(&self.state);
        if self.recorded == settled {
            return Ok(());
        }
        writer.set_applied(&self.owner, &self.recorded, settled)
    }
}

//! Two texts or two changes of one text: their difference as a patch, and their merge.

pub(crate) mod diff;
mod three_way;

pub use diff::{ChangedValue, Prune, patch_to_state};

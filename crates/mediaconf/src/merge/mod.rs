//! Two texts or two changes of one text: their difference as a patch, and their merge.
//!
//! `merge_patch` is RFC 7396; `three_way` is a merge of two changes of one text.

mod changes;
pub(crate) mod diff;
mod three_way;

pub use changes::ChangedValue;
pub use diff::{DesiredState, Prune};

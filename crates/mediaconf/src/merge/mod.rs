//! Two texts or two changes of one text: their difference as a patch, and their merge.

mod changes;
pub(crate) mod diff;
mod three_way;

pub use changes::ChangedValue;
pub use diff::{DesiredState, Prune};

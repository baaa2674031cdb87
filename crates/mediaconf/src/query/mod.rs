//! Reads a configuration: paths, the places of the schema that they lead to, the values there, and conditions on them.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited. No message shows a value, which may be a secret;
//! values of an expectation are masked.

mod condition;
mod config;
mod name_use;
mod path;
mod place;
mod select;

pub(crate) use condition::compiled;
pub use condition::{Condition, Expectation};
pub use config::{Config, FoundValue, ValueSource};
pub(crate) use config::{find_by, out_of_range};
pub use name_use::NameUse;
pub(crate) use path::keys;
pub use path::{Path, Segment};
pub(crate) use place::{NULL, did_you_mean, is_whole_list, refuse_output_only};
pub(crate) use select::Expansion;
pub use select::Selection;

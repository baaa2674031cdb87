//! A requested change as data: values to set, a patch, a whole text, new names. It is evaluated on the configuration that
//! it is applied to.

mod blocks;
mod change;
mod renaming;

pub use blocks::{BlockContent, BlockPlace, BlockRequest};
pub use change::{ChangeRequest, Edits, Evaluated};
pub use renaming::Renaming;

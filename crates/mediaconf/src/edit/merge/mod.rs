//! Computes the values after a normalized patch: a merge patch (RFC 7396) with the rules that `auth`,
//! lists and directives under the general rule add.
//!
//! This is the value side of an edit. The text side works towards these values, and the new text
//! is read again and compared with them before it is written.

mod general;
mod named;
mod setting;

pub use general::{GeneralMerge, contents_value, general_value, occurrences, split_occurrence};
pub use named::{merge_named, named_value, own_lens};
pub use setting::merge_setting;

//! Two texts or two changes of one text: their difference as a patch, and their merge.
//!
//! `merge_patch` is RFC 7396; `three_way` is a merge of two changes of one text.

mod changes;
mod desired;
pub(crate) mod diff;
mod draft;
mod three_way;

pub use changes::{ChangedValue, Drift, changed_values, drift, paths_in_words};
pub use desired::{DesiredState, Prune, TextState};
pub use diff::{diff, merge_patch};
pub use draft::{height, lines_of, with_comments, without_comments};
pub use three_way::{LinesClash, MergedLines, first_marker, merge_lines, patch_between, three_way};

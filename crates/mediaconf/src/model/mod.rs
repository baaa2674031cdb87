//! The meaning of directives: the schema table, the JSON view, the checks.
//!
//! The view is streamed from the document into serde; this layer never builds a
//! [`serde_json::Value`] of a whole configuration. Directives that the table does not know are shown
//! by one general rule, which covers every text and can be reversed.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited, and it does no I/O. The
//! view of a document with errors is meaningless; callers check for errors first.

pub mod check;
pub(crate) mod general;
mod json;
mod json_writer;
mod lens;
pub mod member;
pub(crate) mod names;
mod near_miss;
mod one_line;
pub mod redact;
pub mod secret;
pub mod setting_view;
pub mod shape;
pub mod view;

pub use check::{check, has_errors};
pub use json::to_json;
pub use json_writer::{CompactJson, KnownJson, write_compact};
pub use lens::Lens;
pub use near_miss::{NearMiss, near_miss, near_miss_in_block};
pub use one_line::has_lost_line_ends;
pub use redact::secret_spans;
pub use secret::Masker;
pub use view::{View, top_members};

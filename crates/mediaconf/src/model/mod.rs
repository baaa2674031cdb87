//! The meaning of a document: its JSON view, and the checks.
//!
//! The view is streamed from the document into serde; this layer never builds a
//! [`serde_json::Value`] of a whole configuration. Directives that the table does not know are shown
//! by one general rule, which covers every text and can be reversed.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited, and it does no I/O. The
//! view of a document with errors is meaningless; callers check for errors first.

pub mod check;
pub(crate) mod view;

pub use crate::secret::{MaskedText, Masker, SecretValues};
pub use view::{Lens, View, to_json};

pub use check::{check, near_miss_in_block};

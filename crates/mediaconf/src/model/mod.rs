//! The meaning of directives: the schema table, the JSON view, the checks.
//!
//! The view is streamed from the document into serde; this layer never builds a
//! [`serde_json::Value`] of a whole configuration. Directives that the table does not know are shown
//! by one general rule, which covers every text and can be reversed.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited, and it does no I/O. The
//! view of a document with errors is meaningless; callers check for errors first.

pub mod check;
mod config;
pub(crate) mod general;
mod json;
pub(crate) mod member;
pub(crate) mod names;
pub(crate) mod setting_view;
pub(crate) mod shape;
pub(crate) mod view;

pub(crate) use crate::secret as redact;
pub(crate) use crate::secret;
pub use crate::secret::{
    LONGEST_SECRET, MaskedText, Masker, SecretValues, holds_mask, masked_below, masked_document, masked_json,
    masked_keys, secret_spans,
};
pub use member::{Member, Members, key_of};
pub use setting_view::sources;
pub use shape::{OptionWord, block_kind, group_name, only_argument, usable_account};
pub use view::{Lens, View, is_static, top_members};

pub use config::Config;

pub use check::{
    NearMiss, check, check_document, has_errors, has_lost_line_ends, near_miss, near_miss_in_block,
};
pub use json::to_json;

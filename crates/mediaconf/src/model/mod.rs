//! The meaning of a document: its members, and the checks.
//!
//! *Invariants.* This layer reads. It does not know how a text is edited, and it does no I/O.

pub mod check;

pub use crate::schema::codec::{group_name, sources};
pub use crate::schema::members::{
    Member, Members, block_kind, key_of, only_argument, top_members, usable_account,
};
pub use crate::secret::{MaskedText, Masker, SecretValues};

pub use check::{check, check_document, has_errors, has_lost_line_ends, near_miss, near_miss_in_block};

//! Recognises secrets and masks them.
//!
//! A secret is recognised by the name before it (`names`, from the tables of the schema) or by its own form (`forms`):
//! userinfo in a URL, `password=…` in a query. `spans` is the one finder: it looks at the values of words, without quotes
//! and escapes, and says where in the text the secrets stand. `mask` puts masks there. Masked JSON is the JSON of the
//! masked text; `json` masks what has no text, such as a patch.

mod by_value;
mod forms;
mod json;
mod loose;
mod mask;
mod names;
mod plain;
mod spans;

pub use by_value::{LONGEST_SECRET, SecretValues};
pub use forms::word_parts;
pub use json::{masked_below, masked_json, masked_keys};
pub use mask::{FaultMasker, MaskedText, Masker, holds_mask, is_mask, masked_document};
pub use names::Secrecy;
pub use spans::secret_spans;

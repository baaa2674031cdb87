//! Recognises secrets and masks them.
//!
//! A secret is recognised by the name before it (`names`, from the tables of the schema) or by its own form (`forms`):
//! userinfo in a URL, `password=…` in a query. `finder` is the one finder: it looks at the values of words, without quotes
//! and escapes, and says where in the text the secrets stand. `mask` puts masks there. Masked JSON is the JSON of the
//! masked text; what has no text, such as a patch, is masked by its keys and elements.

mod finder;
mod forms;
mod mask;
mod names;
mod values;

#[cfg(test)]
pub(crate) use finder::secrets_in;
pub use forms::word_parts;
pub use mask::{MaskedText, Masker, mask_faults};
pub use names::Secrecy;
pub use values::SecretValues;

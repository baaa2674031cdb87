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
pub use finder::*;
pub use {forms::*, mask::*, names::*, values::*};

//! Secrets in texts that people wrote.

use std::borrow::Cow;

use crate::model::Masker;

/// A message with the secrets that can be told by their form masked, also those in a pointer in it.
pub fn masked_text(text: &str) -> String {
    let masker = Masker::default();
    let plain = text.replace("~1", "/");
    match masker.prose(&plain) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => text.to_owned(),
    }
}

//! Masks secrets in texts that users wrote: names, URLs and messages may contain them.

use std::borrow::Cow;

use mediaconf::Masker;

/// Masks the secrets that are known by their form, also inside a JSON Pointer.
pub fn masked_text(text: &str) -> String {
    let masker = Masker::default();
    let plain = text.replace("~1", "/");
    match masker.prose(&plain) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => text.to_owned(),
    }
}

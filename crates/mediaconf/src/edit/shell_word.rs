//! Words as they are typed into a shell.

use std::borrow::Cow;

/// The characters that a word without quotes may have, beside letters and digits.
const PLAIN: &[char] = &['_', '@', '%', '+', '=', ':', ',', '.', '/', '-'];

/// A word in quotes, if a shell would read it as something else without them.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(&c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

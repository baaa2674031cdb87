//! A command line as somebody would type it into a shell.

use std::borrow::Cow;

use crate::model::Masker;

/// What stands in a word without quotes, beside letters and digits.
const PLAIN: &[char] = &['_', '@', '%', '+', '=', ':', ',', '.', '/', '-'];

/// Returns a call of the program with these words, quoted where a shell needs it, and without secrets that have the
/// form of one.
pub fn call(words: &[String]) -> String {
    let masker = Masker::default();
    let words = words.iter().map(|word| masker.prose(word));
    std::iter::once("mediactl".to_owned())
        .chain(words.map(|word| quoted(&word).into_owned()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word in quotes, if a shell would read it as something else without them.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(&c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_change_is_quoted() {
        let words = ["read", "streams.*", "a'b", "", "#1", "http://u:geheim@h/"].map(str::to_owned);
        let typed = call(&words);
        assert!(typed.starts_with(r"mediactl read 'streams.*' 'a'\''b' '' '#1' 'http://<secret:"), "{typed}");
        assert!(!typed.contains("geheim"), "{typed}");
    }
}

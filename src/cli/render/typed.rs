//! A command line as somebody would type it into a shell.

use mediaconf::edit::shell_word::quoted;
use mediaconf::model::Masker;

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

//! Words as the shell has them: with quotes, of which one may still be open.

use std::ffi::{OsStr, OsString};

use super::script::ShellName;

/// The word that is being typed.
pub struct TypedWord<'r> {
    /// As it stands in the command line.
    raw: &'r str,
    /// Without quotes.
    pub text: String,
}

/// The quoting of a character at some place of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl<'r> TypedWord<'r> {
    pub fn parse(shell: ShellName, raw: &'r str) -> Self {
        // Zsh gives it without quotes.
        let text = if shell == ShellName::Zsh { raw.to_owned() } else { read(raw, usize::MAX).text };
        Self { raw, text }
    }

    /// A candidate as it is typed: where it agrees with the word, it is written as that. `None` if the shell would
    /// expand what was typed: a name that goes on with `(` behind a `$` would be a command then.
    pub fn continued(&self, candidate: &str, is_whole: bool) -> Option<String> {
        let same = self.text.chars().zip(candidate.chars()).take_while(|(typed, meant)| typed == meant);
        let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let ReadWord { end, quote, is_expanded, .. } = read(self.raw, same);
        if is_expanded {
            return None;
        }
        let rest: String = candidate[same..].chars().map(|c| escaped(c, quote)).collect();
        // Bash itself closes a quote.
        let end_of_word = if is_whole && quote == Quote::None { " " } else { "" };
        Some(format!("{}{rest}{end_of_word}", &self.raw[..end]))
    }
}

/// A word that is whole. Of these shells only bash gives it with its quotes.
pub fn unquoted(shell: ShellName, word: &OsStr) -> OsString {
    match (shell, word.to_str()) {
        (ShellName::Bash, Some(raw)) => read(raw, usize::MAX).text.into(),
        _ => word.to_owned(),
    }
}

/// A word, or its beginning, as a shell reads it.
struct ReadWord {
    text: String,
    /// The offset of its end in the word as it was typed.
    end: usize,
    /// The quoting from there on.
    quote: Quote,
    /// True if the shell puts something else in the place of a part of it: a variable, the output of a
    /// command, an earlier command.
    is_expanded: bool,
}

/// Reads a word up to `len` bytes of its text.
fn read(raw: &str, len: usize) -> ReadWord {
    let (mut text, mut quote, mut is_expanded) = (String::new(), Quote::None, false);
    let mut characters = raw.char_indices().peekable();
    while let Some((at, c)) = characters.peek().copied() {
        let next = match (quote, c) {
            (Quote::None, '\'') => Some(Quote::Single),
            (Quote::None, '"') => Some(Quote::Double),
            (Quote::Single, '\'') | (Quote::Double, '"') => Some(Quote::None),
            _ => None,
        };
        if next.is_none() && text.len() >= len {
            return ReadWord { text, end: at, quote, is_expanded };
        }
        characters.next();
        let is_escape = |next: char| match quote {
            Quote::None => true,
            Quote::Single => false,
            Quote::Double => matches!(next, '"' | '\\' | '$' | '`'),
        };
        match next {
            Some(next) => quote = next,
            None if c == '\\' => match characters.next_if(|(_, next)| is_escape(*next)) {
                Some((_, next)) => text.push(next),
                None => text.push(c),
            },
            None => {
                is_expanded |= quote != Quote::Single && matches!(c, '$' | '`' | '!');
                text.push(c);
            }
        }
    }
    ReadWord { text, end: raw.len(), quote, is_expanded }
}

/// A character that stands for itself.
fn escaped(c: char, quote: Quote) -> String {
    let is_plain = match quote {
        Quote::None => c.is_alphanumeric() || !c.is_ascii() || "/._-+=:,@%^".contains(c),
        Quote::Single => c != '\'',
        Quote::Double => !matches!(c, '"' | '\\' | '$' | '`' | '!'),
    };
    match quote {
        _ if is_plain => c.to_string(),
        Quote::Single => r"'\''".to_owned(),
        Quote::Double if c == '!' => "\"\\!\"".to_owned(),
        _ => format!("\\{c}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_written_as_the_word_was_begun() {
        for (raw, candidate, is_whole, expected) in [
            ("", "read", true, "read "),
            ("re", "read", true, "read "),
            ("streams.ca", "streams.cam1.", false, "streams.cam1."),
            ("streams.", "streams.\"cam.1\".", false, r#"streams.\"cam.1\"."#),
            ("streams.ca", "streams.\"cam.1\".", false, r#"streams.\"cam.1\"."#),
            (r#"streams.\"ca"#, "streams.\"cam.1\".", false, r#"streams.\"cam.1\"."#),
            ("'streams.\"ca", "streams.\"cam.1\".", false, "'streams.\"cam.1\"."),
            ("'", "http[0]=", false, "'http[0]="),
            ("'a", "a'b", true, r"'a'\''b"),
            ("\"a", "a$b", true, r"\a$b".replace(r"\a", "\"a\\").as_str()),
            ("'a.'pre", "a.prepush=", false, "'a.'prepush="),
            ("a", "a[0].b c", true, r"a\[0\].b\ c "),
            ("'a.$", "a.$(b)", false, "'a.$(b)"),
            (r#""a.\$"#, "a.$(b)", false, r#""a.\$(b)"#),
            (r"a.\$", "a.$(b)", false, r"a.\$\(b\)"),
            ("a.x$HOME", "a.y`b`", false, r"a.y\`b\`"),
        ] {
            let typed = TypedWord::parse(ShellName::Bash, raw);
            assert_eq!(typed.continued(candidate, is_whole).as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn what_the_shell_would_expand_is_not_continued() {
        for (raw, candidate) in [
            ("a.$", "a.$(b)"),
            ("\"a.$", "a.$(b)"),
            ("\"a.`", "a.`b`"),
            ("'a'\"$", "a$(b)"),
            ("a.\\\\$", "a.\\$(b)"),
            ("\"a.!", "a.!b"),
        ] {
            assert_eq!(TypedWord::parse(ShellName::Bash, raw).continued(candidate, true), None, "{raw}");
        }
    }

    #[test]
    fn quotes_are_taken_off_as_the_shell_does() {
        for (raw, text) in [
            (r#"'a "b'c"d\"e"\ f"#, r#"a "bcd"e f"#),
            ("'open", "open"),
            (r"end\", r"end\"),
            (r#""a\b""#, r"a\b"),
        ] {
            assert_eq!(unquoted(ShellName::Bash, OsStr::new(raw)), text, "{raw}");
            assert_eq!(unquoted(ShellName::Zsh, OsStr::new(raw)), raw);
        }
    }
}

//! Keeps the quoting of an edited option: `url="a;b"` stays `url="…"`, and `"url=a b"` stays quoted as a
//! whole.

use serde_json::Value;

use crate::text::{Word, needs_quotes, quoted_if_needed, quoted_word};

/// Returns the text of a word of an unknown directive that takes the place of another. If both are an
/// option with the same key, the quotes stay around the value, or around the whole word.
pub fn word(old: Word<'_>, new: &Value, written: String) -> String {
    new.as_str().and_then(|new| option(old, new)).unwrap_or(written)
}

fn option(old: Word<'_>, new: &str) -> Option<String> {
    match old.split_option() {
        Some((key, value)) => {
            let text = new.strip_prefix(&*key.value())?.strip_prefix('=')?;
            match is_in_quotes(value) {
                true => Some(format!("{}={}", key.raw, quoted_word(text))),
                false => needs_quotes(new).then(|| format!("{}={}", key.raw, quoted_if_needed(text))),
            }
        }
        None => {
            let old = is_in_quotes(old).then(|| old.value())?;
            let (key, _) = old.split_once('=')?;
            new.strip_prefix(key)?.starts_with('=').then(|| quoted_word(new))
        }
    }
}

fn is_in_quotes(word: Word<'_>) -> bool {
    word.raw.len() > 1 && word.raw.starts_with('"') && word.raw.ends_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_option_keeps_the_form_of_its_quoting() {
        let edited =
            |old, new: &str| word(Word::new(old, 0), &Value::from(new), quoted_if_needed(new).into());
        for (old, new, text) in [
            (r#"url="http://x/a;b""#, "url=http://x/a;c", r#"url="http://x/a;c""#),
            (r#"url="http://x/a;b""#, "url=http://x/", r#"url="http://x/""#),
            (r#""url=http://x/a;b""#, "url=http://x/", r#""url=http://x/""#),
            ("url=http://x/", "url=http://x/a;b", r#"url="http://x/a;b""#),
            ("url=http://x/", "url=http://y/", "url=http://y/"),
            ("url=x", "url=", "url="),
            (r#"url="x""#, "url=", r#"url="""#),
            (r#"url="x""#, "other=y", "other=y"),
            (r#""Old Hall""#, "Hall", "Hall"),
            (r#""a=b c""#, "a b", r#""a b""#),
        ] {
            assert_eq!(edited(old, new), text, "{old}");
        }
    }
}

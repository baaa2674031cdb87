//! Replaces a part of a value: `s/10.0.3./10.0.4./`.

use regex::Regex;
use thiserror::Error;

use super::regular_expression::{BadRegex, compiled};

/// What a part of a value is replaced by. Each occurrence is replaced.
#[derive(Clone)]
pub struct Substitution {
    pattern: Pattern,
    /// For a regular expression, with `$1` for its first group.
    by: String,
}

#[derive(Clone)]
enum Pattern {
    Text(String),
    Regex(Regex),
}

/// Why a text is no substitution. Shows nothing of it: it may hold a part of a secret.
#[derive(Debug, Error)]
pub enum SubstitutionError {
    #[error("expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression")]
    Form,
    #[error("there is nothing between the first two delimiters")]
    Empty,
    #[error("only `r` may stand after the last delimiter")]
    Flag,
    #[error(transparent)]
    Regex(#[from] BadRegex),
}

impl Substitution {
    /// Parses `s/OLD/NEW/`, where any sign can stand for `/`, and `s/OLD/NEW/r`.
    ///
    /// # Errors
    /// The text has another form, or the regular expression is not one.
    pub fn parse(text: &str) -> Result<Self, SubstitutionError> {
        let mut rest = text.strip_prefix('s').ok_or(SubstitutionError::Form)?.chars();
        let delimiter = rest.next().filter(char::is_ascii_punctuation).filter(|found| *found != '\\');
        let delimiter = delimiter.ok_or(SubstitutionError::Form)?;
        let (old, rest) = part(rest.as_str(), delimiter).ok_or(SubstitutionError::Form)?;
        let (new, flags) = part(rest, delimiter).ok_or(SubstitutionError::Form)?;
        if old.is_empty() {
            return Err(SubstitutionError::Empty);
        }
        match flags {
            "" => Ok(Self { pattern: Pattern::Text(old), by: new }),
            "r" => Ok(Self { pattern: Pattern::Regex(compiled(&old)?), by: groups(&new) }),
            _ => Err(SubstitutionError::Flag),
        }
    }

    /// Returns the changed text; `None` where there is nothing to replace.
    pub fn apply(&self, text: &str) -> Option<String> {
        match &self.pattern {
            Pattern::Text(old) => text.contains(old).then(|| text.replace(old, &self.by)),
            Pattern::Regex(regex) => {
                regex.is_match(text).then(|| regex.replace_all(text, &self.by).into_owned())
            }
        }
    }
}

/// Splits at the first delimiter that has no backslash before it; that backslash goes.
fn part(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            _ if character == delimiter => return Some((part, characters.as_str())),
            '\\' => match characters.next()? {
                next if next == delimiter => part.push(next),
                next => part.extend(['\\', next]),
            },
            _ => part.push(character),
        }
    }
    None
}

/// Writes the groups of sed, `\1`, as those of regular expressions here, `${1}`.
fn groups(new: &str) -> String {
    let mut written = String::new();
    let mut characters = new.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some(digit @ '0'..='9')) => {
                characters.next();
                written.extend(['$', '{', digit, '}']);
            }
            _ => written.push(character),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::Substitution;

    fn applied(substitution: &str, text: &str) -> Result<Option<String>, String> {
        Substitution::parse(substitution).map(|parsed| parsed.apply(text)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_occurrence_is_replaced() {
        for (substitution, text, expected) in [
            ("s/10.0.3./10.0.4./", "udp://10.0.3.1:1?b=10.0.3.2", Some("udp://10.0.4.1:1?b=10.0.4.2")),
            ("s/10.0.3./10.0.4./", "udp://10x0x3x1", None),
            ("s/10.0.3./10.0.4./r", "udp://10x0x3x1", Some("udp://10.0.4.1")),
            ("s|udp://|rtp://|", "udp://1", Some("rtp://1")),
            (r"s/udp:\/\//x\\/", "udp://1", Some(r"x\\1")),
            ("s/a//", "banana", Some("bnn")),
            (r"s/(\d+)-(\d+)/$2-\1/r", "1-22", Some("22-1")),
            (r"s/^cam/\0s/r", "cam cam", Some("cams cam")),
            ("s/$1/$2/", "a$1", Some("a$2")),
            ("s/a/a/", "a", Some("a")),
        ] {
            assert_eq!(applied(substitution, text), Ok(expected.map(str::to_owned)), "{substitution}");
        }
    }

    #[test]
    fn faults_show_nothing_of_the_text() {
        for (substitution, expected) in [
            ("", "expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression"),
            ("s", "expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression"),
            ("sxaxbx", "expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression"),
            ("s/a/b", "expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression"),
            (r"s/a/b\", "expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression"),
            ("s//b/", "there is nothing between the first two delimiters"),
            ("s/a/b/g", "only `r` may stand after the last delimiter"),
            ("s/(a/b/r", "the regular expression is not valid: unclosed group"),
        ] {
            assert_eq!(applied(substitution, ""), Err(expected.to_owned()), "{substitution}");
        }
    }
}

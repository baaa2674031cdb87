//! Replaces a part of a value: `s/10.0.3./10.0.4./`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Match, Regex};
use serde::{Deserialize, Serialize};

use crate::query::compiled;
use crate::schema::Fault;

/// The replacement of a part of a value. Each occurrence is replaced.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Substitution {
    /// As it was written.
    text: String,
    pattern: Regex,
    /// With `$1` for the first group of the pattern.
    by: String,
}

impl TryFrom<String> for Substitution {
    type Error = Fault;

    fn try_from(text: String) -> Result<Self, Fault> {
        Self::parse(&text)
    }
}

impl From<Substitution> for String {
    fn from(substitution: Substitution) -> Self {
        substitution.text
    }
}

impl Substitution {
    /// The bytes that all texts of one change may have beyond those of the old texts.
    pub const MORE: usize = 32 << 20;

    /// Parses `s/OLD/NEW/`, where any sign can stand for `/`, and `s/OLD/NEW/r`.
    ///
    /// # Errors
    /// A fault of a path for a text that is no regular expression; a plain fault of another form. It shows nothing of the
    /// text, which may hold a part of a secret.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let unlike = |message: &str| Fault::plain(message).hint("such as `s/10.0.3./10.0.4./`");
        let form = || unlike("expected `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression");
        let mut rest = text.strip_prefix('s').ok_or_else(form)?.chars();
        let delimiter = rest.next().filter(|found| found.is_ascii_punctuation() && *found != '\\');
        let delimiter = delimiter.ok_or_else(form)?;
        let (old, rest) = part(rest.as_str(), delimiter).ok_or_else(form)?;
        let (new, flags) = part(rest, delimiter).ok_or_else(form)?;
        let (old, by) = match flags {
            _ if old.is_empty() => return Err(unlike("there is nothing between the first two delimiters")),
            "" => (regex::escape(&old), new.replace('$', "$$")),
            // The groups of sed, `\1`.
            "r" => (old, SED_GROUP.replace_all(&new, "$${$1}").into_owned()),
            _ => return Err(unlike("only `r` may stand after the last delimiter")),
        };
        let pattern = compiled(&old, "without `r` at the end, it is text to the letter")?;
        if lacks(&pattern, &by) {
            let message = "the new text names a group that the regular expression lacks";
            return Err(Fault::plain(message).hint("group 1 before an `a` is `${1}a`, a dollar sign is `$$`"));
        }
        Ok(Self { text: text.to_owned(), pattern, by })
    }

    /// Returns the changed text; `None` if there is nothing to replace. What it may add is taken from `left`.
    ///
    /// # Errors
    /// All texts together become too long.
    pub(crate) fn apply(&self, text: &str, left: &mut usize) -> Result<Option<String>, Fault> {
        let groups = self.by.matches('$').count();
        let more = |found: Match<'_>| self.by.len().saturating_add(groups.saturating_mul(found.len()));
        // Before it is made: one text may be replaced by many.
        let most = self.pattern.find_iter(text).map(more).fold(0, usize::saturating_add);
        *left = left.saturating_add(text.len()).checked_sub(most).ok_or_else(too_much_text)?;
        Ok(if let Cow::Owned(made) = self.pattern.replace_all(text, &self.by) { Some(made) } else { None })
    }
}

/// A substitution makes more text than it may.
fn too_much_text() -> Fault {
    let most = Substitution::MORE >> 20;
    Fault::of_path(format!("the new values take {most} MiB more room than the old ones"))
}

/// Splits at the first delimiter that has no backslash before it; that backslash goes.
fn part(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut is_escaped = false;
    let end = text.find(|character| {
        let ends = character == delimiter && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends
    })?;
    let part = text[..end].replace(&format!("\\{delimiter}"), delimiter.encode_utf8(&mut [0; 4]));
    Some((part, &text[end + delimiter.len_utf8()..]))
}

/// The groups that a new text names: `$1a` is the group `1a`, and `$$` is none.
static GROUPS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$(?:\$|\{([^}]*)\}|(\w+))").expect("it is an expression"));

static SED_GROUP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\([0-9])").expect("it is an expression"));

/// True if a new text names a group that the regular expression lacks.
fn lacks(pattern: &Regex, by: &str) -> bool {
    let names = GROUPS.captures_iter(by).filter_map(|found| found.get(1).or(found.get(2)));
    names.map(|name| name.as_str()).any(|name| match name.parse::<usize>() {
        Ok(number) => number >= pattern.captures_len(),
        Err(_) => !pattern.capture_names().flatten().any(|known| known == name),
    })
}

#[cfg(test)]
mod tests {
    use super::{Substitution, too_much_text};

    const MORE: usize = Substitution::MORE;

    fn applied(substitution: &str, text: &str) -> Result<Option<String>, String> {
        let parsed = Substitution::parse(substitution).map_err(|error| error.to_string())?;
        parsed.apply(text, &mut MORE.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn all_texts_together_stay_within_the_bound() {
        let long = "x".repeat(100_000);
        for by in [format!("s/a/{long}/"), format!("s/a/{long}/r"), format!("s/a+/{}/r", "$0".repeat(200))] {
            let substitution = Substitution::parse(&by).expect("it is one");
            let mut left = MORE;
            let text = "a".repeat(if by.contains('+') { 100_000 } else { 3 });
            let made = (0..1000)
                .map_while(|_| substitution.apply(&text, &mut left).transpose()?.ok())
                .map(|made| made.len());
            let (texts, bytes) = made.fold((0, 0), |(texts, bytes), made| (texts + 1, bytes + made));
            assert!((1..1000).contains(&texts) && bytes <= MORE + 2 * texts * text.len(), "{texts}");
            assert_eq!(substitution.apply(&text, &mut left), Err(too_much_text()));
        }
        // One value alone is not made either.
        let one = Substitution::parse(&format!("s/a/{long}/")).expect("it is one");
        assert_eq!(one.apply(&"a".repeat(100_000), &mut MORE.clone()), Err(too_much_text()));
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
            ("s/b//", "b", Some("")),
            ("s/x*/-/r", "ab", Some("-a-b-")),
            ("s/^/-/r", "", Some("-")),
            (r"s/(\d+)-(\d+)/$2-\1/r", "1-22", Some("22-1")),
            (r"s/^cam/\0s/r", "cam cam", Some("cams cam")),
            ("s/$1/$2/", "a$1", Some("a$2")),
            ("s/a/a/", "a", Some("a")),
            (r"s/cam(\d)/${1}a$$b$$1/r", "cam7", Some("7a$b$1")),
            (r"s/(?<host>\w+):(\d)/$host-$2/r", "a:1", Some("a-1")),
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
            (r"s/cam(\d)/$1a/r", "the new text names a group that the regular expression lacks"),
            (r"s/cam(\d)/$2/r", "the new text names a group that the regular expression lacks"),
            (r"s/cam(\d)/x\2/r", "the new text names a group that the regular expression lacks"),
            ("s/cam/$0-${host}/r", "the new text names a group that the regular expression lacks"),
            ("s/(a/b/r", "the regular expression is not valid: unclosed group"),
        ] {
            assert_eq!(applied(substitution, ""), Err(expected.to_owned()), "{substitution}");
        }
    }
}

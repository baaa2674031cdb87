//! "Did you mean": the known word that one slip of the finger leads to, or that is similar.

use strsim::osa_distance;

use crate::schema::Schema;
use crate::syntax::common_ends;

/// Names longer than this get no suggestion: comparing takes time that grows with the product of the lengths.
const LONGEST_NAME: usize = 256;

/// Words of so many letters may be any other word: one slip leads from `log` to `logo`.
const TOO_SHORT: usize = 3;

impl Schema {
    /// The first candidate that one slip of the finger leads to from `word`.
    pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        candidates.into_iter().find(|candidate| is_slip(word, candidate))
    }
}

/// True if exactly one candidate is near enough to `word` to be meant.
pub fn is_only_near<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> bool {
    candidates.into_iter().filter(|candidate| is_slip(word, candidate)).count() == 1
}

/// True if one word may be a slip of the finger for the other. In words of three letters, two may have changed places;
/// shorter ones are near too many words.
pub fn is_slip(a: &str, b: &str) -> bool {
    match a.len().max(b.len()) {
        0..=2 | 65.. => false,
        // A slip keeps the first letter or the last one.
        _ if a.as_bytes().first() != b.as_bytes().first() && a.as_bytes().last() != b.as_bytes().last() => {
            false
        }
        3 => a.len() == b.len() && a.chars().all(|letter| b.contains(letter)) && is_one_edit(a, b),
        _ => a.len().abs_diff(b.len()) < 2 && is_one_edit(a, b),
    }
}

/// True if two words differ by one letter that is another, too many or missing, or by two that changed
/// places.
pub fn is_one_edit(a: &str, b: &str) -> bool {
    let [head, tail] = common_ends([a.as_bytes(), b.as_bytes()]);
    match (&a.as_bytes()[head..a.len() - tail], &b.as_bytes()[head..b.len() - tail]) {
        ([first, second], others) => *others == [*second, *first],
        (one, other) => one.len().max(other.len()) == 1,
    }
}

/// The same for words that are long enough for one to be meant by the other.
pub fn is_one_slip(a: &str, b: &str) -> bool {
    a.len().min(b.len()) > TOO_SHORT && is_one_edit(a, b)
}

/// The names that are most similar to `name`, best first.
pub fn similar_names<'n>(name: &str, names: impl Iterator<Item = &'n str>, most: usize) -> Vec<&'n str> {
    let most_slips = if name.len() > LONGEST_NAME { 0 } else { 1 + name.len() / 3 };
    let near = names.filter(|known| known.len().abs_diff(name.len()) <= most_slips);
    let scored = near.map(|known| (osa_distance(name, known), known));
    let mut scored: Vec<_> = scored.filter(|(slips, _)| *slips <= most_slips).collect();
    scored.sort();
    scored.into_iter().map(|(_, name)| name).take(most).collect()
}

/// Names as messages list them: "`a`, `b` and `c`".
pub fn listed(names: &[&str], and: &str) -> String {
    let (last, others) = names.split_last().expect("there is a name");
    let others = if others.is_empty() { String::new() } else { format!("`{}` {and} ", others.join("`, `")) };
    format!("{others}`{last}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_slips_and_nothing_else() {
        let known = ["prepush", "http", "rtmp", "transcoder", "auth"];
        for (word, expected) in [
            ("prepsh", Some("prepush")),
            ("htpt", Some("http")),
            ("htp", Some("http")),
            ("transcodre", Some("transcoder")),
            ("path", None),
            ("http", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(Schema::nearest(word, known), expected, "{word}");
        }
    }
}

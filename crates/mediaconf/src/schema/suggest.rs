//! "Did you mean": the known word nearest to a word that is not known.

use crate::schema::Schema;
use strsim::osa_distance;

/// Names longer than this get no suggestion: comparing takes time that grows with the product of the lengths.
const LONGEST_NAME: usize = 256;

/// Words of so many letters may be any other word: one slip leads from `log` to `logo`.
const TOO_SHORT: usize = 3;

impl Schema {
    /// The candidate nearest to `word`, if it is near enough to be a slip of the finger.
    ///
    /// One slip is allowed in words of at least four characters, two in words of at least seven; in one of three, two
    /// letters may have changed places.
    pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        let near = candidates.into_iter().filter_map(|known| Some((slips(word, known)?, known)));
        near.min_by_key(|(slips, _)| *slips).map(|(_, known)| known)
    }
}

/// True if exactly one candidate is near enough to `word` to be meant: the only one that is as near as the nearest.
pub fn is_only_near<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> bool {
    let found: Vec<usize> = candidates.into_iter().filter_map(|candidate| slips(word, candidate)).collect();
    let nearest = found.iter().min();
    found.iter().filter(|slips| Some(*slips) == nearest).count() == 1
}

/// Returns the number of slips that lead from one word to the other; `None` if too many, or none at all.
fn slips(a: &str, b: &str) -> Option<usize> {
    let longest = a.len().max(b.len());
    let allowed = if longest < 7 { 1 } else { 2 };
    if !(3..=64).contains(&longest) || a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    // A slip brings at most one new letter into each of the words. This is looked at first, because it is fast.
    let [of_a, of_b] = [a, b].map(letters);
    let new_letters = (of_a & !of_b).count_ones().max((of_b & !of_a).count_ones()) as usize;
    if new_letters > allowed || longest == 3 && (new_letters > 0 || a.len() != b.len()) {
        return None;
    }
    let distance = osa_distance(a, b);
    (1..=allowed).contains(&distance).then_some(distance)
}

/// The letters of a word as a set; other characters share its members with them.
fn letters(word: &str) -> u64 {
    word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) & 63))
}

/// True if two words differ by one letter that is another, too many or missing, or by two that changed
/// places.
pub fn is_one_edit(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 1 && osa_distance(a, b) == 1
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

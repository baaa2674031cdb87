//! "Did you mean": the known word nearest to a word that is not known.

use crate::schema::Schema;
use strsim::osa_distance;

/// Names longer than this get no suggestion: comparing takes time that grows with the product of the lengths.
const LONGEST_NAME: usize = 256;

/// The number of names that are suggested.
const MOST_SUGGESTED: usize = 3;

/// Words of so many letters may be any other word: one slip leads from `log` to `logo`.
const TOO_SHORT: usize = 3;

impl Schema {
    /// The candidate nearest to `word`, if it is near enough to be a slip of the finger.
    ///
    /// One slip is allowed in words of at least four characters, two in words of at least seven; in one of three, two
    /// letters may have changed places.
    pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        let word = Spelled::new(word);
        let near = candidates.into_iter().map(Spelled::new).filter_map(|one| Some((word.slips(one)?, one)));
        near.min_by_key(|&(slips, _)| slips).map(|(_, candidate)| candidate.word)
    }
}

/// True if exactly one candidate is near enough to `word` to be meant: the only one that is as near as the nearest.
pub fn is_only_near<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> bool {
    let (word, candidates) = (Spelled::new(word), candidates.into_iter().map(Spelled::new));
    let found: Vec<usize> = candidates.filter_map(|candidate| word.slips(candidate)).collect();
    let nearest = found.iter().min();
    found.iter().filter(|slips| Some(*slips) == nearest).count() == 1
}

/// A word, and its letters as a set: other characters share its members with them.
#[derive(Clone, Copy)]
pub struct Spelled<'w> {
    word: &'w str,
    letters: u64,
}

impl<'w> Spelled<'w> {
    pub fn new(word: &'w str) -> Self {
        let letters = word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) & 63));
        Self { word, letters }
    }

    /// Returns the number of slips that lead from one word to the other; `None` if too many, or none at all.
    #[inline]
    pub fn slips(self, other: Self) -> Option<usize> {
        let allowed = match self.word.len().max(other.word.len()) {
            3 if self.letters != other.letters || self.word.len() != other.word.len() => return None,
            0..=2 | 65.. => return None,
            3..=6 => 1,
            _ => 2,
        };
        self.distance(other, allowed)
    }

    /// The number of slips between two words; `None` if there are more than `allowed`, or none.
    #[inline]
    fn distance(self, other: Self, allowed: usize) -> Option<usize> {
        // A slip brings at most one new letter into each of the words. This is looked at first, because it is fast.
        let is_near = |one: u64, other: u64| {
            let without_one = |letters: u64, _| letters & letters.wrapping_sub(1);
            (0..allowed).fold(one & !other, without_one) == 0
        };
        let is_near = self.word.len().abs_diff(other.word.len()) <= allowed
            && is_near(self.letters, other.letters)
            && is_near(other.letters, self.letters);
        is_near.then(|| osa_distance(self.word, other.word)).filter(|slips| (1..=allowed).contains(slips))
    }
}

/// True if two words differ by one letter that is another, too many or missing, or by two that changed
/// places.
pub fn is_one_edit(a: &str, b: &str) -> bool {
    Spelled::new(a).distance(Spelled::new(b), 1).is_some()
}

/// The same for words that are long enough for one to be meant by the other.
pub fn is_one_slip(a: &str, b: &str) -> bool {
    a.len().min(b.len()) > TOO_SHORT && is_one_edit(a, b)
}

/// Returns "did you mean `a`, `b` or `c`?" with the names that are most similar to `name`, if there are any.
pub fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let most_slips = if name.len() > LONGEST_NAME { 0 } else { 1 + name.len() / 3 };
    let others = names.into_iter().filter(|other| *other != name);
    let near = others.filter(|known| known.len().abs_diff(name.len()) <= most_slips);
    let scored = near.map(|known| (osa_distance(name, known), known));
    let mut scored: Vec<_> = scored.filter(|(slips, _)| *slips <= most_slips).collect();
    scored.sort();
    let similar: Vec<&str> = scored.into_iter().map(|(_, name)| name).take(MOST_SUGGESTED).collect();
    (!similar.is_empty()).then(|| format!("did you mean {}?", listed(&similar, "or")))
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

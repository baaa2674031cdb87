//! Finding the row of a keyword or a JSON key.

use std::collections::HashSet;

use super::foreign::FOREIGN_KEYWORDS;
use super::row::{Parameter, SCOPES, Scope};
use super::table::PARAMETERS;

/// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
pub const ESCAPE: char = '@';

/// The scope inside the block of an unknown directive with this many words behind its keyword.
pub fn block_scope(keyword: &str, words: usize) -> Scope {
    if keyword == "template" && words == 1 { Scope::Template } else { Scope::Foreign }
}

/// The parameters that may stand in `scope`, in their order.
pub fn parameters(scope: Scope) -> impl Iterator<Item = &'static Parameter> {
    scope_rows(scope).iter()
}

/// A scope's rows stand together in the table.
fn scope_rows(scope: Scope) -> &'static [Parameter] {
    static ROWS: std::sync::OnceLock<[&'static [Parameter]; SCOPES.len()]> = std::sync::OnceLock::new();
    ROWS.get_or_init(|| SCOPES.map(find_rows))[scope as usize]
}

fn find_rows(scope: Scope) -> &'static [Parameter] {
    PARAMETERS.chunk_by(|a, b| a.scope == b.scope).find(|rows| rows[0].scope == scope).unwrap_or(&[])
}

/// The parameter that `keyword` is the text form of.
#[inline]
pub fn by_keyword(scope: Scope, keyword: impl AsRef<[u8]>) -> Option<&'static Parameter> {
    keywords(scope).find(keyword.as_ref())
}

/// Whether others of this family of servers know a directive with this keyword.
pub fn is_foreign_keyword(keyword: &str) -> bool {
    static FOREIGN: std::sync::OnceLock<HashSet<&'static str>> = std::sync::OnceLock::new();
    FOREIGN.get_or_init(|| FOREIGN_KEYWORDS.iter().copied().collect()).contains(keyword)
}

/// Whether a word is the keyword of a directive, known or well-known foreign, in any scope.
pub fn is_any_keyword(word: &str) -> bool {
    SCOPES.iter().any(|&scope| by_keyword(scope, word).is_some()) || is_foreign_keyword(word)
}

/// Whether an entry that starts with `byte` may be one whose wrong form is an error.
///
/// This test sorts out nearly all entries of a large text.
pub fn may_be_strict(scope: Scope, byte: u8) -> bool {
    keywords(scope).starts_strict[usize::from(byte)]
}

fn keywords(scope: Scope) -> &'static Keywords {
    static KEYWORDS: std::sync::OnceLock<[Keywords; SCOPES.len()]> = std::sync::OnceLock::new();
    &KEYWORDS.get_or_init(|| SCOPES.map(Keywords::of))[scope as usize]
}

/// The keywords of a scope: every entry of a text is looked up.
struct Keywords {
    /// A hash table with open addressing; more than half of it is empty.
    slots: [Option<(PackedWord, &'static Parameter)>; SLOTS],
    /// The bytes with which a strict keyword starts, the quote of a quoted one included.
    starts_strict: [bool; 256],
}

/// A power of two.
const SLOTS: usize = 128;

impl Keywords {
    fn of(scope: Scope) -> Self {
        let mut keywords = Self { slots: [None; SLOTS], starts_strict: [false; 256] };
        for parameter in scope_rows(scope) {
            for keyword in parameter.keywords {
                let packed = PackedWord::of(keyword.as_bytes()).expect("a keyword is short");
                let slot = packed.slots().find(|&slot| keywords.slots[slot].is_none());
                keywords.slots[slot.expect("there is room")] = Some((packed, parameter));
                keywords.starts_strict[usize::from(keyword.as_bytes()[0])] |= parameter.strict;
            }
        }
        keywords.starts_strict[usize::from(b'"')] = keywords.starts_strict.contains(&true);
        keywords
    }

    #[inline]
    fn find(&self, keyword: &[u8]) -> Option<&'static Parameter> {
        let packed = PackedWord::of(keyword)?;
        let known = packed.slots().map_while(|slot| self.slots[slot]);
        known.into_iter().find(|(known, _)| *known == packed).map(|(_, parameter)| parameter)
    }
}

/// A word of at most sixteen bytes in two numbers, which are compared faster than strings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PackedWord {
    length: usize,
    /// The first bytes and the last ones, which overlap where the word is not twice as long.
    ends: [u64; 2],
}

impl PackedWord {
    #[inline]
    fn of(bytes: &[u8]) -> Option<Self> {
        let ends = match bytes.len() {
            8..=16 => [bytes.first_chunk()?, bytes.last_chunk()?].map(|eight| u64::from_le_bytes(*eight)),
            4..=7 => [bytes.first_chunk()?, bytes.last_chunk()?].map(|four| u32::from_le_bytes(*four).into()),
            2 | 3 => [bytes.first_chunk()?, bytes.last_chunk()?].map(|two| u16::from_le_bytes(*two).into()),
            _ => return None,
        };
        Some(Self { length: bytes.len(), ends })
    }

    /// The slots to look at, in this order.
    #[inline]
    fn slots(self) -> impl Iterator<Item = usize> {
        let mixed = (self.ends[0] ^ self.ends[1].rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let first = (mixed >> 32) as usize;
        (0..SLOTS).map(move |step| (first + step) % SLOTS)
    }
}

/// The parameter with this JSON key.
pub fn by_key(scope: Scope, key: &str) -> Option<&'static Parameter> {
    scope_rows(scope).iter().find(|parameter| parameter.key == key)
}

/// Whether a foreign keyword gets an [`ESCAPE`] as a JSON key in `scope`.
pub fn is_reserved(scope: Scope, keyword: &str) -> bool {
    scope != Scope::Foreign
        && (keyword.starts_with(ESCAPE)
            || by_key(scope, keyword).is_some()
            || by_keyword(scope, keyword).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_scope_stand_together_and_keys_are_unique() {
        let runs: Vec<Scope> =
            PARAMETERS.chunk_by(|a, b| a.scope == b.scope).map(|rows| rows[0].scope).collect();
        for scope in SCOPES.into_iter().filter(|scope| *scope != Scope::Foreign) {
            assert_eq!(runs.iter().filter(|&&run| run == scope).count(), 1, "{scope:?}");
            let mut keys: Vec<_> = parameters(scope).map(|parameter| parameter.key).collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{scope:?}");
        }
    }

    #[test]
    fn every_row_is_documented_and_has_an_example_that_its_keyword_starts() {
        for parameter in PARAMETERS {
            assert!(!parameter.doc.is_empty(), "{}", parameter.key);
            if let Some(keyword) = parameter.keywords.first() {
                assert!(parameter.example.starts_with(keyword), "{}", parameter.key);
            }
        }
    }
}

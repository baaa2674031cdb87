//! Finding the row of a keyword or a JSON key.

use super::foreign::is_foreign_keyword;
use super::row::{DirectiveRole, Kind, Parameter, SCOPES, Scope};
use super::table::PARAMETERS;

/// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
pub const ESCAPE: char = '@';

/// The scope inside the block of an unknown directive with this many words behind its keyword.
pub fn block_scope(keyword: &str, words: usize) -> Scope {
    match keyword {
        "template" | "source" | "file" | "vod" if words == 1 => Scope::Template,
        _ => Scope::Foreign,
    }
}

/// The parameters that may stand in `scope`, in their order.
pub fn parameters(scope: Scope) -> impl Iterator<Item = &'static Parameter> {
    scope_rows(scope).iter()
}

fn scope_rows(scope: Scope) -> &'static [Parameter] {
    ROWS[scope as usize]
}

/// The rows of each scope, which stand together in the table.
static ROWS: [&[Parameter]; SCOPES.len()] = {
    let mut rows: [&[Parameter]; SCOPES.len()] = [&[]; SCOPES.len()];
    let mut start = 0;
    while start < PARAMETERS.len() {
        let scope = PARAMETERS[start].scope as usize;
        let mut end = start;
        while end < PARAMETERS.len() && PARAMETERS[end].scope as usize == scope {
            end += 1;
        }
        rows[scope] = PARAMETERS.split_at(end).0.split_at(start).1;
        start = end;
    }
    rows
};

/// The parameter that `keyword` is the text form of.
#[inline]
pub fn by_keyword(scope: Scope, keyword: impl AsRef<[u8]>) -> Option<&'static Parameter> {
    keywords(scope).find(keyword.as_ref())
}

/// The kind of the blocks with this keyword at the top level.
pub fn group_of(keyword: &str) -> Option<Kind> {
    by_keyword(Scope::Top, keyword)?.shape.group()
}

impl DirectiveRole {
    /// The JSON key of the row with this role; empty if no row of the scope has it.
    pub fn key(self, scope: Scope) -> &'static str {
        parameters(scope).find(|row| row.role == Some(self)).map_or("", |row| row.key)
    }

    /// The keywords of the rows with this role, of all scopes. Looks at the whole table.
    pub fn keywords(self) -> Vec<&'static str> {
        let rows = PARAMETERS.iter().filter(|row| row.role == Some(self));
        rows.flat_map(|row| row.keywords).copied().collect()
    }
}

/// True if a word is the keyword of a directive, known or well-known foreign, in any scope.
pub fn is_any_keyword(word: &str) -> bool {
    SCOPES.iter().any(|&scope| by_keyword(scope, word).is_some()) || is_foreign_keyword(word)
}

/// True if an entry that starts with `byte` may be one whose wrong form is an error.
///
/// This test sorts out nearly all entries of a large text.
pub fn may_be_strict(scope: Scope, byte: u8) -> bool {
    keywords(scope).starts_strict[usize::from(byte)]
}

fn keywords(scope: Scope) -> &'static Keywords {
    &KEYWORDS[scope as usize]
}

/// The keywords of each scope. The compiler fills them in, so that no command spends time on it when it
/// starts.
static KEYWORDS: [Keywords; SCOPES.len()] = {
    let mut keywords =
        [const { Keywords { slots: [None; SLOTS], starts_strict: [false; 256] } }; SCOPES.len()];
    let mut scope = 0;
    while scope < SCOPES.len() {
        let mut row = 0;
        while row < ROWS[scope].len() {
            keywords[scope].add(&ROWS[scope][row]);
            row += 1;
        }
        scope += 1;
    }
    keywords
};

/// The keywords of a scope: every entry of a text is looked up.
struct Keywords {
    /// A hash table with open addressing; more than half of it is empty.
    slots: [Option<(PackedWord, &'static Parameter)>; SLOTS],
    /// The bytes with which a strict keyword starts, the quote of a quoted one included.
    starts_strict: [bool; 256],
}

/// A power of two.
const SLOTS: usize = 64;

impl Keywords {
    const fn add(&mut self, parameter: &'static Parameter) {
        let mut at = 0;
        while at < parameter.keywords.len() {
            let keyword = parameter.keywords[at].as_bytes();
            let packed = PackedWord::pack(keyword).expect("a keyword is short");
            let mut slot = packed.slot();
            while self.slots[slot].is_some() {
                slot = (slot + 1) % SLOTS;
            }
            self.slots[slot] = Some((packed, parameter));
            self.starts_strict[keyword[0] as usize] |= parameter.strict;
            self.starts_strict[b'"' as usize] |= parameter.strict;
            at += 1;
        }
    }

    #[inline]
    fn find(&self, keyword: &[u8]) -> Option<&'static Parameter> {
        let packed = PackedWord::pack(keyword)?;
        let mut slot = packed.slot();
        while let Some((known, parameter)) = &self.slots[slot] {
            if *known == packed {
                return Some(parameter);
            }
            slot = (slot + 1) % SLOTS;
        }
        None
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
    const fn pack(bytes: &[u8]) -> Option<Self> {
        let length = bytes.len();
        let ends = if let (8..=16, Some(first), Some(last)) =
            (length, bytes.first_chunk(), bytes.last_chunk())
        {
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
        } else if let (4..=7, Some(first), Some(last)) = (length, bytes.first_chunk(), bytes.last_chunk()) {
            [u32::from_le_bytes(*first) as u64, u32::from_le_bytes(*last) as u64]
        } else if let (2 | 3, Some(first), Some(last)) = (length, bytes.first_chunk(), bytes.last_chunk()) {
            [u16::from_le_bytes(*first) as u64, u16::from_le_bytes(*last) as u64]
        } else {
            return None;
        };
        Some(Self { length, ends })
    }

    /// The slot to look at first; the others follow it.
    #[inline]
    const fn slot(self) -> usize {
        let mixed = (self.ends[0] ^ self.ends[1].rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }
}

/// The parameter with this JSON key.
pub fn by_key(scope: Scope, key: &str) -> Option<&'static Parameter> {
    scope_rows(scope).iter().find(|parameter| parameter.key == key)
}

/// True if a foreign keyword gets an [`ESCAPE`] as a JSON key in `scope`.
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
    fn a_keyword_leads_to_its_row() {
        for parameter in PARAMETERS {
            for keyword in parameter.keywords {
                let found = by_keyword(parameter.scope, keyword).expect("it is in the table");
                assert_eq!((found.scope, found.key), (parameter.scope, parameter.key));
                assert!(may_be_strict(parameter.scope, keyword.as_bytes()[0]) || !parameter.strict);
                assert!(by_keyword(Scope::Foreign, keyword).is_none(), "{keyword}");
            }
        }
        for unknown in
            ["", "h", "httq", "strea", "sstream", "cluster_keyy", "a word of more than sixteen bytes"]
        {
            assert!(by_keyword(Scope::Top, unknown).is_none(), "{unknown}");
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

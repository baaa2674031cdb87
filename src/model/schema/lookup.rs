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
pub fn by_keyword(scope: Scope, keyword: &str) -> Option<&'static Parameter> {
    keywords(scope).find(keyword)
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

/// The keywords of a scope by their first byte: every entry of a text is looked up.
struct Keywords {
    by_first_byte: [Vec<(&'static str, &'static Parameter)>; 256],
    /// The bytes with which a strict keyword starts, the quote of a quoted one included.
    starts_strict: [bool; 256],
}

impl Keywords {
    fn of(scope: Scope) -> Self {
        let mut by_first_byte = [const { Vec::new() }; 256];
        let mut starts_strict = [false; 256];
        for parameter in scope_rows(scope) {
            for keyword in parameter.keywords {
                let first = usize::from(keyword.as_bytes()[0]);
                by_first_byte[first].push((*keyword, parameter));
                starts_strict[first] |= parameter.strict;
            }
        }
        starts_strict[usize::from(b'"')] = starts_strict.contains(&true);
        Self { by_first_byte, starts_strict }
    }

    fn find(&self, keyword: &str) -> Option<&'static Parameter> {
        let first = *keyword.as_bytes().first()?;
        let candidates = &self.by_first_byte[usize::from(first)];
        candidates.iter().find(|(known, _)| *known == keyword).map(|(_, parameter)| *parameter)
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

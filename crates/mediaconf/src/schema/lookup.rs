//! Finding the row of a keyword or a JSON key.

use super::foreign::{ForeignForm, ForeignKeyword};
use super::forms::DirectiveRole;
use super::row::{Kind, Parameter, Schema, Scope};

/// Put in front of an unknown keyword as a JSON key if it would collide with a known key.
pub const ESCAPE: char = '@';

impl Scope {
    /// The parameter that `keyword` is the text form of.
    pub fn by_keyword(self, keyword: &str) -> Option<&'static Parameter> {
        self.0.rows.iter().find(|row| row.keywords.contains(&keyword))
    }

    /// The parameter with this JSON key.
    pub fn by_key(self, key: &str) -> Option<&'static Parameter> {
        self.0.rows.iter().find(|parameter| parameter.key == key)
    }

    /// True if a foreign keyword gets an [`ESCAPE`] as a JSON key here.
    pub fn is_reserved(self, keyword: &str) -> bool {
        !self.is_unknown()
            && (keyword.starts_with(ESCAPE)
                || self.by_key(keyword).is_some()
                || self.by_keyword(keyword).is_some())
    }

    /// True if a foreign directive may stand here.
    pub fn may_hold(self, row: &ForeignKeyword) -> bool {
        self.0.foreign_of.is_some_and(|block| row.stands_in(block))
    }
}

impl Schema {
    /// The parameter with this JSON key in `scope`, which is one of this schema.
    pub fn by_key(&self, scope: Scope, key: &str) -> Option<&'static Parameter> {
        scope.by_key(key)
    }

    /// The scope inside the block of an unknown directive with this many words behind its keyword.
    pub fn block_scope(&self, keyword: &str, words: usize) -> Scope {
        let known = self.blocks.iter().find(|(known, _)| words == 1 && *known == keyword);
        known.map_or(self.unknown(), |(_, scope)| *scope)
    }

    /// The kind of the blocks with this keyword at the top level.
    pub fn group_of(&self, keyword: &str) -> Option<Kind> {
        self.top().by_keyword(keyword)?.shape.group()
    }

    /// True if a directive with this keyword may have a block.
    pub fn may_open_block(&self, keyword: &str) -> bool {
        self.group_of(keyword).is_some() || self.foreign(keyword).is_some_and(|row| row.is_block())
    }

    /// True if a word is the keyword of a directive, known or well-known foreign, in any scope.
    pub fn is_any_keyword(&self, word: &str) -> bool {
        self.scopes.iter().any(|scope| scope.by_keyword(word).is_some()) || self.is_foreign_keyword(word)
    }

    /// The foreign directive with this keyword.
    pub fn foreign(&self, keyword: &str) -> Option<&'static ForeignKeyword> {
        let rows = || self.foreign.iter().flat_map(|row| row.keywords.iter().map(move |word| (*word, row)));
        self.foreign_rows.get_or_init(|| rows().collect()).get(keyword).copied()
    }

    /// True if others of this family of servers know a directive with this keyword.
    pub fn is_foreign_keyword(&self, keyword: &str) -> bool {
        self.foreign(keyword).is_some()
    }

    /// True if each line of a directive with this keyword is a value of its own, which the general rule shows
    /// as an element of a list.
    pub fn repeats(&self, keyword: &str) -> bool {
        let has_lines = |row: &ForeignKeyword| matches!(row.form, ForeignForm::Words | ForeignForm::Pairs);
        // The last two are sources where no row says so.
        self.foreign(keyword).is_some_and(|row| row.repeats && has_lines(row))
            || matches!(keyword, "url" | "input")
    }

    /// True if lines of a directive with this keyword, `k NAME VALUE;`, may be given by name.
    pub fn has_names(&self, keyword: &str) -> bool {
        self.has_form(keyword, ForeignForm::Pairs)
    }

    /// True if a directive with this keyword has no words: false takes it away.
    pub fn is_flag(&self, keyword: &str) -> bool {
        self.has_form(keyword, ForeignForm::Flag)
    }

    /// True if blocks with this keyword have names, which differ; those of web servers are told apart by more.
    pub fn has_named_blocks(&self, keyword: &str) -> bool {
        let is_named = |row: &ForeignKeyword| row.form == ForeignForm::Named && !row.stands_in("server");
        self.foreign(keyword).is_some_and(is_named)
    }

    fn has_form(&self, keyword: &str, form: ForeignForm) -> bool {
        self.foreign(keyword).is_some_and(|row| row.form == form)
    }
}

impl DirectiveRole {
    /// The JSON key of the row with this role; empty if no row of the scope has it.
    pub fn key(self, scope: Scope) -> &'static str {
        scope.rows().find(|row| row.role == Some(self)).map_or("", |row| row.key)
    }

    /// The keywords of the rows with this role, of all scopes. Looks at the whole table.
    pub fn keywords(self) -> Vec<&'static str> {
        let rows = Schema::media().rows().filter(|row| row.role == Some(self));
        rows.flat_map(|row| row.keywords).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::media::{TOP, UNKNOWN};

    #[test]
    fn keys_of_a_scope_are_unique_and_its_rows_know_their_places() {
        for scope in Schema::media().scopes {
            let mut keys: Vec<_> = scope.rows().map(|row| row.key).collect();
            assert!(
                scope
                    .rows()
                    .enumerate()
                    .all(|(at, row)| usize::from(row.number) == at && row.scope == *scope)
            );
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{scope:?}");
        }
    }

    #[test]
    fn a_keyword_leads_to_its_row() {
        for parameter in Schema::media().rows() {
            for keyword in parameter.keywords {
                let found = parameter.scope.by_keyword(keyword).expect("it is in the table");
                assert_eq!((found.scope, found.key), (parameter.scope, parameter.key));
                assert!(UNKNOWN.by_keyword(keyword).is_none(), "{keyword}");
            }
        }
        for unknown in
            ["", "h", "httq", "strea", "sstream", "cluster_keyy", "a word of more than sixteen bytes"]
        {
            assert!(TOP.by_keyword(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn every_row_is_documented_and_has_an_example_that_its_keyword_starts() {
        for parameter in Schema::media().rows() {
            assert!(!parameter.doc.is_empty(), "{}", parameter.key);
            if let Some(keyword) = parameter.keywords.first() {
                assert!(parameter.example.starts_with(keyword), "{}", parameter.key);
            }
        }
    }
}

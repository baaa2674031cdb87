//! Recognises the names that stand before a secret, by the tables of the schema.

use crate::model::schema::{ACCOUNT, SECRET_ENDINGS, SECRET_NAMES, Scope, Shape, by_keyword};
use crate::model::suggest::nearest;

/// Misspellings are recognised of names in the table that are longer than this, and of these names.
const LONG_ENOUGH: usize = 4;
const MORE_NAMES: [&str; 5] = ["cluster_key", "edit_auth", "view_auth", "private_key", "api_key"];

/// The directive that sends a stream to another server.
const PUSH: &str = "push";

/// Behind the names of members that repeat a global value.
const GLOBAL: &str = "_global";

/// How much of a word is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// The parts that their form gives away: userinfo, `password=…`.
    Parts,
    /// These parts, and the key at the end of an RTMP address.
    Push,
    /// The whole word.
    Whole,
}

impl Secrecy {
    /// The secrecy of the words behind a keyword, or of the value of an option or member with this name.
    pub fn of(name: &str) -> Self {
        Self::Parts.behind(name)
    }

    /// The secrecy of words behind or below `word`, which has this secrecy itself.
    #[must_use]
    pub fn behind(self, word: &str) -> Self {
        match self {
            Self::Whole => Self::Whole,
            _ if names_secret(word) => Self::Whole,
            _ if word.eq_ignore_ascii_case(PUSH) => Self::Push,
            other => other,
        }
    }
}

fn names_secret(word: &str) -> bool {
    is_secret_name(word) || is_account(word) || is_nearly_secret_name(word)
}

/// Whether the value of an option, a directive, a query parameter or a member of this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.strip_suffix(GLOBAL).unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name).as_bytes();
    let is_known = SECRET_NAMES.iter().any(|known| is_same(last, known))
        || SECRET_ENDINGS.iter().any(|ending| {
            last.len().checked_sub(ending.len()).is_some_and(|at| is_same(&last[at..], ending))
        });
    is_known && name.bytes().all(is_name_byte)
}

/// Whether a name may hold this byte.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_same(name: &[u8], known: &str) -> bool {
    let folded = |byte: &u8| if *byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    name.len() == known.len() && name.iter().map(folded).eq(known.bytes())
}

/// Whether the words behind this keyword are a login and a password.
pub fn is_account(keyword: &str) -> bool {
    by_keyword(Scope::Top, keyword).is_some_and(|parameter| parameter.shape == Shape::Object(&ACCOUNT))
}

/// Whether an unknown keyword is a slip of one whose value is a secret.
fn is_nearly_secret_name(keyword: &str) -> bool {
    let known = SECRET_NAMES.iter().chain(&MORE_NAMES).copied();
    nearest(keyword, known.filter(|known| known.len() > LONG_ENOUGH)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::schema::{FOREIGN_KEYWORDS, PARAMETERS};

    #[test]
    fn the_table_of_secret_names_counts_without_case_and_by_the_last_part() {
        for name in SECRET_NAMES {
            assert!(is_secret_name(name), "{name}");
            assert!(is_secret_name(&name.to_uppercase()), "{name}");
            assert!(is_secret_name(&name.replace('_', "-")), "{name}");
            assert!(is_secret_name(&format!("header.{name}")), "{name}");
        }
        for name in ["api_key", "X-Api-Key", "access_token", "client-secret", "smtp_password", "a.b.drm_key"]
        {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_no_secrets() {
        for name in [
            "",
            "region",
            "keyframe",
            "ivr",
            "keys",
            "monkey",
            "pass1",
            "bypass",
            "passive",
            "tokens",
            "secretary",
            "licensed",
            "key.id",
            "/etc/ssl/server.key",
            "a=b_key",
            "user",
            "login",
            "psks",
            "encrypt_keys",
            "_keys",
            "author",
            "compass",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    fn names_secret_exactly(keyword: &str) -> bool {
        is_secret_name(keyword) || is_account(keyword)
    }

    #[test]
    fn no_known_keyword_is_taken_for_a_slip_of_a_secret_one() {
        let own = PARAMETERS.iter().flat_map(|parameter| parameter.keywords);
        for keyword in own.chain(FOREIGN_KEYWORDS).filter(|keyword| !names_secret_exactly(keyword)) {
            assert!(!is_nearly_secret_name(keyword), "{keyword}");
        }
        for keyword in ["pasword", "clusterkey", "tokn", "edit_aut", "licence", "passphrse"] {
            assert_eq!(Secrecy::of(keyword), Secrecy::Whole, "{keyword}");
        }
    }
}

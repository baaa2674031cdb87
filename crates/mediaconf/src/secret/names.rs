//! Recognises the names that stand before a secret, by the tables of the schema.

use std::borrow::Cow;
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;

use crate::schema::suggest::nearest;
use crate::schema::{ACCOUNT, SECRET_ENDINGS, SECRET_KEYS, SECRET_WORDS, Schema};

/// Misspellings are recognised of names in the tables that are longer than this, and of these names.
const LONG_ENOUGH: usize = 4;
const MORE_NAMES: [&str; 2] = ["private_key", "api_key"];

/// The directive that sends a stream to another server.
const PUSH: &str = "push";

/// Behind the names of members that repeat a global value.
const GLOBAL: &str = "_global";

/// Around the parts of a name.
const BRACKETS: [char; 2] = ['[', ']'];

/// No name in the tables is longer, with a slip.
const LONGEST_NAME: usize = 32;

/// Options of programs whose value is a login and a password.
pub const LOGIN_OPTIONS: [&str; 3] = ["-u", "--user", "--proxy-user"];

/// The keywords whose words are secrets.
struct Keywords {
    /// Those of which a slip is recognised, with other names.
    with_slips: Vec<&'static str>,
    /// Those with a login and a password.
    accounts: Vec<&'static str>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let rows = || Schema::media().rows();
    let secret = rows().filter(|row| row.secret).flat_map(|row| row.keywords);
    let known = SECRET_WORDS.iter().chain(&MORE_NAMES).chain(secret).copied();
    let accounts =
        rows().filter(|row| row.codec.facts().object == Some(&ACCOUNT)).flat_map(|row| row.keywords);
    Keywords {
        with_slips: known.filter(|known| known.len() > LONG_ENOUGH).collect(),
        accounts: accounts.copied().collect(),
    }
});

/// The part of a word that is a secret.
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
    pub fn from_name(name: &str) -> Self {
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

/// What the words of a directive so far say of the next one.
#[derive(Debug, Clone, Copy)]
pub struct WordReader {
    /// The secrecy of the next word.
    pub secrecy: Secrecy,
    is_first: bool,
    is_login: bool,
    /// The second half of the name of which the last word is the first: `auth` behind `edit`.
    second_half: Option<&'static str>,
}

impl WordReader {
    /// Inside of a directive none of whose words names a secret.
    pub const INSIDE: Self =
        Self { secrecy: Secrecy::Parts, is_first: false, is_login: false, second_half: None };

    /// At the start of a directive; `secrecy` is that of the block around it.
    pub fn new(secrecy: Secrecy) -> Self {
        Self { secrecy, is_first: true, ..Self::INSIDE }
    }

    /// True if the last word and this one are the name of an account: `edit auth`.
    pub fn is_completed_by(&self, word: &str) -> bool {
        self.second_half.is_some_and(|half| word.eq_ignore_ascii_case(half))
    }

    /// Returns the secrecy of the next word, and goes on behind it.
    pub fn next(&mut self, word: &str) -> Secrecy {
        let is_login = self.is_login && word.contains(':');
        let own = if is_login { Secrecy::Whole } else { self.secrecy };
        let is_whole = self.is_completed_by(word)
            || glued_name(word).is_some_and(|end| self.is_first || is_account(trimmed_start(&word[..end])));
        self.secrecy = if is_whole { Secrecy::Whole } else { self.secrecy.behind(word) };
        self.second_half = second_half(word);
        self.is_login = LOGIN_OPTIONS.contains(&word);
        self.is_first = false;
        own
    }
}

/// The second half of the keyword of an account that is written as two words.
fn second_half(word: &str) -> Option<&'static str> {
    let halves = KEYWORDS.accounts.iter().filter_map(|keyword| keyword.split_once('_'));
    halves.into_iter().find(|(first, _)| word.eq_ignore_ascii_case(first)).map(|(_, second)| second)
}

/// The end of the name of a secret that a word begins with, where the name and its value are glued: `password:…`,
/// `edit_auth=…`, or a blank between them that was copied from a page.
pub fn glued_name(word: &str) -> Option<usize> {
    let start = word.len() - trimmed_start(word).len();
    let end = start + word[start..].bytes().take_while(|byte| is_name_byte(*byte)).count();
    let (name, rest) = (&word[start..end], &word[end..]);
    let is_glued = rest.starts_with(|c: char| matches!(c, ':' | '=') || is_no_blank(c));
    let is_address = rest.starts_with("://");
    (is_glued && !is_address && (is_secret_name(name) || is_account(name))).then_some(end)
}

fn names_secret(word: &str) -> bool {
    let word = trimmed_start(word).trim_end_matches(|c: char| matches!(c, ':' | '=') || is_no_blank(c));
    if is_secret_name(word) {
        return true;
    }
    // The name itself, a name of a directive in any case, or a slip of one.
    let name = word.trim_matches(|c: char| c.is_ascii_punctuation());
    let is_name = (LONG_ENOUGH..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_name_byte);
    is_name
        && ((name.len() < word.len() && is_secret_name(name))
            || is_account(name)
            || is_nearly_secret_name(&small(name)))
}

fn small(word: &str) -> Cow<'_, str> {
    match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Borrowed(word),
    }
}

/// True for a character that looks like a blank, or like nothing, and is none of the language's.
pub fn is_no_blank(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        || (!matches!(c, ' ' | '\t' | '\r' | '\n') && (c.is_whitespace() || c.is_control()))
}

/// The word from its first character that is to be seen.
pub fn trimmed_start(word: &str) -> &str {
    word.trim_start_matches(is_no_blank)
}

/// True if the value of an option, a directive, a query parameter, a header or a member of this name is a
/// secret.
///
/// It is by the last word of the name, behind `_`, `-`, `.` or the change from a small letter to a capital; or by
/// the end of the part behind the last `.`. Case does not count, and neither do digits and separators at the end. Of
/// `user[password]` and `token[]` each part counts, and `%74oken` is what it means.
pub fn is_secret_name(name: &str) -> bool {
    name.bytes().all(is_key_byte) && meant(name).split(BRACKETS).any(is_secret_part)
}

/// True if the value behind a key of a query is a secret: `auth=` is one there, and a directive is not.
pub fn is_secret_key(key: &str) -> bool {
    is_secret_name(key) || SECRET_KEYS.iter().any(|known| meant(key).eq_ignore_ascii_case(known))
}

fn is_secret_part(name: &str) -> bool {
    if !name.bytes().all(is_name_byte) {
        return false;
    }
    let name = name.strip_suffix(GLOBAL).unwrap_or(name);
    let name = name.rsplit('.').next().unwrap_or(name).as_bytes();
    let name = without_number(name);
    let last = last_word(name);
    SECRET_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word.as_bytes()))
        || SECRET_ENDINGS.iter().any(|ending| ends_with(name, ending.as_bytes()))
}

/// Decodes the percent signs of a name.
pub fn meant(name: &str) -> Cow<'_, str> {
    percent_decode_str(name).decode_utf8_lossy()
}

/// The name without the digits and the separators that it ends in: `password` for `password_2`.
fn without_number(name: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| !byte.is_ascii_digit() && !is_separator(*byte);
    &name[..name.iter().rposition(is_kept).map_or(0, |last| last + 1)]
}

fn last_word(name: &[u8]) -> &[u8] {
    let starts_word = |at: &usize| match (name[at - 1], name[*at]) {
        (before, _) if is_separator(before) => true,
        (before, b'A'..=b'Z') => {
            !before.is_ascii_uppercase() || name.get(at + 1).is_some_and(u8::is_ascii_lowercase)
        }
        _ => false,
    };
    &name[(1..name.len()).rev().find(starts_word).unwrap_or(0)..]
}

/// True if a name without its separators ends with `ending`, in small letters.
fn ends_with(name: &[u8], ending: &[u8]) -> bool {
    let mut letters = name.iter().rev().filter(|byte| !is_separator(**byte)).map(u8::to_ascii_lowercase);
    ending.iter().rev().all(|wanted| letters.next() == Some(*wanted))
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-')
}

/// True if a name may hold this byte.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// True if a name may hold this byte where it is the key of a query: `token[0]`, `%74oken`.
pub fn is_key_byte(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b'[' | b']' | b'%')
}

/// True if the words behind this keyword, in any case, are a login and a password.
pub fn is_account(keyword: &str) -> bool {
    KEYWORDS.accounts.iter().any(|known| keyword.eq_ignore_ascii_case(known))
}

/// True if an unknown keyword is a slip of one whose value is a secret.
fn is_nearly_secret_name(keyword: &str) -> bool {
    nearest(keyword, KEYWORDS.with_slips.iter().copied()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::FOREIGN_KEYWORDS;

    #[test]
    fn a_name_is_secret_by_its_last_word_or_its_end() {
        for word in SECRET_WORDS {
            let capital = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
            for name in [
                (*word).to_owned(),
                word.to_uppercase(),
                capital.clone(),
                format!("header.{word}"),
                format!("db_{word}"),
                format!("X-Amz-{capital}"),
                format!("client{capital}"),
                format!("APP{capital}"),
                format!("{word}1"),
                format!("{word}_2"),
                format!("{word}_global"),
            ] {
                assert!(is_secret_name(&name), "{name}");
            }
        }
        for ending in SECRET_ENDINGS {
            assert!(is_secret_name(&format!("my{}", ending.to_uppercase())), "{ending}");
        }
        for name in [
            "apiKey",
            "accessToken",
            "clientSecret",
            "authToken",
            "userPassword",
            "x_passwd",
            "pass_phrase",
            "jwt",
            "X-Amz-Signature",
            "sessionid",
            "session_id",
            "PHPSESSID",
            "dbpass",
            "mysql_pwd",
            "access_key_id",
            "aws_access_key_id",
            "aws_session_token",
            "Set-Cookie",
            "APIKEY",
            "APIKey2",
            "authtoken",
            "a.b.drm_key",
            "CURLOPT_USERPWD",
            "userpwd",
            "Signature_",
            "secretKeyBase",
            "tokens",
            "door-PIN",
            "x_hmac",
            "%74oken",
            "token%5B%5D",
            "token[]",
            "token[0]",
            "user[password]",
        ] {
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
            "bypass",
            "passive",
            "tokenize",
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
            "tokenUrl",
            "key_id",
            "cookies",
            "password_file",
            "signature-version",
            "hotkeys2",
            "auth",
            "sid",
            "pine",
            "signal",
            "100%key",
            "%6Beyframe",
            "/[token]/",
            "[]",
            "_",
            "7",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    fn names_secret_exactly(keyword: &str) -> bool {
        is_secret_name(keyword) || is_account(keyword)
    }

    #[test]
    fn no_known_keyword_is_taken_for_a_slip_of_a_secret_one() {
        let own = Schema::media().rows().flat_map(|parameter| parameter.keywords);
        let foreign = FOREIGN_KEYWORDS.iter().flat_map(|row| row.keywords);
        for keyword in own.chain(foreign).filter(|keyword| !names_secret_exactly(keyword)) {
            assert!(!is_nearly_secret_name(keyword), "{keyword}");
        }
        for row in FOREIGN_KEYWORDS.iter().filter(|row| row.secret) {
            assert!(row.keywords.iter().all(|keyword| is_secret_name(keyword)), "{}", row.keyword());
        }
        for keyword in ["pasword", "clusterkey", "tokn", "edit_aut", "licence", "passphrse"] {
            assert_eq!(Secrecy::from_name(keyword), Secrecy::Whole, "{keyword}");
        }
    }
}

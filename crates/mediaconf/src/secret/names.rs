//! Recognises the names that stand before a secret, by the tables of the schema.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;

use super::values::is_one_of;
use crate::schema::{DirectiveRole, SECRET_ENDINGS, SECRET_KEYS, SECRET_WORDS, Schema, Spelled};

/// Options of programs whose value is a login and a password.
pub const LOGIN_OPTIONS: [&str; 3] = ["-u", "--user", "--proxy-user"];

/// The characters between the words of a name.
const SEPARATORS: [char; 2] = ['_', '-'];

/// No name in the tables is longer, with a slip.
const LONGEST_NAME: usize = 32;

/// The keywords whose words are a login and a password.
static ACCOUNTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| [DirectiveRole::Editor, DirectiveRole::Viewer].map(DirectiveRole::keywords).concat());

/// The halves of those that are two words.
static HALVES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| ACCOUNTS.iter().filter_map(|keyword| keyword.split_once('_')).collect());

/// The words, and the ends, that make a name that of a secret.
static SECRET_NAMES: LazyLock<[Vec<&str>; 2]> =
    LazyLock::new(|| [SECRET_WORDS, SECRET_ENDINGS].map(|list| list.split(' ').collect()));

/// True for the last two letters of the words and endings that make a name that of a secret, and for few others.
static LAST_LETTERS: LazyLock<[bool; 1024]> = LazyLock::new(|| {
    let mut table = [false; 1024];
    SECRET_NAMES.iter().flatten().for_each(|name| table[last_letters(name)] = true);
    table
});

/// The names of which a slip is recognised: shorter ones are near too many words.
static NAMES: LazyLock<Vec<Spelled<'_>>> = LazyLock::new(|| {
    let rows = Schema::rows().filter(|row| row.secret).flat_map(|row| row.keywords);
    let names = SECRET_WORDS.split(' ').chain(["private_key", "api_key"]).chain(rows.copied());
    names.filter(|name| name.len() > 4).map(Spelled::new).collect()
});

/// The part of a word that is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Secrecy {
    /// The parts that their form gives away: userinfo, `password=…`.
    Parts,
    /// These parts, and the key at the end of an RTMP address.
    Push,
    /// The whole word behind a name such as `admin_auth`, unless it says where or whether to ask.
    Account,
    /// The whole word.
    Whole,
}

impl Secrecy {
    /// The secrecy of the words behind a keyword, or of the value of an option or member with this name.
    pub fn from_name(name: &str) -> Self {
        Self::Parts.behind(name)
    }

    /// The secrecy of words behind or below `word`, which has this secrecy itself.
    fn behind(self, word: &str) -> Self {
        match self {
            _ if self == Self::Whole || names_secret(word) => Self::Whole,
            // What asks a backend has its address in the place of a login.
            Self::Account if word.contains("://") => Self::Parts,
            _ if self == Self::Account || is_other_account(word) => Self::Account,
            // The directive that sends a stream to another server.
            _ if is_push(word.trim_end_matches(ends_name)) => Self::Push,
            other => other,
        }
    }

    /// True if it hides a whole word.
    pub fn hides(self, word: &str) -> bool {
        let is_open = || word.contains("://") || word.starts_with('/') || is_one_of(SWITCHES, word);
        self == Self::Whole || self == Self::Account && !is_open()
    }
}

/// Words behind the name of an account that are no account.
const SWITCHES: &str = "on off true false yes no none basic digest";

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
    pub const INSIDE: Self = Self { is_first: false, ..Self::new(Secrecy::Parts) };

    /// At the start of a directive; `secrecy` is that of the block around it.
    pub const fn new(secrecy: Secrecy) -> Self {
        Self { secrecy, is_first: true, is_login: false, second_half: None }
    }

    /// True if the last word and this one are the name of an account: `edit auth`.
    pub fn is_completed_by(&self, word: &str) -> bool {
        self.second_half.is_some_and(|half| word.eq_ignore_ascii_case(half))
    }

    /// Returns the secrecy of the next word, and goes on behind it.
    pub fn next(&mut self, word: &str) -> Secrecy {
        let own = self.last(word);
        let is_named = self.is_completed_by(word)
            || glued_name(word).is_some_and(|(name, _)| self.is_first || is_account(name));
        let half = HALVES.iter().find(|(first, _)| word.eq_ignore_ascii_case(first));
        *self = Self {
            secrecy: if is_named { Secrecy::Whole } else { self.secrecy.behind(word) },
            is_first: false,
            is_login: LOGIN_OPTIONS.contains(&word),
            second_half: half.map(|(_, second)| *second),
        };
        own
    }

    /// Returns the secrecy of the next word, if none is behind it.
    pub fn last(&self, word: &str) -> Secrecy {
        match self.secrecy {
            _ if self.is_login && word.contains(':') => Secrecy::Whole,
            Secrecy::Account if self.is_first => Secrecy::Parts,
            secrecy => secrecy,
        }
    }

    /// Goes on behind a word.
    #[must_use]
    pub fn behind(mut self, word: &str) -> Self {
        self.next(word);
        self
    }
}

/// The name of a secret that a word begins with, and what is glued to it: `password:…`, `edit_auth=…`, or a blank
/// between them that was copied from a page.
pub fn glued_name(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_start_matches(is_no_blank);
    let (name, rest) = word.split_at(word.bytes().take_while(|byte| is_name_byte(*byte)).count());
    let is_glued = rest.starts_with(ends_name) && !rest.starts_with("://");
    let hides = || Secrecy::from_name(name).hides(rest.trim_start_matches(ends_name));
    (is_glued && (is_secret_name(name) || is_account(name) || hides())).then_some((name, rest))
}

/// True for what may stand between a name and its value in one word.
pub fn ends_name(c: char) -> bool {
    matches!(c, ':' | '=') || is_no_blank(c)
}

/// The name that a word of a line begins with, behind any quotes or brackets, or that of a header at its end.
pub fn leading_name(word: &str) -> &str {
    let word = header_name(word).trim_start_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let len = word.bytes().take_while(|byte| is_name_byte(*byte)).count();
    word[..len].trim_end_matches('.')
}

/// The name at the end of `header=Authorization:`; any other word as it is.
fn header_name(word: &str) -> &str {
    if word.ends_with(':') { word.rsplit(['=', ' ']).next().unwrap_or(word) } else { word }
}

/// True for the name of the directive that sends a stream to another server, and for slips of it.
pub fn is_push(name: &str) -> bool {
    let is_slip = || Spelled::new(&name.to_ascii_lowercase()).slips(Spelled::new("push")).is_some();
    name.starts_with(['p', 'P']) && name.len() < 6 && (name.eq_ignore_ascii_case("push") || is_slip())
}

fn names_secret(word: &str) -> bool {
    let word = header_name(word).trim_start_matches(is_no_blank).trim_end_matches(ends_name);
    // The name itself, a name of a directive in any case, or a slip of one.
    let name = word.trim_matches(|c: char| c.is_ascii_punctuation());
    let is_name = (4..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_name_byte);
    is_secret_name(word)
        || (is_name && ((name != word && is_secret_name(name)) || is_account(name) || is_slip(name)))
}

thread_local! {
    /// The last name of each length that was asked for, and whether it is a slip: most names stand there again and again.
    static ASKED: RefCell<Vec<(String, bool)>> = RefCell::new(vec![Default::default(); LONGEST_NAME + 1]);
}

/// True if a name is one of a secret with a slip, in any case.
fn is_slip(name: &str) -> bool {
    ASKED.with_borrow_mut(|asked| {
        let (known, is_slip) = &mut asked[name.len()];
        if known != name {
            name.clone_into(known);
            let lower = name.to_ascii_lowercase();
            let name = Spelled::new(&lower);
            *is_slip = NAMES.iter().any(|known| name.slips(*known).is_some());
        }
        *is_slip
    })
}

/// True for a character that looks like a blank, or like nothing, and is none of the language's.
fn is_no_blank(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        || (!matches!(c, ' ' | '\t' | '\r' | '\n') && (c.is_whitespace() || c.is_control()))
}

/// True if the value of an option, a directive, a query parameter, a header or a member of this name is a
/// secret.
///
/// It is by the last word of the name, behind `_`, `-`, `.` or the change from a small letter to a capital; or by
/// the end of the part behind the last `.`. Case does not count, and neither do digits and separators at the end. Of
/// `user[password]` and `token[]` each part counts, and `%74oken` is what it means.
pub fn is_secret_name(name: &str) -> bool {
    match name.bytes().all(is_name_byte) {
        true => is_secret_part(name),
        false => name.bytes().all(is_key_byte) && meant(name).split(['[', ']']).any(is_secret_part),
    }
}

/// True if the value behind a key of a query is a secret: `auth=` is one there, and a directive is not.
pub fn is_secret_key(key: &str) -> bool {
    is_secret_name(key) || is_one_of(SECRET_KEYS, &meant(key))
}

fn is_secret_part(name: &str) -> bool {
    // Members that repeat a global value have this end.
    let name = name.strip_suffix("_global").unwrap_or(name);
    // Most names do not end like one of a secret.
    if !LAST_LETTERS[last_letters(name)] || !name.bytes().all(is_name_byte) {
        return false;
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit() || SEPARATORS.contains(&c));
    let word = last_word(last);
    let has_end = |end: &&str| {
        let letters = last.bytes().rev().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(|byte| byte.to_ascii_lowercase()).take(end.len()).eq(end.bytes().rev())
    };
    let [words, endings] = &*SECRET_NAMES;
    words.iter().any(|known| word.eq_ignore_ascii_case(known)) || endings.iter().any(has_end)
}

/// The place of the last two letters of a name in a table; digits and separators behind and between them do not count.
fn last_letters(name: &str) -> usize {
    let is_separator = |byte: &u8| matches!(byte, b'_' | b'-');
    let letters = name.bytes().rev().skip_while(|byte| byte.is_ascii_digit() || is_separator(byte));
    let mut letters = letters.filter(|byte| !is_separator(byte)).map(|byte| usize::from(byte & 31));
    letters.next().unwrap_or_default() << 5 | letters.next().unwrap_or_default()
}

/// The last word of a name. A word begins behind a separator, or with a capital behind or in front of a small letter.
fn last_word(name: &str) -> &str {
    let is_capital = |at: usize| name.as_bytes().get(at).is_none_or(u8::is_ascii_uppercase);
    let starts_word = |&at: &usize| {
        name[..at].ends_with(SEPARATORS) || is_capital(at) && !(is_capital(at - 1) && is_capital(at + 1))
    };
    &name[(1..name.len()).rfind(starts_word).unwrap_or(0)..]
}

/// Decodes the percent signs of a name.
pub fn meant(name: &str) -> Cow<'_, str> {
    if name.contains('%') { percent_decode_str(name).decode_utf8_lossy() } else { Cow::Borrowed(name) }
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
    ACCOUNTS.iter().any(|known| keyword.eq_ignore_ascii_case(known))
}

/// True for the name of a directive of another server that may have a login and a password: `admin_auth`, `auth-basic`.
pub fn is_other_account(keyword: &str) -> bool {
    keyword.contains(SEPARATORS)
        && keyword.bytes().all(is_name_byte)
        && keyword.split(['_', '-']).any(|part| part.eq_ignore_ascii_case("auth"))
        && !Schema::has_named_blocks(keyword)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::FOREIGN_KEYWORDS;

    #[test]
    fn a_name_is_secret_by_its_last_word_or_its_end() {
        for word in SECRET_WORDS.split(' ') {
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
        for ending in SECRET_ENDINGS.split(' ') {
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
        let own = Schema::rows().flat_map(|parameter| parameter.keywords);
        let foreign = FOREIGN_KEYWORDS.iter().flat_map(|row| row.keywords);
        for keyword in own.chain(foreign).filter(|keyword| !names_secret_exactly(keyword)) {
            assert!(!names_secret(keyword), "{keyword}");
        }
        for row in FOREIGN_KEYWORDS.iter().filter(|row| row.secret) {
            assert!(row.keywords.iter().all(|keyword| is_secret_name(keyword)), "{}", row.keyword());
        }
        for keyword in ["pasword", "clusterkey", "tokn", "edit_aut", "licence", "passphrse"] {
            assert_eq!(Secrecy::from_name(keyword), Secrecy::Whole, "{keyword}");
        }
    }
}

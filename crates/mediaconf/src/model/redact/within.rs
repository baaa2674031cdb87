//! Finds the secrets within a secret: the token of a header, a cookie's value, the password behind a login.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::model::secret::{Secrecy, is_name_byte, word_parts};

/// The names of the schemes that headers have in front of credentials.
const SCHEMES: [&str; 9] =
    ["apikey", "aws4-hmac-sha256", "basic", "bearer", "digest", "negotiate", "ntlm", "oauth", "token"];

/// The attributes of cookies and the parameters of `Digest` and the like whose values are no secrets.
const OPEN_NAMES: [&str; 16] = [
    "algorithm",
    "charset",
    "domain",
    "expires",
    "max-age",
    "nc",
    "path",
    "priority",
    "qop",
    "realm",
    "samesite",
    "scope",
    "signedheaders",
    "uri",
    "userhash",
    "username",
];

/// The beginning of a `streamid` of SRT, in which only some names are those of secrets.
const STREAM_ID: &str = "#!::";

/// Reads base64 with and without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// True if a secret is a word of any text, and so can't be found by its value.
pub fn is_ordinary(value: &str) -> bool {
    SCHEMES.iter().chain(&["true", "false"]).any(|word| value.eq_ignore_ascii_case(word))
}

/// Returns the secrets that a secret consists of; each may consist of more.
pub fn secrets_within(value: &str) -> Vec<String> {
    let by_form = word_parts(value, Secrecy::Parts).into_iter().map(|part| value[part].to_owned());
    let mut found: Vec<String> = by_form.collect();
    if !value.starts_with(STREAM_ID) {
        let behind = [behind_login(value), behind_scheme(value)].into_iter().flatten();
        found.extend(behind.chain(pairs(value)).map(str::to_owned));
        found.extend(from_base64(value).filter(|meant| meant.contains(':')));
    }
    found
}

/// Decodes base64 of either alphabet, if it is text.
pub fn from_base64(word: &str) -> Option<String> {
    let word = word.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let meant = String::from_utf8(BASE64.decode(word).ok()?).ok()?;
    (!meant.contains(char::is_control)).then_some(meant)
}

/// The password of `login:password`.
fn behind_login(value: &str) -> Option<&str> {
    value.split_once(':').map(|(_, password)| password)
}

/// The token of `Bearer TOKEN`, the parameters of `Digest …`. A scheme that is not known has a token that no
/// sentence has: two words of small letters are a password.
fn behind_scheme(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim_start().split_once(' ')?;
    let rest = rest.trim();
    let is_token = || !rest.contains(char::is_whitespace) && rest.contains(|c: char| !c.is_lowercase());
    (is_ordinary(scheme) || (scheme.bytes().all(is_name_byte) && is_token())).then_some(rest)
}

/// The values of `name=value; other="value"` and the like.
fn pairs(value: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let ends = move |c: char| {
        is_quoted ^= c == '"';
        !is_quoted && matches!(c, ';' | ',')
    };
    let pairs = value.split(ends).filter_map(|pair| pair.trim().split_once('='));
    let pairs = pairs.filter(|(name, _)| !name.is_empty() && name.bytes().all(is_name_byte));
    let secret = pairs.filter(|(name, _)| !OPEN_NAMES.iter().any(|open| name.eq_ignore_ascii_case(open)));
    secret.map(|(_, value)| value.trim_matches('"')).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_taken_apart() {
        for (value, expected) in [
            ("S3CRET", &[][..]),
            ("two words", &[]),
            ("Bearer abc", &["abc"]),
            ("bearer  a b", &["a b"]),
            ("Custom aB1", &["aB1"]),
            ("admin:p:w", &["p:w"]),
            ("sess=V1; other=V2; Path=/app; HttpOnly", &["V1", "V2"]),
            ("id=\"a;b\", realm=\"r\"", &["a;b"]),
            ("Digest username=\"u\", response=\"r\"", &["username=\"u\", response=\"r\"", "r"]),
            ("username=\"u\", response=\"r\", nc=1", &["r"]),
            ("YWRtaW46cHc=", &["admin:pw"]),
            ("YWRtaW46cHc", &["admin:pw"]),
            ("#!::r=live,s=S,m=publish", &["S"]),
            ("user=U&password=P&region=1", &["P", "U&password=P&region=1"]),
            ("=;,=\"", &[]),
        ] {
            assert_eq!(secrets_within(value), expected, "{value}");
        }
    }

    #[test]
    fn schemes_are_no_secrets() {
        for word in ["Bearer", "basic", "DIGEST", "true"] {
            assert!(is_ordinary(word), "{word}");
        }
        assert!(!is_ordinary("S3CRET"));
    }
}

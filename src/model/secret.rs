//! What is a secret, and how one is shown without being shown.
//!
//! Secrets are passwords, `cluster_key`, the userinfo inside URLs and the extras of `auth`. A mask
//! is `<secret:xxxxxx>`, a fingerprint with a key of this process only, so that equal secrets look
//! equal within one output and tell nothing outside of it.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::scalar::Scalar;
use super::schema::SECRET_KEYWORDS;
use super::suggest::nearest;
use crate::syntax::{Entry, Word};

const MASK_START: &str = "<secret:";
const MASK_DIGITS: usize = 6;

/// Makes masks; two of the same maker are equal for equal secrets.
#[derive(Debug, Default, Clone)]
pub struct Masker(RandomState);

impl Masker {
    /// The mask of a secret.
    pub fn mask(&self, secret: &str) -> String {
        format!("{MASK_START}{:06x}>", self.0.hash_one(secret) & 0xff_ffff)
    }

    /// `value` with the secrets that can be told by their form alone masked.
    pub fn mask_parts<'v>(&self, value: &'v str) -> Cow<'v, str> {
        let parts = secret_parts(value);
        if parts.is_empty() {
            return Cow::Borrowed(value);
        }
        let mut masked = String::with_capacity(value.len());
        let mut at = 0;
        for part in parts {
            masked.push_str(&value[at..part.start]);
            masked.push_str(&self.mask(&value[part.clone()]));
            at = part.end;
        }
        masked.push_str(&value[at..]);
        Cow::Owned(masked)
    }
}

/// Whether `value` holds a mask: somebody sends back what was never the secret.
pub fn holds_mask(value: &str) -> bool {
    value.match_indices(MASK_START).any(|(at, _)| {
        let behind = &value.as_bytes()[at + MASK_START.len()..];
        behind.len() > MASK_DIGITS
            && behind[..MASK_DIGITS].iter().all(u8::is_ascii_alphanumeric)
            && behind[MASK_DIGITS] == b'>'
    })
}

/// How much of the words of a directive is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordSecrecy {
    /// Every word.
    Whole,
    /// What its form gives away: userinfo, `password=…`.
    Parts,
}

impl WordSecrecy {
    /// That of the words behind a keyword that is not ours.
    pub fn of(keyword: &str) -> Self {
        if is_secret_keyword(keyword) || is_nearly_secret_keyword(keyword) {
            Self::Whole
        } else {
            Self::Parts
        }
    }
}

/// Whether the value behind this keyword, or of this option, is a secret.
pub fn is_secret_keyword(keyword: &str) -> bool {
    SECRET_KEYWORDS.contains(&keyword)
}

/// Whether an unknown keyword is a slip of one whose value is a secret, or holds secrets.
fn is_nearly_secret_keyword(keyword: &str) -> bool {
    const LONG_ENOUGH: usize = 4;
    let secret = SECRET_KEYWORDS.iter().copied().filter(|known| known.len() > LONG_ENOUGH);
    nearest(keyword, secret.chain(["auth"])).is_some()
}

/// What of a configuration is shown, and how.
#[derive(Debug, Default, Clone)]
pub struct Lens {
    /// Leave out what is output only or derived: names, positions, global values.
    pub own_only: bool,
    /// Leave out streams with `static: true`.
    pub skip_static_streams: bool,
    /// Show masks for secrets.
    pub masker: Option<Masker>,
}

impl Lens {
    /// How much of the words of a foreign directive is hidden.
    pub fn secrecy(&self, entry: Entry<'_>) -> WordSecrecy {
        match self.masker {
            Some(_) => WordSecrecy::of(&entry.keyword()),
            None => WordSecrecy::Parts,
        }
    }

    /// A word that is a secret as a whole.
    pub fn secret<'t>(&self, value: Cow<'t, str>) -> Cow<'t, str> {
        match &self.masker {
            Some(masker) => Cow::Owned(masker.mask(&value)),
            None => value,
        }
    }

    /// A word that may hold a secret, such as a URL.
    pub fn text<'t>(&self, value: Cow<'t, str>) -> Cow<'t, str> {
        match &self.masker {
            Some(masker) => Cow::Owned(masker.mask_parts(&value).into_owned()),
            None => value,
        }
    }

    /// A word under the word rule.
    pub fn scalar<'t>(&self, word: Word<'t>, secrecy: WordSecrecy) -> Scalar<'t> {
        match (&self.masker, secrecy) {
            (None, _) => Scalar::of(word),
            (Some(_), WordSecrecy::Whole) => Scalar::Text(self.secret(word.value())),
            (Some(_), WordSecrecy::Parts) => match Scalar::of(word) {
                Scalar::Text(text) => Scalar::Text(self.text(text)),
                other => other,
            },
        }
    }
}

/// The parts of a word that are secret by their form, in order, not overlapping.
pub fn secret_parts(value: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b':', b'=', &value.as_bytes()[at..]) {
        let mark = at + found;
        let part = match value.as_bytes()[mark] {
            b':' => userinfo(value, mark),
            _ => assigned_secret(value, mark),
        };
        at = part.as_ref().map_or(mark + 1, |part| part.end);
        parts.extend(part);
    }
    parts
}

/// No URL has a longer userinfo; a bound, so that no word makes the scan quadratic.
const MAX_USERINFO: usize = 4096;

/// `user:password` of `scheme://user:password@host`, where a colon stands at `colon`.
///
/// RFC 3986 ends the authority at the first `/`; passwords with a raw `/` in them are met all the
/// same, so where what stands there can't be a host with its port, the last `@` counts.
fn userinfo(value: &str, colon: usize) -> Option<Range<usize>> {
    let rest = value[colon..].strip_prefix("://")?;
    let start = colon + "://".len();
    let end = rest.char_indices().map(|(at, _)| at).take_while(|&at| at <= MAX_USERINFO).last()?;
    let rest = rest.get(..end + 1).unwrap_or(&rest[..end]);
    let rest = &rest[..rest.find([' ', '\t', '"']).unwrap_or(rest.len())];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let has_port =
        authority.rsplit_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let is_host = has_port || authority.starts_with('[');
    let at = match authority.rfind('@') {
        Some(at) => at,
        None if is_host => return None,
        // What is no host with its port is a userinfo, maybe one that was cut off.
        None => rest.rfind('@').unwrap_or(authority.len()),
    };
    (at > 0).then_some(start..start + at)
}

/// The value of `password=…` and the like, up to a `&`, where the `=` stands at `equals`.
fn assigned_secret(value: &str, equals: usize) -> Option<Range<usize>> {
    let before = &value.as_bytes()[..equals];
    let key = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if !is_secret_keyword(&value[equals - key..equals]) {
        return None;
    }
    let start = equals + 1;
    let len = value[start..].find(['&', ' ', '\t', ';', '"']).unwrap_or(value.len() - start);
    (len > 0).then_some(start..start + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_secret_by_their_form() {
        for (value, secret) in [
            ("rtsp://admin:pw@10.0.0.1:554/h264", vec!["admin:pw"]),
            ("rtsp://admin:p@ss@h/x", vec!["admin:p@ss"]),
            ("rtsp://admin:p/w@h/x", vec!["admin:p/w"]),
            ("http://host:80/a@2x.png", vec![]),
            ("http://[::1]/x", vec![]),
            ("http://admin:SECR", vec!["admin:SECR"]),
            ("udp://@239.0.0.1:1234", vec![]),
            ("swift://user=U&password=P&region=1@proxy/b", vec!["user=U&password=P&region=1"]),
            ("http://h/x?a=1&token=abc&b=2", vec!["abc"]),
            ("key=mysecret", vec!["mysecret"]),
            ("monkey=1", vec![]),
        ] {
            let found: Vec<&str> = secret_parts(value).into_iter().map(|part| &value[part]).collect();
            assert_eq!(found, secret, "{value}");
        }
    }

    #[test]
    fn masks_are_recognised_wherever_they_stand() {
        let masker = Masker::default();
        assert!(holds_mask(&masker.mask("x")));
        assert!(holds_mask(&format!("rtsp://{}@h", masker.mask("x"))));
        assert!(!holds_mask("<secret:xx>"));
        assert_eq!(masker.mask("a"), masker.mask("a"));
    }
}

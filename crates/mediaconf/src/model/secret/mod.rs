//! Recognises secrets and masks them.
//!
//! A secret is recognised by the name before it (`names`, from the tables of the schema) or by its own
//! form (`parts`): userinfo in a URL, `password=…` in a query. A mask is `<secret:xxxxxx>`, a
//! fingerprint with a key of this process: equal secrets look equal within one output, and the mask
//! reveals nothing outside of it.

mod names;
mod parts;

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Range;

pub use names::{Secrecy, is_account, is_name_byte, is_secret_name};
pub use parts::{merged, prose_parts, word_parts};

const MASK_START: &str = "<secret:";
const MASK_DIGITS: usize = 6;

/// The digits of masks: so many that 10 000 secrets have as many masks.
const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Makes masks; two of the same maker are equal for equal secrets, unless it is an opaque one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masker(Option<u128>);

impl Default for Masker {
    /// A maker with a random key.
    fn default() -> Self {
        let random = RandomState::new();
        let [high, low] = [0, 1].map(|half: u8| u128::from(random.hash_one(half)));
        Self::keyed(high << 64 | low)
    }
}

impl Masker {
    /// Makes the same mask of every secret. For readers who may not learn which secrets are equal: they
    /// know some of them.
    pub fn opaque() -> Self {
        Self(None)
    }

    /// Makes the masks that every maker with this key makes.
    pub fn keyed(key: u128) -> Self {
        Self(Some(key))
    }

    /// The key; `None` for an opaque masker.
    pub fn key(&self) -> Option<u128> {
        self.0
    }

    /// The mask of a secret.
    pub fn mask(&self, secret: &str) -> String {
        let mut fingerprint = self.0.map_or(0, |key| keyed_hash(key, secret));
        let mut mask = MASK_START.to_owned();
        for _ in 0..MASK_DIGITS {
            let digit = fingerprint % DIGITS.len() as u64;
            mask.push(char::from(DIGITS[digit as usize]));
            fingerprint /= DIGITS.len() as u64;
        }
        mask + ">"
    }

    /// A word of a configuration with its secrets masked.
    pub fn word<'v>(&self, word: &'v str, secrecy: Secrecy) -> Cow<'v, str> {
        self.masked(word, word_parts(word, secrecy))
    }

    /// Masks, in a message or another text of several words, the secrets that have the form of one.
    pub fn prose<'v>(&self, text: &'v str) -> Cow<'v, str> {
        self.masked(text, prose_parts(text))
    }

    /// `text` with these parts of it masked, which are in order and do not overlap.
    pub fn masked<'v>(&self, text: &'v str, parts: Vec<Range<usize>>) -> Cow<'v, str> {
        if parts.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut offset = 0;
        for part in parts {
            masked.push_str(&text[offset..part.start]);
            masked.push_str(&self.mask(&text[part.clone()]));
            offset = part.end;
        }
        masked.push_str(&text[offset..]);
        Cow::Owned(masked)
    }
}

/// The SipHash of a secret. Who knows some secrets and their masks learns neither the key nor other secrets.
#[allow(deprecated, reason = "the hasher that replaces it takes no key")]
fn keyed_hash(key: u128, secret: &str) -> u64 {
    let mut hasher = std::hash::SipHasher::new_with_keys((key >> 64) as u64, key as u64);
    secret.hash(&mut hasher);
    hasher.finish()
}

/// True if `value` holds a mask: the masked output was sent back instead of the secret.
pub fn holds_mask(value: &str) -> bool {
    masks_in(value).next().is_some()
}

/// The places of the masks in a text.
fn masks_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = text.match_indices(MASK_START);
    starts.filter_map(|(at, _)| mask_len(&text[at..]).map(|length| at..at + length))
}

/// True if `value` is a mask and nothing else.
pub fn is_mask(value: &str) -> bool {
    mask_len(value) == Some(value.len())
}

/// The length of the mask that a text starts with.
fn mask_len(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(MASK_START)?.as_bytes();
    let is_whole = digits.iter().take(MASK_DIGITS).all(u8::is_ascii_alphanumeric)
        && digits.get(MASK_DIGITS) == Some(&b'>');
    is_whole.then_some(MASK_START.len() + MASK_DIGITS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_recognised_wherever_they_stand() {
        let masker = Masker::default();
        assert!(holds_mask(&masker.mask("x")));
        assert!(holds_mask(&format!("rtsp://{}@h", masker.mask("x"))));
        assert!(!holds_mask("<secret:xx>"));
        assert_eq!(masker.mask("a"), masker.mask("a"));
    }
}

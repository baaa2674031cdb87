//! Puts masks in the place of secrets. A mask is `<secret:xxxxxx>`, a fingerprint with a key of this process: equal secrets
//! look equal within one output, and the mask reveals nothing outside of it.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::iter;
use std::ops::Range;

use super::finder::secrets_in;
use super::forms::{prose_parts, word_parts};
use super::names::Secrecy;
use crate::syntax::{Diagnostic, Diagnostics, Document, Splice, Word, line_end, line_start, spliced_pieces};

/// A shorter secret is masked only where it is a word by itself.
pub const SHORTEST: usize = 4;

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
        let fingerprint = self.0.map_or(0, |key| keyed_hash(key, secret));
        let digits = iter::successors(Some(fingerprint), |rest| Some(rest / DIGITS.len() as u64));
        let digits = digits.map(|rest| char::from(DIGITS[(rest % DIGITS.len() as u64) as usize]));
        format!("{MASK_START}{}>", digits.take(MASK_DIGITS).collect::<String>())
    }

    /// The text of a document with its secrets masked.
    pub fn document(&self, document: &Document) -> String {
        self.masked(document.text(), document.secret_spans()).into_owned()
    }

    /// The value of a word of a configuration with its secrets masked.
    pub fn word<'v>(&self, word: &'v str, secrecy: Secrecy) -> Cow<'v, str> {
        self.masked(word, word_parts(word, secrecy))
    }

    /// The value of one word, such as an address, with its secrets masked.
    pub fn value<'v>(&self, value: &'v str) -> Cow<'v, str> {
        self.word(value, Secrecy::Parts)
    }

    /// Masks, in a message or another text of several words, the secrets that have the form of one.
    pub fn prose<'v>(&self, text: &'v str) -> Cow<'v, str> {
        self.masked(text, prose_parts(text))
    }

    /// `text` with these parts of it masked, which are in order and do not overlap.
    pub(super) fn masked<'v>(&self, text: &'v str, parts: Vec<Range<usize>>) -> Cow<'v, str> {
        if parts.is_empty() {
            return Cow::Borrowed(text);
        }
        let masks: Vec<Splice> = parts.into_iter().map(|part| self.splice(text, part)).collect();
        Cow::Owned(spliced_pieces(text, 0..text.len(), &masks).collect())
    }

    /// The mask in the place of a part of a text. A part in quotes has the mask of its value.
    fn splice(&self, text: &str, range: Range<usize>) -> Splice {
        let text = self.mask(&Word::new(&text[range.clone()], 0).value());
        Splice { range, text }
    }

    /// True if a text holds a mask: the masked output was sent back instead of the secret.
    pub fn holds_mask(text: &str) -> bool {
        text.match_indices(MASK_START).any(|(at, _)| mask_len(&text[at..]).is_some())
    }

    /// True if `value` is a mask and nothing else.
    pub(crate) fn is_mask(value: &str) -> bool {
        mask_len(value) == Some(value.len())
    }
}

/// The SipHash of a secret. Who knows some secrets and their masks learns neither the key nor other secrets.
#[allow(deprecated, reason = "the hasher that replaces it takes no key")]
fn keyed_hash(key: u128, secret: &str) -> u64 {
    let mut hasher = std::hash::SipHasher::new_with_keys((key >> 64) as u64, key as u64);
    secret.hash(&mut hasher);
    hasher.finish()
}

/// The length of the mask that a text starts with.
fn mask_len(text: &str) -> Option<usize> {
    let (digits, rest) = text.strip_prefix(MASK_START)?.split_at_checked(MASK_DIGITS)?;
    let is_whole = digits.bytes().all(|digit| digit.is_ascii_alphanumeric()) && rest.starts_with('>');
    is_whole.then_some(MASK_START.len() + MASK_DIGITS + 1)
}

/// A text, and the secrets in some windows of it.
pub struct MaskedText<'d> {
    text: &'d str,
    masks: Vec<Splice>,
}

impl<'d> MaskedText<'d> {
    /// Finds the secrets in `windows` of the text, in any order; without a masker everything is shown.
    pub fn new(document: &'d Document, masker: Option<Masker>, windows: Vec<Range<usize>>) -> Self {
        let text = document.text();
        let masks = |masker: Masker| {
            let secrets = secrets_in(document, windows).into_iter();
            secrets.map(|secret| masker.splice(text, secret)).collect()
        };
        Self { text, masks: masker.map(masks).unwrap_or_default() }
    }

    /// The secrets in a line, each with its mask.
    pub fn replacements(&self, line: &Range<usize>) -> Vec<Splice> {
        let masks = self.masks.iter().skip(self.masks.partition_point(|mask| mask.range.end <= line.start));
        let inside = masks.take_while(|mask| mask.range.start < line.end);
        let clip = |Range { start, end }: Range<usize>| start.max(line.start)..end.min(line.end);
        inside.map(|mask| Splice { range: clip(mask.range.clone()), text: mask.text.clone() }).collect()
    }

    /// A line with its secrets masked.
    pub fn line(&self, line: Range<usize>) -> String {
        let masks = self.replacements(&line);
        spliced_pieces(self.text, line, &masks).collect()
    }
}

/// Masks the secrets in the messages of the faults of a text.
///
/// A message quotes words, and where a `;` is lost a word of another directive is one. So the lines of the fault are looked
/// at as those of a broken text, in which every word behind the name of a secret counts.
pub fn mask_faults(text: &str, faults: &mut Diagnostics) {
    // Mostly the lines of one fault are those of the next one, too.
    let (mut last, mut secrets) = (0..0, Vec::new());
    for fault in faults.iter_mut() {
        let Diagnostic { span, message, hint, related, .. } = fault;
        let (span_of_related, related) = related.as_mut().map(|(span, message)| (&*span, message)).unzip();
        let mut messages: Vec<&mut String> = iter::once(message).chain(hint).chain(related).collect();
        for span in iter::once(&*span).chain(span_of_related) {
            let [start, end] = [span.start, span.end].map(|place| (place as usize).min(text.len()));
            let lines = line_start(text, start)..line_end(text, end);
            if lines != last {
                secrets = secrets_of(&text[lines.clone()]);
                last = lines;
            }
            for secret in &secrets {
                messages.iter_mut().for_each(|message| **message = without(message, secret));
            }
        }
    }
}

fn secrets_of(lines: &str) -> Vec<String> {
    let broken = Document::parse(format!("{lines}\n}}"));
    let secrets =
        broken.secret_spans().into_iter().map(|span| broken.text()[span].trim_matches('"').to_owned());
    secrets.filter(|secret| !secret.is_empty()).collect()
}

/// A message with a secret masked. A short one may stand there by chance: it is masked only where it is quoted.
fn without(message: &str, secret: &str) -> String {
    let mask = Masker::opaque().mask(secret);
    match secret.len() < SHORTEST {
        true => message.replace(&format!("`{secret}`"), &format!("`{mask}`")),
        false => message.replace(secret, &mask),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_recognised_wherever_they_stand() {
        let masker = Masker::default();
        assert!(Masker::holds_mask(&masker.mask("x")));
        assert!(Masker::holds_mask(&format!("rtsp://{}@h", masker.mask("x"))));
        assert!(!Masker::holds_mask("<secret:xx>"));
        assert_eq!(masker.mask("a"), masker.mask("a"));
    }

    #[test]
    fn a_message_does_not_quote_a_secret_behind_a_lost_semicolon() {
        let text = "stream b {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter2;\n}\n";
        let place = text.rfind("hunter2").expect("it is there") as u32;
        let message = "the option `hunter2` is given more than once".to_owned();
        let mut faults = Diagnostics::default();
        faults.push(Diagnostic::warning(place..place + 7, message));
        mask_faults(text, &mut faults);
        let told = faults.iter().next().expect("it is kept");
        assert_eq!(told.message, "the option `<secret:000000>` is given more than once");
    }
}

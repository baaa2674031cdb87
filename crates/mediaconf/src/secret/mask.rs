//! Puts masks in the place of secrets. A mask is `<secret:xxxxxx>`, a fingerprint with a key of this process: equal secrets
//! look equal within one output, and the mask reveals nothing outside of it.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::iter;
use std::ops::Range;

use super::forms::{prose_parts, word_parts};
use super::names::Secrecy;
use super::spans::{all_secret_spans, secret_spans};
use crate::syntax::{Diagnostic, Document, Span, Word, line_end, line_start};

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

    fn mask_of_part(&self, part: &str) -> String {
        self.mask(&Word::new(part, 0).value())
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

    /// `text` with these parts of it masked, which are in order and do not overlap. A part in quotes has the mask of its
    /// value.
    pub(super) fn masked<'v>(&self, text: &'v str, parts: Vec<Range<usize>>) -> Cow<'v, str> {
        if parts.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut offset = 0;
        for part in parts {
            masked.push_str(&text[offset..part.start]);
            masked.push_str(&self.mask_of_part(&text[part.clone()]));
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

/// Returns the whole text of a document with its secrets masked.
pub fn masked_document(document: &Document, masker: &Masker) -> String {
    masker.masked(document.text(), all_secret_spans(document)).into_owned()
}

/// A text, and the secrets in some windows of it.
pub struct MaskedText<'d> {
    document: &'d Document,
    secrets: Option<(Masker, Vec<Range<usize>>)>,
}

impl<'d> MaskedText<'d> {
    /// Finds the secrets in `windows` of the text, in any order; without a masker everything is shown.
    pub fn new(document: &'d Document, masker: Option<Masker>, mut windows: Vec<Range<usize>>) -> Self {
        windows.sort_by_key(|window| window.start);
        let secrets = masker.map(|masker| (masker, secret_spans(document, &disjoint(windows))));
        Self { document, secrets }
    }

    /// The secrets in a line, each with its mask.
    pub fn replacements(&self, line: &Range<usize>) -> Vec<(Range<usize>, String)> {
        let Some((masker, spans)) = &self.secrets else { return Vec::new() };
        let first = spans.partition_point(|span| span.end <= line.start);
        let inside = spans[first..].iter().take_while(|span| span.start < line.end);
        let text = self.document.text();
        inside
            .map(|span| {
                (span.start.max(line.start)..span.end.min(line.end), masker.mask_of_part(&text[span.clone()]))
            })
            .collect()
    }

    /// A line with its secrets masked.
    pub fn line(&self, line: Range<usize>) -> String {
        let text = self.document.text();
        let mut shown = String::with_capacity(line.len());
        let mut offset = line.start;
        for (range, mask) in self.replacements(&line) {
            shown.push_str(&text[offset..range.start]);
            shown.push_str(&mask);
            offset = range.end;
        }
        shown.push_str(&text[offset..line.end]);
        shown
    }
}

fn disjoint(windows: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for window in windows {
        match merged.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => merged.push(window),
        }
    }
    merged
}

/// A shorter secret may stand in a message by chance: it is masked only where it is quoted.
const SHORTEST: usize = 4;

/// Masks the secrets in the messages of the faults of a text.
///
/// A message quotes words, and where a `;` is lost a word of another directive is one. So the lines of the fault are looked
/// at as those of a broken text, in which every word behind the name of a secret counts.
pub struct FaultMasker<'t> {
    text: &'t str,
    /// The lines of the last fault, which are mostly those of the next one, too.
    lines: Range<usize>,
    /// The secrets in these lines.
    secrets: Vec<String>,
}

impl<'t> FaultMasker<'t> {
    /// For the faults of `text`.
    pub fn new(text: &'t str) -> Self {
        Self { text, lines: 0..0, secrets: Vec::new() }
    }

    /// Returns the fault without secrets.
    pub fn masked(&mut self, fault: &Diagnostic) -> Diagnostic {
        let mut told = fault.clone();
        let spans = iter::once(&fault.span).chain(fault.related.as_ref().map(|(span, _)| span));
        for span in spans {
            for secret in self.secrets_near(span) {
                let related = told.related.iter_mut().map(|(_, message)| message);
                for message in iter::once(&mut told.message).chain(&mut told.hint).chain(related) {
                    *message = masked(message, secret);
                }
            }
        }
        told
    }

    fn secrets_near(&mut self, span: &Span) -> &[String] {
        let [start, end] = [span.start, span.end].map(|place| (place as usize).min(self.text.len()));
        let lines = line_start(self.text, start)..line_end(self.text, end);
        if self.lines != lines {
            self.secrets = secrets_in(&self.text[lines.clone()]);
            self.lines = lines;
        }
        &self.secrets
    }
}

fn masked(message: &str, secret: &str) -> String {
    let mask = Masker::opaque().mask(secret);
    match secret.len() < SHORTEST {
        true => message.replace(&format!("`{secret}`"), &format!("`{mask}`")),
        false => message.replace(secret, &mask),
    }
}

fn secrets_in(lines: &str) -> Vec<String> {
    let broken = Document::parse(format!("{lines}\n}}"));
    let spans = secret_spans(&broken, std::slice::from_ref(&(0..lines.len())));
    let secrets = spans.into_iter().map(|span| broken.text()[span].trim_matches('"').to_owned());
    secrets.filter(|secret| !secret.is_empty()).collect()
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

    #[test]
    fn a_message_does_not_quote_a_secret_behind_a_lost_semicolon() {
        let text = "stream b {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter2;\n}\n";
        let place = text.rfind("hunter2").expect("it is there") as u32;
        let message = "the option `hunter2` is given more than once".to_owned();
        let fault = Diagnostic::warning(place..place + 7, message);
        let told = FaultMasker::new(text).masked(&fault);
        assert_eq!(told.message, "the option `<secret:000000>` is given more than once");
    }
}

//! Puts masks in the place of secrets. A mask is `<secret:xxxxxx>`, a fingerprint with a key of this process: equal secrets
//! look equal within one output, and the mask reveals nothing outside of it.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Range;
use std::{array, iter};

use serde_json::Value;

use super::finder::{secrets_by_place, secrets_in};
use super::forms::{Ranges, merged, prose_parts, word_parts};
use super::names::{Secrecy, WordReader, is_account};
use super::values::is_edge;
use crate::schema::{Facts, ObjectShape, Schema, Scope};
use crate::syntax::{Diagnostic, Diagnostics, Document, Splice, Word, line_end, line_start, spliced};

/// A shorter secret is masked only where it is a word by itself.
pub const SHORTEST: usize = 4;

const MASK_START: &str = "<secret:";
const MASK_DIGITS: usize = 6;

/// The digits of masks: so many that 10 000 secrets have as many masks.
const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Makes masks; two of the same maker are equal for equal secrets, unless it is an opaque one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masker {
    /// Shows all secrets.
    Off,
    /// Makes the same mask of every secret. For readers who may not learn which secrets are equal: they know some of them.
    Opaque,
    /// Makes the masks that every maker with this key makes.
    Keyed(u128),
}

impl Default for Masker {
    /// A maker with a random key.
    fn default() -> Self {
        let random = RandomState::new();
        let [high, low] = [0, 1].map(|half: u8| u128::from(random.hash_one(half)));
        Self::Keyed(high << 64 | low)
    }
}

impl Masker {
    /// The key, if it has one.
    pub fn key(self) -> Option<u128> {
        if let Self::Keyed(key) = self { Some(key) } else { None }
    }

    /// The mask of a secret.
    pub fn mask(&self, secret: &str) -> String {
        let fingerprint = self.key().map_or(0, |key| keyed_hash(key, secret));
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
    pub(super) fn masked<'v>(&self, text: &'v str, parts: Ranges) -> Cow<'v, str> {
        if parts.is_empty() || *self == Self::Off {
            return Cow::Borrowed(text);
        }
        let masks: Vec<Splice> = parts.into_iter().map(|part| self.splice(text, part)).collect();
        Cow::Owned(spliced(text, 0..text.len(), &masks).collect())
    }

    /// The mask in the place of a part of a text. A part in quotes has the mask of its value.
    fn splice(&self, text: &str, range: Range<usize>) -> Splice {
        let text = self.mask(&Word::new(&text[range.clone()], 0).value());
        Splice { range, text }
    }

    /// True if a text holds a mask: the masked output was sent back instead of the secret.
    pub fn holds_mask(text: &str) -> bool {
        memchr::memchr_iter(b'<', text.as_bytes()).any(|at| mask_len(&text[at..]).is_some())
    }

    /// True if `value` is a mask and nothing else.
    pub(crate) fn is_mask(value: &str) -> bool {
        mask_len(value) == Some(value.len())
    }

    /// A configuration, or a patch, with its secrets masked.
    pub fn json(&self, value: &Value) -> Value {
        self.json_below(&[], value)
    }

    /// The value below these keys of a configuration, with its secrets masked.
    pub fn json_below(&self, keys: &[&str], value: &Value) -> Value {
        let place = keys.iter().fold(JsonPlace::ROOT, |place, key| place.member(key));
        self.json_at(place, value)
    }

    /// The keys of a path with the secrets in them masked, for messages.
    pub fn keys(&self, keys: &[&str]) -> Vec<String> {
        let mut place = JsonPlace::ROOT;
        let shown = |key: &&str| {
            // A short number is the index of an element.
            let is_index = key.len() < 5 && key.bytes().all(|byte| byte.is_ascii_digit());
            let secrecy = if is_index { Secrecy::Parts } else { place.key_secrecy(key) };
            place = place.member(key);
            self.word(key, secrecy).into_owned()
        };
        keys.iter().map(shown).collect()
    }

    fn json_at(&self, mut place: JsonPlace, value: &Value) -> Value {
        match value {
            _ if *self == Self::Off => value.clone(),
            Value::String(text) => Value::String(self.word(text, place.reader.next(text)).into_owned()),
            Value::Number(number) if place.reader.secrecy.hides(&number.to_string()) => {
                self.mask(&number.to_string()).into()
            }
            // The words of a directive, or its occurrences: the word behind `token` is a secret.
            Value::Array(elements) => {
                place.level = Level::Words;
                let shown = elements.iter().map(|element| {
                    let shown = self.json_at(place, element);
                    // Of a list of options, each is a list; one without a value may be the name of a secret.
                    let only = element.as_array().filter(|words| words.len() == 1);
                    let word = only.map_or(element, |words| &words[0]).as_str();
                    place.reader = word.map_or(place.reader, |text| place.reader.behind(text));
                    shown
                });
                shown.collect()
            }
            Value::Object(members) => {
                let are_words = matches!(place.level, Level::Words);
                let are_options =
                    are_words && !members.values().any(|inner| inner.is_object() || inner.is_array());
                let shown = members.iter().map(|(key, value)| {
                    let name = self.word(key, place.key_secrecy(key)).into_owned();
                    let is_login = |text: &str| key == "auth" && text.contains(':') && !text.contains("://");
                    let mut shown = self.json_at(place.member(key), value);
                    match value {
                        Value::String(text) if are_words && (key == "url" || text.ends_with(':')) => {
                            place.reader = place.reader.behind(text)
                        }
                        // Behind an option that is the name of a secret and has no value stand the words of a directive
                        // in front of which the `;` is lost.
                        Value::Bool(true) if are_options => place.reader = place.reader.behind(key),
                        _ if are_options && is_account(key) => place.reader.secrecy = Secrecy::Whole,
                        Value::String(text) if is_login(text) => shown = self.mask(text).into(),
                        _ => {}
                    }
                    (name, shown)
                });
                shown.collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
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
    /// Finds the secrets in windows of each text, in any order. A comment of one side of a diff may tell a secret of the other.
    pub fn new<const N: usize>(
        documents: [&'d Document; N],
        masker: Masker,
        windows: [Ranges; N],
    ) -> [Self; N] {
        let secrets = match masker {
            Masker::Off => [const { Vec::new() }; N],
            _ => secrets_in(documents, windows),
        };
        array::from_fn(|side| {
            let text = documents[side].text();
            let masks = secrets[side].iter().map(|secret| masker.splice(text, secret.clone())).collect();
            Self { text, masks }
        })
    }

    /// The secrets in a line, each with its mask.
    pub fn replacements(&self, line: &Range<usize>) -> Vec<Splice> {
        let masks = self.masks.iter().skip(self.masks.partition_point(|mask| mask.range.end <= line.start));
        let inside = masks.take_while(|mask| mask.range.start < line.end);
        let clip = |Range { start, end }: Range<usize>| start.max(line.start)..end.min(line.end);
        inside.map(|mask| Splice { range: clip(mask.range.clone()), text: mask.text.clone() }).collect()
    }

    /// A line with its secrets masked.
    pub fn line(&self, line: Range<usize>) -> Cow<'d, str> {
        match &*self.replacements(&line) {
            [] => Cow::Borrowed(&self.text[line]),
            masks => spliced(self.text, line, masks).collect(),
        }
    }
}

/// Masks the secrets in the messages of the faults of a text, which quote words: those that are masked in the lines of
/// the fault.
pub fn mask_faults(document: &Document, faults: &mut Diagnostics) {
    let text = document.text();
    let lines_of = |fault: &Diagnostic| {
        let beside = fault.related.as_ref().map(|(span, _)| span.clone());
        iter::once(fault.span.clone()).chain(beside).map(|span| {
            let [start, end] = [span.start, span.end].map(|place| (place as usize).min(text.len()));
            line_start(text, start)..line_end(text, end)
        })
    };
    let in_broken = |&Range { start, end }: &Range<usize>| {
        let lines = Document::parse(format!("{}\n}}", &text[start..end]));
        let inside = move |at: usize| end.min(start + at);
        lines.secret_spans().into_iter().map(move |span| inside(span.start)..inside(span.end))
    };
    let windows = merged(faults.kept.iter().flat_map(lines_of).collect());
    let secrets = match document.diagnostics().errors() {
        _ if windows.is_empty() => Vec::new(),
        0 => secrets_by_place(document, &windows, &mut Default::default()),
        // Only the lines of the faults are searched, because the whole takes long. Every word behind the name of a secret
        // counts, to the end of the line.
        _ => windows.iter().flat_map(in_broken).collect(),
    };
    for fault in &mut faults.kept {
        for lines in lines_of(fault) {
            for secret in secrets.iter().filter(|at| at.start < lines.end && lines.start < at.end) {
                let beside = fault.related.iter_mut().map(|(_, message)| message);
                for told in iter::once(&mut fault.message).chain(fault.hint.iter_mut()).chain(beside) {
                    *told = without(told, text[secret.clone()].trim_matches('"'));
                }
            }
        }
    }
}

/// A message with a secret masked where it is a whole word. A short one may stand there by chance: it is masked only where it
/// is quoted.
fn without(message: &str, secret: &str) -> String {
    let is_whole = |place: &Range<usize>| match secret.len() < SHORTEST {
        // The sign in `password = x` is no secret.
        _ if matches!(secret, "" | "=" | ":") => false,
        true => message[..place.start].ends_with('`') && message[place.end..].starts_with('`'),
        false => is_edge(message, place.start) && is_edge(message, place.end),
    };
    let places = message.match_indices(secret).map(|(at, _)| at..at + secret.len());
    Masker::Opaque.masked(message, places.filter(is_whole).collect()).into_owned()
}

// Masks in JSON that has no text, such as a patch or a value in a message: keys and elements are the words of directives.

/// The place of a value, as far as its secrecy depends on it.
#[derive(Clone, Copy)]
struct JsonPlace {
    level: Level,
    reader: WordReader,
}

#[derive(Clone, Copy)]
enum Level {
    /// The whole configuration.
    Root,
    /// `streams` and the like: the keys are names that people gave.
    Group,
    /// A directive whose words are the members of an object.
    Object(&'static ObjectShape),
    /// Behind the words of a directive.
    Words,
}

impl JsonPlace {
    const ROOT: Self = Self { level: Level::Root, reader: WordReader::new(Secrecy::Parts) };

    fn member(self, key: &str) -> Self {
        let level = || if Schema::has_named_blocks(key) { Level::Group } else { Level::Words };
        let words = |reader| Self { level: level(), reader };
        match self.level {
            Level::Root => match Scope::Top.by_key(key).map(|row| row.codec.facts()) {
                Some(facts) if facts.group.is_some() || facts.entries_of.is_some() => {
                    Self { level: Level::Group, ..self }
                }
                Some(Facts { object: Some(object), .. }) => {
                    Self { level: Level::Object(object), reader: WordReader::new(Secrecy::Whole) }
                }
                _ => words(self.reader.behind(key.trim_start_matches(Schema::ESCAPE))),
            },
            Level::Object(object) if object.part(key).is_none_or(|part| part.secret) => words(self.reader),
            Level::Group | Level::Object(_) => words(WordReader::INSIDE),
            // The options of an address stand behind it.
            Level::Words if key == Schema::EXTRA => self,
            // An address with a query that was split at its first `=`.
            Level::Words if key.contains(['?', '&']) => words(WordReader::new(Secrecy::Whole)),
            Level::Words => words(self.reader.behind(key.trim_start_matches(Schema::ESCAPE))),
        }
    }

    /// Returns the secrecy of a key of an object here.
    fn key_secrecy(mut self, key: &str) -> Secrecy {
        let is_open = matches!(self.level, Level::Object(_)) || key == Schema::EXTRA;
        // The rest of a secret in single quotes that was cut at its `;`.
        if key.ends_with('\'') && !key.starts_with('\'') && !matches!(self.level, Level::Group) {
            self.reader.secrecy = Secrecy::Whole;
        }
        if is_open { Secrecy::Parts } else { self.reader.next(key) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        mask_faults(&Document::parse(text), &mut faults);
        let told = faults.iter().next().expect("it is kept");
        assert_eq!(told.message, "the option `<secret:000000>` is given more than once");
    }

    #[test]
    fn a_secret_behind_a_lost_semicolon_is_masked_among_options() {
        let options = json!({ "url": "udp://239.0.0.1:12", "a": 1, "password": true, "hunter2": true });
        let shown = json!({ "url": "udp://239.0.0.1:12", "a": 1, "password": true, "<secret:000000>": true });
        let whole = |options| json!({ "streams": { "a": { "urls": [options] } } });
        assert_eq!(Masker::Opaque.json(&whole(options)), whole(shown));
        let options = json!({ "url": "http://x", "extra": { "a": "1", "password": true, "hunter2": true } });
        let shown =
            json!({ "url": "http://x", "extra": { "a": "1", "password": true, "<secret:000000>": true } });
        let whole = |options| json!({ "streams": { "a": { "auth": options } } });
        assert_eq!(Masker::Opaque.json(&whole(options)), whole(shown));
        let options = json!([["vb", 1], ["password"], ["hunter2"], ["hunter3", 5]]);
        let shown =
            json!([["vb", 1], ["password"], ["<secret:000000>"], ["<secret:000000>", "<secret:000000>"]]);
        let whole = |options| json!({ "streams": { "a": { "transcoder": options } } });
        assert_eq!(Masker::Opaque.json(&whole(options)), whole(shown));
    }
}

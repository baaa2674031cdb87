//! Finds the secrets of a configuration in free text: what a hook prints, a message of the history.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::loose::in_directives;
use super::secret_spans;
use crate::model::secret::{Masker, merged, prose_parts};
use crate::syntax::{Document, Word};

/// A shorter value may stand in a text by chance: it is masked by its place only.
const SHORTEST: usize = 4;

/// A longer value is not looked for, so that the search stays short. In bytes.
pub const LONGEST_SECRET: usize = 512;

/// What a part of a URL encodes.
const IN_URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The secret values of texts.
#[derive(Default)]
pub struct SecretValues {
    values: HashSet<String>,
    /// The lengths of the values.
    lengths: BTreeSet<usize>,
    /// The texts without their secrets.
    public: String,
}

impl SecretValues {
    /// Collects the secrets of documents.
    pub fn of<'d>(documents: impl IntoIterator<Item = &'d Document>) -> Self {
        let mut found = Self::default();
        documents.into_iter().for_each(|document| found.add(document));
        found
    }

    /// A text with the secrets masked that stand in it as whole words, and those that their place or their form
    /// gives away. A value that stands in the texts without being a secret there is masked by its place only:
    /// its mask would tell that it is one.
    pub fn masked<'t>(&self, text: &'t str, masker: &Masker) -> Cow<'t, str> {
        let mut spans = self.spans(text);
        spans.extend(prose_parts(text));
        in_directives(text, &mut spans);
        masker.masked(text, merged(spans))
    }

    /// The same for a text whose readers mask what its form gives away: the values alone are masked.
    pub fn masked_values<'t>(&self, text: &'t str, masker: &Masker) -> Cow<'t, str> {
        masker.masked(text, self.spans(text))
    }

    fn add(&mut self, document: &Document) {
        let text = document.text();
        let mut at = 0;
        for span in secret_spans(document, std::slice::from_ref(&(0..text.len()))) {
            self.public.push_str(&text[at..span.start]);
            self.public.push('\n');
            at = span.end;
            self.keep(&Word::new(&text[span], 0).value());
        }
        self.public.push_str(&text[at..]);
        self.public.push('\n');
    }

    /// Keeps a value as it stands, as a URL means it and as a URL spells it, and the password behind a login.
    fn keep(&mut self, value: &str) {
        let password = value.split_once(':').map(|(_, password)| password);
        for value in std::iter::once(value).chain(password) {
            let meant = percent_decode_str(value).decode_utf8_lossy();
            let spelt = Cow::from(utf8_percent_encode(&meant, IN_URL));
            for form in [Cow::Borrowed(value), spelt, meant.clone()] {
                if (SHORTEST..=LONGEST_SECRET).contains(&form.len()) && !self.values.contains(&*form) {
                    self.lengths.insert(form.len());
                    self.values.insert(form.into_owned());
                }
            }
        }
    }

    /// Where the values stand in a text as whole words; at one place the longest.
    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut known = HashMap::new();
        let mut spans = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let ends = self.lengths.iter().rev().map(|length| start + length);
            let mut ends = ends.filter(|&end| is_edge(text, start) && is_edge(text, end));
            start = match ends.find(|&end| self.is_secret(&text[start..end], &mut known)) {
                Some(end) => {
                    spans.push(start..end);
                    end
                }
                None => start + 1,
            };
        }
        spans
    }

    /// Whether a word is a secret that stands nowhere else; `known` holds what was found of others.
    fn is_secret<'t>(&self, word: &'t str, known: &mut HashMap<&'t str, bool>) -> bool {
        self.values.contains(word) && *known.entry(word).or_insert_with(|| !holds_word(&self.public, word))
    }
}

/// Whether a word may begin or end at a place.
fn is_edge(text: &str, at: usize) -> bool {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.is_char_boundary(at) && !(text[..at].ends_with(is_in_word) && text[at..].starts_with(is_in_word))
}

fn holds_word(text: &str, word: &str) -> bool {
    memmem::find_iter(text.as_bytes(), word).any(|at| is_edge(text, at) && is_edge(text, at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_by_value_as_whole_words() {
        let document = Document::parse(
            "edit_auth admin S3CRET;\nview_auth viewer abc;\ncluster_key stream;\n\
             stream cam { url rtsp://root:p%40ss@h/; password \"two words\"; token gate; }\nstream gate { url u; }\n",
        );
        let secrets = SecretValues::of([&document]);
        for (text, expected) in [
            ("wrong: S3CRET", "wrong: <secret:000000>"),
            ("line 1: 'S3CRET'\n'S3CRET'", "line 1: '<secret:000000>'\n'<secret:000000>'"),
            ("S3CRETS and xS3CRET", "S3CRETS and xS3CRET"),
            ("p%40ss, p@ss or root:p%40ss", "<secret:000000>, <secret:000000> or <secret:000000>"),
            ("it holds two words", "it holds <secret:000000>"),
            ("?password=two%20words", "?password=<secret:000000>"),
            ("two%20words", "<secret:000000>"),
            // Too short, a keyword and a name: by their places only.
            ("abc, a stream, a gate", "abc, a stream, a gate"),
            ("view_auth viewer abc;", "view_auth <secret:000000> <secret:000000>;"),
            ("  cluster_key stream;", "  cluster_key <secret:000000>;"),
            ("rtsp://u:x@h is down", "rtsp://<secret:000000>@h is down"),
            ("password is wrong", "password is wrong"),
            ("no \u{e9}\u{20ac} here", "no \u{e9}\u{20ac} here"),
            ("", ""),
        ] {
            assert_eq!(secrets.masked(text, &Masker::opaque()), expected);
        }
        assert_eq!(SecretValues::default().masked("S3CRET", &Masker::opaque()), "S3CRET");
    }
}

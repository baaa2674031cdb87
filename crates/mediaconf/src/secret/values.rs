//! Finds the secrets of a configuration in free text: what a hook prints, a message of the history.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Bound, Range};

use base64::prelude::{BASE64_STANDARD_NO_PAD, Engine as _};
use foldhash::HashMap;
use memchr::memmem;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::finder::{ENDS, PlainTexts, comments_in, line_parts, secrets_by_place};
use super::forms::{Plain, Ranges, merged, prose_parts, word_parts};
use super::mask::{Masker, SHORTEST};
use super::names::{Secrecy, is_name_byte};
use crate::syntax::{Document, Word};

/// The most bytes of a value that is searched for, so that the search stays short.
const LONGEST: usize = 2048;

/// The number of levels at which secrets are taken apart: a header holds a login and a password in
/// base64.
const DEPTH: usize = 4;

/// Shorter words of base64 hold no secret that is looked for.
const SHORTEST_BASE64: usize = 6;

/// Words of any text, which can't be found by their value: among them the schemes that headers have in front of
/// credentials.
const ORDINARY: &str = "true false apikey aws4-hmac-sha256 basic bearer digest negotiate ntlm oauth token";

/// The attributes of cookies and the parameters of `Digest` and the like whose values are no secrets.
const OPEN_NAMES: &str = "algorithm charset domain expires max-age nc path priority qop realm samesite scope \
                          signedheaders uri userhash username";

/// The secret values of texts.
#[derive(Default)]
pub struct SecretValues<'d> {
    values: BTreeSet<String>,
    /// The texts without their secrets, in pieces.
    public: Vec<&'d str>,
    plain: PlainTexts<'d>,
}

impl<'d> SecretValues<'d> {
    /// No value that is searched for is longer as it is written, with each byte encoded. In bytes.
    pub const LONGEST: usize = 3 * LONGEST;

    /// The number of encodings that may be nested in a text, such as base64 in a URL.
    pub(super) const ENCODINGS: usize = 2;

    /// Collects the secrets of documents.
    pub fn collect(documents: impl IntoIterator<Item = &'d Document>) -> Self {
        let mut found = Self::default();
        let whole = |document: &Document| 0..document.text().len();
        documents.into_iter().for_each(|document| drop(found.add(document, &[whole(document)])));
        found
    }

    /// Adds the secrets in these windows of a text, which are in order. Returns their places, and maybe those of others.
    pub(super) fn add(&mut self, document: &'d Document, windows: &[Range<usize>]) -> Ranges {
        let text = document.text();
        let spans = secrets_by_place(document, windows, &mut self.plain);
        for span in &spans {
            let raw = &text[span.clone()];
            self.keep(&Word::new(raw, 0).value(), DEPTH);
            if raw.contains('"') && !(raw.starts_with('"') && raw.ends_with('"')) {
                self.keep(raw, 0);
            }
            if raw.contains('\\') && !raw.starts_with('"') {
                // It may be a part of a quoted word.
                self.keep(&Word::new(&format!("\"{raw}\""), 0).value(), DEPTH);
            }
        }
        // What a comment says makes nothing public.
        let hidden = windows.iter().flat_map(|window| comments_in(text, window.clone()));
        let hidden = merged(hidden.chain(spans.iter().cloned()).collect());
        for window in windows {
            let mut start = window.start;
            let inside = hidden.iter().skip(hidden.partition_point(|span| span.end <= start));
            for span in inside.take_while(|span| span.start < window.end) {
                self.public.push(&text[start..span.start.max(start)]);
                start = span.end.min(window.end);
            }
            self.public.push(&text[start..window.end]);
        }
        spans
    }

    /// A text with the secrets masked that stand in it as whole words, and those that their place or
    /// their form gives away. A value that stands in the texts without being a secret there is masked by
    /// its place only: its mask would show that it is one.
    pub fn masked<'t>(&self, text: &'t str, masker: &Masker) -> Cow<'t, str> {
        let mut spans = self.spans(text, Self::ENCODINGS);
        spans.extend(prose_parts(text));
        for line in text.lines().filter(|line| line.contains(ENDS)) {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            // What a sentence quotes ends with the quote.
            let ends = ["` ", "`:", "`,"].iter();
            let sentence = ends.fold(format!("{line} "), |text, end| text.replace(end, "; "));
            let (parts, _) = line_parts(&sentence, None);
            spans.extend(parts.into_iter().map(|part| start + part.start..start + part.end));
        }
        masker.masked(text, merged(spans))
    }

    /// The same for a text whose readers mask what its form gives away: the values alone are masked.
    pub fn masked_values<'t>(&self, text: &'t str, masker: &Masker) -> Cow<'t, str> {
        masker.masked(text, merged(self.spans(text, Self::ENCODINGS)))
    }

    /// The same for all names, strings and numbers of a JSON value.
    pub fn masked_json(&self, value: Value, masker: &Masker) -> Value {
        let masked = |text: &str| self.masked_values(text, masker).into_owned();
        match value {
            Value::String(text) => masked(&text).into(),
            Value::Number(number) => match self.masked_values(&number.to_string(), masker) {
                Cow::Owned(mask) => mask.into(),
                Cow::Borrowed(_) => Value::Number(number),
            },
            Value::Array(values) => values.into_iter().map(|inner| self.masked_json(inner, masker)).collect(),
            Value::Object(members) => {
                let shown = |(key, inner): (String, _)| (masked(&key), self.masked_json(inner, masker));
                members.into_iter().map(shown).collect()
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    /// Keeps a value as it stands and as a URL means it, and the secrets in it.
    fn keep(&mut self, value: &str, depth: usize) {
        let meant = percent_decode_str(value).decode_utf8_lossy();
        for form in [value, &meant, &meant.replace(' ', "+")] {
            if form.len() <= LONGEST && !is_one_of(ORDINARY, form) && !self.values.contains(form) {
                self.values.insert(form.to_owned());
            }
        }
        if depth > 0 {
            secrets_within(&meant).iter().for_each(|part| self.keep(part, depth - 1));
        }
    }

    /// Returns the places of the values in a text, as they are or encoded so many times.
    pub(super) fn spans(&self, text: &str, encodings: usize) -> Ranges {
        let mut spans = self.words(text);
        if encodings > 0 && !self.values.is_empty() {
            let encoded = base64_words(text).filter(|(_, meant)| self.is_told_by(meant, encodings - 1));
            spans.extend(encoded.map(|(place, _)| place));
            if let Some(plain) = Plain::unescaped(text) {
                let meant = self.spans(&plain.text, encodings - 1);
                spans.extend(meant.iter().map(|span| plain.place_of(span)));
            }
        }
        spans
    }

    /// True if a text that was encoded holds a secret. Behind a login any password is one by its place.
    fn is_told_by(&self, meant: &str, encodings: usize) -> bool {
        let password = meant.split_once(':').map_or("", |(_, password)| password);
        (!password.is_empty() && self.values.contains(password)) || !self.spans(meant, encodings).is_empty()
    }

    /// Returns the places of the values in a text as whole words; at one place the longest.
    fn words(&self, text: &str) -> Ranges {
        let mut known = HashMap::default();
        let mut spans = Vec::new();
        let mut start = 0;
        while let Some(c) = text[start..].chars().next() {
            let rest = &text[start..];
            let first = &rest[..rest.ceil_char_boundary(SHORTEST)];
            let alike = self.values.range::<str, _>((Bound::Included(first), Bound::Unbounded));
            let alike = alike.take_while(|value| is_edge(text, start) && value.starts_with(first));
            let words = alike.filter(|value| value.len() >= SHORTEST && rest.starts_with(&***value));
            let ends = words.map(|value| start + value.len()).filter(|&end| is_edge(text, end));
            // It is a secret if it stands nowhere else.
            let mut is_secret = |word| !*known.entry(word).or_insert_with(|| hold_word(&self.public, word));
            let end = ends.filter(|&end| is_secret(&text[start..end])).last();
            spans.extend(end.map(|end| start..end));
            start = end.unwrap_or(start + c.len_utf8());
        }
        spans
    }
}

/// True if a word may begin or end at a place.
pub fn is_edge(text: &str, offset: usize) -> bool {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.is_char_boundary(offset)
        && !(text[..offset].ends_with(is_in_word) && text[offset..].starts_with(is_in_word))
}

fn hold_word(texts: &[&str], word: &str) -> bool {
    let finder = memmem::Finder::new(word);
    let is_whole = |text: &str, offset| is_edge(text, offset) && is_edge(text, offset + word.len());
    texts.iter().any(|text| finder.find_iter(text.as_bytes()).any(|offset| is_whole(text, offset)))
}

/// The words of a text that may be base64, of either alphabet, with what they mean.
fn base64_words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    ["+/", "-_"].into_iter().flat_map(move |marks| {
        let is_other = move |c: char| !c.is_ascii_alphanumeric() && !marks.contains(c);
        let words = text.split(is_other).filter(|word| word.len() >= SHORTEST_BASE64);
        words.filter_map(move |word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let rest = &text[start + word.len()..];
            let padding = rest.len() - rest.trim_start_matches('=').len();
            Some((start..start + word.len() + padding, from_base64(word)?))
        })
    })
}

/// True if a word is one of a list, in any case.
pub(super) fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| word.eq_ignore_ascii_case(listed))
}

/// Returns the secrets that a secret consists of; each may consist of more.
fn secrets_within(value: &str) -> Vec<String> {
    let by_form = word_parts(value, Secrecy::Parts).into_iter().map(|part| value[part].to_owned());
    let mut found: Vec<String> = by_form.collect();
    // Of a `streamid` of SRT only some names are those of secrets.
    if !value.starts_with("#!::") {
        let password = value.split_once(':').map(|(_login, password)| password);
        found.extend(password.into_iter().chain(behind_scheme(value)).chain(pairs(value)).map(str::to_owned));
        found.extend(from_base64(value).filter(|meant| meant.contains(':')));
    }
    found
}

/// Decodes base64 of either alphabet, if it is text.
fn from_base64(word: &str) -> Option<String> {
    let word = word.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let meant = String::from_utf8(BASE64_STANDARD_NO_PAD.decode(word).ok()?).ok()?;
    (!meant.contains(char::is_control)).then_some(meant)
}

/// The token of `Bearer TOKEN`, the parameters of `Digest …`. A scheme that is not known has a token that no
/// sentence has: two words of small letters are a password.
fn behind_scheme(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim_start().split_once(' ')?;
    let rest = rest.trim();
    let is_token = || !rest.contains(char::is_whitespace) && rest.contains(|c: char| !c.is_lowercase());
    (is_one_of(ORDINARY, scheme) || (scheme.bytes().all(is_name_byte) && is_token())).then_some(rest)
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
    let secret = pairs.filter(|(name, _)| !is_one_of(OPEN_NAMES, name));
    secret.map(|(_, value)| value.trim_matches('"')).filter(|value| !value.is_empty())
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
        let secrets = SecretValues::collect([&document]);
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
            (
                "`view_auth` may read; changes need `edit_auth`",
                "`view_auth` may read; changes need `edit_auth`",
            ),
            (
                "`edit_auth` is `edit_auth a b;`",
                "`edit_auth` is `edit_auth <secret:000000> <secret:000000>;`",
            ),
            ("no \u{e9}\u{20ac} here", "no \u{e9}\u{20ac} here"),
            ("", ""),
        ] {
            assert_eq!(secrets.masked(text, &Masker::Opaque), expected);
        }
        assert_eq!(SecretValues::default().masked("S3CRET", &Masker::Opaque), "S3CRET");
    }

    /// The ways to write secrets into a configuration; `HUSH` is one in the text that comes back.
    const PLACES: [(&str, &[&str]); 12] = [
        ("edit_auth admin {};", &["Hush-one"]),
        ("edit_auth admin \"{}\";", &["Hush two\u{e9}/?&%x"]),
        ("stream a { url http://h/ headers.Authorization=\"Bearer {}\"; }", &["Hush.tok-en_1"]),
        ("stream a { header Authorization Bearer {}; }", &["Hush.tok-en_1"]),
        ("header \"Authorization: Custom {}\";", &["Hush1"]),
        ("header \"Cookie: sess={}; other={}; Path=/app; HttpOnly\";", &["Hush=1", "hush2"]),
        (
            "header \"Authorization: Digest username=\\\"bob\\\", realm=\\\"zone\\\", response=\\\"{}\\\"\";",
            &["6629fae4"],
        ),
        ("header \"Authorization: Basic YWRtaW46SHVzaC1wYXNz\";", &["Hush-pass", "admin:Hush-pass"]),
        ("header Authorization Basic YWRtaW46SHVzaC1wYXNz;", &["Hush-pass"]),
        ("stream a { url rtsp://bob:{}@h/; url bob:{}@h; }", &["Hush%40pass", "Hush~7"]),
        ("stream a { url http://h/?x=1&token={}&apiKey={}&path=2; }", &["Hush%2Fx", "hush8"]),
        ("stream a { url \"srt://h:1?streamid=#!::r=live,m=publish,s={}\"; }", &["hush9"]),
    ];

    /// The ways in which a program writes a value.
    fn spellings(value: &str) -> Vec<String> {
        use base64::Engine as _;
        use base64::prelude::{
            BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD,
        };
        use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

        let meant = percent_decode_str(value).decode_utf8_lossy();
        let mut all = vec![value.to_owned(), meant.clone().into_owned()];
        all.push(meant.bytes().map(|byte| format!("%{byte:02x}")).collect());
        all.push(utf8_percent_encode(&meant, NON_ALPHANUMERIC).to_string());
        all.push(serde_json::to_string(&meant).expect("JSON can be written"));
        all.push(meant.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect());
        for of in [
            meant.clone().into_owned(),
            format!("admin:{meant}"),
            format!("bob:{meant}"),
            format!("x?{meant}"),
        ] {
            for engine in [BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD] {
                all.push(engine.encode(&of));
            }
        }
        let again: Vec<String> =
            all.iter().map(|one| utf8_percent_encode(one, NON_ALPHANUMERIC).to_string()).collect();
        all.extend(again);
        all
    }

    #[test]
    fn no_part_of_a_secret_comes_back_in_any_spelling() {
        for (place, secrets) in PLACES {
            let text = secrets.iter().fold(place.to_owned(), |text, secret| text.replacen("{}", secret, 1));
            let document = Document::parse(&*format!("{text}\nrtsp 554;\n"));
            let values = SecretValues::collect([&document]);
            for spelled in secrets.iter().flat_map(|secret| spellings(secret)) {
                for said in [
                    format!("it is {spelled} there"),
                    format!("{spelled}\n"),
                    format!("line 3: '{spelled}', wrong"),
                    format!("http://h/live?a={spelled}&b=1"),
                    format!("Authorization: Bearer {spelled}"),
                ] {
                    let masked = values.masked_values(&said, &Masker::Opaque);
                    assert!(
                        !masked.contains(&spelled) && masked.contains("<secret:"),
                        "{text}: {said}: {masked}"
                    );
                }
            }
            let plain =
                "Bearer Basic Digest Custom username realm Path=/app path; HttpOnly live publish it is true";
            assert_eq!(values.masked_values(plain, &Masker::Opaque), plain, "{text}");
        }
    }

    #[test]
    fn a_short_password_behind_a_login_is_found_in_base64() {
        let document = Document::parse("edit_auth admin abc;\nview_auth v stream;\nstream s;\n");
        let values = SecretValues::collect([&document]);
        for (text, masked) in [
            ("YWRtaW46YWJj", "<secret:000000>"),
            ("bob: djpzdHJlYW0=!", "bob: <secret:000000>!"),
            ("djpv", "djpv"),
        ] {
            assert_eq!(values.masked_values(text, &Masker::Opaque), masked);
        }
    }

    #[test]
    fn a_secret_is_taken_apart() {
        for (value, expected) in [
            ("S3CRET", &[][..]),
            ("two words", &[]),
            ("Bearer abc", &["abc", "abc"]),
            ("bearer  a b", &["a b", "a b"]),
            ("Custom aB1", &["aB1"]),
            ("admin:p:w", &["p:w"]),
            ("sess=V1; other=V2; Path=/app; HttpOnly", &["V1", "V2"]),
            ("id=\"a;b\", realm=\"r\"", &["a;b"]),
            ("Digest username=\"u\", response=\"r\"", &["r", "username=\"u\", response=\"r\"", "r"]),
            ("username=\"u\", response=\"r\", nc=1", &["r", "r"]),
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
            assert!(is_one_of(ORDINARY, word), "{word}");
        }
        assert!(!is_one_of(ORDINARY, "S3CRET"));
    }

    #[test]
    fn base64_is_found_with_its_padding() {
        let text = "sent /live/YWRtaW46cHc= and ID-YWRtaW46cHc8Pz8_ here";
        let found: Vec<_> = base64_words(text).map(|(place, meant)| (&text[place], meant)).collect();
        assert!(found.contains(&("YWRtaW46cHc=", "admin:pw".to_owned())), "{found:?}");
        assert_eq!(base64_words("a text without any").count(), 0);
    }
}

//! Finds the parts of a text that are secret by their form: userinfo, `password=…`, and the like.

use std::ops::Range;

use super::names::{
    Secrecy, is_key_byte, is_name_byte, is_no_blank, is_secret_key, is_secret_name, meant, trimmed_start,
};
use crate::syntax::floor_char_boundary;

/// The kind of a text, which decides where a secret in it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// One word of a configuration; blanks in it were quoted.
    Word,
    /// A message, a comment, an address on the command line: blanks and quotes end a word.
    Prose,
}

/// The secret parts of one word of a configuration, in order, not overlapping.
pub fn word_parts(word: &str, secrecy: Secrecy) -> Vec<Range<usize>> {
    match secrecy {
        Secrecy::Whole if word.is_empty() => Vec::new(),
        Secrecy::Whole => vec![whole(word)],
        Secrecy::Parts => match behind_name(word) {
            None => parts(word, Reach::Word),
            Some(glued) => merged([parts(word, Reach::Word), vec![glued]].concat()),
        },
        Secrecy::Push => {
            let mut found = parts(word, Reach::Word);
            found.extend(push_key(word));
            found.extend(behind_name(word));
            merged(found)
        }
    }
}

/// What stands behind the name of a secret in the same word, where what should part them is no blank of the language:
/// `password:…`, or a blank that was copied from a page.
fn behind_name(word: &str) -> Option<Range<usize>> {
    let name_at = word.len() - trimmed_start(word).len();
    let name_end = name_at + word[name_at..].bytes().take_while(|byte| is_name_byte(*byte)).count();
    let rest = &word[name_end..];
    let is_parted = rest.starts_with(|c: char| c == ':' || is_no_blank(c)) && !rest.starts_with("://");
    let value = rest.trim_start_matches(|c: char| c == ':' || c == ' ' || is_no_blank(c));
    let is_secret = is_parted && is_secret_name(&word[name_at..name_end]);
    is_secret.then(|| part(word.len() - value.len(), value)).flatten()
}

/// The secret parts of a text of several words, in order, not overlapping.
pub fn prose_parts(text: &str) -> Vec<Range<usize>> {
    parts(text, Reach::Prose)
}

/// The ranges in their order, those that overlap as one.
pub fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn whole(text: &str) -> Range<usize> {
    0..text.len()
}

fn parts(text: &str, reach: Reach) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut offset = 0;
    let at_sign_from = |from: usize| memchr::memchr(b'@', &text.as_bytes()[from..]).map(|found| from + found);
    let mut at_sign = at_sign_from(0);
    while let Some(found) = memchr::memchr3(b':', b'=', b'%', &text.as_bytes()[offset..]) {
        let mark = offset + found;
        let before = parts.len();
        if at_sign.is_some_and(|sign| sign < mark) {
            at_sign = at_sign_from(mark);
        }
        let may_be_login = || at_sign.is_some_and(|sign| sign - mark <= LONGEST_LOGIN);
        match text.as_bytes()[mark] {
            b':' if text[mark..].starts_with("://") => parts.extend(authority(text, mark, reach)),
            b':' if text[..mark].ends_with("#!") => stream_id(text, mark, reach, &mut parts),
            b':' => parts.extend(
                member(text, mark, reach)
                    .or_else(|| may_be_login().then(|| loose_userinfo(text, mark, reach)).flatten()),
            ),
            b'%' => parts.extend(assigned_encoded(text, mark, reach)),
            _ => parts.extend(assigned(text, mark, reach)),
        }
        offset = parts[before..].last().map_or(mark + 1, |part| part.end.max(mark + 1));
    }
    parts
}

/// No userinfo and no `streamid` is longer; a bound, so that no word makes the scan quadratic.
const LONGEST: usize = 4096;

/// The most bytes of a user and password without a scheme in front of them.
const LONGEST_LOGIN: usize = 256;

/// The most bytes of a key in front of an encoded `=`.
const LONGEST_KEY: usize = 64;

/// The number of times that an address may be encoded: it may stand in the query of another one, which
/// stands in a third one.
const ENCODINGS: usize = 4;

/// The characters that may stand behind an address in a sentence.
const PUNCTUATION: [char; 8] = ['`', '\'', '>', ')', ',', '.', ';', ':'];

/// The scheme whose address is a key.
const SECURETOKEN: &str = "securetoken";

/// `user:password` of `scheme://user:password@host`, or all of `securetoken://KEY`, where the colon
/// stands at `colon`.
fn authority(text: &str, colon: usize, reach: Reach) -> Option<Range<usize>> {
    let start = colon + "://".len();
    let rest = &text[start..];
    if name_before(text, colon).eq_ignore_ascii_case(SECURETOKEN) {
        return part(start, until(rest, &[' ', '?', ';', '"']));
    }
    let rest = beginning(rest, LONGEST);
    let url = match reach {
        Reach::Word => rest,
        Reach::Prose => until(rest, &[' ', '\t', '\r', '\n', '"']).trim_end_matches(PUNCTUATION),
    };
    userinfo(url).map(|end| start..start + end)
}

/// The length of the userinfo at the start of `rest`, the text behind `://`.
///
/// RFC 3986 ends the authority at the first `/`. Passwords with a raw `/` occur all the same, so if the
/// text before it can't be a host with a port, the last `@` counts.
fn userinfo(rest: &str) -> Option<usize> {
    let authority = until(rest, &['/', '?', '#']);
    let has_port =
        authority.rsplit_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let is_host = has_port || authority.starts_with('[');
    let end = match authority.rfind('@') {
        Some(offset) => offset,
        None if is_host => return None,
        // Text that is no host with a port is taken for userinfo, which may have been cut off.
        None => rest.rfind('@').unwrap_or(authority.len()),
    };
    (end > 0).then_some(end)
}

/// `user:password` of `user:password@host`, `//user:password@host`, `rtsp//user:password@host` and the like, where
/// the colon behind the user stands at `colon`: an address whose scheme is missing or mistyped.
fn loose_userinfo(text: &str, colon: usize, reach: Reach) -> Option<Range<usize>> {
    let is_edge = |c: char| c.is_whitespace() || "\"'`=(,;".contains(c);
    let login = ending(&text[..colon], LONGEST_LOGIN).rsplit(|c| c == '/' || is_edge(c)).next()?;
    let start = colon - login.len();
    // In front of the user stands the beginning of the word, or a scheme with slashes.
    let slashes = text[..start].trim_end_matches('/');
    let scheme = slashes.strip_suffix(':').filter(|_| slashes.len() < start).unwrap_or(slashes);
    let before = &scheme[..scheme.len() - name_before(scheme, scheme.len()).len()];
    let is_beginning = slashes.len() < start || scheme.len() == start;
    if login.is_empty() || !is_beginning || before.chars().next_back().is_some_and(|c| !is_edge(c)) {
        return None;
    }
    let rest = beginning(&text[start..], login.len() + LONGEST_LOGIN);
    let rest = match reach {
        Reach::Word => rest,
        Reach::Prose => &rest[..rest.find(is_edge).unwrap_or(rest.len())],
    };
    let end = userinfo(rest).filter(|end| rest[*end..].starts_with('@') && *end > login.len() + 1)?;
    let has_host = rest[end + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '[');
    has_host.then_some(start..start + end)
}

fn ending(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..floor_char_boundary(text, most)]
}

/// The value of `password=…` and the like, where the `=` stands at `equals`.
///
/// In a query it ends at the next `&`; an option of its own, such as `"password=two words"`, is one to
/// its end.
fn assigned(text: &str, equals: usize, reach: Reach) -> Option<Range<usize>> {
    let name = name_before(text, equals);
    let start = equals + 1;
    if name.eq_ignore_ascii_case("streamid") && text[start..].starts_with('%') {
        // An encoded value is masked whole.
        return part(start, until_end(&text[start..], reach));
    }
    let key = ending_of(text, equals, is_key_byte);
    let before = text[..equals - key.len()].chars().next_back();
    let is_secret = if matches!(before, Some('?' | '&')) { is_secret_key } else { is_secret_name };
    let clear = meant(key);
    // What was encoded may have been a whole address: its last name counts.
    if !is_secret(name) && !is_secret(ending_of(&clear, clear.len(), is_key_byte)) {
        return None;
    }
    match (reach, before) {
        (Reach::Word, None) => part(start, &text[start..]),
        (Reach::Prose, Some(quote @ ('"' | '\''))) => part(start, until(&text[start..], &[quote, '\n'])),
        _ => part(start, until_end(&text[start..], reach)),
    }
}

/// The value of `password%3D…`, where the percent sign stands at `percent`. What was encoded more than once has
/// `%253D` there.
fn assigned_encoded(text: &str, percent: usize, reach: Reach) -> Option<Range<usize>> {
    let sign = &text[percent + 1..];
    let digits = sign.trim_start_matches("25");
    let encodings = 1 + (sign.len() - digits.len()) / "25".len();
    let value = digits.strip_prefix("3D").or_else(|| digits.strip_prefix("3d"))?;
    let near = ending(&text[..percent], LONGEST_KEY);
    let key = ending_of(near, near.len(), is_key_byte);
    let before = near[..near.len() - key.len()].chars().next_back();
    let decoded = |key: String, _| meant(&key).into_owned();
    let clear = (0..encodings.min(ENCODINGS)).fold(key.to_owned(), decoded);
    let name = ending_of(&clear, clear.len(), is_key_byte);
    let before = clear[..clear.len() - name.len()].chars().next_back().or(before);
    let is_secret = if matches!(before, Some('?' | '&')) { is_secret_key } else { is_secret_name };
    let is_stream_id = name.eq_ignore_ascii_case("streamid") && value.starts_with('%');
    (is_secret(name) || is_stream_id)
        .then(|| part(text.len() - value.len(), until_end(value, reach)))
        .flatten()
}

/// The value of `"password": "…"`, as JSON in a message has it, and of `Authorization: …`.
fn member(text: &str, colon: usize, reach: Reach) -> Option<Range<usize>> {
    let before = &text[..colon];
    let quoted = before.strip_suffix('"');
    let name = name_before(quoted.unwrap_or(before), quoted.unwrap_or(before).len());
    if !is_secret_name(name) {
        return None;
    }
    let behind = &text[colon + 1..];
    let value = behind.trim_start();
    let start = text.len() - value.len();
    match (quoted, reach) {
        (Some(_), _) => match value.strip_prefix('"') {
            Some(inside) => part(start + 1, &inside[..closing_quote(inside)]),
            None => part(start, until(value, &[',', '}', ']', '\n'])),
        },
        (None, Reach::Word) if behind.starts_with(' ') => part(start, value),
        (None, _) => None,
    }
}

fn closing_quote(inside: &str) -> usize {
    let mut escaped = false;
    let found = inside.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    found.unwrap_or(inside.len())
}

/// Names in the `streamid` of SRT whose values are secrets, beside those of the table.
fn is_secret_in_stream_id(name: &str) -> bool {
    matches!(name, "s" | "k")
        || name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("pass"))
        || is_secret_key(name)
}

/// The secrets in `#!::r=live,s=secret`, where the first colon stands at `colon`.
fn stream_id(text: &str, colon: usize, reach: Reach, parts: &mut Vec<Range<usize>>) {
    let start = colon + "::".len();
    if !text[colon..].starts_with("::") {
        return;
    }
    let mut offset = start;
    for pair in until_end(beginning(&text[start..], LONGEST), reach).split(',') {
        if let Some((name, value)) = pair.split_once('=').filter(|(name, _)| is_secret_in_stream_id(name)) {
            let value_at = offset + name.len() + 1;
            parts.extend(part(value_at, value));
        }
        offset += pair.len() + 1;
    }
}

/// The last segment of the path of an RTMP address.
fn push_key(word: &str) -> Option<Range<usize>> {
    let (scheme, rest) = word.split_once("://")?;
    let scheme = scheme.trim_start_matches('"');
    let is_rtmp = scheme.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rtmp"));
    let start = word.len() - rest.len();
    let path_at = until(rest, &['/', '?', '#']).len();
    let path = until(&rest[path_at..], &['?', '#', '"']).trim_end_matches('/');
    let key_at = path.rfind('/')? + 1;
    is_rtmp.then(|| part(start + path_at + key_at, &path[key_at..])).flatten()
}

fn part(start: usize, text: &str) -> Option<Range<usize>> {
    (!text.is_empty()).then_some(start..start + text.len())
}

/// The name that ends at `end`.
fn name_before(text: &str, end: usize) -> &str {
    ending_of(text, end, is_name_byte)
}

/// Returns the longest part that ends at `end` and has only such bytes.
fn ending_of(text: &str, end: usize, is_inside: fn(u8) -> bool) -> &str {
    let len = text.as_bytes()[..end].iter().rev().take_while(|byte| is_inside(**byte)).count();
    &text[end - len..end]
}

fn until_end(text: &str, reach: Reach) -> &str {
    match reach {
        Reach::Word => until(text, &['&']),
        Reach::Prose => until(text, &['&', ' ', '\t', '\r', '\n', ';', '"']),
    }
}

fn until<'t>(text: &'t str, ends: &[char]) -> &'t str {
    &text[..text.find(ends).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Vec<Range<usize>>, text: &str, secrets: &[&str]) {
        let found: Vec<&str> = found.into_iter().map(|part| &text[part]).collect();
        assert_eq!(found, secrets, "{text}");
    }

    #[test]
    fn parts_that_are_secret_by_their_form() {
        for (value, secrets) in [
            ("rtsp://admin:pw@10.0.0.1:554/h264", &["admin:pw"][..]),
            ("rtsp://admin:p@ss@h/x", &["admin:p@ss"]),
            ("rtsp://admin:p/w@h/x", &["admin:p/w"]),
            ("http://host:80/a@2x.png", &[]),
            ("http://[::1]/x", &[]),
            ("http://admin:SECR", &["admin:SECR"]),
            ("udp://@239.0.0.1:1234", &[]),
            ("swift://user=U&password=P&region=1@proxy/b", &["user=U&password=P&region=1"]),
            ("http://h/x?a=1&token=abc&b=2", &["abc"]),
            ("http://h/x?pwd=abc&PassPhrase=d", &["abc", "d"]),
            ("http://u:p@h/x?x-api-key=abc", &["u:p", "abc"]),
            ("key=mysecret", &["mysecret"]),
            ("http://h/x?%74oken=abc&b=2", &["abc"]),
            ("http://h/x?a=1&token%5B%5D=abc&token[]=d&user[password]=e", &["abc", "d", "e"]),
            ("http://h/x?u=http%3A%2F%2Fh%2F%3Ftoken=abc", &["abc"]),
            ("http://h/x?off=100%password=abc", &["abc"]),
            ("http://h/x?token%3Dabc", &["abc"]),
            ("http://h/x?a=1&api%4Bey%3dabc&b=2", &["abc"]),
            ("http://h/x?auth%3Dabc", &["abc"]),
            ("http://h/x?u=http%3A%2F%2Fh%2F%3Fsid%3Dabc%26b%3D1&c=2", &["abc%26b%3D1"]),
            ("http://h/x?u=http%253A%252F%252Fh%252F%253Fauth%253Dabc&c=2", &["abc"]),
            ("srt://h:1?streamid%3D%23!::r%3Dlive%2Cs%3DS&latency=1", &["%23!::r%3Dlive%2Cs%3DS"]),
            ("http://h/x?monkey%3D1&off=100%&a%3D1&%3D", &[]),
            ("http://h/x?x=auth%3Dabc", &[]),
            ("http://h/x?auth=abc&sid=d&%61uth=e&pin=1234&OTP=f&sig=g", &["abc", "d", "e", "1234", "f", "g"]),
            ("srt://h:1?streamid=#!::r=live,sid=S,auth=A", &["S", "A"]),
            ("auth=false", &[]),
            ("sid=12", &[]),
            ("monkey=1", &[]),
            ("monkey:1", &[]),
            ("key", &[]),
            ("keyframe=1", &[]),
            ("region=eu", &[]),
            ("header.Authorization=Basic", &["Basic"]),
            ("securetoken://KEY/more?x=1", &["KEY/more"]),
            ("srt://h:1?streamid=#!::r=live,m=publish,s=S,u=me,passwd=P&latency=1", &["S", "P"]),
            ("srt://h:1?streamid=#!::r=live,k=K,apiKey=A", &["K", "A"]),
            ("http://h/x?X-Amz-Date=1&X-Amz-Signature=abc&userPassword=p", &["abc", "p"]),
            ("srt://h:1?streamid=%23!::r%3Dlive%2Cs%3DS&latency=1", &["%23!::r%3Dlive%2Cs%3DS"]),
        ] {
            check(word_parts(value, Secrecy::Parts), value, secrets);
            check(prose_parts(value), value, secrets);
        }
    }

    #[test]
    fn what_is_glued_to_the_name_of_a_secret_is_one() {
        for (value, secrets) in [
            ("password:abc", &["abc"][..]),
            ("password\u{a0}abc", &["abc"]),
            ("\u{200b}password\u{b}\u{3000}a b", &["a b"]),
            ("token:P@h/x", &["token:P@h/x"]),
            ("title\u{a0}abc", &[]),
            ("password:", &[]),
        ] {
            check(word_parts(value, Secrecy::Parts), value, secrets);
            check(word_parts(value, Secrecy::Push), value, secrets);
        }
        for name in ["\u{200b}password", "\u{feff}edit_auth\u{a0}", "\u{2060}publish_password"] {
            assert_eq!(Secrecy::from_name(name), Secrecy::Whole, "{name:?}");
        }
    }

    #[test]
    fn credentials_are_secret_whatever_the_scheme_looks_like() {
        for (value, secrets) in [
            ("rtsp//u:P@h/x", &["u:P"][..]),
            ("rtsp:/u:P@h/x", &["u:P"]),
            ("rtsp:///u:P@h/x", &["u:P"]),
            ("rtsp/u:P@h/x", &["u:P"]),
            ("//u:P@h/x", &["u:P"]),
            ("u:P@h/x", &["u:P"]),
            ("u:P@10.0.0.1:554/x", &["u:P"]),
            ("u:p:@P@[::1]:554", &["u:p:@P"]),
            ("me@mail.example:P@h/x", &["me@mail.example:P"]),
            ("rtsp:u:P@h/x", &["rtsp:u:P"]),
            ("rtsp:/u:p/w@h/x", &["u:p/w"]),
            ("streams.a.urls[0].url=u:P@h/x", &["u:P"]),
            ("udp:@239.0.0.1:1234", &[]),
            ("udp//@239.0.0.1:1234", &[]),
            ("localhost:80/a@2x.png", &[]),
            ("http://localhost:80/x:y/a@b", &[]),
            ("registry:5000/image@sha256:0", &[]),
            ("git@example.org:group/name", &[]),
            ("u:P@", &[]),
            ("<secret:012345>@h/x", &["<secret:012345>"]),
            ("12:30", &[]),
        ] {
            check(word_parts(value, Secrecy::Parts), value, secrets);
            check(prose_parts(value), value, secrets);
        }
        check(prose_parts("the source `u:P@h/x` is wrong"), "the source `u:P@h/x` is wrong", &["u:P"]);
        check(prose_parts("set url: u:P@h, and on"), "set url: u:P@h, and on", &["u:P"]);
        check(prose_parts("at 12:30 me@h"), "at 12:30 me@h", &[]);
    }

    #[test]
    fn a_word_is_secret_to_its_end_and_a_message_to_the_end_of_a_word() {
        for (value, in_word, in_prose) in [
            ("password=two words", "two words", "two"),
            ("http://h/?token=two words&b=2", "two words", "two"),
            ("rtsp://u:two words@h/", "u:two words", "u:two"),
        ] {
            check(word_parts(value, Secrecy::Parts), value, &[in_word]);
            check(prose_parts(value), value, &[in_prose]);
        }
        for (text, secret) in [
            ("cannot read \"password=two words\" here", "two words"),
            (r#"{"password": "a \" b", "x": 1}"#, r#"a \" b"#),
            (r#"{"token":12345,"x":1}"#, "12345"),
            ("`http://u:pw`x@h`: refused", "u:pw`x"),
        ] {
            check(prose_parts(text), text, &[secret]);
        }
        for text in ["`http://127.0.0.1:80` says no", "(http://h:80), http://h:80.", "http://h:80: refused"] {
            check(prose_parts(text), text, &[]);
        }
        for (header, secret) in [("Authorization: Bearer x", "Bearer x"), ("Cookie: a=b; c=d", "a=b; c=d")] {
            check(word_parts(header, Secrecy::Parts), header, &[secret]);
        }
        check(prose_parts("password: expected a string"), "", &[]);
    }

    #[test]
    fn the_key_of_an_rtmp_push_is_the_end_of_its_path() {
        for (value, secrets) in [
            ("rtmp://h/live/KEY", &["KEY"][..]),
            ("RTMPS://h:443/rtmp/KEY?a=1", &["KEY"]),
            ("rtmp://u:p@h/live/KEY/", &["u:p", "KEY"]),
            ("rtmp://h/KEY", &["KEY"]),
            ("rtmp://h", &[]),
            ("http://h/live/x", &[]),
        ] {
            check(word_parts(value, Secrecy::Push), value, secrets);
        }
    }
}

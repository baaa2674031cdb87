//! Finds the parts of a text that are secret by their form: userinfo, `password=…`, and the like.

use std::ops::Range;

use super::names::{
    LOGIN_OPTIONS, Secrecy, glued_name, is_key_byte, is_name_byte, is_no_blank, is_secret_key,
    is_secret_name, meant,
};
use super::plain::Plain;
use crate::syntax::floor_char_boundary;

/// The kind of a text, which decides where a secret in it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The value of one word of a configuration; blanks in it were quoted.
    Word,
    /// A message, a comment, an address on the command line: blanks and quotes end a word.
    Prose,
}

/// No userinfo and no `streamid` is longer; a bound, so that no word makes the scan quadratic.
const LONGEST: usize = 4096;

/// The most bytes of a user and password without a scheme in front of them.
const LONGEST_LOGIN: usize = 256;

/// The most bytes of a header in front of its last parameter.
const LONGEST_HEADER: usize = 1024;

/// No tag of XML with the name of a secret is longer.
const LONGEST_TAG: usize = 256;

/// The number of times that a secret may be encoded: an address may stand in the query of another one, which stands in
/// a third one, or JSON in a string of JSON.
const ENCODINGS: usize = 4;

/// The characters that may stand behind an address in a sentence.
const PUNCTUATION: [char; 8] = ['`', '\'', '>', ')', ',', '.', ';', ':'];

/// The scheme whose address is a key.
const SECURETOKEN: &str = "securetoken";

/// The quotes around a name or a value.
const QUOTES: [char; 2] = ['"', '\''];

/// The secret parts of the value of one word of a configuration, in order, not overlapping.
pub fn word_parts(word: &str, secrecy: Secrecy) -> Vec<Range<usize>> {
    if secrecy == Secrecy::Whole {
        return part(0, word).into_iter().collect();
    }
    let mut found = parts(word, Reach::Word);
    found.extend(behind_name(word));
    if secrecy == Secrecy::Push {
        found.extend(push_key(word));
    }
    merged(found)
}

/// The secret parts of a text of several words, in order, not overlapping.
pub fn prose_parts(text: &str) -> Vec<Range<usize>> {
    merged(parts(text, Reach::Prose))
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

/// What stands behind the name of a secret that a word begins with.
fn behind_name(word: &str) -> Option<Range<usize>> {
    let rest = &word[glued_name(word)?..];
    let value = rest.trim_start_matches(|c: char| matches!(c, ':' | '=' | ' ') || is_no_blank(c));
    part(word.len() - value.len(), value)
}

/// The secrets in a text as it is written, and in what it means without escapes.
fn parts(text: &str, reach: Reach) -> Vec<Range<usize>> {
    let mut found = as_written(text, reach);
    let mut layers: Vec<Plain> = Vec::new();
    while layers.len() < ENCODINGS
        && let Some(plain) = Plain::unescaped(layers.last().map_or(text, |layer| &layer.text))
    {
        layers.push(plain);
        let text = &layers[layers.len() - 1].text;
        let outwards = |part| layers.iter().rev().fold(part, |part, layer| layer.place_of(&part));
        found.extend(as_written(text, reach).into_iter().map(outwards));
    }
    found
}

fn as_written(text: &str, reach: Reach) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut offset = 0;
    let at_sign_from = |from: usize| memchr::memchr(b'@', &text.as_bytes()[from..]).map(|found| from + found);
    let mut at_sign = at_sign_from(0);
    let is_mark = |byte: &u8| matches!(byte, b':' | b'=' | b'<' | b'-');
    while let Some(found) = text.as_bytes()[offset..].iter().position(is_mark) {
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
            b'<' => parts.extend(element(text, mark)),
            b'-' => parts.extend(option_of_program(text, mark)),
            _ => parts.extend(assigned(text, mark, reach)),
        }
        offset = parts[before..].last().map_or(mark + 1, |part| part.end.max(mark + 1));
    }
    parts
}

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

/// The value of `password=…` and the like, where the `=` stands at `equals`; of `password => …`, too.
///
/// In a query it ends at the next `&`; an option of its own, such as `"password=two words"`, is one to
/// its end.
fn assigned(text: &str, equals: usize, reach: Reach) -> Option<Range<usize>> {
    let is_arrow = text[equals + 1..].starts_with('>');
    let is_apart = is_arrow || text[..equals].ends_with(' ');
    if is_apart {
        return member(text, equals, reach);
    }
    let start = equals + 1;
    let key = ending_of(text, equals, is_key_byte);
    let before = text[..equals - key.len()].chars().next_back();
    let is_secret = |name: &str| match before {
        Some('?' | '&') => is_secret_key(name),
        _ => {
            is_secret_name(name)
                || (name == "response" && is_in_digest(ending(&text[..equals], LONGEST_HEADER)))
        }
    };
    let clear = meant(key);
    // What was encoded may have been a whole address: its last name counts.
    if !is_secret(name_before(text, equals)) && !is_secret(ending_of(&clear, clear.len(), is_key_byte)) {
        return None;
    }
    match (reach, before) {
        (Reach::Word, None) => part(start, &text[start..]),
        (Reach::Prose, Some(quote @ ('"' | '\''))) => part(start, until(&text[start..], &[quote, '\n'])),
        _ => quoted_value(text, start).or_else(|| part(start, until_end(&text[start..], reach))),
    }
}

/// True behind the name of the scheme of a header, in whose parameters a password is a hash.
fn is_in_digest(text: &str) -> bool {
    let scheme = "digest ";
    let mut words = text.as_bytes().windows(scheme.len());
    words.any(|window| window.eq_ignore_ascii_case(scheme.as_bytes()))
}

/// The value of `"password": "…"`, as JSON or a program has it, and of `Authorization: …`. The colon, or the arrow,
/// stands at `sign`.
fn member(text: &str, sign: usize, reach: Reach) -> Option<Range<usize>> {
    let before = &text[..sign];
    let quoted = before.trim_end_matches(' ').strip_suffix(QUOTES);
    let name = match quoted {
        Some(quoted) => quoted,
        None if text[sign..].starts_with('=') => before.trim_end_matches(' '),
        None => before,
    };
    let name = name_before(name, name.len());
    if !is_secret_name(name) {
        return None;
    }
    let behind = text[sign + 1..].trim_start_matches('>');
    let value = behind.trim_start();
    let start = text.len() - value.len();
    let is_apart = quoted.is_some() || text[sign..].starts_with('=');
    match (is_apart, reach) {
        (true, _) => quoted_value(text, start).or_else(|| {
            let list = value.strip_prefix('[').map(|list| &value[..=until(list, &[']']).len()]);
            let ends = if quoted.is_some() { &[',', '}', ']', '\n'][..] } else { &[',', '}', ' ', '\n'] };
            part(start, list.unwrap_or_else(|| until(value, ends)))
        }),
        (false, Reach::Word) if behind.starts_with(' ') => part(start, value),
        (false, Reach::Word) if !value.starts_with('/') && starts_word(text, sign - name.len()) => {
            part(start, until(value, &[' ', '"', '\'']))
        }
        (false, _) => None,
    }
}

/// What stands in the quotes that begin at `start`; `None` if more is glued to them.
fn quoted_value(text: &str, start: usize) -> Option<Range<usize>> {
    let quote = text[start..].chars().next().filter(|c| QUOTES.contains(c))?;
    let inside = &text[start + 1..];
    let mut escaped = false;
    let end = inside.find(|c: char| {
        let closes = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    let end = end.unwrap_or(inside.len());
    let behind = inside[end..].chars().nth(1);
    let is_glued = behind.is_some_and(|c| !c.is_whitespace() && !",;:&)]}>\"'\\".contains(c));
    if is_glued { None } else { part(start + 1, &inside[..end]) }
}

/// True if a word of a sentence, or a text in quotes, begins at `start`.
fn starts_word(text: &str, start: usize) -> bool {
    text[..start].ends_with(|c: char| c.is_whitespace() || QUOTES.contains(&c))
}

/// The content of `<password>…</password>`, whose `<` stands at `open`.
fn element(text: &str, open: usize) -> Option<Range<usize>> {
    let tag = until(beginning(&text[open + 1..], LONGEST_TAG), &['>']);
    let name = tag.split([' ', '\t', '\n']).next()?;
    let start = open + 1 + tag.len() + 1;
    // The digits of a mask may end like a name: `<secret:4V5ZIv>`.
    let is_mask = tag.strip_prefix("secret:").is_some_and(|digits| digits.len() == 6);
    let is_secret = !is_mask && is_secret_name(name.rsplit(':').next()?);
    is_secret.then(|| part(start, until(text.get(start..)?, &['<']))).flatten()
}

/// The value of `--password …` and `-u login:password`, where a `-` stands at `dash`.
fn option_of_program(text: &str, dash: usize) -> Option<Range<usize>> {
    if dash > 0 && !starts_word(text, dash) {
        return None;
    }
    let name = until(&text[dash..], &[' ', '=', '"', '\'']);
    let is_of_login = LOGIN_OPTIONS.contains(&name);
    if !is_of_login && !is_secret_name(name) {
        return None;
    }
    let value = text[dash + name.len()..].strip_prefix([' ', '='])?.trim_start();
    let start = text.len() - value.len();
    let word = || part(start, until(value, &[' ', '\t', '\r', '\n', '"', '\'']));
    let place = quoted_value(text, start).or_else(word)?;
    (!is_of_login || text[place.clone()].contains(':')).then_some(place)
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
            ("http://h/x?u=http%3A%2F%2Fh%2F%3Fsid%3Dabc%26b%3D1&c=2", &["abc"]),
            ("http://h/x?u=http%253A%252F%252Fh%252F%253Fauth%253Dabc&c=2", &["abc"]),
            ("srt://h:1?streamid%3D%23!::r%3Dlive%2Cs%3DS&latency=1", &["S"]),
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
            ("srt://h:1?streamid=%23!::r%3Dlive%2Cs%3DS&latency=1", &["S"]),
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

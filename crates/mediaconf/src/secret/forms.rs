//! Finds the parts of a text that are secret by their form: userinfo, `password=…`, and the like. A form is recognised in
//! what is meant, too: in the text without its quotes, and without the escapes of URLs and of JSON.

use std::ops::Range;

use memchr::memchr2;

use super::names::{
    LOGIN_OPTIONS, Secrecy, ends_name, glued_name, is_key_byte, is_name_byte, is_push, is_secret_key,
    is_secret_name, meant,
};
use crate::syntax::unquoted;

/// No userinfo, no header and no `streamid` is longer; a bound, so that no word makes the scan quadratic.
const LONGEST: usize = 4096;

/// The most bytes of a user and password without a scheme in front of them, and of a tag of XML.
const LONGEST_LOGIN: usize = 256;

/// The number of times that a secret may be encoded: an address may stand in the query of another one, which stands in
/// a third one, or JSON in a string of JSON.
const ENCODINGS: usize = 4;

/// The characters that may stand behind an address in a sentence.
const PUNCTUATION: [char; 8] = ['`', '\'', '>', ')', ',', '.', ';', ':'];

/// The quotes around a name or a value.
const QUOTES: [char; 2] = ['"', '\''];

/// The characters at which a word of a sentence ends.
const ENDS: [char; 5] = [' ', '\t', '\r', '\n', '"'];

/// Parts of a text.
pub type Ranges = Vec<Range<usize>>;

/// The secret parts of the value of one word of a configuration, in order, not overlapping.
pub fn word_parts(word: &str, secrecy: Secrecy) -> Ranges {
    if secrecy.hides(word) {
        return part(word, word).into_iter().collect();
    }
    let mut found = Vec::new();
    find(word, true, ENCODINGS, &mut found);
    // What stands behind the name of a secret that the word begins with.
    let glued = glued_name(word).map(|(_, rest)| rest.trim_start_matches(|c| c == ' ' || ends_name(c)));
    let scheme = word.split_once(' ');
    let token = scheme.filter(|(scheme, _)| ending(scheme, is_name_byte).eq_ignore_ascii_case("bearer"));
    let pushed = word.split_once([':', '=']).filter(|(name, _)| is_push(name));
    let pushed = pushed.or((secrecy == Secrecy::Push).then_some(("", word)));
    let key = pushed.and_then(|(_, address)| push_key(address));
    let secrets = [glued, token.map(|(_, token)| token.trim_start()), key].into_iter().flatten();
    found.extend(secrets.filter_map(|secret| part(word, secret)));
    merged(found)
}

/// The secret parts of a text of several words, in order, not overlapping.
pub fn prose_parts(text: &str) -> Ranges {
    let mut found = Vec::new();
    find(text, false, ENCODINGS, &mut found);
    merged(found)
}

/// The ranges in their order, those that overlap as one.
pub fn merged(mut ranges: Ranges) -> Ranges {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Ranges = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Finds the secrets in a text as it is written, and in what it means without escapes. Blanks in a word were quoted; in
/// a message, a comment, or an address on the command line, they end a word.
fn find(text: &str, is_word: bool, encodings: usize, found: &mut Ranges) {
    let mut scan = SecretScan { text, is_word, stream_id: 0 };
    let mut offset = 0;
    while let Some(mark) = text.as_bytes()[offset..].iter().position(|byte| b":=<-".contains(byte)) {
        let secret = scan.at(offset + mark).and_then(|secret| part(text, secret));
        offset = secret.as_ref().map_or(0, |secret| secret.end).max(offset + mark + 1);
        found.extend(secret);
    }
    if let Some(plain) = Plain::unescaped(text).filter(|_| encodings > 0) {
        let mut meant = Vec::new();
        find(&plain.text, is_word, encodings - 1, &mut meant);
        found.extend(meant.iter().map(|part| plain.place_of(part)));
    }
}

/// The place of a part of a text; `None` if it is empty.
pub fn part(text: &str, part: &str) -> Option<Range<usize>> {
    let start = (!part.is_empty()).then(|| part.as_ptr() as usize - text.as_ptr() as usize)?;
    Some(start..start + part.len())
}

struct SecretScan<'t> {
    text: &'t str,
    is_word: bool,
    /// The end of the last `streamid` of SRT.
    stream_id: usize,
}

impl<'t> SecretScan<'t> {
    /// The secret behind or around the mark at this place.
    fn at(&mut self, mark: usize) -> Option<&'t str> {
        let (before, rest) = self.text.split_at(mark);
        match rest.as_bytes()[0] {
            b':' if rest.starts_with("://") => self.userinfo(before, &rest["://".len()..]),
            b':' if before.ends_with("#!") && rest.starts_with("::") && mark >= self.stream_id => {
                self.stream_id = mark + self.value(beginning(rest, LONGEST), &[]).len();
                None
            }
            b':' => self.member(before, rest).or_else(|| self.login(before, rest)),
            b'=' if rest.starts_with("=>") || before.ends_with(' ') => self.member(before, rest),
            b'=' => self.assigned(before, &rest[1..]),
            b'<' => element(&rest[1..]),
            _ => option_of_program(before, rest),
        }
    }

    /// `user:password` of `scheme://user:password@host`, or all of `securetoken://KEY`.
    fn userinfo(&self, before: &str, rest: &'t str) -> Option<&'t str> {
        let scheme = ending(before, is_name_byte);
        if scheme.eq_ignore_ascii_case("securetoken") {
            return Some(until(rest, &[' ', '?', ';', '"']));
        }
        let url = beginning(rest, LONGEST);
        let url = if self.is_word { url } else { until(url, &ENDS).trim_end_matches(PUNCTUATION) };
        // In front of a multicast address stands the interface.
        userinfo(url).filter(|login| login.contains(':') || !matches!(scheme, "udp" | "rtp"))
    }

    /// `user:password` of `user:password@host`, `//user:password@host`, `rtsp//user:password@host` and the like: an
    /// address whose scheme is missing or mistyped. The colon behind the user is the start of `rest`.
    fn login(&self, before: &str, rest: &str) -> Option<&'t str> {
        let is_edge = |c: char| c.is_whitespace() || "\"'`=(,;".contains(c);
        if !beginning(rest, LONGEST_LOGIN).contains('@') {
            return None;
        }
        let near = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST_LOGIN))..];
        let user = near.rsplit(|c| c == '/' || is_edge(c)).next().filter(|user| !user.is_empty())?;
        let front = &before[..before.len() - user.len()];
        // In front of the user stands the beginning of the word, or a scheme with slashes.
        let mut edge = front;
        if front.ends_with('/') {
            let scheme = front.trim_end_matches('/').trim_end_matches(':');
            edge = &scheme[..scheme.len() - ending(scheme, is_name_byte).len()];
        }
        if !(edge.is_empty() || edge.ends_with(is_edge)) {
            return None;
        }
        let address = beginning(&self.text[front.len()..], user.len() + LONGEST_LOGIN);
        let end = if self.is_word { None } else { address.find(is_edge) };
        let login = userinfo(&address[..end.unwrap_or(address.len())])?;
        let host = address[login.len()..].strip_prefix('@')?;
        (login.len() > user.len() + 1 && host.starts_with(|c: char| c.is_alphanumeric() || c == '['))
            .then_some(login)
    }

    /// The value of `password=…` and the like.
    ///
    /// In a query it ends at the next `&`; an option of its own, such as `"password=two words"`, is one to
    /// its end.
    fn assigned(&self, before: &str, behind: &'t str) -> Option<&'t str> {
        let key = ending(before, is_key_byte);
        let front = &before[..before.len() - key.len()];
        let is_in_stream_id = before.len() < self.stream_id;
        let is_secret = |name: &str| match front.chars().next_back() {
            Some('?' | '&') => is_secret_key(name),
            // Beside those of the table.
            _ if is_in_stream_id => matches!(name, "s" | "k") || is_secret_key(name),
            _ if name == "auth" => until(behind, &ENDS).contains(':') && !behind.contains("://"),
            // In the parameters of `Digest`, a password is a hash.
            _ => is_secret_name(name) || name == "response" && behind.starts_with('"'),
        };
        let name = ending(before, is_name_byte);
        // What was encoded may have been a whole address: its last name counts.
        if !is_secret(name) && (name == key || !is_secret(ending(&meant(key), is_key_byte))) {
            return None;
        }
        Some(match (self.is_word, front.chars().next_back()) {
            (true, None) => behind,
            (false, Some(quote @ ('"' | '\''))) => until(behind, &[quote, '\n']),
            _ if is_in_stream_id => self.value(behind, &[',']),
            _ => quoted(behind).unwrap_or_else(|| self.value(behind, &[])),
        })
    }

    /// The value of `"password": "…"`, as JSON or a program has it, of `password => …`, and of `Authorization: …`. The
    /// sign between both is the start of `rest`.
    fn member(&self, before: &str, rest: &'t str) -> Option<&'t str> {
        let is_sign = rest.starts_with('=');
        let name = before.trim_end_matches(' ').strip_suffix(QUOTES);
        let is_quoted = name.is_some();
        let before = if is_sign || self.is_word { before.trim_end_matches(' ') } else { before };
        let name = ending(name.unwrap_or(before), is_name_byte);
        if !is_secret_name(name) {
            return None;
        }
        let behind = rest[1..].trim_start_matches('>');
        let value = behind.trim_start();
        if is_quoted || is_sign {
            let list = || value.starts_with('[').then(|| until(value, &[']']));
            let ends = if is_quoted { [',', '}', ']', '\n'] } else { [',', '}', ' ', '\n'] };
            return quoted(value).or_else(list).or_else(|| Some(until(value, &ends)));
        }
        let front = &before[..before.len() - name.len()];
        match self.is_word {
            true if behind.starts_with(' ') => Some(value),
            _ if value.starts_with('/') => None,
            // `header=Authorization:Basic …`
            true if front.ends_with('=') => Some(value),
            true if front.ends_with(starts_word) => Some(until(value, &[' ', '"', '\''])),
            _ => None,
        }
    }

    /// The value at the start of a text, which ends with the query or the word, or at one of `ends`.
    fn value(&self, text: &'t str, ends: &[char]) -> &'t str {
        let ends_prose = |c: char| !self.is_word && (c == ';' || ENDS.contains(&c));
        let end = text.find(|c: char| c == '&' || ends.contains(&c) || ends_prose(c));
        &text[..end.unwrap_or(text.len())]
    }
}

/// The userinfo at the start of the text behind `://`.
///
/// RFC 3986 ends the authority at the first `/`. Passwords with a raw `/` occur all the same, so if the
/// text before it can't be a host with a port, the last `@` counts.
fn userinfo(rest: &str) -> Option<&str> {
    let authority = until(rest, &['/', '?', '#']);
    let has_port =
        authority.rsplit_once(':').is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    match authority.rfind('@') {
        Some(end) => Some(&rest[..end]),
        None if has_port || authority.starts_with('[') => None,
        // Text that is no host with a port is taken for userinfo, which may have been cut off.
        None => Some(&rest[..rest.rfind('@').unwrap_or(authority.len())]),
    }
}

/// What stands in the quotes at the start of a text; `None` if more is glued to them.
fn quoted(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(QUOTES)?;
    let mut escaped = false;
    let end = inside.find(|c: char| {
        let closes = text.starts_with(c) && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    let (value, rest) = inside.split_at(end.unwrap_or(inside.len()));
    let is_glued = |c: char| !c.is_whitespace() && !",;:&)]}>\"'\\".contains(c);
    (!rest.chars().nth(1).is_some_and(is_glued) && !value.is_empty()).then_some(value)
}

/// True for what stands in front of a word of a sentence, or of a text in quotes.
fn starts_word(before: char) -> bool {
    before.is_whitespace() || QUOTES.contains(&before)
}

/// The content of `<password>…</password>`, without the first `<`.
fn element(text: &str) -> Option<&str> {
    let (tag, _) = beginning(text, LONGEST_LOGIN).split_once('>')?;
    let name = tag.split([' ', '\t', '\n']).next()?;
    // The digits of a mask may end like a name: `<secret:4V5ZIv>`.
    let is_mask = tag.strip_prefix("secret:").is_some_and(|digits| digits.len() == 6);
    (!is_mask && is_secret_name(name.rsplit(':').next()?)).then(|| until(&text[tag.len() + 1..], &['<']))
}

/// The value of `--password …` and `-u login:password`, which begins at the start of `rest`.
fn option_of_program<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    if !(before.is_empty() || before.ends_with(starts_word)) {
        return None;
    }
    let glued = until(rest, &ENDS).strip_prefix("-u").map(|login| login.trim_end_matches(QUOTES));
    if let Some(login) = glued.filter(|login| login.contains(':') && !login.contains("://")) {
        return Some(login);
    }
    let (name, value) = rest.split_at(until(rest, &[' ', '=', '"', '\'']).len());
    let is_of_login = LOGIN_OPTIONS.contains(&name);
    let value = value.strip_prefix([' ', '='])?.trim_start();
    let value = quoted(value).unwrap_or_else(|| until(until(value, &ENDS), &['\'']));
    (is_secret_name(name) || (is_of_login && value.contains(':'))).then_some(value)
}

/// The last segment of the path of an RTMP address.
fn push_key(word: &str) -> Option<&str> {
    let address = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_rtmp = address.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rtmp"));
    // Behind the scheme may stand other marks: `rtmp//`.
    let (_, rest) = address.split_once([':', '/']).filter(|_| is_rtmp)?;
    let path = until(rest.trim_start_matches([':', '/']), &['?', '#', '"', '\'']).trim_end_matches('/');
    path.rsplit_once('/').map(|(_, key)| key)
}

/// The longest part at the end of a text that has only such bytes.
fn ending(text: &str, is_inside: fn(u8) -> bool) -> &str {
    &text[text.len() - text.bytes().rev().take_while(|byte| is_inside(*byte)).count()..]
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn until<'t>(text: &'t str, ends: &[char]) -> &'t str {
    &text[..text.find(ends).unwrap_or(text.len())]
}

/// A text without its quotes, or without its escapes.
#[derive(Default)]
pub struct Plain {
    pub text: String,
    /// For each byte, the place of its character in the text as it is written.
    places: Vec<(usize, usize)>,
}

impl Plain {
    /// The value of a word. Of a line with several words, or with a quote that is not closed, the text without quotes.
    pub fn unquoted(raw: &str) -> Self {
        let mut plain = Self::default();
        unquoted(raw).for_each(|(place, c)| plain.push(c, place));
        plain
    }

    /// `None` for a text without escapes.
    pub fn unescaped(escaped: &str) -> Option<Self> {
        memchr2(b'%', b'\\', escaped.as_bytes())?;
        let mut plain = Self::default();
        let (mut at, mut is_escaped) = (0, false);
        while let Some(c) = escaped[at..].chars().next() {
            let meant = if c == '%' { of_url(&escaped[at..]) } else { of_json(&escaped[at..]) };
            let (c, length) = meant.unwrap_or((c, c.len_utf8()));
            plain.push(c, at..at + length);
            (at, is_escaped) = (at + length, is_escaped || meant.is_some());
        }
        is_escaped.then_some(plain)
    }

    fn push(&mut self, c: char, place: Range<usize>) {
        self.text.push(c);
        self.places.resize(self.text.len(), (place.start, place.end));
    }

    /// Returns the place of a part of the text, which is not empty, in the one as it is written.
    pub fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        self.places[part.start].0..self.places[part.end - 1].1
    }

    /// Returns the place of a part of the value of a word, with the quotes around it, if they hold nothing else. A mask in
    /// its place leaves it one word: where one of two quotes stands in the part, that is the place of the whole word.
    pub fn place_in_word(&self, raw: &str, part: &Range<usize>) -> Range<usize> {
        let Range { start, end } = self.place_of(part);
        let quotes_in = |text: &str| text.matches('"').count();
        if (quotes_in(&raw[start..end]) - quotes_in(&self.text[part.clone()])) % 2 == 1 {
            return 0..raw.len();
        }
        let is_behind_quote = start > part.start.checked_sub(1).map_or(0, |last| self.places[last].1);
        match is_behind_quote && raw[end..].starts_with('"') {
            true => start - 1..end + 1,
            false => start..end,
        }
    }
}

/// The character that `%XX` and those behind it begin with, and their length.
fn of_url(text: &str) -> Option<(char, usize)> {
    let escapes = text.as_bytes().chunks_exact(3).take(4);
    let bytes = escapes.map_while(|escape| {
        let digits = std::str::from_utf8(escape.strip_prefix(b"%")?).ok()?;
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
    });
    let bytes: Vec<u8> = bytes.collect();
    let meant = bytes.utf8_chunks().next()?.valid().chars().next()?;
    Some((meant, 3 * meant.len_utf8()))
}

/// The character that `\"`, `\u00e9` and the like mean, and their length.
fn of_json(text: &str) -> Option<(char, usize)> {
    let escape = text.strip_prefix('\\')?;
    match escape.chars().next()? {
        meant @ ('"' | '\\' | '/' | '\'') => Some((meant, 2)),
        'u' => Some((char::from_u32(u32::from_str_radix(escape.get(1..5)?, 16).ok()?)?, 6)),
        _ => None,
    }
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
            ("udp://eth0@239.0.0.1:1234", &[]),
            ("udp://u:p@239.0.0.1:1234", &["u:p"]),
            ("http://x?u=rtp%3A%2F%2F10.0.0.1%40239.0.0.1:1234", &[]),
            ("http://user@239.0.0.1:1234", &["user"]),
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
            ("'rtmp://h/live/KEY'", &["KEY"]),
            ("rtmp//h/live/KEY", &["KEY"]),
            ("puhs=rtmp://u:p@h/live/KEY", &["u:p", "KEY"]),
            ("push:rtmp:/h/live/KEY", &["KEY"]),
            ("rtmp://h", &[]),
            ("http://h/live/x", &[]),
        ] {
            check(word_parts(value, Secrecy::Push), value, secrets);
        }
    }

    #[test]
    fn escapes_are_read_and_keep_their_places() {
        for (text, meant) in [
            ("a%20b", Some("a b")),
            ("%c3%A9%ff%41%", Some("\u{e9}%ffA%")),
            (r#"p\"w\\ \u00e9\n"#, Some("p\"w\\ \u{e9}\\n")),
            ("100 % and C:\\x", None),
            ("%4", None),
            ("\\u12\u{e9}", None),
            ("", None),
        ] {
            let plain = Plain::unescaped(text);
            assert_eq!(plain.as_ref().map(|plain| plain.text.as_str()), meant, "{text}");
            if let Some(plain) = plain {
                assert_eq!(plain.place_of(&(0..plain.text.len())), 0..text.len());
            }
        }
        let plain = Plain::unescaped("x%20\u{e9}%41z").expect("it has escapes");
        assert_eq!(plain.place_of(&(2..5)), 4..9);
    }

    #[test]
    fn the_place_in_a_word_leaves_it_one_word() {
        for (raw, value, place) in [
            (r#""a b""#, "a b", r#""a b""#),
            (r#"x="a b""#, "a b", r#""a b""#),
            (r#"x=a"b c"d"#, "ab cd", r#"a"b c"d"#),
            (r#""x=a"b"#, "ab", r#""x=a"b"#),
            (r#""{\"p\":\"K\"}""#, "K", "K"),
            (r#""x=a\\b""#, "a\\b", "a\\\\b"),
        ] {
            let plain = Plain::unquoted(raw);
            let start = plain.text.find(value).expect(raw);
            let found = plain.place_in_word(raw, &(start..start + value.len()));
            assert_eq!(&raw[found], place, "{raw}");
        }
    }
}

//! Requests that are refused whatever they ask for: those of other sites' pages, coded bodies, and bodies in the form of
//! something else; and those that are redirected, because their path is another spelling of a path of the API. The server
//! does not carry these out at once: the rules of a proxy in front of it may not know the spelling.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::error::{Error, ErrorKind};
use crate::http::api::{Body, TEXT};
use crate::http::server::message::{Head, Response};
use mediaconf::Schema;

/// Refuses requests that a page of another site makes a browser send, because the browser adds the
/// password that it remembers.
pub fn refuse_cross_site(head: &Head) -> Result<(), Error> {
    let site = head.header("sec-fetch-site");
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = head.header("origin").is_some_and(|origin| {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        !head.header("host").is_some_and(|own| own.eq_ignore_ascii_case(host))
    });
    match is_foreign_site || is_foreign_origin {
        true => Err(Error::new(ErrorKind::CrossSite, "requests from pages of other sites are refused")),
        false => Ok(()),
    }
}

/// Refuses requests of other sites' pages for a file of the console, except a navigation of the browser to the page: a
/// link to it, such as in a ticket, has to work, and is safe, as the page has no password yet.
pub fn refuse_foreign_use(head: &Head) -> Result<(), Error> {
    let is = |name: &str, value: &str| head.header(name) == Some(value);
    let is_navigation = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    match is_navigation && head.header("origin").is_none() {
        true => Ok(()),
        false => refuse_cross_site(head),
    }
}

/// The registered content codings (IANA). Any other word is taken for a mistake of the client, and the
/// body for plain text.
const CODINGS: &str = "aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd";

/// Refuses a body in a content coding.
pub fn refuse_coding(head: &Head) -> Result<(), Error> {
    let codings = head.values("content-encoding").flat_map(|value| value.split(','));
    let mut codings = codings.map(|coding| coding.trim().to_ascii_lowercase());
    match codings.find(|coding| CODINGS.split(' ').any(|known| known == coding)) {
        Some(coding) => Err(Error::new(
            ErrorKind::ContentCoding,
            format!("the content coding `{coding}` is not supported; send the body without it"),
        )),
        None => Ok(()),
    }
}

/// The number of bytes that are searched for the name of the first field of a form.
const FIRST_FIELD: usize = 1024;

/// The header of a part of a multipart form.
const PART_HEADER: &[u8] = b"content-disposition: form-data";

/// Refuses a body that is an HTML form, or JSON where a text belongs; no valid body looks like one. The parser of patches
/// says so of a text where JSON belongs.
pub fn refuse_form(wanted: Body, body: &[u8]) -> Result<(), Error> {
    let (kind, noun) = match wanted {
        Body::None | Body::Checked => return Ok(()),
        Body::Patch | Body::Change => (ErrorKind::NotJson, "a JSON object"),
        Body::Text => (ErrorKind::BadConfig, "the text of a configuration"),
    };
    let body = Schema::without_bom(body).trim_ascii();
    let (sent, hint) = if wanted == Body::Text && is_json(body) {
        ("JSON", "send the text as it is: `curl --data-binary @FILE`; `modify_config` merges JSON")
    } else if is_form(body, wanted) {
        (
            "a form, as `curl -F` or `curl --data-urlencode` sends it",
            "send the content alone: `curl --data-binary @FILE`",
        )
    } else {
        return Ok(());
    };
    Err(Error::new(kind, format!("the body is {sent}; it has to be {noun}")).hint(hint))
}

fn is_json(body: &[u8]) -> bool {
    matches!(body.first(), Some(b'"' | b'{' | b'[')) && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

/// True for a multipart form, and for `name=value&…`. A configuration has characters that a form would encode.
fn is_form(body: &[u8], wanted: Body) -> bool {
    let start = &body[..body.len().min(FIRST_FIELD)];
    let is_header = |window: &[u8]| window.eq_ignore_ascii_case(PART_HEADER);
    if start.starts_with(b"--") && start.windows(PART_HEADER.len()).any(is_header) {
        return true;
    }
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte);
    let is_plain = |byte: &u8| byte.is_ascii_whitespace() || b";{}#\"'".contains(byte);
    let Some(end) = start.iter().position(|byte| *byte == b'=') else { return false };
    start[0].is_ascii_alphabetic()
        && start[..end].iter().all(is_of_name)
        && (wanted != Body::Text || !body.iter().any(is_plain))
}

/// The status that keeps method and body (RFC 9110, section 15.4.9).
const PERMANENT_REDIRECT: u16 = 308;

/// Returns the canonical spelling of a path: one slash between segments, none at the end, and unreserved
/// characters as they are (RFC 3986, section 6.2.2). A path with dot segments has none but its own:
/// clients resolve them before they send a path.
pub fn canonical(path: &str) -> Cow<'_, str> {
    let plain = decoded(path);
    let segments: Vec<&str> = plain.split('/').filter(|segment| !segment.is_empty()).collect();
    if !path.starts_with('/') || segments.iter().any(|segment| matches!(*segment, "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("/{}", segments.join("/")))
}

/// Returns the redirect to the canonical path if that one leads anywhere. The new location is a path of
/// this server, never another host: it starts with one slash.
pub fn to_canonical(head: &Head, leads_anywhere: impl FnOnce(&str) -> bool) -> Option<Response> {
    let (path, query) = head.target.split_at(head.path().len());
    let canonical = canonical(path);
    if canonical == path || !leads_anywhere(&canonical) {
        return None;
    }
    let location = format!("{canonical}{query}");
    let body = format!("the path is {canonical}; nothing was done here\n");
    let response = Response { status: PERMANENT_REDIRECT, ..Response::ok(TEXT, body.into_bytes()) };
    Some(response.with("Location", location))
}

/// Decodes `%XX` where it stands for a letter, a digit, or one of `-._~`.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(unreserved) {
            Some(character) => plain.extend([&*String::from(character), &part[2..]]),
            None => plain.extend(["%", part]),
        }
    }
    plain
}

fn unreserved(digits: &str) -> Option<char> {
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)).then(|| char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::server::message::PeerAddress;

    #[test]
    fn each_path_has_one_canonical_spelling() {
        for (path, expected) in [
            ("/media/api/read_config", "/media/api/read_config"),
            ("//media///api/read_config//", "/media/api/read_config"),
            ("/media/api/read%5fconfig", "/media/api/read_config"),
            ("/%6D%65dia/api/%7e%2D", "/media/api/~-"),
            ("/a%2fb/%C3%A9/%zz/%5", "/a%2fb/%C3%A9/%zz/%5"),
            // Decoded once.
            ("/%2541", "/%2541"),
            ("/%+1", "/%+1"),
            ("/a/../b//", "/a/../b//"),
            ("/a/%2e%2E/b", "/a/%2e%2E/b"),
            ("/./a", "/./a"),
            ("//", "/"),
            ("/", "/"),
            ("*", "*"),
            ("", ""),
        ] {
            assert_eq!(canonical(path), expected, "{path}");
            assert_eq!(canonical(&canonical(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_location_is_a_path_with_the_query_as_it_was_sent() {
        let location = |target: &str| {
            let head = Head {
                method: "POST".to_owned(),
                target: target.to_owned(),
                headers: Vec::new(),
                peer: PeerAddress::Uid(0),
                unread: false,
            };
            let response = to_canonical(&head, |path| path.starts_with("/a"))?;
            assert_eq!(response.status, 308);
            let (_, location) = response.headers.into_iter().find(|(name, _)| *name == "Location")?;
            Some(location)
        };
        assert_eq!(location("//a/?b=//c/%41?"), Some("/a?b=//c/%41?".to_owned()));
        assert_eq!(location("//a?"), Some("/a?".to_owned()));
        for target in ["/a", "/a?b=//c/", "//evil.example", "//evil.example/a", "/b/", "*", "/..//a"] {
            assert_eq!(location(target), None, "{target}");
        }
    }
    #[test]
    fn forms_and_json_are_told_from_what_operations_take() {
        let multipart = "--x1\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhttp 80;\r\n--x1--\r\n";
        for (wanted, body, is_refused) in [
            (Body::Patch, "\u{feff}{\"rtmp\":1}", false),
            (Body::Patch, "[]", false),
            (Body::Text, " \"http 80;\\nrtmp 1;\"\r\n", true),
            (Body::Text, "\"\"", true),
            (Body::Text, "{\"rtmp\":1}", true),
            (Body::Text, "[]", true),
            (Body::Text, "\"http\" 80; # \"", false),
            (Body::Text, "", false),
            (Body::Patch, "data=%7B%22rtmp%22%3A1%7D", true),
            (Body::Patch, "data={\"rtmp\":1}", true),
            (Body::Patch, "a[b]=1&c=2\n", true),
            (Body::Patch, multipart, true),
            (Body::Patch, "{\"a\":\"b=c\"}", false),
            (Body::Patch, "", false),
            (Body::Patch, "=x", false),
            (Body::Text, "config=http+80%3B%0A", true),
            (Body::Text, multipart, true),
            (Body::Text, "a=b;", false),
            (Body::Text, "a=b c;", false),
            (Body::Text, "http 80;\nedit_auth a b=c;\n", false),
            (Body::Text, "# a=b", false),
            (Body::None, "data=%7B%7D", false),
        ] {
            assert_eq!(refuse_form(wanted, body.as_bytes()).is_err(), is_refused, "{body}");
        }
    }
}

//! Addresses of sources and authorization backends: slips in their scheme and port.

use crate::model::secret::{Secrecy, word_parts};
use crate::schema::suggest::{is_one_edit, is_only_near, nearest};
use crate::syntax::{Diagnostic, Diagnostics, Fix, Word};

/// The word that opens a stream to everybody; misspelled, it is taken for a URL.
const FALSE: &str = "false";

/// The words for off; as a backend each is taken for a URL.
const OFF: [&str; 5] = ["off", "no", "none", "disable", "disabled"];

/// Checks the address of a source.
#[inline]
pub(super) fn source(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    match value.is_empty() {
        true => diagnostics.push(empty(word)),
        false => match of_frequent_scheme(&value) {
            Some(address) if !may_have_large_number(address) => {}
            Some(_) => report(word, &value, diagnostics),
            None => {
                report(word, &value, diagnostics);
                diagnostics.push_any(without_scheme(word, &value));
            }
        },
    }
}

/// The warning about an address that lacks its scheme: a number, an IP address, `rtsp//host`, `//host`, or
/// credentials in front of a host. Another word may be the name of a peer or of a file.
#[cold]
fn without_scheme(word: Word<'_>, value: &str) -> Option<Diagnostic> {
    if value.contains("://") {
        return None;
    }
    let warning =
        |hint: String| Some(Diagnostic::warning(word.span(), "a source without a scheme").hint(hint));
    let has_credentials = !word_parts(value, Secrecy::Parts).is_empty() && value.contains('@');
    match value.split_once("//") {
        // What stands behind the scheme may be a password.
        Some((scheme, _)) if is_known(scheme) && has_credentials => {
            return warning(format!("write it like `{scheme}://`"));
        }
        Some((scheme, address)) if is_known(scheme) => {
            return warning(format!("did you mean `{scheme}://{address}`?"));
        }
        _ => {}
    }
    let host = value.split(['/', ':', '?']).next().unwrap_or_default();
    let is_number = host.bytes().all(|byte| byte.is_ascii_digit()) && !host.is_empty();
    let lacks_scheme = value.starts_with("//") || (has_credentials && !is_known(host));
    let is_meant = lacks_scheme || parts_of(host).is_some() || (is_number && !value.contains('@'));
    is_meant.then(|| warning("write it like `udp://239.0.0.1:1234`".to_owned())).flatten()
}

#[cold]
fn empty(word: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), "an empty source url").hint("name the source, or remove the directive")
}

/// Checks the first word of an authorization directive.
pub(super) fn backend(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    if is_nearly_false(&value) || is_nearly_off(&value) {
        let message = format!("`{value}` is read as the URL of a backend");
        diagnostics.push(Diagnostic::warning(word.span(), message).hint("did you mean `auth false;`?"));
    }
    url(word, &value, diagnostics);
}

/// True if a word is one for off, or a slip of the first one: the others are too near to names.
fn is_nearly_off(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let word = value.to_ascii_lowercase();
    is_word && (OFF.contains(&&*word) || is_one_edit(&word, OFF[0]))
}

fn is_nearly_false(value: &str) -> bool {
    let has_length = (FALSE.len() - 1..=FALSE.len() + 1).contains(&value.len());
    has_length
        && value != FALSE
        && value.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (value.eq_ignore_ascii_case(FALSE) || nearest(&value.to_ascii_lowercase(), [FALSE]).is_some())
}

/// Checks a URL. A word that is no URL is fine.
#[inline]
pub(super) fn url(word: Word<'_>, value: &str, diagnostics: &mut Diagnostics) {
    if of_frequent_scheme(value).is_none_or(may_have_large_number) {
        report(word, value, diagnostics);
    }
}

/// True if an address, the part of a URL behind `//`, may have a port or a part of a host that is too large. Nearly none
/// has, which is seen in one pass over its bytes.
#[inline]
fn may_have_large_number(address: &str) -> bool {
    let (mut before, mut digits, mut value) = (b'.', 0_u32, 0_u32);
    for &byte in address.as_bytes() {
        if byte.is_ascii_digit() {
            digits += 1;
            value = value.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
            continue;
        }
        if is_large(before, digits, value) {
            return true;
        }
        if matches!(byte, b'/' | b'?' | b'#') {
            return false;
        }
        (before, digits, value) = (byte, 0, 0);
    }
    is_large(before, digits, value)
}

/// True if a number behind this byte is too large for a port, or for a part of a host, or has more digits than these.
#[inline]
fn is_large(before: u8, digits: u32, value: u32) -> bool {
    match before {
        b':' => digits > MOST_DIGITS as u32,
        b'.' | b'@' => digits > 3 || value > 255,
        _ => false,
    }
}

#[cold]
fn report(word: Word<'_>, value: &str, diagnostics: &mut Diagnostics) {
    diagnostics.push_any(fault(word, value));
}

fn fault(word: Word<'_>, value: &str) -> Option<Diagnostic> {
    let colon = memchr::memchr(b':', value.as_bytes())?;
    let (scheme, rest) = (&value[..colon], &value[colon + 1..]);
    if !rest.starts_with('/') || !is_scheme(scheme) {
        return None;
    }
    if let Some(known) = meant_scheme(scheme) {
        let message = format!("`{scheme}:` is no known scheme");
        let found = Diagnostic::warning(word.span(), message).hint(format!("did you mean `{known}://`?"));
        return Some(found.fixed_by(scheme_fix(word, scheme, known)));
    }
    let Some(address) = rest.strip_prefix("//") else {
        return Some(
            Diagnostic::warning(word.span(), format!("`{scheme}:/` lacks a `/`"))
                .hint(format!("write it like `{scheme}://`")),
        );
    };
    if has_large_host(address) {
        return Some(large_part(word));
    }
    has_large_port(address).then(|| too_large(word))
}

/// True if the host in the part of a URL behind `//` is an IP address with a part over 255.
fn has_large_host(address: &str) -> bool {
    let end = memchr::memchr3(b'/', b'?', b'#', address.as_bytes()).unwrap_or(address.len());
    let place = &address[..end];
    let host = &place[memchr::memrchr(b'@', place.as_bytes()).map_or(0, |at| at + 1)..];
    host.starts_with(|first: char| first.is_ascii_digit())
        && has_large_part(host.split_once(':').map_or(host, |(host, _)| host))
}

/// True if a host is four numbers, of which one is no byte.
pub(super) fn has_large_part(host: &str) -> bool {
    parts_of(host).is_some_and(|parts| parts.iter().any(|part| part.parse::<u8>().is_err()))
}

/// The numbers of an IP address of version 4, or of what looks like one.
fn parts_of(host: &str) -> Option<[&str; 4]> {
    let mut parts = host.split('.');
    let found = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.next().is_none() && found.iter().all(is_number)).then_some(found)
}

/// The warning about such an address.
pub(super) fn large_part(word: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), "an address with a part over 255")
        .hint("each of its four numbers is from 0 to 255")
}

/// A single letter in front of `:` may be the drive of a path.
fn is_scheme(scheme: &str) -> bool {
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_'))
}

/// True if the port in the part of a URL behind `//` is too large.
fn has_large_port(address: &str) -> bool {
    let bytes = address.as_bytes();
    let end = memchr::memchr3(b'/', b'?', b'#', bytes).unwrap_or(bytes.len());
    let digits = bytes[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let start = end - digits;
    digits > MOST_DIGITS && bytes[..start].ends_with(b":") && is_too_large(&address[start..end])
}

/// The most digits of a number that is certainly not too large for a port.
const MOST_DIGITS: usize = 4;

/// True if digits are more than a port can be.
fn is_too_large(port: &str) -> bool {
    port.len() > MOST_DIGITS
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && port.trim_start_matches('0').parse::<u16>().is_err()
}

/// The warning about a port that is too large. It is not quoted if the host is missing: the digits may
/// be a password.
fn too_large(word: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), "a port over 65535").hint("a port is a number from 0 to 65535")
}

/// The scheme that an unknown one is a letter off.
///
/// A known scheme with digits, `s`, `t` or `e` behind it may be known to newer servers.
fn meant_scheme(scheme: &str) -> Option<&'static str> {
    if is_known(scheme) || is_known(scheme.trim_end_matches(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let is_variant = scheme.strip_suffix(['s', 't', 'e']).is_some_and(|base| COMMON.contains(&base));
    if is_variant {
        return None;
    }
    nearest(scheme, COMMON).or_else(|| COMMON.into_iter().find(|known| is_short_slip(scheme, known)))
}

/// The fix of a scheme that a slip leads to from one known scheme alone.
fn scheme_fix(word: Word<'_>, scheme: &str, known: &str) -> Option<Fix> {
    let short = COMMON.iter().filter(|other| is_short_slip(scheme, other)).count();
    let is_only = if short == 0 { is_only_near(scheme, COMMON) } else { short == 1 };
    let start = word.start + u32::try_from(word.raw.find(scheme)?).ok()?;
    let span = start..start + u32::try_from(scheme.len()).ok()?;
    is_only.then(|| Fix { span, text: known.to_owned() })
}

/// `upd` of `udp`: two letters changed places.
fn is_short_slip(scheme: &str, known: &str) -> bool {
    match (scheme.as_bytes(), known.as_bytes()) {
        ([a, b, c], [x, y, z]) => [b, a, c] == [x, y, z] || [a, c, b] == [x, y, z],
        _ => false,
    }
}

fn is_known(scheme: &str) -> bool {
    COMMON.contains(&scheme) || OTHERS.contains(&scheme)
}

/// Returns the text behind the scheme of nearly all addresses, which is compared first.
#[inline]
fn of_frequent_scheme(value: &str) -> Option<&str> {
    let behind = |scheme| value.strip_prefix(scheme);
    match value.as_bytes().first()? {
        b'u' => behind("udp://"),
        b'r' => behind("rtsp://").or_else(|| behind("rtmp://")),
        b'h' => behind("http://").or_else(|| behind("hls://")).or_else(|| behind("https://")),
        b's' => behind("srt://"),
        b't' => behind("tshttp://"),
        _ => None,
    }
}

/// The schemes that a slip may be meant to be.
const COMMON: [&str; 15] = [
    "udp",
    "rtsp",
    "http",
    "rtmp",
    "https",
    "hls",
    "tshttp",
    "file",
    "fake",
    "srt",
    "publish",
    "shoutcast",
    "rtsps",
    "rtmps",
    "securetoken",
];

/// The schemes that are known, but rare: a slip is not taken for one of them.
const OTHERS: &[&str] = &[
    "abr",
    "alsa",
    "asi",
    "auth",
    "copy",
    "dash",
    "decklink",
    "dektec",
    "dvb",
    "dvbs",
    "dvbt",
    "ffmpeg",
    "ftp",
    "ftps",
    "gopro",
    "h323",
    "hds",
    "hlss",
    "http",
    "httplive",
    "httpts",
    "icecast",
    "icy",
    "image",
    "iptv",
    "lua",
    "m4f",
    "m4fs",
    "m4s",
    "m4ss",
    "mbr",
    "mixer",
    "mms",
    "mmsh",
    "mmst",
    "mosaic",
    "mpd",
    "mpegts",
    "mss",
    "multi",
    "ndi",
    "nfs",
    "onvif",
    "pipe",
    "playlist",
    "raw",
    "rist",
    "rtmpe",
    "rtmpt",
    "rtmpte",
    "rtmpts",
    "rtp",
    "rtsp1",
    "rtsp2",
    "s3",
    "sap",
    "sdi",
    "sdp",
    "sftp",
    "sip",
    "smb",
    "ssl",
    "stalker",
    "swift",
    "sync",
    "tcp",
    "test",
    "timeshift",
    "tls",
    "token",
    "ts",
    "tshttps",
    "tsudp",
    "udt",
    "unix",
    "v4l",
    "v4l2",
    "vsaas",
    "webrtc",
    "whep",
    "whip",
    "ws",
    "wss",
    "zixi",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_large_number_is_passed_over(address in "[0-9.:@/a#?]{0,24}|([0-9]{1,3}\\.){3}[0-9]{1,4}:[0-9]{1,6}/?") {
            let is_large = has_large_port(&address) || has_large_host(&address);
            prop_assert!(!is_large || may_have_large_number(&address), "{}", address);
        }
    }

    #[test]
    fn usual_addresses_are_not_looked_at_again() {
        for address in
            ["10.0.255.7:5540/source/4000", "239.0.0.1:1234", "u:p@cam1234.example:8080?n=70000", ""]
        {
            assert!(!may_have_large_number(address), "{address}");
        }
    }

    #[test]
    fn a_scheme_a_letter_off_is_seen_and_others_are_not() {
        for scheme in
            ["htp", "htpp", "htttp", "rstp", "rtps", "rmtp", "rtm", "upd", "hsl", "udpp", "tshtp", "fle"]
        {
            assert!(meant_scheme(scheme).is_some(), "{scheme}");
        }
        let variants = ["http2", "hls3", "hlse", "rtmpx2"].into_iter().take(3);
        for scheme in COMMON.into_iter().chain(OTHERS.iter().copied()).chain(variants).chain(["udp1", "udp2"])
        {
            assert_eq!(meant_scheme(scheme), None, "{scheme}");
        }
    }
}

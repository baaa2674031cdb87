//! Addresses: slips in the schemes, hosts and ports of sources, backends and listeners.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::schema::{PORT, Schema, is_one_edit, is_only_near};
use crate::secret::{Secrecy, word_parts};
use crate::syntax::{Diagnostic, Diagnostics, Entry, Fix, Word};

/// The schemes that a slip may be meant to be.
const COMMON: [&str; 13] = [
    "udp", "rtsp", "http", "rtmp", "https", "hls", "tshttp", "file", "fake", "srt", "publish", "rtsps",
    "rtmps",
];

/// Those whose address names a host; `rtmp://` alone stands in real files, for what is published.
const HOSTS: [&str; 8] = ["udp", "rtsp", "http", "https", "hls", "tshttp", "rtsps", "rtmps"];

/// The schemes that are known, but rare: a slip is not taken for one of them.
const OTHERS: &str = "abr alsa asi auth copy dash decklink dektec dvb dvbs dvbt ffmpeg ftp ftps gopro h323 hds hlss \
    httplive httpts icecast icy image iptv lua m4f m4fs m4s m4ss mbr mixer mms mmsh mmst mosaic mpd mpegts mss multi ndi \
    nfs onvif pipe playlist raw rist rtmpe rtmpt rtmpte rtmpts rtp rtsp1 rtsp2 s3 sap sdi sdp securetoken sftp shoutcast \
    sip smb ssl stalker swift sync tcp test timeshift tls token ts tshttps tsudp udt unix v4l v4l2 vsaas webrtc whep whip ws wss zixi";

/// The words for off; as a backend each is taken for a URL.
const OFF: [&str; 5] = ["off", "no", "none", "disable", "disabled"];

/// Checks the address of a source.
pub(super) fn source(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    if value.is_empty() {
        let found = Diagnostic::warning(word.span(), "an empty source url");
        let hint = "name the source, or remove the directive";
        return diagnostics.push(Diagnostic { is_slip: true, ..found.hint(hint) });
    }
    if matches!(&*value, "undefined" | "null" | "None" | "NaN") {
        let found = Diagnostic::warning(word.span(), format!("`{value}` is no address"));
        return diagnostics
            .push(found.hint("a program wrote it for a value that it did not have: name the source"));
    }
    let parts = at_colon(&value);
    diagnostics.push_any(url(word, parts));
    if parts.is_none_or(|(_, rest)| !rest.starts_with("//")) && lacks_scheme(&value) {
        let found = Diagnostic::warning(word.span(), "a source without a scheme");
        diagnostics.push(match value.split_once("//") {
            Some((scheme, _)) if is_known(scheme) => found.slip(&format!("{scheme}://")),
            _ => found.hint("write it like `udp://239.0.0.1:1234`"),
        });
    }
}

/// True if an address lacks its scheme: a number, an IP address, `rtsp//host`, `//host`, or credentials in front of a host.
/// Another word may be the name of a peer or of a file.
fn lacks_scheme(value: &str) -> bool {
    let host = value.split(['/', ':', '?']).next().unwrap_or_default();
    let has_credentials = || value.contains('@') && !word_parts(value, Secrecy::Parts).is_empty();
    let lacks_colon = value.split_once("//").is_some_and(|(scheme, _)| scheme.is_empty() || is_known(scheme));
    let is_host = || parts_of(host).is_some() || is_digits(host) && !value.contains('@');
    !value.contains("://") && (lacks_colon || is_host() || !is_known(host) && has_credentials())
}

/// Checks the first word of an authorization directive: a word for off, or a slip of `false` or `off`, is taken for a
/// URL. The other words for off are too near to names.
pub(super) fn backend(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    let lower = value.to_ascii_lowercase();
    let is_false = || lower == "false" || Schema::nearest(&lower, ["false"]).is_some();
    let is_slip = || is_false() || OFF.contains(&&*lower) || is_one_edit(&lower, OFF[0]);
    if word.raw != "false" && value.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_slip() {
        let message = format!("`{value}` is read as the URL of a backend");
        diagnostics.push(Diagnostic::warning(word.span(), message).slip("auth false;"));
    }
    diagnostics.push_any(target(word));
}

/// Checks the address to which something is sent; one that lost the `:` of its scheme is no URL.
pub(super) fn target(word: Word<'_>) -> Option<Diagnostic> {
    let value = word.value();
    let Some((scheme, _)) = value.split_once("//").filter(|(scheme, _)| is_known(scheme)) else {
        return url(word, at_colon(&value));
    };
    let found = Diagnostic::warning(word.span(), format!("`{scheme}//` lacks a `:`"));
    Some(found.slip(&format!("{scheme}://")))
}

fn is_digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A value split at its first `:`.
fn at_colon(value: &str) -> Option<(&str, &str)> {
    let colon = value.bytes().position(|byte| byte == b':')?;
    Some((&value[..colon], &value[colon + 1..]))
}

/// Checks a URL, whose value is split at its first `:`. A word that is no URL is fine.
fn url(word: Word<'_>, parts: Option<(&str, &str)>) -> Option<Diagnostic> {
    let (scheme, rest) = parts?;
    let is_known = is_known(scheme);
    if is_known && let Some(found) = damaged(word, scheme, rest) {
        return Some(found);
    }
    if !rest.starts_with('/') || !(is_known || is_scheme(scheme)) {
        return None;
    }
    let warning = |message: String, hint: &str| Some(Diagnostic::warning(word.span(), message).hint(hint));
    if !is_known && let Some(known) = meant_scheme(scheme) {
        let start = word.start + word.raw.find(scheme).unwrap_or_default() as u32;
        let fix = Fix { span: start..start + scheme.len() as u32, text: known.to_owned() };
        let is_only = word.raw.contains(scheme) && is_only_near(scheme, COMMON);
        // It may be one of a newer server, so it is no slip.
        let found =
            warning(format!("`{scheme}:` is no known scheme"), &format!("did you mean `{known}://`?"));
        return Some(found?.fixed_by(is_only.then_some(fix)));
    }
    let Some(address) = rest.strip_prefix("//") else {
        return warning(format!("`{scheme}:/` lacks a `/`"), &format!("write it like `{scheme}://`"));
    };
    let end = memchr::memchr3(b'/', b'?', b'#', address.as_bytes()).unwrap_or(address.len());
    let start = memchr::memrchr(b'@', &address.as_bytes()[..end]).map_or(0, |at| at + 1);
    let place = &address[start..end];
    let (host, port) = at_colon(place).unwrap_or((place, ""));
    // Most are short.
    let port = if port.len() > 4 { port.rsplit(':').next().unwrap_or_default() } else { "" };
    match parts_of(host) {
        Some(true) => Some(large_part(word)),
        // The port is not quoted: if the host is missing, the digits may be a password.
        _ if is_digits(port) && port.trim_start_matches('0').len() > 4 && port.parse::<u16>().is_err() => {
            warning("a port over 65535".to_owned(), "a port is a number from 0 to 65535")
        }
        _ => None,
    }
}

/// For four numbers, which look like an IP address of version 4: true if one of them is no byte.
fn parts_of(host: &str) -> Option<bool> {
    let (mut dots, mut digits, mut number, mut is_large) = (0, 0, 0, false);
    for byte in host.bytes() {
        if byte.is_ascii_digit() {
            number = (number * 10 + u32::from(byte - b'0')).min(256);
            (digits, is_large) = (digits + 1, is_large | (number > 255));
        } else if byte == b'.' && digits > 0 {
            (dots, digits, number) = (dots + 1, 0, 0);
        } else {
            return None;
        }
    }
    (dots == 3 && digits > 0).then_some(is_large)
}

/// Checks for what a copy from a page or a program does to an address: HTML, a comma, `\\`, no host.
fn damaged(word: Word<'_>, scheme: &str, rest: &str) -> Option<Diagnostic> {
    let fix = |text: String| Some(Fix { span: word.span(), text });
    let (found, fix) = match rest {
        // Nearly all have none of these.
        _ if rest != "//" && memchr::memchr3(b'&', b'\\', b',', rest.as_bytes()).is_none() => return None,
        _ if rest.contains("&amp;") => (HTML, fix(word.raw.replace("&amp;", "&"))),
        // Its `;` ended the directive.
        _ if rest.ends_with("&amp") && !word.raw.ends_with('"') => (HTML, None),
        _ if rest.starts_with(r"\\") && word.raw.contains('"') => (r"`\` in an address", None),
        _ if rest.starts_with(r"\\") => (r"`\` in an address", fix(word.raw.replace('\\', "/"))),
        _ if rest.ends_with(',') && word.raw.ends_with('"') => (COMMA, None),
        _ if rest.ends_with(',') => (COMMA, fix(word.raw.trim_end_matches(',').to_owned())),
        "//" if HOSTS.contains(&scheme) => ("an address without a host", None),
        _ => return None,
    };
    let hint = match found {
        HTML => "write `&` in its place".to_owned(),
        _ => format!("write it like `{scheme}://host/path`"),
    };
    Some(Diagnostic::warning(word.span(), found).hint(hint).fixed_by(fix))
}

const HTML: &str = "`&amp;` in an address is HTML for `&`";
const COMMA: &str = "an address that ends with `,`";

fn large_part(word: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), "an address with a part over 255")
        .hint("each of its four numbers is from 0 to 255")
}

/// A single letter in front of `:` may be the drive of a path.
fn is_scheme(scheme: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
    scheme.len() > 1 && scheme.as_bytes()[0].is_ascii_alphabetic() && scheme.bytes().all(is_sign)
}

/// The scheme that an unknown one is a letter off.
///
/// A known scheme with digits, `s`, `t` or `e` behind it may be known to newer servers.
fn meant_scheme(scheme: &str) -> Option<&'static str> {
    let is_newer = || {
        is_known(scheme.trim_end_matches(|c: char| c.is_ascii_digit()))
            || scheme.strip_suffix(['s', 't', 'e']).is_some_and(|scheme| COMMON.contains(&scheme))
    };
    if is_known(scheme) || is_newer() { None } else { Schema::nearest(scheme, COMMON) }
}

fn is_known(scheme: &str) -> bool {
    COMMON.contains(&scheme) || OTHERS.split(' ').any(|known| known == scheme)
}

/// The most addresses of one port with which a new one is compared.
const MAX_OTHERS: usize = 16;

/// Reports repeated ports and addresses, those of two listeners, and those that none can have.
pub(super) fn listeners<'d>(listeners: &[Entry<'d>], diagnostics: &mut Diagnostics) {
    let mut by_port: HashMap<String, Vec<(Cow<'d, str>, String, Word<'d>)>> = HashMap::default();
    for entry in listeners {
        let (keyword, Some(word)) = (entry.keyword(), entry.only_argument()) else { continue };
        let value = word.value();
        let (host, port) = value.rsplit_once(':').unwrap_or(("", &*value));
        match parts_of(host) {
            Some(true) => diagnostics.push(large_part(word)),
            _ if (PORT.read)(Some(word)).is_none() => continue,
            _ => {}
        }
        // No host stands for all addresses.
        let is_any = |host: &str| matches!(host, "" | "0.0.0.0" | "[::]");
        let others = by_port.entry(port.to_owned()).or_default();
        // The same directive may listen on all addresses and on one.
        let clashes = |(other, at, _): &&(Cow<'_, str>, String, _)| {
            at == host || *other != keyword && (is_any(at) || is_any(host))
        };
        if let Some((other, _, first)) = others.iter().find(clashes) {
            let message = format!("`{keyword} {}` listens where `{other}` does", word.raw);
            let found = Diagnostic::warning(word.span(), message).related(first.span(), "here");
            diagnostics.push(found.hint("remove one of them, or give it another port"));
        }
        if others.len() < MAX_OTHERS {
            others.push((keyword, host.to_owned(), word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_a_letter_off_is_seen_and_others_are_not() {
        for scheme in
            ["htp", "htpp", "htttp", "rstp", "rtps", "rmtp", "rtm", "upd", "hsl", "udpp", "tshtp", "fle"]
        {
            assert!(meant_scheme(scheme).is_some(), "{scheme}");
        }
        let variants = ["http2", "hls3", "hlse", "udp1", "udp2"];
        for scheme in COMMON.into_iter().chain(OTHERS.split(' ')).chain(variants) {
            assert_eq!(meant_scheme(scheme), None, "{scheme}");
        }
    }
}

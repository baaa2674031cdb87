//! Addresses: slips in the schemes, hosts and ports of sources, backends and listeners.

use std::borrow::Cow;
use std::collections::HashMap;

use super::names::repeated;
use crate::schema::kinds::PORT;
use crate::schema::members::only_argument;
use crate::schema::suggest::{is_one_edit, is_only_near, nearest};
use crate::secret::{Secrecy, word_parts};
use crate::syntax::{Diagnostic, Diagnostics, Entry, Fix, Word};

/// The schemes that a slip may be meant to be.
const COMMON: &str =
    "udp rtsp http rtmp https hls tshttp file fake srt publish shoutcast rtsps rtmps securetoken";

/// The schemes that are known, but rare: a slip is not taken for one of them.
const OTHERS: &str = "abr alsa asi auth copy dash decklink dektec dvb dvbs dvbt ffmpeg ftp ftps gopro h323 hds hlss \
    httplive httpts icecast icy image iptv lua m4f m4fs m4s m4ss mbr mixer mms mmsh mmst mosaic mpd mpegts mss multi ndi \
    nfs onvif pipe playlist raw rist rtmpe rtmpt rtmpte rtmpts rtp rtsp1 rtsp2 s3 sap sdi sdp sftp sip smb ssl stalker \
    swift sync tcp test timeshift tls token ts tshttps tsudp udt unix v4l v4l2 vsaas webrtc whep whip ws wss zixi";

/// The word that opens a stream to everybody; misspelled, it is taken for a URL.
const FALSE: &str = "false";

/// The words for off; as a backend each is taken for a URL.
const OFF: [&str; 5] = ["off", "no", "none", "disable", "disabled"];

/// Checks the address of a source.
pub(super) fn source(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    if value.is_empty() {
        let found = Diagnostic::warning(word.span(), "an empty source url");
        diagnostics.push(found.hint("name the source, or remove the directive"));
    } else {
        url(word, &value, diagnostics);
        diagnostics.push_any(without_scheme(word, &value));
    }
}

/// The warning about an address that lacks its scheme: a number, an IP address, `rtsp//host`, `//host`, or
/// credentials in front of a host. Another word may be the name of a peer or of a file.
fn without_scheme(word: Word<'_>, value: &str) -> Option<Diagnostic> {
    if memchr::memmem::find(value.as_bytes(), b"://").is_some() {
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
    let is_number = is_digits(host) && !value.contains('@');
    let lacks_scheme = value.starts_with("//") || (has_credentials && !is_known(host));
    let is_meant = lacks_scheme || parts_of(host).is_some() || is_number;
    is_meant.then(|| warning("write it like `udp://239.0.0.1:1234`".to_owned())).flatten()
}

/// Checks the first word of an authorization directive: a word for off, or a slip of `false` or `off`, is taken for a
/// URL. The other words for off are too near to names.
pub(super) fn backend(word: Word<'_>, diagnostics: &mut Diagnostics) {
    let value = word.value();
    let lower = value.to_ascii_lowercase();
    let is_false = value != FALSE && value.len().abs_diff(FALSE.len()) <= 1;
    let is_slip = || {
        is_false && (lower == FALSE || nearest(&lower, [FALSE]).is_some())
            || OFF.contains(&&*lower)
            || is_one_edit(&lower, OFF[0])
    };
    if value.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_slip() {
        let message = format!("`{value}` is read as the URL of a backend");
        diagnostics.push(Diagnostic::warning(word.span(), message).hint("did you mean `auth false;`?"));
    }
    url(word, &value, diagnostics);
}

fn is_digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks a URL. A word that is no URL is fine.
pub(super) fn url(word: Word<'_>, value: &str, diagnostics: &mut Diagnostics) {
    diagnostics.push_any(fault(word, value));
}

fn fault(word: Word<'_>, value: &str) -> Option<Diagnostic> {
    let (scheme, rest) = value.split_once(':')?;
    if !rest.starts_with('/') || !(is_known(scheme) || is_scheme(scheme)) {
        return None;
    }
    if let Some(known) = meant_scheme(scheme) {
        let message = format!("`{scheme}:` is no known scheme");
        let found = Diagnostic::warning(word.span(), message).hint(format!("did you mean `{known}://`?"));
        return Some(found.fixed_by(scheme_fix(word, scheme, known)));
    }
    let Some(address) = rest.strip_prefix("//") else {
        let found = Diagnostic::warning(word.span(), format!("`{scheme}:/` lacks a `/`"));
        return Some(found.hint(format!("write it like `{scheme}://`")));
    };
    let end = memchr::memchr3(b'/', b'?', b'#', address.as_bytes()).unwrap_or(address.len());
    let place = &address[memchr::memrchr(b'@', &address.as_bytes()[..end]).map_or(0, |at| at + 1)..end];
    let (host, port) = place.split_once(':').unwrap_or((place, ""));
    if has_large_part(host) {
        return Some(large_part(word));
    }
    // The port is not quoted: if the host is missing, the digits may be a password.
    is_too_large(&port[memchr::memrchr(b':', port.as_bytes()).map_or(0, |at| at + 1)..]).then(|| {
        Diagnostic::warning(word.span(), "a port over 65535").hint("a port is a number from 0 to 65535")
    })
}

/// True if a host is four numbers, of which one is no byte.
fn has_large_part(host: &str) -> bool {
    parts_of(host).is_some_and(|parts| parts.iter().any(|part| *part > 255))
}

/// The numbers of an IP address of version 4, or of what looks like one.
fn parts_of(host: &str) -> Option<[u32; 4]> {
    let (mut parts, mut at, mut has_digits) = ([0_u32; 4], 0, false);
    for byte in host.bytes() {
        match byte {
            b'.' if has_digits && at < 3 => (at, has_digits) = (at + 1, false),
            b'0'..=b'9' => {
                parts[at] = parts[at].saturating_mul(10).saturating_add(u32::from(byte - b'0'));
                has_digits = true;
            }
            _ => return None,
        }
    }
    (at == 3 && has_digits).then_some(parts)
}

fn large_part(word: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), "an address with a part over 255")
        .hint("each of its four numbers is from 0 to 255")
}

/// A single letter in front of `:` may be the drive of a path.
fn is_scheme(scheme: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
    scheme.len() > 1 && scheme.as_bytes()[0].is_ascii_alphabetic() && scheme.bytes().all(is_sign)
}

/// True if digits are more than a port can be.
fn is_too_large(port: &str) -> bool {
    port.len() > 4 && is_digits(port) && port.trim_start_matches('0').parse::<u16>().is_err()
}

/// The scheme that an unknown one is a letter off.
///
/// A known scheme with digits, `s`, `t` or `e` behind it may be known to newer servers.
fn meant_scheme(scheme: &str) -> Option<&'static str> {
    let is_common = |scheme| common().any(|known| known == scheme);
    if is_known(scheme)
        || is_known(scheme.trim_end_matches(|c: char| c.is_ascii_digit()))
        || scheme.strip_suffix(['s', 't', 'e']).is_some_and(is_common)
    {
        return None;
    }
    nearest(scheme, common()).or_else(|| common().find(|known| is_short_slip(scheme, known)))
}

/// The fix of a scheme that a slip leads to from one known scheme alone.
fn scheme_fix(word: Word<'_>, scheme: &str, known: &str) -> Option<Fix> {
    let short = common().filter(|other| is_short_slip(scheme, other)).count();
    let is_only = if short == 0 { is_only_near(scheme, common()) } else { short == 1 };
    let start = word.start + word.raw.find(scheme)? as u32;
    is_only.then(|| Fix { span: start..start + scheme.len() as u32, text: known.to_owned() })
}

/// `upd` of `udp`: two letters changed places.
fn is_short_slip(scheme: &str, known: &str) -> bool {
    match (scheme.as_bytes(), known.as_bytes()) {
        ([a, b, c], [x, y, z]) => [b, a, c] == [x, y, z] || [a, c, b] == [x, y, z],
        _ => false,
    }
}

fn common() -> impl Iterator<Item = &'static str> {
    COMMON.split(' ')
}

fn is_known(scheme: &str) -> bool {
    // As bytes, because every address is looked at.
    let is_in =
        |names: &str| names.as_bytes().split(|&byte| byte == b' ').any(|name| name == scheme.as_bytes());
    is_in(COMMON) || is_in(OTHERS)
}

/// The directives that name a port or an address to listen on.
#[derive(Default)]
pub(super) struct Listeners<'t> {
    /// The keyword and the only word of each.
    found: Vec<(Cow<'t, str>, Word<'t>)>,
}

impl<'t> Listeners<'t> {
    pub fn add(&mut self, entry: Entry<'t>) {
        self.found.extend(only_argument(entry).map(|word| (entry.keyword(), word)));
    }

    /// Reports repeated ports and addresses, those of two listeners, and those that none can have.
    pub fn report(&self, diagnostics: &mut Diagnostics) {
        let mut by_port: HashMap<String, Vec<(&str, String, Word<'t>)>> = HashMap::new();
        for (keyword, word) in &self.found {
            let value = word.value();
            let (host, port) = value.rsplit_once(':').unwrap_or(("", &*value));
            if has_large_part(host) {
                diagnostics.push(large_part(*word));
            } else if (PORT.read)(Some(*word)).is_none() {
                continue;
            }
            let others = by_port.entry(port.to_owned()).or_default();
            if let Some((.., first)) = others.iter().find(|(other, at, _)| other == keyword && at == host) {
                let message = format!("`{keyword} {}` is given twice", word.raw);
                let found = repeated(word.span(), message, (first.span(), "first here"));
                diagnostics.push(found.hint("remove one of them"));
                continue;
            }
            let clash = others.iter().find(|(other, at, _)| other != keyword && may_be_same(at, host));
            diagnostics.push_any(clash.map(|(other, _, first)| {
                let message = format!("`{keyword} {}` listens where `{other}` does", word.raw);
                let found = Diagnostic::warning(word.span(), message).related(first.span(), "here");
                found.hint("give one of them another port")
            }));
            if others.len() < MAX_OTHERS {
                others.push((keyword, host.to_owned(), *word));
            }
        }
    }
}

/// The most addresses of one port with which a new one is compared.
const MAX_OTHERS: usize = 16;

/// True if two listeners of one port meet: no host stands for all addresses.
fn may_be_same(host: &str, other: &str) -> bool {
    host == other || [host, other].iter().any(|host| matches!(*host, "" | "0.0.0.0" | "[::]"))
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
        for scheme in common().chain(OTHERS.split(' ')).chain(variants) {
            assert_eq!(meant_scheme(scheme), None, "{scheme}");
        }
    }
}

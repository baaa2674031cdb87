//! Requests that are refused whatever they ask for: those of other sites' pages, and coded bodies.

use crate::error::ErrorKind;
use crate::http::protocol::problem::Problem;
use crate::http::server::message::Head;

/// Refuses requests that a page of another site makes a browser send, because the browser adds the
/// password that it remembers.
pub fn refuse_cross_site(head: &Head) -> Result<(), Problem> {
    let site = head.header("sec-fetch-site");
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = head.header("origin").is_some_and(|origin| {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        !head.header("host").is_some_and(|own| own.eq_ignore_ascii_case(host))
    });
    match is_foreign_site || is_foreign_origin {
        true => Err(Problem::new(ErrorKind::CrossSite, "requests from pages of other sites are refused")),
        false => Ok(()),
    }
}

/// Refuses requests of other sites' pages for a file of the console, except a navigation of the browser to the page: a
/// link to it, such as in a ticket, has to work, and is safe, as the page has no password yet.
pub fn refuse_foreign_use(head: &Head) -> Result<(), Problem> {
    let is = |name: &str, value: &str| head.header(name) == Some(value);
    let is_navigation = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    match is_navigation && head.header("origin").is_none() {
        true => Ok(()),
        false => refuse_cross_site(head),
    }
}

/// The registered content codings (IANA). Any other word is taken for a mistake of the client, and the
/// body for plain text.
const CODINGS: &[&str] = &[
    "aes128gcm",
    "br",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "exi",
    "gzip",
    "pack200-gzip",
    "x-compress",
    "x-gzip",
    "zstd",
];

/// Refuses a body in a content coding.
pub fn refuse_coding(head: &Head) -> Result<(), Problem> {
    let codings = head.values("content-encoding").flat_map(|value| value.split(','));
    let mut codings = codings.map(|coding| coding.trim().to_ascii_lowercase());
    match codings.find(|coding| CODINGS.contains(&coding.as_str())) {
        Some(coding) => Err(Problem::new(
            ErrorKind::ContentCoding,
            format!("the content coding `{coding}` is not supported; send the body without it"),
        )),
        None => Ok(()),
    }
}

//! Entity tags: what `ETag`, `If-Match` and `If-None-Match` say (RFC 9110, 8.8.3 and 13.1).

use crate::engine::Expected;
use crate::store::Revision;

/// Part of each tag, because another version of this program may write other JSON for the same text.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A strong entity tag (RFC 9110, 8.8.3).
pub fn entity_tag(revision: Revision) -> String {
    format!("\"{revision}-{VERSION}\"")
}

/// The tag of something else than a configuration.
pub fn tag_of(hash: u64) -> String {
    format!("\"{hash:016x}-{VERSION}\"")
}

/// True if a list of `If-None-Match` names the tag. The comparison is weak, so `W/` is ignored.
pub fn names(list: &str, tag: &str) -> bool {
    let mut tags = list.split(',').map(str::trim).map(|tag| tag.strip_prefix("W/").unwrap_or(tag));
    list.trim() == "*" || tags.any(|named| named == tag)
}

/// The condition in `If-Match`. The comparison is strong, and tags of other versions match nothing.
pub fn expected(lists: &[&str]) -> Option<Expected> {
    let tags = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
    match lists {
        [] => None,
        _ if tags.clone().any(|tag| tag == "*") => Some(Expected::Any),
        _ => {
            Some(Expected::OneOf(tags.filter(|tag| !tag.starts_with("W/")).filter_map(revision_of).collect()))
        }
    }
}

fn revision_of(tag: &str) -> Option<Revision> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    let (revision, version) = inside.split_once('-')?;
    if version == VERSION { revision.parse().ok() } else { None }
}

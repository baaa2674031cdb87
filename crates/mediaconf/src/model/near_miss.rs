//! Unknown keywords that are nearly known ones.
//!
//! The checks warn of them in a text, and an edit that would write one is refused. Other servers of the
//! family, and newer ones, have directives with similar names; those are accepted.

use super::schema::{Parameter, Scope, by_key, by_keyword, is_foreign_keyword, parameters};
use super::suggest::nearest;

/// The known parameter that an unknown keyword is probably a misspelling of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMiss {
    /// Its JSON key.
    pub key: &'static str,
    /// The most similar of its keywords; `None` if it has no directive.
    pub keyword: Option<&'static str>,
}

/// The known parameter of `scope` that `keyword` is probably a misspelling of.
///
/// None for a known keyword or key, for foreign ones that are well known ([`is_foreign_keyword`]), for a known name with digits behind
/// it, and for a protocol with `s`, `t` or `e` behind it: newer servers have `http2` and `rtmps`.
pub fn near_miss(scope: Scope, keyword: &str) -> Option<NearMiss> {
    if known(scope, keyword).is_some() || is_foreign_keyword(keyword) || is_variant(scope, keyword) {
        return None;
    }
    let word = nearest(keyword, parameters(scope).flat_map(names))?;
    let parameter = known(scope, word)?;
    let is_directive = parameter.keywords.contains(&word);
    let keyword = if is_directive { Some(word) } else { parameter.keywords.first().copied() };
    Some(NearMiss { key: parameter.key, keyword })
}

/// The names of a parameter: its keywords, then its JSON key.
fn names(parameter: &Parameter) -> impl Iterator<Item = &'static str> {
    parameter.keywords.iter().copied().chain([parameter.key])
}

fn known(scope: Scope, name: &str) -> Option<&'static Parameter> {
    by_keyword(scope, name).or_else(|| by_key(scope, name))
}

/// True if a keyword is a known name with digits behind it, or a protocol with a letter that makes
/// another protocol of it.
fn is_variant(scope: Scope, keyword: &str) -> bool {
    let without_digits = keyword.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_protocol = |name: &str| known(scope, name).is_some_and(|known| known.transport().is_some());
    (without_digits.len() < keyword.len() && known(scope, without_digits).is_some())
        || keyword.strip_suffix(['s', 't', 'e']).is_some_and(is_protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(scope: Scope, keyword: &str) -> Option<&'static str> {
        near_miss(scope, keyword).map(|near| near.key)
    }

    #[test]
    fn a_name_that_is_nearly_known_is_a_near_miss() {
        for (scope, keyword, expected) in [
            (Scope::Top, "rtpm", "rtmp"),
            (Scope::Top, "strems", "streams"),
            (Scope::Top, "editauth", "edit_auth"),
            (Scope::Top, "ondemnd", "streams"),
            (Scope::Top, "http_option", "http_options"),
            (Scope::Stream, "prepsh", "prepush"),
            (Scope::Stream, "postion", "position"),
            (Scope::Live, "publish_enable", "publish_enabled"),
        ] {
            assert_eq!(key(scope, keyword), Some(expected), "{keyword}");
        }
    }

    #[test]
    fn what_newer_and_other_servers_know_is_free() {
        for keyword in [
            "http",
            "streams",
            "http2",
            "rtmp2",
            "auth2",
            "rtmps",
            "rtmpt",
            "rtmpe",
            "https",
            "rtspt",
            "peer",
            "log_level",
            "zzz",
            "",
        ] {
            assert_eq!(key(Scope::Top, keyword), None, "{keyword}");
        }
        for (scope, keyword) in
            [(Scope::Stream, "url2"), (Scope::Stream, "inputs"), (Scope::Foreign, "prepsh")]
        {
            assert_eq!(key(scope, keyword), None, "{keyword}");
        }
    }

    #[test]
    fn a_text_is_told_of_directives_alone() {
        let directive = |scope, keyword| near_miss(scope, keyword).and_then(|near| near.keyword);
        assert_eq!(directive(Scope::Top, "ondemnd"), Some("ondemand"));
        assert_eq!(directive(Scope::Top, "strems"), Some("stream"));
        assert_eq!(directive(Scope::Stream, "postion"), None);
    }
}

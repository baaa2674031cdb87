//! Unknown keywords: those that are nearly known ones, and those that are checked.
//!
//! The checks warn of near misses in a text, and an edit that would write one is refused. Other servers of the family, and
//! newer ones, have directives with similar names; those are accepted.

use crate::schema::suggest::{self, is_one_edit, nearest};
use crate::schema::{FOREIGN_KEYWORDS, ForeignKeyword, Kind, Parameter, Schema, Scope};
use crate::syntax::{Diagnostic, Span};

/// The directives, beside the sources themselves, that say where a stream comes from: a template, a publisher, another
/// server, or a list of files.
const SOURCES: &str = "cluster_ingest inputs mixer mosaic onvif playlist publish publish_enabled rtmp_publish \
    rtsp_publish source template";

/// True if a directive of other servers says where a stream comes from.
pub(super) fn is_source(scope: Scope, keyword: &str) -> bool {
    scope.kind().is_some_and(Kind::has_sources) && SOURCES.split(' ').any(|source| source == keyword)
}

/// The diagnostic of what is given a second time: the note says what stood there before.
pub(super) fn repeated(span: Span, message: String, (previous, note): (Span, &'static str)) -> Diagnostic {
    Diagnostic::warning(span, message).related(previous, note).hint("keep one of them")
}

/// Words of so many letters may be any other word: one slip leads from `log` to `logo`.
const TOO_SHORT: usize = 3;

/// The known parameter that an unknown keyword is probably a misspelling of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMiss {
    /// Its JSON key.
    pub key: &'static str,
    /// The most similar of its keywords; `None` if it has no directive.
    pub keyword: Option<&'static str>,
    /// True if no other directive that may stand there is as similar as a slip makes it.
    pub is_only: bool,
    /// All keywords of a foreign directive.
    foreign: &'static [&'static str],
}

impl NearMiss {
    /// What is meant, as messages say it: "`file` or `vod`".
    pub fn in_words(self) -> String {
        let names = if self.foreign.is_empty() { &[self.key] } else { self.foreign };
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    }
}

/// The known parameter of `scope` that `keyword` is probably a misspelling of, else the foreign directive.
///
/// None for a known keyword or key, for foreign ones that are well known ([`Schema::is_foreign_keyword`]), for a known name
/// with digits behind it, and for a protocol with `s`, `t` or `e` behind it: newer servers have `http2` and `rtmps`.
pub fn near_miss(scope: Scope, keyword: &str) -> Option<NearMiss> {
    nearest_in(scope, |row| scope.may_hold(row), keyword)
}

/// Like [`near_miss`], inside the block of a foreign directive.
pub fn near_miss_in_block(block: &str, keyword: &str) -> Option<NearMiss> {
    nearest_in(Schema::media().block_scope(block, 1), |row| row.stands_in(block), keyword)
}

fn nearest_in(
    scope: Scope,
    may_stand: impl Fn(&ForeignKeyword) -> bool + Copy,
    keyword: &str,
) -> Option<NearMiss> {
    if known(scope, keyword).is_some()
        || Schema::media().is_foreign_keyword(keyword)
        || is_variant(scope, keyword)
    {
        return None;
    }
    let own = nearest(keyword, scope.rows().flat_map(names));
    let near = match own.filter(|word| is_one_edit(word, keyword)) {
        None => near_foreign(may_stand, keyword).or_else(|| near_own(scope, own?)),
        Some(word) => near_own(scope, word),
    };
    near.map(|near| NearMiss { is_only: is_only_near(scope, may_stand, keyword), ..near })
}

/// True if a slip leads from a keyword to exactly one directive that may stand there.
fn is_only_near(scope: Scope, may_stand: impl Fn(&ForeignKeyword) -> bool, keyword: &str) -> bool {
    let own = scope.rows().flat_map(|row| row.keywords.iter().copied());
    let foreign = FOREIGN_KEYWORDS.iter().filter(|row| may_stand(row));
    let known = own.chain(foreign.flat_map(|row| row.keywords.iter().copied()));
    suggest::is_only_near(keyword, known)
}

fn near_own(scope: Scope, word: &'static str) -> Option<NearMiss> {
    let parameter = known(scope, word)?;
    let is_directive = parameter.keywords.contains(&word);
    let keyword = if is_directive { Some(word) } else { parameter.keywords.first().copied() };
    Some(NearMiss { key: parameter.key, keyword, is_only: false, foreign: &[] })
}

/// The foreign directive of which `keyword` is the plural, else one that a single slip leads to; none if `keyword` is known
/// elsewhere.
fn near_foreign(may_stand: impl Fn(&ForeignKeyword) -> bool + Copy, keyword: &str) -> Option<NearMiss> {
    if Schema::media().is_any_keyword(keyword) {
        return None;
    }
    let rows = FOREIGN_KEYWORDS.iter().filter(|row| may_stand(row));
    let words = || rows.clone().flat_map(|row| row.keywords.iter().map(move |word| (*word, row)));
    let is_plural = |word: &str, row: &ForeignKeyword| {
        row.repeats && matches!(keyword.strip_prefix(word), Some("s" | "es"))
    };
    let is_slip = |word: &str| word.len().min(keyword.len()) > TOO_SHORT && is_one_edit(word, keyword);
    let mut found = words().filter(|(word, row)| is_plural(word, row));
    let (word, row) = found.next().or_else(|| words().find(|(word, _)| is_slip(word)))?;
    Some(NearMiss { key: word, keyword: Some(word), is_only: false, foreign: row.keywords })
}

/// The names of a parameter: its keywords, then its JSON key.
fn names(parameter: &Parameter) -> impl Iterator<Item = &'static str> {
    parameter.keywords.iter().copied().chain([parameter.key])
}

fn known(scope: Scope, name: &str) -> Option<&'static Parameter> {
    scope.by_keyword(name).or_else(|| scope.by_key(name))
}

/// True if a keyword is a known name with digits behind it, or a protocol with a letter that makes
/// another protocol of it.
fn is_variant(scope: Scope, keyword: &str) -> bool {
    let without_digits = keyword.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_protocol = |name: &str| known(scope, name).is_some_and(|known| known.is_port());
    let is_name =
        known(scope, without_digits).is_some() || Schema::media().is_foreign_keyword(without_digits);
    (without_digits.len() < keyword.len() && is_name)
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
            (Scope::Stream, "onplay", "on_play"),
            (Scope::Live, "on_pla", "on_play"),
            (Scope::Top, "pushs", "push"),
            (Scope::Stream, "pushes", "push"),
            (Scope::Top, "sourc", "source"),
            (Scope::Stream, "thumbnail", "thumbnails"),
            (Scope::Template, "max_session", "max_sessions"),
            (Scope::Top, "vods", "vod"),
            (Scope::Top, "sources", "source"),
            (Scope::Top, "dvrs", "dvr"),
            (Scope::Top, "templates", "template"),
            (Scope::Top, "peers", "peer"),
            (Scope::Top, "auth_backends", "auth_backend"),
            (Scope::Top, "files", "file"),
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
            "peer1",
            "log",
            "log_level",
            "zzz",
            "",
        ] {
            assert_eq!(key(Scope::Top, keyword), None, "{keyword}");
        }
        for (scope, keyword) in
            [(Scope::Stream, "url2"), (Scope::Stream, "inputs"), (Scope::Unknown, "prepsh")]
        {
            assert_eq!(key(scope, keyword), None, "{keyword}");
        }
    }

    #[test]
    fn a_block_of_other_servers_has_near_misses_of_its_own() {
        let told = |block, keyword| near_miss_in_block(block, keyword).map(|near| near.key);
        assert_eq!(told("auth_backend", "backnd"), Some("backend"));
        assert_eq!(told("auth_backend", "denys"), Some("deny"));
        assert_eq!(told("template", "onplay"), Some("on_play"));
        assert_eq!(told("file", "max_session"), None);
        assert_eq!(told("server", "onplay"), None);
    }

    #[test]
    fn every_keyword_of_a_directive_is_told() {
        let told = |keyword| near_miss(Scope::Top, keyword).map(NearMiss::in_words);
        assert_eq!(told("vods").as_deref(), Some("`file` or `vod`"));
        assert_eq!(told("peers").as_deref(), Some("`peer`"));
        assert_eq!(told("strems").as_deref(), Some("`streams`"));
    }

    #[test]
    fn a_text_is_told_of_directives_alone() {
        let directive = |scope, keyword| near_miss(scope, keyword).and_then(|near| near.keyword);
        assert_eq!(directive(Scope::Top, "ondemnd"), Some("ondemand"));
        assert_eq!(directive(Scope::Top, "strems"), Some("stream"));
        assert_eq!(directive(Scope::Stream, "postion"), None);
    }
}

//! Unknown keywords: those that are nearly known ones, and those that are checked.
//!
//! The checks warn of near misses in a text, and an edit that would write one is refused. Other servers of the family, and
//! newer ones, have directives with similar names; those are accepted.

use std::collections::BTreeSet;

use super::Checker;
use crate::query::NameUse;
use crate::schema::{
    FOREIGN_KEYWORDS, ForeignKeyword, Parameter, Schema, Scope, is_one_edit, is_one_slip, is_only_near,
};
use crate::syntax::{Diagnostic, Diagnostics, Document};

/// The known parameter that an unknown keyword is probably a misspelling of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMiss {
    /// Its JSON key.
    pub key: &'static str,
    /// The most similar of its keywords; `None` if it has no directive.
    pub keyword: Option<&'static str>,
    /// True if no other directive that may stand there is as similar as a slip makes it.
    pub is_only: bool,
    /// What is meant, for messages: its JSON key, or all keywords of a foreign directive.
    pub names: &'static [&'static str],
}

impl Scope {
    /// The known parameter of this scope that `keyword` is probably a misspelling of, else the foreign directive.
    ///
    /// None for a known keyword or key, for foreign ones that are well known ([`Schema::foreign`]), for a known name with
    /// digits behind it, and for a protocol with `s`, `t` or `e` behind it: newer servers have `http2` and `rtmps`.
    pub fn near_miss(self, keyword: &str) -> Option<NearMiss> {
        nearest_in(self, |row| self.may_hold(row), keyword)
    }
}

/// Like [`Scope::near_miss`], inside the block of a foreign directive.
pub fn near_miss_in_block(block: &str, keyword: &str) -> Option<NearMiss> {
    nearest_in(Schema::block_scope(block, 1), |row| row.stands_in(block), keyword)
}

fn nearest_in(scope: Scope, may_stand: impl Fn(&ForeignKeyword) -> bool, keyword: &str) -> Option<NearMiss> {
    if is_known(scope, keyword) || is_newer(scope, keyword) {
        return None;
    }
    let lower = keyword.to_ascii_lowercase();
    // Each word with what is meant by it: a key stands for the first keyword.
    let near = |key, keyword, names| NearMiss { key, keyword, is_only: false, names };
    let own = scope.rows().flat_map(|row| {
        let key = (row.key, row.keywords.first().copied());
        let words = row.keywords.iter().map(|word| (*word, Some(*word))).chain([key]);
        words.map(move |(word, keyword)| (word, near(row.key, keyword, std::slice::from_ref(&row.key))))
    });
    let foreign = FOREIGN_KEYWORDS.iter().filter(|row| may_stand(row));
    let foreign = foreign
        .flat_map(|row| row.keywords.iter().map(move |word| (*word, near(word, Some(*word), row.keywords))));
    // In another letter case it is the same word.
    if let Some((_, near)) = own.clone().chain(foreign.clone()).find(|(word, _)| *word == lower) {
        return Some(NearMiss { is_only: near.keyword.is_some(), ..near });
    }
    let nearest = Schema::nearest(keyword, own.clone().map(|(word, _)| word));
    let nearest = nearest.and_then(|word| own.clone().find(|(known, _)| *known == word));
    // A foreign directive of which the keyword is the plural, else one that a single slip leads to.
    let is_plural = |word: &str| {
        matches!(keyword.strip_prefix(word), Some("s" | "es"))
            && Schema::foreign(word).is_some_and(|row| row.repeats)
    };
    let other = || {
        let mut words = foreign.clone().filter(|_| !Schema::is_any_keyword(keyword));
        let plural = words.clone().find(|(word, _)| is_plural(word));
        plural.or_else(|| words.find(|(word, _)| is_one_slip(word, keyword))).map(|(_, near)| near)
    };
    let near = match nearest {
        Some((word, near)) if is_one_edit(word, keyword) => near,
        nearest => other().or(nearest.map(|(_, near)| near))?,
    };
    let directives = scope.rows().flat_map(|row| row.keywords.iter().copied());
    let is_only = is_only_near(keyword, directives.chain(foreign.clone().map(|(word, _)| word)));
    Some(NearMiss { is_only, ..near })
}

impl Checker<'_> {
    /// Reports the names that no block of the text has; one that is near is what was meant. A part of a text, such as a stream
    /// that is edited alone, has no block of the group at all.
    pub(super) fn dangling(&self, document: &Document, diagnostics: &mut Diagnostics) {
        let uses = if self.references.is_empty() { Vec::new() } else { document.name_uses() };
        let defined = uses.iter().filter(|used| used.is_definition).map(|used| (used.group, &*used.name));
        let defined: BTreeSet<(&str, &str)> = defined.collect();
        for NameUse { group, name, word, .. } in &self.references {
            let names = || defined.range((*group, "")..).take_while(|(other, _)| other == group);
            if defined.contains(&(*group, &**name)) || !self.has_settings && names().next().is_none() {
                continue;
            }
            let found = Diagnostic::warning(word.span(), format!("no `{group}` is called `{name}`"));
            // Of what is only counted nobody reads the hint, and each costs a look at all names.
            let is_kept = diagnostics.count() < Diagnostics::MAX;
            let names = names().filter(|_| is_kept).map(|(_, name)| *name);
            let hint = match Schema::nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("make it, or name one that is there: `{group} {name} {{ … }}`"),
            };
            diagnostics.push(found.hint(hint));
        }
    }
}

fn is_known(scope: Scope, name: &str) -> bool {
    scope.by_name(name).is_some() || Schema::foreign(name).is_some()
}

/// True if a keyword is a known name with digits behind it, or a protocol with a letter that makes
/// another protocol of it.
fn is_newer(scope: Scope, keyword: &str) -> bool {
    let without_digits = keyword.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_protocol = |name: &str| scope.by_keyword(name).is_some_and(Parameter::is_port);
    is_known(scope, without_digits) || keyword.strip_suffix(['s', 't', 'e']).is_some_and(is_protocol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::listed;

    fn key(scope: Scope, keyword: &str) -> Option<&'static str> {
        scope.near_miss(keyword).map(|near| near.key)
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
        let told = |keyword| Scope::Top.near_miss(keyword).map(|near| listed(near.names, "or"));
        assert_eq!(told("vods").as_deref(), Some("`file` or `vod`"));
        assert_eq!(told("peers").as_deref(), Some("`peer`"));
        assert_eq!(told("strems").as_deref(), Some("`streams`"));
    }

    #[test]
    fn a_text_is_told_of_directives_alone() {
        let directive = |scope: Scope, keyword| scope.near_miss(keyword).and_then(|near| near.keyword);
        assert_eq!(directive(Scope::Top, "ondemnd"), Some("ondemand"));
        assert_eq!(directive(Scope::Top, "strems"), Some("stream"));
        assert_eq!(directive(Scope::Stream, "postion"), None);
    }
}

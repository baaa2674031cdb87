//! Directives that are known, but not here or not so: in the wrong block, or with a sign in front of their value.

use super::{Checker, keyword_span};
use crate::schema::{DirectiveRole, Parameter, Schema, Scope};
use crate::syntax::{Diagnostic, Entry, Fix};

impl Checker<'_> {
    /// The warning about a directive of another block.
    pub(super) fn wrong_block(&self, scope: Scope, entry: Entry<'_>) -> Option<Diagnostic> {
        let keyword = entry.keyword();
        let may_stand = Schema::foreign(&keyword).is_some_and(|row| scope.may_hold(row));
        let (home, row) = home(scope, &keyword).filter(|_| !may_stand)?;
        let around = self.outer.map(Entry::keyword).unwrap_or_default();
        let here = self.outer.map_or("at the top level".to_owned(), |_| format!("in `{around}`"));
        let found = |what| Diagnostic::warning(keyword_span(entry), format!("`{keyword}` {what} {here}"));
        let is_group = row.codec.facts().group.is_some();
        let Some(outer) = self.outer.filter(|_| is_group && scope != Scope::Plugin) else {
            return Some(found("means nothing").hint(format!("it belongs {home}, as in `{}`", row.example)));
        };
        let place = self.before.unwrap_or_else(|| outer.body().start) as u32;
        let found = found("stands").related(place..place, "is a `}` missing here?");
        Some(found.hint(format!("it belongs at the top level: close the `{around}` with `}}`")))
    }
}

/// The block in which a keyword has its place, where this one does not know it.
fn home(scope: Scope, keyword: &str) -> Option<(&'static str, &'static Parameter)> {
    let homes: &[(Scope, &str)] = match scope {
        Scope::Top => &[(Scope::Stream, "in a `stream`"), (Scope::Live, "in a `live`")],
        Scope::Stream | Scope::Live | Scope::Template | Scope::Plugin => &[(Scope::Top, "at the top level")],
        _ => &[],
    };
    // What else stands in a plugin is its own affair.
    let is_clear = |row: &&'static Parameter| {
        let is_account = matches!(row.role, Some(DirectiveRole::Editor | DirectiveRole::Viewer));
        scope != Scope::Plugin || is_account || row.codec.facts().group.is_some()
    };
    homes.iter().find_map(|(home, name)| Some((*name, home.by_keyword(keyword).filter(is_clear)?)))
}

/// The warning about `=` or `:` between a known keyword and its value. Nearly all have a blank there.
#[inline]
pub(super) fn sign(scope: Scope, row: Option<&Parameter>, entry: Entry<'_>) -> Option<Diagnostic> {
    let behind = entry.document().bytes().get(entry.start() + entry.keyword().len() + 1);
    let is_value = |byte: &u8| !matches!(byte, b'=' | b':') && !byte.is_ascii_whitespace();
    if row.is_some() && behind.is_some_and(is_value) { None } else { sign_behind(scope, row, entry) }
}

fn sign_behind(scope: Scope, row: Option<&Parameter>, entry: Entry<'_>) -> Option<Diagnostic> {
    let text = entry.text();
    let is_other = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b'_';
    let name = &text[..text.bytes().position(is_other).unwrap_or(text.len())];
    let behind = text[name.len()..].trim_ascii_start();
    let sign = behind.chars().next().filter(|sign| matches!(sign, '=' | ':'))?;
    let row = row.or_else(|| scope.by_keyword(name));
    // A web server has `location = /path { … }`.
    if !scope.knows(name) || row.is_none() && entry.is_block() {
        return None;
    }
    let end = (entry.start() + name.len()) as u32;
    let signs = text.len() - name.len() - behind.trim_start_matches(sign).trim_start().len();
    let span = end..end + signs as u32;
    let fix = Fix { span: span.clone(), text: " ".to_owned() };
    let example = row.filter(|row| !row.secret).map(|row| format!(", as in `{}`", row.example));
    let example = example.unwrap_or_default();
    let found = Diagnostic::warning(span, format!("`{sign}` between `{name}` and its value"));
    let found = found.hint(format!("write a blank in its place{example}")).fixed_by(Some(fix));
    Some(Diagnostic { is_slip: true, ..found })
}

//! Directives that are known, but not here or not so: in the wrong block, with a sign in front of their value, or with slips
//! in their options and values.

use super::{Checker, MAX_OPTIONS, keyword_span};
use crate::schema::{
    DirectiveRole, ObjectShape, Parameter, Part, PartPlace, Schema, Scope, WordKind, is_one_slip,
};
use crate::syntax::{Diagnostic, Entry, Fix, Word};

impl<'d> Checker<'d> {
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

    /// Checks the names of options, and the values of those that are known with a value, such as `preset=fast`.
    pub(super) fn known_options(&mut self, known: &'static str, words: impl Iterator<Item = Word<'d>>) {
        let is_known = |text: &str| known.split(' ').any(|known| known == text);
        for word in words.take(if known.is_empty() { 0 } else { MAX_OPTIONS }) {
            let counted = || {
                let (name, _) = word.option();
                if is_known(&name.value()) { word } else { name }
            };
            let find = || {
                let text = counted().value();
                // A known one with digits behind it is of a newer server.
                let is_newer = is_known(text.trim_end_matches(|c: char| c.is_ascii_digit()));
                let lower = text.to_lowercase();
                let is_meant = |known: &&str| {
                    known.contains('=') == text.contains('=')
                        && (lower == **known || is_one_slip(&lower, known))
                };
                if is_newer { None } else { known.split(' ').find(is_meant) }
            };
            let slot = self.near_options.slot(word.raw);
            if slot.0 != word.raw || !std::ptr::eq(slot.1.0, known) {
                *slot = (word.raw, (known, find()));
            }
            if let (_, (_, Some(meant))) = slot {
                let word = counted();
                self.diagnostics.push(slip(word, format!("`{}` is no known option", word.value()), meant));
            }
        }
    }

    /// Checks the words of an object: one that has to be there and looks like an optional part, such as a time in the place of
    /// a folder, and one that is taken for an option and is nearly an optional part, such as `7D`.
    pub(super) fn parts(&mut self, object: &ObjectShape, entry: Entry<'d>, parts: &[(&Part, Word<'d>)]) {
        let mut rest = Vec::new();
        for &(part, word) in parts.iter().take(MAX_OPTIONS) {
            if part.place == PartPlace::Required && object.optional_part(word).is_some() {
                let message = format!("`{}` is read as the {}", word.raw, part.key);
                let meant = format!("{} {} {}", entry.keyword(), part.key.to_uppercase(), word.raw);
                self.diagnostics.push(slip(word, message, &meant));
            } else if part.is_rest() {
                rest.push(word);
                let is_part = |meant: &String| object.optional_part(Word::new(meant, 0)).is_some();
                let meant = with_short_unit(word.raw).filter(is_part);
                let message = format!("`{}` is read as an option", word.raw);
                self.diagnostics.push_any(meant.map(|meant| slip(word, message, &meant)));
            }
        }
        self.known_options(object.usual, rest.into_iter());
    }

    /// Checks the only word of a directive, if it takes one of few; a number is always one, and a letter is being typed.
    pub(super) fn value(&mut self, kind: &WordKind, word: Word<'_>) {
        let value = word.value();
        let is_free = value.len() == 1 || value.bytes().all(|byte| byte.is_ascii_digit());
        if !is_free && !kind.values.is_empty() && !kind.values.contains(&&*value) {
            let nearest = Schema::nearest(&value, kind.values.iter().copied());
            let meant = nearest.map_or_else(|| kind.values.join("`, `"), str::to_owned);
            self.diagnostics.push(slip(word, format!("`{value}` is no known value"), &meant));
        }
    }
}

/// A number with the first letter of its unit, in lower case: `7d` for `7D` and `7days`; `None` for `5M` and `5mb`, which
/// are sizes, and for `1d2h`, which is several.
fn with_short_unit(word: &str) -> Option<String> {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = word.strip_suffix(unit).filter(|number| !number.is_empty())?;
    let unit = unit.to_ascii_lowercase();
    let is_size = matches!(&*unit, "m" | "mb" | "mib");
    let is_one = !is_size && !unit.contains(|c: char| c.is_ascii_digit());
    unit.chars().next().filter(|_| is_one).map(|letter| format!("{number}{letter}"))
}

fn slip(word: Word<'_>, message: impl Into<String>, meant: &str) -> Diagnostic {
    Diagnostic::warning(word.span(), message).slip(meant)
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

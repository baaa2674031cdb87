//! What may be typed at a place: directives, values, and names of blocks where they are meant.

use mediaconf::{
    FOREIGN_KEYWORDS, Facts, ForeignForm, ForeignKeyword, KnownOption, ObjectShape, Parameter, Part,
    PartPlace, Schema, Word, WordKind,
};
use serde_json::{Value, json};

use super::caret::{Caret, Enclosing};
use super::names::{self, NameGroup, REFERENCE};
use super::workspace::Spot;
use crate::engine::Snapshot;

/// The most candidates of one answer; the client asks again when more is typed.
const MOST: usize = 500;

/// The protocol's numbers of the kinds of candidates.
#[derive(Clone, Copy)]
enum CandidateKind {
    Directive = 10,
    Block = 7,
    Value = 12,
    Option = 5,
    Name = 18,
}

/// What may stand at a place.
struct Proposed {
    text: String,
    kind: CandidateKind,
    detail: String,
    documentation: String,
}

/// The candidates at a place.
pub fn candidates(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    if caret.is_in_comment {
        return json!([]);
    }
    let (around, index, typed) = (caret.enclosing(), caret.index(), caret.typed());
    let mut found = Vec::new();
    if index > 0 {
        found = ValueCandidates { text, around: &around }.behind(&caret.words[0].value(), index, typed);
    }
    // On a new line the `;` in front may be missing.
    if index == 0 || caret.begins_line() {
        found.extend(directives(&around));
    }
    found.retain(|proposed| proposed.text.starts_with(typed));
    let is_incomplete = found.len() > MOST;
    found.truncate(MOST);
    let file = spot.file();
    let replaced = spot.offset - typed.len().min(spot.offset)..spot.offset;
    let range = file.range(replaced);
    let item = |(number, proposed): (usize, Proposed)| {
        json!({
            "label": proposed.text,
            "kind": proposed.kind as u8,
            "detail": proposed.detail,
            "documentation": proposed.documentation,
            "sortText": format!("{number:04}"),
            "filterText": proposed.text,
            "textEdit": { "range": range, "newText": proposed.text },
        })
    };
    let items: Vec<Value> = found.into_iter().enumerate().map(item).collect();
    json!({ "isIncomplete": is_incomplete, "items": items })
}

/// The directives that may stand in a block, the known ones first.
fn directives(around: &Enclosing) -> Vec<Proposed> {
    let known = around.scope.rows().filter(|row| !row.keywords.is_empty());
    let known = known.flat_map(|row| row.keywords.iter().map(move |keyword| of_row(row, keyword)));
    let may_stand = |row: &&ForeignKeyword| row.stands_in(&around.keyword) || around.scope.may_hold(row);
    let foreign = FOREIGN_KEYWORDS.iter().filter(may_stand);
    known.chain(foreign.map(of_foreign)).collect()
}

fn of_row(row: &'static Parameter, keyword: &str) -> Proposed {
    let kind =
        if row.codec.facts().group.is_some() { CandidateKind::Block } else { CandidateKind::Directive };
    let unit = if row.unit.is_empty() { String::new() } else { format!(", in {}", row.unit) };
    let default = if row.default.is_empty() { String::new() } else { format!("; default: {}", row.default) };
    Proposed {
        text: keyword.to_owned(),
        kind,
        detail: format!("{}{unit}{default}", row.codec.facts().usage),
        documentation: format!("{}\n{}", row.doc, row.example),
    }
}

fn of_foreign(row: &ForeignKeyword) -> Proposed {
    let kind = if row.is_block() { CandidateKind::Block } else { CandidateKind::Directive };
    Proposed {
        text: row.keyword().to_owned(),
        kind,
        detail: row.usage().to_owned(),
        documentation: row.doc.to_owned(),
    }
}

/// Finds the words that may stand behind a keyword.
struct ValueCandidates<'w> {
    text: &'w Snapshot,
    around: &'w Enclosing,
}

impl ValueCandidates<'_> {
    /// The candidates for the word with this number, from 1.
    fn behind(&self, keyword: &str, index: usize, typed: &str) -> Vec<Proposed> {
        let Some(row) = self.around.scope.by_keyword(keyword) else {
            return self.behind_foreign(keyword, index);
        };
        let Facts { kind, object, address, options, .. } = row.codec.facts();
        if let Some(object) = object {
            return self.of_object(object, row, index);
        }
        if let Some(options) = options.filter(|_| !typed.contains('=')) {
            let option = |known: &KnownOption| Proposed {
                text: format!("{}=", known.keyword),
                kind: CandidateKind::Option,
                ..value("", known.kind.usage)
            };
            return options.known.iter().map(option).collect();
        }
        match (kind, address) {
            (Some(kind), _) if index == 1 => self.of_kind(kind, Some(row)),
            (_, Some(address)) if index == 1 => {
                let names = address.names.map(|(prefix, group)| self.names(group, prefix));
                let off = address.may_be_false.then(|| value("false", "opens access to everybody"));
                off.into_iter().chain(names.into_iter().flatten()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn behind_foreign(&self, keyword: &str, index: usize) -> Vec<Proposed> {
        let Some(row) = Schema::media().foreign(keyword).filter(|_| index == 1) else {
            return Vec::new();
        };
        let switch =
            matches!(row.form, ForeignForm::Switch).then(|| ["on", "off"].map(|word| value(word, "")));
        let group = row.names_of.filter(|_| !self.around.is_top());
        let names = group.map(|group| self.names(group, ""));
        switch.into_iter().flatten().chain(names.into_iter().flatten()).collect()
    }

    fn of_object(
        &self,
        object: &'static ObjectShape,
        row: &'static Parameter,
        index: usize,
    ) -> Vec<Proposed> {
        if let Some(part) = names::naming_part(row).filter(|_| index == 1) {
            return part.kind.names_of.map(|group| self.names(group, REFERENCE)).unwrap_or_default();
        }
        let optional = object.parts.iter().filter(|part| part.place == PartPlace::Optional && !part.secret);
        match index > object.required().len() {
            true => optional.flat_map(|part: &Part| self.of_kind(part.kind, None)).collect(),
            false => Vec::new(),
        }
    }

    /// The values of a kind that are known, and the example of the row.
    fn of_kind(&self, kind: &WordKind, row: Option<&Parameter>) -> Vec<Proposed> {
        if row.is_some_and(|row| row.secret) {
            return Vec::new();
        }
        let known = kind.values.iter().map(|word| value(word, kind.usage));
        let examples = kind.examples.iter().filter(|word| !kind.values.contains(word));
        let names = kind.names_of.map(|group| self.names(group, "")).unwrap_or_default();
        known.chain(examples.map(|word| value(word, "an example"))).chain(names).collect()
    }

    fn names(&self, group: NameGroup, prefix: &str) -> Vec<Proposed> {
        let found = names::of_group(self.text.document(), group);
        let name = |name: String| Proposed {
            text: Word::write(&format!("{prefix}{name}")).into_owned(),
            kind: CandidateKind::Name,
            detail: group.to_owned(),
            documentation: String::new(),
        };
        found.into_iter().map(name).collect()
    }
}

fn value(text: &str, detail: &str) -> Proposed {
    Proposed {
        text: text.to_owned(),
        kind: CandidateKind::Value,
        detail: detail.to_owned(),
        documentation: String::new(),
    }
}

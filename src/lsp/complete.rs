//! What may be typed at a place: directives, values, and names of blocks where they are meant.

use mediaconf::{Document, ForeignKeyword, Kind, NameUse, Parameter, Schema, Word, WordKind};
use serde_json::{Value, json};

use super::place::{Caret, Enclosing};
use super::text::Spot;

/// The most candidates of one answer; the client asks again when more is typed.
const MOST: usize = 500;

/// The protocol's numbers of the kinds of candidates.
const DIRECTIVE: u8 = 10;
const BLOCK: u8 = 7;
const VALUE: u8 = 12;
const OPTION: u8 = 5;
const NAME: u8 = 18;

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
        found = behind(text.document(), &around, &caret.words[0].value(), (index, typed));
    }
    // On a new line the `;` in front may be missing.
    if index == 0 || caret.begins_line() {
        found.extend(directives(&around));
    }
    found.retain(|(label, _)| label.starts_with(typed));
    let is_incomplete = found.len() > MOST;
    found.truncate(MOST);
    let range = spot.file().range(spot.offset.saturating_sub(typed.len())..spot.offset);
    let item = |(number, (label, mut item)): (usize, Proposed)| {
        item["label"] = json!(label);
        item["sortText"] = json!(format!("{number:04}"));
        item["textEdit"] = json!({ "range": range, "newText": label });
        item
    };
    let items: Vec<Value> = found.into_iter().enumerate().map(item).collect();
    json!({ "isIncomplete": is_incomplete, "items": items })
}

/// What may stand at a place: its text, and the other members of the protocol.
type Proposed = (String, Value);

fn proposed(text: &str, kind: u8, detail: &str, documentation: &str) -> Proposed {
    (text.to_owned(), json!({ "kind": kind, "detail": detail, "documentation": documentation }))
}

/// The directives that may stand in a block, the known ones first.
fn directives(around: &Enclosing) -> Vec<Proposed> {
    let known = around.scope.rows().filter(|row| !row.keywords.is_empty());
    let known = known.flat_map(|row| row.keywords.iter().map(move |keyword| of_row(row, keyword)));
    let may_stand = |row: &&ForeignKeyword| row.stands_in(&around.keyword) || around.scope.may_hold(row);
    let foreign = Schema::foreign_keywords().iter().filter(may_stand);
    let of_foreign = |row: &ForeignKeyword| {
        proposed(row.keyword(), if row.is_block() { BLOCK } else { DIRECTIVE }, row.usage(), row.doc)
    };
    known.chain(foreign.map(of_foreign)).collect()
}

fn of_row(row: &'static Parameter, keyword: &str) -> Proposed {
    let kind = if row.codec.facts().group.is_some() { BLOCK } else { DIRECTIVE };
    let unit = if row.unit.is_empty() { String::new() } else { format!(", in {}", row.unit) };
    let default = if row.default.is_empty() { String::new() } else { format!("; default: {}", row.default) };
    let detail = format!("{}{unit}{default}", row.codec.facts().usage);
    proposed(keyword, kind, &detail, &format!("{}\n{}", row.doc, row.example))
}

/// The candidates for the word with a number, from 1, behind a keyword.
fn behind(
    text: &Document,
    around: &Enclosing,
    keyword: &str,
    (index, typed): (usize, &str),
) -> Vec<Proposed> {
    let names = |group, prefix| names(text, group, prefix);
    let Some(row) = around.scope.by_keyword(keyword) else {
        let Some(row) = Schema::foreign(keyword) else { return Vec::new() };
        if index > 1 {
            return options_of(row.usual, typed);
        }
        let switch: &[&str] = if row.is_switch() { &["on", "off"] } else { &[] };
        let group = row.names_of.filter(|_| !around.keyword.is_empty());
        let names = group.map(|group| names(group, "")).unwrap_or_default();
        let targets = if keyword == "push" { addresses(TARGETS) } else { Vec::new() };
        let names = names.into_iter().chain(targets);
        return switch.iter().map(|word| value(word, "")).chain(names).collect();
    };
    let facts = row.codec.facts();
    if let Some(object) = facts.object {
        if let Some(part) = row.naming_part().filter(|_| index == 1) {
            return part.kind.names_of.map(|(_, group)| names(group, NameUse::ARCHIVE)).unwrap_or_default();
        }
        let parts = object.parts.iter().filter(|_| index > object.required().len());
        let optional = parts.filter(|part| part.is_optional() && !part.secret);
        return optional.flat_map(|part| of_kind(text, part.kind)).collect();
    }
    if let Some(options) = facts.options {
        let known = options.known.iter().filter(|_| !typed.contains('='));
        let known = known.map(|(name, _)| proposed(&format!("{name}="), OPTION, options.kind.usage, ""));
        let usual = options_of(options.usual, typed).into_iter();
        let is_other = |(label, _): &Proposed| options.known.iter().all(|(name, _)| name != label);
        return known.chain(usual.filter(is_other)).collect();
    }
    let source = facts.sources.map(|source| (source, 1));
    let own_source = |kind: Kind| kind.scope().rows().find_map(|row| row.codec.facts().sources);
    let behind_name = facts.group.filter(|kind| kind.has_sources()).and_then(own_source);
    let behind_name = behind_name.map(|source| (source, 2));
    if let Some((source, at)) = source.or(behind_name) {
        return match index.checked_sub(at) {
            None => Vec::new(),
            Some(0) => addresses(SCHEMES),
            Some(_) => options_of(source.usual, typed),
        };
    }
    let kind = facts.kind.filter(|_| !row.secret).or(facts.address.map(|address| address.first));
    kind.filter(|_| index == 1).map(|kind| of_kind(text, kind)).unwrap_or_default()
}

/// The beginnings of the addresses of sources, and of those to which something is sent.
const SCHEMES: &str = "udp rtsp http hls tshttp rtmp srt file publish fake";
const TARGETS: &str = "rtmp rtmps srt udp tshttp";

fn addresses(schemes: &str) -> Vec<Proposed> {
    schemes.split(' ').map(|scheme| value(&format!("{scheme}://"), "an address")).collect()
}

/// The usual options, those with a value behind what is typed up to the `=`.
fn options_of(usual: &str, typed: &str) -> Vec<Proposed> {
    let usual =
        usual.split(' ').filter(|option| !option.is_empty() && option.contains('=') == typed.contains('='));
    usual.map(|option| proposed(option, OPTION, "an option", "")).collect()
}

/// The values of a kind that are known.
fn of_kind(text: &Document, kind: &WordKind) -> Vec<Proposed> {
    // Beside the name of a backend the only word is `false`.
    let meaning = if kind.names_of.is_some() { "opens access to everybody" } else { kind.usage };
    let known = kind.values.iter().map(|word| value(word, meaning));
    let names = kind.names_of.map(|(sign, group)| names(text, group, sign)).unwrap_or_default();
    known.chain(names).collect()
}

fn names(text: &Document, group: &str, prefix: &str) -> Vec<Proposed> {
    let name = |name: String| proposed(&Word::write(&format!("{prefix}{name}")), NAME, group, "");
    text.names_of(group).into_iter().map(name).collect()
}

fn value(text: &str, detail: &str) -> Proposed {
    proposed(text, VALUE, detail, "")
}

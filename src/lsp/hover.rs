//! What a directive is: its documentation, its form, and where it may stand; and the block that a name refers to, its
//! secrets masked.

use mediaconf::{Config, Document, Explanation, Kind, Masker, NameUse, Path, Scope};
use serde_json::{Value, json};

use super::place::Caret;
use super::text::Spot;

/// The explanation of the directive at a place; null where there is none.
pub fn explained(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let Some(word) = caret.word().filter(|_| !caret.is_in_comment) else { return Value::Null };
    let shown = |text| json!({ "contents": { "kind": "plaintext", "value": text }, "range": spot.range_of(word.span()) });
    if let Some(block) = caret.name().and_then(|name| referred(text.document(), &name)) {
        return shown(block);
    }
    let Some(path) = caret.path() else { return Value::Null };
    let keyword = caret.words[0].value();
    // A line such as `password=SECRET;` has its secret in the keyword.
    if Masker::Opaque.value(&keyword) != keyword {
        return Value::Null;
    }
    let nothing = json!({});
    let current = if text.is_valid() { text.config() } else { Config::from(&nothing) };
    let Some(explanation) = explanation(&current, &caret, &path, &keyword) else { return Value::Null };
    shown(in_words(&keyword, &explanation))
}

/// The most lines of a block that are shown.
const MOST_LINES: usize = 20;

/// The block that a name refers to.
fn referred(document: &Document, name: &NameUse<'_>) -> Option<String> {
    let uses = document.name_uses().into_iter().filter(|_| !name.is_definition);
    let is_it = |used: &NameUse<'_>| used.is_definition && used.group == name.group && used.name == name.name;
    let place = uses.filter(is_it).map(|used| used.word.start as usize).next()?;
    let block = document.entries().find(|entry| (entry.start()..entry.end()).contains(&place))?;
    let masked = Masker::Opaque.document(&Document::parse(block.text().to_owned())).to_string();
    let lines: Vec<&str> = masked.lines().take(MOST_LINES).collect();
    let more = if masked.lines().count() > MOST_LINES { "\n…" } else { "" };
    Some(format!("{}{more}", lines.join("\n")))
}

/// The explanation of a path, else that of the directive alone; in a template that of a stream, which has the same ones.
fn explanation(current: &Config<'_>, caret: &Caret<'_>, path: &Path, keyword: &str) -> Option<Explanation> {
    let scope = caret.enclosing().scope;
    let row = scope.by_keyword(keyword).filter(|_| scope != Scope::Top && scope.kind().is_none());
    let of_stream = row.and_then(|row| {
        Some(vec![Kind::ALL.iter().find(|kind| kind.scope().by_key(row.key).is_some())?.key(), row.key])
    });
    let alone = Path::of(of_stream.unwrap_or_else(|| vec![keyword]));
    let found = if row.is_none() { current.explain(path).ok() } else { None };
    found.or_else(|| Config::from(&json!({})).explain(&alone).ok())
}

fn in_words(keyword: &str, explanation: &Explanation) -> String {
    let Explanation { documentation, unit, default, text, places, example, secret, .. } = explanation;
    let mut lines = vec![format!("{keyword}: {documentation}")];
    lines.extend(text.as_ref().map(|text| format!("- text: {text}")));
    lines.extend(unit.map(|unit| format!("- unit: {unit}")));
    lines.extend(default.map(|default| format!("- default: {default}")));
    lines.extend(example.map(|example| format!("- example: `{example}`")));
    lines.extend((!places.is_empty()).then(|| format!("- where: {}", places.join(", "))));
    lines.extend(secret.then(|| "- its value, or a part of it, is a secret".to_owned()));
    lines[0].push('\n');
    lines.join("\n")
}

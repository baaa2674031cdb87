//! What a directive is: its documentation, its form, and the value that holds.

use mediaconf::{Config, Explanation, Masker, Parameter, Path, Schema, Scope, Segment};
use serde_json::{Value, json};

use super::place::Caret;
use super::text::Spot;

/// The explanation of the directive at a place; null where there is none.
pub fn explained(spot: &Spot) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let Some(word) = caret.word().filter(|_| !caret.is_in_comment) else { return Value::Null };
    let Some(path) = caret.path() else { return Value::Null };
    let keyword = caret.words[0].value();
    let found = match row_in_template(&caret, &keyword) {
        Some(row) => of_template(row),
        None if text.is_valid() => explanation(&text.masked(&Masker::opaque()).config(), &path, &keyword),
        None => explanation(&Config::from(&json!({})), &path, &keyword),
    };
    let Some(explanation) = found else { return Value::Null };
    let text = in_words(&keyword, &explanation);
    json!({ "contents": { "kind": "plaintext", "value": text }, "range": spot.range_of(word.span()) })
}

/// The explanation of a path, else that of the directive alone.
fn explanation(current: &Config<'_>, path: &Path, keyword: &str) -> Option<Explanation> {
    let alone = || {
        let alone = Path { segments: vec![Segment::Key(keyword.to_owned())] };
        Config::from(&json!({})).explain(&alone).ok()
    };
    current.explain(path).ok().or_else(alone)
}

/// The row of a directive in a block that the general rule shows, such as a template.
fn row_in_template(caret: &Caret<'_>, keyword: &str) -> Option<&'static Parameter> {
    let scope = caret.enclosing().scope;
    scope.by_keyword(keyword).filter(|_| scope != Scope::Top && scope.kind().is_none())
}

/// The explanation of such a row: that of a stream, which has the same ones.
fn of_template(row: &'static Parameter) -> Option<Explanation> {
    let schema = Schema::media();
    let kind = schema.kinds.iter().find(|kind| kind.scope().by_key(row.key).is_some())?;
    let path = Path { segments: [kind.key(), row.key].map(|key| Segment::Key(key.to_owned())).into() };
    let same = Config::from(&json!({})).explain(&path).ok()?;
    Some(Explanation { documentation: row.doc.to_owned(), ..same })
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

//! What a directive is: its documentation, its form, and the value that holds.

use mediaconf::{
    Config, Explanation, FoundValue, Masker, Path, Schema, Scope, Segment, ValueSource, one_line,
};
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
    let (found, inherited) = match text.is_valid() {
        true => {
            let masked = text.masked(&Masker::opaque());
            let config = masked.config();
            (explanation(&config, &caret, &path, &keyword), inherited(&config, &path))
        }
        false => (explanation(&Config::from(&json!({})), &caret, &path, &keyword), Vec::new()),
    };
    let Some(explanation) = found else { return Value::Null };
    let text = in_words(&keyword, &explanation, &inherited);
    json!({ "contents": { "kind": "plaintext", "value": text }, "range": spot.range_of(word.span()) })
}

/// The explanation of a path, else that of the directive alone; in a template that of a stream, which has the same ones.
fn explanation(current: &Config<'_>, caret: &Caret<'_>, path: &Path, keyword: &str) -> Option<Explanation> {
    let scope = caret.enclosing().scope;
    let row = scope.by_keyword(keyword).filter(|_| scope != Scope::Top && scope.kind().is_none());
    let kinds = Schema::media().kinds.iter();
    let of_stream = row.and_then(|row| {
        let kind = kinds.clone().find(|kind| kind.scope().by_key(row.key).is_some())?;
        Some(vec![kind.key(), row.key])
    });
    let keys = of_stream.unwrap_or_else(|| vec![keyword]).into_iter();
    let alone = Path { segments: keys.map(|key| Segment::Key(key.to_owned())).collect() };
    let found = if row.is_none() { current.explain(path).ok() } else { None };
    found.or_else(|| Config::from(&json!({})).explain(&alone).ok())
}

/// What a block has from its template and the top level, or what they have where an entry of a block is, in words.
fn inherited(current: &Config<'_>, path: &Path) -> Vec<String> {
    let found = match path.segments.len() {
        2 => current.inherited_in(path),
        _ => current.inherited(path).ok().flatten().into_iter().collect(),
    };
    found.iter().filter_map(origin_in_words).collect()
}

/// The key, the origin and the value of an inherited value; `None` for a default.
fn origin_in_words(FoundValue { value, source, set_at }: &FoundValue) -> Option<String> {
    let names: Vec<&str> = set_at.as_ref()?.segments.iter().filter_map(Segment::name).collect();
    match (source, &names[..]) {
        (ValueSource::Template, [_, template, key, ..]) => {
            Some(format!("`{key}` of the template `{}`: `{value}`", one_line(template)))
        }
        (ValueSource::Global, [key, ..]) => Some(format!("`{key}` of the top level: `{value}`")),
        _ => None,
    }
}

fn in_words(keyword: &str, explanation: &Explanation, inherited: &[String]) -> String {
    let Explanation { documentation, unit, default, text, places, example, secret, .. } = explanation;
    let mut lines = vec![format!("{keyword}: {documentation}")];
    lines.extend(text.as_ref().map(|text| format!("- text: {text}")));
    lines.extend(unit.map(|unit| format!("- unit: {unit}")));
    lines.extend(default.map(|default| format!("- default: {default}")));
    lines.extend(inherited.iter().map(|line| format!("- {line}")));
    lines.extend(example.map(|example| format!("- example: `{example}`")));
    lines.extend((!places.is_empty()).then(|| format!("- where: {}", places.join(", "))));
    lines.extend(secret.then(|| "- its value, or a part of it, is a secret".to_owned()));
    lines[0].push('\n');
    lines.join("\n")
}

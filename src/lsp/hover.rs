//! What a directive is: its documentation, its form, and the value that holds.

use mediaconf::plumbing::edit::{
    ConfigLookup, Explanation, MaskedLookup, Path, Segment, ValueSource, explain,
};
use mediaconf::plumbing::model::Masker;
use serde_json::{Value, json};

use super::caret::Caret;
use super::lines::PositionEncoding;
use super::workspace::Spot;

/// The explanation of the directive at a place; null where there is none.
pub fn explained(spot: &Spot, encoding: PositionEncoding, takes_markdown: bool) -> Value {
    let (text, offset) = spot.in_whole();
    let caret = Caret::new(text.document(), offset);
    let Some(word) = caret.word().filter(|_| !caret.is_in_comment) else { return Value::Null };
    let Some(path) = caret.path() else { return Value::Null };
    let keyword = caret.words[0].value();
    let found = match text.is_valid() {
        true => explanation(&text.config().lookup(), &path, &keyword),
        false => explanation(&json!({}), &path, &keyword),
    };
    let Some(explanation) = found else { return Value::Null };
    let in_file = |at: u32| (at as usize + spot.offset).saturating_sub(offset);
    let file = spot.file();
    let range =
        file.lines.range(file.text.document().text(), in_file(word.start)..in_file(word.end()), encoding);
    let (kind, text) = match takes_markdown {
        true => ("markdown", in_words(&keyword, &explanation, "**")),
        false => ("plaintext", in_words(&keyword, &explanation, "")),
    };
    json!({ "contents": { "kind": kind, "value": text }, "range": range })
}

/// The explanation of a path, else that of the directive alone.
fn explanation(current: &dyn ConfigLookup, path: &Path, keyword: &str) -> Option<Explanation> {
    let masker = Masker::opaque();
    let current = MaskedLookup { current, masker: Some(&masker) };
    let alone = || {
        let alone = Path { segments: vec![Segment::Key(keyword.to_owned())] };
        explain(&json!({}), &alone).ok()
    };
    explain(&current, path).ok().or_else(alone)
}

fn in_words(keyword: &str, explanation: &Explanation, bold: &str) -> String {
    let Explanation { documentation, unit, default, text, places, example, secret, found, .. } = explanation;
    let mut lines = vec![format!("{bold}{keyword}{bold}: {documentation}")];
    lines.extend(text.as_ref().map(|text| format!("- text: {text}")));
    lines.extend(unit.map(|unit| format!("- unit: {unit}")));
    lines.extend(default.map(|default| format!("- default: {default}")));
    let value = found.as_ref().filter(|found| !found.value.is_object());
    lines.extend(value.and_then(|found| {
        let origin = match found.source {
            ValueSource::Own | ValueSource::Derived => return None,
            ValueSource::Global => "inherited from the top level",
            ValueSource::Default => "the default",
        };
        Some(format!("- value: `{}` ({origin})", found.value))
    }));
    lines.extend(example.map(|example| format!("- example: `{example}`")));
    lines.extend((!places.is_empty()).then(|| format!("- where: {}", places.join(", "))));
    lines.extend(secret.then(|| "- its value, or a part of it, is a secret".to_owned()));
    lines[0].push('\n');
    lines.join("\n")
}

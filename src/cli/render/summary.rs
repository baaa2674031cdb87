//! A change in one line an entry: `~ cam1 prepush 5 → 2`, `- cam9`, `+ hall`, and a last line that counts them.

use serde_json::Value;

use crate::cli::render::grouped;
use crate::http::api::shortened;
use mediaconf::{ChangedValue, Kind, Masker, Path, Segment, one_line};

/// The number of characters of a value that are shown.
const LONGEST: usize = 60;

/// One line an entry, then the counts.
pub fn summary(values: &[ChangedValue], masker: Masker) -> Vec<String> {
    let mut counts = [('~', 0, "changed"), ('+', 0, "added"), ('-', 0, "removed")];
    let entries = grouped(values, |value| Some(&value.keys[..depth(value)]));
    let mut lines: Vec<String> = entries.iter().map(|entry| line(entry, masker)).collect();
    for count in &mut counts {
        count.1 = lines.iter().filter(|line| line.starts_with(count.0)).count();
    }
    lines.push(counts.map(|(_, count, what)| format!("{count} {what}")).join(", "));
    lines
}

/// The number of keys that name the entry: a block has the key of its kind and its name.
fn depth(value: &ChangedValue) -> usize {
    if Kind::ALL.iter().any(|kind| kind.key() == value.keys[0]) { 2 } else { 1 }
}

/// The line of one entry.
fn line(values: &[&ChangedValue], masker: Masker) -> String {
    let (depth, mut words, mut sign) = (depth(values[0]), Vec::new(), '~');
    let mut name = String::new();
    for value in values {
        let ChangedValue { keys, before, after } = &(*value).clone().masked(masker);
        // A stream is named alone, as almost all blocks are streams.
        name = path(if keys[0] == Kind::Streams.key() { &keys[1..depth] } else { &keys[..depth] });
        let whole = keys.len() == depth;
        match (before, after) {
            (None, Some(after)) if whole => {
                sign = '+';
                words.extend((depth == 1).then(|| shown(Some(after))));
            }
            (Some(_), None) if whole => sign = '-',
            _ => {
                let member = if whole { String::new() } else { format!("{} ", path(&keys[depth..])) };
                words.push(format!("{member}{} → {}", shown(before.as_ref()), shown(after.as_ref())));
            }
        }
    }
    format!("{sign} {name} {}", words.join(", ")).trim_end().to_owned()
}

fn path(keys: &[String]) -> String {
    let segment = |key: &String| key.parse().map_or_else(|_| Segment::Key(key.clone()), Segment::Index);
    one_line(&Path { segments: keys.iter().map(segment).collect() }.to_string())
}

/// A value on one line; a long one is cut.
fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => "none".to_owned(),
        Some(Value::String(text)) if !text.is_empty() && !text.contains(char::is_whitespace) => text.clone(),
        Some(value) => value.to_string(),
    };
    shortened(&one_line(&text), LONGEST)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_entry_has_a_line_and_the_last_one_counts() {
        let value = |keys: &str, before: Value, after: Value| ChangedValue {
            keys: keys.split(' ').map(str::to_owned).collect(),
            before: Some(before).filter(|value| !value.is_null()),
            after: Some(after).filter(|value| !value.is_null()),
        };
        let values = [
            value("rtmp", json!(1935), json!(1936)),
            value("http", Value::Null, json!(80)),
            value("edit_auth password", json!("old"), json!("new")),
            value("streams cam1 prepush", json!(5), json!(2)),
            value("streams cam1 title", Value::Null, json!("Hall 1")),
            value("streams cam1 urls 0 url", json!("udp://1"), json!("udp://2")),
            value("streams cam9", json!({"name": "cam9"}), Value::Null),
            value("streams a.b", Value::Null, json!({"name": "a.b"})),
            value("lives studio", Value::Null, json!({"name": "studio"})),
        ];
        let expected = "~ rtmp 1935 → 1936\n\
                        + http 80\n\
                        ~ edit_auth password old → new\n\
                        ~ cam1 prepush 5 → 2, title none → \"Hall 1\", urls[0].url udp://1 → udp://2\n\
                        - cam9\n\
                        + \"a.b\"\n\
                        + lives.studio\n\
                        3 changed, 3 added, 1 removed";
        assert_eq!(summary(&values, Masker::Off).join("\n"), expected);
        let masked = &summary(&values[2..3], Masker::default())[0];
        assert!(masked.starts_with("~ edit_auth password <secret") && !masked.contains("old"), "{masked}");
        assert_eq!(summary(&[], Masker::Off), ["0 changed, 0 added, 0 removed"]);
    }
}

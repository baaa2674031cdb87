//! The merge, once more and as plainly as can be: RFC 7396 on the JSON values alone, with the rules
//! of the contract written down a second time. It knows nothing of texts, entries or forms.

use serde_json::{Map, Value};

/// canon(merge(own, patch))
pub fn merge(own: &Value, patch: &Value) -> Value {
    let mut merged = own.as_object().cloned().unwrap_or_default();
    for (key, value) in patch.as_object().into_iter().flatten() {
        match key.as_str() {
            "runtime" => {}
            "auth" => put(&mut merged, key, auth(own.get(key), value)),
            "streams" | "lives" | "plugins" => {
                let group = group(key, own.get(key), value);
                merged.insert(key.clone(), group);
            }
            _ => put(&mut merged, key, rfc7396(own.get(key), value)),
        }
    }
    let listens = merged.get("http").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(options) = merged.get_mut("http_options").and_then(Value::as_object_mut) {
        options.retain(|port, _| listens.iter().any(|known| known.to_string().trim_matches('"') == port));
    }
    canon(&Value::Object(merged))
}

fn put(object: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    match value {
        Some(value) => object.insert(key.to_owned(), value),
        None => object.shift_remove(key),
    };
}

fn rfc7396(own: Option<&Value>, patch: &Value) -> Option<Value> {
    match patch {
        Value::Null => None,
        Value::Object(members) => {
            let mut merged = own.and_then(Value::as_object).cloned().unwrap_or_default();
            for (key, value) in members {
                let value = rfc7396(merged.get(key), value);
                put(&mut merged, key, value);
            }
            Some(Value::Object(merged))
        }
        other => Some(other.clone()),
    }
}

fn auth(own: Option<&Value>, patch: &Value) -> Option<Value> {
    let opens = patch.get("url") == Some(&Value::Bool(false))
        && own.and_then(|own| own.get("url")) != patch.get("url");
    let base = if opens { None } else { own };
    let mut merged = rfc7396(base, patch)?;
    let members = merged.as_object_mut()?;
    if opens && !members.contains_key("url") {
        members.insert("url".to_owned(), Value::Bool(false));
    }
    members.contains_key("url").then_some(merged)
}

fn group(kind: &str, own: Option<&Value>, patch: &Value) -> Value {
    let mut merged = own.and_then(Value::as_object).cloned().unwrap_or_default();
    let Some(patch) = patch.as_object() else { return Value::Object(Map::new()) };
    for (name, value) in patch {
        let block = value.as_object().map(|members| block(kind, merged.get(name), members));
        put(&mut merged, name, block);
    }
    Value::Object(merged)
}

fn block(kind: &str, own: Option<&Value>, patch: &Map<String, Value>) -> Value {
    let mut merged = own.and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in patch {
        match key.as_str() {
            "position" | "name" | "prefix" | "url_global" | "cluster_key_global" => {}
            "auth" => {
                let value = auth(merged.get(key), value);
                put(&mut merged, key, value);
            }
            _ => {
                let value = rfc7396(merged.get(key), value);
                put(&mut merged, key, value);
            }
        }
    }
    let always: &[(&str, Value)] = match kind {
        "streams" => &[("static", Value::Bool(true)), ("urls", Value::Array(Vec::new()))],
        "lives" => &[("static", Value::Bool(false)), ("publish_enabled", Value::Bool(true))],
        _ => &[],
    };
    for (key, value) in always {
        if !merged.contains_key(*key) {
            merged.insert((*key).to_owned(), value.clone());
        }
    }
    Value::Object(merged)
}

/// What the view never shows goes, what it always shows comes, and short names become long.
pub fn canon(value: &Value) -> Value {
    let mut members = value.as_object().cloned().unwrap_or_default();
    members.entry("http").or_insert_with(|| Value::Array(Vec::new()));
    for group in ["streams", "lives", "plugins"] {
        members.entry(group.to_owned()).or_insert_with(|| Value::Object(Map::new()));
    }
    if members.get("http_options").and_then(Value::as_object).is_some_and(Map::is_empty) {
        members.shift_remove("http_options");
    }
    for block in
        members.get_mut("streams").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
    {
        for pair in block.get_mut("transcoder").and_then(Value::as_array_mut).into_iter().flatten() {
            match pair[0].as_str() {
                Some("vb") => pair[0] = "video_bitrate".into(),
                Some("ab") => pair[0] = "audio_bitrate".into(),
                _ => {}
            }
        }
    }
    Value::Object(members)
}

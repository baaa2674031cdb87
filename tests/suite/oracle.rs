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
            "http" => put(&mut merged, key, list(value)),
            "streams" | "lives" | "plugins" => {
                let group = group(key, own.get(key), value);
                merged.insert(key.clone(), group);
            }
            "template"
                if value.as_object().is_some_and(|blocks| {
                    blocks.values().all(|block| block.is_object() || block.is_null())
                }) =>
            {
                let group = group(key, own.get(key), value);
                merged.insert(key.clone(), group);
            }
            _ => put(&mut merged, key, rfc7396(own.get(key), value)),
        }
    }
    let listens = merged.get("http").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(options) = merged.get_mut("http_options").and_then(Value::as_object_mut) {
        let name = |port: &Value| port.as_str().map_or_else(|| port.to_string(), str::to_owned);
        let listens: Vec<String> = listens.iter().map(name).collect();
        options.retain(|port, _| listens.contains(port));
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
        other => Some(general(other)),
    }
}

/// An archive, whose options are a list of ours also in a template. It has a root or a reference: the one
/// that is given takes the place of the other.
fn dvr(own: Option<&Value>, patch: &Value) -> Option<Value> {
    let mut merged = rfc7396(own, patch)?;
    for (given, other) in [("root", "reference"), ("reference", "root")] {
        if patch.get(given).is_some_and(Value::is_string) && patch.get(other).is_none() {
            put(merged.as_object_mut()?, other, None);
        }
    }
    if let Some(options) = patch.get("options").filter(|options| options.is_array()) {
        merged["options"] = options.clone();
    }
    Some(merged)
}

/// A list of ours is what it is.
fn list(patch: &Value) -> Option<Value> {
    (!patch.is_null()).then(|| patch.clone())
}

/// An unknown value in the form that its text reads back as.
fn general(value: &Value) -> Value {
    match value {
        Value::Array(elements) if elements.iter().any(Value::is_array) => {
            let occurrences: Vec<Vec<Value>> = elements.iter().map(occurrence).collect();
            named_blocks(&occurrences)
                .or_else(|| only_one(&occurrences))
                .unwrap_or_else(|| occurrences.into())
        }
        Value::Array(words) if words.len() == 1 => words[0].clone(),
        other => other.clone(),
    }
}

fn occurrence(words: &Value) -> Vec<Value> {
    let word = |word: &Value| rfc7396(None, word).expect("an occurrence holds no null");
    words.as_array().into_iter().flatten().map(word).collect()
}

/// R2: blocks with names that differ.
fn named_blocks(occurrences: &[Vec<Value>]) -> Option<Value> {
    let mut blocks = Map::new();
    for occurrence in occurrences {
        let [name, block @ Value::Object(_)] = occurrence.as_slice() else { return None };
        let name = match name {
            Value::String(name) => name.clone(),
            Value::Object(_) => return None,
            other => other.to_string(),
        };
        if blocks.insert(name, block.clone()).is_some() {
            return None;
        }
    }
    Some(Value::Object(blocks))
}

/// R1 and R3: one occurrence, of words or of a block alone.
fn only_one(occurrences: &[Vec<Value>]) -> Option<Value> {
    let [words] = occurrences else { return None };
    match words.as_slice() {
        [] => Some(Value::Bool(true)),
        [word] => Some(word.clone()),
        words if words.iter().any(Value::is_object) => None,
        words => Some(words.to_vec().into()),
    }
}

fn auth(own: Option<&Value>, patch: &Value) -> Option<Value> {
    let opens = patch.get("url") == Some(&Value::Bool(false))
        && own.and_then(|own| own.get("url")) != patch.get("url");
    let base = if opens { None } else { own };
    let mut merged = rfc7396(base, patch)?;
    let members = merged.as_object_mut()?;
    members.shift_remove("url_global");
    if opens && !members.contains_key("url") {
        members.insert("url".to_owned(), Value::Bool(false));
    }
    let known = own.and_then(|own| own.get("extra")).and_then(Value::as_object);
    match members.get_mut("extra").and_then(Value::as_object_mut) {
        Some(extra) if extra.is_empty() => put(members, "extra", None),
        Some(extra) => new_ones_first(extra, known),
        None => {}
    }
    members.contains_key("url").then_some(merged)
}

/// Extras that were not there stand in front of those that were, which keep their order.
fn new_ones_first(extra: &mut Map<String, Value>, known: Option<&Map<String, Value>>) {
    let known = known.into_iter().flat_map(Map::keys);
    let old: Vec<_> = known.filter_map(|key| extra.shift_remove_entry(key)).collect();
    extra.extend(old);
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
            "position" | "name" | "prefix" | "url_global" | "cluster_key_global" if kind != "template" => {}
            "auth" if matches!(kind, "streams" | "lives") => {
                let value = auth(merged.get(key), value);
                put(&mut merged, key, value);
            }
            "urls" | "transcoder" if kind == "streams" => {
                let says_something = |list: &Value| key == "urls" || *list != Value::Array(Vec::new());
                put(&mut merged, key, list(value).filter(says_something));
            }
            "dvr" if value.is_object() => {
                let value = dvr(merged.get(key), value);
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
    for never_empty in ["http_options", "edit_auth", "view_auth"] {
        if members.get(never_empty).and_then(Value::as_object).is_some_and(Map::is_empty) {
            members.shift_remove(never_empty);
        }
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

/// Takes out what may be gone or empty: an unknown object that a patch took all members of is gone
/// if they were named blocks, and stays as one empty block if they were not; JSON alone can't tell.
pub fn without_emptied(mut value: Value, patch: &Value) -> Value {
    for (key, patch) in patch.as_object().into_iter().flatten() {
        let Some(member) = value.get_mut(key) else { continue };
        if !matches!(key.as_str(), "streams" | "lives" | "plugins") {
            forget_emptied(&mut value, key, patch);
            continue;
        }
        for (name, patch) in patch.as_object().into_iter().flatten() {
            for (key, patch) in patch.as_object().into_iter().flatten() {
                member.get_mut(name).into_iter().for_each(|block| forget_emptied(block, key, patch));
            }
        }
    }
    value
}

fn forget_emptied(parent: &mut Value, key: &str, patch: &Value) {
    let Some(patch) = patch.as_object().filter(|patch| !patch.is_empty()) else { return };
    let Some(object) = parent.get_mut(key) else { return };
    patch.iter().for_each(|(key, patch)| forget_emptied(object, key, patch));
    if object.as_object().is_some_and(Map::is_empty) {
        parent.as_object_mut().into_iter().for_each(|parent| put(parent, key, None));
    }
}

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
            "https" | "admin_http" | "admin_https" => {
                let ports =
                    if value.is_array() { list(value) } else { list(value).map(|port| vec![port].into()) };
                put(&mut merged, key, ports.filter(|ports| *ports != Value::Array(Vec::new())));
            }
            "streams" | "lives" | "plugins" => {
                let group = group(key, own.get(key), value);
                merged.insert(key.clone(), group);
            }
            "template" | "source" | "file" | "vod"
                if value.as_object().is_some_and(|blocks| {
                    blocks.values().all(|block| block.is_object() || block.is_null())
                }) =>
            {
                let group = group(key, own.get(key), value);
                merged.insert(key.clone(), group);
            }
            _ => put(&mut merged, key, foreign(key, own.get(key), value)),
        }
    }
    for ports in ["http", "https", "admin_http", "admin_https"] {
        drop_options_of_gone(&mut merged, ports);
    }
    canon(&Value::Object(merged))
}

/// A block stays as long as its port.
fn drop_options_of_gone(merged: &mut Map<String, Value>, ports: &str) {
    let listens = merged.get(ports).and_then(Value::as_array).cloned().unwrap_or_default();
    let key = format!("{ports}_options");
    if let Some(options) = merged.get_mut(&key).and_then(Value::as_object_mut) {
        let name = |port: &Value| port.as_str().map_or_else(|| port.to_string(), str::to_owned);
        let listens: Vec<String> = listens.iter().map(name).collect();
        options.retain(|port, _| listens.contains(port));
        if options.is_empty() {
            merged.shift_remove(&key);
        }
    }
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
                let value = foreign(key, merged.get(key), value);
                put(&mut merged, key, value);
            }
            Some(Value::Object(merged))
        }
        other => Some(general(other)),
    }
}

/// A flat list of a directive that repeats has a line for each word, unless it is the words of the line
/// that stands there.
fn foreign(key: &str, own: Option<&Value>, patch: &Value) -> Option<Value> {
    match (key, patch) {
        ("iptv" | "no_prepush" | "add_audio_only", Value::Bool(false))
            if own.is_none_or(|own| *own == true) =>
        {
            return None;
        }
        ("meta", Value::Object(names)) if !own.is_some_and(Value::is_object) => {
            return by_name(own, names);
        }
        _ => {}
    }
    let Some(words) = patch.as_array().filter(|_| REPEATED.contains(&key)) else {
        return rfc7396(own, patch);
    };
    let is_one_line = own.and_then(Value::as_array).is_some_and(|lines| lines[..] == [patch.clone()]);
    match &words[..] {
        [] => None,
        _ if is_one_line => own.cloned(),
        [only] if !only.is_array() => Some(only.clone()),
        [Value::Array(words)] if words.len() > 1 && !words.iter().any(Value::is_object) => {
            Some(patch.clone())
        }
        words if words.iter().any(Value::is_array) => rfc7396(own, patch),
        words => Some(words.iter().map(|word| Value::Array(vec![word.clone()])).collect()),
    }
}

/// `meta NAME VALUE;`: the last line of a name is changed, and null removes all.
fn by_name(own: Option<&Value>, names: &Map<String, Value>) -> Option<Value> {
    let one = |word: &Value| vec![Value::Array(vec![word.clone()])];
    let mut lines = own.map_or(Vec::new(), |own| own.as_array().cloned().unwrap_or_else(|| one(own)));
    for (name, value) in names {
        let place = lines.iter().rposition(|line| line[0] == *name);
        match place {
            _ if value.is_null() => lines.retain(|line| line[0] != *name),
            Some(place) => lines[place] = vec![Value::from(name.as_str()), value.clone()].into(),
            None => lines.push(vec![Value::from(name.as_str()), value.clone()].into()),
        }
    }
    (!lines.is_empty()).then_some(Value::Array(lines))
}

const REPEATED: [&str; 12] =
    ["push", "peer", "backend", "allow", "deny", "disk", "card", "input", "meta", "url", "include", "rule"];

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
    for (key, value) in &switched(&merged, patch) {
        // A line in a wrong form makes place for a right one.
        let misshapen = format!("@{key}");
        if !merged.contains_key(key)
            && !value.is_null()
            && !patch.contains_key(&misshapen)
            && SINGLE.contains(&key.as_str())
            && merged.get(&misshapen).is_some_and(has_lines_of_one_word)
        {
            merged.shift_remove(&misshapen);
        }
        match key.as_str() {
            "position" | "name" | "prefix" | "url_global" | "cluster_key_global"
                if !is_like_a_template(kind) => {}
            "auth" if kind != "plugins" => {
                let value = auth(merged.get(key), value);
                put(&mut merged, key, value);
            }
            "urls" | "transcoder" if kind != "plugins" => {
                let is_shown_empty = key == "urls" && kind == "streams";
                let says_something = |list: &Value| is_shown_empty || *list != Value::Array(Vec::new());
                put(&mut merged, key, list(value).filter(says_something));
            }
            "dvr" if value.is_object() => {
                let value = dvr(merged.get(key), value);
                put(&mut merged, key, value);
            }
            _ => {
                let value = foreign(key, merged.get(key), value);
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

/// Settings of blocks with one value.
const SINGLE: [&str; 7] =
    ["prepush", "transcoder", "auth", "dvr", "cluster_key", "disabled", "publish_enabled"];

/// True if no line of a keyword has several words, or a block: such a line may have swallowed another one.
fn has_lines_of_one_word(value: &Value) -> bool {
    let is_one_word = |line: &Value| line.as_array().is_some_and(|words| words.len() <= 1);
    match value {
        Value::Object(_) => false,
        Value::Array(lines) => lines.iter().all(|line| is_one_word(line) && !line[0].is_object()),
        _ => true,
    }
}

fn is_like_a_template(kind: &str) -> bool {
    matches!(kind, "template" | "source" | "file" | "vod")
}

/// The members of a block in which `X_off` is what it means.
fn switched(own: &Map<String, Value>, patch: &Map<String, Value>) -> Map<String, Value> {
    let mut switched = Map::new();
    for (key, value) in patch {
        match (key.strip_suffix("_off"), value) {
            (Some(_), Value::Bool(false)) if own.contains_key(key) => {
                switched.insert(key.clone(), Value::Null);
            }
            (Some(protocol), Value::Bool(is_off))
                if SWITCHED.contains(&protocol) && !own.contains_key(key) =>
            {
                let was_off = own.get(protocol).is_some_and(|value| value == "off");
                match (patch.contains_key(protocol), is_off) {
                    (false, true) => drop(switched.insert(protocol.to_owned(), "off".into())),
                    (false, false) if was_off => drop(switched.insert(protocol.to_owned(), Value::Null)),
                    _ => {}
                }
            }
            _ => drop(switched.insert(key.clone(), value.clone())),
        }
    }
    switched
}

const SWITCHED: [&str; 6] = ["hds", "dash", "mpegts", "rtsp", "rtmp", "hls"];

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
    let groups = ["streams", "lives", "template", "source", "file", "vod"];
    let typed = members.iter_mut().filter(|(key, _)| groups.contains(&key.as_str()));
    let blocks = typed.filter_map(|(_, group)| group.as_object_mut()).flat_map(Map::values_mut);
    for block in blocks.filter(|block| block.is_object()) {
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

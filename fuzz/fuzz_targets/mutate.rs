//! Patches that mean something: bytes that are changed at random seldom make a JSON that names what
//! is in the text. Here a place is chosen in the view of the text, or in the patch that is there,
//! and gets a value of a kind that has its own rule.

use mediaconf::Document;
use serde_json::{Map, Value, json};

use crate::law::view;

/// Random numbers that are the same for the same seed.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u32) -> Self {
        Self(u64::from(seed))
    }

    /// A number below `end`, which is not 0 (Knuth's MMIX generator; its high bits are the good ones).
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Another patch of the same text; none if the text has errors.
pub fn other_patch(text: &str, patch: &[u8], chance: &mut Chance) -> Option<Value> {
    let document = Document::parse(text.to_owned());
    if document.has_errors() {
        return None;
    }
    let is_kept = !chance.one_in(3);
    let known = serde_json::from_slice(patch).ok().filter(|patch: &Value| patch.is_object() && is_kept);
    let mut patch = known.unwrap_or_else(|| Value::Object(Map::new()));
    match chance.below(4) {
        0 => change_somewhere(&mut patch, chance),
        _ => change_what_is_there(&view(&document, false), &mut patch, chance),
    }
    Some(patch)
}

/// Goes down into what is there, and the patch with it.
fn change_what_is_there(known: &Value, patch: &mut Value, chance: &mut Chance) {
    let members = match known.as_object() {
        Some(members) if !chance.one_in(6) => members,
        _ => return *patch = changed(known, chance),
    };
    let is_new = members.is_empty() || chance.one_in(6);
    let key = if is_new { new_key(chance) } else { members.keys().nth(chance.below(members.len())).cloned() };
    let key = key.expect("a number below the count is a place");
    let inside = members.get(&key).unwrap_or(&Value::Null);
    if !patch.is_object() {
        *patch = Value::Object(Map::new());
    }
    change_what_is_there(inside, &mut patch[key], chance);
}

/// Goes down into the patch.
fn change_somewhere(patch: &mut Value, chance: &mut Chance) {
    match patch {
        Value::Object(members) if !members.is_empty() && !chance.one_in(5) => {
            let place = chance.below(members.len());
            change_somewhere(members.values_mut().nth(place).expect("it is below the count"), chance);
        }
        Value::Array(elements) if !elements.is_empty() && !chance.one_in(3) => {
            let place = chance.below(elements.len());
            change_somewhere(&mut elements[place], chance);
        }
        value => *value = changed(value, chance),
    }
}

/// A value that differs from one that is there, mostly a little.
fn changed(known: &Value, chance: &mut Chance) -> Value {
    match known {
        Value::Array(elements) if !chance.one_in(4) => Value::Array(other_elements(elements.clone(), chance)),
        Value::Object(members) if !chance.one_in(3) => {
            let mut members = members.clone();
            members.extend(new_key(chance).map(|key| (key, any_value(chance))));
            Value::Object(members)
        }
        _ => any_value(chance),
    }
}

fn other_elements(mut elements: Vec<Value>, chance: &mut Chance) -> Vec<Value> {
    let place = chance.below(elements.len() + 1);
    match (chance.below(5), elements.get(place).cloned()) {
        (0, _) => elements.reverse(),
        (1, Some(_)) => drop(elements.remove(place)),
        (2, Some(known)) => elements.push(known),
        (3, Some(known)) => elements[place] = changed(&known, chance),
        _ => elements.insert(place, any_value(chance)),
    }
    elements
}

fn any_value(chance: &mut Chance) -> Value {
    match chance.below(4) {
        0 => Value::Null,
        1 => (*chance
            .of(&["", "x", "a b", "5", "true", "false", "off", "u#;", "'q", "\"\\", "a=b", "1024k", "h:80"]))
        .into(),
        2 => chance
            .of(&[&json!(true), &json!(false), &json!(0), &json!(7), &json!(80), &json!(1), &json!(1.5)])
            .clone(),
        _ => any_structure(chance),
    }
}

fn any_structure(chance: &mut Chance) -> Value {
    let all = [
        json!([]),
        json!({}),
        json!(["a"]),
        json!(["a", "b", 1]),
        json!([[]]),
        json!([["a"]]),
        json!([["a"], ["b", 2]]),
        json!([[], ["a"]]),
        json!([["a", {"b": 1}]]),
        json!([["a", {"b": 1}], ["c", {}]]),
        json!([["a", {}], ["a", {}]]),
        json!([[{"x": null}]]),
        json!({"x": 1}),
        json!({"x": {}}),
        json!({"x": null}),
        json!({"x": {"y": true}, "z": {}}),
        json!({"x": {"y": null}}),
        json!({"url": "udp://9", "q": true}),
        json!([{"url": "udp://9"}, {"url": "a b", "p": "5"}]),
        json!([["vb", "64k"], ["x"]]),
        json!({"login": "l", "password": ""}),
        json!({"url": false, "extra": {"n": "v w"}}),
        json!({"position": 1}),
    ];
    all[chance.below(all.len())].clone()
}

/// A key that may be ours, reserved, or nobody's.
fn new_key(chance: &mut Chance) -> Option<String> {
    let all = [
        "k",
        "x",
        "a b",
        "@k",
        "@url",
        "@urls",
        "@name",
        "80",
        "new",
        "extra",
        "url",
        "urls",
        "auth",
        "static",
        "position",
        "prepush",
        "transcoder",
        "cluster_key",
        "publish_enabled",
        "http",
        "http_options",
        "rtmp",
        "streams",
        "lives",
        "plugins",
        "edit_auth",
        "log_requests",
        "true",
        "",
    ];
    Some((*chance.of(&all)).to_owned())
}

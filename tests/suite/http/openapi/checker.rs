//! Does a value satisfy a schema? Knows the keywords that our document uses, and fails on others.

use serde_json::{Map, Value};

/// The value at a `$ref` of the document.
pub fn resolve<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    document.pointer(reference.strip_prefix('#')?)
}

/// What is wrong with `value`; empty if it satisfies `schema`.
pub fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    Checker { document }.check(schema, value, "")
}

struct Checker<'d> {
    document: &'d Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let Value::Object(keywords) = schema else {
            let wrong = schema != &Value::Bool(true);
            return wrong.then(|| format!("{at}: nothing satisfies {schema}")).into_iter().collect();
        };
        let found = keywords.iter().flat_map(|(keyword, argument)| match keyword.as_str() {
            "properties" | "additionalProperties" => Vec::new(),
            keyword => self.keyword(keyword, argument, value, at),
        });
        found.chain(self.members(keywords, value, at)).collect()
    }

    fn keyword(&self, keyword: &str, argument: &Value, value: &Value, at: &str) -> Vec<String> {
        let holds = match keyword {
            "description" | "readOnly" | "deprecated" | "format" | "x-mediactl" => true,
            "$ref" => {
                let name = argument.as_str().expect("a reference is a string");
                let schema = resolve(self.document, name).unwrap_or_else(|| panic!("there is no {name}"));
                return self.check(schema, value, at);
            }
            "allOf" => {
                return list(argument).iter().flat_map(|schema| self.check(schema, value, at)).collect();
            }
            "anyOf" => list(argument).iter().any(|schema| self.check(schema, value, at).is_empty()),
            "items" => return self.items(argument, value, at),
            "prefixItems" => return self.prefix(list(argument), value, at),
            "type" => types(argument).iter().any(|name| is_of_type(name, value)),
            "enum" => list(argument).contains(value),
            "const" => argument == value,
            "required" => value.as_object().is_none_or(|object| has_all(object, list(argument))),
            "minimum" => {
                value.as_i64().is_none_or(|number| argument.as_i64().is_some_and(|least| number >= least))
            }
            "maximum" => {
                value.as_i64().is_none_or(|number| argument.as_i64().is_some_and(|most| number <= most))
            }
            "minItems" => {
                value.as_array().is_none_or(|array| array.len() as u64 >= argument.as_u64().unwrap_or(0))
            }
            "maxItems" => value.as_array().is_none_or(|array| Some(array.len() as u64) <= argument.as_u64()),
            "pattern" => value.as_str().is_none_or(|text| matches_pattern(argument, text)),
            _ => panic!("the checker does not know `{keyword}`"),
        };
        (!holds).then(|| format!("{at}: {value} is not `{keyword}`: {argument}")).into_iter().collect()
    }

    fn items(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let elements = value.as_array().into_iter().flatten().enumerate();
        elements.flat_map(|(place, element)| self.check(schema, element, &format!("{at}/{place}"))).collect()
    }

    fn prefix(&self, schemas: &[Value], value: &Value, at: &str) -> Vec<String> {
        let elements = value.as_array().into_iter().flatten().zip(schemas).enumerate();
        elements
            .flat_map(|(place, (element, schema))| self.check(schema, element, &format!("{at}/{place}")))
            .collect()
    }

    fn members(&self, keywords: &Map<String, Value>, value: &Value, at: &str) -> Vec<String> {
        let known = |key: &str| keywords.get("properties").and_then(|properties| properties.get(key));
        let members = value.as_object().into_iter().flatten();
        members
            .filter_map(|(key, member)| {
                let schema = known(key).or_else(|| keywords.get("additionalProperties"))?;
                Some(self.check(schema, member, &format!("{at}/{key}")))
            })
            .flatten()
            .collect()
    }
}

fn list(argument: &Value) -> &[Value] {
    argument.as_array().expect("the argument is a list")
}

fn types(argument: &Value) -> Vec<&str> {
    match argument {
        Value::String(name) => vec![name],
        _ => list(argument).iter().filter_map(Value::as_str).collect(),
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        // 1e3 is one (JSON Schema, 6.1.1).
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        _ => panic!("there is no type `{name}`"),
    }
}

fn has_all(object: &Map<String, Value>, keys: &[Value]) -> bool {
    keys.iter().filter_map(Value::as_str).all(|key| object.contains_key(key))
}

/// True if a text matches one of the patterns in our schemas.
fn matches_pattern(pattern: &Value, text: &str) -> bool {
    let digits = match pattern.as_str() {
        Some(":[0-9]+$") => text.rsplit_once(':').map_or("", |(_, port)| port),
        Some("^[0-9]+%?$") => text.strip_suffix('%').unwrap_or(text),
        Some("^[0-9]+[dhms]?$") => text.strip_suffix(['d', 'h', 'm', 's']).unwrap_or(text),
        _ => panic!("the checker does not know the pattern {pattern}"),
    };
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let document = serde_json::json!({ "here": { "type": "integer", "minimum": 1 } });
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/here" }, "b": { "type": ["string", "null"] } },
        "additionalProperties": { "anyOf": [{ "const": false }, { "type": "array", "items": { "enum": [1, 2] } }] },
        "required": ["a"],
    });
    for (text, faulty) in [
        (r#"{"a":1,"b":null,"c":[1,2]}"#, &[][..]),
        (r#"{"a":0}"#, &["/a"]),
        (r#"{"a":"x"}"#, &["/a"]),
        (r#"{"b":5}"#, &["/b", ""]),
        (r#"{"a":1,"x":true,"y":[3]}"#, &["/x", "/y"]),
        ("[]", &[""]),
    ] {
        let value = serde_json::from_str(text).expect("it is JSON");
        let mut places: Vec<String> = faults(&document, &schema, &value)
            .iter()
            .filter_map(|fault| fault.split_once(':').map(|(at, _)| at.to_owned()))
            .collect();
        places.sort();
        let mut expected = faulty.to_vec();
        expected.sort_unstable();
        assert_eq!(places, expected, "{text}");
    }
}

//! Parses the JSON text of a patch, and refuses more than serde_json does; what all forms share where they bring its
//! values to the form in which they are shown.
//!
//! serde_json silently takes the last of repeated keys; here they are a fault with its pointer, as
//! is nesting that the text format could not hold. It also rewrites exponents (`1E5` as `1e+5`),
//! but a number that is not an integer is written to the configuration as in the source text.
//!
//! The memory that a merge needs is estimated while the text is parsed, so that a patch that needs
//! too much is refused before it has taken the memory.

use std::fmt;

use foldhash::HashSet;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::schema::{
    Fault, FaultKind, Faults, Pointer, Schema, WordKind, canonical_scalar, is_scalar, kind_of, shown,
};
use crate::syntax::Document;

impl Schema {
    /// The memory in bytes that a merge takes for each value of a patch, whatever its length: for the
    /// value, the value that it is merged into, the edit, its text, and the proof. Measured: 0.6 to 1.0 KiB.
    pub const VALUE_COST: usize = 1024;

    /// The number of copies of the text of a patch that a merge holds in memory, in addition to its values.
    pub const TEXT_COST: usize = 10;

    /// The memory that the largest patch may take, as a multiple of the size of the largest body.
    pub const MEMORY_PER_BODY: usize = 8;

    /// A JSON text without its byte order mark (RFC 8259, section 8.1), which editors and shells of Windows write.
    pub fn without_bom(text: &[u8]) -> &[u8] {
        text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
    }

    /// Parses the text of a patch, without a limit for the memory of its merge.
    ///
    /// # Errors
    /// The faults of the text.
    pub fn parse_patch(text: &[u8]) -> Result<Value, Faults> {
        parse_within(text, usize::MAX)
    }
}

/// Parses the text of a patch whose merge takes `memory` bytes at most.
///
/// # Errors
/// `TooLarge` if it takes more.
pub fn parse_within(text: &[u8], memory: usize) -> Result<Value, Faults> {
    let text = Schema::without_bom(text);
    let raw: &RawValue = serde_json::from_slice(text).map_err(|error| not_json(text, &error))?;
    // A comma of a string counts, too: no real patch has so many of them.
    let values = 1 + text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if text.len() * Schema::TEXT_COST + values * Schema::VALUE_COST > memory {
        let most = memory / (1 << 20);
        let message = format!("the patch is too large: merging it takes more than {most} MiB of memory");
        let fault = Fault::at_pointer(FaultKind::TooLarge, Pointer::root(), message);
        return Err(fault.hint("split the patch: send a part of its members at a time").into());
    }
    let mut faults = Faults::default();
    let value = read(raw, &Pointer::root(), 0, &mut faults);
    faults.into_result(value.unwrap_or_default())
}

fn not_json(text: &[u8], error: &serde_json::Error) -> Fault {
    let document = Document::from_bytes(text.to_vec());
    let first = document.entries().next();
    let is_configuration = first.is_some_and(|first| Schema::is_any_keyword(&first.keyword()));
    let message = match is_configuration {
        true => "not JSON, but the text of a configuration".to_owned(),
        false => format!("not JSON: {error}"),
    };
    let hint = match text.trim_ascii_start() {
        _ if is_configuration => {
            "`apply` merges a text, `save` and `update` take a whole one; \
             over HTTP `save_config` and `update_config` do"
        }
        [b'\'', ..] | [b'{', b'\'', ..] => "JSON strings are in double quotes",
        _ => "send a JSON object, such as {\"streams\": {\"cam1\": {\"prepush\": 5}}}",
    };
    Fault::at_pointer(FaultKind::NotJson, Pointer::root(), message).hint(hint)
}

/// The value at one place; `None` if there is a fault behind which nothing is read.
fn read(raw: &RawValue, at: &Pointer, depth: usize, faults: &mut Faults) -> Option<Value> {
    let text = raw.get();
    let read = match text.as_bytes()[0] {
        b'[' | b'{' if depth == Document::MAX_DEPTH => {
            Err(Error::custom(format!("the patch nests deeper than {}", Document::MAX_DEPTH)))
        }
        b'[' => serde_json::from_str::<Vec<&RawValue>>(text).map(|elements| {
            let elements = elements.into_iter().enumerate();
            elements.map(|(index, raw)| read(raw, &at.child(index.to_string()), depth + 1, faults)).collect()
        }),
        b'{' => serde_json::Deserializer::from_str(text).deserialize_map(PatchMembers).map(|members| {
            let (mut object, mut repeated) = (Map::new(), HashSet::default());
            for (key, raw) in members {
                let at = at.child(&key);
                if object.contains_key(&key) && repeated.insert(key.clone()) {
                    let message = format!("the key `{key}` is given more than once");
                    let fault = Fault::at_pointer(FaultKind::NotJson, at.clone(), message);
                    faults.push(fault.hint("keep one of them: JSON does not say which counts"));
                }
                object.insert(key, read(raw, &at, depth + 1, faults)?);
            }
            Some(object.into())
        }),
        // serde_json reads `1E5` as `1e+5`; there is no other way to keep the source text.
        b'-' | b'0'..=b'9' => Ok(Some(Number::from_string_unchecked(text.to_owned()).into())),
        _ => serde_json::from_str(text).map(Some),
    };
    read.unwrap_or_else(|error| {
        faults.push(Fault::at_pointer(FaultKind::NotJson, at.clone(), error.to_string()));
        None
    })
}

/// Reads the members of an object, repeated ones included.
struct PatchMembers;

impl<'de> Visitor<'de> for PatchMembers {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| members.next_entry().transpose()).collect()
    }
}

/// Collects the faults of a patch whose values are normalized or merged.
pub struct Normalizer {
    /// The place of the value that is looked at.
    pub at: Pointer,
    /// The faults that were found so far.
    pub faults: Faults,
    /// Tells whether a text holds a mask of a secret, which may not be written.
    pub holds_mask: fn(&str) -> bool,
}

impl Normalizer {
    /// Collects those of a part of a patch that is normalized already.
    pub fn below_place(at: &Pointer) -> Self {
        Self { at: at.clone(), faults: Faults::default(), holds_mask: |_| false }
    }

    /// Looks at a member or an element of the value.
    pub fn below<T>(&mut self, key: impl AsRef<str>, look: impl FnOnce(&mut Self) -> T) -> T {
        let above = self.at.push(key);
        let found = look(self);
        self.at.0.truncate(above);
        found
    }

    /// Refuses the value; the hint may be empty.
    pub fn refuse(&mut self, kind: FaultKind, message: impl Into<String>, hint: &str) -> Option<Value> {
        let fault = Fault::at_pointer(kind, self.at.clone(), message);
        self.faults.push(if hint.is_empty() { fault } else { fault.hint(hint) });
        None
    }

    /// Refuses a value that does not fit; the hint may be empty.
    pub fn wrong(&mut self, message: impl Into<String>, hint: &str) -> Option<Value> {
        self.refuse(FaultKind::WrongType, message, hint)
    }

    /// Refuses a value that is not what is expected; the hint may be empty.
    pub fn unlike(&mut self, expected: &str, found: &Value, hint: &str) -> Option<Value> {
        self.wrong(format!("expected {expected}, found {}", kind_of(found)), hint)
    }

    /// Refuses the value with the message of a fault.
    pub fn told(&mut self, Fault { message, hint, .. }: Fault) -> Option<Value> {
        self.wrong(message, &hint.unwrap_or_default())
    }

    /// Refuses a key that is escaped without need.
    pub fn needless_escape(&mut self, key: &str) -> Option<Value> {
        let keyword = key.trim_start_matches(Schema::ESCAPE);
        self.wrong(format!("`{key}` needs no `{}`", Schema::ESCAPE), &format!("write it as `{keyword}`"))
    }

    /// True if a name can't be written.
    pub fn is_unwritable(&self, name: &str) -> bool {
        name.contains('\0') || (self.holds_mask)(name)
    }

    /// Refuses an option whose key can't be written.
    pub fn option(&mut self, key: &str, value: Value) -> Option<Value> {
        if self.is_unwritable(key) { self.wrong("an option can't have this key", "") } else { Some(value) }
    }

    /// Normalizes the members of an object, for which an empty list may stand, without those that are dropped or refused.
    pub fn members(
        &mut self,
        value: Value,
        mut member: impl FnMut(&mut Self, &str, Value) -> Option<Value>,
    ) -> Option<Value> {
        let mut members = match value {
            Value::Object(members) => members,
            Value::Array(elements) if elements.is_empty() => Map::new(),
            other => return self.unlike("an object", &other, ""),
        };
        members.retain(|key, value| {
            let normalized = self.below(key, |this| member(this, key, value.take()));
            normalized.map(|normalized| *value = normalized).is_some()
        });
        Some(Value::Object(members))
    }

    /// Normalizes the elements of a list, by their places in it; `None` if one of them is refused.
    pub fn elements(
        &mut self,
        value: Value,
        mut element: impl FnMut(&mut Self, usize, Value) -> Option<Value>,
    ) -> Option<Value> {
        let Value::Array(elements) = value else { return self.unlike("a list", &value, "") };
        let mut below = |(at, value): (usize, _)| self.below(at.to_string(), |this| element(this, at, value));
        let normalized: Vec<_> = elements.into_iter().enumerate().map(&mut below).collect();
        normalized.into_iter().collect::<Option<_>>().map(Value::Array)
    }

    /// Normalizes a value that is one word of this kind.
    pub fn value(&mut self, kind: &WordKind, value: &Value) -> Option<Value> {
        if let Some(accepted) = (kind.accept)(value) {
            return self.writable(accepted);
        }
        let expected = kind.json_form.split(';').next().unwrap_or_default();
        // A text may be a secret.
        let found = if kind.is_text { kind_of(value).to_owned() } else { shown(value) };
        let hint = if kind.is_text && is_scalar(value) { "write the value in double quotes" } else { "" };
        self.wrong(format!("expected {expected}, found {found}"), hint)
    }

    fn writable(&mut self, value: Value) -> Option<Value> {
        let text = value.as_str().unwrap_or_default();
        if (self.holds_mask)(text) {
            let message = "this is a mask, not the secret it stands for";
            let hint = "leave the member out to keep the secret; `--show-secrets` reads it";
            return self.refuse(FaultKind::MaskedValue, message, hint);
        }
        if text.contains('\0') { self.wrong("a value can't hold a NUL character", "") } else { Some(value) }
    }

    /// What is meant by a place that has a key of newer servers, or a wrapper around a configuration.
    fn meant(&self) -> Option<String> {
        let keys = self.at.keys();
        let newer = keys.iter().find_map(|key| Schema::foreign(key)?.is);
        let group = keys.iter().position(|key| Schema::kind(key).is_some()).filter(|at| *at > 0);
        let wrapper = || Some(format!("did you mean what is in `{}`, without it?", keys[..group?].join(".")));
        newer.map(|key| format!("did you mean `{key}`?")).or_else(wrapper)
    }

    /// Normalizes a scalar of the general rule, such as an option: a number that is no safe integer becomes a string.
    pub fn scalar(&mut self, value: Value) -> Option<Value> {
        if is_scalar(&value) {
            return self.writable(canonical_scalar(value));
        }
        self.unlike("a string, a number or a boolean", &value, &self.meant().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Schema::parse_patch(text.as_bytes())
            .expect_err("it is no patch")
            .0
            .iter()
            .map(Fault::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn repeated_keys_are_named_with_their_place() {
        assert_eq!(fault(r#"{"a":{"b/c":1,"b/c":2}}"#), "`a.b/c`: the key `b/c` is given more than once");
    }

    #[test]
    fn the_text_of_a_configuration_is_told_from_bad_json() {
        for (text, is_configuration) in [
            ("http 80;\n", true),
            ("\u{feff}\n# main\nstream a { url udp://1; }", true),
            ("view_auth;", true),
            ("stream a {\n", true),
            ("{'streams':{}}", false),
            ("streams: {\"a\": 1};", false),
            ("rtmp=1935;", false),
            ("tru", false),
            ("NaN, {", false),
            ("not json", false),
            ("# a comment\n{'rtmp': 1};", false),
            ("# a comment", false),
            ("", false),
        ] {
            let told = fault(text);
            assert_eq!(told.contains("the text of a configuration"), is_configuration, "{text}: {told}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once_and_in_front() {
        assert_eq!(
            Schema::parse_patch("\u{feff}{\"a\":1E5}".as_bytes()).expect("it is JSON").to_string(),
            r#"{"a":1E5}"#
        );
        for text in ["\u{feff}\u{feff}{}", " \u{feff}{}", "{}\u{feff}"] {
            assert!(fault(text).contains("not JSON"), "{text:?}");
        }
        assert_eq!(fault("\u{feff}"), fault(""));
    }

    #[test]
    fn depth_is_bounded_without_recursion_trouble() {
        assert!(Schema::parse_patch(format!("{}{}", "[".repeat(64), "]".repeat(64)).as_bytes()).is_ok());
        assert!(
            fault(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))).contains("nests deeper than 64")
        );
        let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
        assert!(fault(&deep).contains("nests deeper than 64"));
        assert!(fault(&"[".repeat(10_000)).contains("not JSON"));
    }

    #[test]
    fn a_patch_that_takes_too_much_memory_is_refused_while_it_is_read() {
        let text = br#"{"a":[1,{"b":""}]}"#;
        let enough = 5 * Schema::VALUE_COST + text.len() * Schema::TEXT_COST;
        assert!(parse_within(text, enough).is_ok());
        for memory in [enough - 1, Schema::VALUE_COST, 0] {
            let faults = parse_within(text, memory).expect_err("it takes more");
            assert_eq!(faults.0.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::TooLarge]);
        }
    }

    #[test]
    fn numbers_keep_their_source_text() {
        for source in ["1.0", "1e+3", "12345678901234567890.5", "-0", "1E-2", "1e400", "-1.50E16", "1E+1"] {
            assert_eq!(Schema::parse_patch(source.as_bytes()).expect("it is JSON").to_string(), source);
        }
    }

    #[test]
    fn a_key_that_serde_json_uses_itself_is_a_key() {
        let source = r#"{"a":{"$serde_json::private::Number":"1e+9"},"b":1E5}"#;
        assert_eq!(Schema::parse_patch(source.as_bytes()).expect("it is JSON").to_string(), source);
    }

    #[test]
    fn a_secret_in_bad_json_is_not_quoted() {
        for text in ["{'password': 's3cret'}", "\"s3cret", "{\"a\": s3cret}"] {
            assert!(!fault(text).contains("s3cret"));
        }
    }

    #[test]
    fn each_number_keeps_its_own_spelling() {
        let source = r#"{"a 1E9\\":[1e5,1E5,"\"1E7",-1e+5,7,2E0],"b":{"1e3\\\"":1E3}}"#;
        assert_eq!(Schema::parse_patch(source.as_bytes()).expect("it is JSON").to_string(), source);
    }
}

//! Parses the JSON text of a patch, and refuses more than serde_json does.
//!
//! serde_json silently takes the last of repeated keys; here they are a fault with its pointer, as
//! is nesting that the text format could not hold. It also rewrites exponents (`1E5` as `1e+5`),
//! but a number that is not an integer is written to the configuration as in the source text.
//!
//! The memory that a merge needs is estimated while the text is parsed, so that a patch that needs
//! too much is refused before it has taken the memory.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::fault::{Fault, FaultKind, Faults};
use super::json_pointer::Pointer;
use crate::syntax::Document;

const MIB: usize = 1024 * 1024;

/// The memory in bytes that a merge takes for each value of a patch, whatever its length: for the
/// value, the value that it is merged into, the edit, its text, and the proof. Measured: 0.6 to 1.0 KiB.
pub const VALUE_COST: usize = 1024;

/// The number of copies of the text of a patch that a merge holds in memory, in addition to its values.
pub const TEXT_COST: usize = 10;

/// The memory that the largest patch may take, as a multiple of the size of the largest body.
pub const MEMORY_PER_BODY: usize = 8;

/// The byte order mark of UTF-8, which editors and shells of Windows write in front of JSON.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// A JSON text without its byte order mark (RFC 8259, section 8.1).
pub fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// Parses the text of a patch, without a limit for the memory of its merge.
pub fn parse(text: &[u8]) -> Result<Value, Faults> {
    parse_within(text, usize::MAX)
}

/// Parses the text of a patch whose merge takes `memory` bytes at most.
///
/// # Errors
/// `TooLarge` if it takes more.
pub fn parse_within(text: &[u8], memory: usize) -> Result<Value, Faults> {
    let text = without_bom(text);
    let reader = Reader {
        faults: RefCell::default(),
        tokens: RefCell::new(Tokens { text, at: 0 }),
        values_left: Cell::new(memory.saturating_sub(text.len() * TEXT_COST) / VALUE_COST),
        memory,
    };
    let root = ValueSeed { pointer: Pointer::root(), depth: 0, reader: &reader };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let parsed = root.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    let mut faults = reader.faults.into_inner();
    match parsed {
        Ok(value) => Faults(faults).into_result(value),
        Err(error) => {
            if faults.is_empty() {
                faults.push(not_json(text, &error));
            }
            Err(Faults(faults))
        }
    }
}

fn not_json(text: &[u8], error: &serde_json::Error) -> Fault {
    let single_quoted =
        text.trim_ascii_start().starts_with(b"{'") || text.trim_ascii_start().starts_with(b"'");
    if looks_like_configuration(text) {
        let message = "not JSON, but the text of a configuration";
        let hint = "`apply` merges a text, `save` and `update` take a whole one; \
                    over HTTP `save_config` and `update_config` do";
        return Fault::at_pointer(FaultKind::NotJson, Pointer::root(), message).hint(hint);
    }
    let hint = match (text.trim_ascii().is_empty(), single_quoted) {
        (true, _) => "it is empty; send an object, such as {\"streams\": {}}",
        (_, true) => "JSON strings are in double quotes",
        _ => "send a JSON object, such as {\"streams\": {\"cam1\": {\"prepush\": 5}}}",
    };
    let message = error.to_string();
    let message = match message.split(" at line ").next().unwrap_or(&message) {
        // serde_json quotes the value, which may be a secret.
        quoted if quoted.starts_with("invalid type") || quoted.starts_with("invalid value") => {
            "unexpected value"
        }
        message => message,
    };
    let place = match error.line() {
        0 => String::new(),
        line => format!(" at line {line} column {}", error.column()),
    };
    Fault::at_pointer(FaultKind::NotJson, Pointer::root(), format!("not JSON: {message}{place}")).hint(hint)
}

/// True if a text that is no JSON begins with a directive, behind blank lines and comments.
fn looks_like_configuration(text: &[u8]) -> bool {
    let is_comment = |line: &[u8]| line.is_empty() || line.starts_with(b"#");
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !is_comment(line)) else { return false };
    let keyword = first.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let is_directive = matches!(first.get(keyword), None | Some(b' ' | b'\t' | b';' | b'{'));
    let has_end = |line: &[u8]| line.iter().any(|byte| matches!(byte, b';' | b'{'));
    first[0].is_ascii_alphabetic() && is_directive && (has_end(first) || lines.any(has_end))
}

/// The state that all values of a patch share.
struct Reader<'t> {
    faults: RefCell<Vec<Fault>>,
    tokens: RefCell<Tokens<'t>>,
    /// The number of further values that fit into the memory of the patch.
    values_left: Cell<usize>,
    /// That memory, in bytes.
    memory: usize,
}

/// Parses the value at one place of a patch.
struct ValueSeed<'r, 't> {
    pointer: Pointer,
    depth: usize,
    reader: &'r Reader<'t>,
}

impl ValueSeed<'_, '_> {
    fn child(&self, key: impl fmt::Display) -> Self {
        Self { pointer: self.pointer.child(key), depth: self.depth + 1, reader: self.reader }
    }

    fn refuse(&self, fault: Fault) {
        self.reader.faults.borrow_mut().push(fault);
    }

    fn check_memory<E: Error>(&self) -> Result<(), E> {
        if let Some(left) = self.reader.values_left.get().checked_sub(1) {
            self.reader.values_left.set(left);
            return Ok(());
        }
        let most = self.reader.memory / MIB;
        let message = format!("the patch is too large: merging it takes more than {most} MiB of memory");
        let fault = Fault::at_pointer(FaultKind::TooLarge, Pointer::root(), message);
        // If there is this fault, it alone is reported.
        self.reader.faults.borrow_mut().clear();
        self.refuse(fault.hint("split the patch: send a part of its members at a time"));
        Err(E::custom("too large"))
    }

    fn check_depth<E: Error>(&self) -> Result<(), E> {
        if self.depth < Document::MAX_DEPTH {
            return Ok(());
        }
        self.refuse(Fault::at_pointer(
            FaultKind::NotJson,
            self.pointer.clone(),
            format!("the patch nests deeper than {}", Document::MAX_DEPTH),
        ));
        Err(E::custom("too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.check_memory()?;
        let source = self.reader.tokens.borrow_mut().take();
        if !matches!(source.first(), Some(b'-' | b'0'..=b'9')) {
            return deserializer.deserialize_any(self);
        }
        let number = Number::deserialize(deserializer)?;
        let has_exponent = source.iter().any(|byte| matches!(byte, b'e' | b'E'));
        let source = str::from_utf8(source).ok().filter(|_| has_exponent);
        // serde_json reads `1E5` as `1e+5`; there is no other way to keep the source text.
        Ok(Value::Number(source.map_or(number, |source| Number::from_string_unchecked(source.to_owned()))))
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let mut array = Vec::new();
        while let Some(value) = elements.next_element_seed(self.child(array.len()))? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        let mut repeated = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            self.reader.tokens.borrow_mut().take();
            self.check_depth()?;
            if object.contains_key(&key) && repeated.insert(key.clone()) {
                self.refuse(
                    Fault::at_pointer(
                        FaultKind::NotJson,
                        self.pointer.child(&key),
                        format!("the key `{key}` is given more than once"),
                    )
                    .hint("keep one of them: JSON does not say which counts"),
                );
            }
            let value = members.next_value_seed(self.child(&key))?;
            object.insert(key, value);
        }
        self.check_depth()?;
        Ok(Value::Object(object))
    }
}

/// The tokens of a JSON text, taken in step with the parser, which checks them.
struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Takes the next key, scalar value, or opening bracket.
    fn take(&mut self) -> &'t [u8] {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':' | b']' | b'}');
        let rest = &self.text[self.at..];
        let start = rest.iter().position(|byte| !is_between(byte)).unwrap_or(rest.len());
        let token = &rest[start..];
        let length = match token.first() {
            Some(b'"') => string_length(token),
            Some(b'[' | b'{') => 1,
            _ => token.iter().position(is_between).unwrap_or(token.len()),
        };
        self.at += start + length;
        &token[..length]
    }
}

/// The length of a string, its quotes included.
fn string_length(text: &[u8]) -> usize {
    let mut offset = 1;
    while let Some(found) = text.get(offset..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        match text[offset + found] {
            b'"' => return offset + found + 1,
            _ => offset += found + 2,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse(text.as_bytes())
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
        assert_eq!(parse("\u{feff}{\"a\":1E5}".as_bytes()).expect("it is JSON").to_string(), r#"{"a":1E5}"#);
        for text in ["\u{feff}\u{feff}{}", " \u{feff}{}", "{}\u{feff}"] {
            assert!(fault(text).contains("not JSON"), "{text:?}");
        }
        assert_eq!(fault("\u{feff}"), fault(""));
    }

    #[test]
    fn depth_is_bounded_without_recursion_trouble() {
        assert!(parse(format!("{}{}", "[".repeat(64), "]".repeat(64)).as_bytes()).is_ok());
        assert!(fault(&"[".repeat(10_000)).contains("nests deeper than 64"));
        assert!(fault(&"{\"a\":".repeat(10_000)).contains("nests deeper than 64"));
    }

    #[test]
    fn a_patch_that_takes_too_much_memory_is_refused_while_it_is_read() {
        let text = br#"{"a":[1,{"b":""}]}"#;
        let enough = 5 * VALUE_COST + text.len() * TEXT_COST;
        assert!(parse_within(text, enough).is_ok());
        for memory in [enough - 1, VALUE_COST, 0] {
            let faults = parse_within(text, memory).expect_err("it takes more");
            assert_eq!(faults.0.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::TooLarge]);
        }
    }

    #[test]
    fn numbers_keep_their_source_text() {
        for source in ["1.0", "1e+3", "12345678901234567890.5", "-0", "1E-2", "1e400", "-1.50E16", "1E+1"] {
            assert_eq!(parse(source.as_bytes()).expect("it is JSON").to_string(), source);
        }
    }

    #[test]
    fn each_number_keeps_its_own_spelling() {
        let source = r#"{"a 1E9\\":[1e5,1E5,"\"1E7",-1e+5,7,2E0],"b":{"1e3\\\"":1E3}}"#;
        assert_eq!(parse(source.as_bytes()).expect("it is JSON").to_string(), source);
    }

    #[test]
    fn a_key_that_serde_json_uses_itself_is_a_key() {
        let source = r#"{"a":{"$serde_json::private::Number":"1e+9"},"b":1E5}"#;
        assert_eq!(parse(source.as_bytes()).expect("it is JSON").to_string(), source);
    }

    #[test]
    fn a_secret_in_bad_json_is_not_quoted() {
        for text in ["{'password': 's3cret'}", "\"s3cret", "{\"a\": s3cret}"] {
            assert!(!fault(text).contains("s3cret"));
        }
    }
}

//! `rtmp 1935;`, a port or an address to listen on.

use serde_json::Value;

use super::kind::{Transport, WordKind, WrongValue};
use crate::schema::json_value::integer;
use crate::schema::scalar::{Scalar, canonical_integer};

/// `rtmp 1935;`, an integer 0..65535 or a `host:port` string.
pub static PORT: WordKind = WordKind {
    name: "port or \"host:port\"",
    usage: "a port from 0 to 65535, or HOST:PORT",
    json_form: "a number or a \"host:port\" string",
    expected: "a port (0 to 65535) or host:port",
    is_telling: true,
    transport: Some(Transport::Tcp),
    read: |word| {
        let value = word?.value();
        number(&value).map(Scalar::Number).or_else(|| is_address(&value).then_some(Scalar::Text(value)))
    },
    parse: |text| number(text).map(Value::from).or_else(|| is_address(text).then(|| text.into())),
    accept,
    ..WordKind::WORD
};

/// A port of UDP, which no other listener takes.
pub static UDP_PORT: WordKind = WordKind { transport: Some(Transport::Udp), ..PORT };

fn number(text: &str) -> Option<i64> {
    canonical_integer(text).filter(|&port| u16::try_from(port).is_ok())
}

fn is_address(value: &str) -> bool {
    value.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && number(port).is_some())
}

fn accept(value: Value) -> Result<Value, WrongValue> {
    match integer(&value).filter(|&port| u16::try_from(port).is_ok()) {
        Some(port) => Ok(port.into()),
        None if value.as_str().is_some_and(is_address) => Ok(value),
        None => {
            let hint = "a port is an integer from 0 to 65535, or a string \"host:port\"";
            Err(WrongValue::expected("a port", &value).hint(hint))
        }
    }
}

#[test]
fn a_port_is_a_number_or_an_address() {
    use serde_json::json;
    super::kind::check(
        &PORT,
        &[
            ("80", json!(80)),
            ("65536", json!(null)),
            ("080", json!(null)),
            ("[::]:80", json!("[::]:80")),
            (":80", json!(null)),
            ("a:b", json!(null)),
        ],
    );
    assert_eq!(accept(json!("80")), Ok(json!(80)));
    assert!(accept(json!(70_000)).is_err());
}

//! The bodies of responses, within what they may take: bytes, memory for what their JSON says, and time.
//!
//! A value takes up to ninety times its JSON (`0,`), so its memory is counted while it is parsed.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;
use std::time::Instant;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

const KIB: u64 = 1024;

/// The units of sizes. A size is shown in the largest that leaves no rest.
const UNITS: [(&str, u64); 3] = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];

/// The factor by which the values of an answer may be larger in memory than the answer.
const MEMORY_PER_SIZE: u64 = 3;

/// The largest answer with an error status.
const OF_REFUSAL: AnswerSize = AnswerSize(KIB * KIB);

/// The most bytes of its values: it is small, and thousands of faults in it are possible.
const MEMORY_OF_REFUSAL: u64 = 64 * KIB * KIB;

/// The bytes that a block on the heap takes in addition to its content, at most.
const HEAP_BLOCK: usize = 32;

/// The bytes of a member of an object: its key and hash, the value, and its place in the index.
const MEMBER: usize = size_of::<String>() + size_of::<Value>() + 2 * size_of::<usize>();

/// The number of bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// The number of values between two looks at the clock.
const VALUES_PER_LOOK: u32 = 4096;

/// The key under which serde_json gives the digits of a number that is no integer of 64 bits.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// The size that the answer of a server may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub struct AnswerSize(u64);

impl AnswerSize {
    pub const DEFAULT: Self = Self(64 * KIB * KIB);

    /// The largest that can be chosen.
    const LARGEST: Self = Self(16 * KIB * KIB * KIB);

    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The next size to try, as an option takes it.
    pub fn next(self) -> Option<String> {
        let twice = Self(self.0 * 2);
        (twice <= Self::LARGEST).then(|| {
            match UNITS.iter().find(|(_, bytes)| twice.0.is_multiple_of(*bytes)) {
                Some((name, bytes)) => format!("{}{}", twice.0 / bytes, &name[..1]),
                None => twice.0.to_string(),
            }
        })
    }
}

impl FromStr for AnswerSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor =
            UNITS.iter().find(|(name, _)| unit == *name || unit == &name[..1]).map(|(_, bytes)| *bytes);
        let size = match (factor, unit) {
            (None, "") => digits.parse().ok(),
            (None, _) => None,
            // Digits that are too many for a number are too large, too.
            (Some(factor), _) => digits.parse::<u64>().ok().and_then(|count| count.checked_mul(factor)),
        };
        let size = size.map(Self).filter(|size| (Self(1)..=Self::LARGEST).contains(size));
        size.ok_or_else(|| {
            format!("a size is from 1 to `{}` bytes, such as `64M` or `100KiB`", Self::LARGEST.0)
        })
    }
}

impl fmt::Display for AnswerSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes)) {
            Some((name, bytes)) => write!(f, "{} {name}", self.0 / bytes),
            None if self.0 == 1 => f.write_str("1 byte"),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// The limits of an answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLimits {
    size: AnswerSize,
    /// True if it has an error status.
    is_refusal: bool,
    /// The time until which it has to be read and parsed.
    deadline: Instant,
}

impl AnswerLimits {
    pub fn new(size: AnswerSize, deadline: Instant) -> Self {
        Self { size, is_refusal: false, deadline }
    }

    /// The limits of an answer with an error status, whatever its size may be otherwise.
    pub fn of_refusal(deadline: Instant) -> Self {
        Self { size: OF_REFUSAL, is_refusal: true, deadline }
    }

    /// Reads a body; `length` is what its head says.
    pub fn read(self, mut body: impl Read, length: Option<u64>) -> Result<BoundedBody, BodyFault> {
        let most = self.size.0;
        let length = length.unwrap_or(0);
        if length > most {
            return Err(self.too_large(false));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let mut piece = vec![0; PIECE];
        loop {
            match body.read(&mut piece) {
                Ok(0) => return Ok(BoundedBody { bytes, limits: self }),
                Ok(read) => bytes.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(BodyFault::Broken(error)),
            }
            if bytes.len() as u64 > most {
                return Err(self.too_large(false));
            }
            if self.is_over() {
                return Err(BodyFault::TooLate);
            }
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Returns the most bytes that the values may take in memory.
    fn memory(&self) -> usize {
        let memory = if self.is_refusal { MEMORY_OF_REFUSAL } else { self.size.0 * MEMORY_PER_SIZE };
        usize::try_from(memory).unwrap_or(usize::MAX)
    }

    fn too_large(&self, when_parsed: bool) -> BodyFault {
        match self.is_refusal {
            true => BodyFault::LongRefusal,
            false => BodyFault::TooLarge { most: self.size, when_parsed },
        }
    }
}

/// The reason why a body is not read or not parsed.
#[derive(Debug)]
pub enum BodyFault {
    /// The connection broke.
    Broken(io::Error),
    /// It, or what its values take in memory, is larger than it may be.
    TooLarge { most: AnswerSize, when_parsed: bool },
    /// It has an error status, and is larger than any such body.
    LongRefusal,
    /// The time is over.
    TooLate,
}

/// The body of a response.
#[derive(Debug, Clone)]
pub struct BoundedBody {
    pub bytes: Vec<u8>,
    limits: AnswerLimits,
}

impl BoundedBody {
    /// The JSON value that this is; `None` if it is no JSON.
    pub fn json(&self) -> Result<Option<Value>, BodyFault> {
        let meter = Meter {
            left: Cell::new(self.limits.memory()),
            until_look: Cell::new(VALUES_PER_LOOK),
            limits: self.limits,
            exceeded: Cell::new(None),
        };
        let mut deserializer = serde_json::Deserializer::from_slice(&self.bytes);
        let parsed = Metered(&meter)
            .deserialize(&mut deserializer)
            .and_then(|value| deserializer.end().map(|()| value));
        match meter.exceeded.into_inner() {
            Some(error) => Err(error),
            None => Ok(parsed.ok()),
        }
    }
}

/// Counts what the values of an answer take.
struct Meter {
    /// The number of bytes of memory that may still be taken.
    left: Cell<usize>,
    /// The number of values between two looks at the clock.
    until_look: Cell<u32>,
    limits: AnswerLimits,
    /// The limit that ended the parsing.
    exceeded: Cell<Option<BodyFault>>,
}

impl Meter {
    /// Counts memory that is taken next.
    fn take<E: Error>(&self, bytes: usize) -> Result<(), E> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => self.left.set(left),
            None => return self.end(self.limits.too_large(true)),
        }
        self.until_look.set(self.until_look.get() - 1);
        if self.until_look.get() == 0 {
            self.until_look.set(VALUES_PER_LOOK);
            if self.limits.is_over() {
                return self.end(BodyFault::TooLate);
            }
        }
        Ok(())
    }

    fn end<E: Error>(&self, error: BodyFault) -> Result<(), E> {
        self.exceeded.set(Some(error));
        Err(E::custom("a limit is exceeded"))
    }
}

/// Parses one value; the place that it lies in is counted already.
#[derive(Clone, Copy)]
struct Metered<'m>(&'m Meter);

impl<'de> DeserializeSeed<'de> for Metered<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Metered<'_> {
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

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.0.take(2 * HEAP_BLOCK)?;
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.0.take(2 * HEAP_BLOCK)?;
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.0.take(value.len() + HEAP_BLOCK)?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array: Vec<Value> = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            if array.len() == array.capacity() {
                // It doubles.
                self.0.take(array.len().max(4) * size_of::<Value>() + HEAP_BLOCK)?;
            }
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == NUMBER_KEY {
                let digits = members.next_value::<String>()?;
                self.0.take(digits.len() + HEAP_BLOCK)?;
                return digits.parse::<Number>().map(Value::Number).map_err(A::Error::custom);
            }
            if object.is_empty() {
                self.0.take(MEMBER + 2 * HEAP_BLOCK)?;
            }
            // A table is between half full and full.
            self.0.take(2 * MEMBER + key.len() + HEAP_BLOCK)?;
            let value = members.next_value_seed(self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn answer(json: &str, time: Duration) -> BoundedBody {
        let limits = AnswerLimits::new(AnswerSize::DEFAULT, Instant::now() + Duration::from_secs(60));
        let read = limits.read(json.as_bytes(), None).expect("it is short");
        BoundedBody { limits: AnswerLimits { deadline: Instant::now() + time, ..limits }, ..read }
    }

    #[test]
    fn the_values_are_those_of_serde_json() {
        for json in [
            r#"{"a":[1,-2.50,1E5,12345678901234567890,1e400],"b":{"c":"\u00e4\n","c":null},"d":[],"e":{},"f":true}"#,
            "[[[]]]",
            "7",
            r#"{"$serde_json::private::Number":"x"}"#,
            r#"{"$serde_json::private::Number":1}"#,
            "{} {}",
            "{",
            "",
        ] {
            let parsed = answer(json, Duration::from_secs(60)).json().expect("it is within the limits");
            assert_eq!(parsed, serde_json::from_str::<Value>(json).ok(), "{json}");
        }
        let deep = answer(&"[".repeat(100_000), Duration::from_secs(60)).json();
        assert_eq!(deep.expect("it is within the limits"), None);
    }

    #[test]
    fn the_time_covers_parsing() {
        let late = answer(&format!("[0{}]", ",0".repeat(10_000)), Duration::ZERO).json();
        assert!(matches!(late, Err(BodyFault::TooLate)), "{late:?}");
    }

    #[test]
    fn sizes_are_shown_as_they_are_given() {
        for (given, shown, next) in [
            ("1", "1 byte", Some("2")),
            ("100K", "100 KiB", Some("200K")),
            ("1024MiB", "1 GiB", Some("2G")),
            ("67108864", "64 MiB", Some("128M")),
            ("16G", "16 GiB", None),
        ] {
            let size: AnswerSize = given.parse().expect("it is a size");
            assert_eq!((size.to_string().as_str(), size.next().as_deref()), (shown, next));
        }
    }
}

//! Conditions that select entries: `--where 'urls.url~10.0.3.'`.
//!
//! The path begins below the selected entry and goes through lists without brackets: a condition holds
//! for a list if it holds for any of its entries. Values are compared as they are, secrets included.

use std::collections::BTreeSet;
use std::fmt;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::config_lookup::ConfigLookup;
use super::fault::Fault;
use super::path::{Path, Segment};
use super::regular_expression::{BadRegex, compiled};
use super::schema_path::{Place, own_value};
use super::suggestion::keys;
use super::through_lists::{any, names};
use super::typed::{NULL, is_list, meant, typed};
use super::unknown_key::UnknownKey;
use super::value_at::value_at;
use crate::schema::json_value::scalar_text;
use crate::schema::{Kind, Schema};

/// A condition on the entries that a path selects.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "WrittenCondition", into = "WrittenCondition")]
pub struct Condition {
    /// As it was written.
    text: String,
    path: Path,
    test: Test,
    /// True if a key may be nearly a known one.
    pub accepts_near_miss: bool,
}

/// A condition as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCondition {
    test: String,
    #[serde(default)]
    accepts_near_miss: bool,
}

impl TryFrom<WrittenCondition> for Condition {
    type Error = ConditionError;

    fn try_from(written: WrittenCondition) -> Result<Self, ConditionError> {
        let WrittenCondition { test, accepts_near_miss } = written;
        Ok(Self { accepts_near_miss, ..Self::parse(&test)? })
    }
}

impl From<Condition> for WrittenCondition {
    fn from(condition: Condition) -> Self {
        Self { test: condition.text, accepts_near_miss: condition.accepts_near_miss }
    }
}

#[derive(Clone)]
enum Test {
    /// `=`
    Equals(String),
    /// `!=`, which an absent value meets, too
    Differs(String),
    /// `~` with a text, to the letter or without its quotes
    Contains(String, Option<String>),
    /// `=~`
    Matches(Regex),
    Exists,
    Missing,
}

/// The reason why a text is no condition.
#[derive(Debug, Error)]
pub enum ConditionError {
    /// There is no operator.
    #[error("there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it")]
    NoOperator,
    /// The path has a fault.
    #[error(transparent)]
    Path(#[from] Fault),
    /// The regular expression is wrong.
    #[error(transparent)]
    Regex(#[from] BadRegex),
    /// The path has a `[+]`.
    #[error("`[+]` is a new element, which meets no condition")]
    NewEntry,
    /// There is nothing behind this operator, which needs a text.
    #[error("there is no text behind `{0}`, so it would hold for every value")]
    NoText(&'static str),
    /// This operator has no negation.
    #[error("there is no operator `!{0}`")]
    NoNegation(String),
}

/// Shows no value, which may be a secret.
impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({})", self.path)
    }
}

impl Condition {
    /// Parses `PATH OP VALUE`, `PATH exists` or `PATH missing`; blanks around the operator mean nothing.
    ///
    /// # Errors
    /// The path, the operator or the regular expression is not one.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        let (path, operator, value) = split(text).ok_or(ConditionError::NoOperator)?;
        if path.trim_end().ends_with('!') && matches!(operator, "~" | "=~") {
            return Err(ConditionError::NoNegation(operator.to_owned()));
        }
        let path = Path::parse(path.trim())?;
        if path.segments.contains(&Segment::Append) {
            return Err(ConditionError::NewEntry);
        }
        let value = value.trim_start();
        let test = match operator {
            "=" if value == NULL => Test::Missing,
            "!=" if value == NULL => Test::Exists,
            "=" => Test::Equals(value.to_owned()),
            "!=" => Test::Differs(value.to_owned()),
            "~" if value.is_empty() => return Err(ConditionError::NoText("~")),
            "=~" if value.is_empty() => return Err(ConditionError::NoText("=~")),
            "~" => Test::Contains(value.to_owned(), unquoted(value)),
            "=~" => Test::Matches(compiled(value)?),
            "exists" => Test::Exists,
            _ => Test::Missing,
        };
        Ok(Self { text: text.to_owned(), path, test, accepts_near_miss: false })
    }

    /// True if the entry meets the condition.
    ///
    /// # Errors
    /// The path fits no entry of this kind.
    pub fn holds(&self, current: &dyn ConfigLookup, entry: &[Segment]) -> Result<bool, Fault> {
        let leaf = self.leaf(entry)?;
        let (first, rest) = self.path.segments.split_first().expect("a path has a segment");
        // Only the member that the path begins with is looked up, not the whole entry.
        Ok(match (keys(entry), first.name()) {
            (Some(mut keys), Some(first)) => {
                keys.push(first);
                let mut is_met = |found: Option<&Value>| self.test.is_met_by_any(found, leaf);
                // Most entries do not meet a condition: their sources are looked at one by one, and not made into JSON first.
                if let [Segment::Key(key)] = rest
                    && let Some(holds) = current.any_in_list(&keys, key, &mut is_met)
                {
                    return Ok(holds);
                }
                self.test.holds(current.value(&keys).as_ref(), rest, leaf)
            }
            _ => {
                let entry = value_at(current, &Path { segments: entry.to_vec() }).ok();
                self.test.holds(entry.as_ref(), &self.path.segments, leaf)
            }
        })
    }

    /// Refuses a key that no entry of this kind has, and that is nearly a known one or one that an entry has.
    ///
    /// # Errors
    /// A fault that names the other key.
    pub fn refuse_near_miss(&self, current: &dyn ConfigLookup, kind: Kind) -> Result<(), Fault> {
        let unused = self.unused_key(current, kind).filter(|_| !self.accepts_near_miss);
        match unused.and_then(|unused| Some((unused.key, self.near_miss(unused, current, kind)?))) {
            None => Ok(()),
            Some((key, near)) => Err(Fault::of_path(format!("`--where`: `{key}` is not known here"))
                .hint(format!("did you mean `{near}`? If `{key}` is right, add `--accept near-miss`"))),
        }
    }

    /// The key for whose absence the condition holds in every entry of this kind: no entry has it.
    fn key_that_all_lack(&self, current: &dyn ConfigLookup, kind: Kind) -> Option<&str> {
        let holds = self.test.is_met(None, Place::Foreign);
        self.unused_key(current, kind).filter(|_| holds).map(|unused| unused.key)
    }

    /// The key of which the schema knows nothing and that no entry of this kind has.
    fn unused_key(&self, current: &dyn ConfigLookup, kind: Kind) -> Option<UnknownKey<'_>> {
        let unknown = UnknownKey::find(Place::Block(kind), &self.path.segments)?;
        (!self.is_used(unknown, current, kind)).then_some(unknown)
    }

    /// The key of which an unused one is probably a misspelling.
    fn near_miss(&self, unused: UnknownKey<'_>, current: &dyn ConfigLookup, kind: Kind) -> Option<String> {
        let above = |name: String| {
            let path = [Segment::Key(kind.key().to_owned()), Segment::Key(name)];
            Path {
                segments: path.into_iter().chain(self.path.segments[..unused.at].iter().cloned()).collect(),
            }
        };
        let beside = || {
            let entries = current.names(&[kind.key()]).into_iter();
            entries.filter_map(|name| names(current, &above(name)).ok().flatten()).flatten()
        };
        // A path that fits no entry is refused as a whole.
        let fits = Place::Block(kind).through_lists(&self.path.segments).is_ok();
        let near = || unused.near_one_of(&beside().collect()).filter(|_| fits);
        unused.near_miss().map(str::to_owned).or_else(near)
    }

    /// True if an entry of this kind has the key.
    fn is_used(&self, unknown: UnknownKey<'_>, current: &dyn ConfigLookup, kind: Kind) -> bool {
        let path = &self.path.segments[..=unknown.at];
        let has = |name: &String| {
            let (value, below) = match path[0].name() {
                Some(first) => (current.value(&[kind.key(), name, first]), &path[1..]),
                None => (current.value(&[kind.key(), name]), path),
            };
            Test::Exists.holds(value.as_ref(), below, Place::Foreign)
        };
        current.names(&[kind.key()]).iter().any(has)
    }

    /// The place that the path leads to from an entry.
    fn leaf(&self, entry: &[Segment]) -> Result<Place, Fault> {
        let leaf = Place::resolve(entry).unwrap_or(Place::Foreign).through_lists(&self.path.segments);
        leaf.map_err(|fault| {
            let message = format!("`--where {}`: {}", self.path.shown(), fault.message);
            Fault { message, ..fault }
        })
    }
}

/// The keys for whose absence conditions hold in every entry that `paths` lead into, each once.
pub fn keys_that_all_lack<'c>(
    conditions: &'c [Condition],
    current: &dyn ConfigLookup,
    paths: &[&Path],
) -> BTreeSet<&'c str> {
    let leads_into = |kind: &Kind| {
        paths.iter().any(|path| path.segments.first().and_then(Segment::name) == Some(kind.key()))
    };
    let kinds = || Schema::media().kinds.iter().copied().filter(leads_into);
    conditions
        .iter()
        .flat_map(|condition| kinds().filter_map(|kind| condition.key_that_all_lack(current, kind)))
        .collect()
}

/// Splits a condition at its first operator outside quotes and brackets.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (mut in_quotes, mut in_brackets, mut is_escaped) = (false, false, false);
    for (at, character) in text.char_indices() {
        let rest = &text[at..];
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_quotes,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ if in_brackets => {}
            _ if matches!(rest.trim(), "exists" | "missing") && character.is_whitespace() => {
                return Some((&text[..at], rest.trim(), ""));
            }
            _ => {
                let operator = ["=~", "=", "!=", "~"].into_iter().find(|operator| rest.starts_with(operator));
                if let Some(operator) = operator {
                    return Some((&text[..at], operator, &rest[operator.len()..]));
                }
            }
        }
    }
    None
}

impl Test {
    /// True if a value below `path` meets the test.
    fn holds(&self, value: Option<&Value>, path: &[Segment], place: Place) -> bool {
        any(value, path, &mut Vec::new(), &mut |_, found| self.is_met_by_any(found, place))
    }

    /// True if a value meets the test, or an entry of it where it is a list.
    fn is_met_by_any(&self, value: Option<&Value>, place: Place) -> bool {
        match value {
            Some(Value::Array(entries)) if !self.is_about_list(place) => match &entries[..] {
                [] => self.is_met(None, place),
                entries => entries.iter().any(|entry| self.is_met_by_any(Some(entry), place)),
            },
            value => self.is_met(value, place),
        }
    }

    /// True if the value of the test is a whole list.
    fn is_about_list(&self, place: Place) -> bool {
        match self {
            Self::Equals(text) | Self::Differs(text) => {
                let is_element = place.takes_elements() && !is_list(text);
                !is_element && typed(place, text).is_ok_and(|value| value.is_array())
            }
            _ => false,
        }
    }

    fn is_met(&self, value: Option<&Value>, place: Place) -> bool {
        // A backend also shows the global one, which is not its own.
        let own = value.filter(|_| place.address().is_some()).map(|value| own_value(place, value));
        let Some(value) = own.as_ref().map_or(value, Option::as_ref) else {
            return matches!(self, Self::Differs(_) | Self::Missing);
        };
        match self {
            Self::Equals(text) => equals(value, place, text),
            Self::Differs(text) => !equals(value, place, text),
            Self::Contains(text, inner) => scalar_text(value).is_some_and(|value| {
                value.contains(text.as_str())
                    || inner.as_ref().is_some_and(|inner| value.contains(inner.as_str()))
            }),
            Self::Matches(regex) => scalar_text(value).is_some_and(|value| regex.is_match(&value)),
            Self::Exists => true,
            Self::Missing => false,
        }
    }
}

/// A text that is in quotes without them; none for another one, and for an empty one, which every value contains.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.starts_with('"').then(|| serde_json::from_str::<String>(text).ok())?;
    inner.filter(|inner| !inner.is_empty())
}

/// True if a value is the one that a text stands for, as `--set` would read it or to the letter.
fn equals(value: &Value, place: Place, text: &str) -> bool {
    let is_to_the_letter = match value {
        Value::String(value) => value == text,
        value => scalar_text(value).is_some_and(|value| value == text),
    };
    let is_meant = |meant: Value| {
        meant == *value || (place.takes_elements() && meant == Value::Array(vec![value.clone()]))
    };
    is_to_the_letter || meant(place, text).is_ok_and(|meant| meant.is_some_and(is_meant))
}

#[cfg(test)]
mod tests {
    use crate::schema::media::STREAMS;
    use serde_json::{Value, json};

    use super::{Condition, ConfigLookup};
    use crate::edit::path::Path;
    use crate::model::Config;
    use crate::syntax::Document;

    fn holds(condition: &str) -> Result<bool, String> {
        let current: Value = json!({"auth": {"url": "http://g"}, "streams": {"a": {
            "name": "a", "static": true, "position": 1, "prepush": false, "title": "two words", "range": [1, "b"],
            "urls": [{"url": "udp://10.0.3.1", "priority": 1}, {"url": "udp://10.0.4.1"}],
            "auth": {"url_global": "http://g"}, "meta": {"cam*": 7, "x y": 8},
            "dvr": {"root": "/d", "dvr_limit": 432_000}, "cluster_key": "geheim", "list": [],
            "word": "null",
        }}});
        let parsed = Condition::parse(condition).map_err(|error| error.to_string())?;
        let entry = Path::parse("streams.a").expect("it is a path");
        parsed.holds(&current, &entry.segments).map_err(|fault| fault.message)
    }

    /// Those that the filter of the console has, too, are in `tests/fixtures/where`.
    #[test]
    fn an_entry_meets_a_condition_or_not() {
        for (condition, expected) in [
            ("urls.u*=~^udp://10[.]0[.]4", true),
            ("title=~^two\\s", true),
            ("dvr=/d 5d", true),
            ("urls=udp://10.0.4.1", true),
            ("urls=udp://10.0.3.1 priority=1", true),
            ("urls=udp://10.0.3.1", false),
            ("urls=[\"udp://10.0.4.1\"]", false),
            ("range=[1,\"b\"]", true),
            ("range!=[1,\"b\"]", false),
            ("range=[1]", false),
        ] {
            assert_eq!(holds(condition), Ok(expected), "{condition}");
        }
    }

    #[test]
    fn sources_of_a_text_meet_a_condition_as_their_json_does() {
        let document = Document::parse(
            "stream a udp://1 p=1 url=x q; live a { url udp://2 p=2 p=3 'url=y' \"p q\"=7; } plugin a { url udp://1 p; }\n\
             stream b { urls udp://1 udp://2; url udp://3 $url=4 url; } stream c { url; } stream d; live d;",
        );
        let config = Config::new(&document);
        let (text, json) = (config.lookup(), config.to_json());
        let mut met = 0;
        for test in [
            "=udp://1",
            "!=udp://1",
            "=x",
            "~2",
            "=~^udp",
            "=3",
            "!=3",
            "=true",
            "=4",
            "=7",
            " exists",
            " missing",
            "=null",
        ] {
            for key in ["url", "p", "q", "\"$url\"", "\"'url\"", "\"p q\"", "u*", "below.it", "none"] {
                for entry in
                    ["streams.a", "streams.b", "streams.c", "streams.d", "lives.a", "lives.d", "plugins.a"]
                {
                    let condition = format!("urls.{key}{test}");
                    let parsed = Condition::parse(&condition).expect(&condition);
                    let entry = Path::parse(entry).expect("it is a path").segments;
                    let [of_text, of_json] =
                        [&text as &dyn ConfigLookup, &json].map(|current| parsed.holds(current, &entry));
                    assert_eq!(of_text, of_json, "{condition} {entry:?}");
                    met += usize::from(of_text == Ok(true));
                }
            }
        }
        assert!(met > 100, "{met}");
    }

    #[test]
    fn a_key_that_nobody_has_is_a_near_miss_or_told_of() {
        let current: Value = json!({"streams": {
            "a": {"title": "x", "prepsh": 1, "urls": [{"url": "udp://1", "aac": true}]},
            "b": {"urls": [], "hidden_flag": true, "number1": 1, "meta": {"place_of_it": 1}},
        }});
        let refused = |condition: &str| {
            let parsed = Condition::parse(condition).expect(condition);
            let refused = parsed.refuse_near_miss(&current, STREAMS).err();
            assert!(
                Condition { accepts_near_miss: true, ..parsed }.refuse_near_miss(&current, STREAMS).is_ok()
            );
            refused.and_then(|fault| fault.hint)
        };
        for (condition, near) in [
            ("titel!=x", "title"),
            ("titel missing", "title"),
            ("titel=x", "title"),
            ("urls.ulr~x", "url"),
            ("urls[0].ulr~x", "url"),
            ("ulrs.url~x", "urls"),
            ("dvd missing", "dvr"),
            ("hiden_flag missing", "hidden_flag"),
            ("hidden_falg!=x", "hidden_flag"),
            ("urls.aca!=x", "aac"),
        ] {
            let hint = refused(condition).unwrap_or_default();
            assert!(hint.starts_with(&format!("did you mean `{near}`?")), "{condition}: {hint}");
        }
        for condition in [
            "title!=x",
            "prepsh!=2",
            "nosuchkey!=x",
            "urls.aac=true",
            "urls.priority missing",
            "tags missing",
            "hidden_flag missing",
            "other_flags missing",
            "number2!=1",
        ] {
            assert_eq!(refused(condition), None, "{condition}");
        }
        for (condition, expected) in [
            ("nosuchkey!=x", Some("nosuchkey")),
            ("nosuchkey missing", Some("nosuchkey")),
            ("nosuchkey=x", None),
            ("prepsh!=2", None),
            ("hiden_flag!=x", Some("hiden_flag")),
            ("hidden_flag!=x", None),
            ("comment missing", None),
        ] {
            let parsed = Condition::parse(condition).expect(condition);
            assert_eq!(parsed.key_that_all_lack(&current, STREAMS), expected, "{condition}");
        }
    }

    #[test]
    fn faults_show_no_value() {
        for (condition, expected) in [
            ("title", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("exists", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("\"title=x\"", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("=geheim", "the path is empty"),
            ("a..b=geheim", "a name is missing (column 3 of the path)"),
            ("title~", "there is no text behind `~`, so it would hold for every value"),
            ("title ~ ", "there is no text behind `~`, so it would hold for every value"),
            ("title=~", "there is no text behind `=~`, so it would hold for every value"),
            ("title=~(geheim", "the regular expression is not valid: unclosed group"),
            ("urls[+].url=geheim", "`[+]` is a new element, which meets no condition"),
            ("url~geheim", "`--where url`: `url` is a keyword of the text, not a key of the JSON"),
            ("prepush.x=geheim", "`--where prepush.x`: there is nothing below a plain value"),
        ] {
            assert_eq!(holds(condition), Err(expected.to_owned()), "{condition}");
        }
    }
}

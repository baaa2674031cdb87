//! Conditions that select entries: `--where 'urls.url~10.0.3.'`.
//!
//! The path begins below the selected entry and goes through lists without brackets: a condition holds
//! for a list if it holds for any of its entries. Values are compared as they are, secrets included.

use std::collections::BTreeSet;
use std::fmt;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config_lookup::ConfigLookup;
use super::here::Here;
use super::path::{Path, Segment};
use super::schema_path::{Place, own_value};
use super::suggestion::UnknownKey;
use super::typed::{NULL, is_list, meant, typed};
use crate::schema::fault::Fault;
use crate::schema::scalar::scalar_text;
use crate::schema::{Kind, Schema};

/// A condition on the entries that a path selects.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "WrittenCondition", into = "WrittenCondition")]
pub struct Condition {
    /// As it was written.
    text: String,
    path: Path,
    test: Test,
    /// True if a value meets the condition that does not meet the test, and so does an absent one.
    is_negated: bool,
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
    type Error = Fault;

    fn try_from(written: WrittenCondition) -> Result<Self, Fault> {
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
    /// `~` with a text, to the letter or without its quotes
    Contains(String, Option<String>),
    /// `=~`
    Matches(Regex),
    Exists,
}

/// Shows no value, which may be a secret.
impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({})", self.path)
    }
}

/// Compiles a regular expression of users. The fault shows nothing of it: it may hold a part of a secret.
pub fn compiled(text: &str, hint: &str) -> Result<Regex, Fault> {
    Regex::new(text).map_err(|error| {
        // The lines above the last one show the expression.
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default();
        let reason = last.strip_prefix("error: ").unwrap_or("it is too large");
        Fault::of_path(format!("the regular expression is not valid: {reason}")).hint(hint)
    })
}

impl Condition {
    /// Parses `PATH OP VALUE`, `PATH exists` or `PATH missing`; blanks around the operator mean nothing.
    ///
    /// # Errors
    /// A fault of a path or of a regular expression; a plain fault of another form.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let unlike = |message: &str| {
            Fault::plain(message).hint("such as `urls.url~10.0.3.`, `prepush=5`, `title exists`")
        };
        let none = "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it";
        let (path, operator, value) = split(text).ok_or_else(|| unlike(none))?;
        if path.trim_end().ends_with('!') && matches!(operator, "~" | "=~") {
            return Err(Fault::plain(format!("there is no operator `!{operator}`")).hint(
                "`PATH!=VALUE` compares the whole value, and `PATH missing` holds where there is none; a text that a \
                 value must not have can't be asked for",
            ));
        }
        let path = Path::parse(path.trim())?;
        if path.segments.contains(&Segment::Append) {
            return Err(unlike("`[+]` is a new element, which meets no condition"));
        }
        let value = value.trim_start();
        if value.is_empty() && matches!(operator, "~" | "=~") {
            let message = format!("there is no text behind `{operator}`, so it would hold for every value");
            return Err(Fault::plain(message).hint("`PATH exists` holds for every value that is there"));
        }
        let (test, is_negated) = match operator {
            "=" | "!=" if value == NULL => (Test::Exists, operator == "="),
            "=" | "!=" => (Test::Equals(value.to_owned()), operator == "!="),
            "~" => (Test::Contains(value.to_owned(), unquoted(value)), false),
            "=~" => (Test::Matches(compiled(value, "`~` looks for text to the letter")?), false),
            _ => (Test::Exists, operator == "missing"),
        };
        Ok(Self { text: text.to_owned(), path, test, is_negated, accepts_near_miss: false })
    }

    /// True if an entry of this place meets the condition.
    ///
    /// # Errors
    /// The path fits no entry of this kind.
    pub fn holds(&self, entry: &Value, place: Place) -> Result<bool, Fault> {
        let leaf = place.through_lists(&self.path.segments).map_err(|fault| {
            let message = format!("`--where {}`: {}", self.path.shown(), fault.message);
            Fault { message, ..fault }
        })?;
        let found = below(entry, &self.path.segments);
        let is_met = found.values().any(|value| self.is_met_by_any(value, leaf));
        Ok(is_met || found.is_partial && self.is_negated)
    }

    /// Refuses a key that no entry of this kind has, and that is nearly a known one or one that an entry has.
    ///
    /// # Errors
    /// A fault that names the other key.
    pub fn refuse_near_miss(&self, current: &dyn ConfigLookup, kind: Kind) -> Result<(), Fault> {
        let unused = self.unused_key(current, kind).filter(|_| !self.accepts_near_miss);
        let near = unused.and_then(|(unused, others)| {
            // A path that fits no entry is refused as a whole.
            let fits = Place::Block(kind).through_lists(&self.path.segments).is_ok();
            let near = || unused.near_one_of(&others).filter(|_| fits);
            Some((unused.key, unused.near_miss().map(str::to_owned).or_else(near)?))
        });
        match near {
            None => Ok(()),
            Some((key, near)) => Err(Fault::of_path(format!("`--where`: `{key}` is not known here"))
                .hint(format!("did you mean `{near}`? If `{key}` is right, add `--accept near-miss`"))),
        }
    }

    /// The key for whose absence the condition holds in every entry of this kind: no entry has it.
    fn key_that_all_lack(&self, current: &dyn ConfigLookup, kind: Kind) -> Option<&str> {
        self.unused_key(current, kind).filter(|_| self.is_negated).map(|(unused, _)| unused.key)
    }

    /// The key of which the schema knows nothing and that no entry of this kind has, and the keys that are in its place.
    fn unused_key(
        &self,
        current: &dyn ConfigLookup,
        kind: Kind,
    ) -> Option<(UnknownKey<'_>, BTreeSet<String>)> {
        let unknown = UnknownKey::find(Place::Block(kind), &self.path.segments)?;
        let mut others = BTreeSet::new();
        for name in current.names(&[kind.key()]) {
            let entry = current.value(&[kind.key(), &name]).unwrap_or_default();
            others.extend(below(&entry, &self.path.segments[..unknown.at]).names().unwrap_or_default());
        }
        (!others.contains(unknown.key)).then_some((unknown, others))
    }

    /// True if a value meets the condition, or an entry of it where it is a list.
    fn is_met_by_any(&self, value: &Value, place: Place) -> bool {
        match value {
            Value::Array(entries) if !self.is_about_list(place) => match &entries[..] {
                [] => self.is_negated,
                entries => entries.iter().any(|entry| self.is_met_by_any(entry, place)),
            },
            value => self.is_met(value, place),
        }
    }

    /// True if the value of the test is a whole list.
    fn is_about_list(&self, place: Place) -> bool {
        let Test::Equals(text) = &self.test else { return false };
        let is_element = place.takes_elements() && !is_list(text);
        !is_element && typed(place, text).is_ok_and(|value| value.is_array())
    }

    fn is_met(&self, value: &Value, place: Place) -> bool {
        // A backend also shows the global one, which is not its own.
        let own = place.address().map(|_| own_value(place, value));
        let Some(value) = own.as_ref().map_or(Some(value), Option::as_ref) else { return self.is_negated };
        let text = || scalar_text(value).unwrap_or_default();
        let is_met = match &self.test {
            Test::Equals(meant) => equals(value, place, meant),
            Test::Contains(part, inner) => {
                text().contains(part.as_str())
                    || inner.as_ref().is_some_and(|inner| text().contains(inner.as_str()))
            }
            Test::Matches(regex) => scalar_text(value).is_some_and(|text| regex.is_match(&text)),
            Test::Exists => true,
        };
        is_met != self.is_negated
    }
}

/// The values below an entry.
fn below<'v>(entry: &'v Value, path: &[Segment]) -> Here<'v> {
    let whole = Here::new(Path { segments: Vec::new() }, entry);
    path.iter().fold(whole, |here, segment| here.step(segment))
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

/// A text that is in quotes without them; none for another one, and for an empty one, which every value contains.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.starts_with('"').then(|| serde_json::from_str::<String>(text).ok())?;
    inner.filter(|inner| !inner.is_empty())
}

/// True if a value is the one that a text stands for, as `--set` would read it or to the letter.
fn equals(value: &Value, place: Place, text: &str) -> bool {
    let is_meant = |meant: Value| {
        meant == *value || (place.takes_elements() && meant == Value::Array(vec![value.clone()]))
    };
    scalar_text(value).is_some_and(|value| value == text)
        || meant(place, text).is_ok_and(|meant| meant.is_some_and(is_meant))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Condition, ConfigLookup, Fault, Place};
    use crate::edit::path::Path;
    use crate::edit::select::value_at;
    use crate::model::Config;
    use crate::schema::Kind;
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
        met(&parsed, &current, &entry).map_err(|fault| fault.message)
    }

    fn met(condition: &Condition, current: &dyn ConfigLookup, entry: &Path) -> Result<bool, Fault> {
        let place = Place::resolve(&entry.segments).expect("it is a place");
        condition.holds(&value_at(current, entry).expect("it is there"), place)
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
        let mut count = 0;
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
                    let entry = Path::parse(entry).expect("it is a path");
                    let [of_text, of_json] =
                        [&text as &dyn ConfigLookup, &json].map(|current| met(&parsed, current, &entry));
                    assert_eq!(of_text, of_json, "{condition} {entry}");
                    count += usize::from(of_text == Ok(true));
                }
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn a_key_that_nobody_has_is_a_near_miss_or_told_of() {
        let current: Value = json!({"streams": {
            "a": {"title": "x", "prepsh": 1, "urls": [{"url": "udp://1", "aac": true}]},
            "b": {"urls": [], "hidden_flag": true, "number1": 1, "meta": {"place_of_it": 1}},
        }});
        let refused = |condition: &str| {
            let parsed = Condition::parse(condition).expect(condition);
            let refused = parsed.refuse_near_miss(&current, Kind::Streams).err();
            assert!(
                Condition { accepts_near_miss: true, ..parsed }
                    .refuse_near_miss(&current, Kind::Streams)
                    .is_ok()
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
            assert_eq!(parsed.key_that_all_lack(&current, Kind::Streams), expected, "{condition}");
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

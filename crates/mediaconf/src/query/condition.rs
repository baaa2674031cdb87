//! Conditions that select entries, and values that a change expects: `--where 'urls.url~10.0.3.'`, `--expect PATH=VALUE`.
//!
//! The path of a condition begins below the selected entry and goes through lists without brackets: a condition holds
//! for a list if it holds for any of its entries. Values are compared as they are, secrets included; no message shows one.

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use winnow::Parser;
use winnow::ascii::{multispace0, multispace1};
use winnow::combinator::{alt, eof, repeat, repeat_till};
use winnow::token::{none_of, take_till};

use crate::query::{Config, Found, NULL, Path, Segment, UnknownKey, keys, quoted};
use crate::schema::{Fault, FaultKind, Faults, Kind, Place, keyword_of, listed, scalar_text};
use crate::secret::Masker;

/// A condition on the entries that a path selects.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "WrittenCondition")]
pub struct Condition {
    /// As it was written.
    #[serde(rename = "test")]
    text: String,
    #[serde(skip)]
    path: Path,
    #[serde(skip)]
    test: Test,
    /// True if a value meets the condition that does not meet the test, and so does an absent one.
    #[serde(skip)]
    is_negated: bool,
    /// True if a key may be nearly a known one.
    pub accepts_near_miss: bool,
}

/// A condition as it is sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCondition {
    test: String,
    #[serde(default)]
    accepts_near_miss: bool,
}

impl TryFrom<WrittenCondition> for Condition {
    type Error = Fault;

    fn try_from(written: WrittenCondition) -> Result<Self, Fault> {
        Ok(Self { accepts_near_miss: written.accepts_near_miss, ..Self::parse(&written.test)? })
    }
}

#[derive(Clone)]
enum Test {
    /// `=`
    Equals(String),
    /// `~` with a text, to the letter or without its quotes
    Contains(String),
    /// `=~`
    Matches(Regex),
    Exists,
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
        let such = "such as `urls.url~10.0.3.`, `prepush=5`, `title exists`";
        let unlike = |message: &str| Fault::plain(message).hint(such);
        let none = "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it";
        let (path, operator, value) = split(text).ok_or_else(|| unlike(none))?;
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
            "~" => (Test::Contains(value.to_owned()), false),
            "=~" => (Test::Matches(compiled(value, "`~` looks for text to the letter")?), false),
            _ => (Test::Exists, operator == "missing"),
        };
        Ok(Self { text: text.to_owned(), path, test, is_negated, accepts_near_miss: false })
    }

    /// True if an entry of this place meets the condition.
    ///
    /// # Errors
    /// The path fits no entry of this kind.
    pub(crate) fn holds(&self, entry: &Value, place: Place) -> Result<bool, Fault> {
        let leaf = place.through_lists(&self.path.segments).map_err(|fault| {
            let message = format!("`--where {}`: {}", self.path.shown(), fault.message);
            Fault { message, ..fault }
        })?;
        let found = Found::below(entry, &self.path.segments);
        let is_met = found.values.iter().any(|(_, value)| self.is_met_by_any(value, leaf));
        Ok(is_met || found.is_partial && self.is_negated)
    }

    /// Refuses a key that is nearly a known one, unless the condition accepts it.
    ///
    /// # Errors
    /// The key, with the one that is meant.
    pub(crate) fn refuse_near_miss(&self, kind: Kind) -> Result<(), Fault> {
        let unknown = UnknownKey::find(Place::Block(kind), &self.path.segments);
        let Some(unknown) = unknown.filter(|_| !self.accepts_near_miss) else { return Ok(()) };
        let (Some(near), key) = (unknown.near_miss(), unknown.key) else { return Ok(()) };
        let hint = format!("did you mean `{near}`? If `{key}` is right, add `--accept near-miss`");
        Err(Fault::of_path(format!("`--where`: `{key}` is not known here")).hint(hint))
    }

    /// True if a value meets the condition, or an entry of it where it is a list.
    fn is_met_by_any(&self, value: &Value, place: Place) -> bool {
        match value {
            _ if matches!(&self.test, Test::Equals(text) if place.has_words(value, text)) => !self.is_negated,
            Value::Array(entries) if entries.is_empty() => self.is_negated,
            Value::Array(entries) => entries.iter().any(|entry| self.is_met_by_any(entry, place)),
            value => self.is_met(value, place),
        }
    }

    fn is_met(&self, value: &Value, place: Place) -> bool {
        // A backend also shows the global one, which is not its own.
        let own = place.facts().address.map(|_| place.own_value(value));
        let Some(value) = own.as_ref().map_or(Some(value), Option::as_ref) else { return self.is_negated };
        let text = scalar_text(value);
        let is_met = match &self.test {
            Test::Equals(meant) => equals(value, place, meant),
            Test::Contains(part) => text.is_some_and(|text| {
                let unquoted: Option<String> = serde_json::from_str(part).ok();
                text.contains(part) || unquoted.is_some_and(|part| !part.is_empty() && text.contains(&part))
            }),
            Test::Matches(regex) => text.is_some_and(|text| regex.is_match(&text)),
            Test::Exists => true,
        };
        is_met != self.is_negated
    }
}

/// Splits a condition at its first operator outside quotes and brackets.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let free = |ends: &'static [char]| alt((quoted.void(), take_till(1.., ends).void()));
    let in_brackets = repeat::<_, _, (), _, _>(0.., free(&[']', '"']));
    let part = alt((('[', in_brackets, ']').void(), quoted.void(), none_of(['[', '"']).void()));
    let word = (multispace1, alt(("exists", "missing")), multispace0, eof).take();
    let mut rest = text;
    let ((), operator) =
        repeat_till(0.., part, alt(("=~", "=", "!=", "~", word))).parse_next(&mut rest).ok()?;
    Some((&text[..text.len() - rest.len() - operator.len()], operator.trim(), rest))
}

/// True if a value is the one that a text stands for, as `--set` would read it or to the letter.
fn equals(value: &Value, place: Place, text: &str) -> bool {
    let is_meant = |meant: Value| {
        meant == *value || (place.takes_elements() && meant == Value::Array(vec![value.clone()]))
    };
    scalar_text(value).is_some_and(|value| value == text)
        || place.meant(text).is_ok_and(|meant| meant.is_some_and(is_meant))
}

/// A place, and the value that it has to have.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The place.
    pub path: Path,
    /// The value as text, typed by the place; `null` if there must be no value.
    pub value: String,
}

/// The expected value, the one that is found, and whether they are the same.
type Compared = (Option<Value>, Option<Value>, bool);

impl Expectation {
    /// The fault of a path with a key that neither the schema nor an entry of the configuration has: at the top, in a block,
    /// or one that is nearly known. Options and what is in unknown blocks are free.
    pub fn unknown_in(&self, current: &Config<'_>) -> Option<Fault> {
        let path = self.path.with_key_of_sources();
        let unknown = UnknownKey::find(Place::Root, &path.segments)?;
        let hint = unknown.suggestion().or_else(|| current.select(&path).err()?.hint);
        let place = Place::resolve(&path.segments[..unknown.at]);
        let is_free = !matches!(place, Ok(Place::Root | Place::Block(_))) && hint.is_none();
        let is_slip = !is_free && !current.uses(&path, unknown.at);
        let fault = Fault { hint, ..Fault::of_path(format!("`{}` is not known here", unknown.key)) };
        is_slip.then(|| fault.at(&path))
    }

    /// The fault of a configuration that does not meet it, secrets masked; `None` if it does.
    fn unmet(&self, current: &Config<'_>) -> Result<Option<Fault>, Fault> {
        let path = &self.path.with_key_of_sources();
        let (expected, found, is_met) = self.compared(current, path).map_err(|fault| fault.at(path))?;
        if is_met {
            let slip = if found.is_none() { current.misspelling(path) } else { None };
            return slip.map_or(Ok(None), |slip| Err(slip.at(path)));
        }
        let masker = Masker::default();
        let masked = current.masked_around(path, &masker);
        let shown = self.compared(&Config::from(&masked), path).ok().and_then(|(_, shown, _)| shown);
        let names: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
        let expected =
            expected.map(|expected| match (shown.as_ref().and_then(Value::as_str), expected.as_str()) {
                // As a whole, if the value that is there is a secret.
                (Some(shown), Some(expected)) if Masker::is_mask(shown) => masker.mask(expected).into(),
                _ => masker.json_below(&names, &expected),
            });
        let path = path.shown();
        let message = match (shown, expected) {
            (Some(shown), Some(expected)) => format!("`{path}` is `{shown}`, not `{expected}`"),
            (Some(shown), None) => format!("`{path}` is `{shown}`, and is expected not to be set"),
            (None, Some(expected)) => format!("`{path}` is not set, and is expected to be `{expected}`"),
            (None, None) => format!("`{path}` is not set"),
        };
        Ok(Some(Fault::new(FaultKind::Unexpected, message)))
    }

    /// The expected value, the present one or the list of those in the entries that the path leads to, and whether
    /// they are the same; of several, one has to be the expected one.
    fn compared(&self, current: &Config<'_>, path: &Path) -> Result<Compared, Fault> {
        let place = match path.first_pattern() {
            Some(_) => Place::resolve(&path.segments)?,
            None => Place::Root.through_lists(&path.segments)?,
        };
        let expected = place.meant(&self.value)?;
        let is_unset = expected.is_none();
        let Some(found) = current.if_found(path)? else { return Ok((expected, None, is_unset)) };
        let has = |expected: &Value| found.values.iter().any(|(_, value)| value == expected);
        let is_one = found.goes_through_list && expected.as_ref().map_or(found.is_partial, has);
        // A backend also shows the global one, which is not its own.
        let value = found.into_value();
        let found = if place.facts().address.is_some() { place.own_value(&value) } else { Some(value) };
        let found = found.filter(|found| !is_unset || !place.is_shown_for_nothing(found));
        let has_words = found.as_ref().is_some_and(|found| place.has_words(found, &self.value));
        let is_met = is_one || has_words || found == expected;
        Ok((expected, found, is_met))
    }
}

impl Config<'_> {
    /// Returns a fault for each expectation that is not met, secrets masked.
    ///
    /// # Errors
    /// Paths that do not name one place, and values that do not fit their place.
    pub fn unmet(&self, expectations: &[Expectation]) -> Result<Vec<Fault>, Faults> {
        let (mut faults, mut unmet) = (Faults::default(), Vec::new());
        for expectation in expectations {
            expectation.unmet(self).map_or_else(|fault| faults.push(fault), |found| unmet.extend(found));
        }
        faults.into_result(unmet)
    }

    /// The fault of a path without a value whose last name is nearly a known one, and that no block of the kind has.
    pub(crate) fn misspelling(&self, path: &Path) -> Option<Fault> {
        let keys = keys(&path.segments)?;
        let (key, above) = keys.split_last()?;
        let scope = Place::resolve(&path.segments[..above.len()]).ok()?.scope()?;
        let near = scope.near_miss(keyword_of(scope, key))?;
        let fault = Fault::of_path(format!("`{key}` is not known here"));
        let is_slip = !self.uses(path, above.len());
        is_slip.then(|| fault.hint(format!("did you mean {}?", listed(near.names, "or"))))
    }

    /// True if the first keys of a path, up to the one at `at`, lead to a value: of a key in a stream, live or plugin, if any
    /// of its kind has it.
    fn uses(&self, path: &Path, at: usize) -> bool {
        match (Place::resolve(&path.segments[..at]), path.segments[at].name()) {
            (Ok(Place::Block(kind)), Some(key)) => {
                self.names(&[kind.key()]).iter().any(|name| self.contains(&[kind.key(), name, key]))
            }
            _ => keys(&path.segments).is_some_and(|keys| self.contains(&keys[..=at])),
        }
    }

    /// The objects on the way to a path with their secrets masked; an empty one where a name on the way is a secret, or
    /// nothing is there.
    pub(crate) fn masked_around(&self, path: &Path, masker: &Masker) -> Value {
        let names = path.names();
        let around = &names[..names.len().min(2)];
        let value = self.value(around).filter(|_| masker.keys(around) == around);
        let Some(value) = value else { return Value::Object(Map::new()) };
        let masked = masker.json_below(around, &value);
        around.iter().rev().fold(masked, |below, name| Value::from_iter([(*name, below)]))
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::Kind;
    use serde_json::{Value, json};

    use super::{Condition, Config, Expectation, Fault, Path, Place};
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
        met(&parsed, &Config::from(&current), &entry).map_err(|fault| fault.message)
    }

    fn met(condition: &Condition, current: &Config<'_>, entry: &Path) -> Result<bool, Fault> {
        let place = Place::resolve(&entry.segments).expect("it is a place");
        condition.holds(&current.value_at(entry).expect("it is there"), place)
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
            ("urls=[\"udp://10.0.4.1\"]", true),
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
        let json = config.to_json();
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
                        [&config, &Config::from(&json)].map(|current| met(&parsed, current, &entry));
                    assert_eq!(of_text, of_json, "{condition} {entry}");
                    count += usize::from(of_text == Ok(true));
                }
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn a_key_that_is_nearly_a_known_one_is_refused() {
        let refused = |condition: &str| {
            let parsed = Condition::parse(condition).expect(condition);
            let hint = parsed.refuse_near_miss(Kind::Streams).err().and_then(|fault| fault.hint);
            let accepted = Condition { accepts_near_miss: true, ..parsed };
            assert!(accepted.refuse_near_miss(Kind::Streams).is_ok());
            hint
        };
        for (condition, near) in [
            ("titel!=x", "title"),
            ("titel missing", "title"),
            ("titel=x", "title"),
            ("urls.ulr~x", "url"),
            ("urls[0].ulr~x", "url"),
            ("ulrs.url~x", "urls"),
            ("dvd missing", "dvr"),
            ("prepsh!=2", "prepush"),
        ] {
            let hint = refused(condition).unwrap_or_default();
            assert!(hint.starts_with(&format!("did you mean `{near}`?")), "{condition}: {hint}");
        }
        for condition in
            ["title!=x", "nosuchkey!=x", "urls.aac=true", "urls.priority missing", "tags missing"]
        {
            assert_eq!(refused(condition), None, "{condition}");
        }
    }

    #[test]
    fn faults_show_no_value() {
        for (condition, expected) in [
            ("title", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("exists", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("\"title=x\"", "there is no `=`, `!=`, `~`, `=~`, `exists` or `missing` in it"),
            ("=geheim", "the path is wrong at column 1"),
            ("a..b=geheim", "the path is wrong at column 2"),
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

    #[test]
    fn a_slip_is_no_absence() {
        let current = json!({"streams": {"a": {"urls": [{"url": "u"}]}, "hall": {}}});
        for (path, slip) in [
            ("loglevl", "`loglevl`: `loglevl` is not known here | did you mean `loglevel`?"),
            ("streams.a.titel", "`streams.a.titel`: `titel` is not known here | did you mean `title`?"),
            ("loglevel", ""),
            ("streams.a.title", ""),
            ("streams.a.something", ""),
            ("streams.hlal", ""),
            ("streams.other.title", ""),
        ] {
            let expected = Expectation { path: Path::parse(path).expect("a path"), value: "null".to_owned() };
            let found = Config::from(&current).unmet(&[expected]).err().unwrap_or_default();
            let shown =
                found.iter().map(|fault| format!("{fault} | {}", fault.hint.clone().unwrap_or_default()));
            assert_eq!(shown.collect::<String>(), slip, "{path}");
        }
    }

    fn messages(expectations: &[(&str, &str)]) -> Vec<String> {
        let current = json!({
            "rtmp": 1935, "loglevel": "null", "http": [], "lives": {},
            "edit_auth": {"login": "admin", "password": "geheim"},
            "streams": {
                "a": {
                    "prepush": 5,
                    "dvr": {"root": "/d", "dvr_limit": 432_000},
                    "auth": {"url": false, "extra": {"key": "geheim"}, "url_global": "g"},
                    "allow": ["token", "geheim"],
                    "urls": [{"url": "u"}, {"url": "v", "priority": 1}],
                },
                "c": {"auth": {"url_global": "g"}, "urls": [{"url": "u"}]},
                "d": {"auth": {"url": false, "url_global": "g"}},
            },
        });
        let expectation = |(path, value): &(&str, &str)| Expectation {
            path: Path::parse(path).expect(path),
            value: (*value).to_owned(),
        };
        let expectations: Vec<_> = expectations.iter().map(expectation).collect();
        match Config::from(&current).unmet(&expectations) {
            Ok(unmet) => unmet.iter().map(ToString::to_string).collect(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn values_are_compared_by_their_type() {
        let met = [
            ("rtmp", "1935"),
            ("rtsp", "null"),
            ("cluster_key", "null"),
            ("http", "null"),
            ("lives", "null"),
            ("streams.a.title", "null"),
            ("edit_auth", "admin geheim"),
            ("streams.d.auth", "false"),
            ("streams.c.url", "u"),
            ("streams.c.urls", "u"),
            ("streams.a.dvr", "/d 5d"),
            ("streams.c.dvr.root", "null"),
            ("streams.b", "null"),
            ("streams.a.auth.url", "false"),
            ("streams.a.urls[0].url", "u"),
            ("streams.a.urls.url", "u"),
            ("streams.a.urls.url", "v"),
            ("streams.a.urls.priority", "1"),
            ("streams.a.urls.priority", "null"),
            ("streams.a.urls.bitrate", "null"),
            ("edit_auth.password", "geheim"),
        ];
        assert_eq!(messages(&met), Vec::<String>::new());
        let repeated =
            [("streams.a.auth", r#"{"url":false,"extra":{"key":"geheim"}}"#), ("streams.c.auth", "null")];
        assert_eq!(messages(&repeated), Vec::<String>::new());
        assert_eq!(messages(&[("rtmp", "1936")]), ["`rtmp` is `1935`, not `1936`"]);
        assert_eq!(messages(&[("rtmp", "null")]), ["`rtmp` is `1935`, and is expected not to be set"]);
        assert_eq!(
            messages(&[("loglevel", "null")]),
            ["`loglevel` is `\"null\"`, and is expected not to be set"]
        );
        assert_eq!(messages(&[("loglevel", "\"null\"")]), Vec::<String>::new());
        assert_eq!(messages(&[("rtsp", "1")]), ["`rtsp` is not set, and is expected to be `1`"]);
        assert_eq!(
            messages(&[("streams.a.urls.url", "w")]),
            ["`streams.a.urls.url` is `[\"u\",\"v\"]`, not `\"w\"`"]
        );
    }

    #[test]
    fn no_secret_is_shown() {
        for expectation in [
            ("edit_auth.password", "falsch"),
            ("streams.a.auth.extra.key", "falsch"),
            ("streams.a.allow[1]", "falsch"),
        ] {
            let message = messages(&[expectation]).concat();
            assert!(message.contains("<secret:"), "{message}");
            assert!(!message.contains(expectation.1) && !message.contains("geheim"), "{message}");
        }
    }

    #[test]
    fn a_path_has_to_name_one_place() {
        assert_eq!(
            messages(&[("streams.*.prepush", "5")]),
            ["`streams.*.prepush`: `*` stands for several places"]
        );
        assert_eq!(messages(&[("rtmp", "x")]), ["`rtmp`: expected a port from 0 to 65535, or HOST:PORT"]);
    }
}

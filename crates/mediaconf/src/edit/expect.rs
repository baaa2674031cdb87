//! Checks the values that a change expects: `--expect PATH=VALUE`.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::assign::misspelling;
use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment};
use super::schema_path::{Place, is_shown_for_nothing, own_value, with_key_of_sources};
use super::select::found;
use super::suggestion::missing;
use super::typed::meant;
use crate::schema::fault::{Fault, FaultKind, Faults};
use crate::secret::Masker;

/// A place, and the value that it has to have.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The place.
    pub path: Path,
    /// The value as text, typed by the place; `null` if there must be no value.
    pub value: String,
}

/// Shows no value, which may be a secret.
impl fmt::Debug for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expectation({})", self.path)
    }
}

/// Returns a fault for each expectation that `current` does not meet, secrets masked.
///
/// # Errors
/// Paths that do not name one place, and values that do not fit their place.
pub fn unmet(current: &dyn ConfigLookup, expectations: &[Expectation]) -> Result<Vec<Fault>, Faults> {
    let masker = Masker::default();
    let (mut unmet, mut faults) = (Vec::new(), Vec::new());
    for Expectation { path, value } in expectations {
        let path = &*with_key_of_sources(path);
        match compared(current, path, value) {
            Ok(Compared { is_met: true, found, .. }) => {
                let slip = || misspelling(current, path).or_else(|| misnamed_block(current, path));
                let absent = found.is_none().then(slip).flatten();
                faults.extend(absent.map(|fault| without_advice(fault).at(path)));
            }
            Ok(Compared { expected, .. }) => {
                let found = compared(&masked_around(current, path, &masker), path, value)
                    .ok()
                    .and_then(|shown| shown.found);
                let expected = expected.map(|value| masked_like(found.as_ref(), path, &value, &masker));
                let path = path.shown();
                let message = match (found, expected) {
                    (Some(found), Some(expected)) => format!("`{path}` is `{found}`, not `{expected}`"),
                    (Some(found), None) => format!("`{path}` is `{found}`, and is expected not to be set"),
                    (None, Some(expected)) => {
                        format!("`{path}` is not set, and is expected to be `{expected}`")
                    }
                    (None, None) => format!("`{path}` is not set"),
                };
                unmet.push(Fault::new(FaultKind::Unexpected, message));
            }
            Err(fault) => faults.push(fault.at(path)),
        }
    }
    Faults(faults).into_result(unmet)
}

/// The fault of a path into a stream, live or plugin that is not there, where one has nearly that name. That such a
/// block is absent as a whole is no slip.
fn misnamed_block(current: &dyn ConfigLookup, path: &Path) -> Option<Fault> {
    let (names, _) = path.split_names();
    let block = names.get(..2)?;
    let is_below =
        path.segments.len() > 2 && matches!(Place::resolve(&path.segments[..2]), Ok(Place::Block(_)));
    if !is_below || current.contains(block) {
        return None;
    }
    let fault = missing(current, path, block);
    fault.hint.is_some().then_some(Fault { kind: FaultKind::Path, ..fault })
}

/// A misspelling where it can't be accepted: the hint only names the probable key.
fn without_advice(mut fault: Fault) -> Fault {
    if let Some(hint) = &mut fault.hint {
        hint.truncate(hint.find('?').map_or(hint.len(), |end| end + 1));
    }
    fault
}

/// An expected value, and the present one.
struct Compared {
    expected: Option<Value>,
    /// The value, or the list of the values in the entries that the path leads to.
    found: Option<Value>,
    is_met: bool,
}

/// Compares the expected value with the actual one; of several, one has to be the expected one.
fn compared(current: &dyn ConfigLookup, path: &Path, text: &str) -> Result<Compared, Fault> {
    let place = match path.first_pattern() {
        Some(_) => Place::resolve(&path.segments)?,
        None => Place::Root.through_lists(&path.segments)?,
    };
    let expected = meant(place, text)?;
    let found = match found(current, path) {
        Err(fault) if fault.is_absent() => {
            return Ok(Compared { is_met: expected.is_none(), expected, found: None });
        }
        found => found?,
    };
    let is_one = found.goes_through_list
        && match &expected {
            None => found.is_partial,
            Some(expected) => found.values.iter().any(|(_, value)| value == expected),
        };
    // A backend also shows the global one, which is not its own.
    let value = found.into_value();
    let found = if place.address().is_some() { own_value(place, &value) } else { Some(value) };
    let is_nothing = |found: &Value| expected.is_none() && is_shown_for_nothing(place, found);
    let found = found.filter(|found| !is_nothing(found));
    Ok(Compared { is_met: is_one || found == expected, expected, found })
}

/// The expected value as it is shown: masked as a whole if the actual value is a masked secret.
fn masked_like(found: Option<&Value>, path: &Path, expected: &Value, masker: &Masker) -> Value {
    match (found.and_then(Value::as_str), expected.as_str()) {
        (Some(found), Some(expected)) if Masker::is_mask(found) => Value::String(masker.mask(expected)),
        _ => {
            let names: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
            masker.json_below(&names, expected)
        }
    }
}

/// The objects on the way to a path with their secrets masked; an empty one where a name on the way is a secret, or nothing
/// is there.
pub(super) fn masked_around(current: &dyn ConfigLookup, path: &Path, masker: &Masker) -> Value {
    let (names, _) = path.split_names();
    let around = &names[..names.len().min(2)];
    let value = current.value(around).filter(|_| masker.keys(around) == around);
    let Some(value) = value else { return Value::Object(Map::new()) };
    let masked = masker.json_below(around, &value);
    around.iter().rev().fold(masked, |below, name| Value::from_iter([(*name, below)]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slip_is_no_absence() {
        let current = json!({"streams": {"a": {"urls": [{"url": "u"}]}, "hall": {}}});
        for (path, slip) in [
            ("loglevl", "`loglevl`: `loglevl` is not known here | did you mean `loglevel`?"),
            ("streams.a.titel", "`streams.a.titel`: `titel` is not known here | did you mean `title`?"),
            ("loglevel", ""),
            ("streams.a.title", ""),
            ("streams.a.something", ""),
            ("streams.hlal.title", "`streams.hlal.title`: there is no stream `hlal` | did you mean `hall`?"),
            (
                "streams.hlal.urls[0].url",
                "`streams.hlal.urls[0].url`: there is no stream `hlal` | did you mean `hall`?",
            ),
            ("streams.hlal", ""),
            ("streams.other.title", ""),
        ] {
            let expected = Expectation { path: Path::parse(path).expect("a path"), value: "null".to_owned() };
            let found = unmet(&current, &[expected]).err().unwrap_or_default();
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
        match unmet(&current, &expectations) {
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
        assert_eq!(messages(&[("rtmp", "x")]), ["`rtmp`: expected a port (0 to 65535) or host:port"]);
    }
}

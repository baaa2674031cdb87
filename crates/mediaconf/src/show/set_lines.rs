//! Writes values as lines that `modify --set` accepts: `mediactl read -o set`.

use serde_json::Value;

use crate::query::{Config, Path, Segment};
use crate::schema::scalar::scalar_text;
use crate::schema::{Object, Place, Schema};

/// A path, and the text that sets its value.
type SetLine = (String, String);

/// Returns `(path, text)` pairs for `value`, which is at `prefix`: `--set path=text`, one after the
/// other, makes the same value on a configuration that does not have it.
///
/// A list is one line of JSON, which replaces any list. Derived and output-only values are left out,
/// and so is everything that can't be set: empty groups, values that do not fit their parameter, and
/// top-level keywords with a line break, which no line can hold. A live or plugin that these lines
/// make needs `--create`.
pub fn set_lines(value: &Value, prefix: &[Segment]) -> Vec<SetLine> {
    let mut lines = Vec::new();
    if let Ok(place) = Place::to_set(prefix) {
        add(&mut Path { segments: prefix.to_vec() }, place, value, &mut lines);
    }
    lines
}

/// Gives the lines of a whole configuration to `take`. The values of one entry are dropped before those of the next
/// are made.
///
/// # Errors
/// The first of `take`.
pub fn each_set_line<E>(
    current: &Config<'_>,
    take: &mut dyn FnMut(SetLine) -> Result<(), E>,
) -> Result<(), E> {
    let mut each_of = |keys: &[&str]| {
        let prefix: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
        let value = current.value(keys).filter(|_| !keys.iter().any(|key| has_control(key)));
        value.map_or(Ok(()), |value| set_lines(&value, &prefix).into_iter().try_for_each(&mut *take))
    };
    for key in current.names(&[]).iter().filter(|key| !Place::Root.lacks_own(key)) {
        let names = Schema::media().kind(key).map(|_| current.names(&[key]));
        match names.filter(|names| !names.iter().any(|name| has_control(name))) {
            Some(names) => names.iter().try_for_each(|name| each_of(&[key, name]))?,
            // No line can hold such a name, so one line of JSON has all of a group.
            None => each_of(&[key])?,
        }
    }
    Ok(())
}

fn add(path: &mut Path, place: Place, value: &Value, lines: &mut Vec<SetLine>) {
    match value {
        Value::Object(members) if is_split(place, members) => {
            let hides = |key: &str| place.lacks_own(key) || matches!(place, Place::Root) && has_control(key);
            for (key, value) in members.iter().filter(|(key, _)| !hides(key)) {
                // The schema has a place for every member of a view.
                let Ok(below) = place.member(key) else { continue };
                path.segments.push(Segment::Key(key.clone()));
                add(path, below, value, lines);
                path.segments.pop();
            }
        }
        Value::Object(members) if matches!(place, Place::Group(_)) && members.is_empty() => {}
        _ => lines.extend(text(place, value).map(|text| (path.to_string(), text))),
    }
}

/// True if each member gets lines of its own.
fn is_split(place: Place, members: &Object) -> bool {
    let is_printable = |(key, value): (&String, &Value)| match place {
        // An extra parameter that is a flag can only be written as JSON.
        Place::Extras => !has_control(key) && value.is_string(),
        _ => !has_control(key),
    };
    match place {
        Place::Root => true,
        Place::Source(_) => false,
        _ => members.iter().any(|(key, _)| !place.lacks_own(key)) && members.iter().all(is_printable),
    }
}

/// True if the text has a control character: paths have no escape for one, and a line break would end the
/// line.
fn has_control(text: &str) -> bool {
    text.contains(char::is_control)
}

/// The text that sets `value`: a plain word if it is read back as the same value, else JSON.
///
/// `None` if neither is, as for `prepush on;`, whose value is shown but can't be set.
fn text(place: Place, value: &Value) -> Option<String> {
    let value = place.own_value(value)?;
    let word = scalar_text(&value).filter(|word| !has_control(word));
    let texts = word.into_iter().chain([value.to_string()]);
    texts.into_iter().find(|text| place.typed(text).as_ref() == Ok(&value))
}

#[allow(clippy::disallowed_methods, reason = "tests read fixtures")]
#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::{Map, Value, json};

    use super::{each_set_line, set_lines};
    use crate::edit::{AssignOptions, AssignedValue, Assignment, normalize};
    use crate::query::{Config, Path};
    use crate::schema::Place;

    fn check(view: &Value, prefix: &str, expected: &[&str]) {
        let prefix = if prefix.is_empty() { Vec::new() } else { Path::parse(prefix).expect(prefix).segments };
        let lines: Vec<String> =
            set_lines(view, &prefix).into_iter().map(|(path, text)| format!("{path}={text}")).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn every_part_of_a_directive_has_a_line() {
        let dvr = json!({"root": "/storage", "disk_limit": 90, "dvr_limit": 432_000, "options": ["copy=/b"]});
        check(
            &json!({"streams": {"a": {"dvr": dvr}}}),
            "",
            &[
                "streams.a.dvr.root=/storage",
                "streams.a.dvr.disk_limit=90",
                "streams.a.dvr.dvr_limit=432000",
                "streams.a.dvr.options=[\"copy=/b\"]",
            ],
        );
    }

    #[test]
    fn words_stand_bare_where_they_read_back() {
        let view = json!({
            "http": [80, "1.2.3.4:80"],
            "root": "null",
            "auth": {"url": "false", "extra": {"a": "1", "b": "\"x\""}},
            "plugins": {},
            "lives": {"p": {"prefix": "p", "publish_enabled": true, "static": false, "position": 1}},
            "streams": {
                "bare": {"static": true, "auth": {"url_global": "x"}},
                "cam.1": {
                    "name": "cam.1", "static": true, "position": 1, "urls": [{"url": "a", "k": 1}],
                    "auth": {"url": false, "extra": {"a": "1", "flag": true}, "url_global": "x"}, "prepush": false,
                    "url_global": "x", "number": 5, "string": "5", "lines": "a\nb", "words": ["a", 1],
                    "null": "null", "open": "[x", "block": {"a": {"b": true}, "none": {}},
                },
            },
        });
        check(
            &view,
            "",
            &[
                "http=[80,\"1.2.3.4:80\"]",
                "root=\"null\"",
                "auth.url=\"false\"",
                "auth.extra.a=1",
                r#"auth.extra.b="\"x\"""#,
                "lives.p.publish_enabled=true",
                "streams.bare.static=true",
                "streams.\"cam.1\".static=true",
                "streams.\"cam.1\".urls=[{\"url\":\"a\",\"k\":1}]",
                "streams.\"cam.1\".auth.url=false",
                "streams.\"cam.1\".auth.extra={\"a\":\"1\",\"flag\":true}",
                "streams.\"cam.1\".prepush=false",
                "streams.\"cam.1\".number=5",
                "streams.\"cam.1\".string=\"5\"",
                "streams.\"cam.1\".lines=\"a\\nb\"",
                "streams.\"cam.1\".words=[\"a\",1]",
                "streams.\"cam.1\".null=\"null\"",
                "streams.\"cam.1\".open=[x",
                "streams.\"cam.1\".block.a.b=true",
                "streams.\"cam.1\".block.none={}",
            ],
        );
        check(&view["http"][1], "http[1]", &["http[1]=1.2.3.4:80"]);
        check(&json!({"prepush": "on", "cluster_key": ["a", "b"], "x": 1}), "streams.a", &["streams.a.x=1"]);
        check(&json!({"pid": 1}), "runtime.server", &[]);
        check(&json!("a"), "streams.a.name", &[]);
        check(&json!({"a": {"name": "a"}}), "plugins", &["plugins.a={}"]);
        check(&json!({"a\nb": 1, "x": 2}), "", &["x=2"]);
        check(
            &json!({"a\nb": {"name": "a\nb", "urls": []}}),
            "streams",
            &[r#"streams={"a\nb":{"urls":[]}}"#],
        );
    }

    /// The view without derived values and empty groups.
    fn own(view: &Value) -> Value {
        let mut own = Place::Root.own_value(view).expect("a view is an object");
        own.as_object_mut().expect("a view is an object").retain(|key, value| {
            let is_group = matches!(Place::Root.member(key), Ok(Place::Group(_)));
            !(is_group && *value == json!({}))
        });
        own
    }

    #[test]
    fn all_lines_on_nothing_make_the_same_view() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/valid");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("there are fixtures") {
            let path = entry.expect("the folder can be read").path();
            if path.extension().is_none_or(|found| found != "json") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("the fixture can be read");
            let view: Value = serde_json::from_str(&text).expect("the fixture is JSON");
            if normalize(view.clone()).is_err() {
                // A patch can't set this value, so no line would restore it.
                continue;
            }
            count += 1;
            let mut lines = Vec::new();
            let taken: Result<(), Infallible> = each_set_line(&Config::from(&view), &mut |line| {
                lines.push(line);
                Ok(())
            });
            let Ok(()) = taken;
            assert_eq!(lines, set_lines(&view, &[]), "{}", path.display());
            let assignments: Vec<Assignment> = set_lines(&view, &[]).into_iter().map(assignment).collect();
            let computed = Config::from(&Value::Object(Map::new())).to_patch(
                &assignments,
                &[],
                AssignOptions { create: true, ..AssignOptions::default() },
            );
            let patch = Value::Object(computed.expect("the lines fit the schema").patch);
            let expected = own(&view);
            assert_eq!(format!("{patch:#}"), format!("{expected:#}"), "{}", path.display());
        }
        assert!(count > 5);
    }

    fn assignment((path, text): (String, String)) -> Assignment {
        let line = format!("{path}={text}");
        let (path, value) = Path::split_assignment(&line).expect("the path parses");
        assert_eq!(value, Some(text.as_str()));
        Assignment { path, value: AssignedValue::Typed(text) }
    }
}

//! The JSON view: members of the worked examples, whole views of the valid files, the checks.

use std::path::Path;

use mediaconf::{Config, Diagnostic, Document, LineIndex, check};
use serde_json::Value;

use crate::check::found;
use crate::fixtures;

pub fn view(text: &str) -> Value {
    let document = Document::parse(text.to_owned());
    serde_json::to_value(Config::new(&document)).expect("a view is JSON")
}

fn is_subset(subset: &Value, of: &Value) -> bool {
    match (subset, of) {
        (Value::Object(subset), Value::Object(of)) => {
            subset.iter().all(|(key, value)| of.get(key).is_some_and(|found| is_subset(value, found)))
        }
        (subset, of) => subset == of,
    }
}

#[test]
fn members_of_the_worked_views_are_equal() {
    fixtures::all_cases("view", |case| {
        let (expected, found) = (case.json("subset.json"), view(&case.text("in.conf")));
        is_subset(&expected, &found)
            .then_some(())
            .ok_or_else(|| format!("expected {expected:#}\nfound {found:#}"))
    });
}

#[test]
fn whole_views_are_equal_in_their_order_too() {
    fixtures::all_files("valid", |path| {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| error.to_string());
        let expected: Value =
            serde_json::from_str(&read(&path.with_extension("json"))?).map_err(|error| error.to_string())?;
        let (expected, found) = (format!("{expected:#}"), format!("{:#}", view(&read(path)?)));
        (expected == found).then_some(()).ok_or_else(|| format!("expected {expected}\nfound {found}"))
    });
}

#[test]
fn checks_find_what_is_expected() {
    fixtures::all_cases("check", |case| {
        let (text, expected) = (case.bytes("in.conf"), case.json("expected.json"));
        let found = check(&text);
        let lines = LineIndex::new(std::str::from_utf8(&text).expect("a case is UTF-8"));
        let is_found = |expected: &Value| found.iter().any(|found| is_expected(found, &lines, expected));
        let expected = expected.as_array().expect("a list of diagnostics");
        match expected.iter().find(|&expected| !is_found(expected)) {
            None => Ok(()),
            Some(lacking) => Err(format!("expected {lacking}\nfound {}", self::found(&text).join("\n"))),
        }
    });
}

/// True if the diagnostic, or its related place, stands on the line `line`, has the severity `severity` if there is one,
/// and holds all words of `contains`.
fn is_expected(found: &Diagnostic, lines: &LineIndex<'_>, expected: &Value) -> bool {
    let related = found.related.as_ref();
    let spans = [Some(&found.span), related.map(|(span, _)| span)];
    let mut stands_on = spans.into_iter().flatten().map(|span| lines.position(span.start).line);
    let words = [Some(&found.message), found.hint.as_ref(), related.map(|(_, message)| message)];
    let words: Vec<String> = words.into_iter().flatten().map(|words| words.to_lowercase()).collect();
    let contains = expected["contains"].as_array().expect("a list of words").iter();
    let mut contains = contains.map(|word| word.as_str().expect("a word").to_lowercase());
    stands_on.any(|line| u64::try_from(line).ok() == expected["line"].as_u64())
        && expected["severity"].as_str().is_none_or(|severity| severity == found.severity.label())
        && contains.all(|word| words.iter().any(|words| words.contains(&word)))
}

#[test]
fn invalid_files_get_their_diagnostics() {
    // The place and the severity count, the words do not.
    let places = |lines: &[String]| -> Vec<String> {
        let place =
            |line: &String| line.splitn(3, ' ').take(2).collect::<String>().trim_end_matches(':').to_owned();
        lines.iter().map(place).collect()
    };
    fixtures::all_files("invalid", |path| {
        let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
        let (found, expected) = (found(&read(path)?), read(&path.with_extension("expect"))?);
        let expected: Vec<String> = String::from_utf8_lossy(&expected).lines().map(str::to_owned).collect();
        let is_met = places(&found) == places(&expected);
        is_met.then_some(()).ok_or_else(|| format!("expected {expected:#?}\nfound {found:#?}"))
    });
}

/// `there_is_no_false_alarm_in_a_valid_file` says it of those that are text.
#[test]
fn valid_files_have_no_error_and_those_of_the_corpus_that_are_not_valid_have_one() {
    for (name, bytes) in fixtures::whole_files("valid") {
        assert_eq!(check(&bytes).errors(), 0, "{name}");
    }
    for (name, bytes) in fixtures::corpus("invalid") {
        assert_ne!(check(&bytes).errors(), 0, "{name}");
    }
}

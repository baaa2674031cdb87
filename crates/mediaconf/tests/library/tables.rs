//! What functions make of a value, in the tables of `tests/fixtures/tables`.

use mediaconf::{
    ChangedValue, Completion, Config, Document, EditError, FaultKind, Faults, Path, PathUse, Segment,
};
use serde_json::{Value, json};

use crate::fixtures::{all_rows, table_file};

/// All cases of a table have their results. What is JSON may have other blanks.
pub fn hold(table: &str, result: impl Fn(&str) -> String) {
    let plain = |text: &str| json(text).map_or_else(|_| text.to_owned(), |value| value.to_string());
    all_rows(table, |case, expected| {
        let found = result(case);
        if plain(&found) == plain(expected) { Ok(()) } else { Err(found) }
    });
}

/// Faults as `PATH: MESSAGE | HINT`.
pub fn told(faults: &Faults) -> String {
    let hint = |hint: &String| format!(" | {hint}");
    let told =
        faults.0.iter().map(|fault| format!("{fault}{}", fault.hint.as_ref().map(hint).unwrap_or_default()));
    told.collect::<Vec<_>>().join(" & ")
}

fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text)
}

/// The parts of a result of several, and a word for none.
fn listed(parts: impl Iterator<Item = String>, between: &str) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(between) }
}

/// The segments of a path, which may be the empty one.
fn segments(path: &str) -> Vec<Segment> {
    if path.is_empty() { Vec::new() } else { Path::parse(path).expect(path).segments }
}

fn sides(case: &str) -> [Value; 2] {
    let (from, to) = case.split_once(" -> ").expect("it has two sides");
    [from, to].map(|side| json(side).expect(side))
}

#[test]
fn a_path_has_one_canonical_form_or_a_fault_at_a_column() {
    hold("paths.txt", |case| match Path::parse(&serde_json::from_str::<String>(case).expect(case)) {
        Ok(path) => {
            assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path));
            json!(path.to_string()).to_string()
        }
        Err(fault) => {
            assert!(fault.hint.as_ref().is_some_and(|hint| hint.contains("`[+]` to append")), "{fault:?}");
            fault.to_string()
        }
    });
}

#[test]
fn a_patch_is_what_differs() {
    hold("patches.txt", |case| {
        let [from, to] = sides(case);
        Value::Object(Config::from(&from).patch_to(&Config::from(&to))).to_string()
    });
}

#[test]
fn every_difference_is_listed_with_its_place() {
    hold("changed_values.txt", |case| {
        let [from, to] = sides(case);
        let changed = ChangedValue::between(&Config::from(&from), &Config::from(&to)).into_iter();
        changed
            .map(|value| json!([value.keys.join("/"), value.before, value.after]))
            .collect::<Value>()
            .to_string()
    });
}

#[test]
fn a_path_goes_on_with_what_its_use_allows() {
    let configuration = json(&table_file("completion.json")).expect("it is JSON");
    let current = Config::from(&configuration);
    hold("completion.txt", |case| {
        let (path_use, typed) = case.split_once(' ').unwrap_or((case, ""));
        let path_use = match path_use {
            "settable" => PathUse::Settable,
            "present" => PathUse::Present,
            "explained" => PathUse::Explained,
            _ => PathUse::Block,
        };
        let found = Completion { current: &current, base: &[], path_use }.candidates(typed);
        assert!(found.iter().all(|found| !format!("{} {}", found.text, found.help).contains("geheim")));
        listed(found.into_iter().map(|found| found.text), " | ")
    });
}

#[test]
fn an_entry_has_its_lines_and_the_comments_above() {
    let text = table_file("lines_of.conf");
    let document = Document::parse(text.trim_end());
    hold("lines_of.txt", |path| match document.lines_of(&Path::parse(path).expect(path)) {
        Ok(range) => json!(document.text()[range]).to_string(),
        Err(fault) => fault.to_string(),
    });
}

#[test]
fn words_stand_bare_where_they_read_back() {
    hold("set_lines.txt", |case| {
        let (path, value) = case.split_once("| ").expect("it has a value");
        let lines = Path::set_lines(&json(value).expect(value), &segments(path.trim_end())).into_iter();
        listed(lines.map(|(path, text)| format!("{path}={text}")), " & ")
    });
}

#[test]
fn what_a_patch_hardly_means_is_refused_unless_it_is_accepted() {
    let document = Document::parse(table_file("doubts.conf"));
    hold("doubts.txt", |patch| {
        let patch = json(patch).expect(patch);
        let Err(EditError::Faults(faults)) = document.modify(patch.clone(), &[]) else {
            return String::new();
        };
        let edit = document.modify(patch.clone(), FaultKind::DOUBTS).expect("it is accepted");
        let after = edit.expect("it changes something").document;
        assert!(after.modify(patch, &[]).expect("what is there is no doubt").is_none());
        let told = format!("{:?} {}", faults.0[0].kind, told(&faults));
        let (told, accepting) = told.split_once("; ").or(told.split_once(" If ")).expect("it has a way out");
        assert!(accepting.contains("`--accept "), "{accepting}");
        told.to_owned()
    });
}

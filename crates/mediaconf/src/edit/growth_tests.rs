//! Work grows with the size of a text and of a change, not with their square.
//!
//! Each case runs at a size and at four times that size, and may read five times as many words and entries then.

use super::FaultKind;
use super::assign::{AssignOptions, AssignedValue, Assignment};
use crate::check::check;
use crate::query::{Condition, Config, Path};
use crate::secret::secrets_in;
use crate::syntax::{Document, work};

#[path = "../../../../benches/whole/cases.rs"]
mod cases;

const ELEMENTS: usize = 100;

/// How much larger the second size is, and how much more work it may take at most.
const LARGER: usize = 4;
const MOST: usize = 5;

fn assert_linear(name: &str, read: impl Fn(usize) -> usize) {
    let [small, large] = [read(ELEMENTS), read(LARGER * ELEMENTS)];
    assert!(large <= small.max(ELEMENTS) * MOST, "{name}: {small} words and entries, then {large}");
}

#[test]
fn a_change_takes_linear_work() {
    for (name, change) in cases::cases() {
        assert_linear(&name, |count| {
            let (text, patch) = change(count);
            let document = Document::parse(text);
            let made = || {
                document.modify(patch, FaultKind::DOUBTS).expect("it is proved").expect("something changes")
            };
            work::measure(made)
        });
    }
}

#[test]
fn a_text_is_checked_and_read_in_linear_work() {
    for (name, text) in cases::TEXTS {
        let linear = |what: &str, run: fn(&Document)| {
            assert_linear(&format!("{name}: {what}"), |count| {
                let document = Document::parse(text(count));
                work::measure(|| run(&document))
            });
        };
        linear("check", |document| drop(check(document.text())));
        linear("errors", |document| assert!(!document.has_errors()));
        linear("secrets", |document| drop(document.secret_spans()));
        linear("JSON", |document| {
            drop(Config::new(document).to_json());
        });
        linear("the same sent back", |document| {
            let shown = Config::new(document).to_json();
            let edit = document.modify(shown, FaultKind::DOUBTS).expect("it is proved");
            assert!(edit.is_none(), "nothing changes");
        });
    }
}

#[test]
fn a_path_is_followed_in_linear_work() {
    for (name, text) in cases::TEXTS {
        let linear = |what: &str, run: &dyn Fn(&Config<'_>, &[Assignment])| {
            assert_linear(&format!("{name}: {what}"), |count| {
                let document = Document::parse(text(count));
                let config = Config::new(&document);
                let lines = Path::set_lines(&config.to_json(), &[]);
                let assignments: Vec<Assignment> = lines.into_iter().map(assignment).collect();
                work::measure(|| run(&config, &assignments))
            });
        };
        let options = AssignOptions { create: true, ..AssignOptions::default() };
        linear("--set of every value", &|view, assignments| {
            assert!(view.to_patch(assignments, &[], options).is_ok(), "they can be set");
        });
        linear("--unset of every value", &|view, assignments| {
            let removal = |set: &Assignment| Assignment { value: AssignedValue::Remove, ..set.clone() };
            let removals: Vec<Assignment> = assignments.iter().map(removal).collect();
            drop(view.to_patch(&removals, &[], options));
        });
        for path in ["*", "streams.*.title", "streams.a.*", "plugins.a.*", "peer.*.a", "http_options.*.api"] {
            let path = Path::parse(path).expect("it is a path");
            let set = Assignment { path: path.clone(), value: AssignedValue::Typed("5".to_owned()) };
            linear(&path.to_string(), &|view, _| drop(view.select(&path)));
            let below = Condition::parse("title!=x").expect("it is a condition");
            linear(&format!("--where {path}"), &|view, _| {
                drop(view.to_patch(std::slice::from_ref(&set), std::slice::from_ref(&below), options));
            });
            linear(&format!("--set {path}"), &|view, _| {
                drop(view.to_patch(std::slice::from_ref(&set), &[], options))
            });
        }
    }
}

/// A text diff masks the lines it shows, and asks for the secrets in each run of them.
#[test]
fn the_secrets_of_one_large_block_take_linear_work() {
    assert_linear("secrets of every other line", |count| {
        let text = format!("plugin a {{\n{}}}\n", "  password s3cret;\n".repeat(count));
        let lines = text.match_indices("  password s3cret;\n").step_by(2);
        let windows: Vec<_> = lines.map(|(at, line)| at..at + line.len()).collect();
        let document = Document::parse(text);
        work::measure(|| assert_eq!(secrets_in([&document], [windows.clone()])[0].len(), windows.len()))
    });
}

fn assignment((path, text): (String, String)) -> Assignment {
    Assignment { path: Path::parse(&path).expect("it is a path"), value: AssignedValue::Typed(text) }
}

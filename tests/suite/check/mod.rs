//! What the checks see in real files, and what they leave alone.

mod alarms;
mod missing_semicolon;
mod slips;

use std::path::Path;

use mediaconf::model::check;
use mediaconf::syntax::{Diagnostic, LineIndex};

use crate::fixtures;

/// A real file, or one that looks like one: its name and its text.
type Real = (String, String);

/// The valid files of the repository, and those of the corpus where it is there.
fn real_files() -> Vec<Real> {
    let own = fixtures::files(&fixtures::root().join("valid"), "conf");
    let own = own.into_iter().map(|path| (name(&path), std::fs::read(path).expect("a fixture can be read")));
    let text = |(name, bytes): (String, Vec<u8>)| Some((name, String::from_utf8(bytes).ok()?));
    own.chain(fixtures::valid_corpus()).filter_map(text).collect()
}

fn name(path: &Path) -> String {
    path.file_name().expect("a file has a name").to_string_lossy().into_owned()
}

/// What is found in a text, each as `LINE:COLUMN: SEVERITY: MESSAGE`.
fn found(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let line = |found: &Diagnostic| {
        let position = lines.position(found.span.start);
        format!("{}:{}: {}: {}", position.line, position.column, found.severity.label(), found.message)
    };
    check(text).iter().map(line).collect()
}

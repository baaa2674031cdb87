//! What `check` finds in each text of `tests/fixtures/findings`.
//!
//! A line `=> LINE:COLUMN: SEVERITY: MESSAGE | HINT` below a text is a finding in it, with what it says of a second place in
//! parentheses; `=> nothing` says that there is none. Lines `fix> …` are the text after all fixes: without them, no finding
//! has one. A blank line parts a text from the one above.

use std::fmt::Write;
use std::fs;

use mediaconf::{Document, Fix, LineIndex, Splice, check};

use super::found;
use crate::fixtures;

/// A text with the lines below it.
struct Case {
    text: String,
    told: String,
}

impl Case {
    fn new(lines: &[&str]) -> Self {
        let lines = lines.strip_prefix(&[""]).unwrap_or(lines);
        let (told, text): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| is_told(line));
        let [text, told] = [text, told].map(|lines| lines.join("\n") + "\n");
        Self { text, told }
    }

    /// The lines that belong below the text.
    fn found(&self) -> String {
        let (diagnostics, lines) = (check(&self.text), LineIndex::new(&self.text));
        let mut told = if diagnostics.count() == 0 { "=> nothing\n".to_owned() } else { String::new() };
        for (line, found) in found(&self.text).into_iter().zip(diagnostics.iter()) {
            let second = found.related.as_ref().map(|(span, note)| {
                let place = lines.position(span.start);
                format!(" ({}:{}: {note})", place.line, place.column)
            });
            let hint = found.hint.as_ref().map(|hint| format!(" | {hint}"));
            let [second, hint] = [second, hint].map(Option::unwrap_or_default);
            writeln!(told, "=> {line}{second}{hint}").expect("a text takes all");
        }
        let fixed = fixed(&self.text);
        for line in fixed.lines().filter(|_| fixed != self.text) {
            writeln!(told, "fix> {line}").expect("a text takes all");
        }
        told
    }
}

fn is_told(line: &str) -> bool {
    line.starts_with("=> ") || line.starts_with("fix> ")
}

/// The text after the fixes of all that is found in it.
pub fn fixed(text: &str) -> String {
    let diagnostics = check(text);
    let fixes = diagnostics.iter().filter_map(|found| found.fix.clone());
    let splice = |fix: Fix| Splice { range: fix.span.start as usize..fix.span.end as usize, text: fix.text };
    Document::parse(text).edited(&fixes.map(splice).collect::<Vec<_>>()).text().to_owned()
}

#[test]
fn each_text_has_its_findings_and_its_fixes() {
    for path in fixtures::files(&fixtures::root().join("findings"), "txt") {
        let table = fs::read_to_string(&path).expect("a fixture is text");
        let lines: Vec<&str> = table.lines().collect();
        let cases = lines.chunk_by(|above, line| is_told(line) || !is_told(above)).map(Case::new);
        fixtures::all(
            cases,
            |case| format!("{}\n{}", path.display(), case.text),
            |case| if case.found() == case.told { Ok(()) } else { Err(case.found()) },
        );
    }
}

/// Every alarm on a real file was looked at, and is right.
#[test]
fn there_is_no_false_alarm_in_a_valid_file() {
    let right = fs::read_to_string(fixtures::root().join("right_alarms.txt")).expect("a fixture is text");
    fixtures::all(
        fixtures::valid_texts(),
        |(name, _)| name.clone(),
        |(name, text)| {
            let right = right.lines().filter_map(|line| line.strip_prefix(&format!("{name}:")));
            let found = found(text);
            if right.eq(found.iter()) { Ok(()) } else { Err(format!("{found:#?}")) }
        },
    );
}

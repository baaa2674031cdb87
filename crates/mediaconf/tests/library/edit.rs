//! The worked edits and refusals: byte for byte, pointer for pointer.

use mediaconf::{Document, EditError, FaultKind, Schema, check};

use crate::fixtures::{self, Case};
use crate::laws::caught;

/// The text after a patch, or the pointers of what is refused; `(text)` where the text has errors.
fn edited(text: &str, patch_text: &str, accepted: &[FaultKind]) -> Result<String, Vec<String>> {
    let document = Document::parse(text.to_owned());
    if check(text).errors() > 0 {
        return Err(vec!["(text)".to_owned()]);
    }
    let pointers = |faults: mediaconf::Faults| {
        faults.0.iter().map(|fault| fault.pointer.clone().unwrap_or_default().to_string()).collect()
    };
    let patch = Schema::parse_patch(patch_text.as_bytes()).map_err(pointers)?;
    match document.modify(patch, accepted) {
        Ok(None) => Ok(text.to_owned()),
        Ok(Some(edit)) => {
            let after = edit.document;
            assert_eq!(check(after.text()).errors(), 0, "the new text has errors:\n{}", after.text());
            Ok(after.text().to_owned())
        }
        Err(EditError::Faults(faults)) => Err(pointers(faults)),
        Err(EditError::Unproved(at)) => panic!("not proved at {at}\n{text}\n{patch_text}"),
    }
}

fn outcome(text: &str, patch: &str, accepted: &[FaultKind]) -> Result<Result<String, Vec<String>>, String> {
    caught(|| edited(text, patch, accepted))
}

#[test]
fn worked_edits_are_equal_to_the_byte() {
    fixtures::all_cases("edit", |case| {
        let (before, patch, after) = (case.text("in.conf"), case.text("patch.json"), case.text("out.conf"));
        // Worked edits show changes of the form of an unknown directive, and near misses, too.
        let accepted = if case.is_next() { &[] } else { FaultKind::DOUBTS };
        match outcome(&before, &patch, accepted)? {
            Ok(found) if found == after => Ok(()),
            Ok(found) => Err(format!("patch {patch}\nexpected {after:?}\nfound    {found:?}")),
            Err(pointers) => Err(format!("refused at {pointers:?}\n{before}\n{patch}")),
        }
    });
}

#[test]
fn an_edit_made_twice_is_made_once() {
    fixtures::all(fixtures::cases("edit"), Case::name, |case| {
        let (patch, after) = (case.text("patch.json"), case.text("out.conf"));
        match outcome(&after, &patch, FaultKind::DOUBTS)? {
            Ok(found) if found == after => Ok(()),
            other => Err(format!("patch {patch}\nexpected {after:?}\nfound    {other:?}")),
        }
    });
}

#[test]
fn refusals_name_their_pointer() {
    fixtures::all_cases("refuse", |case| {
        let expected = case.text("pointer.txt");
        let expected = expected.lines().next().unwrap_or_default();
        let (before, patch) = (case.lossy("in.conf"), case.text("patch.json"));
        let is_meant = |pointer: &str| match pointer.strip_prefix(expected) {
            Some(below) => below.is_empty() || case.is_next() && below.starts_with('/'),
            None => false,
        };
        match outcome(&before, &patch, &[])? {
            Err(pointers) if pointers.iter().any(|pointer| is_meant(pointer)) => Ok(()),
            other => Err(format!("patch {patch}\nexpected {expected:?}\nfound    {other:?}")),
        }
    });
}

//! The worked edits and refusals: byte for byte, pointer for pointer.

use mediaconf::{Config, Document, EditError, FaultKind, Schema, check};
use serde_json::Value;

use crate::fixtures::{self, Case};
use crate::law::{holds_misshapen, view};

/// A configuration with something of everything.
const SAMPLE: &str = "\
# main
http 80;
rtsp 554;
edit_auth admin hunter2;

stream cam1 {
  url udp://239.0.0.1:1234 priority=1;
  prepush 5; # seconds
}
stream cam.2 {
  url udp://239.0.0.2:1234;
}
ondemand film file://film.mp4;
live studio {
  publish_enabled true;
}
";

/// The guards of a patch that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepting {
    /// None.
    Nothing,
    /// Changes of the form of an unknown directive, and near misses: worked edits show them, too.
    Everything,
}

/// The text after a patch, or the pointers of what is refused; `(text)` where the text has errors.
pub fn edited(text: &str, patch_text: &str, accepting: Accepting) -> Result<String, Vec<String>> {
    let document = Document::parse(text.to_owned());
    if check(text).errors() > 0 {
        return Err(vec!["(text)".to_owned()]);
    }
    let pointers = |faults: mediaconf::Faults| {
        faults.0.iter().map(|fault| fault.pointer.clone().unwrap_or_default().to_string()).collect()
    };
    let patch = Schema::parse_patch(patch_text.as_bytes()).map_err(pointers)?;
    let accepted = if accepting == Accepting::Everything { FaultKind::DOUBTS } else { &[] };
    match document.modify(patch, accepted) {
        Ok(None) => Ok(text.to_owned()),
        Ok(Some(edit)) => {
            let after = edit.document;
            assert_eq!(check(after.text()).errors(), 0, "the new text has errors:\n{}", after.text());
            Ok(after.text().to_owned())
        }
        Err(EditError::Faults(faults)) => Err(pointers(faults)),
        Err(EditError::Unproved(unproved)) => panic!("not proved at {}\n{text}\n{patch_text}", unproved.at),
    }
}

fn caught(text: &str, patch: &str, accepting: Accepting) -> Result<Result<String, Vec<String>>, String> {
    std::panic::catch_unwind(|| edited(text, patch, accepting))
        .map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "panicked".to_owned()))
}

#[test]
fn worked_edits_are_equal_to_the_byte() {
    fixtures::all_cases("edit", |case| {
        let (before, patch, after) = (case.text("in.conf"), case.text("patch.json"), case.text("out.conf"));
        let accepting = if case.is_next() { Accepting::Nothing } else { Accepting::Everything };
        match caught(&before, &patch, accepting)? {
            Ok(found) if found == after => Ok(()),
            Ok(found) => Err(format!("patch {patch}\nexpected {after:?}\nfound    {found:?}")),
            Err(pointers) => Err(format!("refused at {pointers:?}\n{before}\n{patch}")),
        }
    });
}

#[test]
fn a_doubt_is_refused_unless_it_is_accepted() {
    let document = Document::parse("vod n { path /a; }\nvod n { path /b; }\n");
    let made = |accepted| document.modify(serde_json::json!({"vod": {"m": {"path": "/z"}}}), accepted);
    let Err(EditError::Faults(faults)) = made(&[FaultKind::NearMiss]) else { panic!("two blocks would go") };
    assert_eq!(faults.0[0].kind, FaultKind::FormChange);
    let edit = made(FaultKind::DOUBTS).expect("it is accepted").expect("it changes something");
    assert_eq!(edit.document.text(), "vod m { path /z; }\n");
}

#[test]
fn an_edit_made_twice_is_made_once() {
    fixtures::all(fixtures::cases("edit"), Case::name, |case| {
        let (patch, after) = (case.text("patch.json"), case.text("out.conf"));
        match caught(&after, &patch, Accepting::Everything)? {
            Ok(found) if found == after => Ok(()),
            other => Err(format!("patch {patch}\nexpected {after:?}\nfound    {other:?}")),
        }
    });
}

#[test]
fn the_json_difference_turns_one_into_the_other() {
    fixtures::all(fixtures::cases("edit"), Case::name, |case| {
        let (before, after) = (case.text("in.conf"), case.text("out.conf"));
        let view = |text: &str| view(&Document::parse(text.to_owned()), false);
        let patch =
            Value::Object((Config::from(&view(&before))).patch_to(&Config::from(&view(&after)))).to_string();
        if holds_misshapen(&view(&after)) {
            return Ok(());
        }
        match caught(&before, &patch, Accepting::Everything)? {
            Ok(found) if view(&found) == view(&after) => Ok(()),
            other => Err(format!("patch {patch}\nexpected {after:?}\nfound    {other:?}")),
        }
    });
}

#[test]
fn a_text_cut_at_every_byte_is_edited_or_refused_for_its_errors() {
    for cut in 0..SAMPLE.len() {
        let text = &SAMPLE[..cut];
        match edited(text, r#"{"rtmp":1935}"#, Accepting::Nothing) {
            Ok(after) => assert!(after.contains("rtmp 1935;"), "{cut}"),
            Err(pointers) => {
                assert_eq!((pointers, check(text).errors() > 0), (vec!["(text)".to_owned()], true))
            }
        }
    }
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
        match caught(&before, &patch, Accepting::Nothing)? {
            Err(pointers) if pointers.iter().any(|pointer| is_meant(pointer)) => Ok(()),
            other => Err(format!("patch {patch}\nexpected {expected:?}\nfound    {other:?}")),
        }
    });
}

//! Form changes and near misses of patches between real texts: what is reported of a text is reported of
//! its JSON, and nothing that is in a file is taken for a misspelling.

use mediaconf::{Config, Document, Entry, FaultKind, Faults, Kind, Scope};
use serde_json::Value;

use crate::fixtures;
use crate::law::{is_valid, view};
use crate::laws;

/// Every valid text there is, with its name.
fn texts() -> Vec<(String, String)> {
    let mut texts = laws::texts();
    texts.retain(|(_, text)| is_valid(&Document::parse(text.clone())));
    texts
}

fn told(faults: &Faults) -> Vec<String> {
    let mut told: Vec<String> = faults
        .0
        .iter()
        .map(|fault| format!("{:?} {}", fault.kind, fault.pointer.clone().unwrap_or_default()))
        .collect();
    told.sort();
    told
}

#[test]
fn form_change_and_near_miss_are_told_of_the_json_as_of_the_text() {
    let texts = texts();
    let pairs: Vec<_> = texts.iter().zip(texts.iter().skip(1)).collect();
    fixtures::all(
        pairs,
        |((a, _), (b, _))| format!("{a} to {b}"),
        |((_, a), (_, b))| {
            let (a, b) = (Document::parse(a.clone()), Document::parse(b.clone()));
            let patch = (Config::from(&view(&a, true))).patch_to(&Config::from(&view(&b, true)));
            let reduced = Value::Object(patch);
            // Not every view can be written back.
            let doubts = |text: &Document| {
                let edit = text.modify(reduced.clone(), FaultKind::DOUBTS).ok()?;
                Some(edit.map(|edit| edit.guarded).unwrap_or_default())
            };
            let empty = Document::parse("");
            let made = empty.modify(view(&a, true), FaultKind::DOUBTS).ok().flatten();
            let of_json = doubts(&made.map_or(empty, |edit| edit.document)).unwrap_or_default();
            let Some(of_text) = doubts(&a) else { return Ok(()) };
            let (of_json, of_text) = (told(&of_json), told(&of_text));
            if of_json == of_text {
                Ok(())
            } else {
                Err(format!("json {of_json:?}\ntext {of_text:?}\n{reduced:?}"))
            }
        },
    );
}

#[test]
fn near_miss_takes_no_keyword_of_a_real_file_for_a_misspelling() {
    fixtures::all_texts(fixtures::valid_texts(), |text| {
        let document = Document::parse(text);
        let members = document.members();
        let top = members.foreign.keys().map(|keyword| (Scope::Top, keyword.to_string()));
        let inside = Kind::ALL.into_iter().flat_map(|kind| {
            let blocks = members.own_by_key(kind.key()).iter();
            let keyword = move |entry: Entry<'_>| (kind.scope(), entry.keyword().into_owned());
            blocks.flat_map(|block| block.children()).map(keyword).collect::<Vec<_>>()
        });
        let misses: Vec<_> =
            top.chain(inside).filter(|(scope, keyword)| scope.near_miss(keyword).is_some()).collect();
        if misses.is_empty() { Ok(()) } else { Err(format!("{misses:?}")) }
    });
}

#[test]
fn line_ends_gone_are_found_in_texts_whose_directives_end_in_a_comment() {
    let (mut joined, mut found) = (0, Vec::new());
    for (name, text) in texts() {
        let document = Document::parse(text.replace(['\n', '\r'], ""));
        let loses = document.len() < Document::parse(text.clone()).len() / 2 && text.contains("\n#");
        if loses {
            joined += 1;
            found.extend((!Document::has_lost_line_ends(document.text().as_bytes())).then_some(name));
        }
    }
    assert!(found.len() * 20 <= joined, "{} of {joined}: {found:?}", found.len());
}

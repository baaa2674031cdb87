//! Takes a change back out of a text that was edited since.
//!
//! The inverse of the change and the edit start from the same text, the one that the change wrote. Their
//! values are merged, and the edit wins where both changed a value. The result has these values. It is made of the
//! merged lines, because they have the comments and the order, too; where lines clash, of those of the edit. A block
//! that the change removed comes back with its lines.

use std::mem;

use serde_json::{Value, json};

use super::draft::merge::{Merged, decided_for_theirs, first_marker, merge as merge_lines};
use super::put_back::put_back;
use super::schema_path::{Place, own_value};
use super::{json_diff, modify, three_way};
use crate::model::{Config, has_errors};
use crate::schema::{Kind, Object, STATIC, Schema};
use crate::syntax::Document;

/// Returns `edited`, which somebody made of `written`, without what `written` changed of `old`. None of the
/// three has errors.
pub fn take_back(old: &Document, written: &Document, edited: &Document) -> Vec<u8> {
    let [mut view_of_old, mut view_of_written, present] = [old, written, edited].map(own_view);
    let schema = edited.schema();
    follow_new_names(schema, [&mut view_of_old, &mut view_of_written], &present);
    let mut theirs = present.clone();
    decide_on_made(schema, &mut view_of_old, &view_of_written, &mut theirs);
    let wanted = three_way::merge(Some(&view_of_written), Some(&view_of_old), Some(&theirs));
    let wanted = wanted.unwrap_or_else(|| json!({}));
    let by_values = by_values(edited, &present, &wanted);
    let values = by_values.as_ref().map_or(present, own_view);
    let merged = merged_lines(written, old, edited).0.map(Document::from_bytes);
    let texts = merged.as_ref().filter(|text| !has_errors(text)).into_iter().chain([edited]);
    let mut results = texts.filter_map(|text| with_values(text, old, &values));
    results.next().or(by_values).map_or_else(|| edited.bytes().to_vec(), |document| document.bytes().to_vec())
}

/// Returns the merged lines, where they clash those of `theirs`, and then the number of the first one. There are none
/// where it is unknown which lines are markers.
pub(super) fn merged_lines(
    base: &Document,
    mine: &Document,
    theirs: &Document,
) -> (Option<Vec<u8>>, Option<usize>) {
    match merge_lines(base.bytes(), mine.bytes(), theirs.bytes()) {
        Merged::Clean(lines) => (Some(lines), None),
        Merged::Clash(marked) => {
            let is_known = first_marker(theirs.bytes()).is_none();
            (is_known.then(|| decided_for_theirs(&marked)), first_marker(&marked))
        }
    }
}

/// A text with these values: as it is, else with the lines that blocks had in `old`; `None` if it can't
/// have them.
pub(super) fn with_values(text: &Document, old: &Document, values: &Value) -> Option<Document> {
    let present = own_view(text);
    if present == *values {
        return Some(Document::from_bytes(text.bytes().to_vec()));
    }
    let values_of_old = own_view(old);
    let is_as_before = |kind: Kind, name: &str| {
        let [before, wanted] = [&values_of_old, values].map(|view| view[kind.key()].get(name));
        before.is_some() && before == wanted
    };
    let whole = put_back(text, old, is_as_before);
    let present = (!has_errors(&whole)).then(|| own_view(&whole))?;
    let result = by_values(&whole, &present, values).unwrap_or(whole);
    (!has_errors(&result) && own_view(&result) == *values).then_some(result)
}

/// Gives blocks that the edit renamed their new names in both views: it took one out that the change touched, and put one
/// in that has most of its values.
fn follow_new_names(schema: &Schema, [old, written]: [&mut Value; 2], theirs: &Value) {
    for kind in schema.kinds.iter().map(|kind| kind.key()) {
        let Some(names) = written[kind].as_object() else { continue };
        let renamed = names
            .iter()
            .filter(|(name, block)| theirs[kind].get(name).is_none() && old[kind].get(name) != Some(block));
        let mut new: Vec<(&String, &Value)> = theirs[kind].as_object().into_iter().flatten().collect();
        new.retain(|(name, _)| names.get(*name).is_none() && old[kind].get(name).is_none());
        let mut pairs = Vec::new();
        for (name, block) in renamed {
            let likeness = |(_, other): &(&String, &Value)| likeness(block, other);
            let Some(best) = (0..new.len()).max_by_key(|&at| likeness(&new[at]).unwrap_or_default()) else {
                break;
            };
            if likeness(&new[best]).is_some() {
                pairs.push((name.clone(), new.remove(best).0.clone()));
            }
        }
        for (name, new) in &pairs {
            rename(&mut old[kind], name, new);
            rename(&mut written[kind], name, new);
        }
    }
}

/// Returns the number of values that two blocks share, if these are most of both.
fn likeness(block: &Value, other: &Value) -> Option<usize> {
    // Nearly all streams are static.
    let members = |block: &Value| {
        let mut members = block.as_object()?.clone();
        members.remove(STATIC);
        Some(members)
    };
    let (block, other) = (members(block)?, members(other)?);
    let shared = block.iter().filter(|(key, value)| other.get(*key) == Some(value)).count();
    (shared * 2 > block.len().max(other.len())).then_some(shared)
}

/// Gives a member another name in its place.
fn rename(group: &mut Value, name: &str, new: &str) {
    let Some(members) = group.as_object_mut() else { return };
    let renamed = |(key, value)| (if key == name { new.to_owned() } else { key }, value);
    *members = mem::take(members).into_iter().map(renamed).collect();
}

/// Returns the own view of a document, as JSON.
pub(super) fn own_view(document: &Document) -> Value {
    let view = Config::new(document).to_json();
    own_value(Place::Root(document.schema()), &view).unwrap_or_else(|| json!({}))
}

/// An entry that the change made stays if the edit set a value in it, with what the edit set alone; else it
/// goes, whatever the edit took out of it.
fn decide_on_made(schema: &Schema, old: &mut Value, written: &Value, theirs: &mut Value) {
    for key in schema.kinds.iter().map(|kind| kind.key()) {
        for (name, entry) in written[key].as_object().into_iter().flatten() {
            let Some(Value::Object(present)) = theirs[key].get(name) else { continue };
            if old[key].get(name).is_some() {
                continue;
            }
            let is_set = |value: &Value| value.as_array().is_none_or(|list| !list.is_empty());
            match present.iter().any(|(member, value)| is_set(value) && entry.get(member) != Some(value)) {
                true => old[key][name] = entry.get(STATIC).map_or(json!({}), |kind| json!({STATIC: kind})),
                false => theirs[key][name] = entry.clone(),
            }
        }
    }
}

/// The document with the wanted values. A value that can't be written alone, such as a login without a
/// password, stays as it was edited.
fn by_values(edited: &Document, present: &Value, wanted: &Value) -> Option<Document> {
    let patch = json_diff::diff(edited.schema(), present, wanted);
    let whole = changed(edited, Value::Object(patch.clone()));
    whole.or_else(|| {
        let by_parts = |document: Option<Document>, part| {
            let after = changed(document.as_ref().unwrap_or(edited), part);
            after.or(document)
        };
        parts(edited.schema(), patch, present).into_iter().fold(None, by_parts)
    })
}

fn changed(document: &Document, patch: Value) -> Option<Document> {
    let edit = modify(document, patch).ok()??;
    Some(document.edited(&edit.splices).0)
}

/// A patch in parts: one for each setting, and for each value of a stream, live or plugin that is there.
fn parts(schema: &Schema, patch: Object, present: &Value) -> Vec<Value> {
    let mut parts = Vec::new();
    for (key, value) in patch {
        match value {
            Value::Object(blocks) if schema.kind(&key).is_some() => {
                for (name, block) in blocks {
                    match block {
                        Value::Object(members) if present[&key].get(&name).is_some() => parts.extend(
                            members
                                .into_iter()
                                .map(|(member, value)| json!({&key: {&name: {member: value}}})),
                        ),
                        block => parts.push(json!({&key: {name: block}})),
                    }
                }
            }
            value => parts.push(json!({ key: value })),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str =
        "# one\nrtmp 1;\nedit_auth admin old;\nhttp 80;\n\nstream a {\n  url udp://a;\n  title A;\n}\n";

    #[track_caller]
    fn check(change: [&str; 2], edit: [&str; 2], expected: [&str; 2]) {
        let replaced = |text: &str, [from, to]: [&str; 2]| {
            assert!(text.contains(from), "{text} {from}");
            text.replace(from, to)
        };
        let written = replaced(OLD, change);
        let edited = replaced(&written, edit);
        let [old, written, edited] = [OLD, &written, &edited].map(|text| Document::parse(text.to_owned()));
        let made = String::from_utf8(take_back(&old, &written, &edited)).expect("it is text");
        assert_eq!(made, replaced(OLD, expected), "{change:?} {edit:?}");
    }

    #[test]
    fn what_was_changed_goes_and_what_was_edited_stays() {
        let lockout = ["admin old", "admin LOCKOUT"];
        let comment = ["# one", "# two"];
        check(lockout, comment, comment);
        // Lines that stand side by side.
        check(lockout, ["rtmp 1", "rtmp 2"], ["rtmp 1", "rtmp 2"]);
        // The same line.
        check(lockout, ["admin LOCKOUT;", "boss LOCKOUT; # new"], ["admin old;", "boss old; # new"]);
        // The same value.
        check(lockout, ["LOCKOUT", "mine"], ["old", "mine"]);
        check(["http 80;\n", ""], comment, comment);
        check(
            ["rtmp 1;", "rtmp 1;\nrtsp 2;"],
            ["rtsp 2;", "rtsp 2;\nrtmps 3;"],
            ["rtmp 1;", "rtmp 1;\nrtmps 3;"],
        );
        check(
            ["http 80;", "http 80;\nhttp 81;"],
            ["http 81;", "http 81;\nhttp 82;"],
            ["http 80;", "http 80;\nhttp 82;"],
        );
    }

    #[test]
    fn entries_that_both_touched() {
        let title = ["title A", "title B"];
        let all = "stream a {\n  url udp://a;\n  title A;\n}\n";
        let is_gone = [all, ""];
        // The edit removed the stream which the change touched.
        check(title, ["stream a {\n  url udp://a;\n  title B;\n}\n", ""], is_gone);
        // The change removed a stream beside which something was edited.
        check(is_gone, ["http 80", "http 81"], ["http 80", "http 81"]);
        // The change made a stream that was edited: only the edited part of it stays.
        let made = format!("{all}stream b {{\n  url udp://b;\n}}\n");
        check(
            [all, &made],
            ["url udp://b;\n", "url udp://b;\n  title B;\n"],
            [all, &format!("{all}stream b {{\n  title B;\n}}\n")],
        );
        check([all, &made], ["url udp://b;", "# no url udp://b;"], [all, all]);
    }

    /// A block that the change removed comes back as it was written, beside a clash with the edit.
    #[test]
    fn a_removed_block_comes_back_with_its_bytes() {
        const ALL: &str = "# first\nhttp 80;\n\n# one\nstream a { # here\n  input udp://a; # its source\n\n  # why\n  \
                           title  A;\n}\n\n# two\nstream b {\n  input udp://b;\n  title B;\n}\n# end\n";
        let one = &ALL[ALL.find("# one").expect("one")..ALL.find("# two").expect("two")];
        let two = &ALL[ALL.find("\n# two").expect("two")..ALL.find("# end").expect("end")];
        for (removed, from, to) in [
            (one, "http 80;\n\n# two\nstream b", "http 81;\n\n# 2\nstream b"),
            (one, "# two", "stream c {\n}\n\n# two"),
            (two, "}\n# end", "}\n# END"),
        ] {
            let written = ALL.replace(removed, "");
            assert!(written.contains(from), "{written} {from}");
            let edited = written.replace(from, to);
            let [old, written, edited] =
                [ALL, &written, &edited].map(|text| Document::parse(text.to_owned()));
            let made = String::from_utf8(take_back(&old, &written, &edited)).expect("it is text");
            let without = made.replace(removed, "");
            assert!(made.contains(removed) && without.as_bytes() == edited.bytes(), "{made}");
        }
    }

    /// The edit gave the block another name, and the values of the change go there.
    #[test]
    fn a_block_that_was_renamed_loses_the_change_too() {
        let title = ["title A", "title B"];
        check(title, ["stream a", "stream z"], ["stream a", "stream z"]);
        check(
            title,
            ["stream a {\n", "stream z {\n  prepush 1;\n"],
            ["stream a {\n", "stream z {\n  prepush 1;\n"],
        );
        let other = ["stream a {\n  url udp://a;\n  title B;\n", "stream z {\n  url udp://z;\n  title C;\n"];
        check(title, other, ["stream a {\n  url udp://a;\n  title A;\n", other[1]]);
        let made = "stream b {\n  url udp://b;\n}\n";
        check(["stream a", &format!("{made}stream a")], ["stream b", "stream z"], ["", ""]);
    }

    /// An account needs a password, so the edited login keeps the present one.
    #[test]
    fn a_value_that_cannot_stand_alone_stays_as_it_was_edited() {
        let [old, written, edited] = ["rtmp 1;\n", "rtmp 2;\nedit_auth a b;\n", "rtmp 2;\nedit_auth c b;\n"]
            .map(|text| Document::parse(text.to_owned()));
        assert_eq!(take_back(&old, &written, &edited), b"rtmp 1;\nedit_auth c b;\n");
    }
}

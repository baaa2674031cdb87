//! Turns a patch into operations, splices and a new text, which is verified before it is handed out.
//!
//! ```text
//! JSON → patch → normalize → plan (merge, align) → layout → splices → new document → verify
//! ```
//!
//! No text is printed from a tree: an edit is a list of splices over the old text, and every byte
//! outside of them is the old one.
//!
//! *Invariants.* No I/O and no clock. A document with errors is never edited. An edit that can't
//! be proved is never returned.

mod align;
mod assign;
mod block_request;
mod completion;
mod condition;
mod config_lookup;
mod desired_state;
pub mod draft;
mod effects;
mod emit;
mod expansion;
mod expect;
mod explain;
mod fault;
mod format;
mod found_value;
#[cfg(test)]
mod growth;
pub mod guarded;
mod in_parts;
pub mod json_diff;
pub mod json_merge;
mod json_pointer;
mod layout;
mod lis;
mod masked_lookup;
mod mend;
mod merge;
mod neighbours;
mod normalize;
mod own_comments;
mod parts;
pub mod patch;
mod path;
mod place_in_text;
mod plan;
mod protocol_switch;
mod put_back;
mod rebase;
mod regular_expression;
mod removal;
mod renaming;
mod request;
mod schema_path;
mod select;
mod set_lines;
mod shell_word;
mod shown_path;
mod stream_diff;
mod substitution;
mod suggestion;
mod surroundings;
mod text_diff;
mod through_lists;
mod typed;
mod unknown_key;
mod value_at;
mod verify;

pub use assign::{AssignOptions, AssignedValue, Assignment, to_patch};
pub use block_request::{BlockContent, BlockPlace, BlockRequest};
pub use completion::{Completion, PathUse, Proposal};
pub use condition::{Condition, ConditionError, keys_that_all_lack};
pub use config_lookup::{ConfigLookup, LocalView};
pub use desired_state::{DesiredState, Prune, TextState};
pub use effects::Effects;
pub use expansion::{Expansion, no_entry};
pub use expect::{Expectation, unmet};
pub use explain::{Explanation, explain};
pub use fault::{Fault, FaultKind, Faults, joined};
pub use format::{formatted, formatted_document};
pub use found_value::{FoundValue, ValueSource, inherited_value, inherited_values};
pub use in_parts::modify_in_parts;
pub use masked_lookup::MaskedLookup;
pub use mend::{MendedText, mended};
pub use merge::own_lens;
pub use normalize::normalize;
pub use path::{EVERY, Path, Segment, glob_matches, split_assignment};
pub use place_in_text::{entry_at, own_entry_at};
pub use rebase::{LinesClash, patch_between, rebase};
pub use renaming::Renaming;
pub use request::{ChangeRequest, Edits, Evaluated};
pub use schema_path::{Place, own_value};
pub use select::{Selection, entries_at, select, select_each, select_where};
pub use set_lines::{each_set_line, set_lines};
pub use shell_word::quoted;
pub use stream_diff::hunks_of_streams;
pub use substitution::{Substitution, SubstitutionError};
pub use text_diff::{DiffLine, Hunk, hunks_of_splices, hunks_of_texts, printed, with_line_ends_of};
pub use through_lists::FoundAt;
pub use unknown_key::UnknownKey;

use std::mem;

use serde_json::Value;
use thiserror::Error;

pub use json_pointer::Pointer;
pub use plan::{NamedEntry, Note};
pub use verify::Unproved;

use guarded::Guarded;

use crate::model::member::Members;
use crate::model::shape::usable_account;
use crate::model::top_members;
use crate::schema::media::STREAMS;
use crate::schema::{DirectiveRole, Object};
use crate::syntax::{Document, Entry, Splice};

/// A change of a text, proved to do what the patch says.
#[derive(Debug)]
pub struct Edit {
    /// The changes of the old text.
    pub splices: Vec<Splice>,
    /// The notes for users about the edit.
    pub notes: Vec<Note>,
    /// True if the old text has a usable account for the API, and the new text has none.
    pub removes_credentials: bool,
    /// The names of the deleted streams.
    pub deleted_streams: Vec<String>,
    /// Form changes and near misses, which are refused unless they are accepted.
    pub guarded: Faults,
    /// The number of streams in the old text.
    pub streams_before: usize,
}

/// Why a request can't be carried out.
#[derive(Debug, Error)]
pub enum EditError {
    /// The request has faults.
    #[error(transparent)]
    Faults(Faults),
    /// The new text does not match the patch: a bug of this program. Nothing is changed.
    #[error(transparent)]
    Unproved(Unproved),
}

impl<F: Into<Faults>> From<F> for EditError {
    fn from(faults: F) -> Self {
        Self::Faults(faults.into())
    }
}

/// Returns the edit that merges a patch into a document without errors; `None` if it changes nothing.
pub fn modify(document: &Document, patch: Value) -> Result<Option<Edit>, EditError> {
    modify_members(document, &top_members(document), normalize::normalize(document.schema(), patch)?)
}

/// The same for a normalized patch, and a document whose top-level members are known.
pub fn modify_members(
    document: &Document,
    members: &Members<'_>,
    patch: Object,
) -> Result<Option<Edit>, EditError> {
    let patch = protocol_switch::resolved(members, patch)?;
    carry_out_parts(document, members, parts::parts(members, patch, parts::BLOCKS))
}

/// Carries out the parts of a patch one by one. All faults are found; the first part that can't be proved ends it.
fn carry_out_parts(
    document: &Document,
    members: &Members<'_>,
    parts: Vec<Object>,
) -> Result<Option<Edit>, EditError> {
    let (mut finder, mut edit, mut faults) =
        (parts::BlockFinder::default(), JoinedEdit::default(), Faults::default());
    for patch in parts {
        let alone = finder.alone(members, &patch);
        match carry_out_part(document, members, alone, patch) {
            Ok(part) => edit.add(part),
            Err(EditError::Faults(found)) => faults.add(found),
            Err(unproved) => return Err(unproved),
        }
    }
    faults.into_result(()).map_err(EditError::Faults)?;
    Ok(edit.finish(members))
}

/// Carries out one part; `alone` are the members without the blocks that it leaves alone, if it only changes blocks.
fn carry_out_part<'d>(
    document: &'d Document,
    members: &Members<'d>,
    alone: Option<Members<'d>>,
    patch: Object,
) -> Result<Option<PlannedEdit>, EditError> {
    let plan = plan::plan(document, alone.as_ref().unwrap_or(members), &patch)?;
    // The patch and the plan's operations are dropped at once: each can be several times as large as its text.
    drop(patch);
    let extent = if alone.is_some() { Extent::Blocks } else { Extent::Whole };
    plan_carried_out(document, members, plan, extent)
}

/// What a plan may change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// Blocks that are there.
    Blocks,
}

/// An edit, and the guarded changes, which are compared with the whole text.
type PlannedEdit = (Edit, Guarded);

/// The edits of parts of one text as one.
#[derive(Default)]
struct JoinedEdit(Option<PlannedEdit>);

impl JoinedEdit {
    fn add(&mut self, part: Option<PlannedEdit>) {
        match (&mut self.0, part) {
            (Some((edit, guarded)), Some((more, also))) => {
                edit.add(more);
                guarded.add(also);
            }
            (none, more) => *none = none.take().or(more),
        }
    }

    fn finish(self, members: &Members<'_>) -> Option<Edit> {
        let (mut edit, guarded) = self.0?;
        edit.splices.sort_by_key(|splice| splice.range.start);
        edit.splices = with_one_at_a_place(edit.splices);
        edit.guarded = guarded.in_document(members);
        edit.streams_before = members.own_by_key(STREAMS.key()).len();
        Some(edit)
    }
}

/// The splices with those at one place as one: there stand the new blocks of all parts.
fn with_one_at_a_place(mut splices: Vec<Splice>) -> Vec<Splice> {
    if splices.is_sorted_by(|one, next| one.range != next.range) {
        splices.shrink_to_fit();
        return splices;
    }
    let at_one_place = splices.chunk_by_mut(|one, next| one.range == next.range);
    let joined = at_one_place.map(|same| match same {
        [alone] => mem::take(alone),
        all => {
            let texts: Vec<&str> = all.iter().map(|splice| &*splice.text).collect();
            Splice { range: all[0].range.clone(), text: texts.concat().into() }
        }
    });
    joined.collect()
}

impl Edit {
    /// Adds another edit of the same text, which touches none of the same bytes.
    fn add(&mut self, other: Edit) {
        self.splices.extend(other.splices);
        self.notes.extend(other.notes);
        self.removes_credentials |= other.removes_credentials;
        self.deleted_streams.extend(other.deleted_streams);
    }
}

/// Returns the edit that gives streams, lives or plugins of one kind other names, all at once.
pub fn under_new_names<'d>(
    document: &'d Document,
    members: &Members<'d>,
    blocks: &[(NamedEntry<'d>, &str)],
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_new_names(document, members, blocks))
}

/// Returns the edit that copies a stream, live or plugin; `name` is that of the copy, how many blocks of its
/// kind stand in front of it, and the one that stands directly behind it, if that was named.
pub fn copied<'d>(
    document: &'d Document,
    members: &Members<'d>,
    block: NamedEntry<'d>,
    name: (&str, usize, Option<Entry<'d>>),
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_copy(document, members, block, name))
}

/// Returns the edit that merges a normalized patch, with the block that it creates directly in front of
/// `before`.
pub fn created_before<'d>(
    document: &'d Document,
    members: &Members<'d>,
    patch: &Object,
    before: Entry<'d>,
) -> Result<Option<Edit>, EditError> {
    carry_out(document, members, plan::plan_new(document, members, patch, before)?)
}

/// Turns a plan into splices, and proves them.
fn carry_out(
    document: &Document,
    members: &Members<'_>,
    plan: plan::Plan,
) -> Result<Option<Edit>, EditError> {
    Ok(JoinedEdit(plan_carried_out(document, members, plan, Extent::Whole)?).finish(members))
}

/// The same; what depends on the whole text is left to [`JoinedEdit::finish`].
fn plan_carried_out<'d>(
    document: &'d Document,
    members: &Members<'d>,
    mut plan: plan::Plan,
    extent: Extent,
) -> Result<Option<PlannedEdit>, EditError> {
    let splices = layout::splices(document, &mem::take(&mut plan.operations));
    if splices.is_empty() && plan.members.is_empty() && plan.named.is_empty() {
        return Ok(None);
    }
    let edited = document.changed_runs(&splices);
    let touched = (extent == Extent::Blocks).then(|| {
        // Those that stand in the lines of the blocks, too.
        members.with_blocks(edited.iter().flat_map(|run| document.entries_in(run.place.old.clone())))
    });
    let members = touched.as_ref().unwrap_or(members);
    let after = members.after(&edited);
    verify::verify(members, &after, &edited, &plan).map_err(EditError::Unproved)?;
    if splices.is_empty() {
        return Ok(None);
    }
    let edit = Edit {
        removes_credentials: has_credentials(members) && !has_credentials(&after),
        splices,
        guarded: Faults::default(),
        notes: plan.notes,
        deleted_streams: plan.deleted_streams,
        streams_before: 0,
    };
    Ok(Some((edit, plan.guarded)))
}

fn has_credentials(members: &Members<'_>) -> bool {
    usable_account(members.own_by_key(DirectiveRole::Editor.key(members.scope()))).is_some()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests read fixtures")]
mod tests {
    use super::*;

    /// The splices of an edit, or what refuses it.
    fn outcome(edit: Result<Option<Edit>, EditError>) -> String {
        edit.map_or_else(|error| error.to_string(), |edit| format!("{:?}", edit.map(|edit| edit.splices)))
    }

    /// All texts of the fixtures without errors.
    fn texts() -> Vec<Document> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures");
        let paths = ["edit", "valid"].map(|name| std::fs::read_dir(format!("{folder}/{name}")));
        let paths = paths.into_iter().flat_map(|folder| folder.expect("there are fixtures"));
        let paths = paths.map(|entry| entry.expect("it can be read").path());
        let files = paths.map(|path| if path.is_dir() { path.join("in.conf") } else { path });
        let texts = files.filter(|path| path.extension().is_some_and(|found| found == "conf"));
        let documents = texts.filter_map(|path| Some(Document::from_bytes(std::fs::read(path).ok()?)));
        documents.filter(|document| !crate::model::has_errors(document)).collect()
    }

    #[test]
    fn parts_of_one_block_make_the_same_edit() {
        let changes = [
            serde_json::json!({"title": "x y"}),
            serde_json::json!({"title": null, "prepush": 7, "urls": null}),
            serde_json::json!({"urls": [{"url": "udp://1"}, {"url": "udp://2"}], "static": false}),
            serde_json::json!({"disabled": true, "dvr": null, "auth": {"url": "http://b"}}),
        ];
        let mut split = 0;
        for (document, change) in
            texts().iter().flat_map(|text| changes.iter().map(move |change| (text, change)))
        {
            let members = top_members(document);
            let streams = members.own_by_key(STREAMS.key()).iter();
            let names = streams.map(|entry| crate::model::shape::group_name(*entry).value().into_owned());
            let patch =
                serde_json::json!({ "streams": Object::from_iter(names.map(|name| (name, change.clone()))) });
            let patch = normalize(document.schema(), patch).expect("it is a patch");
            let parts = parts::parts(&members, patch.clone(), 1);
            split += usize::from(parts.len() > 1);
            let [whole, parts] =
                [vec![patch], parts].map(|parts| outcome(carry_out_parts(document, &members, parts)));
            assert_eq!(parts, whole, "{change}\n{}", document.text());
        }
        assert!(split > 20, "{split} texts are changed in parts");
    }

    /// A text of this many streams, with a setting before them.
    fn many_streams(count: usize) -> String {
        let stream =
            |number: usize| format!("stream s{number} {{\n  url udp://1; # {number}\n  prepush 5;\n}}\n");
        "http 80;\n".to_owned() + &(0..count).map(stream).collect::<String>()
    }

    /// What a request makes part by part, if it is evaluated so, and as a whole: the new text, and the notes.
    fn both_ways(text: &str, request: &ChangeRequest) -> [Option<(String, Vec<Note>)>; 2] {
        let document = Document::parse(text);
        let config = crate::model::Config::own(&document);
        let (members, current) = (config.members(), config.lookup());
        let new = |edit: Option<Edit>| {
            edit.map_or(text.to_owned(), |edit| {
                assert_eq!(edit.streams_before, members.own_by_key(STREAMS.key()).len());
                document.with(&edit.splices).text().to_owned()
            })
        };
        let in_parts =
            modify_in_parts(&document, members, request, &current).map(|(edit, notes)| (new(edit), notes));
        let whole = request.evaluate(&current).ok().and_then(|evaluated| {
            let notes = evaluated.notes.clone();
            let patch = evaluated.normalized(document.schema()).ok()?;
            Some((new(modify_members(&document, members, patch).ok()?), notes))
        });
        [in_parts, whole]
    }

    fn assigned(lines: &[&str]) -> ChangeRequest {
        let assignment = |line: &&str| {
            let (path, value) = split_assignment(line).expect("it is one");
            let value = value.map_or(AssignedValue::Remove, |value| AssignedValue::Typed(value.to_owned()));
            Assignment { path, value }
        };
        let assignments = lines.iter().map(assignment).collect();
        let edits =
            Edits::Assignments { assignments, conditions: Vec::new(), options: AssignOptions::default() };
        ChangeRequest { edits, expectations: Vec::new() }
    }

    #[test]
    fn assignments_to_very_many_streams_are_evaluated_in_parts() {
        let text = many_streams(parts::BLOCKS * 2 + 5);
        for (lines, is_in_parts) in [
            (&["streams.*.prepush=6"][..], true),
            (&["streams.*.prepush=5"], true),
            (&["streams.s*.prepush=6", "streams.s*.title=a b", "streams.s*.urls[0].url=udp://2"], true),
            (&["streams.*.prepush=6", "http=[81]"], false),
            (&["streams.s20*.prepush=6"], false),
            (&["streams.*.prepush"], false),
            (&["streams.*.x=1"], false),
            (&["streams.*.prepush=[1]"], false),
            (&["streams.*.position=1"], false),
        ] {
            let [parts, whole] = both_ways(&text, &assigned(lines));
            assert_eq!(parts.is_some(), is_in_parts, "{lines:?}");
            assert!(parts.is_none() || parts == whole, "{lines:?}");
        }
    }

    #[test]
    fn a_state_of_very_many_streams_is_evaluated_in_parts() {
        let text = many_streams(parts::BLOCKS * 2 + 5);
        let wanted = text.replace("prepush 5", "title \"a b\"");
        for (wanted, is_in_parts) in [
            (wanted.clone(), true),
            (text.replacen("prepush 5", "prepush 6", 1), true),
            (text.clone(), true),
            (wanted.replace("http 80", "http 81"), false),
            (format!("{wanted}stream new {{ url udp://1; }}\n"), false),
        ] {
            let state = TextState::new(Document::parse(wanted), Prune::Nothing);
            let request = ChangeRequest { edits: Edits::Text(state), expectations: Vec::new() };
            let [parts, whole] = both_ways(&text, &request);
            assert_eq!(parts.is_some(), is_in_parts);
            assert!(parts.is_none() || parts == whole);
        }
    }

    #[test]
    fn a_patch_text_of_very_many_streams_is_evaluated_in_parts() {
        let (count, text) = (parts::BLOCKS * 2 + 5, many_streams(parts::BLOCKS * 2 + 5));
        let changes = |from: usize, change: &str| {
            let change =
                |number| format!("{}\n\"s{number}\": {change}", if number == from { "" } else { "," });
            (from..from + count).map(change).collect::<String>()
        };
        let (old, new) =
            (changes(0, r#"{"title": "a, b"}"#), changes(count, r#"{"urls": [{"url": "udp://2"}]}"#));
        for (patch, is_in_parts) in [
            (format!(r#"{{"streams": {{{old}}}}}"#), true),
            (format!(r#" {{"lives": {{}}, "streams": {{{new}}}}} "#), true),
            (format!("\u{feff}{{\"streams\": {{{new}}}}}"), true),
            (format!(r#"{{"streams": {{{new}, "s0": {{"prepush": 6}}}}}}"#), false),
            (format!(r#"{{"streams": {{{new}, "s{count}": {{}}}}}}"#), false),
            (format!(r#"{{"streams": {{{old}, "s0": {{}}}}}}"#), false),
            (format!(r#"{{"streams": {{{new}, "x": {{"position": 1}}}}}}"#), false),
            (format!(r#"{{"streams": {{{new}, "x": {{"prepush": []}}}}}}"#), false),
            (format!(r#"{{"streams": {{{new}, "x": null}}}}"#), false),
            (format!(r#"{{"streams": {{{new}}}, "rtmp": 1935}}"#), false),
            (format!(r#"{{"streams": {{{new}}}, "streams": {{}}}}"#), false),
            (format!(r#"{{"streams": {{{new}}}}} 1"#), false),
            (format!(r#"{{"streams": {{{new},}}}}"#), false),
            (format!("[{new}]"), false),
        ] {
            let edits = Edits::PatchText { text: patch.clone().into(), memory: usize::MAX };
            let [parts, whole] = both_ways(&text, &ChangeRequest { edits, expectations: Vec::new() });
            assert_eq!(parts.is_some(), is_in_parts, "{}", &patch[patch.len() - 40..]);
            assert!(parts.is_none() || parts == whole, "{}", &patch[patch.len() - 40..]);
        }
    }

    #[test]
    fn very_many_new_blocks_make_the_same_edit_in_parts() {
        let mut split = 0;
        for (document, kind) in
            texts().iter().flat_map(|text| crate::schema::media::KINDS.map(|kind| (text, kind)))
        {
            let members = top_members(document);
            if members.own_by_key(kind.key()).len() < 2 {
                continue;
            }
            let block = serde_json::json!({"title": "x y"});
            let new = (0..=parts::BLOCKS).map(|number| (format!("brand-new-{number}"), block.clone()));
            let patch = serde_json::json!({ kind.key(): Object::from_iter(new) });
            let patch = normalize(document.schema(), patch).expect("it is a patch");
            let parts = parts::parts(&members, patch.clone(), parts::BLOCKS);
            split += usize::from(parts.len() > 1);
            let whole = carry_out_part(document, &members, None, patch);
            let whole = outcome(whole.map(|edit| JoinedEdit(edit).finish(&members)));
            assert_eq!(outcome(carry_out_parts(document, &members, parts)), whole, "{}", document.text());
        }
        assert!(split > 20, "{split} groups get new blocks in parts");
    }

    #[test]
    fn a_change_of_all_of_many_streams_is_made_in_parts() {
        let count = parts::BLOCKS * 2 + 5;
        let stream =
            |number: usize| format!("stream s{number} {{\n  url udp://1; # {number}\n  prepush 5;\n}}\n");
        let text: String = (0..count).map(stream).collect();
        let document = Document::parse(text.as_str());
        let change = (0..count).rev().map(|number| (format!("s{number}"), serde_json::json!({"prepush": 6})));
        let patch = serde_json::json!({ "streams": Object::from_iter(change) });
        let edit = modify(&document, patch).expect("it is proved").expect("it changes something");
        assert_eq!(document.with(&edit.splices).text(), text.replace("prepush 5", "prepush 6"));
        assert_eq!(edit.streams_before, count);
    }
}

//! The overlays of nodes: patches that are merged into the text of the cluster.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::content::compared;
use super::content_diff::ContentDiff;
use super::new_warnings::{NewWarning, new_warnings};
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::snapshot::Snapshot;
use crate::store::{NamedPatch, Overlays, StoreError};
use mediaconf::plumbing::edit;
use mediaconf::plumbing::edit::json_diff::{ChangedValue, changed_values};
use mediaconf::plumbing::edit::{ChangeRequest, ConfigLookup, Edit, Path, Segment};
use mediaconf::plumbing::model::{Masker, masked_json};
use mediaconf::plumbing::schema::Schema;
use mediaconf::plumbing::schema::media::STREAMS;

/// Merges patches into a text, one after the other; or says in one line why that can't be done.
pub fn merged(text: Arc<Snapshot>, patches: &[NamedPatch]) -> Result<Arc<Snapshot>, String> {
    patches.iter().try_fold(text, |text, patch| {
        Ok(edit_of(&text, patch)?.map_or(text.clone(), |edit| Arc::new(Snapshot::proved(edit.document))))
    })
}

/// The edit of a text that a patch is; `None` if it changes nothing.
fn edit_of(text: &Arc<Snapshot>, (name, patch): &NamedPatch) -> Result<Option<Edit>, String> {
    let failed = |error: Refusal| format!("the overlay `{name}` does not fit: {error}");
    if !text.is_valid() {
        return Err(failed(Refusal::bad_config(text.clone())));
    }
    edit::modify(text.document(), patch.clone()).map_err(|error| failed(error.into()))
}

/// The hint about overlays that can't be read.
const DAMAGED: &str = "no change is made that would lose them unseen; `mediactl rollback 1` goes back to text \
     and overlays before the last change, and `mediactl overlay remove --all` removes them all, so that they can be set \
     again";

impl Refusal {
    /// What a store says about the overlays: where they can't be read, how to go on without them.
    pub fn of_overlays(error: StoreError) -> Self {
        let is_damaged = matches!(error, StoreError::Damaged { .. });
        let refusal = Self::from(error);
        if is_damaged { refusal.hint(DAMAGED) } else { refusal }
    }
}

/// True if some nodes may have the overlay of their group and one of their own.
pub(super) fn need_groups(overlays: &Overlays) -> bool {
    overlays.iter().any(|(name, _)| is_group(name)) && overlays.iter().any(|(name, _)| !is_group(name))
}

/// Judges what the nodes with values of their own would run after a change: returns the warnings that it brings there.
/// `groups` has the group of each node that is in one.
///
/// # Errors
/// An overlay does not fit, or makes a stream of its own that has no source: the nodes of the overlay would refuse the
/// change, or run such a stream. What was so before is no reason.
pub(super) fn judge(
    before: (&Overlays, &Arc<Snapshot>),
    after: (&Overlays, &Arc<Snapshot>),
    groups: &BTreeMap<String, String>,
) -> Result<Vec<NewWarning>, Refusal> {
    if !after.1.is_valid() {
        return Ok(Vec::new());
    }
    let (mut known, mut brought) = (HashSet::new(), Vec::new());
    for patches in merged_together(after.0, groups) {
        // Many nodes have the same values of their own.
        let values: Vec<String> = patches.iter().map(|(_, patch)| patch.to_string()).collect();
        let Some((name, _)) = patches.last().filter(|_| known.insert(values)) else { continue };
        let was: Vec<NamedPatch> =
            patches.iter().filter_map(|(name, _)| find(before.0, name).cloned()).collect();
        match told_of(&patches, after.1) {
            Err(why) if was == patches && told_of(&was, before.1).err().as_ref() == Some(&why) => {}
            Err(why) => {
                let hint = format!(
                    "`mediactl overlay show {name}` shows it; change it first, or `overlay remove {name}`"
                );
                return Err(Refusal::new(RefusalKind::BadNewText, why).hint(hint));
            }
            Ok(told) if told.is_empty() => {}
            Ok(told) => {
                let had = told_of(&was, before.1).unwrap_or_default();
                let told = told.into_iter().filter(|warning| !had.contains(warning));
                brought.extend(told.map(|warning| on_node(name, warning)));
            }
        }
    }
    Ok(brought)
}

/// The patches that are merged together on some node: those of a group alone, too, as it may have other nodes.
fn merged_together(overlays: &Overlays, groups: &BTreeMap<String, String>) -> Vec<Vec<NamedPatch>> {
    let of_group = |name: &str| find(overlays, &format!("@{}", groups.get(name)?)).cloned();
    let alone = overlays.iter().map(|own| of_group(&own.0).into_iter().chain([own.clone()]).collect());
    alone.collect()
}

/// The patch of a node or a group; an empty one where it has none.
pub fn overlay_of(overlays: &Overlays, name: &str) -> Value {
    find(overlays, name).map_or_else(|| Value::Object(Map::new()), |(_, patch)| patch.clone())
}

fn find<'o>(overlays: &'o Overlays, name: &str) -> Option<&'o NamedPatch> {
    overlays.iter().find(|(other, _)| other == name)
}

fn is_group(name: &str) -> bool {
    name.starts_with('@')
}

/// A warning about what a node has of its own.
fn on_node(name: &str, NewWarning { at, message }: NewWarning) -> NewWarning {
    let at = if at.is_empty() { name.to_owned() } else { format!("{name}: {at}") };
    NewWarning { at, message }
}

/// The warnings that some patches add to a text; or why its nodes can't run it.
fn told_of(patches: &[NamedPatch], text: &Arc<Snapshot>) -> Result<Vec<NewWarning>, String> {
    let (mut on_node, mut bases, mut brought) = (text.clone(), Vec::new(), Vec::new());
    for patch in patches {
        bases.push(on_node.clone());
        if let Some(edit) = edit_of(&on_node, patch)? {
            on_node = Arc::new(Snapshot::proved(edit.document));
            brought = new_warnings(text.document(), on_node.document());
        }
    }
    let mut made = patches.iter().zip(&bases);
    match made.find_map(|((_, patch), base)| bare_stream(patch, base, &on_node)) {
        Some(stream) => Err(without_source(patches, stream)),
        None => Ok(brought),
    }
}

/// Names the overlays that leave a stream without a source.
fn without_source(patches: &[NamedPatch], stream: &str) -> String {
    let names = patches.iter().filter(|(_, patch)| patch[STREAMS.key()].get(stream).is_some());
    let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
    match &names[..] {
        [one] => format!("the overlay {one} would make `streams.{stream}` without a source"),
        all => format!(
            "the overlays {} together would make `streams.{stream}` without a source",
            all.join(" and ")
        ),
    }
}

/// The first stream that a patch makes, and that has no source on the nodes.
fn bare_stream<'p>(patch: &'p Value, base: &Snapshot, on_node: &Snapshot) -> Option<&'p str> {
    let (base, on_node) = (base.config(), on_node.config());
    let (base, on_node) = (base.lookup(), on_node.lookup());
    let is_bare = |stream: &&String| {
        let at = [STREAMS.key(), stream.as_str()];
        let urls = on_node.value(&[at[0], at[1], "urls"]);
        !base.contains(&at)
            && on_node.contains(&at)
            && urls.is_none_or(|urls| urls == Value::Array(Vec::new()))
    };
    patch.get(STREAMS.key()).and_then(Value::as_object)?.keys().find(is_bare).map(String::as_str)
}

/// Warns of the values of a change that a node hides by overlays: each with the name of the overlay that sets it.
/// A change that changes nothing is told of the paths that it asks for.
pub fn hidden(made: &Outcome, request: Option<&ChangeRequest>, overlays: &[NamedPatch]) -> Vec<NewWarning> {
    // What a change makes of the overlays themselves is not hidden by those of before.
    if overlays.is_empty() || made.overlays.is_some() {
        return Vec::new();
    }
    let keys: Vec<Vec<String>> = match made.is_change() {
        true => {
            let sides = [made.before.as_ref(), made.after()];
            let changed = compared(sides, |before, after| changed_values(Schema::media(), before, after));
            changed.into_iter().map(|value| value.keys).collect()
        }
        false => request.into_iter().flat_map(ChangeRequest::paths).map(first_keys).collect(),
    };
    hidden_of(&keys, overlays)
}

/// The keys with which a path begins, up to its first index or pattern.
fn first_keys(path: &Path) -> Vec<String> {
    let key = |segment: &Segment| if let Segment::Key(key) = segment { Some(key.clone()) } else { None };
    path.segments.iter().map_while(key).collect()
}

/// The same of the keys of the values that changed.
fn hidden_of(changed: &[Vec<String>], overlays: &[NamedPatch]) -> Vec<NewWarning> {
    let mut told = Vec::new();
    for (name, patch) in overlays {
        let mut set = Vec::new();
        set_by(patch, &mut Vec::new(), &mut set);
        let is_met = |keys: &&Vec<String>| {
            changed.iter().any(|changed| changed.starts_with(keys) || keys.starts_with(changed))
        };
        for keys in set.iter().filter(is_met) {
            let value = ChangedValue { keys: keys.clone(), before: None, after: None };
            let message = format!(
                "the overlay of `{name}` hides the value here: this node has its own, and the others that of the cluster"
            );
            told.push(NewWarning { at: value.short_path(), message });
        }
    }
    told
}

/// The keys of the values that a patch sets, or removes.
fn set_by(patch: &Value, above: &mut Vec<String>, set: &mut Vec<Vec<String>>) {
    match patch {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                above.push(key.clone());
                set_by(value, above, set);
                above.pop();
            }
        }
        _ => set.push(above.clone()),
    }
}

/// The difference between two sets of overlays: for each that differs its name, and the lines. With a masker the secrets
/// are masked.
pub fn overlay_diffs(sides: [&Overlays; 2], masker: Option<&Masker>) -> Vec<(String, ContentDiff)> {
    let shown = |name: &str, patch: &Value| {
        let patch = masker.map_or_else(|| patch.clone(), |masker| masked_json(patch, masker));
        json!({ (format!("overlay {name}")): patch })
    };
    let diff = |(name, patches): (&str, [Value; 2])| {
        let [old, new] = patches.each_ref().map(|patch| shown(name, patch));
        (name.to_owned(), ContentDiff::between_values(&old, &new))
    };
    changed(sides).map(diff).collect()
}

/// The paths of what differs between two sets of overlays, each behind the name of its overlay.
pub fn changed_paths(sides: [&Overlays; 2]) -> Vec<String> {
    changed(sides)
        .flat_map(|(name, [old, new])| {
            let values = changed_values(Schema::media(), &old, &new);
            values.into_iter().map(move |value| format!("{name}: {}", value.short_path()))
        })
        .collect()
}

/// The overlays that differ, by their names, before and afterwards; an empty patch where there is none.
pub(super) fn changed([old, new]: [&Overlays; 2]) -> impl Iterator<Item = (&str, [Value; 2])> {
    let names: BTreeSet<&str> = old.iter().chain(new.iter()).map(|(name, _)| name.as_str()).collect();
    let both = names.into_iter().map(move |name| (name, [overlay_of(old, name), overlay_of(new, name)]));
    both.filter(|(_, [old, new])| old != new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "http 80; # for players\nrtmp 1935;\n";

    fn text(text: &str) -> Arc<Snapshot> {
        Arc::new(Snapshot::from_bytes(text.to_owned()))
    }

    #[test]
    fn a_node_has_its_own_values_and_the_rest_as_it_is() {
        let patches =
            [("@edge".to_owned(), json!({"rtmp": 1936})), ("edge7".to_owned(), json!({"rtmp": 1937}))];
        let merged_text = merged(text(TEXT), &patches).expect("they fit");
        assert_eq!(merged_text.bytes(), TEXT.replace("1935", "1937").as_bytes());
        assert_eq!(merged(text(TEXT), &[]).expect("there is none").bytes(), TEXT.as_bytes());
    }

    #[test]
    fn a_patch_that_does_not_fit_is_named() {
        let why = merged(text(TEXT), &[("edge7".to_owned(), json!({"rtmp": "fast"}))]);
        let why = why.expect_err("it is no port");
        assert!(why.starts_with("the overlay `edge7` does not fit: /rtmp: expected a port"), "{why}");
    }

    fn overlays(all: &[(&str, Value)]) -> Overlays {
        all.iter().map(|(name, patch)| ((*name).to_owned(), patch.clone())).collect()
    }

    #[test]
    fn a_change_is_judged_by_what_each_node_would_run() {
        let (with, without) = (text("stream cam1 {\n  url udp://239.0.0.1:1;\n}\n"), text("http 80;\n"));
        let groups = BTreeMap::from([("edge7".to_owned(), "edge".to_owned())]);
        let of = |patch: Value| json!({"streams": {"cam1": patch}});
        let none = || overlays(&[]);
        let prepush = || overlays(&[("edge7", of(json!({"prepush": 9})))]);
        let whole = || overlays(&[("edge7", of(json!({"urls": [{"url": "udp://239.0.0.2:1"}]})))]);
        let bare = || overlays(&[("edge7", of(json!({"urls": []})))]);
        let split = |urls: Value| {
            overlays(&[
                ("@edge", of(json!({"urls": [{"url": "udp://239.0.0.2:1"}]}))),
                ("edge7", of(json!({"urls": urls}))),
            ])
        };
        let alone = "error: the overlay `edge7` would make `streams.cam1` without a source";
        let together =
            "error: the overlays `@edge` and `edge7` together would make `streams.cam1` without a source";
        let warned =
            "`edge7: streams.cam1`: the stream has no source (add one like `url udp://239.0.0.1:1234;`)";
        for (what, before, after, expected) in [
            ("its stream goes", (prepush(), &with), (prepush(), &without), &[alone][..]),
            ("it was so before", (prepush(), &without), (prepush(), &without), &[]),
            ("the overlay is new", (none(), &without), (prepush(), &without), &[alone]),
            ("the stream stays", (prepush(), &with), (prepush(), &with), &[]),
            ("it has a source of its own", (whole(), &with), (whole(), &without), &[]),
            ("the source goes there", (none(), &with), (bare(), &with), &[warned]),
            (
                "it goes as null",
                (none(), &with),
                (overlays(&[("edge7", of(json!({"urls": null})))]), &with),
                &[warned],
            ),
            ("it had gone there before", (bare(), &with), (bare(), &with), &[]),
            (
                "the group has the source",
                (none(), &without),
                (split(json!([{"url": "udp://239.0.0.3:1"}])), &without),
                &[],
            ),
            (
                "the node takes that of its group",
                (none(), &without),
                (split(json!(null)), &without),
                &[together],
            ),
        ] {
            let told = match judge((&before.0, before.1), (&after.0, after.1), &groups) {
                Ok(warnings) => warnings.iter().map(ToString::to_string).collect(),
                Err(refusal) => vec![format!("error: {}", refusal.message)],
            };
            assert_eq!(told, expected, "{what}");
        }
    }

    #[test]
    fn a_change_of_what_an_overlay_sets_is_hidden() {
        let of_node = overlays(&[
            ("@edge", json!({"rtsp": null})),
            ("edge7", json!({"streams": {"cam1": {"prepush": 9}}})),
        ]);
        let hides = |keys: &[&str]| {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            let hidden = hidden_of(&[keys], &of_node);
            hidden.first().map(|warning| {
                format!("{} {}", warning.message.split('`').nth(1).unwrap_or_default(), warning.at)
            })
        };
        assert_eq!(hides(&["rtsp"]).as_deref(), Some("@edge rtsp"));
        assert_eq!(hides(&["streams", "cam1", "prepush"]).as_deref(), Some("edge7 streams.cam1.prepush"));
        assert_eq!(hides(&["streams", "cam1"]).as_deref(), Some("edge7 streams.cam1.prepush"));
        assert_eq!(hides(&["streams", "cam1", "title"]), None);
        assert_eq!(hides(&["http"]), None);
    }
}

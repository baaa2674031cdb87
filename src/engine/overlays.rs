//! The overlays of nodes: patches that are merged into the text of the cluster.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::snapshot::Snapshot;
use crate::store::{NamedPatch, Overlays};
use mediaconf::plumbing::edit;
use mediaconf::plumbing::edit::ConfigLookup;
use mediaconf::plumbing::edit::json_diff::changed_values;
use mediaconf::plumbing::schema::Schema;
use mediaconf::plumbing::schema::media::STREAMS;

/// Merges patches into a text, one after the other; or says in one line why that can't be done.
pub fn merged(text: Arc<Snapshot>, patches: &[NamedPatch]) -> Result<Arc<Snapshot>, String> {
    let mut text = text;
    for (name, patch) in patches {
        let failed = |error: Refusal| format!("the overlay `{name}` does not fit: {error}");
        if !text.is_valid() {
            return Err(failed(Refusal::bad_config(text.clone())));
        }
        if let Some(edit) =
            edit::modify(text.document(), patch.clone()).map_err(|error| failed(error.into()))?
        {
            text = Arc::new(Snapshot::edited(&text, &edit.splices));
        }
    }
    Ok(text)
}

/// Refuses a change after which an overlay does not fit, or makes an entry of its own that has no source: the nodes of
/// the overlay would refuse the change, or run such an entry. What was so before is no reason.
pub(super) fn refuse_misfit(
    before: (&[NamedPatch], &Arc<Snapshot>),
    after: (&[NamedPatch], &Arc<Snapshot>),
) -> Result<(), Refusal> {
    if !after.1.is_valid() {
        return Ok(());
    }
    let mut known = HashSet::new();
    for overlay in after.0 {
        // Many nodes have the same values of their own.
        if !known.insert(overlay.1.to_string()) {
            continue;
        }
        let was_so =
            |why: &String| before.0.contains(overlay) && misfit(overlay, before.1).as_ref() == Some(why);
        if let Some(why) = misfit(overlay, after.1).filter(|why| !was_so(why)) {
            let hint = format!(
                "`mediactl overlay show {0}` shows it; change it first, or `overlay remove {0}`",
                overlay.0
            );
            return Err(Refusal::new(RefusalKind::BadNewText, why).hint(hint));
        }
    }
    Ok(())
}

/// The paths of what differs between two sets of overlays, each behind the name of its overlay.
pub(super) fn changed_paths([old, new]: &[Overlays; 2]) -> Vec<String> {
    changed([old, new])
        .flat_map(|(name, [old, new])| {
            let values = changed_values(Schema::media(), &old, &new);
            values.into_iter().map(move |value| format!("{name}: {}", value.short_path()))
        })
        .collect()
}

/// The overlays that differ, by their names, before and afterwards; an empty patch where there is none.
pub(super) fn changed([old, new]: [&Overlays; 2]) -> impl Iterator<Item = (&str, [Value; 2])> {
    let of = |overlays: &Overlays, name: &str| {
        let found = overlays.iter().find(|(other, _)| other == name);
        found.map_or_else(|| Value::Object(Map::new()), |(_, patch)| patch.clone())
    };
    let names: BTreeSet<&str> = old.iter().chain(new.iter()).map(|(name, _)| name.as_str()).collect();
    let both = names.into_iter().map(move |name| (name, [of(old, name), of(new, name)]));
    both.filter(|(_, [old, new])| old != new)
}

/// Describes what is wrong with the text of a node with this overlay.
fn misfit(overlay: &NamedPatch, text: &Arc<Snapshot>) -> Option<String> {
    let on_node = match merged(text.clone(), std::slice::from_ref(overlay)) {
        Ok(on_node) => on_node,
        Err(why) => return Some(why),
    };
    let name = &overlay.0;
    let streams = overlay.1.get(STREAMS.key()).and_then(Value::as_object)?;
    let (config, own) = (on_node.config(), text.config());
    let (merged, own) = (config.lookup(), own.lookup());
    let is_bare = |stream: &&String| {
        let at = [STREAMS.key(), stream.as_str()];
        let urls = merged.value(&[at[0], at[1], "urls"]);
        !own.contains(&at) && merged.contains(&at) && urls.is_none_or(|urls| urls == Value::Array(Vec::new()))
    };
    let bare = streams.iter().map(|(stream, _)| stream).find(is_bare)?;
    Some(format!("the overlay `{name}` would make `streams.{bare}` without a source"))
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

    #[test]
    fn a_change_that_leaves_an_overlay_alone_is_refused() {
        let overlay = |patch: Value| [("edge7".to_owned(), patch)];
        let with = text("stream cam1 {\n  url udp://239.0.0.1:1;\n}\n");
        let without = text("http 80;\n");
        let prepush = overlay(json!({"streams": {"cam1": {"prepush": 9}}}));
        let refused = refuse_misfit((&prepush, &with), (&prepush, &without)).expect_err("it has no source");
        assert!(
            refused.message.contains("`edge7`") && refused.message.contains("`streams.cam1`"),
            "{refused}"
        );
        assert!(refuse_misfit((&prepush, &without), (&prepush, &without)).is_ok(), "it was so before");
        assert!(refuse_misfit((&[], &without), (&prepush, &without)).is_err(), "the overlay is new");
        assert!(refuse_misfit((&prepush, &with), (&prepush, &with)).is_ok());
        let whole = overlay(json!({"streams": {"cam1": {"urls": [{"url": "udp://239.0.0.2:1"}]}}}));
        assert!(refuse_misfit((&whole, &with), (&whole, &without)).is_ok(), "it has a source of its own");
    }
}

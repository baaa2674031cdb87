//! The overlays of a node: patches that are merged into the text of the cluster.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::{Refusal, Snapshot};
use mediaconf::edit;

/// A patch with the name of its key: that of the group behind an `@`, or that of the node.
pub type NamedPatch = (String, Value);

/// Merges patches into a text, one after the other; or says in one line why that can't be done.
pub fn merged(text: Snapshot, patches: &[NamedPatch]) -> Result<Arc<Snapshot>, String> {
    let mut text = Arc::new(text);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "http 80; # for players\nrtmp 1935;\n";

    #[test]
    fn a_node_has_its_own_values_and_the_rest_as_it_is() {
        let patches =
            [("@edge".to_owned(), json!({"rtmp": 1936})), ("edge7".to_owned(), json!({"rtmp": 1937}))];
        let text = merged(Snapshot::from_bytes(TEXT), &patches).expect("they fit");
        assert_eq!(text.bytes(), TEXT.replace("1935", "1937").as_bytes());
        assert_eq!(merged(Snapshot::from_bytes(TEXT), &[]).expect("there is none").bytes(), TEXT.as_bytes());
    }

    #[test]
    fn a_patch_that_does_not_fit_is_named() {
        let why = merged(Snapshot::from_bytes(TEXT), &[("edge7".to_owned(), json!({"rtmp": "fast"}))]);
        let why = why.expect_err("it is no port");
        assert!(why.starts_with("the overlay `edge7` does not fit: /rtmp: expected a port"), "{why}");
    }
}

//! Conflicts between a change and what others made of the same text meanwhile, such as a hand edit of the file.

use crate::error::{Error, ErrorKind};
use mediaconf::{Config, Document, Fault, LinesClash, Masker, Pointer, Schema};
use serde_json::Value;

use super::snapshot::Snapshot;

/// The advice about a hand edit.
pub const OVERWRITE: &str =
    "`mediactl diff` shows the difference; `mediactl update FILE` loads the file, `--force` overwrites it";

/// The advice about values that others changed meanwhile.
const DECIDE: &str = "read the configuration again, and send the right value; `force` takes yours";

/// The advice about lines that others changed meanwhile.
const REPEAT: &str = "read the configuration again, and repeat the change";

/// A value that both changed, each in its own way.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The place of the value.
    pub pointer: Pointer,
    /// The value that both started from; `None` if there was none.
    pub base: Option<Value>,
    /// The value in the file now.
    pub theirs: Option<Value>,
    /// The value of the change; null removes.
    pub mine: Value,
}

/// Returns the values that `patch` sets and that differ between `base` and `theirs`.
///
/// Both documents are without errors. Only the values that the patch names are compared.
pub fn conflicts(base: &Document, theirs: &Document, patch: &Value) -> Vec<Conflict> {
    let [base, theirs] = [base, theirs].map(Config::own);
    let (base, theirs) = (base, theirs);
    let mut found = Vec::new();
    for (key, value) in patch.as_object().into_iter().flatten() {
        match value.as_object().filter(|_| is_group(key)) {
            Some(blocks) => blocks.iter().for_each(|(name, value)| {
                let at = [key.as_str(), name.as_str()];
                compare(&mut found, &at, base.value(&at), theirs.value(&at), value);
            }),
            None => compare(&mut found, &[key], base.value(&[key]), theirs.value(&[key]), value),
        }
    }
    found
}

fn is_group(key: &str) -> bool {
    Schema::media().kind(key).is_some()
}

fn compare(
    found: &mut Vec<Conflict>,
    at: &[&str],
    base: Option<Value>,
    theirs: Option<Value>,
    patch: &Value,
) {
    if base == theirs || theirs.as_ref() == Some(patch) || (theirs.is_none() && patch.is_null()) {
        return;
    }
    match (&base, &theirs, patch) {
        (Some(Value::Object(base)), Some(Value::Object(theirs)), Value::Object(patch)) => {
            for (key, value) in patch {
                let inner: Vec<&str> = at.iter().copied().chain([key.as_str()]).collect();
                compare(found, &inner, base.get(key).cloned(), theirs.get(key).cloned(), value);
            }
        }
        _ => found.push(Conflict { pointer: Pointer::from_keys(at), base, theirs, mine: patch.clone() }),
    }
}

/// The refusal of a change that conflicts with a hand edit; without conflicts, the file is gone, or another update is
/// unsaved. The values are masked: refusals are shown and logged.
pub fn hand_edited(conflicts: &[Conflict]) -> Error {
    let what = "the file was changed by hand";
    if conflicts.is_empty() {
        let message = format!("{what} since it was loaded");
        return Error::new(ErrorKind::HandEdited, message).hint(OVERWRITE);
    }
    let what = format!("{what} here since it was loaded");
    refusal(ErrorKind::HandEdited, conflicts, (&what, OVERWRITE), &Masker::default())
}

/// The refusal of a change with a `base`: a hand edit and an unsaved update were both made of another text.
pub fn hand_edited_and_updated() -> Error {
    let message =
        "the file was changed by hand, and the running configuration is an update that is not saved";
    Error::new(ErrorKind::HandEdited, message).hint(
        "`mediactl diff` shows the difference; `mediactl update FILE` loads the file, then repeat the change",
    )
}

/// The refusal of a change where the hand edit of the file has errors; with a `base`, nothing overwrites it.
pub fn hand_edited_badly(kind: ErrorKind, file: &Snapshot, is_merged: bool) -> Error {
    let errors = file.errors_in_words();
    let overwrite = if is_merged { "" } else { ", or overwrite it with `--force`" };
    Error::new(kind, format!("the file was changed by hand since it was loaded, and has {errors}"))
        .hint(format!("`mediactl check` shows the errors; correct the file{overwrite}"))
}

/// The refusal of a change that conflicts with what others made of its base.
pub fn changed_meanwhile(conflicts: &[Conflict], masker: &Masker) -> Error {
    refusal(ErrorKind::Conflict, conflicts, ("it was changed meanwhile", DECIDE), masker)
}

/// The refusal of a change of lines that others changed, too.
pub fn lines_clash(clash: LinesClash) -> Error {
    let message = "the same lines were changed meanwhile, and not only their values";
    let fault = Fault { line: clash.line, ..Fault::of_path(message) };
    Error::new(ErrorKind::Conflict, message).with_faults(vec![fault.hint(REPEAT)])
}

fn refusal(
    kind: ErrorKind,
    conflicts: &[Conflict],
    (what, hint): (&str, &'static str),
    masker: &Masker,
) -> Error {
    let first = conflicts.first().map_or(String::new(), |first| first.pointer.to_path().shown());
    let message = match conflicts {
        [_, more @ ..] if !more.is_empty() => format!("`{first}` and {} more: {what}", more.len()),
        _ => format!("`{first}`: {what}"),
    };
    let faults = conflicts.iter().map(|conflict| conflict.fault(what, masker).hint(hint)).collect();
    Error::new(kind, message).hint(hint).with_faults(faults)
}

impl Conflict {
    fn fault(&self, what: &str, masker: &Masker) -> Fault {
        let keys = self.pointer.keys();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // Whether a value is a secret depends on the keys above it.
        let masked = |value: &Value| Some(Box::new(masker.json_below(&keys, value)));
        Fault {
            pointer: Some(self.pointer.clone()),
            base: self.base.as_ref().and_then(masked),
            theirs: self.theirs.as_ref().and_then(masked),
            mine: masked(&self.mine),
            ..Fault::of_path(what)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(base: &str, theirs: &str, patch: Value) -> Vec<String> {
        let [base, theirs] = [base, theirs].map(|text| Document::parse(text.to_owned()));
        conflicts(&base, &theirs, &patch).into_iter().map(|clash| clash.pointer.as_str().to_owned()).collect()
    }

    #[test]
    fn only_what_both_touch_clashes() {
        let base = "rtmp 1;\nstream a { url u; prepush 1; }\nstream b { url u; }\n";
        let theirs = "rtmp 2;\nstream a { url u; prepush 5; }\nstream c { url u; }\n";
        for (patch, expected) in [
            (json!({"rtsp": 5}), vec![]),
            (json!({"rtmp": 3}), vec!["/rtmp"]),
            (json!({"rtmp": 2}), vec![]),
            (json!({"streams": {"a": {"title": "x"}}}), vec![]),
            (json!({"streams": {"a": {"prepush": 7}}}), vec!["/streams/a/prepush"]),
            (json!({"streams": {"a": null}}), vec!["/streams/a"]),
            (json!({"streams": {"b": null}}), vec![]),
            (json!({"streams": {"b": {"title": "x"}}}), vec!["/streams/b"]),
            (json!({"streams": {"c": {"title": "x"}}}), vec!["/streams/c"]),
            (json!({"streams": {"d": {"urls": []}}, "rtmp": null}), vec!["/rtmp"]),
        ] {
            assert_eq!(pointers(base, theirs, patch.clone()), expected, "{patch}");
        }
    }
}

//! The faults of configurations, as `publishDiagnostics` has them, and the quick fixes that mend them, as `check` finds both.

use std::collections::BTreeMap;
use std::ops::Range;

use mediaconf::{Diagnostic, Diagnostics, Severity, one_line};
use serde_json::{Map, Value, json};

use super::session::{INVALID_PARAMS, RequestFault, TextPosition};
use super::text::{Configuration, SourceText, Spot, Workspace};

/// The name of this program in front of a fault.
const SOURCE: &str = "mediactl";

/// The notifications that are to be sent: those of texts whose faults, or whose version, are others than the client has.
pub fn changed(sent: &mut BTreeMap<String, Value>, workspace: &Workspace) -> Vec<Value> {
    let nothing = |uri: &String| (uri.clone(), json!({ "uri": uri, "diagnostics": [] }));
    let mut now: BTreeMap<String, Value> = BTreeMap::new();
    for text in workspace.texts.values() {
        if now.contains_key(&text.uri) {
            continue;
        }
        let (configuration, _) = workspace.configuration(text);
        for (file, faults) in configuration.files.iter().zip(faults_of(&configuration)) {
            if (file.is_open || !faults.is_empty()) && !now.contains_key(&file.uri) {
                let (uri, mut parameters) = nothing(&file.uri);
                parameters["diagnostics"] = faults.iter().map(|fault| one(file, fault)).collect();
                file.version.iter().for_each(|version| parameters["version"] = json!(version));
                now.insert(uri, parameters);
            }
        }
    }
    let gone: Vec<_> = sent.keys().filter(|uri| !now.contains_key(*uri)).map(nothing).collect();
    now.extend(gone);
    let changed = now.iter().filter(|(uri, faults)| sent.get(*uri) != Some(*faults));
    let notification = |(_, faults): (_, &Value)| json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": faults });
    let changed = changed.map(notification).collect();
    now.retain(|uri, faults| workspace.texts.contains_key(uri) || faults["diagnostics"] != json!([]));
    *sent = now;
    changed
}

/// The faults of each file of a configuration.
fn faults_of(configuration: &Configuration) -> Vec<Diagnostics> {
    match &configuration.composed {
        Some(composed) => composed.diagnostics(),
        None => vec![configuration.files[0].text.diagnostics().clone()],
    }
}

/// A fault of a file.
fn one(file: &SourceText, fault: &Diagnostic) -> Value {
    let range = |span: &Range<u32>| file.range(span.start as usize..span.end as usize);
    let message = match &fault.hint {
        Some(hint) => format!("{}\nhint: {}", one_line(&fault.message), one_line(hint)),
        None => one_line(&fault.message),
    };
    let severity = if fault.severity == Severity::Error { 1 } else { 2 };
    let mut shown =
        json!({ "range": range(&fault.span), "severity": severity, "source": SOURCE, "message": message });
    if let Some((span, message)) = &fault.related {
        let location = json!({ "uri": file.uri, "range": range(span) });
        shown["relatedInformation"] = json!([{ "location": location, "message": one_line(message) }]);
    }
    shown
}

/// The fixes of the faults on the lines of a part of a text: the cursor may be anywhere in a line that is marked. The part
/// begins at the spot.
///
/// # Errors
/// The part is not in the text.
pub fn fixes(spot: &Spot, end: TextPosition) -> Result<Value, RequestFault> {
    let file = spot.file();
    let end = file.offset(end)?;
    if end < spot.offset {
        return Err(RequestFault::new(INVALID_PARAMS, "the part ends in front of its start"));
    }
    let [first, last] = [spot.offset, end].map(|offset| file.line_of(offset));
    let touches = |fault: &&Diagnostic| {
        file.line_of(fault.span.start as usize) <= last && first <= file.line_of(fault.span.end as usize)
    };
    let faults = faults_of(&spot.configuration);
    Ok(faults[spot.file].iter().filter(touches).filter_map(|fault| fix(file, fault)).collect())
}

fn fix(file: &SourceText, fault: &Diagnostic) -> Option<Value> {
    let fix = fault.fix.as_ref()?;
    let what = if fix.span.is_empty() { "insert" } else { "replace it by" };
    let range = file.range(fix.span.start as usize..fix.span.end as usize);
    let edits = json!([{ "range": range, "newText": fix.text }]);
    Some(json!({
        "title": format!("{what} `{}`", fix.text),
        "kind": "quickfix",
        "isPreferred": true,
        "diagnostics": [one(file, fault)],
        "edit": { "changes": Map::from_iter([(file.uri.clone(), edits)]) },
    }))
}

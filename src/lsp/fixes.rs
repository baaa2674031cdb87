//! Quick fixes: the edits that mend faults, as `check` finds them.

use mediaconf::Diagnostic;
use serde_json::{Map, Value, json};

use super::faults::{faults_of, one};
use super::protocol::{INVALID_PARAMS, RequestFault, TextRange};
use super::workspace::{SourceText, Spot};

/// The fixes of the faults on the lines of a part of a text: the cursor may be anywhere in a line that is marked. The part
/// begins at the spot.
///
/// # Errors
/// The part is not in the text.
pub fn fixes(spot: &Spot, part: TextRange) -> Result<Value, RequestFault> {
    let file = spot.file();
    let bytes = file.lines.bytes(file.document().text(), part);
    let bytes = bytes.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the text has no such lines"))?;
    let line = |offset: usize| file.lines.line_of(offset);
    let touches = |fault: &&Diagnostic| {
        line(fault.span.start as usize) <= line(bytes.end)
            && line(bytes.start) <= line(fault.span.end as usize)
    };
    let faults = faults_of(&spot.configuration);
    Ok(faults[spot.file].iter().filter(touches).filter_map(|fault| fix(file, fault)).collect())
}

fn fix(file: &SourceText, fault: &Diagnostic) -> Option<Value> {
    let fix = fault.fix.as_ref()?;
    let title = match fix.span.is_empty() {
        true => format!("insert `{}`", fix.text),
        false => format!("replace it by `{}`", fix.text),
    };
    let range = file.range(fix.span.start as usize..fix.span.end as usize);
    let edits = json!([{ "range": range, "newText": fix.text }]);
    Some(json!({
        "title": title,
        "kind": "quickfix",
        "isPreferred": true,
        "diagnostics": [one(file, fault)],
        "edit": { "changes": Map::from_iter([(file.uri.clone(), edits)]) },
    }))
}

//! The faults of configurations, as `publishDiagnostics` has them.

use std::collections::BTreeMap;
use std::ops::Range;

use mediaconf::{Diagnostic, Diagnostics, Severity, one_line};
use serde_json::{Value, json};

use super::protocol::notification;
use super::workspace::{Configuration, SourceText, Workspace};

/// The name of this program in front of a fault.
const SOURCE: &str = "mediactl";

/// The faults as the client has them: the parameters of the last notification of each text.
#[derive(Default)]
pub struct SentFaults(BTreeMap<String, Value>);

impl SentFaults {
    /// The notifications that are to be sent: those of texts whose faults, or whose version, are others than before.
    pub fn changed(&mut self, workspace: &Workspace) -> Vec<Value> {
        let mut now: BTreeMap<String, Value> = BTreeMap::new();
        for text in workspace.texts.values() {
            if now.contains_key(&text.uri) {
                continue;
            }
            let (configuration, _) = workspace.configuration(text);
            for (file, faults) in configuration.files.iter().zip(faults_of(&configuration)) {
                if file.is_open || !faults.is_empty() {
                    now.entry(file.uri.clone())
                        .or_insert_with(|| parameters(&file.uri, file.version, in_protocol(file, &faults)));
                }
            }
        }
        for uri in self.0.keys() {
            now.entry(uri.clone()).or_insert_with(|| parameters(uri, None, Vec::new()));
        }
        let changed = now.iter().filter(|(uri, faults)| self.0.get(*uri) != Some(*faults));
        let changed =
            changed.map(|(_, faults)| notification("textDocument/publishDiagnostics", faults.clone()));
        let changed = changed.collect();
        now.retain(|uri, faults| workspace.texts.contains_key(uri) || faults["diagnostics"] != json!([]));
        self.0 = now;
        changed
    }
}

fn parameters(uri: &str, version: Option<i64>, diagnostics: Vec<Value>) -> Value {
    let mut parameters = json!({ "uri": uri, "diagnostics": diagnostics });
    if let Some(version) = version {
        parameters["version"] = version.into();
    }
    parameters
}

/// The faults of each file of a configuration.
pub fn faults_of(configuration: &Configuration) -> Vec<Diagnostics> {
    let alone = &configuration.files[0];
    match &configuration.composed {
        Some(composed) => composed.diagnostics(),
        None if configuration.is_part => vec![alone.document().diagnostics().clone()],
        None => vec![alone.text.diagnostics().clone()],
    }
}

fn in_protocol(file: &SourceText, faults: &Diagnostics) -> Vec<Value> {
    let mut shown: Vec<Value> = faults.iter().map(|fault| one(file, fault)).collect();
    if let (Some(last), 1..) = (faults.iter().last(), faults.dropped()) {
        let more = format!("and {} more", faults.dropped());
        shown.push(one(file, &Diagnostic::warning(last.span.clone(), more)));
    }
    shown
}

/// A fault of a file.
pub fn one(file: &SourceText, fault: &Diagnostic) -> Value {
    let range = |span: &Range<u32>| file.range(span.start as usize..span.end as usize);
    let message = match &fault.hint {
        Some(hint) => format!("{}\nhint: {}", one_line(&fault.message), one_line(hint)),
        None => one_line(&fault.message),
    };
    let severity = match fault.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    let mut shown =
        json!({ "range": range(&fault.span), "severity": severity, "source": SOURCE, "message": message });
    if let Some((span, message)) = &fault.related {
        let location = json!({ "uri": file.uri, "range": range(span) });
        shown["relatedInformation"] = json!([{ "location": location, "message": one_line(message) }]);
    }
    shown
}

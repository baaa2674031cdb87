//! The faults of a configuration as data: what `check -o json` prints, and what `check_config` answers.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::composed::Composed;
use super::guard::Guard;
use super::local::Engine;
use super::new_warnings::new_warnings;
use super::snapshot::Snapshot;
use crate::error::Error;
use mediaconf::{
    Diagnostic, Diagnostics, Fault, Fix, LineIndex, Pointer, Position, Request, Severity, Span, check,
};

/// One fault. The shape is stable.
#[derive(Debug, Clone, Serialize)]
pub struct FaultRecord {
    /// The name of the text, where that is not the one that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it begins; none in a patch.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// The end of it: the place behind its last character; where something is missing, the place itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Position>,
    pub severity: Severity,
    /// The fault.
    pub message: String,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The place in a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Pointer>,
    /// A second place that explains the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<RelatedRecord>,
    /// The edit that mends it, where only one can be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixRecord>,
}

/// A second place.
#[derive(Debug, Clone, Serialize)]
pub struct RelatedRecord {
    #[serde(flatten)]
    pub position: Position,
    /// The end of it.
    pub end: Position,
    /// The message at this place.
    pub message: String,
}

/// An edit that mends a fault.
#[derive(Debug, Clone, Serialize)]
pub struct FixRecord {
    /// The characters that it replaces.
    pub range: RangeRecord,
    /// What stands there then.
    pub text: String,
}

/// A range of a text.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RangeRecord {
    pub start: Position,
    /// Behind its last character.
    pub end: Position,
}

/// The faults of a text or of a patch.
#[derive(Debug, Serialize)]
pub struct CheckedConfig {
    /// The number of errors, those included that are not listed.
    pub errors: usize,
    /// The same of warnings.
    pub warnings: usize,
    /// In the order of the text.
    pub faults: Vec<FaultRecord>,
}

impl FaultRecord {
    /// A fault of a text.
    pub fn new(found: &Diagnostic, lines: &LineIndex<'_>) -> Self {
        let range = |span: &Span| RangeRecord {
            start: lines.position(span.start),
            end: lines.position(span.end.max(span.start)),
        };
        let RangeRecord { start, end } = range(&found.span);
        let related = found.related.as_ref().map(|(span, message)| {
            let RangeRecord { start, end } = range(span);
            RelatedRecord { position: start, end, message: message.clone() }
        });
        let fix = found.fix.as_ref().map(|fix| FixRecord { range: range(&fix.span), text: fix.text.clone() });
        Self {
            position: Some(start),
            end: Some(end),
            hint: found.hint.clone(),
            related,
            fix,
            ..Self::plain(found.severity, found.message.clone())
        }
    }

    /// A fault without a place.
    pub fn plain(severity: Severity, message: String) -> Self {
        Self {
            file: None,
            position: None,
            end: None,
            severity,
            message,
            hint: None,
            pointer: None,
            related: None,
            fix: None,
        }
    }

    fn of_request(fault: Fault) -> Self {
        let Fault { message, hint, pointer, .. } = fault;
        Self { hint, pointer, ..Self::plain(Severity::Error, message) }
    }
}

impl CheckedConfig {
    /// The faults of a text, and of the files that it includes, which are named.
    pub fn of_text(text: &Snapshot, composed: Option<&Composed>, is_utf16: bool) -> Self {
        let mut all = Self::of_faults(Vec::new());
        let Some(composed) = composed else {
            all.add(None, text.document().text(), text.diagnostics(), is_utf16);
            return all;
        };
        for (at, (file, found)) in composed.files.iter().zip(composed.diagnostics()).enumerate() {
            let name = (at > 0).then_some(&*file.name);
            all.add(name, file.text.document().text(), &found, is_utf16);
        }
        all
    }

    /// The faults of a part of a text, with their places in that part. Those elsewhere are told where `before` lacks
    /// them: at the beginning of the part, with their line.
    pub fn of_part(before: &Snapshot, text: &str, part: Range<usize>, is_utf16: bool) -> Self {
        let (found, lines) = (check(text), lines_of(&text[part.clone()], is_utf16));
        let whole = LineIndex::new(text);
        let base = part.start as u32;
        let is_inside = |span: &Span| part.start <= span.start as usize && span.end as usize <= part.end;
        let here = |span: &Span| span.start - base..span.end - base;
        let mut known: Vec<&str> = before.diagnostics().iter().map(|found| &*found.message).collect();
        let mut faults = Vec::new();
        for found in found.iter() {
            let Diagnostic { message, severity, .. } = found;
            if !is_inside(&found.span) {
                match known.iter().position(|known| known == message) {
                    Some(place) => drop(known.swap_remove(place)),
                    None => {
                        let line = whole.position(found.span.start).line;
                        let message = format!("{message} (line {line} of the configuration)");
                        let told = Diagnostic::new(*severity, 0..0, message);
                        faults.push(FaultRecord::new(&told, &lines));
                    }
                }
                continue;
            }
            let related = found.related.clone().filter(|(span, _)| is_inside(span));
            let fix = found.fix.clone().filter(|fix| is_inside(&fix.span));
            let moved = Diagnostic {
                span: here(&found.span),
                related: related.map(|(span, message)| (here(&span), message)),
                fix: fix.map(|fix| Fix { span: here(&fix.span), ..fix }),
                ..found.clone()
            };
            faults.push(FaultRecord::new(&moved, &lines));
        }
        Self::of_faults(faults)
    }

    fn add(&mut self, file: Option<&str>, text: &str, found: &Diagnostics, is_utf16: bool) {
        self.errors += found.errors();
        self.warnings += found.warnings();
        if found.is_empty() {
            return;
        }
        let lines = lines_of(text, is_utf16);
        let records = found.iter().map(|found| FaultRecord::new(found, &lines));
        let file = file.map(str::to_owned);
        self.faults.extend(records.map(|record| FaultRecord { file: file.clone(), ..record }));
    }

    fn of_faults(faults: Vec<FaultRecord>) -> Self {
        let errors = faults.iter().filter(|fault| fault.severity == Severity::Error).count();
        Self { errors, warnings: faults.len() - errors, faults }
    }
}

/// The lines of a text, whose columns count characters or units of UTF-16.
fn lines_of(text: &str, is_utf16: bool) -> LineIndex<'_> {
    if is_utf16 { LineIndex::utf16(text) } else { LineIndex::new(text) }
}

impl Engine {
    /// The faults that a request has on a configuration, and those that its edit would bring: no hook runs, no turn
    /// is taken, and nothing is written.
    pub fn check_request(&self, request: &Request, present: &Arc<Snapshot>) -> CheckedConfig {
        CheckedConfig::of_faults(self.faults_of_request(request, present).unwrap_or_else(|refusal| {
            let Error { faults, message, hint, .. } = refusal;
            match faults.is_empty() {
                true => vec![FaultRecord { hint, ..FaultRecord::plain(Severity::Error, message) }],
                false => faults.into_iter().map(FaultRecord::of_request).collect(),
            }
        }))
    }

    fn faults_of_request(
        &self,
        request: &Request,
        present: &Arc<Snapshot>,
    ) -> Result<Vec<FaultRecord>, Error> {
        request.check_text()?;
        if !present.is_valid() {
            return Err(Error::bad_config(present.clone()));
        }
        let config = present.config();
        let evaluated = request.evaluate(&config)?;
        let Some(edit) = request.edit(evaluated, present.document(), &config)? else {
            return Ok(Vec::new());
        };
        let mut faults: Vec<_> = edit.guarded.0.into_iter().map(FaultRecord::of_request).collect();
        if edit.removes_credentials {
            let guard = Error::from(Guard::WouldRemoveCredentials).message;
            faults.push(FaultRecord::plain(Severity::Error, guard));
        }
        let after = Arc::new(Snapshot::proved(edit.document));
        faults.extend(self.faults_brought(present, &after).into_iter().map(FaultRecord::of_request));
        let warnings = new_warnings(present.document(), after.document());
        let warning = |text: String| FaultRecord::plain(Severity::Warning, text);
        faults.extend(warnings.iter().map(|found| warning(found.to_string())));
        Ok(faults)
    }
}

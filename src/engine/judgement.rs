//! The judgement of a text that is to become the configuration: the errors and the warnings that it has, together
//! with what it includes, and that were not there before.
//!
//! Faults that stood there before refuse nothing: a judgement keeps no server down and no repair away.

use std::collections::HashMap;
use std::sync::Arc;

use super::composed::Composed;
use super::composed::{ComposedFault, told_once};
use super::local::Engine;
use super::new_warnings::{BRINGS_WARNING, NewWarning, new_warnings};
use super::operation::Operation;
use super::outcome::{After, Outcome};
use super::snapshot::{INCLUDE, Snapshot};
use super::transaction::Transaction;
use crate::error::{Error, ErrorKind, WITHOUT_STRICT};
use crate::store::Follow;
use mediaconf::{Document, Fault, Splice, joined};

impl Engine {
    /// The errors of a text together with what it includes; empty if it includes nothing, or has errors
    /// itself.
    fn faults_of(&self, text: &Arc<Snapshot>) -> Vec<ComposedFault> {
        self.composed(text, self.followed()).map(|composed| composed.faults()).unwrap_or_default()
    }

    /// The included files that are followed: of those elsewhere, clients of a server learn nothing.
    pub(super) fn followed(&self) -> Follow {
        if self.running.is_some() { Follow::BELOW } else { Follow::ALL }
    }

    /// The errors that a change brings together with what is included.
    pub(super) fn faults_brought(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> Vec<Fault> {
        let composed = self.composed(after, self.followed());
        composed.map(|composed| self.new_faults(&[before], &composed)).unwrap_or_default()
    }

    /// The errors that a text has together with what it includes, and that none of the texts before has
    /// that often.
    fn new_faults(&self, before: &[&Arc<Snapshot>], after: &Composed) -> Vec<Fault> {
        let (mut faults, mut known) = (after.faults(), Vec::new());
        if faults.is_empty() {
            return Vec::new();
        }
        for text in before {
            let mut more = self.faults_of(text);
            leave_out(&mut more, &known);
            known.append(&mut more);
        }
        leave_out(&mut faults, &known);
        if before.first().is_some_and(|text| !text.is_valid()) {
            // What stood there before is unknown, but what the included files have stood there.
            faults.retain(|fault| fault.is_own);
        }
        told_once(faults)
    }
}

impl Transaction<'_> {
    /// Judges the change: refuses errors that it brings, and returns the warnings that it brings, which
    /// are refused if that is asked for. Errors of a take-back are reported, and never refuse it.
    pub(super) fn judge(&mut self, outcome: &Outcome) -> Result<Vec<NewWarning>, Error> {
        let before = outcome.before.as_ref();
        let warnings = match (&outcome.after, before) {
            (after, before) if includes(before, after) => self.judge_composed(outcome, before)?,
            (After::Edited { after, .. } | After::Replaced(after), before) => {
                let missing = Document::parse(String::new());
                new_warnings(before.map_or(&missing, |before| before.document()), after.document())
            }
            _ => Vec::new(),
        };
        match self.options.strict && !warnings.is_empty() {
            true => Err(refused(&warnings)),
            false => Ok(warnings),
        }
    }

    fn judge_composed(
        &mut self,
        outcome: &Outcome,
        before: Option<&Arc<Snapshot>>,
    ) -> Result<Vec<NewWarning>, Error> {
        let engine = self.engine;
        let Some(after) = outcome.after() else { return Ok(Vec::new()) };
        let composed = engine.composed(after, engine.followed());
        // A fault that a hand edit has brought stands there already, but the file has to be loaded for it.
        let file = self.file().filter(|_| !self.is(Operation::Load));
        let known: Vec<_> = before.into_iter().chain(file).collect();
        let faults = composed.as_ref().map(|after| engine.new_faults(&known, after)).unwrap_or_default();
        if !(faults.is_empty() || self.options.takes_faults) {
            let refusal = Error::new(ErrorKind::BadNewText, joined(&faults)).hint("nothing was written");
            return Err(refusal.with_faults(faults));
        }
        self.told.extend(faults.iter().map(Fault::to_string));
        let before = before.cloned().unwrap_or_else(|| Arc::new(Snapshot::from_bytes(Vec::new())));
        let was = engine.composed(&before, engine.followed());
        let told = |text: &Arc<Snapshot>, composed: Option<&Composed>| {
            composed.map_or_else(|| text.clone(), Composed::told_text)
        };
        let [before, after] = [told(&before, was.as_ref()), told(after, composed.as_ref())];
        Ok(new_warnings(before.document(), after.document()))
    }
}

/// The change brings warnings, and is to be refused then.
fn refused(warnings: &[NewWarning]) -> Error {
    let said = |warning: &NewWarning| Fault::plain(format!("{BRINGS_WARNING}{warning}"));
    Error::new(ErrorKind::NewWarnings, format!("{BRINGS_WARNING}{}", joined(warnings)))
        .hint(WITHOUT_STRICT)
        .with_faults(warnings.iter().map(said).collect())
}

/// True if a change may be of a configuration that includes files. Most have none, and cost nothing here.
fn includes(before: Option<&Arc<Snapshot>>, after: &After) -> bool {
    match after {
        After::Unchanged => false,
        After::Replaced(after) => !after.includes().is_empty(),
        After::Edited { splices, .. } => before.is_some_and(|before| may_include(before, splices)),
    }
}

/// True if a text includes files, or may include some after an edit.
pub(super) fn may_include(before: &Arc<Snapshot>, splices: &[Splice]) -> bool {
    !before.includes().is_empty() || splices.iter().any(|splice| splice.text.contains(INCLUDE))
}

/// Removes the faults of `known` from `faults`, each as often as it stands there.
fn leave_out(faults: &mut Vec<ComposedFault>, known: &[ComposedFault]) {
    let mut times: HashMap<&str, usize> = HashMap::new();
    known.iter().for_each(|fault| *times.entry(&fault.identity).or_default() += 1);
    faults.retain(|fault| match times.get_mut(&*fault.identity) {
        Some(left @ 1..) => {
            *left -= 1;
            false
        }
        _ => true,
    });
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make files")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::engine::hook::Hooks;
    use crate::store::file::ConfFile;

    const MAIN: &str = "include more.conf;\n";
    const TWICE: &str = "stream a { url udp://1; }\ninclude more.conf;\n";

    fn put(folder: &Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).expect("the folder is writable");
    }

    #[test]
    fn a_file_with_a_new_fault_is_not_loaded_again_and_one_with_an_old_fault_is() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        put(folder.path(), "media.conf", MAIN);
        put(folder.path(), "more.conf", "stream a { url udp://2; }\n");
        let store = Arc::new(ConfFile::resolve(&folder.path().join("media.conf")).expect("it is there"));
        let start =
            || Engine::new(store.clone(), Hooks::default(), |_, _| {}).start(|_| {}).expect("it starts");
        let engine = start();
        put(folder.path(), "media.conf", TWICE);
        let refused = engine.load_again("");
        assert!(
            matches!(&refused, Err(refusal) if refusal.kind == ErrorKind::BadNewText && refusal.faults.len() == 1),
            "{refused:?}"
        );
        assert_eq!(engine.running().expect("it runs").bytes(), MAIN.as_bytes());
        let engine = start();
        assert_eq!(engine.faults_of(&engine.running().expect("it runs")).len(), 1);
        put(folder.path(), "media.conf", &format!("{TWICE}rtmp 1;\n"));
        engine.load_again("").expect("the fault stood there before");
    }
}

//! The warnings that a text brings together with what it includes.

use std::collections::HashSet;
use std::sync::Arc;

use super::composed::Composed;
use super::new_warnings::{NewWarning, new_warnings};
use super::snapshot::Snapshot;

/// The text in the place of warnings of files that messages may not quote.
const UNTOLD: &str = "included files that are not below the folder of the configuration bring warnings";

/// A text that is searched for warnings, together with what it includes.
pub struct WarnedText {
    whole: Arc<Snapshot>,
    /// The text without the files that messages may not quote, if there are any.
    told: Option<Arc<Snapshot>>,
}

impl WarnedText {
    pub fn new(text: &Arc<Snapshot>, composed: Option<&Composed>) -> Self {
        let whole = composed.map_or(text, |composed| &composed.text).clone();
        Self { whole, told: composed.and_then(Composed::told_text) }
    }

    /// Returns the warnings about this text that `before` does not have. All warnings that only such
    /// files bring are one, which quotes nothing.
    pub fn new_warnings(&self, before: &Self) -> Vec<NewWarning> {
        let of =
            |before: &Arc<Snapshot>, after: &Arc<Snapshot>| new_warnings(before.document(), after.document());
        let found = of(&before.whole, &self.whole);
        let Some(told) = &self.told else { return found };
        let told: HashSet<_> = of(before.told.as_ref().unwrap_or(&before.whole), told).into_iter().collect();
        let (mut told, untold): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| told.contains(found));
        told.extend(
            (!untold.is_empty()).then(|| NewWarning { at: String::new(), message: UNTOLD.to_owned() }),
        );
        told
    }
}

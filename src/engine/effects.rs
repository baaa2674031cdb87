//! The effects of a change that was made or rehearsed.

use super::content::compared;
use super::outcome::{Outcome, OutcomeNote};
use super::passed_over::IncludeChange;
use mediaconf::plumbing::edit::Effects;

impl Outcome {
    /// Returns the effects of the change on streams; empty if a text has errors.
    pub fn effects(&self) -> Effects {
        let sides = [self.before.as_ref(), self.after()];
        let is_shown = sides.iter().flatten().all(|side| side.is_valid());
        let mut effects = match self.is_change() && is_shown {
            true => compared(sides, |before, after| Effects::between(before, after)),
            false => Effects::default(),
        };
        for note in &self.notes {
            if let OutcomeNote::IncludeChange(IncludeChange { gone, come, streams_before, .. }) = note {
                effects.include(*gone, *come, *streams_before);
            }
        }
        effects
    }
}

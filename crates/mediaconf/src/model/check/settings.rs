//! Settings whose last occurrence counts.

use crate::schema::Parameter;
use crate::syntax::Span;

/// The settings of one block, or of the top level.
pub(super) struct Settings {
    /// A bit for each row that is set.
    set: u64,
    /// The last place of each, by the numbers of the rows; that of a row that is not set means nothing.
    places: [Span; ROWS],
}

/// No scope has more rows.
const ROWS: usize = u64::BITS as usize;

impl Settings {
    pub fn new() -> Self {
        Self { set: 0, places: [const { 0..0 }; ROWS] }
    }

    pub fn clear(&mut self) {
        self.set = 0;
    }

    /// Remembers the last place of a setting. Returns the place before it, if there is one.
    #[inline]
    pub fn set(&mut self, parameter: &'static Parameter, span: Span) -> Option<Span> {
        let number = usize::from(parameter.number) % ROWS;
        let before = std::mem::replace(&mut self.places[number], span);
        let was_set = self.set & 1 << number != 0;
        self.set |= 1 << number;
        was_set.then_some(before)
    }
}

//! Settings whose last occurrence counts.

use crate::schema::Parameter;
use crate::syntax::Span;

/// The settings of one block, or of a part of the top level.
pub(super) struct Settings {
    /// A bit for each row that is set.
    set: u64,
    /// By the numbers of the rows; that of a row that is not set means nothing.
    places: [SettingPlaces; ROWS],
}

/// No scope has more rows.
const ROWS: usize = u64::BITS as usize;

/// The first and the last place of a setting.
#[derive(Clone, Default)]
struct SettingPlaces {
    first: Span,
    last: Span,
}

impl Settings {
    pub fn new() -> Self {
        Self { set: 0, places: [const { SettingPlaces { first: 0..0, last: 0..0 } }; ROWS] }
    }

    pub fn clear(&mut self) {
        self.set = 0;
    }

    /// Remembers the last place of a setting. Returns the place before it, if there is one.
    #[inline]
    pub fn set(&mut self, parameter: &'static Parameter, span: Span) -> Option<Span> {
        let number = usize::from(parameter.number) % ROWS;
        let (places, bit) = (&mut self.places[number], 1 << number);
        if self.set & bit != 0 {
            return Some(std::mem::replace(&mut places.last, span));
        }
        self.set |= bit;
        *places = SettingPlaces { first: span.clone(), last: span };
        None
    }

    /// Adds the settings from further down in the same text. Returns the places of those that were set
    /// already, each with the place before it.
    pub fn append(&mut self, later: Self) -> Vec<(Span, Span)> {
        let mut repeated = Vec::new();
        for (number, places) in later.places.into_iter().enumerate() {
            let bit = 1 << number;
            if later.set & bit == 0 {
                continue;
            }
            if self.set & bit == 0 {
                self.places[number].first = places.first;
            } else {
                repeated.push((self.places[number].last.clone(), places.first));
            }
            self.places[number].last = places.last;
        }
        self.set |= later.set;
        repeated.sort_by_key(|(_, span)| span.start);
        repeated
    }
}

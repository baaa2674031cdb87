//! Settings whose last occurrence counts.

use crate::model::schema::Parameter;
use crate::syntax::Entry;

/// The settings of one block, or of a part of the top level.
#[derive(Default)]
pub(super) struct Settings<'d>(Vec<SeenSetting<'d>>);

/// Where a setting stands first and last.
pub(super) struct SeenSetting<'d> {
    pub parameter: &'static Parameter,
    pub first: Entry<'d>,
    pub last: Entry<'d>,
}

impl<'d> Settings<'d> {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn each(self) -> impl Iterator<Item = SeenSetting<'d>> {
        self.0.into_iter()
    }

    /// Remembers the last entry of a setting. Returns the entry before it, if there is one.
    pub fn set(&mut self, parameter: &'static Parameter, entry: Entry<'d>) -> Option<Entry<'d>> {
        match self.0.iter_mut().find(|known| std::ptr::eq(known.parameter, parameter)) {
            Some(setting) => Some(std::mem::replace(&mut setting.last, entry)),
            None => {
                self.0.push(SeenSetting { parameter, first: entry, last: entry });
                None
            }
        }
    }
}

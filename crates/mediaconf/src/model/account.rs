//! Who may change a configuration over HTTP.

use crate::syntax::{Entry, Word};

/// Login and password of the last account directive. `None` if either is empty, or if the login holds
/// a colon, which Basic authentication can't transmit.
pub fn usable_account<'d>(entries: &[Entry<'d>]) -> Option<[Word<'d>; 2]> {
    let last = *entries.last()?;
    let mut words = last.arguments();
    let both = [words.next()?, words.next()?];
    let is_usable = both.iter().all(|word| !word.value().is_empty()) && !both[0].value().contains(':');
    (last.count_arguments() == 2 && is_usable).then_some(both)
}

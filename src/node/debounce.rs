//! The pause of a node after a look, in which a burst of changes becomes one.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_millis(500);

/// The pause after a look: longer while the node finds several changes at each look, so that a long burst
/// is two reloads a second, and changes that come one after another are taken at once.
#[derive(Debug)]
pub struct Debounce {
    time: Duration,
    /// The serial that was found before.
    found: Option<u64>,
}

impl Debounce {
    pub fn new() -> Self {
        Self { time: SHORTEST, found: None }
    }

    /// Returns the pause after a look that found this serial.
    pub fn after(&mut self, serial: Option<u64>) -> Duration {
        let has_missed =
            matches!((self.found, serial), (Some(before), Some(now)) if now > before.saturating_add(1));
        self.time = if has_missed { (self.time * 2).min(LONGEST) } else { SHORTEST };
        self.found = serial;
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_grows_while_changes_are_missed_and_is_short_after_one_that_came_alone() {
        let mut debounce = Debounce::new();
        let mut after = |serial| debounce.after(serial).as_millis();
        assert_eq!([None, Some(7), Some(8), Some(8), Some(9)].map(&mut after), [50; 5]);
        assert_eq!(
            [11, 14, 20, 40, 80, 160].map(|serial| after(Some(serial))),
            [100, 200, 400, 500, 500, 500]
        );
        assert_eq!([161, 170].map(|serial| after(Some(serial))), [50, 100]);
    }

    #[test]
    fn a_long_burst_is_two_reloads_a_second() {
        let mut debounce = Debounce::new();
        debounce.after(Some(0));
        let (mut now, mut looks) = (Duration::ZERO, 0);
        // A change every 10 ms.
        while now < Duration::from_secs(20) {
            looks += 1;
            now += debounce.after(u64::try_from(now.as_millis() / 10 + 2).ok());
        }
        assert!(looks < 45, "{looks}");
    }
}

//! A value that is made again only when it is old: until then all callers get the same one.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The last value with the time at which it was asked for. It is locked while a value is made, so that
/// those who ask then wait for that one.
pub struct Fresh<T> {
    life: Duration,
    last: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Fresh<T> {
    /// Makes values that are used for the time `life`.
    pub fn for_time(life: Duration) -> Self {
        Self { life, last: Mutex::new(None) }
    }

    /// The last value, or a new one.
    pub fn get(&self, make: impl FnOnce() -> T) -> T {
        self.get_at(Instant::now(), make)
    }

    fn get_at(&self, now: Instant, make: impl FnOnce() -> T) -> T {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, value)) = &*last
            && now.saturating_duration_since(*at) < self.life
        {
            return value.clone();
        }
        let value = make();
        // Those that waited meanwhile have an earlier `now`, and take this value.
        *last = Some((Instant::now().max(now), value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Fresh;

    #[test]
    fn a_value_is_made_once_in_its_time() {
        let (fresh, mut made) = (Fresh::for_time(Duration::from_secs(60)), 0);
        let now = Instant::now();
        let mut at = |seconds| {
            fresh.get_at(now + Duration::from_secs(seconds), || {
                made += 1;
                made
            })
        };
        assert_eq!([0, 30, 130, 131, 191, 0].map(&mut at), [1, 1, 2, 2, 3, 3]);
    }
}

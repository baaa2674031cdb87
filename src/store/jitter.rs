//! Times that differ a little, so that not all nodes come at once.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A time that differs by up to a quarter.
pub fn jittered(time: Duration) -> Duration {
    let parts = 1000;
    let random = u32::try_from(RandomState::new().hash_one(time) % parts).expect("it is small");
    time * (750 + random / 2) / 1000
}

//! What is left to chance: names that nothing else has, and times that differ a little, so that not all nodes come at once.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

/// A name that is unique, and too long to be hit by accident.
pub fn fresh_id() -> String {
    format!("{:016x}", RandomState::new().hash_one(SystemTime::now()))
}

/// A time that differs by up to a quarter.
pub fn jittered(time: Duration) -> Duration {
    let parts = 1000;
    let random = u32::try_from(RandomState::new().hash_one(time) % parts).expect("it is small");
    time * (750 + random / 2) / 1000
}

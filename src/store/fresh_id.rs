//! Names that nothing else has.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

/// A name that is unique, and too long to be hit by accident.
pub fn fresh_id() -> String {
    format!("{:016x}", RandomState::new().hash_one(SystemTime::now()))
}

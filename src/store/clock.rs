//! Times and chance: times of records that others may have written, the time since the machine was started, and what is
//! left to chance.
//!
//! Times of records are held to the years from 1970 to 9999: no text is made of any other, and no arithmetic with them
//! fails.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// The end of the year 9999: times are shown with four digits for the year.
const LAST_SECOND: u64 = 253_402_300_799;

/// The time `seconds` seconds after the beginning of 1970.
pub fn from_seconds(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.min(LAST_SECOND))
}

/// The time `milliseconds` milliseconds after the beginning of 1970.
pub fn from_milliseconds(milliseconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST_SECOND * 1000))
}

/// A time in milliseconds since 1970.
pub fn milliseconds(time: SystemTime) -> u64 {
    u64::try_from(since_1970(time).as_millis()).unwrap_or(u64::MAX)
}

/// A time in seconds since 1970.
pub fn seconds(time: SystemTime) -> u64 {
    since_1970(time).as_secs()
}

/// A time as RFC 3339 writes it, in whole seconds.
pub fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(from_seconds(seconds(time))).to_string()
}

/// A time in JSON, as [`rfc3339`] writes it.
pub mod as_rfc3339 {
    use std::time::SystemTime;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::rfc3339(*time))
    }

    /// Version 0.1 wrote seconds since 1970 into its history.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
        let time = Value::deserialize(deserializer)?;
        let text = || humantime::parse_rfc3339(time.as_str().unwrap_or_default()).map_err(D::Error::custom);
        time.as_u64().map_or_else(text, |seconds| Ok(super::from_seconds(seconds)))
    }
}

fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The time since the machine was started.
pub fn boot_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Boottime)).unwrap_or_default()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_a_time_that_can_be_shown() {
        assert_eq!(rfc3339(from_milliseconds(u64::MAX)), "9999-12-31T23:59:59Z");
        assert_eq!(rfc3339(from_seconds(u64::MAX)), "9999-12-31T23:59:59Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(LAST_SECOND + 1)), "9999-12-31T23:59:59Z");
        assert_eq!(milliseconds(from_milliseconds(1_795_356_245_123)), 1_795_356_245_123);
    }
}

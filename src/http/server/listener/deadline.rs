//! Deadlines. A timeout that starts again with each byte is no limit: a client that sends one byte a
//! second would never be slow.

use std::io;
use std::time::{Duration, Instant};

/// The time by which an operation has to end.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline `time` from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// The time left; an error of the kind `TimedOut` if there is none.
    pub fn left(self) -> io::Result<Duration> {
        let left = self.0.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(io::ErrorKind::TimedOut.into()),
            false => Ok(left),
        }
    }
}

/// The time for a body or a response: a base time, and more for each transferred byte. A transfer that
/// stands still ends after the base time, however much was announced or is in the buffers of the
/// system.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    since: Instant,
    base: Duration,
    rate: usize,
}

impl Pace {
    /// Starts now, with a base time and a rate in bytes a second.
    pub fn start(base: Duration, rate: usize) -> Self {
        Self { since: Instant::now(), base, rate: rate.max(1) }
    }

    /// The deadline for the next bytes, after `bytes` were transferred.
    pub fn after(self, bytes: usize) -> Deadline {
        let on_the_whole = self.since + self.base + Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        Deadline(on_the_whole.min(Instant::now() + self.base))
    }
}

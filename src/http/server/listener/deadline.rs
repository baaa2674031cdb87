//! Points in time. A time-out that starts again with each byte is none: a client that sends one
//! byte a second would never be slow.

use std::io;
use std::time::{Duration, Instant};

/// When something has to be over.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// What is left; an error of the kind `TimedOut` if nothing is.
    pub fn left(self) -> io::Result<Duration> {
        let left = self.0.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(io::ErrorKind::TimedOut.into()),
            false => Ok(left),
        }
    }
}

/// The time that a body or an answer gets: a part for itself, and one for each byte that went over.
/// What stands still is over after the first part, however much was announced, and however much
/// went into the buffers of the system before.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    since: Instant,
    base: Duration,
    rate: usize,
}

impl Pace {
    /// From now on.
    pub fn start(base: Duration, rate: usize) -> Self {
        Self { since: Instant::now(), base, rate: rate.max(1) }
    }

    /// When the next bytes have to be over, after so many.
    pub fn after(self, bytes: usize) -> Deadline {
        let on_the_whole = self.since + self.base + Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        Deadline(on_the_whole.min(Instant::now() + self.base))
    }
}

//! Times, and waiting.

use std::thread;
use std::time::{Duration, Instant};

/// The longest time that anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_there() {
        assert!(Instant::now() < until, "{what}: not in time");
        thread::sleep(Duration::from_millis(1));
    }
}

pub fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// The value that a part of the others do not exceed: 0.5 is the median.
pub fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() as f64 * part).ceil() as usize;
    values[rank.saturating_sub(1)]
}

/// The median and the 99th percentile.
pub fn shown(times: &[f64]) -> String {
    let [median, p99] = [0.5, 0.99].map(|part| quantile(times.to_vec(), part));
    format!("{median:.0} ms | {p99:.0} ms")
}

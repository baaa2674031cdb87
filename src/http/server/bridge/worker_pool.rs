//! The worker threads behind tiny_http: one that waits for the next request, beside those that
//! answer one. Most servers have few clients at a time, and a thread for each slot would be a hundred
//! threads.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The workers.
#[derive(Debug)]
pub struct WorkerPool {
    most: usize,
    workers: Mutex<Workers>,
}

#[derive(Debug)]
struct Workers {
    all: usize,
    waiting: usize,
    /// Since when none waits.
    busy_since: Option<Instant>,
}

impl WorkerPool {
    /// A pool with its first worker, which grows to `most`.
    pub fn new(most: usize) -> Self {
        Self { most, workers: Mutex::new(Workers { all: 1, waiting: 1, busy_since: None }) }
    }

    /// A worker has a request. If no other one waits, `spawn` starts one, unless there are as many as there
    /// may be; it returns whether it could.
    pub fn take_request(&self, spawn: impl FnOnce() -> bool) {
        let mut workers = self.lock();
        workers.waiting -= 1;
        if workers.waiting == 0 && workers.all < self.most && spawn() {
            workers.all += 1;
            workers.waiting += 1;
        }
        if workers.waiting == 0 {
            workers.busy_since = Some(Instant::now());
        }
    }

    /// A worker has answered its request.
    pub fn wait(&self) {
        let mut workers = self.lock();
        workers.waiting += 1;
        workers.busy_since = None;
    }

    /// True if none waits, and has not for this time.
    pub fn is_busy_for(&self, time: Duration) -> bool {
        self.lock().busy_since.is_some_and(|since| since.elapsed() > time)
    }

    /// True if a worker that waits may end: another one waits, too.
    pub fn may_leave(&self) -> bool {
        let mut workers = self.lock();
        let may = workers.waiting > 1;
        if may {
            workers.all -= 1;
            workers.waiting -= 1;
        }
        may
    }

    fn lock(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_than_answer_at_a_time() {
        let pool = WorkerPool::new(3);
        let mut spawned = 0;
        let mut take = || {
            pool.take_request(|| {
                spawned += 1;
                true
            });
            spawned
        };
        assert_eq!(take(), 1, "the first one has company");
        pool.wait();
        assert_eq!(take(), 1, "one waits");
        assert_eq!(take(), 2, "two answer");
        assert_eq!(take(), 2, "there may be three");
        (0..3).for_each(|_| pool.wait());
        assert_eq!([(); 3].map(|()| pool.may_leave()), [true, true, false]);
    }

    #[test]
    fn a_thread_that_the_system_does_not_give_is_asked_for_again() {
        let pool = WorkerPool::new(2);
        pool.take_request(|| false);
        pool.wait();
        let mut is_asked = false;
        pool.take_request(|| {
            is_asked = true;
            true
        });
        assert!(is_asked);
    }
}

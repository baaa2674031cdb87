//! The hand-over of requests and their answers between the threads of connections and the workers: whole, and
//! without a copy. tiny_http carries the number of the hand-over, and the head of the response.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::http::server::message::HttpRequest;

/// The hand-over of one link: one request at a time, and the body of its response.
#[derive(Debug, Default)]
pub struct HandOver {
    request: Mutex<Option<HttpRequest>>,
    taken: Condvar,
    body: Mutex<Option<(u16, Arc<Vec<u8>>)>>,
}

impl HandOver {
    /// Lays down a request, and forgets the body of an earlier response.
    pub fn put_request(&self, request: HttpRequest) {
        self.take_body();
        *lock(&self.request) = Some(request);
    }

    /// `None` if the request was taken already.
    pub fn take_request(&self) -> Option<HttpRequest> {
        let request = lock(&self.request).take();
        self.taken.notify_one();
        request
    }

    /// Waits until a worker has taken the request, or for so long.
    pub fn wait_until_taken(&self, most: Duration) {
        drop(self.taken.wait_timeout_while(lock(&self.request), most, |request| request.is_some()));
    }

    /// Lays down the body of the response, with its status.
    pub fn put_body(&self, status: u16, body: Arc<Vec<u8>>) {
        *lock(&self.body) = Some((status, body));
    }

    pub fn take_body(&self) -> Option<(u16, Arc<Vec<u8>>)> {
        lock(&self.body).take()
    }
}

/// All hand-overs, by their numbers.
#[derive(Debug, Default)]
pub struct HandOvers {
    last: AtomicU64,
    by_number: Mutex<HashMap<u64, Arc<HandOver>>>,
}

impl HandOvers {
    /// The hand-over of this number; `None` if its link has ended.
    pub fn get(&self, number: u64) -> Option<Arc<HandOver>> {
        lock(&self.by_number).get(&number).cloned()
    }

    pub fn add(&self) -> (u64, Arc<HandOver>) {
        let (number, new) = (self.last.fetch_add(1, Ordering::Relaxed), Arc::<HandOver>::default());
        lock(&self.by_number).insert(number, Arc::clone(&new));
        (number, new)
    }

    pub fn remove(&self, number: u64) {
        lock(&self.by_number).remove(&number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! What goes beside tiny_http. tiny_http carries heads and statuses; bodies, and who sends them, go from
//! thread to thread without a copy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::http::server::message::PeerAddress;

/// The part of a request that goes beside its head.
#[derive(Debug)]
pub struct Beside {
    pub peer: PeerAddress,
    /// Whether the body was dropped.
    pub unread: bool,
    pub body: Bytes,
}

/// The exchange on a link: one request at a time, and its response.
#[derive(Debug, Default)]
pub struct Parcel {
    request: Mutex<Option<Beside>>,
    taken: Condvar,
    response: Mutex<Arc<Vec<u8>>>,
}

impl Parcel {
    /// `None` if this request was taken already.
    pub fn take_request(&self) -> Option<Beside> {
        let request = lock(&self.request).take();
        self.taken.notify_one();
        request
    }

    pub fn put_response(&self, body: Arc<Vec<u8>>) {
        *lock(&self.response) = body;
    }
}

/// The parcels of an instance of tiny_http, by the numbers of their links.
#[derive(Debug, Default)]
pub struct Parcels {
    last: AtomicU64,
    by_number: Mutex<HashMap<u64, Arc<Parcel>>>,
}

impl Parcels {
    /// The parcel of a link; `None` if the link has ended.
    pub fn get(&self, number: u64) -> Option<Arc<Parcel>> {
        lock(&self.by_number).get(&number).cloned()
    }
}

/// A connection to tiny_http, as long as it is in use.
pub struct BackendLink {
    /// The number that every head on this connection names.
    pub number: u64,
    parcel: Arc<Parcel>,
    parcels: Arc<Parcels>,
}

impl BackendLink {
    /// A link to the instance that has these parcels.
    pub(super) fn new(parcels: &Arc<Parcels>) -> Self {
        let (number, parcel) = (parcels.last.fetch_add(1, Ordering::Relaxed), Arc::<Parcel>::default());
        lock(&parcels.by_number).insert(number, Arc::clone(&parcel));
        Self { number, parcel, parcels: Arc::clone(parcels) }
    }

    pub(super) fn leads_to(&self, parcels: &Arc<Parcels>) -> bool {
        Arc::ptr_eq(&self.parcels, parcels)
    }

    /// Lays down a request. Its head has to be sent next.
    pub fn put_request(&self, request: Beside) {
        *lock(&self.parcel.request) = Some(request);
        self.take_response();
    }

    /// Waits until a worker has taken the request, for at most `most`.
    pub fn wait_until_taken(&self, most: Duration) {
        let waits = self
            .parcel
            .taken
            .wait_timeout_while(lock(&self.parcel.request), most, |request| request.is_some());
        drop(waits);
    }

    /// Takes back a request, so that no worker can take it.
    pub fn take_back(&self) -> Option<Beside> {
        self.parcel.take_request()
    }

    /// Takes the body of the response whose head has come.
    pub fn take_response(&self) -> Arc<Vec<u8>> {
        std::mem::take(&mut lock(&self.parcel.response))
    }
}

impl Drop for BackendLink {
    fn drop(&mut self) {
        lock(&self.parcels.by_number).remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

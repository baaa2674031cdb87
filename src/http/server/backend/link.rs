//! The exchange of bodies beside tiny_http. tiny_http carries heads and statuses; bodies, and who sends
//! them, go from thread to thread without a copy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::http::server::message::PeerAddress;

/// The part of a request that goes beside its head.
#[derive(Debug)]
pub struct LinkedRequest {
    pub peer: PeerAddress,
    /// True if the body was dropped.
    pub unread: bool,
    pub body: Bytes,
}

/// The exchange on a link: one request at a time, and its response.
#[derive(Debug, Default)]
pub struct LinkExchange {
    request: Mutex<Option<LinkedRequest>>,
    taken: Condvar,
    response: Mutex<Arc<Vec<u8>>>,
}

impl LinkExchange {
    /// `None` if this request was taken already.
    pub fn take_request(&self) -> Option<LinkedRequest> {
        let request = lock(&self.request).take();
        self.taken.notify_one();
        request
    }

    pub fn put_response(&self, body: Arc<Vec<u8>>) {
        *lock(&self.response) = body;
    }
}

/// The exchanges of an instance of tiny_http, by the numbers of their links.
#[derive(Debug, Default)]
pub struct LinkExchanges {
    last: AtomicU64,
    by_number: Mutex<HashMap<u64, Arc<LinkExchange>>>,
}

impl LinkExchanges {
    /// The exchange of a link; `None` if the link has ended.
    pub fn get(&self, number: u64) -> Option<Arc<LinkExchange>> {
        lock(&self.by_number).get(&number).cloned()
    }
}

/// A connection to tiny_http, as long as it is in use.
pub struct BackendLink {
    /// The number that every head on this connection names.
    pub number: u64,
    exchange: Arc<LinkExchange>,
    exchanges: Arc<LinkExchanges>,
}

impl BackendLink {
    /// A link to the instance that has these exchanges.
    pub(super) fn new(exchanges: &Arc<LinkExchanges>) -> Self {
        let (number, exchange) =
            (exchanges.last.fetch_add(1, Ordering::Relaxed), Arc::<LinkExchange>::default());
        lock(&exchanges.by_number).insert(number, Arc::clone(&exchange));
        Self { number, exchange, exchanges: Arc::clone(exchanges) }
    }

    pub(super) fn leads_to(&self, exchanges: &Arc<LinkExchanges>) -> bool {
        Arc::ptr_eq(&self.exchanges, exchanges)
    }

    /// Lays down a request. Its head has to be sent next.
    pub fn put_request(&self, request: LinkedRequest) {
        *lock(&self.exchange.request) = Some(request);
        self.take_response();
    }

    /// Waits until a worker has taken the request, for at most `most`.
    pub fn wait_until_taken(&self, most: Duration) {
        let waits = self
            .exchange
            .taken
            .wait_timeout_while(lock(&self.exchange.request), most, |request| request.is_some());
        drop(waits);
    }

    /// Takes back a request, so that no worker can take it.
    pub fn take_back(&self) -> Option<LinkedRequest> {
        self.exchange.take_request()
    }

    /// Takes the body of the response whose head has come.
    pub fn take_response(&self) -> Arc<Vec<u8>> {
        std::mem::take(&mut lock(&self.exchange.response))
    }
}

impl Drop for BackendLink {
    fn drop(&mut self) {
        lock(&self.exchanges.by_number).remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

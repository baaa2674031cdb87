//! A worker: answers requests of tiny_http, and survives panics of tiny_http and of the service.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::link::{LinkExchange, LinkExchanges, LinkedRequest};
use super::tiny_server::TinyServer;
use crate::engine::Loops;
use crate::engine::RefusalKind;
use crate::http::protocol::headers::{API_HEADER, LINK_HEADER, api_value};
use crate::http::protocol::problem::Problem;
use crate::http::server::message::{Head, Request, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// After this time without a request, a worker leaves if another one waits.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// Starts a worker.
pub fn spawn(service: &Arc<dyn Service>, server: &Arc<TinyServer>, loops: &Loops) -> io::Result<()> {
    let (service, own, others) = (Arc::clone(service), Arc::clone(server), loops.clone());
    loops.spawn("worker", move || work(&service, &own, &others)).map(drop)
}

/// Answers requests until the last call of the instance is over, or until there are enough workers.
fn work(service: &Arc<dyn Service>, server: &Arc<TinyServer>, loops: &Loops) {
    loop {
        let last_call = server.last_call.get();
        let left = last_call.map_or(IDLE_TIME, |until| until.saturating_duration_since(Instant::now()));
        if left == Duration::ZERO {
            break;
        }
        match server.server.recv_timeout(left) {
            Ok(Some(request)) => {
                // Without another thread, the next request waits until this one is answered.
                server.pool.take_request(|| spawn(service, server, loops).is_ok());
                // tiny_http may panic; its client then gets an error.
                let _ = catch_unwind(AssertUnwindSafe(|| handle(&**service, &server.exchanges, request)));
                server.pool.wait();
            }
            Ok(None) if server.pool.may_leave() => break,
            // The time is over; or it is a wake-up call, or an error of the accept thread, which the
            // listener will notice.
            Ok(None) | Err(_) => {}
        }
    }
    // This worker may have taken the wake-up call of another one.
    server.server.unblock();
}

/// Answers one request; tiny_http drops the response if the client is gone.
fn handle(service: &dyn Service, exchanges: &LinkExchanges, from: tiny_http::Request) {
    let Some((request, exchange)) = read(&from, exchanges) else { return };
    let response = catch_unwind(AssertUnwindSafe(|| service.answer(&request)))
        .ok()
        .and_then(|response| Some((headers(&response)?, response)))
        .unwrap_or_else(|| {
            service.refused(Some(request.head.peer), 500, "the handler failed");
            let response = failed();
            (headers(&response).expect("these are plain words"), response)
        });
    let (headers, Response { status, body, .. }) = response;
    exchange.put_response(body);
    let status = tiny_http::StatusCode(status);
    // It fails if the listener has given up waiting.
    let _ = from.respond(tiny_http::Response::new(status, headers, io::empty(), Some(0), None));
}

/// Puts a request together; `None` if the listener has given it up.
fn read(from: &tiny_http::Request, exchanges: &LinkExchanges) -> Option<(Request, Arc<LinkExchange>)> {
    let (links, headers): (Vec<_>, Vec<_>) =
        from.headers().iter().partition(|header| header.field.equiv(LINK_HEADER));
    let exchange = exchanges.get(links.first()?.value.as_str().parse().ok()?)?;
    let LinkedRequest { peer, unread, body } = exchange.take_request()?;
    let head = Head {
        method: from.method().as_str().to_owned(),
        target: from.url().to_owned(),
        headers: headers.into_iter().map(line).collect(),
        peer,
        unread,
    };
    Some((Request { head, body }, exchange))
}

fn line(header: &tiny_http::Header) -> (String, String) {
    (header.field.as_str().as_str().to_ascii_lowercase(), header.value.as_str().to_owned())
}

/// The headers of a response; `None` if a value could end its header and begin another.
fn headers(response: &Response) -> Option<Vec<tiny_http::Header>> {
    let own = response.headers.iter().map(|(name, value)| (*name, value.as_str()));
    own.chain([("Server", NAME)]).map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &str) -> Option<tiny_http::Header> {
    let plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    plain.then(|| tiny_http::Header::from_bytes(name, value).ok()).flatten()
}

fn failed() -> Response {
    let problem = Problem::new(RefusalKind::EngineFailed, "the handler failed").with_status(500);
    let response = Response::error(&problem).with(API_HEADER, api_value());
    response.with("Cache-Control", "no-store".to_owned())
}

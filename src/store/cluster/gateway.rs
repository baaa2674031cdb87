//! Requests to etcd by its JSON gateway, over several endpoints.
//!
//! Each request has a deadline. Until then it is sent to one endpoint after the other, and to all of them
//! again as long as one of them is there but has no answer: it has no leader, or it hangs. So a request
//! may arrive twice.

use std::error::Error as _;
use std::fmt;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use reqwest::blocking::{Client as Sockets, Response};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cluster_url::ClusterUrl;
use super::compression::LARGEST_TEXT;
use super::gateway_fault::{GatewayFault, GatewayRefusal};
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn, TxnReply};
use super::tls::ClusterTls;
use crate::store::error::reason;

/// The longest time for a request with all its attempts.
pub const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(10);

/// The longest time for connecting to an endpoint.
const CONNECT_TIME: Duration = Duration::from_secs(2);

/// The longest time for an endpoint if there are others, which get the same share of the time.
const ATTEMPT_TIME: Duration = Duration::from_secs(3);

/// The pause before all endpoints are asked again.
const PAUSE: Duration = Duration::from_millis(100);

/// The largest answer that is read, and the largest message of a watch, in bytes: what stands in etcd is read in
/// pieces of a chunk or a page, and all records of nodes, overlays or owners together are less.
pub(super) const LARGEST_ANSWER: u64 = 32 << 20;

/// The largest refusal that is read, in bytes.
const LARGEST_REFUSAL: u64 = 64 << 10;

/// The answer of an endpoint that is none of etcd's.
const NOT_ETCD: &str = "it does not answer as etcd does";

/// The error of a request whose connection is closed: also that of one without TLS to an etcd that speaks
/// TLS alone.
const CLOSED: &str = "connection closed before message completed";

/// The errors of TLS if an etcd without TLS closes the connection.
const CLOSED_AT_FIRST: [&str; 2] = ["tls handshake eof", "connection reset by peer"];

/// The answer of etcd to a certificate that names a user, where logins are needed.
const COMMON_NAME: &str = "CommonName of client sending a request against gateway";

/// The same in our words.
const HAS_COMMON_NAME: &str =
    "the certificate of `--cert` has a common name (CN), and etcd takes only one without, as users log in";

/// The settings with which requests are sent.
#[derive(Clone)]
pub struct GatewaySettings {
    /// Login and password, where etcd asks for them.
    pub login: Option<(String, String)>,
    pub tls: ClusterTls,
    /// The longest time for a request with all its attempts.
    pub timeout: Duration,
    /// The largest answer, and the largest text, that is taken, in bytes.
    pub largest: u64,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self { login: None, tls: ClusterTls::default(), timeout: DEFAULT_REQUEST_TIME, largest: LARGEST_TEXT }
    }
}

/// The endpoints of etcd. Nothing is opened before the first request.
pub struct Gateway {
    links: Arc<Links>,
    settings: GatewaySettings,
}

/// The part of a gateway that gateways with other settings share.
struct Links {
    url: ClusterUrl,
    sockets: OnceLock<Sockets>,
    /// The endpoint that answered last.
    current: AtomicUsize,
    /// The token that etcd gave for login and password.
    token: Mutex<Option<String>>,
}

/// It may hold a password.
impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gateway").field(self.url()).finish()
    }
}

#[derive(Serialize)]
struct Authenticate<'a> {
    name: &'a str,
    password: &'a str,
}

#[derive(Deserialize)]
struct Authenticated {
    token: String,
}

/// The reason why an endpoint gave no answer.
struct NoAnswer {
    why: String,
    /// True if the endpoint is there, and may answer later.
    may_pass: bool,
    /// True if it may have carried the request out.
    may_be_done: bool,
}

/// The result of one attempt.
type Attempt<T> = Result<T, Result<NoAnswer, GatewayFault>>;

impl Gateway {
    /// The endpoints of a URL; opens nothing.
    pub fn new(url: ClusterUrl, settings: GatewaySettings) -> Self {
        let (sockets, token) = (OnceLock::new(), Mutex::default());
        Self { links: Arc::new(Links { url, sockets, current: AtomicUsize::new(0), token }), settings }
    }

    /// The same connections, for requests that have another time.
    #[must_use]
    pub fn with_time(&self, timeout: Duration) -> Self {
        Self { links: self.links.clone(), settings: GatewaySettings { timeout, ..self.settings.clone() } }
    }

    /// The largest text that is taken, in bytes.
    pub(super) fn largest(&self) -> u64 {
        self.settings.largest
    }

    pub fn url(&self) -> &ClusterUrl {
        &self.links.url
    }

    /// Asks the endpoint with this number first, from now on; the numbers go round.
    pub fn prefer(&self, number: usize) {
        self.links.current.store(number % self.url().endpoints.len(), Ordering::Relaxed);
    }

    /// Carries a transaction out, which may be sent twice.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn txn(&self, txn: &Txn) -> Result<TxnReply, GatewayFault> {
        self.call("kv/txn", txn)
    }

    /// Reads keys, in the order of their names.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn range(&self, range: KeyRange) -> Result<Vec<KeyValue>, GatewayFault> {
        let reply = self.txn(&Txn { success: vec![KeyOperation::Read(range)], ..Txn::default() })?;
        Ok(reply.into_read().into_iter().next().unwrap_or_default())
    }

    /// Sends a request to one endpoint after the other, until one answers or the time is over.
    pub(super) fn call<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, GatewayFault> {
        let body = json(body);
        self.try_all(|endpoint, time| {
            let response = self.send(endpoint, path, &body, time)?;
            response.json_body(self.largest())
        })
    }

    /// Sends a request whose response goes on until it is dropped, or for `time`.
    pub(super) fn stream(&self, path: &str, body: Vec<u8>, time: Duration) -> Result<Response, GatewayFault> {
        self.try_all(|endpoint, _| self.send(endpoint, path, &body, time).map(|answer| answer.0))
    }

    fn try_all<T>(&self, attempt: impl Fn(&str, Duration) -> Attempt<T>) -> Result<T, GatewayFault> {
        let endpoints = &self.url().endpoints;
        let deadline = Instant::now() + self.settings.timeout;
        let share = self.settings.timeout / u32::try_from(endpoints.len()).unwrap_or(u32::MAX);
        let mut may_be_done = false;
        loop {
            let mut tried = Vec::new();
            let mut may_pass = false;
            for _ in endpoints {
                let left = deadline.saturating_duration_since(Instant::now());
                let number = self.links.current.load(Ordering::Relaxed) % endpoints.len();
                let time = if endpoints.len() > 1 { left.min(share).min(ATTEMPT_TIME) } else { left };
                let failed = match attempt(&endpoints[number], time.max(PAUSE)) {
                    Ok(answer) => return Ok(answer),
                    Err(Err(fault)) => return Err(fault),
                    Err(Ok(failed)) => failed,
                };
                self.links.current.store(number + 1, Ordering::Relaxed);
                tried.push((endpoints[number].clone(), failed.why));
                may_pass |= failed.may_pass;
                may_be_done |= failed.may_be_done;
            }
            if !(may_pass || may_be_done) || Instant::now() + PAUSE >= deadline {
                return Err(GatewayFault::NoAnswer { tried, may_be_done });
            }
            thread::sleep(PAUSE);
        }
    }

    /// Sends a request to an endpoint, with a token if etcd asks for one.
    fn send(&self, endpoint: &str, path: &str, body: &[u8], time: Duration) -> Attempt<Answer> {
        let token = self.token(endpoint, time)?;
        let sent = self.post(endpoint, path, body.to_vec(), token.as_deref(), time);
        match sent {
            Err(Err(GatewayFault::Refused(GatewayRefusal::Unauthenticated(_)))) if token.is_some() => {
                // The token has expired.
                *self.lock_token() = None;
                let token = self.token(endpoint, time)?;
                self.post(endpoint, path, body.to_vec(), token.as_deref(), time)
            }
            sent => sent,
        }
    }

    fn token(&self, endpoint: &str, time: Duration) -> Attempt<Option<String>> {
        let Some((name, password)) = &self.settings.login else { return Ok(None) };
        if let Some(token) = self.lock_token().clone() {
            return Ok(Some(token));
        }
        let body = json(&Authenticate { name, password });
        let asked = self.post(endpoint, "auth/authenticate", body, None, time);
        let asked = match asked {
            // No login is needed: etcd has no users.
            Err(Err(GatewayFault::Refused(GatewayRefusal::AuthDisabled))) => return Ok(None),
            asked => asked.and_then(|answer| answer.json_body::<Authenticated>(self.largest())),
        };
        let token =
            asked.map_err(|failed| failed.map(|failed| NoAnswer { may_be_done: false, ..failed }))?.token;
        *self.lock_token() = Some(token.clone());
        Ok(Some(token))
    }

    fn lock_token(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.links.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(
        &self,
        endpoint: &str,
        path: &str,
        body: Vec<u8>,
        token: Option<&str>,
        time: Duration,
    ) -> Attempt<Answer> {
        let sockets = self.sockets().map_err(Err)?;
        let mut request = sockets.post(format!("{endpoint}/v3/{path}")).timeout(time);
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token);
        }
        let sent = request.header(CONTENT_TYPE, "application/json").body(body).send();
        let response = sent.map_err(|error| Ok(broken(&error)))?;
        if response.status().is_success() {
            return Ok(Answer(response));
        }
        let status = response.status();
        let text = read_body(response, LARGEST_REFUSAL)?.ok_or_else(|| Ok(more_than(LARGEST_REFUSAL)))?;
        let text = String::from_utf8_lossy(&text);
        match GatewayRefusal::parse(&text) {
            Some(GatewayRefusal::Passing(why)) => {
                Err(Ok(NoAnswer { why, may_pass: true, may_be_done: true }))
            }
            Some(refusal) => Err(Err(GatewayFault::Refused(refusal))),
            None if text.contains(COMMON_NAME) => {
                Err(Err(GatewayFault::Refused(GatewayRefusal::Denied(HAS_COMMON_NAME.to_owned()))))
            }
            None => {
                let why = format!("{NOT_ETCD} (HTTP {})", status.as_u16());
                Err(Ok(NoAnswer { why, may_pass: false, may_be_done: false }))
            }
        }
    }

    fn sockets(&self) -> Result<&Sockets, GatewayFault> {
        if let Some(sockets) = self.links.sockets.get() {
            return Ok(sockets);
        }
        let tls = match self.url().is_encrypted() {
            true => self.settings.tls.config().map_err(GatewayFault::Tls)?,
            false => ClusterTls::unused(),
        };
        let built = Sockets::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIME)
            .no_proxy()
            .user_agent(concat!("mediactl/", env!("CARGO_PKG_VERSION")))
            .build();
        let sockets = built.map_err(|_| GatewayFault::Tls("no connection can be made"))?;
        Ok(self.links.sockets.get_or_init(|| sockets))
    }
}

/// A successful response.
struct Answer(Response);

impl Answer {
    /// Parses a body of at most `most` bytes, and at most as long as an answer of etcd may be.
    fn json_body<T: DeserializeOwned>(self, most: u64) -> Attempt<T> {
        let body = read_body(self.0, most.min(LARGEST_ANSWER))?;
        let body = body.ok_or_else(|| match most < LARGEST_ANSWER {
            true => Err(GatewayFault::TooLarge { most }),
            false => Ok(more_than(LARGEST_ANSWER)),
        })?;
        serde_json::from_slice(&body).map_err(|_| Ok(no_answer(NOT_ETCD)))
    }
}

/// Reads a body; `None` if it has more than `most` bytes. The deadline of the request holds for it, too.
fn read_body(response: Response, most: u64) -> Attempt<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = response.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(error) => Ok(broken(error)),
        None => Ok(NoAnswer { may_pass: true, ..no_answer(&reason(&error)) }),
    })?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// An endpoint sends more than etcd does.
fn more_than(most: u64) -> NoAnswer {
    no_answer(&format!("{NOT_ETCD}: more than {most} bytes"))
}

/// An answer came, but says nothing.
fn no_answer(why: &str) -> NoAnswer {
    NoAnswer { why: why.to_owned(), may_pass: false, may_be_done: true }
}

fn json(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("it has only strings and numbers")
}

/// Returns the reason why a request broke.
fn broken(error: &reqwest::Error) -> NoAnswer {
    let is_open = !error.is_connect() && !error.is_builder();
    let mut why = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        why = inner.downcast_ref().map_or_else(|| inner.to_string(), reason);
        cause = inner.source();
    }
    let is_encrypted = error.url().is_some_and(|url| url.scheme() == "https");
    if is_encrypted && error.is_connect() && CLOSED_AT_FIRST.contains(&&*why) {
        why = "it closed the connection; if it does not speak TLS, begin the URL with `etcd://`".to_owned();
    } else if !is_encrypted && why == CLOSED {
        why = "it closed the connection; if it speaks TLS, begin the URL with `etcds://`".to_owned();
    }
    if error.is_timeout() {
        why = "no answer in time".to_owned();
    }
    NoAnswer { why, may_pass: is_open, may_be_done: is_open }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    use super::*;

    #[test]
    fn the_preferred_endpoint_is_asked_first() {
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port is free"));
        let address = |listener: &TcpListener| listener.local_addr().expect("it is bound").to_string();
        let url = format!("etcd://{}/p", listeners.each_ref().map(address).join(","));
        let gateway = Gateway::new(ClusterUrl::parse(&url).expect("it is one").0, GatewaySettings::default());
        gateway.prefer(3 + 1);
        let answers = thread::scope(|scope| {
            let asked = scope.spawn(|| gateway.with_time(Duration::from_secs(60)).grant(1));
            let (mut client, _) = listeners[1].accept().expect("it is asked");
            let _ = client.read(&mut [0; 4096]).expect("it is a request");
            let body = r#"{"ID":"7"}"#;
            write!(client, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                .expect("it waits");
            asked.join().expect("it only asks")
        });
        assert_eq!(answers, Ok(7));
        listeners[0].set_nonblocking(true).expect("it is a socket");
        assert!(listeners[0].accept().is_err(), "it was not asked");
    }

    /// Answers each request with a head and then with the same bytes, until the client has enough; `pause` is between
    /// them. What `ask` says of the gateway, and how many bytes went out.
    fn endless<T>(head: &str, bytes: &[u8], pause: Duration, ask: impl FnOnce(Gateway) -> T) -> (T, u64) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("etcd://{}/p", listener.local_addr().expect("it is bound"));
        let settings = GatewaySettings { timeout: Duration::from_secs(2), ..GatewaySettings::default() };
        let gateway = Gateway::new(ClusterUrl::parse(&url).expect("it is one").0, settings);
        let sent = AtomicUsize::new(0);
        let (end, over) = channel::<()>();
        listener.set_nonblocking(true).expect("it is a socket");
        let (served, count) = (&listener, &sent);
        let answer = thread::scope(|scope| {
            scope.spawn(move || {
                let goes_on = |pause| over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout);
                while goes_on(Duration::from_millis(5)) {
                    let Ok((mut client, _)) = served.accept() else { continue };
                    client.set_nonblocking(false).expect("it is a socket");
                    let _ = client.read(&mut [0; 4096]);
                    let _ = write!(client, "HTTP/1.1 {head}\r\n\r\n");
                    while client.write_all(bytes).is_ok() && goes_on(pause) {
                        count.fetch_add(bytes.len(), Ordering::Relaxed);
                    }
                }
            });
            let answer = ask(gateway);
            drop(end);
            answer
        });
        (answer, sent.into_inner() as u64)
    }

    #[test]
    fn an_answer_without_end_is_read_to_a_limit() {
        let (many, slow) = (vec![b' '; 1 << 20], Duration::from_millis(100));
        for (status, why) in [("200 OK", LARGEST_ANSWER), ("500 No", LARGEST_REFUSAL)] {
            let ask = |gateway: Gateway| {
                let sent = json(&"");
                let answer =
                    gateway.send(&gateway.url().endpoints[0], "kv/txn", &sent, Duration::from_secs(60));
                answer.and_then(|answer| answer.json_body::<TxnReply>(gateway.largest())).map(|_| ())
            };
            let (answer, sent) = endless(status, &many, Duration::ZERO, ask);
            let Err(Ok(failed)) = answer else { panic!("{status}: it is no answer") };
            assert_eq!(failed.why, format!("{NOT_ETCD}: more than {why} bytes"));
            assert!(failed.may_be_done && !failed.may_pass);
            // What is on its way is in the buffers of the two sockets.
            assert!(sent < why + (16 << 20), "{status}: {sent}");
        }
        let (answer, _) = endless("200 OK", b" ", slow, |gateway| gateway.grant(1));
        let Err(GatewayFault::NoAnswer { tried, may_be_done: true }) = answer else { panic!("{answer:?}") };
        assert_eq!(tried[0].1, "no answer in time");
    }

    #[test]
    fn a_message_of_a_watch_without_end_ends_the_watch() {
        let ask = |gateway: Gateway| {
            let mut watch = gateway.watch(&[], 0, Duration::from_secs(60)).expect("it begins");
            watch.next_keys()
        };
        let (end, sent) = endless("200 OK", &vec![b' '; 1 << 20], Duration::ZERO, ask);
        assert_eq!(end, Err(super::super::key_watch::WatchEnd::Broken));
        assert!(sent < LARGEST_ANSWER + (16 << 20), "{sent}");
    }
}

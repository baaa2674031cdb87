//! Requests to etcd by its JSON gateway, over several endpoints.
//!
//! Each request has a deadline. Until then it is sent to one endpoint, to one more as well where that gives no
//! answer soon, and to all of them again as long as one of them is there but has no answer: it has no leader, or it
//! hangs. So a request may arrive twice, also at the same time.
//!
//! Password, certificates and keys are read again when their files are replaced.

use std::error::Error as _;
use std::fmt;
use std::io::Read;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use reqwest::blocking::{Client as Sockets, Response};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cluster_url::ClusterUrl;
use super::compression::LARGEST_TEXT;
use super::gateway_fault::{GatewayFault, GatewayRefusal};
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn, TxnReply};
use super::race::{HEDGE, PAUSE, Race, RaceStep};
use super::tls::{ClusterAccess, ClusterTls};
use crate::store::error::reason;

/// The longest time for a request with all its attempts.
pub const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(10);

/// The longest time for connecting to an endpoint.
const CONNECT_TIME: Duration = Duration::from_secs(2);

/// The longest time for an attempt at an endpoint if there are others.
const ATTEMPT_TIME: Duration = Duration::from_secs(3);

/// The largest answer that is read, and the largest message of a watch, in bytes: what stands in etcd is read in
/// pieces of a chunk or a page, and all records of nodes, overlays or owners together are less.
pub(super) const LARGEST_ANSWER: u64 = 32 << 20;

/// The largest refusal that is read, in bytes.
const LARGEST_REFUSAL: u64 = 64 << 10;

/// The path of a watch.
pub(super) const WATCH: &str = "watch";

/// The reason why an endpoint that is silent gave no answer.
const NOT_IN_TIME: &str = "no answer in time";

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
    pub access: ClusterAccess,
    /// The longest time for a request with all its attempts.
    pub timeout: Duration,
    /// The largest answer, and the largest text, that is taken, in bytes.
    pub largest: u64,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self { access: ClusterAccess::default(), timeout: DEFAULT_REQUEST_TIME, largest: LARGEST_TEXT }
    }
}

/// The endpoints of etcd. Nothing is opened before the first request.
#[derive(Clone)]
pub struct Gateway {
    links: Arc<Links>,
    timeout: Duration,
    largest: u64,
}

/// The part of a gateway that gateways with other limits share.
struct Links {
    url: ClusterUrl,
    given: ClusterAccess,
    /// None before the first request.
    door: Mutex<Option<Arc<Door>>>,
    /// The endpoint that is asked first.
    preferred: AtomicUsize,
    /// The endpoint that answered last.
    current: AtomicUsize,
    /// The milliseconds without an answer after which one more endpoint is asked.
    hedge: AtomicU64,
}

/// The way to etcd with the files as they were read last.
struct Door {
    access: ClusterAccess,
    sockets: Sockets,
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
        let GatewaySettings { access: given, timeout, largest } = settings;
        let (door, preferred, current) = (Mutex::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        let hedge = AtomicU64::new(milliseconds(HEDGE));
        Self { links: Arc::new(Links { url, given, door, preferred, current, hedge }), timeout, largest }
    }

    /// The same connections, for requests that have another time.
    #[must_use]
    pub fn with_time(&self, timeout: Duration) -> Self {
        Self { timeout, ..self.clone() }
    }

    /// The largest text that is taken, in bytes.
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// True if a file with a password, a certificate or a key was replaced since the last request.
    pub fn has_other_access(&self) -> bool {
        self.lock_door().as_ref().is_some_and(|door| door.access.is_replaced())
    }

    /// The end of the validity of the certificate that is shown to etcd.
    pub fn certificate_expiry(&self) -> Option<SystemTime> {
        self.door().ok()?.access.certificate_expiry()
    }

    pub fn url(&self) -> &ClusterUrl {
        &self.links.url
    }

    /// Asks the endpoint with this number first, from now on; the numbers go round.
    pub fn prefer(&self, number: usize) {
        let number = number % self.url().endpoints.len();
        self.links.preferred.store(number, Ordering::Relaxed);
        self.links.current.store(number, Ordering::Relaxed);
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
    pub(super) fn call<T: DeserializeOwned + Send + 'static>(
        &self,
        path: &'static str,
        body: &impl Serialize,
    ) -> Result<T, GatewayFault> {
        let body = json(body);
        self.try_all(&self.links.current, move |gateway, endpoint, time| {
            let response = gateway.send(endpoint, path, &body, time)?;
            response.json_body(gateway.largest())
        })
    }

    /// Sends a request whose response goes on until it is dropped, or for `time`: at first to the endpoint that is so many
    /// behind the preferred one.
    pub(super) fn stream(
        &self,
        path: &'static str,
        body: Vec<u8>,
        (behind, time): (usize, Duration),
    ) -> Result<Response, GatewayFault> {
        let first = AtomicUsize::new(self.links.preferred.load(Ordering::Relaxed) + behind);
        self.try_all(&first, move |gateway, endpoint, _| {
            gateway.send(endpoint, path, &body, time).map(|answer| answer.0)
        })
    }

    /// Tries all endpoints, beginning with `first`, until the time is over. The one that answers is the first one then.
    fn try_all<T: Send + 'static>(
        &self,
        first: &AtomicUsize,
        attempt: impl Fn(&Self, &str, Duration) -> Attempt<T> + Send + Sync + 'static,
    ) -> Result<T, GatewayFault> {
        let (begin, begins_at) = (Instant::now(), first.load(Ordering::Relaxed));
        let (endpoints, attempt) = (&self.url().endpoints, Arc::new(attempt));
        let number = |behind: usize| (begins_at + behind) % endpoints.len();
        let hedge = Duration::from_millis(self.links.hedge.load(Ordering::Relaxed));
        let mut race = Race::over(endpoints.len(), hedge);
        let learn = |race: &Race, answered: Option<usize>| {
            let next = race.next_hedge(answered, hedge, begin.elapsed());
            self.links.hedge.store(milliseconds(next), Ordering::Relaxed);
        };
        let mut tried = vec![None; endpoints.len()];
        let mut may_be_done = false;
        let (tell, told) = channel();
        loop {
            let heard = match race.next(begin.elapsed(), self.timeout) {
                RaceStep::Ask(behind) => {
                    if tried[behind].is_some() {
                        self.forget_token();
                    }
                    let (gateway, attempt, tell) = (self.clone(), attempt.clone(), tell.clone());
                    let left = self.timeout.saturating_sub(begin.elapsed());
                    let number = number(behind);
                    let ask = move |most: Duration| {
                        let endpoint = &gateway.url().endpoints[number];
                        // Nobody hears it if another one was faster.
                        let _ = tell.send((behind, attempt(&gateway, endpoint, left.min(most).max(PAUSE))));
                    };
                    match endpoints.len() {
                        1 => ask(Duration::MAX),
                        _ => {
                            let thread = thread::Builder::new().name("request".to_owned());
                            if thread.spawn(move || ask(ATTEMPT_TIME)).is_err() {
                                race.fail(behind, true);
                            }
                        }
                    }
                    continue;
                }
                RaceStep::Wait(most) => told.recv_timeout(most).ok(),
                RaceStep::Over => match told.try_recv() {
                    Ok(heard) => Some(heard),
                    Err(_) => break,
                },
            };
            match heard {
                Some((behind, Ok(answer))) => {
                    first.store(number(behind), Ordering::Relaxed);
                    learn(&race, Some(behind));
                    return Ok(answer);
                }
                Some((_, Err(Err(fault)))) => return Err(fault),
                Some((behind, Err(Ok(failed)))) => {
                    race.fail(behind, failed.may_pass || failed.may_be_done);
                    may_be_done |= failed.may_be_done;
                    tried[behind] = Some(failed.why);
                }
                None => {}
            }
        }
        self.forget_token();
        learn(&race, None);
        first.store(begins_at + 1, Ordering::Relaxed);
        may_be_done |= race.open().next().is_some();
        race.open().for_each(|behind| tried[behind] = Some(NOT_IN_TIME.to_owned()));
        let tried = tried.into_iter().enumerate();
        let tried = tried.filter_map(|(behind, why)| Some((endpoints[number(behind)].clone(), why?)));
        Err(GatewayFault::NoAnswer { tried: tried.collect(), may_be_done })
    }

    /// A token names a place in the log, which a member waits for before it answers: one of before a restore is never
    /// answered.
    fn forget_token(&self) {
        self.lock_door().iter().for_each(|door| *door.lock_token() = None);
    }

    /// Sends a request to an endpoint, with a token if etcd asks for one.
    fn send(&self, endpoint: &str, path: &str, body: &[u8], time: Duration) -> Attempt<Answer> {
        let door = self.door().map_err(Err)?;
        let token = self.token(&door, endpoint, time)?;
        let sent = self.post(&door, (endpoint, path), body.to_vec(), token.as_deref(), time);
        match sent {
            Err(Err(GatewayFault::Refused(GatewayRefusal::Unauthenticated(_)))) if token.is_some() => {
                // The token has expired.
                *door.lock_token() = None;
                let token = self.token(&door, endpoint, time)?;
                self.post(&door, (endpoint, path), body.to_vec(), token.as_deref(), time)
            }
            sent => sent,
        }
    }

    fn token(&self, door: &Door, endpoint: &str, time: Duration) -> Attempt<Option<String>> {
        let Some((name, password)) = &door.access.login else { return Ok(None) };
        if let Some(token) = door.lock_token().clone() {
            return Ok(Some(token));
        }
        let body = json(&Authenticate { name, password: password.first_line().unwrap_or_default() });
        let asked = self.post(door, (endpoint, "auth/authenticate"), body, None, time);
        let asked = match asked {
            // No login is needed: etcd has no users.
            Err(Err(GatewayFault::Refused(GatewayRefusal::AuthDisabled))) => return Ok(None),
            asked => asked.and_then(|answer| answer.json_body::<Authenticated>(self.largest())),
        };
        let token =
            asked.map_err(|failed| failed.map(|failed| NoAnswer { may_be_done: false, ..failed }))?.token;
        *door.lock_token() = Some(token.clone());
        Ok(Some(token))
    }

    /// The login with which etcd let this program in; none where it asks for none.
    pub fn login_used(&self) -> Option<String> {
        let door = self.door().ok()?;
        let is_asked_for = door.lock_token().is_some();
        door.access.login.as_ref().filter(|_| is_asked_for).map(|(name, _)| name.clone())
    }

    fn lock_door(&self) -> std::sync::MutexGuard<'_, Option<Arc<Door>>> {
        self.links.door.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The way to etcd with the files as they are now. Where they do not fit together, because only some are replaced so
    /// far, it is the one with those of before.
    fn door(&self) -> Result<Arc<Door>, GatewayFault> {
        let mut known = self.lock_door();
        let access = match &*known {
            Some(door) if !door.access.is_replaced() => return Ok(door.clone()),
            Some(door) => door.access.again(),
            None => self.links.given.clone(),
        };
        match Door::open(access, self.url().is_encrypted()) {
            Ok(door) => Ok(known.insert(Arc::new(door)).clone()),
            Err(fault) => known.clone().ok_or(fault),
        }
    }

    fn post(
        &self,
        door: &Door,
        (endpoint, path): (&str, &str),
        body: Vec<u8>,
        token: Option<&str>,
        time: Duration,
    ) -> Attempt<Answer> {
        let mut request = door.sockets.post(format!("{endpoint}/v3/{path}")).timeout(time);
        if path == WATCH {
            // A member that has lost the others ends it.
            request = request.header("Grpc-Metadata-hasleader", "true");
        }
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
}

impl Door {
    fn open(access: ClusterAccess, is_encrypted: bool) -> Result<Self, GatewayFault> {
        let tls = match is_encrypted {
            true => access.tls.config().map_err(GatewayFault::Tls)?,
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
        Ok(Self { access, sockets, token: Mutex::default() })
    }

    fn lock_token(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
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

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
        why = NOT_IN_TIME.to_owned();
    }
    NoAnswer { why, may_pass: is_open, may_be_done: is_open }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    use super::*;
    use crate::store::replaceable_file::ReplaceableFile;

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
    fn a_token_that_is_not_answered_is_asked_for_anew() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("etcd://{}/p", listener.local_addr().expect("it is bound"));
        thread::spawn(move || {
            let (mut tokens, mut open) = (0, Vec::new());
            for mut client in listener.incoming().map_while(Result::ok) {
                let mut request = [0; 4096];
                let length = client.read(&mut request).unwrap_or_default();
                let request = String::from_utf8_lossy(&request[..length]).to_lowercase();
                let is_login = request.contains("/auth/authenticate");
                tokens += u64::from(is_login);
                let body = if is_login {
                    format!(r#"{{"token":"t.{tokens}"}}"#)
                } else {
                    r#"{"ID":"7"}"#.to_owned()
                };
                if !request.contains("authorization: t.1") {
                    let head =
                        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", body.len());
                    let _ = write!(client, "{head}\r\n\r\n{body}");
                }
                open.push(client);
            }
        });
        let login = Some(("olga".to_owned(), ReplaceableFile::fixed("hunter2")));
        let access = ClusterAccess { login, ..ClusterAccess::default() };
        let settings = GatewaySettings { access, ..GatewaySettings::default() };
        let gateway = Gateway::new(ClusterUrl::parse(&url).expect("it is one").0, settings);
        let first = gateway.with_time(Duration::from_secs(1)).grant(1);
        assert!(matches!(first, Err(GatewayFault::NoAnswer { .. })), "{first:?}");
        assert_eq!(gateway.with_time(Duration::from_secs(60)).grant(1), Ok(7));
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
            let mut watch = gateway.watch(&[], 0, (0, Duration::from_secs(60))).expect("it begins");
            watch.next_change()
        };
        let (end, sent) = endless("200 OK", &vec![b' '; 1 << 20], Duration::ZERO, ask);
        assert_eq!(end, Err(super::super::key_watch::WatchEnd::Broken));
        assert!(sent < LARGEST_ANSWER + (16 << 20), "{sent}");
    }
}

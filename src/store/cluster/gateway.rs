//! Requests to etcd by its JSON gateway, over several endpoints.
//!
//! Each request has a deadline. Until then it is sent to one endpoint after the other, and again to those that are there
//! but have no answer: one has no leader, or it hangs. So a request may arrive twice, also at the same time.
//!
//! Password, certificates and keys are read again when their files are replaced.

use std::error::Error as _;
use std::fmt;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
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
use super::login::{Login, NoLogin};
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn, TxnReply};
use super::tls::{ClusterAccess, ClusterTls};
use crate::store::error::reason;

/// The longest time for a request with all its attempts.
pub const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(10);

/// The longest time for connecting to an endpoint.
const CONNECT_TIME: Duration = Duration::from_secs(2);

/// The longest time for an attempt at an endpoint if there are others, and half of the time of the request at most: one
/// that is busy is waited for.
const ATTEMPT_TIME: Duration = Duration::from_secs(5);

/// The longest time for a login, which takes etcd long where many log in.
const LOGIN_TIME: Duration = Duration::from_secs(5);

/// The pause before the endpoints that may answer are asked again; it doubles each time.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(800);

/// The largest answer that is read, and the largest message of a watch, in bytes: what stands in etcd is read in
/// pieces of a chunk or a page, and all records of nodes together are less.
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
    /// The endpoint that is asked first: the one that answered last.
    current: AtomicUsize,
    /// The longest time for a login.
    login_time: Duration,
}

/// The way to etcd with the files as they were read last.
struct Door {
    access: ClusterAccess,
    sockets: Sockets,
    login: Mutex<Login>,
    /// Held during a login: requests that begin at once wait for one token.
    logs_in: Mutex<()>,
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
        let (door, current, login_time) = (Mutex::default(), AtomicUsize::new(0), timeout.min(LOGIN_TIME));
        Self { links: Arc::new(Links { url, given, door, current, login_time }), timeout, largest }
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
        path: &'static str,
        body: &impl Serialize,
    ) -> Result<T, GatewayFault> {
        let body = json(body);
        self.try_all(|endpoint, time| self.send(endpoint, path, &body, time)?.json_body(self.largest))
    }

    /// Sends a request whose response goes on until it is dropped, or for `time`.
    pub(super) fn stream(
        &self,
        path: &'static str,
        body: Vec<u8>,
        time: Duration,
    ) -> Result<Response, GatewayFault> {
        self.try_all(|endpoint, _| self.send(endpoint, path, &body, time).map(|answer| answer.0))
    }

    /// Tries all endpoints in turn, and again those that may answer later, until the time is over. The one that answers is
    /// the first one then; where none does, it is the next one.
    fn try_all<T>(&self, attempt: impl Fn(&str, Duration) -> Attempt<T>) -> Result<T, GatewayFault> {
        let (begin, current, endpoints) = (Instant::now(), &self.links.current, &self.url().endpoints);
        let first = current.load(Ordering::Relaxed);
        let most = if endpoints.len() == 1 { self.timeout } else { ATTEMPT_TIME.min(self.timeout / 2) };
        let left = || self.timeout.saturating_sub(begin.elapsed());
        let mut tried = vec![None; endpoints.len()];
        let (mut may_be_done, mut pause) = (false, PAUSE);
        let mut open: Vec<usize> =
            (0..endpoints.len()).map(|behind| (first + behind) % endpoints.len()).collect();
        while !open.is_empty() {
            let mut may_pass = Vec::new();
            for number in open {
                // Even without any time left one endpoint is asked once.
                if left().is_zero() && tried.iter().any(Option::is_some) {
                    break;
                }
                match attempt(&endpoints[number], left().min(most).max(PAUSE)) {
                    Ok(answer) => {
                        current.store(number, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    Err(Err(fault)) => return Err(fault),
                    Err(Ok(failed)) => {
                        may_pass.extend((failed.may_pass || failed.may_be_done).then_some(number));
                        may_be_done |= failed.may_be_done;
                        tried[number] = Some(failed.why);
                    }
                }
            }
            if left() <= pause {
                break;
            }
            if !may_pass.is_empty() {
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            open = may_pass;
        }
        current.store((first + 1) % endpoints.len(), Ordering::Relaxed);
        let tried = endpoints.iter().zip(tried);
        let tried = tried.filter_map(|(endpoint, why)| Some((endpoint.clone(), why?))).collect();
        Err(GatewayFault::NoAnswer { tried, may_be_done })
    }

    /// Sends a request to an endpoint, with a token if etcd asks for one.
    fn send(&self, endpoint: &str, path: &str, body: &[u8], time: Duration) -> Attempt<Answer> {
        let door = self.door().map_err(Err)?;
        let token = self.token(&door, endpoint)?;
        let sent = self.post(&door, (endpoint, path), body.to_vec(), token.as_deref(), time);
        let Some(token) = token else { return sent };
        match &sent {
            Ok(_) => door.lock_login().note_answer(&token),
            Err(Ok(failed)) if failed.may_be_done => door.lock_login().doubt(&token),
            Err(Err(GatewayFault::Refused(GatewayRefusal::Unauthenticated(_)))) => {
                // The token has expired.
                door.lock_login().forget(&token);
                let token = self.token(&door, endpoint)?;
                return self.post(&door, (endpoint, path), body.to_vec(), token.as_deref(), time);
            }
            Err(_) => {}
        }
        sent
    }

    /// The token that etcd gave for login and password; one login at a time asks for it.
    fn token(&self, door: &Door, endpoint: &str) -> Attempt<Option<String>> {
        let Some((name, password)) = &door.access.login else { return Ok(None) };
        let no_login = |why: NoLogin| match why {
            Ok(why) => Ok(NoAnswer { why, may_pass: true, may_be_done: false }),
            Err(fault) => Err(fault),
        };
        let known = || door.lock_login().usable(Instant::now());
        if let Some(known) = known() {
            return known.map(Some).map_err(no_login);
        }
        let _alone = door.logs_in.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known() {
            return known.map(Some).map_err(no_login);
        }
        let body = json(&Authenticate { name, password: password.first_line().unwrap_or_default() });
        let asked = self.post(door, (endpoint, "auth/authenticate"), body, None, self.links.login_time);
        let asked = asked.and_then(|answer| answer.json_body::<Authenticated>(self.largest));
        let (mut login, now) = (door.lock_login(), Instant::now());
        match asked {
            Ok(Authenticated { token }) => {
                login.begin(token.clone(), now);
                Ok(Some(token))
            }
            // No login is needed: etcd has no users.
            Err(Err(GatewayFault::Refused(GatewayRefusal::AuthDisabled))) => Ok(None),
            Err(Err(fault)) => {
                login.put_off(Err(fault.clone()), now);
                Err(Err(fault))
            }
            Err(Ok(failed)) => {
                // At a member that is not there it costs etcd nothing.
                if failed.may_be_done {
                    login.put_off(Ok(failed.why.clone()), now);
                }
                Err(Ok(NoAnswer { may_be_done: false, ..failed }))
            }
        }
    }

    /// The login with which etcd let this program in; none where it asks for none.
    pub fn login_used(&self) -> Option<String> {
        let door = self.door().ok()?;
        let is_asked_for = door.lock_login().has_token();
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
        Ok(Self { access, sockets, login: Mutex::default(), logs_in: Mutex::default() })
    }

    fn lock_login(&self) -> std::sync::MutexGuard<'_, Login> {
        self.login.lock().unwrap_or_else(PoisonError::into_inner)
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
        let ask = || gateway.with_time(Duration::from_secs(1)).grant(1);
        let first = ask();
        assert!(matches!(first, Err(GatewayFault::NoAnswer { .. })), "{first:?}");
        assert!((0..10).any(|_| ask() == Ok(7)));
    }

    #[test]
    fn an_answer_without_end_is_read_to_a_limit() {
        let (many, slow) = (vec![b' '; 1 << 20], Duration::from_millis(100));
        for (status, why) in [("200 OK", LARGEST_ANSWER), ("500 No", LARGEST_REFUSAL)] {
            let ask = |gateway: Gateway| {
                let sent = json(&"");
                let answer =
                    gateway.send(&gateway.url().endpoints[0], "kv/txn", &sent, Duration::from_secs(60));
                answer.and_then(|answer| answer.json_body::<TxnReply>(gateway.largest)).map(|_| ())
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
            let mut watch = gateway.watch(&[], Duration::from_secs(60)).expect("it begins");
            watch.goes_on()
        };
        let (goes_on, sent) = endless("200 OK", &vec![b' '; 1 << 20], Duration::ZERO, ask);
        assert!(!goes_on);
        assert!(sent < LARGEST_ANSWER + (16 << 20), "{sent}");
    }
}

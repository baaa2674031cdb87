//! Requests to etcd by its JSON gateway, over several endpoints.
//!
//! Each request has a deadline. Until then it is sent to one endpoint after the other, and again to those that are there
//! but have no answer: one has no leader, or it hangs. So a request may arrive twice, also at the same time.
//!
//! One login of the process serves all its requests until etcd refuses its token: it goes on while a request that waited
//! for it gives up. Password, certificates and keys are read again when their files are replaced.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use reqwest::blocking::{Client as Sockets, ClientBuilder, Response};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Certificate, Identity, redirect};
use rustls::crypto::ring;
use serde::Serialize;
use serde_json::{Value, json};

use super::ClusterUrl;
use super::messages::{KeyOperation, KeyRange, KeyValue, Txn, TxnReply, number};
use crate::error::{Error, ErrorKind};
use crate::progress;
use crate::store::clock::jittered;
use crate::store::{ReplaceableFile, reason};

/// The longest time for a request with all its attempts.
pub const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(10);

/// The longest time for connecting to an endpoint.
const CONNECT_TIME: Duration = Duration::from_secs(2);

/// The longest time for an attempt at an endpoint if there are others, and half of the time of the request at most: one
/// that is busy is waited for. A login takes etcd long where many log in.
const ATTEMPT_TIME: Duration = Duration::from_secs(5);

/// The longest time for a login, which takes etcd long where many log in: a member that is busy is waited for.
const LOGIN_TIME: Duration = Duration::from_secs(30);

/// The pause before the endpoints that may answer are asked again; it doubles each time.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(800);

/// The pause after a login that failed, which is costly for etcd; it doubles each time.
const LOGIN_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_LOGIN_PAUSE: Duration = Duration::from_secs(30);

/// The largest answer that is read, and the largest message of a watch, in bytes: what stands in etcd is read in
/// pieces of a chunk or a page, and all records of nodes together are less.
const LARGEST_ANSWER: u64 = 32 << 20;

/// The longest refusal that is read.
const LARGEST_REFUSAL: u64 = 64 << 10;

/// The path of a watch.
const WATCH: &str = "watch";

/// The path of the request that keeps a lease alive, which etcd answers whatever the token is.
const KEEP_ALIVE: &str = "lease/keepalive";

/// The reason of an attempt that had no answer.
const NO_ANSWER: &str = "no answer in time";

/// The answer of an endpoint that is none of etcd's.
const NOT_ETCD: &str = "it does not answer as etcd does";

/// The errors of a request whose connection is closed: also where one side speaks TLS, and the other does not.
const CLOSED: [&str; 3] =
    ["connection closed before message completed", "tls handshake eof", "connection reset by peer"];

/// What is done where etcd has no space left.
const FULL: &str = "etcd is full: compact it, then `etcdctl defrag` and `etcdctl alarm disarm`";

/// What is said of a certificate that names a user, where logins are needed.
const HAS_COMMON_NAME: &str =
    "the certificate of `--cert` has a common name (CN), and etcd takes only one without, as users log in";

/// The settings with which requests are sent: login and password, and the files that TLS needs, all in PEM.
#[derive(Clone, Default)]
pub struct GatewaySettings {
    /// Login and password, where etcd asks for them. The password is the first line.
    pub login: Option<(String, ReplaceableFile)>,
    /// The authorities that are trusted; `None` for those that this machine trusts.
    pub authorities: Option<ReplaceableFile>,
    /// The certificate that is shown to etcd, and its key.
    pub identity: Option<(ReplaceableFile, ReplaceableFile)>,
}

/// The endpoints of etcd. Nothing is opened before the first request.
#[derive(Clone)]
pub struct Gateway {
    links: Arc<Links>,
    timeout: Duration,
}

/// What gateways with another time share.
struct Links {
    url: ClusterUrl,
    given: GatewaySettings,
    /// None before the first request.
    connection: Mutex<Option<Arc<EtcdConnection>>>,
    /// The endpoint that is asked first: the one that answered last.
    current: AtomicUsize,
}

/// The way to etcd with the files as they were read last.
struct EtcdConnection {
    access: GatewaySettings,
    sockets: Sockets,
    login: Mutex<Login>,
}

/// A login that is under way, for which all requests wait.
struct LoginAttempt {
    endpoint: String,
    /// The token; none where etcd has no users.
    outcome: Mutex<Option<Result<Option<String>, Failure>>>,
    is_over: Condvar,
}

/// The token that etcd gave, and when the next one may be asked for.
#[derive(Default)]
struct Login {
    token: Option<String>,
    under_way: Option<Arc<LoginAttempt>>,
    /// Since when no request with the token was answered. A token names a place in the log, which a member waits for before
    /// it answers: one of before a restore is never answered.
    unanswered: Option<Instant>,
    /// Until when the next login waits, and why; none since the last request that was answered.
    waits: Option<(Instant, Failure)>,
    pause: Duration,
}

/// The reason why a request failed at one endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    kind: FailureKind,
    why: String,
}

/// What such a failure means for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    /// The endpoint is not there.
    Away,
    /// It did not carry the request out, and may do so later.
    Waits,
    /// It gave no answer, and may have carried the request out.
    Unclear,
    /// The token is wrong, or missing.
    Token,
    /// The password is wrong, or a right is missing.
    Denied,
    /// Any other refusal, such as a full disk; or a certificate that can't be used.
    Other,
}

impl Gateway {
    /// The endpoints of a URL; opens nothing.
    pub fn new(url: ClusterUrl, given: GatewaySettings) -> Self {
        let (connection, current) = (Mutex::default(), AtomicUsize::new(0));
        let links = Arc::new(Links { url, given, connection, current });
        Self { links, timeout: DEFAULT_REQUEST_TIME }
    }

    /// The same connections, for requests that have another time.
    pub fn with_time(&self, timeout: Duration) -> Self {
        Self { timeout, ..self.clone() }
    }

    pub fn url(&self) -> &ClusterUrl {
        &self.links.url
    }

    /// The login with which etcd let this program in; none where it asks for none.
    pub fn login_used(&self) -> Option<String> {
        let connection = self.connection().ok()?;
        let has_token = connection.login.lock().token.is_some();
        connection.access.login.as_ref().filter(|_| has_token).map(|(name, _)| name.clone())
    }

    /// Asks the endpoint with this number first, from now on; the numbers go round.
    pub fn prefer(&self, number: usize) {
        self.links.current.store(number % self.url().endpoints.len(), Ordering::Relaxed);
    }

    /// Carries a transaction out, which may be sent twice.
    ///
    /// # Errors
    /// `ClusterUnavailable`, `ClusterDenied`, `Failed`; of a change `OutcomeUnknown`. So have all requests.
    pub fn txn(&self, txn: &Txn) -> Result<TxnReply, Error> {
        self.call("kv/txn", txn, txn.is_change, TxnReply::parse)
    }

    /// Reads keys, in the order of their names.
    pub fn range(&self, range: KeyRange) -> Result<Vec<KeyValue>, Error> {
        let reply = self.txn(&Txn { success: vec![KeyOperation::Read(range)], ..Txn::default() })?;
        Ok(reply.read.into_iter().next().unwrap_or_default())
    }

    /// Makes a lease that ends after `seconds` seconds, or a little later.
    pub fn grant(&self, seconds: u64) -> Result<i64, Error> {
        self.call("lease/grant", &json!({"TTL": seconds}), false, |answer| number(&answer["ID"]))
    }

    /// Starts the time of a lease anew; false if it has ended.
    pub fn keep_alive(&self, lease: i64) -> Result<bool, Error> {
        let left = |answer: &Value| number(&answer["result"]["TTL"]);
        Ok(self.call(KEEP_ALIVE, &json!({"ID": lease}), false, left)? > 0)
    }

    /// Returns the time that a lease has left; zero if it has ended.
    pub fn time_left(&self, lease: i64) -> Result<Duration, Error> {
        let left = |answer: &Value| number(&answer["TTL"]);
        let left = self.call("lease/timetolive", &json!({"ID": lease}), false, left)?;
        Ok(Duration::from_secs(u64::try_from(left).unwrap_or_default()))
    }

    /// Ends a lease, and the keys on it.
    pub fn revoke(&self, lease: i64) -> Result<(), Error> {
        self.call("lease/revoke", &json!({"ID": lease}), false, |_| Some(()))
    }

    /// The alarms of the members, such as that of one that is full, in words.
    pub fn alarms(&self) -> Result<Vec<String>, Error> {
        let words = |alarm: &Value| match alarm["alarm"].as_str().unwrap_or_default() {
            "NOSPACE" => format!("NOSPACE: {FULL}"),
            other => other.to_owned(),
        };
        let all = |answer: &Value| {
            let alarms = answer["alarms"].as_array().into_iter().flatten().map(words);
            Some(alarms.collect::<BTreeSet<_>>().into_iter().collect())
        };
        self.call("maintenance/alarm", &json!({"action": "GET"}), false, all)
    }

    /// Watches keys from now on, for at most `time`; returns once the connection is broken, etcd has ended the watch, or a
    /// message is not one of etcd. `wake` is called when the watch has begun, for each change, and as a sign of life.
    pub fn watch(&self, ranges: &[KeyRange], time: Duration, mut wake: impl FnMut()) -> Result<(), Error> {
        let request = |range| {
            let mut create = serde_json::to_value(range).unwrap_or_default();
            create["progress_notify"] = true.into();
            json!({"create_request": create}).to_string()
        };
        // The gateway takes one request after the other.
        let body: Bytes = ranges.iter().map(request).collect::<String>().into();
        let response = self.try_all(false, |endpoint, _| self.send(endpoint, WATCH, &body, time))?;
        let mut lines = BufReader::new(response);
        loop {
            let mut line = Vec::new();
            let read = (&mut lines).take(LARGEST_ANSWER + 1).read_until(b'\n', &mut line);
            let is_whole = read.is_ok_and(|length| length > 0 && length as u64 <= LARGEST_ANSWER);
            let line: Value = serde_json::from_slice(&line).unwrap_or_default();
            if !is_whole || !line["result"].is_object() || line["result"]["canceled"] == true {
                return Ok(());
            }
            wake();
        }
    }

    /// Sends a request to one endpoint after the other, until one answers or the time is over.
    fn call<T>(
        &self,
        path: &'static str,
        body: &impl Serialize,
        is_change: bool,
        parse: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Error> {
        let body = Bytes::from(serde_json::to_vec(body).expect("it has only strings and numbers"));
        let _step = progress::step("waiting for etcd");
        self.try_all(is_change, |endpoint, time| parsed(self.send(endpoint, path, &body, time)?, &parse))
    }

    /// Tries all endpoints in turn, and again while one may answer later, until the time is over. The one that answers is
    /// the first one then; where none does, it is the next one.
    fn try_all<T>(
        &self,
        is_change: bool,
        attempt: impl Fn(&str, Duration) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let (begin, current, endpoints) = (Instant::now(), &self.links.current, &self.url().endpoints);
        let (first, count) = (current.load(Ordering::Relaxed), endpoints.len());
        let most = if count == 1 { self.timeout } else { ATTEMPT_TIME.min(self.timeout / 2) };
        let left = || self.timeout.saturating_sub(begin.elapsed());
        let mut tried: Vec<Option<Failure>> = vec![None; count];
        let (mut is_unknown, mut pause) = (false, PAUSE);
        loop {
            for number in (first..first + count).map(|number| number % count) {
                // Even without any time left one endpoint is asked once.
                if left().is_zero() && tried.iter().any(Option::is_some) {
                    break;
                }
                match attempt(&endpoints[number], left().min(most).max(PAUSE)) {
                    Ok(answer) => {
                        current.store(number, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    Err(failure) if !failure.is_silence() => return Err(self.error(failure)),
                    Err(failure) => {
                        is_unknown |= failure.kind == FailureKind::Unclear && is_change;
                        tried[number] = Some(failure);
                    }
                }
            }
            if left() <= pause || tried.iter().flatten().all(|failure| failure.kind == FailureKind::Away) {
                break;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        current.store((first + 1) % count, Ordering::Relaxed);
        let tried = endpoints.iter().zip(tried);
        let tried = tried.filter_map(|(endpoint, failure)| Some(format!("{endpoint}: {}", failure?.why)));
        let reason = tried.collect::<Vec<_>>().join("; ");
        if !is_unknown {
            return Err(Error::unreachable_cluster(self.url(), reason));
        }
        // The cluster may or may not have made the change.
        let message = format!("it is unknown whether the change of `{}` was made: {reason}", self.url());
        Err(Error::new(ErrorKind::OutcomeUnknown, message)
            .hint("`mediactl history` shows whether it was made, once the cluster answers"))
    }

    /// The error of a request for which an endpoint answered.
    fn error(&self, Failure { kind, why }: Failure) -> Error {
        let name = self.url();
        if matches!(kind, FailureKind::Token | FailureKind::Denied) {
            let refusal = Error::new(ErrorKind::ClusterDenied, format!("`{name}` refuses this: {why}"))
                .hint("`--user`, `--password-file` give another login; `etcdctl role get` shows the rights");
            return Error { reason: Some(why), ..refusal };
        }
        let error = Error::new(ErrorKind::Failed, format!("`{name}` failed: {why}"));
        if why.contains("database space exceeded") { error.hint(FULL) } else { error }
    }

    /// Sends a request to an endpoint, with a token if etcd asks for one.
    fn send(&self, endpoint: &str, path: &str, body: &Bytes, time: Duration) -> Result<Response, Failure> {
        let to = self.connection().map_err(|why| Failure::new(FailureKind::Other, why))?;
        let mut is_first = true;
        loop {
            let token = self.token(&to, endpoint, time)?;
            let sent = to.post(endpoint, path, body, token.as_deref(), time);
            let failed = sent.as_ref().err();
            let is_refused = failed.is_some_and(|failure| failure.kind == FailureKind::Token);
            let is_expired = is_refused && token.is_some();
            let mut login = to.login.lock();
            match failed {
                _ if token.is_none() || login.token != token || path == KEEP_ALIVE => {}
                None => (login.unanswered, login.waits, login.pause) = (None, None, Duration::ZERO),
                Some(_) if is_expired => login.token = None,
                Some(failure) if failure.why == NO_ANSWER => {
                    login.unanswered.get_or_insert_with(Instant::now);
                }
                Some(_) => {}
            }
            if !std::mem::replace(&mut is_first, false) || !is_expired {
                return sent;
            }
        }
    }

    /// The token that etcd gave for login and password. One that is in doubt is used until the next login is due.
    fn token(
        &self,
        to: &Arc<EtcdConnection>,
        endpoint: &str,
        time: Duration,
    ) -> Result<Option<String>, Failure> {
        let Some(access) = &to.access.login else { return Ok(None) };
        let until = Instant::now() + time.min(self.timeout).min(ATTEMPT_TIME);
        loop {
            let mut login = to.login.lock();
            let waits = login.waits.as_ref().filter(|(until, _)| Instant::now() < *until);
            let is_doubted = login.unanswered.is_some_and(|since| since.elapsed() >= ATTEMPT_TIME);
            match (&login.token, waits) {
                (Some(token), _) if !is_doubted || waits.is_some() => return Ok(Some(token.clone())),
                (None, Some((_, why))) => return Err(why.clone()),
                _ => {}
            }
            let attempt = login.under_way.get_or_insert_with(|| to.start_login(access, endpoint)).clone();
            drop(login);
            let mut outcome = attempt.outcome.lock();
            attempt.is_over.wait_while_until(&mut outcome, |outcome| outcome.is_none(), until);
            match outcome.clone() {
                // The other endpoint is not there.
                Some(Err(failure)) if failure.kind == FailureKind::Away && attempt.endpoint != endpoint => {}
                Some(made) => return made,
                None if to.leads_or_follows(&attempt.endpoint) => {
                    let busy = format!("the login at {} takes long: it is busy", attempt.endpoint);
                    return Err(Failure::new(FailureKind::Waits, busy));
                }
                None => {
                    to.login.lock().under_way.take_if(|known| Arc::ptr_eq(known, &attempt));
                    return Err(Failure::new(FailureKind::Waits, NO_ANSWER));
                }
            }
        }
    }

    /// The way to etcd with the files as they are now. Where they do not fit together, because only some are replaced so
    /// far, it is the one with those of before.
    fn connection(&self) -> Result<Arc<EtcdConnection>, &'static str> {
        let mut known = self.links.connection.lock();
        let mut access = known.as_ref().map_or(&self.links.given, |known| &known.access).clone();
        if !access.refresh()
            && let Some(connection) = &*known
        {
            return Ok(connection.clone());
        }
        match EtcdConnection::open(access, self.url().is_encrypted()) {
            Ok(connection) => Ok(known.insert(Arc::new(connection)).clone()),
            Err(why) => known.clone().ok_or(why),
        }
    }
}

/// Reads an answer.
fn parsed<T>(answer: Response, parse: impl Fn(&Value) -> Option<T>) -> Result<T, Failure> {
    let answer = serde_json::from_slice(&read_body(answer, LARGEST_ANSWER)?).ok();
    let no_answer = || Failure::new(FailureKind::Unclear, NOT_ETCD);
    answer.and_then(|answer| parse(&answer)).ok_or_else(no_answer)
}

impl GatewaySettings {
    /// Reads the files again that were replaced; false if none was.
    fn refresh(&mut self) -> bool {
        let identity = self.identity.iter_mut().flat_map(|(certificate, key)| [certificate, key]);
        let files = self.login.iter_mut().map(|(_, password)| password).chain(&mut self.authorities);
        files.chain(identity).fold(false, |is_other, file| file.refresh() | is_other)
    }

    /// Adds what TLS needs; the error says what can't be used. Connections without TLS need none of the files.
    fn tls(&self, to: ClientBuilder, is_encrypted: bool) -> Result<ClientBuilder, &'static str> {
        if !is_encrypted {
            return Ok(to.tls_certs_only([]));
        }
        let to = match &self.authorities {
            Some(pem) => {
                let known = Certificate::from_pem_bundle(&pem.content).ok().filter(|known| !known.is_empty());
                to.tls_certs_only(known.ok_or("the file of `--cacert` has no certificate")?)
            }
            None => to,
        };
        let Some((certificate, key)) = &self.identity else { return Ok(to) };
        let identity = Identity::from_pem(&[&certificate.content[..], b"\n", &key.content].concat());
        Ok(to.identity(
            identity.map_err(|_| "the files of `--cert` and `--key` are no certificate and its key")?,
        ))
    }
}

impl EtcdConnection {
    fn open(access: GatewaySettings, is_encrypted: bool) -> Result<Self, &'static str> {
        // It may be there already.
        let _ = ring::default_provider().install_default();
        let built = Sockets::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIME)
            .no_proxy()
            .user_agent(concat!("mediactl/", env!("CARGO_PKG_VERSION")));
        let sockets = access.tls(built, is_encrypted)?.build();
        let sockets = sockets.map_err(|_| "no connection can be made with these certificates")?;
        Ok(Self { access, sockets, login: Mutex::default() })
    }

    /// Starts a login.
    fn start_login(
        self: &Arc<Self>,
        (name, password): &(String, ReplaceableFile),
        endpoint: &str,
    ) -> Arc<LoginAttempt> {
        let body = json!({"name": name, "password": password.first_line().unwrap_or_default()}).to_string();
        let (endpoint, outcome, is_over) = (endpoint.to_owned(), Mutex::default(), Condvar::new());
        let attempt = Arc::new(LoginAttempt { endpoint, outcome, is_over });
        let (to, own) = (self.clone(), attempt.clone());
        thread::spawn(move || {
            let made = to.log_in(&own, &body.into());
            *own.outcome.lock() = Some(made);
            own.is_over.notify_all();
        });
        attempt
    }

    /// Logs in. The next login waits, whatever comes of this one, if it cost etcd something.
    fn log_in(&self, attempt: &Arc<LoginAttempt>, body: &Bytes) -> Result<Option<String>, Failure> {
        let asked = self.post(&attempt.endpoint, "auth/authenticate", body, None, LOGIN_TIME);
        let token = |answer: &Value| answer["token"].as_str().map(str::to_owned);
        let made = asked.and_then(|answer| parsed(answer, token));
        let mut login = self.login.lock();
        let is_awaited = login.under_way.take_if(|known| Arc::ptr_eq(known, attempt)).is_some();
        let made = match made {
            // No login is needed: etcd has no users.
            Err(failure) if failure.why.contains("authentication is not enabled") => return Ok(None),
            // At a member that is not there it costs etcd nothing.
            Err(failure) if failure.kind == FailureKind::Away || !is_awaited => return Err(failure),
            Err(Failure { kind: FailureKind::Unclear, why }) => Err(Failure::new(FailureKind::Waits, why)),
            made => made,
        };
        let unused = || Failure::new(FailureKind::Waits, "etcd does not take the token of the last login");
        login.pause = (login.pause * 2).clamp(LOGIN_PAUSE, LONGEST_LOGIN_PAUSE);
        let why = made.as_ref().err().cloned().unwrap_or_else(unused);
        login.waits = Some((Instant::now() + jittered(login.pause), why));
        let token = made?;
        (login.token, login.unanswered) = (Some(token.clone()), None);
        Ok(Some(token))
    }

    /// True if a member answers, and knows a leader: it is only busy if it does not answer a login.
    fn leads_or_follows(&self, endpoint: &str) -> bool {
        let (body, time) = (Bytes::from_static(b"{}"), Duration::from_secs(1));
        let status = self.post(endpoint, "maintenance/status", &body, None, time);
        let has_leader = |status: &Value| status["leader"].is_string().then_some(());
        status.and_then(|status| parsed(status, has_leader)).is_ok()
    }

    /// Sends a request; the response is one of success.
    fn post(
        &self,
        endpoint: &str,
        path: &str,
        body: &Bytes,
        token: Option<&str>,
        time: Duration,
    ) -> Result<Response, Failure> {
        let mut request = self.sockets.post(format!("{endpoint}/v3/{path}")).timeout(time);
        if path == WATCH {
            // A member that has lost the others ends it.
            request = request.header("Grpc-Metadata-hasleader", "true");
        }
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token);
        }
        let sent = request.header(CONTENT_TYPE, "application/json").body(body.clone()).send();
        let response = sent.map_err(|error| broken(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let text = read_body(response, LARGEST_REFUSAL)?;
        let text = String::from_utf8_lossy(&text);
        Err(Failure::parse(&text).unwrap_or_else(|| {
            match text.contains("CommonName of client sending a request against gateway") {
                true => Failure::new(FailureKind::Denied, HAS_COMMON_NAME),
                false => Failure::new(FailureKind::Away, format!("{NOT_ETCD} (HTTP {})", status.as_u16())),
            }
        }))
    }
}

impl Failure {
    fn new(kind: FailureKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into() }
    }

    /// True if no answer of etcd says what became of the request.
    fn is_silence(&self) -> bool {
        matches!(self.kind, FailureKind::Away | FailureKind::Waits | FailureKind::Unclear)
    }

    /// Reads the body of an error response; `None` if it is none of etcd's.
    fn parse(body: &str) -> Option<Self> {
        let body: Value = serde_json::from_str(body).ok()?;
        let code = body["code"].as_u64()?;
        let why = body["message"].as_str()?.trim_start_matches("etcdserver: ");
        let says = |words: &str| why.contains(words);
        // The codes of gRPC.
        let kind = match code {
            _ if says("revision of auth store is old") => FailureKind::Token,
            16 => FailureKind::Token,
            7 => FailureKind::Denied,
            3 if says("authentication failed") || says("user name") => FailureKind::Denied,
            // Cancelled, unknown, too late, aborted, internal, unavailable: it may be over soon, as where there is no leader.
            1 | 2 | 4 | 10 | 13 | 14 => FailureKind::Unclear,
            _ => FailureKind::Other,
        };
        Some(Self::new(kind, why))
    }
}

/// Reads a body of at most `most` bytes. The deadline of the request holds for it, too.
fn read_body(response: Response, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match response.take(most + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 <= most => Ok(bytes),
        Ok(_) => Err(Failure::new(FailureKind::Unclear, format!("its answer has more than {most} bytes"))),
        Err(error) => Err(match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(error) => broken(error),
            None => Failure::new(FailureKind::Unclear, reason(&error)),
        }),
    }
}

/// Returns the reason why a request broke.
fn broken(error: &reqwest::Error) -> Failure {
    let mut why = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        why = inner.downcast_ref().map_or_else(|| inner.to_string(), reason);
        cause = inner.source();
    }
    if error.is_timeout() {
        why = NO_ANSWER.to_owned();
    } else if CLOSED.contains(&&*why) {
        let begins = "the URL has to begin with `etcds://` if etcd speaks TLS, else with `etcd://`";
        why = format!("it closed the connection; {begins}");
    }
    let is_open = !error.is_connect() && !error.is_builder();
    Failure::new(if is_open { FailureKind::Unclear } else { FailureKind::Away }, why)
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
        assert_eq!(answers.ok(), Some(7));
        listeners[0].set_nonblocking(true).expect("it is a socket");
        assert!(listeners[0].accept().is_err(), "it was not asked");
    }

    /// Answers each request with a head and then with the same bytes, until the client has enough; `pause` is between
    /// them. What `ask` says of the gateway, and how many bytes went out.
    fn endless<T>(head: &str, bytes: &[u8], pause: Duration, ask: impl FnOnce(Gateway) -> T) -> (T, u64) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("etcd://{}/p", listener.local_addr().expect("it is bound"));
        let url = ClusterUrl::parse(&url).expect("it is one").0;
        let gateway = Gateway::new(url, GatewaySettings::default()).with_time(Duration::from_secs(2));
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
        let login = Some(("olga".to_owned(), ReplaceableFile::new("hunter2", None)));
        let settings = GatewaySettings { login, ..GatewaySettings::default() };
        let gateway = Gateway::new(ClusterUrl::parse(&url).expect("it is one").0, settings);
        let ask = || gateway.with_time(Duration::from_secs(1)).grant(1);
        let first = ask();
        assert!(first.as_ref().is_err_and(|error| error.kind == ErrorKind::ClusterUnavailable), "{first:?}");
        assert!((0..10).any(|_| ask().is_ok_and(|lease| lease == 7)));
    }

    /// A cluster that had no leader for a while would keep a node away for as long as the longest pause between two logins.
    #[test]
    fn a_token_in_doubt_is_used_until_the_next_login_is_due() {
        let login = Some(("olga".to_owned(), ReplaceableFile::new("hunter2", None)));
        let settings = GatewaySettings { login, ..GatewaySettings::default() };
        let gateway = Gateway::new(ClusterUrl::parse("etcd://127.0.0.1:1/p").expect("it is one").0, settings);
        let to = gateway.connection().expect("it can be made");
        let waits =
            Some((Instant::now() + LONGEST_PAUSE * 60, Failure::new(FailureKind::Waits, "no leader")));
        let unanswered = Instant::now().checked_sub(ATTEMPT_TIME);
        *to.login.lock() = Login { token: Some("t".to_owned()), unanswered, waits, ..Login::default() };
        let token = || gateway.token(&to, "http://127.0.0.1:1", CONNECT_TIME);
        assert_eq!(token(), Ok(Some("t".to_owned())));
        to.login.lock().waits = None;
        assert!(token().is_err_and(|failure| failure.kind == FailureKind::Away), "it is asked for anew");
    }

    #[test]
    fn an_answer_without_end_is_read_to_a_limit() {
        let (many, slow) = (vec![b' '; 1 << 20], Duration::from_millis(100));
        for (status, why) in [("200 OK", LARGEST_ANSWER), ("500 No", LARGEST_REFUSAL)] {
            let ask = |gateway: Gateway| {
                let (endpoint, time) = (&gateway.url().endpoints[0], Duration::from_secs(60));
                let answer = gateway.send(endpoint, "kv/txn", &Bytes::new(), time);
                answer.and_then(|answer| parsed(answer, TxnReply::parse))
            };
            let (answer, sent) = endless(status, &many, Duration::ZERO, ask);
            let words = format!("its answer has more than {why} bytes");
            assert_eq!(answer, Err(Failure::new(FailureKind::Unclear, words)));
            // What is on its way is in the buffers of the two sockets.
            assert!(sent < why + (16 << 20), "{status}: {sent}");
        }
        let (answer, _) = endless("200 OK", b" ", slow, |gateway| gateway.grant(1));
        let reason = answer.expect_err("it is endless").reason.expect("it has one");
        assert!(reason.ends_with(": no answer in time"), "{reason}");
    }

    #[test]
    fn a_message_of_a_watch_without_end_ends_the_watch() {
        let mut begun = 0;
        let (ended, sent) = endless("200 OK", &vec![b' '; 1 << 20], Duration::ZERO, |gateway: Gateway| {
            gateway.watch(&[], Duration::from_secs(60), || begun += 1)
        });
        assert!(ended.is_ok() && begun == 0);
        // What is on its way is in the buffers of the two sockets, which grow on a busy machine.
        assert!(sent < LARGEST_ANSWER + (32 << 20), "{sent}");
    }

    #[test]
    fn answers_of_etcd_are_told_apart() {
        let wrong = "authentication failed, invalid user ID or password";
        for (code, message, kind) in [
            (14, "no leader", FailureKind::Unclear),
            (16, "invalid auth token", FailureKind::Token),
            (3, wrong, FailureKind::Denied),
            (9, "authentication is not enabled", FailureKind::Other),
            (8, "mvcc: database space exceeded", FailureKind::Other),
        ] {
            let failure = Failure::new(kind, message);
            let message = format!("etcdserver: {message}");
            let body = json!({"error": message, "code": code, "message": message}).to_string();
            assert_eq!(Failure::parse(&body), Some(failure), "{body}");
        }
        assert_eq!(Failure::parse("404 page not found"), None);
    }
}

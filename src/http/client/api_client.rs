//! Sends one request to a server of this API, and reads the response: with which credentials, and how much of it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Read;
use std::str::FromStr;
use std::time::{Duration, Instant};
use std::{fmt, io};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, LOCATION, RETRY_AFTER,
};
use reqwest::{Method, StatusCode, blocking as sockets, redirect};
use serde_json::Value;

use super::endpoint::{Endpoint, without_userinfo};
use super::error::{ADDRESS, AUTHORITY, ClientError, cut, was_closed};
use super::tls;
use super::tls::TlsTrust;
use crate::error::ErrorKind;
use crate::http::api::{
    API_HEADER, API_VERSION, ApiOperation, Body, JSON, NOTE_HEADER, PENDING_HEADER, SUDO_HEADER, TEXT,
};
use mediaconf::one_line;

/// The longest time for a whole request, hooks of the server included.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(150);

/// The longest time for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that was idle for longer is used for no change: a server that closes it just then would leave it
/// unknown whether the change was made.
const MAX_IDLE_BEFORE_CHANGE: Duration = Duration::from_secs(1);

/// A connection that was idle for longer is not used again. Servers close one after 15 seconds.
const MAX_IDLE: Duration = Duration::from_secs(10);

/// The content coding that is asked for over a network. What is unpacked is as large as an answer may be, at most.
const GZIP: &str = "gzip";

/// The number of bytes of an answer that are read at a time.
const PIECE: usize = 64 * 1024;

/// The settings of requests.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Login and password; none on a Unix socket, and before a server asks for them.
    pub credentials: Option<Credentials>,
    /// The trusted certificates of servers.
    pub trust: TlsTrust,
    /// The longest time for a whole request, until its answer is parsed.
    pub timeout: Duration,
    /// The size that the answer may have.
    pub max_answer: AnswerSize,
    /// The user who became root by sudo. It is sent to a server at a Unix socket, for its history.
    pub sudo_user: Option<String>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            credentials: None,
            trust: TlsTrust::Platform,
            timeout: DEFAULT_TIMEOUT,
            max_answer: AnswerSize::DEFAULT,
            sudo_user: None,
        }
    }
}

/// A request to a server.
#[derive(Debug, Clone, Default)]
pub struct ApiCall<'a> {
    pub operation: ApiOperation,
    /// The last segment of the path, for routes that have one.
    pub argument: Option<&'a str>,
    /// Names and values of the query, not escaped.
    pub parameters: Vec<(&'static str, Cow<'a, str>)>,
    /// The `ETag` of the copy that the client has already.
    pub if_none_match: Option<&'a str>,
    /// The body of a change.
    pub body: &'a [u8],
    /// True if the request can change something.
    pub applies: bool,
}

impl<'a> ApiCall<'a> {
    /// A request for `read_config`.
    pub fn read(parameters: Vec<(&'static str, &'a str)>) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (name, Cow::Borrowed(value)));
        Self { parameters: parameters.collect(), ..Self::default() }
    }

    /// A request without parameters and body, which changes nothing.
    pub fn new(operation: ApiOperation) -> Self {
        Self { operation, ..Self::default() }
    }
}

/// A successful response.
#[derive(Debug, Clone)]
pub struct Reply {
    /// True if the server has this API, and not just the four operations.
    pub is_ours: bool,
    /// The `ETag` of the configuration in the body.
    pub etag: Option<String>,
    /// The words of the header `Mediactl-Note`.
    pub notes: Vec<String>,
    /// The id of the change that has to be confirmed.
    pub pending: Option<String>,
    /// True if the server had no room for a request that waits.
    pub is_at_once: bool,
    /// The body; none for 304: then the copy of the client is current.
    pub body: Option<Vec<u8>>,
}

/// True for the report of a change, which only a server of this program sends: it always has this member.
pub fn is_report(json: &Value) -> bool {
    json.get("changed").is_some_and(Value::is_boolean)
}

impl Reply {
    /// True if the body is the report of a change.
    pub fn reports_change(&self) -> bool {
        self.json().is_some_and(|json| is_report(&json))
    }

    /// The JSON value in the body; `None` if it is no JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(self.body.as_ref()?).ok()
    }
}

/// A client of one server.
#[derive(Debug)]
pub struct Client {
    pub(super) endpoint: Endpoint,
    /// The name of the server in messages.
    pub(super) name: String,
    pub(super) settings: ClientSettings,
    /// The open connections, once there is one.
    pub(super) sockets: RefCell<Option<Sockets>>,
}

/// Connections that are kept.
#[derive(Debug)]
pub(super) struct Sockets {
    client: sockets::Client,
    /// When one of them was last known to be open.
    used: Instant,
}

impl Client {
    /// Creates a client; opens nothing.
    pub fn new(endpoint: Endpoint, settings: ClientSettings) -> Self {
        let name = endpoint.to_string();
        Self { endpoint, name, settings, sockets: RefCell::default() }
    }

    /// Sends a request and waits for the response. A request that the server did not look at, because others
    /// behind this address guess passwords, or because it is full, is sent again within the time for a response.
    pub fn send(&self, call: &ApiCall<'_>) -> Result<Reply, ClientError> {
        let deadline = Instant::now() + self.settings.timeout;
        loop {
            match self.exchange(call, deadline) {
                Err(error) => match error.retry_after.filter(|wait| Instant::now() + *wait < deadline) {
                    Some(wait) => std::thread::sleep(wait),
                    None => return Err(error),
                },
                answered => return answered,
            }
        }
    }

    fn exchange(&self, call: &ApiCall<'_>, deadline: Instant) -> Result<Reply, ClientError> {
        let send = || -> Result<_, ClientError> {
            let time = deadline.saturating_duration_since(Instant::now());
            Ok(self.request(call)?.timeout(time).send())
        };
        let response = match send()? {
            // A server in a crowd closes connections whose request it has not seen. A change is never sent
            // twice: it may have been made.
            Err(error) if !call.operation.route().is_change() && was_closed(&error) => send()?,
            sent => sent,
        };
        let response = response.map_err(|error| self.broken(&error, call.applies))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let is_known = status == StatusCode::NOT_MODIFIED && call.if_none_match.is_some();
        if status.is_redirection() && !is_known {
            let to = header(&headers, LOCATION.as_str()).map(|to| without_userinfo(&to));
            let to = to.map(|to| format!(" to `{}`", cut(&to, self.settings.credentials.as_ref())));
            let hint = "redirects are not followed; if that is the right server, give its address";
            let what = format!("it redirects{}", to.unwrap_or_default());
            return Err(self.failed(false, what, Some(hint.to_owned())).into());
        }
        let is_refused = !status.is_success() && !is_known;
        let most = if is_refused { AnswerSize::OF_REFUSAL } else { self.settings.max_answer };
        let too_large = || -> ClientError {
            let larger = most.next().map(|size| format!("`--max-answer {size}` takes a larger one"));
            let (what, hint) = match is_refused {
                true => {
                    ("it answers with more data than any answer has".to_owned(), Some(ADDRESS.to_owned()))
                }
                false => (format!("it gives an answer of more than {most}"), larger),
            };
            self.failed(call.applies, what, hint).into()
        };
        if response.content_length().is_some_and(|length| length > most.bytes()) {
            return Err(too_large());
        }
        let is_packed = header(&headers, CONTENT_ENCODING.as_str()).as_deref() == Some(GZIP);
        let mut sent: Box<dyn Read> =
            if is_packed { Box::new(GzDecoder::new(response)) } else { Box::new(response) };
        let (mut body, mut piece) = (Vec::new(), vec![0; PIECE]);
        loop {
            match sent.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => body.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if !call.applies && was_closed(&error) => {
                    let what = "the connection broke in the middle of the answer";
                    return Err(self.failed(false, what, None).into());
                }
                Err(error) => return Err(self.broken(&error, call.applies)),
            }
            if body.len() as u64 > most.bytes() {
                return Err(too_large());
            }
            if Instant::now() >= deadline {
                return Err(self.timed_out(call.applies));
            }
        }
        if is_refused {
            let media_type = header(&headers, CONTENT_TYPE.as_str()).unwrap_or_default();
            let error = self.refused(status, &media_type, &body, call);
            let code = status.as_u16();
            // It did not look at the credentials, or had no connection or memory left.
            let is_unseen = code == ErrorKind::TooManyFailures.status() || error.kind == ErrorKind::Full;
            let retry_after = header(&headers, RETRY_AFTER.as_str())
                .and_then(|seconds| Some(Duration::from_secs(seconds.trim().parse::<u32>().ok()?.into())));
            let is_of_handler = matches!(code, 400..=499 | 501) && !matches!(code, 401 | 407 | 408 | 429);
            return Err(ClientError {
                retry_after: retry_after.filter(|_| is_unseen),
                is_ours: is_of_handler.then(|| is_ours(&headers)),
                ..error.into()
            });
        }
        if let Some(sockets) = &mut *self.sockets.borrow_mut() {
            sockets.used = Instant::now();
        }
        let notes = one_line(&header(&headers, NOTE_HEADER).unwrap_or_default());
        let notes = notes.split(';').map(str::trim).filter(|note| !note.is_empty());
        Ok(Reply {
            is_ours: is_ours(&headers),
            etag: header(&headers, ETAG.as_str()),
            notes: notes.map(str::to_owned).collect(),
            pending: header(&headers, PENDING_HEADER),
            is_at_once: headers.contains_key(RETRY_AFTER),
            body: (!is_known).then_some(body),
        })
    }

    fn request(&self, call: &ApiCall<'_>) -> Result<sockets::RequestBuilder, ClientError> {
        let route = call.operation.route();
        let method = if route.methods.contains(&"POST") { Method::POST } else { Method::GET };
        let url = self.endpoint.url(call.operation, call.argument, &call.parameters);
        let mut request = self.sockets(route.is_change())?.request(method, url);
        if let Some(credentials) = &self.settings.credentials {
            request = request.header(AUTHORIZATION, credentials.header());
        }
        if let Some(user) = self.settings.sudo_user.as_ref().filter(|_| self.endpoint.socket.is_some()) {
            request = request.header(SUDO_HEADER, user);
        }
        if self.endpoint.socket.is_none() {
            request = request.header(ACCEPT_ENCODING, GZIP);
        }
        if let Some(etag) = call.if_none_match {
            request = request.header(IF_NONE_MATCH, etag);
        }
        Ok(match route.body {
            Body::None => request,
            Body::Patch | Body::Change => request.header(CONTENT_TYPE, JSON).body(call.body.to_vec()),
            Body::Text | Body::Checked => request.header(CONTENT_TYPE, TEXT).body(call.body.to_vec()),
        })
    }

    /// The connections, as new as a change needs them.
    fn sockets(&self, is_change: bool) -> Result<sockets::Client, ClientError> {
        let mut known = self.sockets.borrow_mut();
        let is_usable = |sockets: &&Sockets| !is_change || sockets.used.elapsed() < MAX_IDLE_BEFORE_CHANGE;
        if let Some(sockets) = known.as_ref().filter(is_usable) {
            return Ok(sockets.client.clone());
        }
        let client = self.open()?;
        *known = Some(Sockets { client: client.clone(), used: Instant::now() });
        Ok(client)
    }

    fn open(&self) -> Result<sockets::Client, ClientError> {
        let trust = if self.endpoint.is_https() { &self.settings.trust } else { &TlsTrust::None };
        let config = tls::config(trust).ok_or_else(|| {
            let what = "there is no certificate authority to check its certificate against";
            self.failed(false, what, Some(AUTHORITY.to_owned()))
        })?;
        let mut builder = sockets::Client::builder()
            .tls_backend_preconfigured(config)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(self.settings.timeout)
            .pool_idle_timeout(MAX_IDLE)
            .user_agent(concat!("mediactl/", env!("CARGO_PKG_VERSION")));
        if self.endpoint.is_local() {
            builder = builder.no_proxy();
        }
        if let Some(path) = &self.endpoint.socket {
            builder = builder.unix_socket(path.as_path());
        }
        builder.build().map_err(|error| self.broken(&error, false))
    }
}

fn is_ours(headers: &HeaderMap) -> bool {
    header(headers, API_HEADER).as_deref() == Some(API_VERSION)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

const KIB: u64 = 1024;

/// The units of sizes. A size is shown in the largest that leaves no rest.
const UNITS: [(&str, u64); 3] = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];

/// The size that the answer of a server may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub struct AnswerSize(u64);

impl AnswerSize {
    pub const DEFAULT: Self = Self(64 * KIB * KIB);

    /// The largest answer with an error status.
    pub(super) const OF_REFUSAL: Self = Self(KIB * KIB);

    /// The largest that can be chosen.
    const LARGEST: Self = Self(16 * KIB * KIB * KIB);

    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The next size to try, as an option takes it.
    pub fn next(self) -> Option<String> {
        let twice = Self(self.0 * 2);
        (twice <= Self::LARGEST).then(|| {
            match UNITS.iter().find(|(_, bytes)| twice.0.is_multiple_of(*bytes)) {
                Some((name, bytes)) => format!("{}{}", twice.0 / bytes, &name[..1]),
                None => twice.0.to_string(),
            }
        })
    }
}

impl FromStr for AnswerSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor =
            UNITS.iter().find(|(name, _)| unit == *name || unit == &name[..1]).map(|(_, bytes)| *bytes);
        let size = match (factor, unit) {
            (None, "") => digits.parse().ok(),
            (None, _) => None,
            // Digits that are too many for a number are too large, too.
            (Some(factor), _) => digits.parse::<u64>().ok().and_then(|count| count.checked_mul(factor)),
        };
        let size = size.map(Self).filter(|size| (Self(1)..=Self::LARGEST).contains(size));
        size.ok_or_else(|| {
            format!("a size is from 1 to `{}` bytes, such as `64M` or `100KiB`", Self::LARGEST.0)
        })
    }
}

impl fmt::Display for AnswerSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes)) {
            Some((name, bytes)) => write!(f, "{} {name}", self.0 / bytes),
            None if self.0 == 1 => f.write_str("1 byte"),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Replaces a secret in a text.
const HIDDEN: &str = "…";

/// The shortest password that is cut from texts: shorter ones would remove harmless letters.
const MIN_HIDDEN: usize = 3;

/// Login and password of Basic authentication (RFC 7617).
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    login: String,
    password: String,
}

impl Credentials {
    /// Credentials of a login and a password, not encoded; `None` if the login has a colon, which would
    /// end it.
    pub fn new(login: impl Into<String>, password: impl Into<String>) -> Option<Self> {
        let (login, password) = (login.into(), password.into());
        (!login.contains(':')).then_some(Self { login, password })
    }

    /// The value of `Authorization`.
    pub(super) fn header(&self) -> HeaderValue {
        let mut value = HeaderValue::from_str(&format!("Basic {}", self.encoded()))
            .expect("base64 has only letters that a header may have");
        value.set_sensitive(true);
        value
    }

    fn encoded(&self) -> String {
        BASE64_STANDARD.encode(format!("{}:{}", self.login, self.password))
    }

    /// Removes the password from a text of the server.
    pub(super) fn cut_from(&self, text: &str) -> String {
        let text = text.replace(&self.encoded(), HIDDEN);
        if self.password.len() < MIN_HIDDEN { text } else { text.replace(&self.password, HIDDEN) }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers all requests of a connection.
    fn serve(stream: TcpStream) {
        let mut reader = BufReader::new(&stream);
        loop {
            let mut length = 0;
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                let line = line.to_lowercase();
                length =
                    line.strip_prefix("content-length: ").map_or(length, |known| known.parse().unwrap_or(0));
            }
            let mut body = vec![0; length];
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            if reader.read_exact(&mut body).is_err() || (&stream).write_all(answer).is_err() {
                return;
            }
        }
    }

    #[test]
    fn a_read_uses_the_connection_again_and_a_change_only_if_it_was_just_used() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let count: &AtomicUsize = Box::leak(Box::default());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || serve(stream));
            }
        });
        let (endpoint, _) = Endpoint::parse(&url, "/media/api").expect("it is a URL");
        let client = Client::new(endpoint, ClientSettings::default());
        let change =
            ApiCall { operation: ApiOperation::Modify, body: b"{}", applies: true, ..ApiCall::default() };
        let idle_for = |time| {
            let mut sockets = client.sockets.borrow_mut();
            let sockets = sockets.as_mut().expect("there was a request");
            sockets.used = sockets.used.checked_sub(time).expect("the machine runs for longer");
        };
        for (call, idle, connections) in [
            (ApiCall::default(), Duration::ZERO, 1),
            (ApiCall::default(), MAX_IDLE_BEFORE_CHANGE, 1),
            (change.clone(), MAX_IDLE_BEFORE_CHANGE, 2),
            (change, Duration::ZERO, 2),
        ] {
            if client.sockets.borrow().is_some() {
                idle_for(idle);
            }
            client.send(&call).expect("it is answered");
            assert_eq!(count.load(Ordering::SeqCst), connections);
        }
    }
}

#[cfg(test)]
mod answer_tests {
    use super::*;

    #[test]
    fn sizes_are_shown_as_they_are_given() {
        for (given, shown, next) in [
            ("1", "1 byte", Some("2")),
            ("100K", "100 KiB", Some("200K")),
            ("1024MiB", "1 GiB", Some("2G")),
            ("67108864", "64 MiB", Some("128M")),
            ("16G", "16 GiB", None),
        ] {
            let size: AnswerSize = given.parse().expect("it is a size");
            assert_eq!((size.to_string().as_str(), size.next().as_deref()), (shown, next));
        }
    }
}

#[cfg(test)]
mod credentials_tests {
    use super::Credentials;

    #[test]
    fn they_are_sent_and_not_shown() {
        let credentials = Credentials::new("Aladdin", "open sesame").expect("there is no colon");
        assert_eq!(credentials.header(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let shown = format!("{credentials:?} {:?}", credentials.header());
        assert!(!shown.contains("sesame") && !shown.contains("QWxh"), "{shown}");
        assert_eq!(credentials.cut_from("no `open sesame`, no QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "no `…`, no …");
        assert!(Credentials::new("a:b", "c").is_none());
    }
}

//! One server: sends it requests and reads its answers, asks the user for what it wants to see, and knows whether it has
//! this API or the four operations alone.
//!
//! Other servers ignore query parameters that they do not know:
//! `dry_run=true` would then be a change. So nothing is sent to them that relies on more.

use std::any::Any;
use std::borrow::Cow;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH, LOCATION,
    RETRY_AFTER,
};
use reqwest::{Method, StatusCode, blocking as sockets, redirect};
use serde_json::Value;

use super::endpoint::{Endpoint, without_userinfo};
use super::error::{ADDRESS, AUTHORITY, FailedCall, TlsFault, was_closed};
use super::settings::{ByteSize, ClientSettings, Credentials};
use super::tls::{self, TlsTrust};
use crate::error::{Error, ErrorKind};
use crate::http::api::{
    API_HEADER, API_VERSION, ApiOperation, Body, Fingerprint, JSON, NOTE_HEADER, PENDING_HEADER, SUDO_HEADER,
    TEXT,
};
use mediaconf::one_line;

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

/// The number of times that the user is asked for credentials.
const MAX_PROMPTS: usize = 3;

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

impl Reply {
    /// The JSON value in the body; `None` if it is no JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(self.body.as_ref()?).ok()
    }

    /// The report of a change, which only a server of this program sends: it always has this member.
    pub(super) fn report(&self) -> Option<Value> {
        self.json().filter(|json| json.get("changed").is_some_and(Value::is_boolean))
    }
}

/// The program in which a client works, because the client knows no terminal itself. By default it answers no question.
pub trait Host: Send {
    /// Asks for the login and the password of a service; `login` is the login, if it is known.
    /// `were_refused` says that the service refused credentials already. `None` if there is no terminal
    /// to ask on, or nothing was entered.
    ///
    /// # Errors
    /// What was entered can't be a login, or asking failed.
    fn credentials(
        &self,
        _service: &str,
        _login: Option<&str>,
        _were_refused: bool,
    ) -> Result<Option<Credentials>, Error> {
        Ok(None)
    }

    /// Asks whether to trust a server whose certificate has this fingerprint, and is not trusted because of
    /// `fault`. False if there is no terminal to ask on.
    ///
    /// # Errors
    /// If asking failed.
    fn trusts(&self, _service: &str, _fault: &str, _fingerprint: Fingerprint) -> Result<bool, Error> {
        Ok(false)
    }

    /// Shows a warning.
    fn warning(&self, text: &str);

    /// Called before a change is sent. The returned value is dropped when the response arrives: until
    /// then, it is unknown whether the change was made.
    fn sending_change(&self, _service: &str) -> Box<dyn Any> {
        Box::new(())
    }
}

/// A client of one server.
pub struct Client {
    endpoint: Endpoint,
    /// The name of the server in messages.
    pub(super) name: String,
    /// The login to ask a password for.
    login: Option<String>,
    pub(super) settings: ClientSettings,
    pub(super) host: Box<dyn Host>,
    /// The open connections, once there is one, and when one of them was last known to be open.
    sockets: Option<(sockets::Client, Instant)>,
    /// Whether the server has this API, once a response told.
    pub(super) is_ours: Option<bool>,
}

impl Client {
    /// Creates a client; opens and sends nothing. Messages call the server `name`.
    pub fn new(
        endpoint: Endpoint,
        name: String,
        login: Option<String>,
        settings: ClientSettings,
        host: Box<dyn Host>,
    ) -> Self {
        let client = Self { endpoint, name, login, settings, host, sockets: None, is_ours: None };
        client.warn_of_plain_credentials();
        client
    }

    fn warn_of_plain_credentials(&self) {
        if self.settings.credentials.is_some() && !self.endpoint.is_https() && !self.endpoint.is_local() {
            self.host.warning(&format!("login and password go to `{}` without encryption", self.name));
        }
    }

    /// Opens a new connection for the next request. Where credentials are sent at all, these are sent
    /// from now on.
    pub(super) fn reconnect(&mut self, credentials: Option<Credentials>) {
        self.sockets = None;
        let sent = &mut self.settings.credentials;
        *sent = sent.take().map(|old| credentials.unwrap_or(old));
    }

    /// Asks the server for its level and its pending change, without a configuration.
    pub(super) fn probe(&mut self) -> Result<Reply, Error> {
        // Any configuration is current: the response is 304 and has no body.
        self.send(&ApiCall { if_none_match: Some("*"), ..ApiCall::read(Vec::new()) })
    }

    /// Sends a request that only a server of this API knows. `None` if it is another one: then it knows no such path,
    /// whatever it answers, and has done nothing.
    pub(super) fn send_ours(&mut self, call: &ApiCall<'_>) -> Result<Option<Reply>, Error> {
        if self.is_ours == Some(false) {
            return Ok(None);
        }
        match self.send(call) {
            // A proxy may have taken the header away: what was done must not be done again.
            Ok(reply) if reply.is_ours || reply.report().is_some() => Ok(Some(reply)),
            Err(error) if self.is_ours != Some(false) => Err(error),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Sends a request and waits for the response. Where the certificate of the server is unknown, the host is asked
    /// whether to trust it. Where the server asks for credentials, or refuses those that were sent, the host is asked for
    /// them.
    pub fn send(&mut self, call: &ApiCall<'_>) -> Result<Reply, Error> {
        let _until_answered = call.applies.then(|| self.host.sending_change(&self.name));
        let mut result = self.try_to_send(call);
        let fault = result.as_ref().err().and_then(|failure| failure.certificate.clone());
        if let Some(TlsFault { why, unknown: Some(found), .. }) = fault
            && self.host.trusts(&self.name, &why, found)?
        {
            // The handshake failed, so nothing was sent.
            self.settings.trust = TlsTrust::Pinned(found);
            self.sockets = None;
            result = self.try_to_send(call);
        }
        for _ in 0..MAX_PROMPTS {
            let status = result.as_ref().err().and_then(|failure| failure.error.status);
            if status != Some(ErrorKind::Unauthorized.status()) {
                break;
            }
            let were_refused = self.settings.credentials.is_some();
            let entered = self.host.credentials(&self.name, self.login.as_deref(), were_refused)?;
            if entered.is_none() {
                break;
            }
            self.settings.credentials = entered;
            self.warn_of_plain_credentials();
            result = self.try_to_send(call);
        }
        result.map_err(|failure| *failure.error)
    }

    /// Sends a request. One that the server did not look at, because others behind this address guess passwords, or
    /// because it is full, is sent again within the time for a response.
    pub(super) fn try_to_send(&mut self, call: &ApiCall<'_>) -> Result<Reply, FailedCall> {
        let deadline = Instant::now() + self.settings.timeout;
        loop {
            let result = self.exchange(call, deadline);
            match result.as_ref().err().and_then(|failure| failure.retry_after) {
                Some(wait) if Instant::now() + wait < deadline => std::thread::sleep(wait),
                _ => return result,
            }
        }
    }

    fn exchange(&mut self, call: &ApiCall<'_>, deadline: Instant) -> Result<Reply, FailedCall> {
        let mut send = || -> Result<_, FailedCall> {
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
            let to = to.map(|to| format!(" to `{}`", self.harmless(&to)));
            let hint = "redirects are not followed; if that is the right server, give its address";
            let what = format!("it redirects{}", to.unwrap_or_default());
            return Err(self.failed(false, what, Some(hint.to_owned())).into());
        }
        let is_refused = !status.is_success() && !is_known;
        let most = if is_refused { ByteSize::OF_REFUSAL } else { self.settings.max_answer };
        let too_large = || -> FailedCall {
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
            // Then the server looked at the request, and would have known its path.
            if matches!(code, 400..=499 | 501) && !matches!(code, 401 | 407 | 408 | 429) {
                self.is_ours = Some(is_ours(&headers));
            }
            return Err(FailedCall { retry_after: retry_after.filter(|_| is_unseen), ..error.into() });
        }
        if let Some((_, used)) = &mut self.sockets {
            *used = Instant::now();
        }
        self.is_ours = Some(is_ours(&headers));
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

    fn request(&mut self, call: &ApiCall<'_>) -> Result<sockets::RequestBuilder, FailedCall> {
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
    fn sockets(&mut self, is_change: bool) -> Result<sockets::Client, FailedCall> {
        match &self.sockets {
            Some((open, used)) if !is_change || used.elapsed() < MAX_IDLE_BEFORE_CHANGE => Ok(open.clone()),
            _ => Ok(self.sockets.insert((self.open()?, Instant::now())).0.clone()),
        }
    }

    fn open(&self) -> Result<sockets::Client, FailedCall> {
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

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct NoTerminal;

    impl Host for NoTerminal {
        fn warning(&self, _text: &str) {}
    }

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
        let mut client = Client::new(endpoint, url, None, ClientSettings::default(), Box::new(NoTerminal));
        let change =
            ApiCall { operation: ApiOperation::Modify, body: b"{}", applies: true, ..ApiCall::default() };
        for (call, idle, connections) in [
            (ApiCall::default(), Duration::ZERO, 1),
            (ApiCall::default(), MAX_IDLE_BEFORE_CHANGE, 1),
            (change.clone(), MAX_IDLE_BEFORE_CHANGE, 2),
            (change, Duration::ZERO, 2),
        ] {
            if let Some((_, used)) = &mut client.sockets {
                *used = used.checked_sub(idle).expect("the machine runs for longer");
            }
            client.send(&call).expect("it is answered");
            assert_eq!(count.load(Ordering::SeqCst), connections);
        }
    }
}

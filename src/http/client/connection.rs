//! One server: sends it requests and reads its answers, asks the user for what it wants to see, and knows whether it has
//! this API or the four operations alone.
//!
//! Other servers ignore query parameters that they do not know:
//! `dry_run=true` would then be a change. So nothing is sent to them that relies on more.

use std::any::Any;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, IF_NONE_MATCH, LOCATION, RETRY_AFTER};
use reqwest::{Method, StatusCode, blocking as sockets, redirect};
use serde_json::Value;

use super::endpoint::{Endpoint, without_userinfo};
use super::error::was_closed;
use super::settings::{ByteSize, ClientSettings, Credentials};
use super::tls::{self, AUTHORITY, TlsTrust};
use crate::engine::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::http::api::{API_HEADER, API_VERSION, ApiOperation, Body, JSON, SUDO_HEADER, TEXT, WAIT};
use crate::progress;

/// The longest time for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The pause after a connection was closed at once: longer than new connections hold off others (`Limits::grace`).
const CROWDED: Duration = Duration::from_millis(300);

/// A connection that was idle for longer is not used again: a server that closes it just then would leave it unknown whether a
/// change was made.
const MAX_IDLE: Duration = Duration::from_secs(1);

/// The number of times that the user is asked for credentials.
const MAX_PROMPTS: usize = 3;

/// A request to a server.
#[derive(Debug, Clone, Default)]
pub struct ApiCall<'a> {
    pub operation: ApiOperation,
    /// The last segment of the path, for routes that have one.
    pub argument: Option<String>,
    /// Names and values of the query, not escaped.
    pub parameters: Vec<(&'static str, String)>,
    /// The `ETag` of the copy that the client has already.
    pub if_none_match: Option<&'a str>,
    /// The body of a change.
    pub body: &'a [u8],
    /// True if the request can change something.
    pub applies: bool,
}

impl ApiCall<'_> {
    /// A request without parameters and body, which changes nothing.
    pub fn new(operation: ApiOperation) -> Self {
        Self { operation, ..Self::default() }
    }
}

/// A successful response.
#[derive(Debug)]
pub struct Reply {
    /// True if the server has this API, and not just the four operations.
    pub is_ours: bool,
    headers: HeaderMap,
    /// The body; none for 304: then the copy of the client is current.
    pub body: Option<Vec<u8>>,
}

impl Reply {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<String> {
        header(&self.headers, name)
    }

    /// The JSON value in the body; `None` if it is no JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(self.body.as_ref()?).ok()
    }

    /// The report of a change, which only a server of this program sends: it always has this member.
    pub fn report(&self) -> Option<Value> {
        self.json().filter(|json| json["changed"].is_boolean())
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
    pub(super) endpoint: Endpoint,
    /// The name of the server in messages.
    pub(super) name: String,
    /// The login to ask a password for.
    login: Option<String>,
    pub(super) settings: ClientSettings,
    pub(super) host: Box<dyn Host>,
    /// The open connections, once there is one.
    sockets: Option<sockets::Client>,
    /// Whether the server has this API, once a response told.
    pub(super) is_ours: Option<bool>,
    /// The account in the configuration that the last change made: it holds for the next decision.
    pub(super) new_account: Option<Credentials>,
    /// The running configuration that was read last, with its tag.
    pub(super) known: Option<(String, Arc<Snapshot>)>,
    /// The tag of the status that was seen last.
    pub(super) state: Option<String>,
    /// The time after which the last request is sent again: the server did not look at it.
    wait: Option<Duration>,
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
        let (sockets, is_ours, new_account, known, state, wait) = Default::default();
        let client =
            Self { endpoint, name, login, settings, host, sockets, is_ours, new_account, known, state, wait };
        client.warn_of_plain_credentials();
        client
    }

    fn warn_of_plain_credentials(&self) {
        if self.settings.credentials.is_some() && !self.endpoint.is_https() && !self.endpoint.is_local() {
            self.host.warning(&format!("login and password go to `{}` without encryption", self.name));
        }
    }

    /// Opens a new connection for the next request. Where credentials are sent at all, those of the new account are sent
    /// from now on.
    pub(super) fn reconnect(&mut self) {
        self.sockets = None;
        if let (Some(sent), Some(new)) = (&mut self.settings.credentials, self.new_account.take()) {
            *sent = new;
        }
    }

    /// Asks the server for its level and its pending change, without a configuration.
    pub(super) fn probe(&mut self) -> Result<Reply, Error> {
        // Any configuration is current: the response is 304 and has no body.
        self.send(&ApiCall { if_none_match: Some("*"), ..ApiCall::default() })
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

    /// Sends a request and waits for the response. Where the server asks for credentials, or refuses those that were sent, the
    /// host is asked for them.
    pub fn send(&mut self, call: &ApiCall<'_>) -> Result<Reply, Error> {
        let _until_answered = call.applies.then(|| self.host.sending_change(&self.name));
        let mut prompts = 0..MAX_PROMPTS;
        loop {
            let error = match self.try_to_send(call) {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let is_unauthorized = error.status == Some(ErrorKind::Unauthorized.status());
            let were_refused = self.settings.credentials.is_some();
            if is_unauthorized
                && prompts.next().is_some()
                && let Some(new) = self.host.credentials(&self.name, self.login.as_deref(), were_refused)?
            {
                self.settings.credentials = Some(new);
                self.warn_of_plain_credentials();
            } else {
                return Err(error);
            }
        }
    }

    /// Sends a request. One that the server did not look at, because others behind this address guess passwords, or
    /// because it is full, is sent again within the time for a response.
    pub(super) fn try_to_send(&mut self, call: &ApiCall<'_>) -> Result<Reply, Error> {
        let deadline = Instant::now() + self.settings.timeout;
        // News are waited for as long as it takes.
        let is_for_news = call.parameters.iter().any(|(name, _)| *name == WAIT);
        let _step = (!is_for_news).then(|| progress::step(format!("waiting for {}", self.name)));
        loop {
            let answered = self.exchange(call, deadline);
            match self.wait.take().filter(|wait| Instant::now() + *wait < deadline) {
                Some(wait) => std::thread::sleep(wait),
                None => return answered,
            }
        }
    }

    fn exchange(&mut self, call: &ApiCall<'_>, deadline: Instant) -> Result<Reply, Error> {
        let mut send = || -> Result<_, Error> {
            let time = deadline.saturating_duration_since(Instant::now());
            Ok(self.request(call)?.timeout(time).send())
        };
        let response = match send()? {
            // A server in a crowd closes connections whose request it has not seen. A change is never sent
            // twice: it may have been made.
            Err(error) if !call.operation.route().is_change() && was_closed(&error) => {
                std::thread::sleep(CROWDED);
                send()?
            }
            sent => sent,
        };
        let response = response.map_err(|error| self.broken(&error, call.applies))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let announced = response.content_length().unwrap_or_default();
        let is_known = status == StatusCode::NOT_MODIFIED && call.if_none_match.is_some();
        if status.is_redirection() && !is_known {
            let to = header(&headers, LOCATION.as_str()).unwrap_or_default();
            let to = self.harmless(&without_userinfo(&to));
            let hint = "redirects are not followed; if that is the right server, give its address";
            return Err(self.failed(false, format_args!("it redirects to `{to}`"), hint));
        }
        let is_refused = !status.is_success() && !is_known;
        let most = if is_refused { ByteSize::OF_REFUSAL } else { self.settings.max_answer };
        let mut body = Vec::new();
        let read = response.take(most.0 + 1).read_to_end(&mut body);
        if !is_refused && announced.max(body.len() as u64) > most.0 {
            let larger = format!("`--max-answer {}` takes a larger one", most.0 * 2);
            let what = format_args!("it gives an answer of more than {most}");
            return Err(self.failed(call.applies, what, &larger));
        }
        if let Err(error) = read {
            return Err(match was_closed(&error) && !call.applies {
                true => self.failed(false, "the connection broke in the middle of the answer", ""),
                false => self.broken(&error, call.applies),
            });
        }
        if is_refused {
            let error = self.refused(status, &headers, &body, call.applies);
            let code = status.as_u16();
            // It did not look at the credentials, or had no connection or memory left.
            let is_unseen = code == ErrorKind::TooManyFailures.status() || error.kind == ErrorKind::Full;
            let seconds = header(&headers, RETRY_AFTER.as_str()).filter(|_| is_unseen);
            let seconds = seconds.and_then(|seconds| seconds.trim().parse::<u32>().ok());
            self.wait = seconds.map(|seconds| Duration::from_secs(seconds.into()));
            // Then the server looked at the request, and would have known its path.
            if matches!(code, 400..=499 | 501) && !matches!(code, 401 | 407 | 408 | 429) {
                self.is_ours = Some(is_ours(&headers));
            }
            return Err(error);
        }
        let is_ours = is_ours(&headers);
        self.is_ours = Some(is_ours);
        Ok(Reply { is_ours, headers, body: (!is_known).then_some(body) })
    }

    fn request(&mut self, call: &ApiCall<'_>) -> Result<sockets::RequestBuilder, Error> {
        let route = call.operation.route();
        let method = if route.methods.contains(&"POST") { Method::POST } else { Method::GET };
        let url = self.endpoint.url(call);
        let mut request = self.sockets()?.request(method, url);
        if let Some(credentials) = &self.settings.credentials {
            request = request.header(AUTHORIZATION, credentials.header());
        }
        if let (Some(_), Some(user)) = (&self.endpoint.socket, &self.settings.sudo_user) {
            request = request.header(SUDO_HEADER, user);
        }
        if let Some(etag) = call.if_none_match {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let media_type = match route.body {
            Body::None => return Ok(request),
            Body::Patch | Body::Change => JSON,
            Body::Text | Body::Checked => TEXT,
        };
        Ok(request.header(CONTENT_TYPE, media_type).body(call.body.to_vec()))
    }

    fn sockets(&mut self) -> Result<sockets::Client, Error> {
        if let Some(open) = &self.sockets {
            return Ok(open.clone());
        }
        let trust = if self.endpoint.is_https() { &self.settings.trust } else { &TlsTrust::None };
        let config = tls::config(trust).ok_or_else(|| {
            let what = "there is no certificate authority to check its certificate against";
            self.failed(false, what, AUTHORITY)
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
        let opened = builder.build().map_err(|error| self.broken(&error, false))?;
        Ok(self.sockets.insert(opened).clone())
    }
}

fn is_ours(headers: &HeaderMap) -> bool {
    header(headers, API_HEADER).as_deref() == Some(API_VERSION)
}

pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

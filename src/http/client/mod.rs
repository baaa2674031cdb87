//! The client of any server of this API, over TCP, TLS or a Unix socket.
//!
//! It sends one request and tells what came back: whether it can have been applied is told apart
//! exactly, because what a script does next depends on it ([`ClientError`]). What a server offers
//! beside the four operations is in the answer; to look before something is sent is the caller's.
//!
//! *Invariants.* Credentials are in the `Authorization` header and nowhere else: no error, no
//! `Debug` and no URL holds them. Redirects are not followed. The sockets, and the roots of TLS,
//! are made when the first request is sent, not before: most commands need none.

mod credentials;
mod endpoint;
mod error;
mod reason;
mod tls;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::Read;
use std::time::Duration;

use reqwest::blocking as sockets;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, IF_MATCH, IF_NONE_MATCH, LOCATION};
use reqwest::{Method, StatusCode, redirect};

pub use credentials::{Credentials, NotCredentials};
pub use endpoint::{BadUrl, Endpoint, UserInfo, without_userinfo};
pub use error::{ClientError, ServerRefusal};
pub use reason::TlsFault;
pub use tls::TlsTrust;

use crate::http::protocol::headers::{API_HEADER, Feature, NOTE_HEADER, PENDING_HEADER, offers};
use crate::http::protocol::routes::{ApiOperation, Body, JSON, TEXT};
use crate::syntax::one_line;

/// How long a whole request may take: a hook of the server may take a part of it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(150);

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that was idle for longer is not used again: a server that closes it just then
/// would leave it unknown whether a change was made.
const MAX_IDLE: Duration = Duration::from_secs(1);

/// The largest answer that is read, in bytes. A configuration of 400 000 streams is less in JSON.
const MAX_ANSWER: u64 = 128 * 1024 * 1024;

/// The largest answer that is read where it is one of failure, in bytes.
const MAX_REFUSAL: u64 = 1024 * 1024;

/// How requests are sent.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Who asks; none on a Unix socket, and until a server wants to know.
    pub credentials: Option<Credentials>,
    /// Whom to believe to be the server.
    pub trust: TlsTrust,
    /// How long a whole request may take.
    pub timeout: Duration,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self { credentials: None, trust: TlsTrust::Platform, timeout: DEFAULT_TIMEOUT }
    }
}

/// A request.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// What is asked for.
    pub operation: ApiOperation,
    /// What stands in the path behind the operation.
    pub argument: Option<&'a str>,
    /// The query: names and values, as they are before they are escaped.
    pub parameters: Vec<(&'static str, Cow<'a, str>)>,
    /// The `ETag` of what a change was computed from.
    pub if_match: Option<&'a str>,
    /// The `ETag` of what is known already.
    pub if_none_match: Option<&'a str>,
    /// The body of a change.
    pub body: &'a [u8],
    /// Whether the server does anything but answer.
    pub applies: bool,
}

impl<'a> Call<'a> {
    /// A request that reads.
    pub fn read(parameters: Vec<(&'static str, &'a str)>) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (name, Cow::Borrowed(value)));
        Self { parameters: parameters.collect(), ..Self::of(ApiOperation::Read) }
    }

    /// A request with nothing but its operation, which changes nothing.
    pub fn of(operation: ApiOperation) -> Self {
        Self {
            operation,
            argument: None,
            parameters: Vec::new(),
            if_match: None,
            if_none_match: None,
            body: &[],
            applies: false,
        }
    }
}

/// What came back with a status of success.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What the server says of itself, if it is one of ours.
    pub api: Option<String>,
    /// Which text it is about.
    pub etag: Option<String>,
    /// What a change did beside what was asked for.
    pub notes: Vec<String>,
    /// The change that waits to be confirmed.
    pub pending: Option<String>,
    /// The body; none where what is known already is still right.
    pub body: Option<Vec<u8>>,
}

impl Reply {
    /// Whether the server offers a feature.
    pub fn offers(&self, feature: Feature) -> bool {
        self.api.as_deref().is_some_and(|api| offers(api, feature))
    }
}

/// A client of one server.
#[derive(Debug)]
pub struct Client {
    endpoint: Endpoint,
    settings: ClientSettings,
    sockets: OnceCell<sockets::Client>,
}

impl Client {
    /// A client; nothing is sent, and nothing is opened.
    pub fn new(endpoint: Endpoint, settings: ClientSettings) -> Self {
        Self { endpoint, settings, sockets: OnceCell::new() }
    }

    /// The server.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Who asks.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.settings.credentials.as_ref()
    }

    /// Another client of the same server, which has no connection to it yet.
    pub fn anew(&self) -> Self {
        Self::new(self.endpoint.clone(), self.settings.clone())
    }

    /// Asks as somebody from now on.
    pub fn authenticate(&mut self, credentials: Credentials) {
        self.settings.credentials = Some(credentials);
    }

    /// Sends a request and waits for its answer.
    pub fn send(&self, call: &Call<'_>) -> Result<Reply, ClientError> {
        self.exchange(call).map_err(|error| error.without_secrets(self.credentials()))
    }

    fn exchange(&self, call: &Call<'_>) -> Result<Reply, ClientError> {
        let broken = |error: &(dyn std::error::Error + 'static)| ClientError::of(error, call.applies);
        let response = self.request(call)?.send().map_err(|error| broken(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let is_known = status == StatusCode::NOT_MODIFIED && call.if_none_match.is_some();
        if status.is_redirection() && !is_known {
            return Err(ClientError::Redirected { to: header(&headers, LOCATION.as_str()) });
        }
        let is_refused = !status.is_success() && !is_known;
        let most = if is_refused { MAX_REFUSAL } else { MAX_ANSWER };
        let mut body = Vec::new();
        response.take(most + 1).read_to_end(&mut body).map_err(|error| broken(&error))?;
        if body.len() as u64 > most {
            return Err(ClientError::NotOfTheApi {
                applies: call.applies,
                what: "more than any server has to say",
            });
        }
        if is_refused {
            let media_type = header(&headers, CONTENT_TYPE.as_str()).unwrap_or_default();
            let refusal = ServerRefusal {
                with_credentials: self.credentials().is_some(),
                ..ServerRefusal::read(status, &media_type, &body, call.applies)
            };
            return Err(ClientError::Refused(Box::new(refusal)));
        }
        let notes = one_line(&header(&headers, NOTE_HEADER).unwrap_or_default());
        let notes = notes.split(';').map(str::trim).filter(|note| !note.is_empty());
        Ok(Reply {
            api: header(&headers, API_HEADER),
            etag: header(&headers, ETAG.as_str()),
            notes: notes.map(str::to_owned).collect(),
            pending: header(&headers, PENDING_HEADER),
            body: (!is_known).then_some(body),
        })
    }

    fn request(&self, call: &Call<'_>) -> Result<sockets::RequestBuilder, ClientError> {
        let route = call.operation.route();
        let method = if route.is_change() { Method::POST } else { Method::GET };
        let url = self.endpoint.url(call.operation, call.argument, &call.parameters);
        let mut request = self.sockets()?.request(method, url).timeout(self.settings.timeout);
        if let Some(credentials) = &self.settings.credentials {
            request = request.header(AUTHORIZATION, credentials.header());
        }
        if let Some(etag) = call.if_match {
            request = request.header(IF_MATCH, etag);
        }
        if let Some(etag) = call.if_none_match {
            request = request.header(IF_NONE_MATCH, etag);
        }
        Ok(match route.body {
            Body::None => request,
            Body::Patch => request.header(CONTENT_TYPE, JSON).body(call.body.to_vec()),
            Body::Text => request.header(CONTENT_TYPE, TEXT).body(call.body.to_vec()),
        })
    }

    fn sockets(&self) -> Result<&sockets::Client, ClientError> {
        if let Some(sockets) = self.sockets.get() {
            return Ok(sockets);
        }
        let sockets = self.open()?;
        Ok(self.sockets.get_or_init(|| sockets))
    }

    fn open(&self) -> Result<sockets::Client, ClientError> {
        let trust = if self.endpoint.is_https() { &self.settings.trust } else { &TlsTrust::Nobody };
        let mut builder = sockets::Client::builder()
            .tls_backend_preconfigured(tls::config(trust)?)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(self.settings.timeout)
            .pool_idle_timeout(MAX_IDLE)
            .user_agent(concat!("mediactl/", env!("CARGO_PKG_VERSION")));
        if self.endpoint.is_local() {
            builder = builder.no_proxy();
        }
        if let Endpoint::Socket { path, .. } = &self.endpoint {
            builder = builder.unix_socket(path.as_path());
        }
        builder.build().map_err(|error| ClientError::of(&error, false))
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

//! One server, with the credentials that it accepts and its level: a server of this API, or one with the four operations
//! alone; and the program in which a client works, because the client knows no terminal itself.
//!
//! Other servers ignore query parameters that they do not know:
//! `dry_run=true` would then be a change. So nothing is sent to them that relies on more.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::api_client::{ApiCall, Client, Credentials, Reply};
use super::error::{ADDRESS, TlsFault};
use super::tls::TlsTrust;
use crate::engine::{Composed, ConfigSource, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::http::api::{
    ApiOperation, FORMAT, FORMAT_CONF, Fingerprint, IncludedFile, IncludedFiles, SOURCE, SOURCE_SAVED,
    revision_in,
};
use crate::store::{IncludedText, reason};

/// The number of times that the user is asked for credentials.
const MAX_PROMPTS: usize = 3;

/// A server, and the credentials for it.
pub struct Session {
    client: Client,
    /// The name of the server in messages.
    pub name: String,
    /// The login to ask a password for.
    login: Option<String>,
    pub host: Box<dyn Host>,
    /// Whether the server has this API, once a response told.
    is_ours: Option<bool>,
}

impl Session {
    /// A session with the server of `client`. Sends nothing.
    pub fn new(client: Client, name: String, login: Option<String>, host: Box<dyn Host>) -> Self {
        let client = Client { name: name.clone(), ..client };
        let session = Self { client, name, login, host, is_ours: None };
        session.warn_of_plain_credentials();
        session
    }

    fn warn_of_plain_credentials(&self) {
        let endpoint = &self.client.endpoint;
        if self.client.settings.credentials.is_some() && !endpoint.is_https() && !endpoint.is_local() {
            self.host.warning(&format!("login and password go to `{}` without encryption", self.name));
        }
    }

    /// Opens a new connection for the next request. Where credentials are sent at all, these are sent
    /// from now on.
    pub fn reconnect(&mut self, credentials: Option<Credentials>) {
        self.client.sockets.take();
        let sent = &mut self.client.settings.credentials;
        *sent = sent.take().map(|old| credentials.unwrap_or(old));
    }

    /// Reads a configuration.
    pub fn fetch(&mut self, source: ConfigSource) -> Result<Arc<Snapshot>, Error> {
        let mut parameters = vec![(FORMAT, FORMAT_CONF)];
        if source == ConfigSource::Saved {
            parameters.push((SOURCE, SOURCE_SAVED));
        }
        let mut reply = self.send(&ApiCall::read(parameters))?;
        match source == ConfigSource::Running || reply.is_ours {
            true => self.text(&mut reply, false),
            false => Err(self.not_offered("the saved configuration")),
        }
    }

    /// Reads the running configuration; `None` if it is still the one of this tag, which then stands for what was read.
    pub fn fetch_changed(&mut self, tag: &mut Option<String>) -> Result<Option<Arc<Snapshot>>, Error> {
        let call = ApiCall::read(vec![(FORMAT, FORMAT_CONF)]);
        let mut reply = self.send(&ApiCall { if_none_match: tag.as_deref(), ..call })?;
        if reply.body.is_none() {
            return Ok(None);
        }
        let text = self.text(&mut reply, false)?;
        *tag = reply.etag;
        Ok(Some(text))
    }

    /// The longest time for a request.
    pub fn timeout(&self) -> Duration {
        self.client.settings.timeout
    }

    /// Reads the configuration of a server without text, without asking for credentials; `None` after any error.
    pub fn try_read(&self) -> Option<Arc<Snapshot>> {
        let values = self.client.send(&ApiCall::read(Vec::new())).ok()?.json()?;
        values.is_object().then(|| self.of_values(&values, true).ok())?
    }

    /// Asks the server for its level and its pending change, without a configuration.
    pub fn probe(&mut self) -> Result<Reply, Error> {
        // Any configuration is current: the response is 304 and has no body.
        self.send(&ApiCall { if_none_match: Some("*"), ..ApiCall::read(Vec::new()) })
    }

    /// Refuses to go on with a server that has only the four operations, and so not what `noun` says.
    pub fn demand(&mut self, noun: &str) -> Result<(), Error> {
        if self.is_ours.is_none() {
            self.probe()?;
        }
        if self.is_ours == Some(true) { Ok(()) } else { Err(self.not_offered(noun)) }
    }

    /// Sends a request that only a server of this API knows. `None` if it is another one: then it knows no such path,
    /// whatever it answers, and has done nothing.
    pub fn send_ours(&mut self, call: &ApiCall<'_>) -> Result<Option<Reply>, Error> {
        if self.is_ours == Some(false) {
            return Ok(None);
        }
        match self.post(call) {
            // A proxy may have taken the header away: what was done must not be done again.
            Ok(reply) if reply.is_ours || reply.reports_change() => Ok(Some(reply)),
            Err(error) if self.is_ours != Some(false) => Err(error),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Composes a configuration that was read here with what it includes; `None` if that is nothing, or the
    /// server does not send it.
    pub fn composed(
        &mut self,
        text: &Arc<Snapshot>,
        source: ConfigSource,
    ) -> Result<Option<Composed>, Error> {
        if text.includes().is_empty() {
            return Ok(None);
        }
        let parameters =
            if source == ConfigSource::Saved { vec![(SOURCE, SOURCE_SAVED.into())] } else { Vec::new() };
        let call = ApiCall { parameters, ..ApiCall::new(ApiOperation::Included) };
        let Some(reply) = self.send_ours(&call)? else { return Ok(None) };
        let files = |list| serde_json::from_value::<IncludedFiles>(list).ok();
        let sent = self.parsed(&reply, false, "something that is no list of files", files)?;
        let texts = sent.into_iter().map(|(pattern, files)| {
            let texts = files.into_iter().map(|IncludedFile { name, text }| IncludedText {
                target: (&name).into(),
                name,
                bytes: text.into(),
                is_elsewhere: false,
            });
            (pattern, texts.collect())
        });
        Ok(Composed::of_sent(&self.name, text, &texts.collect()))
    }

    /// Sends a change.
    pub fn post(&mut self, call: &ApiCall<'_>) -> Result<Reply, Error> {
        let _until_answered = call.applies.then(|| self.host.sending_change(&self.name));
        self.send(call)
    }

    /// Sends a request. Where the certificate of the server is unknown, the host is asked whether to trust
    /// it. Where the server asks for credentials, or refuses those that were sent, the
    /// host is asked for them.
    pub fn send(&mut self, call: &ApiCall<'_>) -> Result<Reply, Error> {
        let mut result = self.client.send(call);
        let certificate = result.as_ref().err().and_then(|error| error.certificate.clone());
        if let Some(TlsFault::Unknown { found, why }) = certificate
            && self.host.trusts(&self.name, &why, found).map_err(|error| self.prompt_failed(&error))?
        {
            // The handshake failed, so nothing was sent.
            self.client.settings.trust = TlsTrust::Pinned(found);
            self.client.sockets.take();
            result = self.client.send(call);
        }
        for _ in 0..MAX_PROMPTS {
            let status = result.as_ref().err().and_then(|error| error.error.status);
            if status != Some(ErrorKind::Unauthorized.status()) || !self.ask_for_credentials()? {
                break;
            }
            result = self.client.send(call);
        }
        match &result {
            Ok(reply) => self.is_ours = Some(reply.is_ours),
            Err(error) => self.is_ours = error.is_ours.or(self.is_ours),
        }
        result.map_err(|error| *error.error)
    }

    /// Asks for login and password; false if none are given.
    fn ask_for_credentials(&mut self) -> Result<bool, Error> {
        let were_refused = self.client.settings.credentials.is_some();
        let entered = self.host.credentials(&self.name, self.login.as_deref(), were_refused);
        let Some(credentials) = entered.map_err(|error| self.prompt_failed(&error))? else {
            return Ok(false);
        };
        self.client.settings.credentials = Some(credentials);
        self.warn_of_plain_credentials();
        Ok(true)
    }

    /// Takes the configuration out of a response: the text, or one that is made of the JSON of a server without text.
    pub fn text(&self, reply: &mut Reply, applies: bool) -> Result<Arc<Snapshot>, Error> {
        if !reply.is_ours {
            return self.of_values(&self.object(reply, applies)?, applies);
        }
        let revision = reply.etag.as_deref().and_then(revision_in);
        Ok(Arc::new(Snapshot::with_revision(reply.body.take().unwrap_or_default(), revision)))
    }

    /// The text that is made of the values of a configuration.
    pub fn of_values(&self, values: &Value, applies: bool) -> Result<Arc<Snapshot>, Error> {
        let made = Snapshot::of_values(values).map(Arc::new);
        made.ok_or_else(|| self.not_of_the_api("JSON that can't be written as a configuration", applies))
    }

    /// The JSON object in the body of a response.
    pub fn object(&self, reply: &Reply, applies: bool) -> Result<Value, Error> {
        let is_object = |value: Value| value.is_object().then_some(value);
        self.parsed(reply, applies, "something that is no JSON object", is_object)
    }

    /// Returns the result of `read` for the JSON in the body of a response; an error says that the body
    /// is `otherwise`.
    pub fn parsed<T>(
        &self,
        reply: &Reply,
        applies: bool,
        otherwise: &'static str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<T, Error> {
        reply.json().and_then(read).ok_or_else(|| self.not_of_the_api(otherwise, applies))
    }

    pub fn not_of_the_api(&self, what: &'static str, applies: bool) -> Error {
        self.client.failed(applies, format_args!("it answers with {what}"), Some(ADDRESS.to_owned()))
    }

    pub fn not_offered(&self, noun: &str) -> Error {
        Error::not_offered(&self.name, noun)
    }

    fn prompt_failed(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::InvalidInput => Error::new(ErrorKind::Usage, error.to_string()),
            _ => Error::new(ErrorKind::Failed, format!("cannot ask: {}", reason(error))),
        }
    }
}

/// The program in which a client works.
pub trait Host: Send {
    /// Asks for the login and the password of a service; `login` is the login, if it is known.
    /// `were_refused` says that the service refused credentials already. `None` if there is no terminal
    /// to ask on, or nothing was entered.
    ///
    /// # Errors
    /// `InvalidInput` for what can't be a login; any other if asking failed.
    fn credentials(
        &self,
        service: &str,
        login: Option<&str>,
        were_refused: bool,
    ) -> io::Result<Option<Credentials>>;

    /// Asks whether to trust a server whose certificate has this fingerprint, and is not trusted because of
    /// `fault`. False if there is no terminal to ask on.
    ///
    /// # Errors
    /// If asking failed.
    fn trusts(&self, service: &str, fault: &TlsFault, fingerprint: Fingerprint) -> io::Result<bool>;

    /// Shows a warning.
    fn warning(&self, text: &str);

    /// Called before a change is sent. The returned value is dropped when the response arrives: until
    /// then, it is unknown whether the change was made.
    fn sending_change(&self, service: &str) -> Box<dyn Any>;
}

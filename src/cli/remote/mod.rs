//! The same commands against a server.
//!
//! Servers of this API ignore parameters that they do not know, and some know only the four
//! operations: `dry_run=true` would then be a change. So each command reads first, looks at what
//! the answer says the server offers, and sends nothing that relies on more ([`Fetched`]).

mod change;
mod modify;
mod past;
mod replace;

use std::sync::Arc;

use serde_json::Value;

pub use modify::modify;
pub use past::{Decision, roll_back};
pub use replace::{Replacement, replace};

use crate::cli::credentials::credentials;
use crate::cli::error::CliError;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::engine::Content;
use crate::engine::Snapshot;
use crate::http::client::{Call, Client, ClientError, Credentials, Reply};
use crate::http::protocol::headers::{
    FORMAT, FORMAT_CONF, Feature, RUNTIME, SKIP_STREAMS, SOURCE, SOURCE_SAVED,
};
use crate::store::file::Serving;

/// How often a person is asked for login and password.
const MAX_PROMPTS: usize = 3;

/// The status of an answer that asks for login and password.
const UNAUTHORIZED: u16 = 401;

/// A server, and whoever sits in front of this terminal.
pub struct Remote {
    client: Client,
    name: String,
    login: Option<String>,
    ui: Ui,
    /// What it says of itself, once it was asked; empty if it is not one of ours.
    api: Option<String>,
    /// The way to the Unix socket.
    _serving: Option<Arc<Serving>>,
}

/// Which configuration of a server is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The one that it runs.
    Running,
    /// The file.
    Saved,
}

/// A configuration that was read from a server.
#[derive(Debug)]
pub struct Fetched {
    /// The configuration, as text if the server gives it.
    pub content: Content,
    /// What else came back.
    pub answer: Reply,
}

impl Fetched {
    /// Whether the server offers a feature.
    pub fn offers(&self, feature: Feature) -> bool {
        self.answer.offers(feature)
    }
}

/// What [`Remote::read`] asks for.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Which configuration.
    pub source: Source,
    /// Without the streams that are `static`.
    pub skip_streams: bool,
    /// With what the server says of itself.
    pub runtime: bool,
}

impl Remote {
    /// A server; `name` is what messages call it, and `login` is whose password may be asked for.
    pub fn new(client: Client, name: String, login: Option<String>, ui: Ui) -> Self {
        Self { client, name, login, ui, api: None, _serving: None }
    }

    /// The same, keeping what leads to its socket.
    pub fn keeping(self, serving: Serving) -> Self {
        Self { _serving: Some(Arc::new(serving)), ..self }
    }

    /// Warns of credentials that everybody on the way can read.
    pub fn warn_of_plain_credentials(&self) {
        let endpoint = self.client.endpoint();
        if self.client.credentials().is_some() && !endpoint.is_https() && !endpoint.is_local() {
            self.ui.warning(&format!("login and password go to `{}` without encryption", self.name));
        }
    }

    /// The same server over a new connection, maybe as somebody else.
    pub fn anew(&self, credentials: Option<Credentials>) -> Self {
        let mut client = self.client.reconnected();
        if let Some(credentials) = credentials.filter(|_| client.credentials().is_some()) {
            client.authenticate(credentials);
        }
        Self {
            client,
            name: self.name.clone(),
            login: self.login.clone(),
            ui: self.ui,
            api: self.api.clone(),
            _serving: self._serving.clone(),
        }
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A configuration as JSON.
    pub fn read(&mut self, view: View) -> Result<Value, CliError> {
        let mut parameters = Vec::new();
        if view.skip_streams {
            parameters.push((SKIP_STREAMS, "true"));
        }
        if view.runtime {
            parameters.push((RUNTIME, "true"));
        }
        parameters.extend(source(view.source));
        let answer = self.get(parameters)?;
        self.demand_source(&answer, view.source)?;
        self.object(answer.body.as_deref(), false)
    }

    /// A configuration as text; refused if the server has none.
    pub fn text(&mut self, source: Source) -> Result<Arc<Snapshot>, CliError> {
        let fetched = self.fetch(source)?;
        match fetched.content {
            Content::Text(snapshot) => Ok(snapshot),
            Content::Json(_) => Err(self.not_offered(Feature::Conf)),
        }
    }

    /// A configuration as text, or as JSON if the server has no text.
    pub fn fetch(&mut self, from: Source) -> Result<Fetched, CliError> {
        let answer = self.get([(FORMAT, FORMAT_CONF)].into_iter().chain(source(from)).collect())?;
        self.demand_source(&answer, from)?;
        let content = self.content(&answer, false)?;
        Ok(Fetched { content, answer })
    }

    /// The body of an answer; a server that offers text was asked for it.
    fn content(&self, answer: &Reply, applies: bool) -> Result<Content, CliError> {
        match answer.offers(Feature::Conf) {
            true => {
                let body = answer.body.clone().unwrap_or_default();
                Ok(Content::Text(Arc::new(Snapshot::of(body))))
            }
            false => self.object(answer.body.as_deref(), applies).map(Content::Json),
        }
    }

    fn get(&mut self, parameters: Vec<(&'static str, &str)>) -> Result<Reply, CliError> {
        self.send(&Call::read(parameters))
    }

    /// What the server says of itself, without a configuration.
    fn look(&mut self) -> Result<Reply, CliError> {
        let mut call = Call::read(Vec::new());
        // Any configuration is the one that is known.
        call.if_none_match = Some("*");
        self.send(&call)
    }

    /// Sends a request. Where the server wants a login and a password, or refuses those that were
    /// sent, a person on a terminal is asked for them.
    fn send(&mut self, call: &Call<'_>) -> Result<Reply, CliError> {
        let mut result = self.client.send(call);
        for _ in 0..MAX_PROMPTS {
            let is_refused = matches!(&result, Err(error) if error.status() == Some(UNAUTHORIZED));
            if !is_refused || !self.ask()? {
                break;
            }
            result = self.client.send(call);
        }
        result.map_err(|error| self.failed(error))
    }

    /// Asks for login and password; false if none are given.
    fn ask(&mut self) -> Result<bool, CliError> {
        if self.client.credentials().is_some() && prompts::can_ask() {
            self.ui.warning(&format!("`{}` does not accept this login and password", self.name));
        }
        let login = match &self.login {
            Some(login) => Some(login.clone()),
            None => prompts::line(&format!("login for {}", self.name))?,
        };
        let Some(login) = login.filter(|login| !login.is_empty()) else { return Ok(false) };
        let prompt = format!("password of {login} for {}", self.name);
        let Some(password) = prompts::secret(&prompt)? else { return Ok(false) };
        self.client.authenticate(credentials(&login, &password)?);
        self.warn_of_plain_credentials();
        Ok(true)
    }

    fn object(&self, body: Option<&[u8]>, applies: bool) -> Result<Value, CliError> {
        let parsed = body.and_then(|body| serde_json::from_slice(body).ok()).filter(Value::is_object);
        parsed
            .ok_or_else(|| self.failed(ClientError::NotOfTheApi { applies, what: "what is no JSON object" }))
    }

    fn demand_source(&self, answer: &Reply, source: Source) -> Result<(), CliError> {
        match source == Source::Running || answer.offers(Feature::Saved) {
            true => Ok(()),
            false => Err(self.not_offered(Feature::Saved)),
        }
    }

    fn not_offered(&self, feature: Feature) -> CliError {
        CliError::NotOffered { target: self.name.clone(), feature }
    }

    fn failed(&self, error: ClientError) -> CliError {
        CliError::Server { target: self.name.clone(), error: Box::new(error) }
    }
}

fn source(source: Source) -> Option<(&'static str, &'static str)> {
    (source == Source::Saved).then_some((SOURCE, SOURCE_SAVED))
}

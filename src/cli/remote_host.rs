//! The terminal for the HTTP client: prompts for credentials, warnings, and a last line if a signal ends
//! the program while a change is being sent.

use std::any::Any;

use serde_json::json;

use crate::cli::context::ContextsFile;
use crate::cli::interrupt::LastWords;
use crate::cli::local::local_user;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::error::{Error, ErrorKind};
use crate::http::api::Fingerprint;
use crate::http::client::{Credentials, Host};

/// The program as the client of one server.
pub struct RemoteHost {
    pub ui: Ui,
    /// The name of the context that the server belongs to.
    pub context: Option<String>,
}

impl RemoteHost {
    /// Has the context remember the certificate.
    fn remember(&self, fingerprint: Fingerprint) -> Result<(), Error> {
        let Some(name) = &self.context else {
            self.ui.note(&format!(
                "this holds for this once: `--fingerprint {fingerprint}` or a context trusts it from now on"
            ));
            return Ok(());
        };
        let patch = json!({"context": {name: {"fingerprint": fingerprint.to_string()}}});
        ContextsFile::of_user_or_error()?.change(patch, local_user())?;
        self.ui.note(&format!("context `{name}` trusts this certificate from now on"));
        Ok(())
    }
}

impl Host for RemoteHost {
    fn credentials(
        &self,
        service: &str,
        login: Option<&str>,
        were_refused: bool,
    ) -> Result<Option<Credentials>, Error> {
        if were_refused && prompts::can_ask() {
            self.ui.warning(&format!("`{service}` does not accept this login and password"));
        }
        let login = match login {
            Some(login) => Some(login.to_owned()),
            None => prompts::line(&format!("login for {service}")).map_err(Error::prompt_failed)?,
        };
        let Some(login) = login.filter(|login| !login.is_empty()) else { return Ok(None) };
        let password = prompts::secret(&format!("password of {login} for {service}"));
        let Some(password) = password.map_err(Error::prompt_failed)? else { return Ok(None) };
        let credentials = Credentials::new(login, password);
        credentials.map(Some).ok_or_else(|| Error::new(ErrorKind::Usage, "a login can't contain a `:`"))
    }

    fn trusts(&self, service: &str, fault: &str, fingerprint: Fingerprint) -> Result<bool, Error> {
        if !prompts::can_ask() {
            return Ok(false);
        }
        self.ui.warning(&format!("`{service}` can't be told from an impostor: {fault}"));
        self.ui.say(&format!("its fingerprint is {fingerprint}"));
        let trusted = prompts::confirm("does the server show the same one: trust it?");
        if trusted.map_err(Error::prompt_failed)? != Some(true) {
            return Ok(false);
        }
        if let Err(error) = self.remember(fingerprint) {
            self.ui.warning(&format!("the fingerprint could not be kept: {error}"));
        }
        Ok(true)
    }

    fn warning(&self, text: &str) {
        self.ui.warning(text);
    }

    fn sending_change(&self, service: &str) -> Box<dyn Any> {
        let service = service.to_owned();
        Box::new(LastWords::new(self.ui, move || {
            format!(
                "interrupted: the change was sent, and {service} may have made it; `mediactl history` shows whether it did"
            )
        }))
    }
}

//! The terminal for the HTTP client: prompts for credentials, warnings, and a last line if a signal ends
//! the program while a change is being sent.

use std::any::Any;
use std::io;

use crate::cli::interrupt::LastWords;
use crate::cli::prompts;
use crate::cli::ui::Ui;
use crate::http::client::{Credentials, Host};

impl Host for Ui {
    fn credentials(
        &self,
        service: &str,
        login: Option<&str>,
        were_refused: bool,
    ) -> io::Result<Option<Credentials>> {
        if were_refused && prompts::can_ask() {
            Host::warning(self, &format!("`{service}` does not accept this login and password"));
        }
        let login = match login {
            Some(login) => Some(login.to_owned()),
            None => prompts::line(&format!("login for {service}"))?,
        };
        let Some(login) = login.filter(|login| !login.is_empty()) else { return Ok(None) };
        let password = prompts::secret(&format!("password of {login} for {service}"))?;
        let Some(password) = password else { return Ok(None) };
        let credentials = Credentials::new(login, password);
        credentials
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a login can't contain a `:`"))
    }

    fn warning(&self, text: &str) {
        Ui::warning(*self, text);
    }

    fn sending_change(&self, service: &str) -> Box<dyn Any> {
        let service = service.to_owned();
        Box::new(LastWords::new(*self, move || {
            format!(
                "interrupted: the change was sent, and {service} may have made it; `mediactl history` shows whether it did"
            )
        }))
    }
}

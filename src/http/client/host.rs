//! What the client needs of the program around it: it knows no terminal itself.

use std::any::Any;
use std::io;

use super::credentials::Credentials;

/// The program in which a client works.
pub trait Host {
    /// Asks for the login and the password of a service; `login` is the login, if it is known.
    /// `were_refused` says that the service refused credentials already. `None` if nobody can be
    /// asked, or nothing was entered.
    ///
    /// # Errors
    /// `InvalidInput` for what can't be a login; any other if asking failed.
    fn credentials(
        &self,
        service: &str,
        login: Option<&str>,
        were_refused: bool,
    ) -> io::Result<Option<Credentials>>;

    /// Shows a warning.
    fn warning(&self, text: &str);

    /// Is called before a change is sent. The returned value is dropped when the response is there:
    /// until then, nobody knows whether the change was made.
    fn sending_change(&self, service: &str) -> Box<dyn Any>;
}

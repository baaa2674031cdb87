//! The interface between the client and the program that uses it: the client knows no terminal itself.

use std::any::Any;
use std::io;

use super::credentials::Credentials;
use super::error::TlsFault;
use crate::http::api::Fingerprint;

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

//! The program as the client of one server among several: it asks nothing, and keeps warnings for later.

use std::any::Any;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cli::ui::Ui;
use crate::http::api::Fingerprint;
use crate::http::client::{Credentials, Host, TlsFault};

/// The warnings about one server.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<KeptWarnings>>);

#[derive(Default)]
struct KeptWarnings {
    warnings: Vec<String>,
    /// The output for warnings as they come; `None` while they are kept.
    ui: Option<Ui>,
}

impl Warnings {
    /// Takes the warnings that came since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.kept().warnings)
    }

    /// Prints each warning as it comes from now on: the work takes too long to keep them until its end.
    pub fn print_from_now(&self, ui: Ui) {
        self.kept().ui = Some(ui);
    }

    /// Keeps a warning, or prints it.
    pub fn add(&self, text: &str) {
        let mut kept = self.kept();
        match kept.ui {
            Some(ui) => ui.warning(text),
            None => kept.warnings.push(text.to_owned()),
        }
    }

    fn kept(&self) -> MutexGuard<'_, KeptWarnings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A host without a terminal.
pub struct SilentHost(pub Warnings);

impl Host for SilentHost {
    fn credentials(&self, _: &str, _: Option<&str>, _: bool) -> io::Result<Option<Credentials>> {
        Ok(None)
    }

    fn trusts(&self, _: &str, _: &TlsFault, _: Fingerprint) -> io::Result<bool> {
        Ok(false)
    }

    fn warning(&self, text: &str) {
        self.0.add(text);
    }

    fn sending_change(&self, _: &str) -> Box<dyn Any> {
        Box::new(())
    }
}

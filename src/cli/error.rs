//! The error that ends a command early: its kind, and its messages for users.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::render::grouped;
use crate::cli::ui::as_typed;
use crate::engine::Snapshot;
use crate::error::{BrokenText, Error, ErrorKind, errors_of};
use crate::http::problem::urn;
use crate::store::etcd::ClusterUrl;
use crate::store::reason;
use mediaconf::{Fault, Masker};

/// The hint for a configuration that is not there.
const OTHER_TARGETS: &str = "`mediactl init` makes a first configuration; `--conf FILE`, `--url URL` or \
                             `--context NAME` names another one";

/// The hint for a cluster without a configuration.
const FIRST_OF_CLUSTER: &str = "`mediactl save FILE` puts the first text there";

impl Error {
    /// An I/O error; `what` failed, for the reason that the system gives.
    pub(super) fn of_system(kind: ErrorKind, what: impl AsRef<str>, source: &io::Error) -> Self {
        Self::new(kind, format!("{}: {}", what.as_ref(), reason(source)))
    }

    /// Refuses a text of this name that has errors.
    pub fn refuse_broken(name: &str, snapshot: &Arc<Snapshot>) -> Result<(), Self> {
        let errors = snapshot.diagnostics().errors();
        if snapshot.is_valid() {
            return Ok(());
        }
        let plural = if errors == 1 { "" } else { "s" };
        let broken = Some(BrokenText { name: Some(name.to_owned()), snapshot: snapshot.clone() });
        Err(Self {
            broken,
            ..Self::new(ErrorKind::BadConfig, format!("`{name}` has {errors} error{plural}"))
        })
    }

    /// A configuration and what it includes have errors together.
    pub fn broken_includes(name: &str, errors: usize) -> Self {
        let plural = if errors == 1 { "an error" } else { &format!("{errors} errors") };
        Self::new(ErrorKind::Invalid, format!("`{name}`, with what it includes, has {plural}"))
    }

    /// A file that was given to the command could not be read.
    pub fn input_failed(path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::Denied,
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => ErrorKind::NotFound,
            _ => ErrorKind::Failed,
        };
        Self::of_system(kind, format!("cannot read `{}`", path.display()), &source)
    }

    /// A file or a folder could not be made.
    pub fn not_made(path: &Path, source: io::Error) -> Self {
        let is_denied = source.kind() == io::ErrorKind::PermissionDenied;
        let kind = if is_denied { ErrorKind::Denied } else { ErrorKind::Failed };
        Self::of_system(kind, format!("cannot make `{}`", path.display()), &source)
    }

    /// True if stdout was closed by its reader, which is no failure.
    pub fn is_closed_output(&self) -> bool {
        self.kind == ErrorKind::OutputClosed
    }

    /// The lines that are shown: the message with its hint, or each fault with its own.
    pub fn lines(&self) -> Vec<Fault> {
        let whole = Fault { hint: self.hint.clone(), ..Fault::plain(&*self.message) };
        match self.kind {
            ErrorKind::NoConfiguration => {
                let is_cluster = self.message.strip_prefix('`').is_some_and(ClusterUrl::is_meant);
                vec![whole.hint(if is_cluster { FIRST_OF_CLUSTER } else { OTHER_TARGETS })]
            }
            ErrorKind::NewWarnings => vec![whole],
            _ if self.faults.is_empty() || self.broken.is_some() => vec![whole],
            _ => self.faults.iter().cloned().map(Fault::in_one_line).collect(),
        }
    }

    /// The problem as HTTP has it, with the hints of the command line and the exit code.
    pub fn problem(&self, masker: Masker) -> Value {
        let masked = |text: &str| masker.prose(text).into_owned();
        let faults = match &self.broken {
            Some(BrokenText { snapshot, .. }) => errors_of(None, snapshot, snapshot.diagnostics()).collect(),
            None => self.faults.clone(),
        };
        let faults = faults.into_iter().map(|fault| Fault { message: masked(&fault.message), ..fault });
        let hint = self.lines().into_iter().find_map(|line| line.hint).map(|hint| as_typed(&hint));
        // The API answers a change of an absent path as a wrong value. Here the exit code says that it is not found.
        let kind = if self.kind == ErrorKind::AbsentPath { ErrorKind::NotFound } else { self.kind };
        json!({
            "type": urn(kind),
            "title": kind.title(),
            "status": self.status.filter(|_| kind == self.kind).unwrap_or(kind.status()),
            "detail": masked(&self.message),
            "hint": hint,
            "errors": faults.collect::<Vec<_>>(),
            "exit_code": self.exit() as u8,
        })
    }

    /// The same error with these lines.
    pub(super) fn with_lines(self, lines: Vec<Fault>) -> Self {
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        let hint = lines.last().and_then(|line| line.hint.clone());
        let kind = if self.kind == ErrorKind::NoConfiguration { ErrorKind::NotFound } else { self.kind };
        let faults = if lines.len() > 1 { lines.clone() } else { Vec::new() };
        Self { kind, message: messages.join("; "), hint, faults, ..self }
    }
}

/// The lines, those that say the same of different places together, in the order of the first of each.
pub fn equal_lines(lines: &[Fault]) -> Vec<Vec<&Fault>> {
    grouped(lines, |line| {
        let (place, fault) = line.message.split_at(line.place().len());
        (!place.is_empty()).then_some((fault, line.hint.as_deref()))
    })
}

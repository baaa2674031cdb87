//! Everything that ends a command early, with its exit code and its words.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::exit::Exit;
use crate::cli::remote_errors;
use crate::edit::misfit::PathFault;
use crate::edit::path::PathError;
use crate::engine::{EngineError, ErrorKind, Snapshot};
use crate::http::client::ClientError;
use crate::http::protocol::headers::Feature;
use crate::http::protocol::problem::ProblemKind;
use crate::store::{LockHolder, reason};

/// Advice where nothing is at a path, and no name is near.
const ALL_PATHS: &str = "`mediactl read -o set` shows all paths";

/// One thing that is wrong.
pub struct ErrorLine {
    /// What it is.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Why a command ended early.
#[derive(Debug)]
pub enum CliError {
    /// The command line does not make sense.
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// An operation did not happen.
    Engine(EngineError),
    /// A file with errors where a valid one is needed.
    Invalid {
        /// What it is called.
        name: String,
        /// The text with its diagnostics.
        snapshot: Arc<Snapshot>,
    },
    /// A file given to the command could not be read.
    Input {
        /// Its name.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// A path that does not parse.
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        error: PathError,
    },
    /// A path that leads to nothing, or to no one place.
    Select(PathFault),
    /// A server did not do what it was asked for.
    Server {
        /// What it is called.
        target: String,
        /// Why.
        error: Box<ClientError>,
    },
    /// A server lacks what was asked for; nothing was sent that relies on it.
    NotOffered {
        /// What the server is called.
        target: String,
        /// What it lacks.
        feature: Feature,
    },
    /// Standard output can't be written.
    Output(io::Error),
    /// A prompt could not be shown or answered.
    Prompt(io::Error),
    /// The server over a file can't be reached, and it alone may change the file.
    Unreachable {
        /// The file.
        name: String,
        /// The server.
        holder: LockHolder,
        /// What the system answered.
        source: io::Error,
    },
    /// A change that waited to be confirmed, and is taken back.
    NotConfirmed {
        /// What was changed.
        target: String,
    },
    /// A server without an account to use it.
    NoAccount {
        /// The configuration.
        target: String,
    },
    /// An address can't be listened on.
    Listen {
        /// The address.
        address: String,
        /// What the system answered.
        source: io::Error,
    },
    /// A certificate can't be used.
    Tls(String),
    /// A server could not be started.
    Serve(io::Error),
}

impl CliError {
    /// A fault of the command line.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// A file that could not be read.
    pub fn input(path: &Path, source: io::Error) -> Self {
        Self::Input { path: path.to_owned(), source }
    }

    /// Whether there is just no text in the history where one was asked for.
    pub fn is_not_kept(&self) -> bool {
        match self {
            Self::Engine(EngineError::NotKept { .. }) => true,
            Self::Server { error, .. } => error.status() == Some(ProblemKind::NotFound.status()),
            _ => false,
        }
    }

    /// Whether whoever reads the output closed it, which is no failure.
    pub fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code it leads to.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Engine(error) => ErrorKind::from(error).into(),
            Self::Invalid { .. } => Exit::Invalid,
            Self::Input { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Exit::Denied,
                io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => Exit::Absent,
                _ => Exit::Failed,
            },
            Self::Path { .. } => Exit::Invalid,
            Self::Select(fault) => match fault.is_absent() {
                true => Exit::Absent,
                false => Exit::Invalid,
            },
            Self::Server { error, .. } => (&**error).into(),
            Self::Unreachable { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Exit::Denied,
                // It is there and holds the lock.
                io::ErrorKind::TimedOut => Exit::Conflict,
                _ => Exit::Absent,
            },
            Self::NotOffered { .. } => Exit::Absent,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::NoAccount { .. } | Self::Tls(_) => Exit::Invalid,
            Self::NotConfirmed { .. } => Exit::Guarded,
            Self::Output(_) | Self::Prompt(_) | Self::Listen { .. } | Self::Serve(_) => Exit::Failed,
        }
    }

    /// Standard output could not be written.
    pub fn output_failed(error: io::Error) -> Self {
        Self::Output(error)
    }

    /// A question could not be asked.
    pub fn prompt_failed(error: io::Error) -> Self {
        Self::Prompt(error)
    }

    /// Everything that is wrong, each with its advice.
    pub fn lines(&self) -> Vec<ErrorLine> {
        self.faults().into_iter().map(|(message, hint)| ErrorLine { message, hint }).collect()
    }

    /// Everything that is wrong, each with its advice.
    pub fn faults(&self) -> Vec<(String, Option<String>)> {
        match self {
            Self::Engine(EngineError::BadPatch(faults)) => {
                faults.0.iter().map(|fault| (fault.to_string(), fault.hint.clone())).collect()
            }
            Self::Engine(EngineError::BadAssignments(faults)) => {
                let otherwise = |fault: &PathFault| fault.is_absent().then(|| ALL_PATHS.to_owned());
                let hint = |fault: &PathFault| fault.misfit.hint.clone().or_else(|| otherwise(fault));
                faults.iter().map(|fault| (fault.to_string(), hint(fault))).collect()
            }
            Self::Server { target, error } => remote_errors::faults(target, error),
            _ => vec![(self.to_string(), self.hint())],
        }
    }

    /// Advice, where there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Engine(error) => error.hint(),
            Self::Path { error, .. } => Some(error.hint().to_owned()),
            Self::Select(fault) => Some(fault.misfit.hint.clone().unwrap_or_else(|| ALL_PATHS.to_owned())),
            Self::NoAccount { target } => Some(format!(
                "`mediactl --conf {target} modify --set edit_auth.login=admin --set edit_auth.password` sets one"
            )),
            Self::Listen { .. } => {
                Some("choose another with --listen ADDR:PORT; port 0 is any free one".to_owned())
            }
            Self::Server { error, .. } => remote_errors::hint(error),
            Self::NotOffered { .. } => Some("nothing was changed".to_owned()),
            Self::Unreachable { holder, .. } => Some(format!(
                "nothing was changed; while {holder} runs, it alone changes the file: wait for it, or end it"
            )),
            Self::NotConfirmed { .. }
            | Self::Invalid { .. }
            | Self::Input { .. }
            | Self::Output(_)
            | Self::Prompt(_)
            | Self::Tls(_)
            | Self::Serve(_) => None,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message, .. } => f.write_str(message),
            Self::Engine(error) => error.fmt(f),
            Self::Invalid { name, snapshot } => {
                let errors = snapshot.diagnostics().errors();
                write!(f, "`{name}` has {errors} error{}", if errors == 1 { "" } else { "s" })
            }
            Self::Input { path, source } => write!(f, "cannot read `{}`: {}", path.display(), reason(source)),
            // What stands behind a `=` may be a secret.
            Self::Path { path, error } => write!(f, "`{}`: {error}", path.split('=').next().unwrap_or(path)),
            Self::Select(fault) => fault.fmt(f),
            Self::Server { target, error } => write!(f, "`{target}`: {error}"),
            Self::NotOffered { target, feature } => {
                write!(f, "the server at `{target}` does not offer {}", remote_errors::noun(*feature))
            }
            Self::Output(error) => write!(f, "cannot write the output: {}", reason(error)),
            Self::Prompt(error) => write!(f, "cannot ask: {}", reason(error)),
            Self::Unreachable { name, holder, source } => {
                write!(f, "the server of `{name}`, {holder}, can't be reached: {}", reason(source))
            }
            Self::NotConfirmed { target } => {
                write!(f, "the change of `{target}` was not confirmed: it goes back")
            }
            Self::NoAccount { target } => {
                write!(f, "`{target}` has no usable `edit_auth`, without which nobody could use the API")
            }
            Self::Listen { address, source } => write!(f, "cannot listen on `{address}`: {}", reason(source)),
            Self::Tls(message) => f.write_str(message),
            Self::Serve(error) => write!(f, "cannot start the server: {}", reason(error)),
        }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

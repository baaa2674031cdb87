//! The definition of a context.

use std::path::PathBuf;

use crate::http::api::Fingerprint;
use crate::http::client::AnswerSize;

/// A server that the user has given a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerContext {
    pub name: String,
    /// The URL of a server, or of a configuration in etcd; it may contain a login and a password.
    pub url: String,
    pub login: Option<String>,
    /// A shell command whose first line is the password.
    pub password_command: Option<String>,
    /// The certificate authorities that are trusted, in PEM.
    pub cacert: Option<PathBuf>,
    /// The certificate that is shown to etcd, and its private key, in PEM.
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// The one certificate that is trusted.
    pub fingerprint: Option<Fingerprint>,
    /// The path of the API.
    pub api_prefix: Option<String>,
    /// The longest time for a request, in seconds.
    pub timeout: Option<u64>,
    /// The size that an answer may have.
    pub max_answer: Option<AnswerSize>,
    pub groups: Vec<String>,
    /// True if every change is asked about.
    pub is_protected: bool,
    /// A setting of an earlier version that has no effect any more, and its line: the context is listed and changed, and
    /// is not used.
    pub outdated: Option<(String, usize)>,
}

/// All contexts of a user, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contexts {
    pub list: Vec<ServerContext>,
    /// The name of the context that is used where nothing names a target.
    pub current: Option<String>,
}

impl Contexts {
    pub fn get(&self, name: &str) -> Option<&ServerContext> {
        self.list.iter().find(|context| context.name == name)
    }
}

//! The bodies of requests and answers that are neither a configuration nor a problem.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::store::ChangeRef;
use mediaconf::edit::request::ChangeRequest;

/// The body of `change`: any change, as data.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestedChange<'a> {
    /// Changes what is there.
    Modify(Cow<'a, ChangeRequest>),
    /// Replaces the running configuration and the file by a text.
    Save(Cow<'a, str>),
    /// Replaces the running configuration alone.
    Update(Cow<'a, str>),
    /// Makes the text before a change the configuration again.
    Rollback(ChangeRef),
}

/// The answer of `included`: the files of each pattern, in the order in which they are included.
pub type IncludedFiles = BTreeMap<String, Vec<IncludedFile>>;

/// A file that a configuration includes.
#[derive(Debug, Serialize, Deserialize)]
pub struct IncludedFile {
    /// The name in messages.
    pub name: String,
    pub text: String,
}

//! The bodies of requests and answers that are neither a configuration nor a problem.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The answer of `included`: the files of each pattern, in the order in which they are included.
pub type IncludedFiles = BTreeMap<String, Vec<IncludedFile>>;

/// A file that a configuration includes.
#[derive(Debug, Serialize, Deserialize)]
pub struct IncludedFile {
    /// The name in messages.
    pub name: String,
    pub text: String,
}

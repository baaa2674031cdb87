//! The body of `change`: any change, as data.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::store::ChangeRef;
use mediaconf::edit::request::ChangeRequest;

/// A requested change.
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

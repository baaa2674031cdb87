//! The side effects of a change that its patch does not show.

use serde::{Deserialize, Serialize};

use crate::schema::json_pointer::Pointer;

/// A side effect of a change, which its patch does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// `url: false` took extras with it.
    ExtrasDropped {
        /// The auth they belonged to.
        at: Pointer,
        /// The keys of the extras.
        keys: Vec<String>,
    },
    /// Comment lines above a removed entry were kept.
    CommentsKept {
        /// The first words of the removed entry.
        above: String,
        /// The number of comment lines.
        lines: usize,
    },
    /// A port of `http` was removed together with its block.
    PortOptionsDropped {
        /// The port, as it stands in the text.
        port: String,
    },
    /// The number of settings that a desired state lacks in the entries that it names; they stay.
    SettingsLacking(usize),
}

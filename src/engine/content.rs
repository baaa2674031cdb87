//! A configuration, with its text or as JSON alone.

use std::sync::Arc;

use serde_json::Value;

use super::snapshot::Snapshot;
use mediaconf::model::{Lens, View, to_json};

/// A configuration.
#[derive(Debug, Clone)]
pub enum Content {
    /// With its text.
    Text(Arc<Snapshot>),
    /// As the answer to `read_config`, from a server that gives no text.
    Json(Value),
}

impl Content {
    /// The text, where there is one.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Text(snapshot) => Some(snapshot),
            Self::Json(_) => None,
        }
    }

    /// The answer to `read_config`, secrets included.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Text(snapshot) => to_json(&View::new(&snapshot.members(), &Lens::default())),
        }
    }

    /// True if it can be shown as JSON.
    pub fn is_valid(&self) -> bool {
        self.snapshot().is_none_or(|snapshot| snapshot.is_valid())
    }
}
